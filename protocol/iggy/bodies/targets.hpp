// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What most requests begin with: the stream, topic, group or consumer that they are about.
#pragma once

#include <array>

#include "describe/field.hpp"
#include "iggy/bodies/encodings.hpp"
#include "iggy/frame.hpp"

namespace iggy::bodies {

using describe::Field;
using describe::Layout;
using describe::Thing;

// clang-format off

inline constexpr auto stream_row = std::to_array<Field>({
    describe::group("stream_id", identifier, "The stream").identifies(Thing::stream),
});
inline constexpr auto topic_rows = joined(stream_row, std::to_array<Field>({
    describe::group("topic_id", identifier, "The topic").identifies(Thing::topic),
}));
inline constexpr auto group_rows = joined(topic_rows, std::to_array<Field>({
    describe::group("group_id", identifier, "The consumer group")
        .identifies(Thing::consumer_group),
}));
// The same where the request removes it.
inline constexpr auto removed_stream_row = std::to_array<Field>({stream_row[0].removed()});
inline constexpr auto removed_topic_rows =
    joined(stream_row, std::to_array<Field>({topic_rows[1].removed()}));
inline constexpr auto removed_group_rows =
    joined(topic_rows, std::to_array<Field>({group_rows[2].removed()}));
// Who reads, and where.
inline constexpr auto consumer_row = std::to_array<Field>({
    describe::group("consumer", consumer, "Who reads"),
});
inline constexpr auto reader_rows = joined(consumer_row, topic_rows, std::to_array<Field>({
    describe::group("partition", optional_partition_id, "The partition, where one is named"),
}));

// clang-format on

}  // namespace iggy::bodies
