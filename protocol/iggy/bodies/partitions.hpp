// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Partitions and segments: commands 402, 403 and 503.
//
// Source: core/binary_protocol/src/requests/partitions and requests/segments.
#pragma once

#include <array>

#include "describe/field.hpp"
#include "iggy/bodies/targets.hpp"
#include "iggy/frame.hpp"

namespace iggy::bodies {

using describe::Field;
using describe::Layout;
using describe::Shape;

// clang-format off

inline constexpr auto partition_info_rows = std::to_array<Field>({
    describe::u32("id", "The partition"),
    describe::u64("created_at", "When it was created").shown_as(Shape::microseconds),
    describe::u32("segments_count", "Segments on disk"),
    describe::u64("current_offset", "Newest offset"),
    describe::u64("size_bytes", "Bytes that it holds"),
    describe::u64("messages_count", "Messages that it holds"),
});
inline constexpr Layout partition_info{"partition_info", "Partition Info", partition_info_rows};

// 402
inline constexpr auto partition_create_rows = joined(topic_rows, std::to_array<Field>({
    describe::u32("partitions_count", "How many are added, 1 to 1000"),
}));
inline constexpr Layout partition_create{
    "partition_create", "Partition Create", partition_create_rows,
    "{stream_id}/{topic_id} {partitions_count|partition}"};

// 403
inline constexpr auto partition_delete_rows = joined(topic_rows, std::to_array<Field>({
    describe::u32("partitions_count", "How many are removed from the end, 1 to 1000"),
}));
inline constexpr Layout partition_delete{
    "partition_delete", "Partition Delete", partition_delete_rows,
    "{stream_id}/{topic_id} {partitions_count|partition}"};

// 503; a header of 0.12 has the short name
inline constexpr auto segment_delete_rows = joined(topic_rows, std::to_array<Field>({
    describe::u32("partition_id", "The partition"),
    describe::u32("segments_count", "How many of the oldest are removed"),
}));
inline constexpr Layout segment_delete{
    "segment_delete_request", "Segment Delete Request", segment_delete_rows,
    "{stream_id}/{topic_id}[{partition_id}] {segments_count|segment}"};

// clang-format on

}  // namespace iggy::bodies
