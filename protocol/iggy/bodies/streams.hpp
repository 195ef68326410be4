// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Streams: commands 200 to 205.
//
// Source: core/binary_protocol/src/requests/streams and
// core/binary_protocol/src/responses/streams.
#pragma once

#include <array>

#include "describe/field.hpp"
#include "iggy/bodies/encodings.hpp"
#include "iggy/bodies/reply.hpp"
#include "iggy/bodies/topics.hpp"
#include "iggy/frame.hpp"
#include "iggy/login.hpp"

namespace iggy::bodies {

using describe::Field;
using describe::Layout;
using describe::Shape;
using describe::Thing;

// clang-format off

inline constexpr auto stream_header_rows = std::to_array<Field>({
    describe::u32("id", "The stream").identifies(Thing::stream),
    describe::u64("created_at", "When it was created").shown_as(Shape::microseconds),
    describe::u32("topics_count", "Topics of the stream").counts(),
    describe::u64("size_bytes", "Bytes that it holds"),
    describe::u64("messages_count", "Messages that it holds"),
    describe::group("name", login::name, "Its name").identifies(Thing::stream),
    describe::group("options", prefixed_options, "What clients have set; empty up to 0.11"),
});
inline constexpr Layout stream_header{"stream_header", "Stream Header", stream_header_rows};

inline constexpr auto stream_details_rows = std::to_array<Field>({
    describe::group("stream", stream_header, "The stream").counts(),
    describe::repeat("topics", topic_header, "Its topics"),
});
inline constexpr Layout stream_details{"stream_details", "Stream Details", stream_details_rows};

// 200
inline constexpr auto stream_get_rows = stream_row;
inline constexpr Layout stream_get{"stream_get", "Stream Get", stream_get_rows, "{stream_id}"};
inline constexpr auto stream_get_reply_rows = std::to_array<Field>({
    describe::group("details", stream_details, "The stream with its topics"),
});
inline constexpr Layout stream_get_reply{
    "stream_get_reply", "Stream Get Reply", stream_get_reply_rows,
    "id {details.stream.id} \"{details.stream.name}\", {details.stream.topics_count|topic}"};
inline constexpr auto stream_get_reply_body_rows = with_payload(stream_get_reply);
inline constexpr Layout stream_get_reply_body{"reply_body", "Reply to stream.get",
                                              stream_get_reply_body_rows};

// 201, whose request is empty
inline constexpr auto stream_list_reply_rows = std::to_array<Field>({
    describe::group("streams", stream_header, "All streams").to_end(),
});
inline constexpr Layout stream_list_reply{
    "stream_list_reply", "Stream List Reply", stream_list_reply_rows, "{streams.name}"};
inline constexpr auto stream_list_reply_body_rows = with_payload(stream_list_reply);
inline constexpr Layout stream_list_reply_body{"reply_body", "Reply to stream.list",
                                               stream_list_reply_body_rows};

// 202
inline constexpr auto stream_create_rows = joined(std::to_array<Field>({
    describe::group("name", login::name, "Name of the new stream").identifies(Thing::stream),
}), option_rows);
inline constexpr Layout stream_create{"stream_create", "Stream Create", stream_create_rows,
    "\"{name}\" {options}"};
inline constexpr auto stream_create_reply_rows = std::to_array<Field>({
    describe::group("details", stream_details, "The new stream"),
});
inline constexpr Layout stream_create_reply{
    "stream_create_reply", "Stream Create Reply", stream_create_reply_rows,
    "id {details.stream.id}"};
inline constexpr auto stream_create_reply_body_rows = with_result(stream_create_reply);
inline constexpr Layout stream_create_reply_body{"reply_body", "Reply to stream.create",
                                                 stream_create_reply_body_rows};

// 203
inline constexpr auto stream_delete_rows = removed_stream_row;
inline constexpr Layout stream_delete{"stream_delete", "Stream Delete", stream_delete_rows,
    "{stream_id}"};

// 204; the name always stands there, also to keep it
inline constexpr auto stream_update_rows = joined(stream_row, std::to_array<Field>({
    describe::group("name", login::name, "Its name from now on").identifies(Thing::stream),
}), option_rows);
inline constexpr Layout stream_update{"stream_update", "Stream Update", stream_update_rows,
    "{stream_id} to \"{name}\" {options}"};

// 205
inline constexpr auto stream_purge_rows = stream_row;
inline constexpr Layout stream_purge{"stream_purge", "Stream Purge", stream_purge_rows,
    "{stream_id}"};

// clang-format on

}  // namespace iggy::bodies
