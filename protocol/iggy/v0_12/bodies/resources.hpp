// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Streams and topics as 0.12 tells of them: replies to 200 to 202 and 300 to 302; and what changes
// streams, topics and users: command 16.
//
// Requests and the rest are those of 0.11. Source: core/binary_protocol/src/responses of crate
// 0.11.1-edge.8.
#pragma once

#include <array>

#include "describe/field.hpp"
#include "iggy/bodies/encodings.hpp"
#include "iggy/bodies/reply.hpp"
#include "iggy/bodies/streams.hpp"
#include "iggy/bodies/topics.hpp"
#include "iggy/frame.hpp"
#include "iggy/login.hpp"
#include "iggy/v0_12/bodies/partitions.hpp"

namespace iggy::v0_12 {

using describe::Field;
using describe::Layout;
using describe::Thing;

// clang-format off

inline constexpr auto derived_options_row = std::to_array<Field>({
    describe::group("derived_options", bodies::prefixed_options, "What the server has filled in"),
});

inline constexpr auto topic_header_rows = joined(bodies::topic_head_rows, bodies::topic_tail_rows);
inline constexpr Layout topic_header{"topic_header", "Topic Header of 0.12", topic_header_rows};

// Only the bytes that are left tell which build listed the partitions.
inline constexpr auto topic_details_rows = std::to_array<Field>({
    describe::group("topic", topic_header, "The topic").counts(),
    describe::repeat("partitions", partition_info_64, "Its partitions, up to 0.12.1").if_exact(),
    describe::repeat("partitions", partition_info, "Its partitions").otherwise(),
});
inline constexpr Layout topic_details{"topic_details", "Topic Details of 0.12",
                                      topic_details_rows};

inline constexpr auto stream_header_rows = joined(bodies::stream_header_rows, derived_options_row);
inline constexpr Layout stream_header{"stream_header", "Stream Header of 0.12",
                                      stream_header_rows};

inline constexpr auto stream_details_rows = std::to_array<Field>({
    describe::group("stream", stream_header, "The stream").counts(),
    describe::repeat("topics", topic_header, "Its topics"),
});
inline constexpr Layout stream_details{"stream_details", "Stream Details of 0.12",
                                       stream_details_rows};

// 200
inline constexpr auto stream_get_reply_rows = std::to_array<Field>({
    describe::group("details", stream_details, "The stream with its topics"),
});
inline constexpr Layout stream_get_reply{
    "stream_get_reply", "Stream Get Reply of 0.12", stream_get_reply_rows,
    bodies::stream_get_reply.subject};
inline constexpr auto stream_get_reply_body_rows = bodies::with_payload(stream_get_reply);
inline constexpr Layout stream_get_reply_body{"reply_body", "Reply to stream.get of 0.12",
                                              stream_get_reply_body_rows};

// 201
inline constexpr auto stream_list_reply_rows = std::to_array<Field>({
    describe::group("streams", stream_header, "All streams").to_end(),
});
inline constexpr Layout stream_list_reply{
    "stream_list_reply", "Stream List Reply of 0.12", stream_list_reply_rows,
    bodies::stream_list_reply.subject};
inline constexpr auto stream_list_reply_body_rows = bodies::with_payload(stream_list_reply);
inline constexpr Layout stream_list_reply_body{"reply_body", "Reply to stream.list of 0.12",
                                               stream_list_reply_body_rows};

// 202
inline constexpr auto stream_create_reply_rows = std::to_array<Field>({
    describe::group("details", stream_details, "The new stream"),
});
inline constexpr Layout stream_create_reply{
    "stream_create_reply", "Stream Create Reply of 0.12", stream_create_reply_rows,
    bodies::stream_create_reply.subject};
inline constexpr auto stream_create_reply_body_rows = bodies::with_result(stream_create_reply);
inline constexpr Layout stream_create_reply_body{"reply_body", "Reply to stream.create of 0.12",
                                                 stream_create_reply_body_rows};

// 300
inline constexpr auto topic_get_reply_rows = std::to_array<Field>({
    describe::group("details", topic_details, "The topic with its partitions"),
});
inline constexpr Layout topic_get_reply{
    "topic_get_reply", "Topic Get Reply of 0.12", topic_get_reply_rows,
    bodies::topic_get_reply.subject};
inline constexpr auto topic_get_reply_body_rows = bodies::with_payload(topic_get_reply);
inline constexpr Layout topic_get_reply_body{"reply_body", "Reply to topic.get of 0.12",
                                             topic_get_reply_body_rows};

// 301
inline constexpr auto topic_list_reply_rows = std::to_array<Field>({
    describe::u32("topics_count", "Topics that follow").counts(),
    describe::repeat("topics", topic_header, "All topics of the stream"),
});
inline constexpr Layout topic_list_reply{
    "topic_list_reply", "Topic List Reply of 0.12", topic_list_reply_rows,
    bodies::topic_list_reply.subject};
inline constexpr auto topic_list_reply_body_rows = bodies::with_payload(topic_list_reply);
inline constexpr Layout topic_list_reply_body{"reply_body", "Reply to topic.list of 0.12",
                                              topic_list_reply_body_rows};

// 302
inline constexpr auto topic_create_reply_rows = std::to_array<Field>({
    describe::group("details", topic_details, "The new topic"),
});
inline constexpr Layout topic_create_reply{
    "topic_create_reply", "Topic Create Reply of 0.12", topic_create_reply_rows,
    bodies::topic_create_reply.subject};
inline constexpr auto topic_create_reply_body_rows = bodies::with_result(topic_create_reply);
inline constexpr Layout topic_create_reply_body{"reply_body", "Reply to topic.create of 0.12",
                                                topic_create_reply_body_rows};

// 16
inline constexpr auto resource_update_rows = joined(std::to_array<Field>({
    describe::u8("scope", "What is changed").named(bodies::options_scopes).selects(),
    describe::group("stream_id", bodies::identifier, "The stream")
        .unless(3).identifies(Thing::stream),
    describe::group("topic_id", bodies::identifier, "The topic")
        .on(1).identifies(Thing::topic),
    describe::group("user_id", bodies::account_identifier, "The user").on(3),
    describe::u8("reset_count", "Keys that follow").counts(),
    describe::repeat("reset_keys", login::name, "Options that get their defaults back"),
}), bodies::option_rows);
inline constexpr Layout resource_update{"resource_update", "Resource Update", resource_update_rows,
    "{scope} {stream_id}/{topic_id} {user_id} {options} reset {reset_keys}"};

// clang-format on

}  // namespace iggy::v0_12
