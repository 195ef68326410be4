// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Messages of the 8-byte framing: commands 100 and 101, of which releases have three forms. The
// newest stood behind headers of 0.11 too, up to 0.11.0-edge.3 (v0_11/older_bodies.hpp).
//
// Source: core/binary_protocol/src/requests/messages and responses/messages at server-0.8.0; for
// messages without headers, and polls without a flag, sdk/src/messages at iggy-0.6.90.
#pragma once

#include <array>

#include "describe/field.hpp"
#include "describe/proofs.hpp"
#include "iggy/bodies/batches.hpp"
#include "iggy/bodies/messages.hpp"
#include "iggy/bodies/reply.hpp"
#include "iggy/frame.hpp"
#include "iggy/older/messages.hpp"

namespace iggy::legacy {

using describe::Field;
using describe::Layout;

// clang-format off

// 100; up to 0.7 without a flag that says whether a partition is named. A body of one form and a
// byte too many or too few would be the other, were it not for the limits.
inline constexpr auto polling_strategy_rows = std::to_array<Field>({
    row_of(bodies::polling_strategy, "kind").at_least(1).at_most(5),
    row_of(bodies::polling_strategy, "value"),
});
inline constexpr Layout polling_strategy{
    "polling_strategy", "Polling Strategy of Legacy", polling_strategy_rows,
    bodies::polling_strategy.subject};
inline constexpr auto message_poll_tail_rows = std::to_array<Field>({
    describe::group("strategy", polling_strategy, "Where reading begins"),
    row_of(bodies::message_poll, "count"),
    row_of(bodies::message_poll, "auto_commit").at_most(1),
});
inline constexpr auto message_poll_rows = joined(bodies::reader_rows, message_poll_tail_rows);
inline constexpr Layout message_poll{"message_poll", "Message Poll of Legacy", message_poll_rows,
                                     bodies::message_poll.subject};
inline constexpr auto flagless_message_poll_rows = joined(
    bodies::consumer_row, bodies::topic_rows, std::to_array<Field>({
    describe::u32("partition_id", "The partition; 0: none is named"),
}), message_poll_tail_rows);
inline constexpr Layout flagless_message_poll{
    "message_poll", "Message Poll Up To 0.7", flagless_message_poll_rows,
    "{stream_id}/{topic_id}[{partition_id?}] {strategy} {count} for {consumer}"};
inline constexpr auto message_poll_reply_head = std::to_array<Field>({
    describe::u32("partition_id", "The partition").shown_as(describe::Shape::or_none),
    describe::u64("current_offset", "Newest offset of the partition"),
    describe::u32("messages_count", "Messages that follow").counts(),
});
inline constexpr auto message_poll_reply_rows = joined(
    message_poll_reply_head, std::to_array<Field>({
    describe::repeat("messages", older::message, "What was read"),
}));
inline constexpr Layout message_poll_reply{
    "message_poll_reply", "Message Poll Reply Up To 0.11.0-edge.3", message_poll_reply_rows,
    "{messages_count|message} from {messages[0].offset}"};
inline constexpr auto message_poll_reply_body_rows = bodies::with_payload(message_poll_reply);
inline constexpr Layout message_poll_reply_body{
    "reply_body", "Reply to message.poll Up To 0.11.0-edge.3",
    message_poll_reply_body_rows};

inline constexpr auto message_poll_reply_56_rows = joined(
    message_poll_reply_head, std::to_array<Field>({
    describe::repeat("messages", older::message_56, "What was read"),
}));
inline constexpr Layout message_poll_reply_56{
    "message_poll_reply", "Message Poll Reply Up To 0.6", message_poll_reply_56_rows,
    message_poll_reply.subject};
inline constexpr auto message_poll_reply_56_body_rows = bodies::with_payload(message_poll_reply_56);
inline constexpr Layout message_poll_reply_56_body{"reply_body", "Reply to message.poll Up To 0.6",
                                                   message_poll_reply_56_body_rows};

inline constexpr auto loose_message_poll_reply_rows = joined(
    message_poll_reply_head, std::to_array<Field>({
    describe::repeat("loose_messages", older::polled_loose_message, "What was read"),
}));
inline constexpr Layout loose_message_poll_reply{
    "message_poll_reply", "Message Poll Reply Up To 0.4", loose_message_poll_reply_rows,
    "{messages_count|message} from {loose_messages[0].offset}"};
inline constexpr auto loose_message_poll_reply_body_rows =
    bodies::with_payload(loose_message_poll_reply);
inline constexpr Layout loose_message_poll_reply_body{
    "reply_body", "Reply to message.poll Up To 0.4", loose_message_poll_reply_body_rows};

// 101
inline constexpr auto send_metadata_rows = joined(
    without_last<1>(bodies::send_metadata_rows), std::to_array<Field>({
    row_of(bodies::send_metadata, "messages_count").counts(),
}));
inline constexpr Layout send_metadata{"send_metadata", "Send Metadata Up To 0.11.0-edge.3",
                                      send_metadata_rows, bodies::send_metadata.subject};

inline constexpr auto message_send_head = std::to_array<Field>({
    describe::u32("metadata_length", "Bytes of the metadata").counts(),
    describe::group("metadata", send_metadata, "Where the messages go").in_room().counts(),
    describe::repeat("indexes", older::message_index, "One for each message"),
});
inline constexpr auto message_send_rows = joined(message_send_head, std::to_array<Field>({
    describe::group("messages", older::message, "The messages").to_end(),
}));
inline constexpr Layout message_send{
    "message_send", "Message Send Up To 0.11.0-edge.3", message_send_rows,
    "{metadata} {metadata.messages_count|message}"};

inline constexpr auto message_send_56_rows = joined(message_send_head, std::to_array<Field>({
    describe::group("messages", older::message_56, "The messages").to_end(),
}));
inline constexpr Layout message_send_56{"message_send", "Message Send Up To 0.6",
                                        message_send_56_rows, message_send.subject};

inline constexpr auto loose_message_send_rows = joined(
    without_last<1>(bodies::send_metadata_rows), std::to_array<Field>({
    describe::group("loose_messages", older::loose_message, "The messages").to_end(),
}));
inline constexpr Layout loose_message_send{"message_send", "Message Send Up To 0.4",
    loose_message_send_rows, bodies::send_metadata.subject};

// clang-format on

}  // namespace iggy::legacy
