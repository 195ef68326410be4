// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Messages: commands 100 to 104.
//
// Source: core/binary_protocol/src/requests/messages and
// core/binary_protocol/src/responses/messages.
#pragma once

#include <array>

#include "describe/field.hpp"
#include "iggy/bodies/batches.hpp"
#include "iggy/bodies/reply.hpp"
#include "iggy/bodies/sessions.hpp"
#include "iggy/bodies/targets.hpp"
#include "iggy/frame.hpp"

namespace iggy::bodies {

using describe::Field;
using describe::Layout;

// clang-format off

// What a poll and the search for its server send.
inline constexpr auto poll_rows = joined(reader_rows, std::to_array<Field>({
    describe::group("strategy", polling_strategy, "Where reading begins"),
    describe::u32("count", "Messages at most"),
    truth("auto_commit", "Whether the server stores the offset"),
}));

// 100
inline constexpr auto message_poll_rows = poll_rows;
inline constexpr Layout message_poll{"message_poll", "Message Poll", message_poll_rows,
    "{stream_id}/{topic_id}[{partition}] {strategy} {count} for {consumer}"};
inline constexpr auto message_poll_reply_head = std::to_array<Field>({
    describe::u32("partition_id", "The partition; all ones: sync the group, it is not yours")
        .shown_as(describe::Shape::or_none),
    describe::u64("current_offset", "Newest committed offset of the partition"),
    describe::u32("messages_count", "Messages of all batches"),
});
inline constexpr auto message_poll_reply_rows = joined(
    message_poll_reply_head, std::to_array<Field>({
    describe::group("batches", batch, "What was read").to_end(),
}));
inline constexpr Layout message_poll_reply{
    "message_poll_reply", "Message Poll Reply", message_poll_reply_rows,
    // A slice of a stored batch keeps the batch's base_offset and the offset_delta of its messages.
    "{messages_count|message} from {batches[0].base_offset+batches[0].messages[0].offset_delta}"
    ", partition {partition_id~}: sync the group"};
inline constexpr auto message_poll_reply_body_rows = with_payload(message_poll_reply);
inline constexpr Layout message_poll_reply_body{"reply_body", "Reply to message.poll",
                                                message_poll_reply_body_rows};

// 101; the reply has no result section
inline constexpr auto message_send_head = std::to_array<Field>({
    describe::u32("metadata_length", "Bytes of the metadata").counts(),
    describe::group("metadata", send_metadata, "Where the messages go").in_room(),
});
inline constexpr auto message_send_rows = joined(message_send_head, std::to_array<Field>({
    describe::group("batch", batch, "The messages"),
}));
inline constexpr Layout message_send{"message_send", "Message Send", message_send_rows,
    "{metadata} {batch.message_count|message}"};
inline constexpr auto message_send_reply_rows = std::to_array<Field>({
    describe::u32("confirmations_count", "Confirmations that follow").counts(),
    describe::repeat("confirmations", send_confirmation, "Where the messages are"),
});
inline constexpr Layout message_send_reply{
    "message_send_reply", "Message Send Reply", message_send_reply_rows,
    "{confirmations_count!|confirmation}{confirmations}"};
inline constexpr auto message_send_reply_body_rows = with_payload(message_send_reply);
inline constexpr Layout message_send_reply_body{"reply_body", "Reply to message.send",
                                                message_send_reply_body_rows};

// 102; always refused
inline constexpr auto message_flush_rows = joined(topic_rows, std::to_array<Field>({
    describe::u32("partition_id", "The partition"),
    truth("fsync", "Whether to wait for the disk"),
}));
inline constexpr Layout message_flush{"message_flush", "Message Flush", message_flush_rows,
    "{stream_id}/{topic_id}[{partition_id}]"};

// 103
inline constexpr auto message_poll_routing_rows = poll_rows;
inline constexpr Layout message_poll_routing{
    "message_poll_routing", "Message Poll Routing", message_poll_routing_rows,
    "{stream_id}/{topic_id}[{partition}] {strategy} {count} for {consumer}"};
inline constexpr auto message_poll_routing_reply_body_rows = with_payload(routing);
inline constexpr Layout message_poll_routing_reply_body{
    "reply_body", "Reply to message.poll_routing", message_poll_routing_reply_body_rows};

// 104; its reply is that of 100
inline constexpr auto message_poll_primary_rows = poll_rows;
inline constexpr Layout message_poll_primary{
    "message_poll_primary", "Message Poll Primary", message_poll_primary_rows,
    "{stream_id}/{topic_id}[{partition}] {strategy} {count} for {consumer}"};

// clang-format on

}  // namespace iggy::bodies
