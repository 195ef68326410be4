// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The 8-byte framing of servers up to 0.8, and the bodies of its logins.
//
// A request and a response are tied by nothing but their order. The list of legacy commands stands
// in exchanges.hpp. Source: core/binary_protocol/src/framing.rs and
// core/binary_protocol/src/requests/users/login_user.rs at tag server-0.8.0.
#pragma once

#include <array>
#include <cstdint>

#include "describe/field.hpp"
#include "describe/proofs.hpp"
#include "iggy/errors.hpp"
#include "iggy/exchanges.hpp"
#include "iggy/frame.hpp"
#include "iggy/login.hpp"

namespace iggy::legacy {

using describe::Field;
using describe::Layout;

// clang-format off

inline constexpr auto request_rows = std::to_array<Field>({
    describe::u32(0, "length", "Length of code and payload, in bytes"),
    describe::u32(4, "code", "Command code").named(legacy_code_names),
});
inline constexpr Layout request{"legacy_request", "Legacy Request", request_rows};
static_assert(covers(request, 0, legacy_header_size) && names_are_unique(request));

inline constexpr auto reply_rows = std::to_array<Field>({
    describe::u32(0, "status", "0, or an error code").named(errors),
    describe::u32(4, "length", "Length of the payload, in bytes"),
});
inline constexpr Layout reply{"legacy_reply", "Legacy Reply", reply_rows};
static_assert(covers(reply, 0, legacy_header_size) && names_are_unique(reply));

// Command 38 up to iggy 0.4.4.
inline constexpr Layout short_login{"legacy_login", "Legacy Login Up To 0.4", login::password_rows,
    "\"{username}\""};
static_assert(is_body(short_login));

// Command 38 from iggy 0.5.0 on; v0 sends the same behind its 256-byte header.
inline constexpr auto login_rows = joined(login::password_rows, std::to_array<Field>({
    describe::u32("version_length", "Bytes of the version; 0: none").counts(),
    describe::text("version", "The SDK's own version"),
}), login::context_rows);
inline constexpr Layout login{"legacy_login", "Legacy Login", login_rows,
    "\"{username}\" {version}"};
static_assert(is_body(login));

// Command 44. Of the name's rows the text is the token.
inline constexpr auto token_text_rows = std::to_array<Field>({
    describe::u8("length", "Bytes of the token, at least one").at_least(1).counts(),
    describe::text("value", "Personal access token").secret(),
});
inline constexpr Layout token_text{"token_text", "Token", token_text_rows};
static_assert(is_body(token_text));

inline constexpr auto login_with_token_rows = std::to_array<Field>({
    describe::group("token", token_text, "What the client logs in with"),
});
inline constexpr Layout login_with_token{"legacy_login_with_token", "Legacy Login With Token",
                                         login_with_token_rows};
static_assert(is_body(login_with_token));

// What a server answers to either when the login succeeds.
inline constexpr auto login_reply_rows = std::to_array<Field>({
    describe::u32("user_id", "User who logged in").identity(),
});
inline constexpr Layout login_reply{"legacy_login_reply", "Legacy Login Reply", login_reply_rows,
    "user {user_id}"};
static_assert(is_body(login_reply));

// Body of an error from servers 0.2.2 to 0.4.61. Source: server/src/tcp/sender.rs at those tags.
inline constexpr auto error_text_rows = std::to_array<Field>({
    describe::u32("text_length", "Bytes of the text").counts(),
    describe::text("text", "What the server says about the error"),
});
inline constexpr Layout error_text{"legacy_error_text", "Legacy Error Text", error_text_rows,
                                   "{text}"};
static_assert(is_body(error_text));

// clang-format on

}  // namespace iggy::legacy
