// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// How messages were sent before batches had headers, from server 0.6.3-edge.1 to 0.9.0-edge.4:
// behind the metadata an index, then messages with headers of 64 bytes.
//
// Only to recognise them: servers of today drop such a body without an answer.
// Source: core/common/src/types/message at iggy-0.10.0.
#pragma once

#include <array>

#include "describe/field.hpp"

namespace iggy::older {

// clang-format off

// One for each message.
inline constexpr auto message_index_rows = std::to_array<describe::Field>({
    describe::u32("offset", "Which message of the body it is"),
    describe::u32("position", "Where the message behind it begins"),
    describe::u64("timestamp", "Zero from producers"),
});
inline constexpr describe::Layout message_index{"message_index", "Message Index",
                                                message_index_rows};

inline constexpr auto message_rows = std::to_array<describe::Field>({
    describe::u64("checksum", "Of what follows"),
    describe::u128("id", "Chosen by the producer"),
    describe::u64("offset", "Zero from producers"),
    describe::u64("timestamp", "Zero from producers"),
    describe::u64("origin_timestamp", "When it was made"),
    describe::u32("user_headers_length", "Bytes of the user headers").counts(),
    describe::u32("payload_length", "Bytes of the payload").counts(),
    describe::u64("reserved", "Zero from every sender").at_most(0),
    describe::data("payload", "What the producer sent"),
    describe::data("user_headers", "Keys and values"),
});
inline constexpr describe::Layout message{"message", "Message", message_rows};

// clang-format on

}  // namespace iggy::older
