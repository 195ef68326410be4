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
    truth("manage_servers", "May manage servers"),
    truth("read_servers", "May read about servers"),
    truth("manage_users", "May manage users"),
    truth("read_users", "May read about users"),
    truth("manage_streams", "May manage every stream"),
    truth("read_streams", "May read about every stream"),
    truth("manage_topics", "May manage every topic"),
    truth("read_topics", "May read about every topic"),
    truth("poll_messages", "May poll from every topic"),
    truth("send_messages", "May send to every topic"),
});
inline constexpr Layout global_permissions{"global_permissions", "Global Permissions",
                                           global_permissions_rows};

inline constexpr auto topic_permissions_rows = std::to_array<Field>({
    describe::u32("topic_id", "The topic"),
    truth("manage_topic", "May manage the topic"),
    truth("read_topic", "May read about the topic"),
    truth("poll_messages", "May poll from the topic"),
    truth("send_messages", "May send to the topic"),
    unless_zero("has_next", "Another topic follows, unless 0"),
});
inline constexpr Layout topic_permissions{"topic_permissions", "Topic Permissions",
                                          topic_permissions_rows};

inline constexpr auto stream_permissions_rows = std::to_array<Field>({
    describe::u32("stream_id", "The stream"),
    truth("manage_stream", "May manage the stream"),
    truth("read_stream", "May read about the stream"),
    truth("manage_topics", "May manage topics of the stream"),
    truth("read_topics", "May read about topics of the stream"),
    truth("poll_messages", "May poll from topics of the stream"),
    truth("send_messages", "May send to topics of the stream"),
    unless_zero("has_topics", "Topics follow, unless 0").selects(),
    describe::group("topics", topic_permissions, "Topics with permissions of their own")
        .unless(0).chained(),
    unless_zero("has_next", "Another stream follows, unless 0"),
});
inline constexpr Layout stream_permissions{"stream_permissions", "Stream Permissions",
                                           stream_permissions_rows};

inline constexpr auto permissions_rows = std::to_array<Field>({
    describe::group("global", global_permissions, "What holds everywhere"),
    unless_zero("has_streams", "Streams follow, unless 0").selects(),
    describe::group("streams", stream_permissions, "Streams with permissions of their own")
        .unless(0).chained(),
});
inline constexpr Layout permissions{"permissions", "Permissions", permissions_rows};

// As requests carry them, behind a flag that only 1 sets.
inline constexpr auto asked_permissions_rows = std::to_array<Field>({
    only_one("has_permissions", "1: permissions follow; anything else: none do").selects(),
    describe::u32("permissions_length", "Bytes of the permissions").on(1).counts(),
    describe::group("permissions", permissions, "What the user may do").on(1).in_room(),
});

// clang-format on

}  // namespace iggy::bodies
