// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Headers between client and server of the two generations before 0.11 that had 256-byte headers:
// v0 (iggy 0.10.1-edge.2) and va (0.10.2-edge.1 to 0.11.0-edge.1).
//
// Both carry a `namespace` that later generations dropped, which shifts what follows. Their replica
// plane is not described. Source: core/binary_protocol/src/consensus/header.rs at those tags.
#pragma once

#include <array>
#include <cstdint>

#include "describe/field.hpp"
#include "iggy/errors.hpp"
#include "iggy/exchanges.hpp"
#include "iggy/frame.hpp"
#include "iggy/v0_11/client_headers.hpp"

namespace iggy::older {

using describe::Field;
using describe::Layout;
using describe::Shape;

// Register and Logout say bit 63, reads and metadata 0, the rest the packed partition.
constexpr Field name_space(std::uint16_t at) {
  return describe::u64(at, "namespace", "Consensus group that the client aims at")
      .shown_as(Shape::hex);
}

// clang-format off

// Both generations have the session behind the namespace.
inline constexpr auto request_session = std::to_array<Field>({
    name_space(184),
    describe::u64(192, "session", "Log position of the Register that opened the session"),
});
inline constexpr auto v0_request_rows = with_frame(v0_11::request_head, request_session,
                                                   std::to_array<Field>({
    describe::u32(200, "code", "Command code of a NonReplicated request, else zero")
        .named(v0_11_code_names),
    reserved(204, 256),
}));
inline constexpr Layout v0_request{"request", "Request of 0.10.1", v0_request_rows};
static_assert(is_header(v0_request));

inline constexpr auto va_request_rows = with_frame(v0_11::request_head, request_session,
                                                   std::to_array<Field>({
    describe::u32(200, "user_id", "Zero from clients; the server fills it in").identity(),
    describe::u32(204, "code", "Command code of a NonReplicated request, else zero")
        .named(v0_11_code_names),
    reserved(208, 256),
}));
inline constexpr Layout va_request{"request", "Request of 0.10.2", va_request_rows};
static_assert(is_header(va_request));

inline constexpr auto v0_reply_rows = with_frame(v0_11::reply_head, std::to_array<Field>({
    name_space(216),
    reserved(224, 256),
}));
inline constexpr Layout v0_reply{"reply", "Reply of 0.10.1", v0_reply_rows};
static_assert(is_header(v0_reply));

inline constexpr auto va_reply_rows = with_frame(v0_11::reply_head, std::to_array<Field>({
    name_space(216),
    describe::u32(224, "status", "0: the body tells; else an error found before any commit")
        .named(errors),
    reserved(228, 256),
}));
inline constexpr Layout va_reply{"reply", "Reply of 0.10.2", va_reply_rows};
static_assert(is_header(va_reply));

// va has the Eviction of 0.11; v0 knew no versions yet.
inline constexpr auto v0_eviction_rows = with_frame(v0_11::eviction_client, std::to_array<Field>({
    reserved(144, 255),
}), v0_11::eviction_reason);
inline constexpr Layout v0_eviction{"eviction", "Eviction of 0.10.1", v0_eviction_rows};
static_assert(is_header(v0_eviction));

// clang-format on

}  // namespace iggy::older
