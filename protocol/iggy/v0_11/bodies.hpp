// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Which bodies the commands of 0.11 have, and what replicas send of them.
//
// What has no bytes has the layout `nothing`. Included by registry.cpp and layouts.hpp;
// everybody else asks the registry.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "describe/field.hpp"
#include "describe/proofs.hpp"
#include "iggy/bodies/groups.hpp"
#include "iggy/bodies/messages.hpp"
#include "iggy/bodies/offsets.hpp"
#include "iggy/bodies/partitions.hpp"
#include "iggy/bodies/replicated.hpp"
#include "iggy/bodies/reply.hpp"
#include "iggy/bodies/state_transfer.hpp"
#include "iggy/bodies/streams.hpp"
#include "iggy/bodies/system.hpp"
#include "iggy/bodies/tokens.hpp"
#include "iggy/bodies/topics.hpp"
#include "iggy/bodies/users.hpp"
#include "iggy/exchanges.hpp"
#include "iggy/legacy.hpp"
#include "iggy/login.hpp"
#include "iggy/registry.hpp"
#include "iggy/v0_11/log_suffix.hpp"

namespace iggy::v0_11 {

using namespace iggy::bodies;  // NOLINT(google-build-using-namespace): a table of their names
using enum Behind;

inline constexpr auto refused_login_rows = with_payload(legacy::login_reply);
inline constexpr describe::Layout refused_login_reply{"reply_body", "Reply to user.login",
                                                      refused_login_rows};

// clang-format off

// In order of code. Which of its shapes a login has is tried, not listed (decode/login.hpp).
inline constexpr CommandBodies bodies[] = {
    {  1, &nothing, &nothing},
    { 10, &nothing, &stats_reply_body},
    { 11, &snapshot, &snapshot_reply_body},
    { 12, &nothing, &cluster_metadata_reply_body},
    { 13, &options_describe, &options_describe_reply_body},
    { 14, &consumer_session_attach, &nothing},
    { 20, &nothing, &me_reply_body},
    { 21, &client_get, &client_get_reply_body},
    { 22, &nothing, &client_list_reply_body},
    { 31, &user_get, &user_get_reply_body},
    { 32, &nothing, &user_list_reply_body},
    { 33, &user_create, &user_create_reply_body},
    { 34, &user_delete, &done},
    { 35, &user_update, &done},
    { 36, &user_permissions, &done},
    { 37, &user_password, &done},
    { 38, &legacy::login, &refused_login_reply},
    { 39, &nothing, &nothing},
    { 40, &login::login_register, &login::register_reply},
    { 41, &nothing, &token_list_reply_body},
    { 42, &token_create, &token_create_reply_body},
    { 43, &token_delete, &done},
    { 44, &legacy::login_with_token, &refused_login_reply},
    { 45, &login::login_register_with_pat, &login::register_reply},
    {100, &message_poll, &message_poll_reply_body},
    {101, {&message_send, rejected}, {&message_send_reply_body, rejected}},
    {102, &message_flush, &nothing},
    {103, &message_poll_routing, &message_poll_routing_reply_body},
    {104, &message_poll_primary, &message_poll_reply_body},
    {120, &consumer_offset_get, &consumer_offset_get_reply_body},
    {121, &consumer_offset_store, &done},
    {122, &consumer_offset_delete, &done},
    {123, &consumer_offset_routing, &consumer_offset_routing_reply_body},
    {200, &stream_get, &stream_get_reply_body},
    {201, &nothing, &stream_list_reply_body},
    {202, &stream_create, &stream_create_reply_body},
    {203, &stream_delete, &done},
    {204, &stream_update, &done},
    {205, &stream_purge, &done},
    {300, &topic_get, &topic_get_reply_body},
    {301, &topic_list, &topic_list_reply_body},
    {302, &topic_create, &topic_create_reply_body},
    {303, &topic_delete, &done},
    {304, &topic_update, &done},
    {305, &topic_purge, &done},
    {402, &partition_create, &done},
    {403, &partition_delete, &done},
    {503, &segment_delete, &done},
    {600, &consumer_group_get, &consumer_group_get_reply_body},
    {601, &consumer_group_list, &consumer_group_list_reply_body},
    {602, &consumer_group_create, &consumer_group_create_reply_body},
    {603, &consumer_group_delete, &done},
    {604, &consumer_group_join, &done},
    {605, &consumer_group_leave, &done},
    {606, &consumer_group_sync, &consumer_group_sync_reply_body},
    {command_code("consumer_offset.store.v2"), &consumer_offset_store, &done},
    {command_code("consumer_offset.delete.v2"), &consumer_offset_delete, &done},
};

// Bodies of Prepare and RepairPrepare by operation, where they are not those of the request.
inline constexpr ReplicatedBody replicated_bodies[] = {
    {  1, &nothing},
    {  3, &nothing},
    { 64, &create_topic_with_assignments},
    { 65, &create_partitions_with_assignments},
    { 66, &remove_consumer_group_member},
    { 67, &complete_consumer_group_revocation},
    { 68, &truncate_partition},
    {146, &create_token},
    {147, &delete_token},
    {148, &join_group},
    {149, &leave_group},
    {160, {&send_messages, rejected}},
};

// Bodies of control frames, where they have one.
inline constexpr ControlBody control_bodies[] = {
    {Command::DoViewChange, any_operation, &log_suffix},
    {Command::StartView, any_operation, &log_suffix},
    {Command::StateTransferTarget, any_operation, {&state_manifest, rejected}},
    {Command::StateChunk, any_operation, &state_piece},
    {Command::ConsumerSessionHeartbeat, any_operation, &heartbeat_sessions},  // 0.11.1
};

// clang-format on

static_assert(std::equal(std::begin(bodies), std::end(bodies), v0_11_exchanges.begin(),
                         v0_11_exchanges.end(),
                         [](const CommandBodies& row, const Exchange& exchange) {
                           return row.code == exchange.code;
                         }));

}  // namespace iggy::v0_11
