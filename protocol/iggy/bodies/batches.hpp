// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Messages in batches, as producers send them, replicas store them and servers hand them out.
//
// Source: core/binary_protocol/src/batch.rs.
#pragma once

#include <array>
#include <cstdint>

#include "describe/field.hpp"
#include "iggy/bodies/encodings.hpp"
#include "iggy/bodies/targets.hpp"
#include "iggy/frame.hpp"

namespace iggy::bodies {

using describe::Field;
using describe::Layout;
using describe::Shape;
using describe::Thing;

// clang-format off

inline constexpr auto message_frame_rows = std::to_array<Field>({
    describe::u64("checksum", "XXH3-64 of all bytes of the message that follow")
        .shown_as(Shape::hex),
    describe::u128("id", "Chosen by the producer").shown_as(Shape::uuid),
    describe::u32("offset_delta", "Its offset, less the base offset of the batch"),
    describe::u32("timestamp_delta", "Microseconds from the origin time of the batch"),
    describe::u32("user_headers_length", "Bytes of the user headers").counts(),
    describe::u32("payload_length", "Bytes of the payload").counts(),
    describe::u64("reserved", "Zero from every sender").at_most(0),
    describe::data("payload", "What the producer sent; may be encrypted").payload(),
    describe::data("user_headers", "Keys and values, unless they are encrypted")
        .may_be(user_headers),
});
inline constexpr Layout message_frame{"message_frame", "Message", message_frame_rows};

inline constexpr std::uint16_t batch_header_bytes = 256;

inline constexpr auto batch_head_rows = std::to_array<Field>({
    describe::u64("partition_id", "The partition; 0 from producers"),
    describe::u64("base_offset", "Offset of its first message when stored; 0 from producers"),
    describe::u64("base_timestamp", "When it was stored; 0 from producers")
        .shown_as(Shape::microseconds),
    describe::u64("origin_timestamp", "When its earliest message was made")
        .shown_as(Shape::microseconds),
    describe::u64("batch_length", "Bytes of header and messages")
        .at_least(batch_header_bytes).counts(),
    describe::u64("batch_checksum", "XXH3-64 of the other rows and the checksums of the messages")
        .shown_as(Shape::hex),
    describe::u32("message_count", "Messages that follow").counts(),
});
inline constexpr auto batch_message_rows = std::to_array<Field>({
    describe::repeat("messages", message_frame, "The messages").in_record(batch_header_bytes),
});

inline constexpr auto batch_rows = joined(batch_head_rows, std::to_array<Field>({
    describe::zero(204, "reserved", "Zero from every sender"),
}), batch_message_rows);
inline constexpr Layout batch{"batch", "Batch", batch_rows};

inline constexpr auto send_metadata_rows = joined(topic_rows, std::to_array<Field>({
    describe::group("partitioning", partitioning, "Where the messages go"),
    describe::u32("messages_count", "Messages of the batch"),
}));
inline constexpr Layout send_metadata{"send_metadata", "Send Metadata", send_metadata_rows,
    "{stream_id}/{topic_id}{partitioning}"};

inline constexpr auto send_confirmation_rows = std::to_array<Field>({
    describe::u32("stream_id", "The stream").identifies(Thing::stream),
    describe::u32("topic_id", "The topic").identifies(Thing::topic),
    describe::u32("partition_id", "The partition that was chosen"),
    describe::u64("base_offset", "Offset of the first message"),
});
inline constexpr Layout send_confirmation{
    "send_confirmation", "Send Confirmation", send_confirmation_rows,
    "{stream_id}/{topic_id}[{partition_id}] from {base_offset}"};

// clang-format on

}  // namespace iggy::bodies
