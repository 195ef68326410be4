// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Which bodies the commands of 0.12 have, and what its replicas send of them.
//
// Included by layouts.hpp; everybody else asks the registry. What upstream has not published of
// 0.12 is named as such: nothing is decoded by the tables of 0.11.
#pragma once

#include "iggy/bodies/replicated.hpp"
#include "iggy/bodies/reply.hpp"
#include "iggy/bodies/revised.hpp"
#include "iggy/bodies/state_transfer.hpp"
#include "iggy/exchanges.hpp"
#include "iggy/login.hpp"
#include "iggy/registry.hpp"
#include "iggy/v0_11/bodies.hpp"
#include "iggy/v0_12/bodies/changes.hpp"
#include "iggy/v0_12/bodies/messages.hpp"
#include "iggy/v0_12/bodies/partitions.hpp"
#include "iggy/v0_12/bodies/replicated.hpp"
#include "iggy/v0_12/bodies/resources.hpp"
#include "iggy/v0_12/bodies/system.hpp"

namespace iggy::v0_12 {

using enum Behind;

// clang-format off

// In order of code: commands that are new, and those with another body than in 0.11.
inline constexpr CommandBodies changed_bodies[] = {
    { 10, &bodies::nothing, {&stats_reply_body, rejected}},
    { 12, &bodies::nothing, &cluster_metadata_reply_body},
    { 13, &bodies::options_describe, &options_describe_reply_body},
    { 15, &login::session_bind, &login::session_bind_reply},
    { 16, &resource_update, &bodies::done},
    { 17, {&metadata_changes, rejected}, &metadata_changes_reply_body},
    { 31, &bodies::user_get, &user_get_reply_body},
    { 32, &bodies::nothing, &user_list_reply_body},
    { 33, &bodies::user_create, &user_create_reply_body},
    { 40, &login::login_register_with_secret, &login::register_reply},
    { 45, &login::login_register_with_pat_with_secret, &login::register_reply},
    {100, &bodies::message_poll, &message_poll_reply_body},
    {101, {&message_send, rejected}, {&bodies::message_send_reply_body, rejected}},
    {105, &partition_route, {&partition_route_reply_body, rejected}},
    {106, {&message_poll_deferred, rejected}, &message_poll_reply_body},
    {107, {&message_wait, rejected}, &message_wait_reply_body},
    {108, &bodies::nothing, &bodies::nothing},
    {109, {&message_fetch, rejected}, &message_fetch_reply_body},
    {200, &bodies::stream_get, &stream_get_reply_body},
    {201, &bodies::nothing, &stream_list_reply_body},
    {202, &bodies::stream_create, &stream_create_reply_body},
    {300, &bodies::topic_get, &topic_get_reply_body},
    {301, &bodies::topic_list, &topic_list_reply_body},
    {302, &bodies::topic_create, &topic_create_reply_body},
};

inline constexpr auto command_bodies =
    bodies::revised(v0_11::bodies, v0_12_exchanges, changed_bodies);

// Bodies of Prepare and RepairPrepare by operation, where they are not those of the request.
inline constexpr ReplicatedBody replicated_bodies[] = {
    {  1, &register_session},
    {  3, &bodies::nothing},
    { 64, {&create_topic_with_assignments, rejected}},
    { 65, {&create_partitions_with_assignments, rejected}},
    { 66, &bodies::unpublished},
    { 67, {&complete_consumer_group_revocation, rejected}},
    { 68, &bodies::unpublished},
    { 70, {&finalize_session, rejected}},
    { 71, {&complete_lifecycle, rejected}},
    { 72, {&update_stream_resolved, rejected}},
    { 73, {&update_topic_resolved, rejected}},
    { 74, {&update_user_resolved, rejected}},
    { 75, {&rewrap_stream_keys, rejected}},
    {141, &bodies::unpublished},
    {144, &bodies::unpublished},
    {146, &bodies::unpublished},
    {147, &bodies::unpublished},
    {148, &bodies::unpublished},
    {149, &bodies::unpublished},
    {160, {&send_messages, rejected}},
    {161, &store_consumer_offset},
    {162, &delete_consumer_offset},
    {166, &retire_session},
    {167, {&install_consumer_group_owner, rejected}},
    {168, {&transition_partition_history, rejected}},
    {169, {&retire_consumer_group_owners, rejected}},
};

// Bodies of control frames, where they have one.
inline constexpr ControlBody control_bodies[] = {
    {Command::DoViewChange, any_operation, &log_suffix},
    {Command::StartView, any_operation, &log_suffix},
    {Command::StateTransferTarget, any_operation, {&bodies::state_manifest, rejected}},
    {Command::StateChunk, any_operation, &bodies::state_piece},
    {Command::ForwardRegister, any_operation, {&register_session, rejected}},
    {Command::ConsumerSessionHeartbeat, any_operation, &bodies::heartbeat_sessions},
    {Command::SessionRetirementProgress, any_operation, &bodies::heartbeat_sessions},
    {Command::ForwardCompletion, 67, {&complete_consumer_group_revocation, rejected}},
    {Command::ForwardCompletion, 71, {&complete_lifecycle, rejected}},
    {Command::PrimaryRebalance, any_operation, &partition_statuses},
};

// clang-format on

}  // namespace iggy::v0_12
