// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Which bodies builds of 0.11.0 had before its release, where those of today are others.
//
// Behind today's headers they kept bodies of the 8-byte framing, of which replies to changes got a
// result section. Source: core/binary_protocol at server-0.9.0-edge.2 to server-0.9.0-edge.5.
// Included by layouts.hpp; everybody else asks the registry.
#pragma once

#include <array>
#include <iterator>

#include "describe/field.hpp"
#include "iggy/bodies/replicated.hpp"
#include "iggy/bodies/reply.hpp"
#include "iggy/legacy/messages.hpp"
#include "iggy/legacy/resources.hpp"
#include "iggy/legacy/users.hpp"
#include "iggy/login.hpp"
#include "iggy/registry.hpp"

namespace iggy::v0_11 {

// clang-format off

inline constexpr auto older_user_create_reply_rows =
    bodies::with_result(legacy::user_create_reply);
inline constexpr describe::Layout older_user_create_reply_body{
    "reply_body", "Reply to user.create Up To 0.11.0-edge.2", older_user_create_reply_rows};
inline constexpr auto older_stream_create_reply_rows =
    bodies::with_result(legacy::stream_create_reply);
inline constexpr describe::Layout older_stream_create_reply_body{
    "reply_body", "Reply to stream.create Up To 0.11.0-edge.2", older_stream_create_reply_rows};
inline constexpr auto older_topic_create_reply_rows =
    bodies::with_result(legacy::topic_create_reply);
inline constexpr describe::Layout older_topic_create_reply_body{
    "reply_body", "Reply to topic.create Up To 0.11.0-edge.2", older_topic_create_reply_rows};

// Without options.
inline constexpr CommandBodies bodies_before_edge_3[] = {
    { 31, &bodies::user_get, &legacy::user_get_reply_body},
    { 32, &bodies::nothing, &legacy::user_list_reply_body},
    { 33, &legacy::user_create, &older_user_create_reply_body},
    { 35, &legacy::user_update, &bodies::done},
    {200, &bodies::stream_get, &legacy::stream_get_reply_body},
    {201, &bodies::nothing, &legacy::stream_list_reply_body},
    {202, &legacy::stream_create, &older_stream_create_reply_body},
    {204, &legacy::stream_update, &bodies::done},
    {300, &bodies::topic_get, &legacy::topic_get_reply_body},
    {301, &bodies::topic_list, &legacy::topic_list_reply_body},
    {302, &legacy::topic_create, &older_topic_create_reply_body},
    {304, &legacy::topic_update, &bodies::done},
};

inline constexpr auto older_topic_assignments_rows = joined(
    bodies::request_length_row, std::to_array<describe::Field>({
    describe::group("request", legacy::topic_create, "The request").in_room(),
}), bodies::assignment_rows);
inline constexpr describe::Layout older_create_topic_with_assignments{
    "create_topic_with_assignments", "Create Topic With Assignments Up To 0.11.0-edge.2",
    older_topic_assignments_rows, bodies::create_topic_with_assignments.subject};

inline constexpr ReplicatedBody replicated_before_edge_3[] = {
    { 64, &older_create_topic_with_assignments},
};

// Without levels of acknowledgement, and without batches between clients and servers; these had
// them already for what they send each other.
inline constexpr CommandBodies bodies_before_edge_4[] = {
    {100, &bodies::message_poll, &legacy::message_poll_reply_body},
    {101, {&legacy::message_send, Behind::rejected},
          {&bodies::message_send_reply_body, Behind::rejected}},
    {121, &legacy::consumer_offset_store, &bodies::done},
    {122, &legacy::consumer_offset_delete, &bodies::done},
};

inline constexpr OlderBodies older_bodies[] = {
    {Train::v0_11_0_edge_3, bodies_before_edge_3, replicated_before_edge_3},
    {Train::v0_11_0_edge_4, bodies_before_edge_4, {}},
};

// clang-format on

}  // namespace iggy::v0_11
