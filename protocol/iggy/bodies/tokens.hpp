// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Personal access tokens: commands 41 to 43.
//
// Source: core/binary_protocol/src/requests/personal_access_tokens.
#pragma once

#include <array>

#include "describe/field.hpp"
#include "iggy/bodies/reply.hpp"
#include "iggy/legacy.hpp"
#include "iggy/login.hpp"

namespace iggy::bodies {

using describe::Field;
using describe::Layout;
using describe::Shape;

// clang-format off

inline constexpr auto pat_entry_rows = std::to_array<Field>({
    describe::group("name", login::name, "Name of the token, not the token"),
    describe::u64("expiry_at", "When it ends; 0: never").shown_as(Shape::microseconds),
});
inline constexpr Layout pat_entry{"pat_entry", "Token Entry", pat_entry_rows};

// 41, whose request is empty
inline constexpr auto token_list_reply_rows = std::to_array<Field>({
    describe::group("tokens", pat_entry, "Tokens of the user who asks").to_end(),
});
inline constexpr Layout token_list_reply{
    "token_list_reply", "Token List Reply", token_list_reply_rows, "{tokens.name}"};
inline constexpr auto token_list_reply_body_rows = with_payload(token_list_reply);
inline constexpr Layout token_list_reply_body{"reply_body", "Reply to personal_access_token.list",
                                              token_list_reply_body_rows};

// 42
inline constexpr auto token_create_rows = std::to_array<Field>({
    describe::group("name", login::name, "Name of the new token"),
    describe::u64("expiry", "Microseconds that it lasts; 0 and all ones: for ever")
        .shown_as(Shape::duration),
});
inline constexpr Layout token_create{"token_create", "Token Create", token_create_rows,
    "\"{name}\""};
inline constexpr auto token_create_reply_rows = std::to_array<Field>({
    describe::group("token", legacy::token_text, "The token, told this once"),
});
inline constexpr Layout token_create_reply{"token_create_reply", "Token Create Reply",
                                           token_create_reply_rows};
inline constexpr auto token_create_reply_body_rows = with_result(token_create_reply);
inline constexpr Layout token_create_reply_body{
    "reply_body", "Reply to personal_access_token.create", token_create_reply_body_rows};

// 43
inline constexpr auto token_delete_rows = std::to_array<Field>({
    describe::group("name", login::name, "Name of the token"),
});
inline constexpr Layout token_delete{"token_delete", "Token Delete", token_delete_rows,
    "\"{name}\""};

// clang-format on

}  // namespace iggy::bodies
