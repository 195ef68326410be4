// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Topics: commands 300 to 305.
//
// Source: core/binary_protocol/src/requests/topics and
// core/binary_protocol/src/responses/topics.
#pragma once

#include <array>

#include "describe/field.hpp"
#include "iggy/bodies/encodings.hpp"
#include "iggy/bodies/partitions.hpp"
#include "iggy/bodies/reply.hpp"
#include "iggy/bodies/targets.hpp"
#include "iggy/frame.hpp"
#include "iggy/login.hpp"

namespace iggy::bodies {

using describe::Field;
using describe::Layout;
using describe::Shape;
using describe::Thing;

// clang-format off

inline constexpr auto topic_head_rows = std::to_array<Field>({
    describe::u32("id", "The topic").identifies(Thing::topic),
    describe::u64("created_at", "When it was created").shown_as(Shape::microseconds),
    describe::u32("partitions_count", "Partitions of the topic").counts(),
});
inline constexpr auto topic_tail_rows = std::to_array<Field>({
    describe::u64("size_bytes", "Bytes that it holds"),
    describe::u64("messages_count", "Messages that it holds"),
    describe::group("name", login::name, "Its name").identifies(Thing::topic),
    describe::group("options", prefixed_options, "What clients have set"),
    describe::group("derived_options", prefixed_options, "What the server has filled in"),
});
inline constexpr auto topic_setting_rows = std::to_array<Field>({
    describe::u64("message_expiry", "Microseconds; 0: the server's default, all ones: never")
        .shown_as(Shape::duration),
    describe::u8("compression_algorithm", "Stored and told; nothing on the wire is compressed")
        .named(compression_algorithms),
    describe::u64("max_topic_size", "Bytes; 0: the server's default, all ones: unlimited"),
});
inline constexpr auto topic_header_rows = joined(topic_head_rows, topic_setting_rows,
                                                 topic_tail_rows);
inline constexpr Layout topic_header{"topic_header", "Topic Header", topic_header_rows};

inline constexpr auto topic_details_rows = std::to_array<Field>({
    describe::group("topic", topic_header, "The topic").counts(),
    describe::repeat("partitions", partition_info, "Its partitions"),
});
inline constexpr Layout topic_details{"topic_details", "Topic Details", topic_details_rows};

// 300
inline constexpr auto topic_get_rows = topic_rows;
inline constexpr Layout topic_get{"topic_get", "Topic Get", topic_get_rows,
    "{stream_id}/{topic_id}"};
inline constexpr auto topic_get_reply_rows = std::to_array<Field>({
    describe::group("details", topic_details, "The topic with its partitions"),
});
inline constexpr Layout topic_get_reply{"topic_get_reply", "Topic Get Reply", topic_get_reply_rows,
    "id {details.topic.id} \"{details.topic.name}\", {details.topic.partitions_count|partition}"};
inline constexpr auto topic_get_reply_body_rows = with_payload(topic_get_reply);
inline constexpr Layout topic_get_reply_body{"reply_body", "Reply to topic.get",
                                             topic_get_reply_body_rows};

// 301
inline constexpr auto topic_list_rows = stream_row;
inline constexpr Layout topic_list{"topic_list", "Topic List", topic_list_rows, "{stream_id}"};
inline constexpr auto topic_list_reply_rows = std::to_array<Field>({
    describe::u32("topics_count", "Topics that follow").counts(),
    describe::repeat("topics", topic_header, "All topics of the stream"),
});
inline constexpr Layout topic_list_reply{
    "topic_list_reply", "Topic List Reply", topic_list_reply_rows,
    "{topics_count|topic}: {topics.name}"};
inline constexpr auto topic_list_reply_body_rows = with_payload(topic_list_reply);
inline constexpr Layout topic_list_reply_body{"reply_body", "Reply to topic.list",
                                              topic_list_reply_body_rows};

// 302; the count stands before the name
inline constexpr auto topic_create_rows = joined(stream_row, std::to_array<Field>({
    describe::u32("partitions_count", "Partitions of the new topic, 0 to 1000"),
    describe::group("name", login::name, "Name of the new topic").identifies(Thing::topic),
}), option_rows);
inline constexpr Layout topic_create{"topic_create", "Topic Create", topic_create_rows,
    "{stream_id}/{name} partitions={partitions_count} {options}"};
inline constexpr auto topic_create_reply_rows = std::to_array<Field>({
    describe::group("details", topic_details, "The new topic"),
});
inline constexpr Layout topic_create_reply{
    "topic_create_reply", "Topic Create Reply", topic_create_reply_rows, "id {details.topic.id}"};
inline constexpr auto topic_create_reply_body_rows = with_result(topic_create_reply);
inline constexpr Layout topic_create_reply_body{"reply_body", "Reply to topic.create",
                                                topic_create_reply_body_rows};

// 303
inline constexpr auto topic_delete_rows = removed_topic_rows;
inline constexpr Layout topic_delete{"topic_delete", "Topic Delete", topic_delete_rows,
    "{stream_id}/{topic_id}"};

// 304; the name always stands there, also to keep it
inline constexpr auto topic_update_rows = joined(topic_rows, std::to_array<Field>({
    describe::group("name", login::name, "Its name from now on").identifies(Thing::topic),
}), option_rows);
inline constexpr Layout topic_update{"topic_update", "Topic Update", topic_update_rows,
    "{stream_id}/{topic_id} to \"{name}\" {options}"};

// 305
inline constexpr auto topic_purge_rows = topic_rows;
inline constexpr Layout topic_purge{"topic_purge", "Topic Purge", topic_purge_rows,
    "{stream_id}/{topic_id}"};

// clang-format on

}  // namespace iggy::bodies
