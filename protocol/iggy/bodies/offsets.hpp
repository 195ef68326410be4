// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Consumer offsets: commands 120 to 123.
//
// Source: core/binary_protocol/src/requests/consumer_offsets and
// core/binary_protocol/src/responses/consumer_offsets.
#pragma once

#include <array>

#include "describe/field.hpp"
#include "iggy/bodies/reply.hpp"
#include "iggy/bodies/sessions.hpp"
#include "iggy/bodies/targets.hpp"
#include "iggy/frame.hpp"

namespace iggy::bodies {

using describe::Field;
using describe::Layout;

// clang-format off

inline constexpr auto ack_row = std::to_array<Field>({
    describe::u8("ack", "When the server answers").named(ack_levels),
});

// 120
inline constexpr auto consumer_offset_get_rows = reader_rows;
inline constexpr Layout consumer_offset_get{
    "consumer_offset_get", "Consumer Offset Get", consumer_offset_get_rows,
    "{stream_id}/{topic_id}[{partition}] {consumer}"};
inline constexpr auto consumer_offset_get_reply_rows = std::to_array<Field>({
    describe::u32("partition_id", "The partition"),
    describe::u64("current_offset", "Newest committed offset of the partition"),
    describe::u64("stored_offset", "Offset of the consumer"),
});
inline constexpr Layout consumer_offset_get_reply{
    "consumer_offset_get_reply", "Consumer Offset Get Reply", consumer_offset_get_reply_rows,
    "at {stored_offset}, newest {current_offset}"};
inline constexpr auto consumer_offset_get_reply_body_rows = with_payload(consumer_offset_get_reply);
inline constexpr Layout consumer_offset_get_reply_body{"reply_body", "Reply to consumer_offset.get",
                                                       consumer_offset_get_reply_body_rows};

// 121
inline constexpr auto consumer_offset_store_rows = joined(reader_rows, std::to_array<Field>({
    describe::u64("offset", "Offset of the consumer from now on"),
}), ack_row);
inline constexpr Layout consumer_offset_store{
    "consumer_offset_store", "Consumer Offset Store", consumer_offset_store_rows,
    "{stream_id}/{topic_id}[{partition}] {consumer} = {offset}"};

// 122
inline constexpr auto consumer_offset_delete_rows = joined(reader_rows, ack_row);
inline constexpr Layout consumer_offset_delete{
    "consumer_offset_delete", "Consumer Offset Delete", consumer_offset_delete_rows,
    "{stream_id}/{topic_id}[{partition}] {consumer}"};

// 123
inline constexpr auto consumer_offset_routing_rows = reader_rows;
inline constexpr Layout consumer_offset_routing{
    "consumer_offset_routing", "Consumer Offset Routing", consumer_offset_routing_rows,
    "{stream_id}/{topic_id}[{partition}] {consumer}"};
inline constexpr auto consumer_offset_routing_reply_body_rows = with_payload(routing);
inline constexpr Layout consumer_offset_routing_reply_body{
    "reply_body", "Reply to consumer_offset.routing", consumer_offset_routing_reply_body_rows};

// clang-format on

}  // namespace iggy::bodies
