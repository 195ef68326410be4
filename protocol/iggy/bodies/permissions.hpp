// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What a user may do: everywhere, in a stream, in a topic.
//
// Source: core/binary_protocol/src/primitives/permissions.rs.
#pragma once

#include <array>

#include "describe/field.hpp"
#include "iggy/bodies/enums.hpp"

namespace iggy::bodies {

using describe::Field;
using describe::Layout;

// clang-format off

inline constexpr auto global_permissions_rows = std::to_array<Field>({
    describe::u8("manage_servers", "May manage servers").named(truth_values),
    describe::u8("read_servers", "May read about servers").named(truth_values),
    describe::u8("manage_users", "May manage users").named(truth_values),
    describe::u8("read_users", "May read about users").named(truth_values),
    describe::u8("manage_streams", "May manage every stream").named(truth_values),
    describe::u8("read_streams", "May read about every stream").named(truth_values),
    describe::u8("manage_topics", "May manage every topic").named(truth_values),
    describe::u8("read_topics", "May read about every topic").named(truth_values),
    describe::u8("poll_messages", "May poll from every topic").named(truth_values),
    describe::u8("send_messages", "May send to every topic").named(truth_values),
});
inline constexpr Layout global_permissions{"global_permissions", "Global Permissions",
                                           global_permissions_rows};

inline constexpr auto topic_permissions_rows = std::to_array<Field>({
    describe::u32("topic_id", "The topic"),
    describe::u8("manage_topic", "May manage the topic").named(truth_values),
    describe::u8("read_topic", "May read about the topic").named(truth_values),
    describe::u8("poll_messages", "May poll from the topic").named(truth_values),
    describe::u8("send_messages", "May send to the topic").named(truth_values),
    describe::u8("has_next", "Another topic follows, unless 0"),
});
inline constexpr Layout topic_permissions{"topic_permissions", "Topic Permissions",
                                          topic_permissions_rows};

inline constexpr auto stream_permissions_rows = std::to_array<Field>({
    describe::u32("stream_id", "The stream"),
    describe::u8("manage_stream", "May manage the stream").named(truth_values),
    describe::u8("read_stream", "May read about the stream").named(truth_values),
    describe::u8("manage_topics", "May manage topics of the stream").named(truth_values),
    describe::u8("read_topics", "May read about topics of the stream").named(truth_values),
    describe::u8("poll_messages", "May poll from topics of the stream").named(truth_values),
    describe::u8("send_messages", "May send to topics of the stream").named(truth_values),
    describe::u8("has_topics", "Topics follow, unless 0").selects(),
    describe::group("topics", topic_permissions, "Topics with permissions of their own")
        .unless(0).chained(),
    describe::u8("has_next", "Another stream follows, unless 0"),
});
inline constexpr Layout stream_permissions{"stream_permissions", "Stream Permissions",
                                           stream_permissions_rows};

inline constexpr auto permissions_rows = std::to_array<Field>({
    describe::group("global", global_permissions, "What holds everywhere"),
    describe::u8("has_streams", "Streams follow, unless 0").selects(),
    describe::group("streams", stream_permissions, "Streams with permissions of their own")
        .unless(0).chained(),
});
inline constexpr Layout permissions{"permissions", "Permissions", permissions_rows};

// As requests carry them, behind a flag that only 1 sets.
inline constexpr auto asked_permissions_rows = std::to_array<Field>({
    describe::u8("has_permissions", "1: permissions follow; anything else: none do")
        .named(presence).selects(),
    describe::u32("permissions_length", "Bytes of the permissions").on(1).counts(),
    describe::group("permissions", permissions, "What the user may do").on(1).in_room(),
});

// clang-format on

}  // namespace iggy::bodies
