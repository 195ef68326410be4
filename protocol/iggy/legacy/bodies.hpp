// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Which bodies the commands of the 8-byte framing have.
//
// They are those of server 0.8. Where a release before it is known to differ its bodies stand
// below, and the first that fits a body is its own (decode/body.cpp); what fits none stays
// undecoded. Included by layouts.hpp; everybody else asks the registry.
#pragma once

#include <algorithm>
#include <iterator>

#include "iggy/bodies/groups.hpp"
#include "iggy/bodies/messages.hpp"
#include "iggy/bodies/offsets.hpp"
#include "iggy/bodies/partitions.hpp"
#include "iggy/bodies/reply.hpp"
#include "iggy/bodies/streams.hpp"
#include "iggy/bodies/system.hpp"
#include "iggy/bodies/tokens.hpp"
#include "iggy/bodies/topics.hpp"
#include "iggy/bodies/users.hpp"
#include "iggy/exchanges.hpp"
#include "iggy/legacy.hpp"
#include "iggy/legacy/messages.hpp"
#include "iggy/legacy/resources.hpp"
#include "iggy/legacy/users.hpp"
#include "iggy/registry.hpp"

namespace iggy::legacy {

using bodies::nothing;

// clang-format off

// In order of code, newer releases first. Which of its shapes a login has is tried, not listed
// (decode/login.hpp).
inline constexpr CommandBodies command_bodies[] = {
    {  1, &nothing, &nothing},
    { 10, &nothing, &bodies::stats_reply_body},
    { 11, &bodies::snapshot, &bodies::snapshot_reply_body},
    { 12, &nothing, &bodies::cluster_metadata_reply_body},
    { 20, &nothing, &bodies::me_reply_body},
    { 21, &bodies::client_get, &bodies::client_get_reply_body},
    { 22, &nothing, &bodies::client_list_reply_body},
    { 31, &bodies::user_get, &user_get_reply_body},
    { 32, &nothing, &user_list_reply_body},
    { 33, &user_create, &user_create_reply_body},
    { 34, &bodies::user_delete, &nothing},
    { 35, &user_update, &nothing},
    { 36, &bodies::user_permissions, &nothing},
    { 37, &bodies::user_password, &nothing},
    { 38, &login, &login_reply},
    { 39, &nothing, &nothing},
    { 41, &nothing, &bodies::token_list_reply_body},
    { 42, &bodies::token_create, &token_create_reply_body},
    { 43, &bodies::token_delete, &nothing},
    { 44, &login_with_token, &login_reply},
    {100, &message_poll, &message_poll_reply_body},
    {100, &message_poll, &message_poll_reply_56_body},
    {100, &flagless_message_poll, &loose_message_poll_reply_body},
    {101, &message_send, &nothing},
    {101, &message_send_56, &nothing},
    {101, &loose_message_send, &nothing},
    {102, &bodies::message_flush, &nothing},
    {120, &bodies::consumer_offset_get, &bodies::consumer_offset_get_reply_body},
    {121, &consumer_offset_store, &nothing},
    {122, &consumer_offset_delete, &nothing},
    {200, &bodies::stream_get, &stream_get_reply_body},
    {201, &nothing, &stream_list_reply_body},
    {202, &stream_create, &stream_create_reply_body},
    {203, &bodies::stream_delete, &nothing},
    {204, &stream_update, &nothing},
    {205, &bodies::stream_purge, &nothing},
    {300, &bodies::topic_get, &topic_get_reply_body},
    {301, &bodies::topic_list, &topic_list_reply_body},
    {302, &topic_create, &topic_create_reply_body},
    {303, &bodies::topic_delete, &nothing},
    {304, &topic_update, &nothing},
    {305, &bodies::topic_purge, &nothing},
    {402, &bodies::partition_create, &nothing},
    {403, &bodies::partition_delete, &nothing},
    {503, &bodies::segment_delete, &nothing},
    {600, &bodies::consumer_group_get, &bodies::consumer_group_get_reply_body},
    {601, &bodies::consumer_group_list, &bodies::consumer_group_list_reply_body},
    {602, &bodies::consumer_group_create, &consumer_group_create_reply_body},
    {603, &bodies::consumer_group_delete, &nothing},
    {604, &bodies::consumer_group_join, &nothing},
    {605, &bodies::consumer_group_leave, &nothing},
};

// clang-format on

static_assert(std::all_of(legacy_exchanges.begin(), legacy_exchanges.end(),
                          [](const Exchange& exchange) {
                            return std::any_of(std::begin(command_bodies), std::end(command_bodies),
                                               [&exchange](const CommandBodies& row) {
                                                 return row.code == exchange.code;
                                               });
                          }));

}  // namespace iggy::legacy
