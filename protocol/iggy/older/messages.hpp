// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// How messages were sent before batches had headers.
//
// Up to server 0.4.300 the rows of a message followed each other. From 0.5.0 on an index stood
// before messages with headers, of 56 bytes and from 0.6.3-edge.1 to 0.9.0-edge.4 of 64: servers
// of today drop such a body without an answer.
// Source: core/common/src/types/message at iggy-0.7.0 and iggy-0.10.0; sdk/src/messages and
// sdk/src/models at iggy-0.6.90, where HashMap<HeaderKey, HeaderValue> are the user headers.
#pragma once

#include <array>

#include "describe/field.hpp"
#include "iggy/bodies/encodings.hpp"
#include "iggy/frame.hpp"

namespace iggy::older {

using describe::Field;
using describe::Layout;
using describe::Shape;

// clang-format off

// One for each message.
inline constexpr auto message_index_rows = std::to_array<Field>({
    describe::u32("offset", "Zero from producers"),
    describe::u32("position", "Where its message ends, from the first message on"),
    describe::u64("timestamp", "Zero from producers"),
});
inline constexpr Layout message_index{"message_index", "Message Index", message_index_rows};

inline constexpr auto message_head_rows = std::to_array<Field>({
    describe::u64("checksum", "Of what follows; zero from some producers").shown_as(Shape::hex),
    describe::u128("id", "Chosen by the producer; zero: the server chooses").shown_as(Shape::uuid),
    describe::u64("offset", "Its offset in the partition; zero from producers"),
    describe::u64("timestamp", "When it was stored; zero from producers")
        .shown_as(Shape::microseconds),
    describe::u64("origin_timestamp", "When it was made").shown_as(Shape::microseconds),
    describe::u32("user_headers_length", "Bytes of the user headers").counts(),
    describe::u32("payload_length", "Bytes of the payload").counts(),
});
inline constexpr auto message_tail_rows = std::to_array<Field>({
    describe::data("payload", "What the producer sent; may be encrypted").payload(),
    describe::data("user_headers", "Keys and values, unless they are encrypted")
        .may_be(bodies::user_headers),
});

// Header of 64 bytes.
inline constexpr auto message_rows = joined(message_head_rows, std::to_array<Field>({
    describe::u64("reserved", "Zero from every sender").at_most(0),
}), message_tail_rows);
inline constexpr Layout message{"older_message", "Older Message", message_rows};

// Header of 56 bytes.
inline constexpr auto message_56_rows = joined(message_head_rows, message_tail_rows);
inline constexpr Layout message_56{"older_message", "Older Message of 56 Bytes", message_56_rows};

// User headers whose keys are texts alone. No bytes are these and those of today as well: each form
// reads the length of the other's first key as one beyond 255.
inline constexpr auto text_pair_rows = joined(std::to_array<Field>({
    describe::u32("key_length", "Bytes of the key").at_least(1).at_most(255).counts(),
    describe::text("key", "The key"),
}), bodies::value_rows, std::to_array<Field>({
    describe::data("value", "The value"),
}));
inline constexpr Layout text_pair{"text_pair", "Text Key and Value", text_pair_rows};
inline constexpr auto text_headers_rows = std::to_array<Field>({
    describe::group("pairs", text_pair, "Headers").to_end(),
});
inline constexpr Layout text_headers{"text_headers", "User Headers With Text Keys",
                                     text_headers_rows};

// No header: user headers stand in front of the payload.
inline constexpr auto loose_message_tail_rows = std::to_array<Field>({
    describe::u32("headers_length", "Bytes of the headers").counts(),
    describe::data("headers", "Keys and values, unless they are encrypted").may_be(text_headers),
    describe::u32("payload_length", "Bytes of the payload").counts(),
    describe::data("payload", "What the producer sent; may be encrypted").payload(),
});
inline constexpr auto loose_message_id_row = std::to_array<Field>({
    describe::u128("id", "Chosen by the producer; zero: the server chooses").shown_as(Shape::uuid),
});
inline constexpr auto loose_message_rows = joined(loose_message_id_row, loose_message_tail_rows);
inline constexpr Layout loose_message{"loose_message", "Message Up To 0.4", loose_message_rows};

inline constexpr auto polled_loose_message_rows = joined(std::to_array<Field>({
    describe::u64("offset", "Its offset in the partition"),
    describe::u8("state", "Whether it may be read"),
    describe::u64("timestamp", "When it was stored").shown_as(Shape::microseconds),
}), loose_message_id_row, std::to_array<Field>({
    describe::u32("checksum", "Of the payload").shown_as(Shape::hex),
}), loose_message_tail_rows);
inline constexpr Layout polled_loose_message{"polled_loose_message", "Polled Message Up To 0.4",
                                             polled_loose_message_rows};

// clang-format on

}  // namespace iggy::older
