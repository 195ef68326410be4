// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Messages of 0.12: commands 100, 101 and 106 to 109.
//
// Source: core/binary_protocol/src/requests/messages and responses/messages
// of crate 0.11.1-edge.8; of 107 those of 0.11.1-edge.4.
#pragma once

#include <array>

#include "describe/field.hpp"
#include "iggy/bodies/messages.hpp"
#include "iggy/bodies/reply.hpp"
#include "iggy/bodies/targets.hpp"
#include "iggy/errors.hpp"
#include "iggy/frame.hpp"
#include "iggy/v0_12/bodies/batches.hpp"
#include "iggy/v0_12/bodies/partitions.hpp"

namespace iggy::v0_12 {

using describe::Field;
using describe::Layout;

// clang-format off

// 100; its reply is that of 106 too
inline constexpr auto message_poll_reply_rows = joined(
    bodies::message_poll_reply_head, context_row, std::to_array<Field>({
    describe::group("batches", batch, "What was read").to_end(),
}));
inline constexpr Layout message_poll_reply{
    "message_poll_reply", "Message Poll Reply of 0.12", message_poll_reply_rows,
    bodies::message_poll_reply.subject};
inline constexpr auto message_poll_reply_body_rows = bodies::with_payload(message_poll_reply);
inline constexpr Layout message_poll_reply_body{"reply_body", "Reply to message.poll of 0.12",
                                                message_poll_reply_body_rows};

// 101; its reply is that of 0.11
inline constexpr auto message_send_rows = joined(bodies::message_send_head, std::to_array<Field>({
    describe::group("batch", batch, "The messages"),
}));
inline constexpr Layout message_send{"message_send", "Message Send of 0.12", message_send_rows,
    bodies::message_send.subject};

// 106
inline constexpr auto message_poll_deferred_rows = joined(
    bodies::poll_rows, std::to_array<Field>({
    describe::u64("wait_us", "Microseconds that the server may wait for messages")
        .shown_as(describe::Shape::duration),
    describe::u32("min_count", "Messages to wait for"),
    describe::u32("max_bytes", "Bytes of the reply at most"),
    describe::u64("request_timeout_us", "Microseconds after which the client gives up")
        .shown_as(describe::Shape::duration),
}));
inline constexpr Layout message_poll_deferred{
    "message_poll_deferred", "Message Poll Deferred", message_poll_deferred_rows,
    "{stream_id}/{topic_id}[{partition}] {strategy} {count} for {consumer}, waits {wait_us}"};

inline constexpr auto waiting_rows = joined(
    bodies::consumer_row, bodies::topic_rows, std::to_array<Field>({
    describe::u64("wait_us", "Microseconds that the server may wait for messages")
        .shown_as(describe::Shape::duration),
    describe::u64("request_timeout_us", "Microseconds after which the client gives up")
        .shown_as(describe::Shape::duration),
}));
inline constexpr auto target_rows = std::to_array<Field>({
    describe::u32("partition_id", "The partition"),
    describe::group("strategy", bodies::polling_strategy, "Where reading begins"),
});

// 107, of one build of 0.12.0 alone
inline constexpr Layout wait_target{"wait_target", "Wait Target", target_rows};
inline constexpr auto message_wait_rows = joined(waiting_rows, std::to_array<Field>({
    describe::u32("partitions_count", "Partitions that follow")
        .at_least(1).at_most(1000).counts(),
    describe::repeat("partitions", wait_target, "What to wait for"),
}));
inline constexpr Layout message_wait{"message_wait", "Message Wait", message_wait_rows,
    "{stream_id}/{topic_id}[{partitions.partition_id}] for {consumer}, waits {wait_us}"};
inline constexpr auto message_wait_reply_rows = std::to_array<Field>({
    describe::u32("partitions_count", "Partitions that follow; 0: the time is up")
        .at_most(1000).counts(),
    describe::u32("partitions", "Partitions that have messages").counted(),
});
inline constexpr Layout message_wait_reply{
    "message_wait_reply", "Message Wait Reply", message_wait_reply_rows,
    "{partitions_count|partition}: {partitions}"};
inline constexpr auto message_wait_reply_body_rows = bodies::with_payload(message_wait_reply);
inline constexpr Layout message_wait_reply_body{"reply_body", "Reply to message.wait",
                                                message_wait_reply_body_rows};

// 109
inline constexpr auto fetch_target_rows = joined(target_rows, std::to_array<Field>({
    describe::u32("max_bytes", "Bytes of its records at most"),
    describe::u64("incarnation", "Log position at which the partition was created"),
    describe::u64("owner_generation", "Generation of the group's member; 0 without a group"),
}));
inline constexpr Layout fetch_target{"fetch_target", "Fetch Target", fetch_target_rows};
inline constexpr auto message_fetch_rows = joined(waiting_rows, std::to_array<Field>({
    describe::u32("min_count", "Messages to wait for"),
    describe::u32("count", "Messages of all partitions at most"),
    describe::u32("max_bytes", "Bytes of the records of all partitions at most"),
    bodies::truth("auto_commit", "Whether the server stores the offsets"),
    describe::u32("targets_count", "Targets that follow").at_least(1).at_most(1000).counts(),
    describe::repeat("targets", fetch_target, "Partitions to read"),
}));
inline constexpr Layout message_fetch{"message_fetch", "Message Fetch", message_fetch_rows,
    "{stream_id}/{topic_id}[{targets.partition_id}] up to {count} for {consumer}, waits {wait_us}"};

inline constexpr auto fetch_section_rows = joined(std::to_array<Field>({
    describe::u32("partition_id", "The partition"),
    describe::u32("status", "0, or why nothing was read").named(errors),
    describe::u64("current_offset", "Newest committed offset of the partition"),
    describe::u32("messages_count", "Messages of its records"),
}), context_row, std::to_array<Field>({
    describe::u64("next_offset", "Where the next fetch begins"),
    describe::u32("records_length", "Bytes of its records, behind all sections"),
}));
inline constexpr Layout fetch_section{"fetch_section", "Fetch Section", fetch_section_rows,
    "[{partition_id}] {status?} {messages_count|message}"};
inline constexpr auto message_fetch_reply_rows = std::to_array<Field>({
    describe::u32("sections_count", "Sections that follow").at_most(1000).counts(),
    describe::repeat("sections", fetch_section, "What was read of each partition"),
    describe::group("records", batch, "The messages of all sections, in their order").to_end(),
});
inline constexpr Layout message_fetch_reply{
    "message_fetch_reply", "Message Fetch Reply", message_fetch_reply_rows,
    "{sections}"};
inline constexpr auto message_fetch_reply_body_rows = bodies::with_payload(message_fetch_reply);
inline constexpr Layout message_fetch_reply_body{"reply_body", "Reply to message.fetch",
                                                 message_fetch_reply_body_rows};

// clang-format on

}  // namespace iggy::v0_12
