// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Streams, topics, groups and offsets of the 8-byte framing, where 0.11 has other bodies.
//
// There are no options, no result sections and no levels of acknowledgement. Pre-releases of 0.11.0
// kept most of them (v0_11/older_bodies.hpp). Source: core/binary_protocol/src/requests and
// responses at server-0.8.0.
#pragma once

#include <array>

#include "describe/field.hpp"
#include "describe/proofs.hpp"
#include "iggy/bodies/groups.hpp"
#include "iggy/bodies/offsets.hpp"
#include "iggy/bodies/reply.hpp"
#include "iggy/bodies/streams.hpp"
#include "iggy/bodies/targets.hpp"
#include "iggy/bodies/topics.hpp"
#include "iggy/frame.hpp"
#include "iggy/login.hpp"

namespace iggy::legacy {

using describe::Field;
using describe::Layout;

// clang-format off

inline constexpr auto replication_row = std::to_array<Field>({
    describe::u8("replication_factor", "Copies that were asked for; nothing is replicated"),
});
inline constexpr auto topic_header_rows = joined(
    bodies::topic_head_rows, bodies::topic_setting_rows, replication_row,
    without_last<2>(bodies::topic_tail_rows));
inline constexpr Layout topic_header{
    "topic_header", "Topic Header Up To 0.11.0-edge.2", topic_header_rows};

inline constexpr auto topic_details_rows = std::to_array<Field>({
    describe::group("topic", topic_header, "The topic").counts(),
    describe::repeat("partitions", bodies::partition_info, "Its partitions"),
});
inline constexpr Layout topic_details{"topic_details", "Topic Details Up To 0.11.0-edge.2",
                                      topic_details_rows};

inline constexpr auto stream_header_rows = without_last<1>(bodies::stream_header_rows);
inline constexpr Layout stream_header{"stream_header", "Stream Header Up To 0.11.0-edge.2",
                                      stream_header_rows};

inline constexpr auto stream_details_rows = std::to_array<Field>({
    describe::group("stream", stream_header, "The stream").counts(),
    describe::repeat("topics", topic_header, "Its topics"),
});
inline constexpr Layout stream_details{"stream_details", "Stream Details Up To 0.11.0-edge.2",
                                       stream_details_rows};

// 121
inline constexpr auto consumer_offset_store_rows =
    without_last<1>(bodies::consumer_offset_store_rows);
inline constexpr Layout consumer_offset_store{
    "consumer_offset_store", "Consumer Offset Store Up To 0.11.0-edge.3",
    consumer_offset_store_rows, bodies::consumer_offset_store.subject};

// 122
inline constexpr auto consumer_offset_delete_rows =
    without_last<1>(bodies::consumer_offset_delete_rows);
inline constexpr Layout consumer_offset_delete{
    "consumer_offset_delete", "Consumer Offset Delete Up To 0.11.0-edge.3",
    consumer_offset_delete_rows, bodies::consumer_offset_delete.subject};

// 200
inline constexpr auto stream_get_reply_rows = std::to_array<Field>({
    describe::group("details", stream_details, "The stream with its topics"),
});
inline constexpr Layout stream_get_reply{"stream_get_reply", "Stream Get Reply Up To 0.11.0-edge.2",
                                         stream_get_reply_rows, bodies::stream_get_reply.subject};
inline constexpr auto stream_get_reply_body_rows = bodies::with_payload(stream_get_reply);
inline constexpr Layout stream_get_reply_body{
    "reply_body", "Reply to stream.get Up To 0.11.0-edge.2",
    stream_get_reply_body_rows};

// 201
inline constexpr auto stream_list_reply_rows = std::to_array<Field>({
    describe::group("streams", stream_header, "All streams").to_end(),
});
inline constexpr Layout stream_list_reply{
    "stream_list_reply", "Stream List Reply Up To 0.11.0-edge.2", stream_list_reply_rows,
    bodies::stream_list_reply.subject};
inline constexpr auto stream_list_reply_body_rows = bodies::with_payload(stream_list_reply);
inline constexpr Layout stream_list_reply_body{
    "reply_body", "Reply to stream.list Up To 0.11.0-edge.2",
    stream_list_reply_body_rows};

// 202
inline constexpr auto stream_create_rows = without_last<1>(bodies::stream_create_rows);
inline constexpr Layout stream_create{"stream_create", "Stream Create Up To 0.11.0-edge.2",
                                      stream_create_rows, "\"{name}\""};
inline constexpr auto stream_create_reply_rows = std::to_array<Field>({
    describe::group("details", stream_details, "The new stream"),
});
inline constexpr Layout stream_create_reply{
    "stream_create_reply", "Stream Create Reply Up To 0.11.0-edge.2", stream_create_reply_rows,
    bodies::stream_create_reply.subject};
inline constexpr auto stream_create_reply_body_rows = bodies::with_payload(stream_create_reply);
inline constexpr Layout stream_create_reply_body{"reply_body", "Reply to stream.create of Legacy",
                                                 stream_create_reply_body_rows};

// 204
inline constexpr auto stream_update_rows = without_last<1>(bodies::stream_update_rows);
inline constexpr Layout stream_update{"stream_update", "Stream Update Up To 0.11.0-edge.2",
                                      stream_update_rows, "{stream_id} to \"{name}\""};

// 300
inline constexpr auto topic_get_reply_rows = std::to_array<Field>({
    describe::group("details", topic_details, "The topic with its partitions"),
});
inline constexpr Layout topic_get_reply{"topic_get_reply", "Topic Get Reply Up To 0.11.0-edge.2",
                                        topic_get_reply_rows, bodies::topic_get_reply.subject};
inline constexpr auto topic_get_reply_body_rows = bodies::with_payload(topic_get_reply);
inline constexpr Layout topic_get_reply_body{"reply_body", "Reply to topic.get Up To 0.11.0-edge.2",
                                             topic_get_reply_body_rows};

// 301; no count stands before the topics
inline constexpr auto topic_list_reply_rows = std::to_array<Field>({
    describe::group("topics", topic_header, "All topics of the stream").to_end(),
});
inline constexpr Layout topic_list_reply{"topic_list_reply", "Topic List Reply Up To 0.11.0-edge.2",
                                         topic_list_reply_rows, "{topics.name}"};
inline constexpr auto topic_list_reply_body_rows = bodies::with_payload(topic_list_reply);
inline constexpr Layout topic_list_reply_body{
    "reply_body", "Reply to topic.list Up To 0.11.0-edge.2",
    topic_list_reply_body_rows};

// What 302 and 304 set, in another order than replies tell it.
inline constexpr auto topic_settings_rows = joined(std::to_array<Field>({
    row_of(bodies::topic_header, "compression_algorithm"),
    row_of(bodies::topic_header, "message_expiry"),
    row_of(bodies::topic_header, "max_topic_size"),
}), replication_row);

// 302
inline constexpr auto topic_create_rows = joined(bodies::stream_row, std::to_array<Field>({
    row_of(bodies::topic_create, "partitions_count"),
}), topic_settings_rows, std::to_array<Field>({
    row_of(bodies::topic_create, "name"),
}));
inline constexpr Layout topic_create{
    "topic_create", "Topic Create Up To 0.11.0-edge.2", topic_create_rows,
    "{stream_id}/{name} partitions={partitions_count}"};
inline constexpr auto topic_create_reply_rows = std::to_array<Field>({
    describe::group("details", topic_details, "The new topic"),
});
inline constexpr Layout topic_create_reply{
    "topic_create_reply", "Topic Create Reply Up To 0.11.0-edge.2", topic_create_reply_rows,
    bodies::topic_create_reply.subject};
inline constexpr auto topic_create_reply_body_rows = bodies::with_payload(topic_create_reply);
inline constexpr Layout topic_create_reply_body{"reply_body", "Reply to topic.create of Legacy",
                                                topic_create_reply_body_rows};

// 304
inline constexpr auto topic_update_rows = joined(
    bodies::topic_rows, topic_settings_rows, std::to_array<Field>({
    row_of(bodies::topic_update, "name"),
}));
inline constexpr Layout topic_update{
    "topic_update", "Topic Update Up To 0.11.0-edge.2", topic_update_rows,
    "{stream_id}/{topic_id} to \"{name}\""};

// 602
inline constexpr auto consumer_group_create_reply_body_rows =
    bodies::with_payload(bodies::consumer_group_create_reply);
inline constexpr Layout consumer_group_create_reply_body{
    "reply_body", "Reply to consumer_group.create of Legacy",
    consumer_group_create_reply_body_rows};

// clang-format on

}  // namespace iggy::legacy
