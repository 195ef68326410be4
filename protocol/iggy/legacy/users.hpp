// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Users and tokens of the 8-byte framing, where 0.11 has other bodies.
//
// There are no options and no result sections. Pre-releases of 0.11.0 kept most of them
// (v0_11/older_bodies.hpp). Source: core/binary_protocol/src/requests/users and responses/users at
// server-0.8.0.
#pragma once

#include <array>

#include "describe/field.hpp"
#include "iggy/bodies/reply.hpp"
#include "iggy/bodies/tokens.hpp"
#include "iggy/bodies/users.hpp"
#include "iggy/frame.hpp"

namespace iggy::legacy {

using describe::Field;
using describe::Layout;

// clang-format off

inline constexpr auto user_header_info_rows = without_last<1>(bodies::user_header_info_rows);
inline constexpr Layout user_header_info{"user_header_info", "User Header Up To 0.11.0-edge.2",
                                         user_header_info_rows};

inline constexpr auto user_details_rows = joined(std::to_array<Field>({
    describe::group("user", user_header_info, "The user"),
}), bodies::told_permissions_rows);
inline constexpr Layout user_details{
    "user_details", "User Details Up To 0.11.0-edge.2", user_details_rows};

// 31
inline constexpr auto user_get_reply_rows = std::to_array<Field>({
    describe::group("details", user_details, "The user"),
});
inline constexpr Layout user_get_reply{"user_get_reply", "User Get Reply Up To 0.11.0-edge.2",
                                       user_get_reply_rows, bodies::user_get_reply.subject};
inline constexpr auto user_get_reply_body_rows = bodies::with_payload(user_get_reply);
inline constexpr Layout user_get_reply_body{"reply_body", "Reply to user.get Up To 0.11.0-edge.2",
                                            user_get_reply_body_rows};

// 32
inline constexpr auto user_list_reply_rows = std::to_array<Field>({
    describe::group("users", user_header_info, "All users").to_end(),
});
inline constexpr Layout user_list_reply{"user_list_reply", "User List Reply Up To 0.11.0-edge.2",
                                        user_list_reply_rows, bodies::user_list_reply.subject};
inline constexpr auto user_list_reply_body_rows = bodies::with_payload(user_list_reply);
inline constexpr Layout user_list_reply_body{"reply_body", "Reply to user.list Up To 0.11.0-edge.2",
                                             user_list_reply_body_rows};

// 33
inline constexpr auto user_create_rows = without_last<1>(bodies::user_create_rows);
inline constexpr Layout user_create{
    "user_create", "User Create Up To 0.11.0-edge.2", user_create_rows,
    "\"{username}\" {status}"};
inline constexpr auto user_create_reply_rows = std::to_array<Field>({
    describe::group("details", user_details, "The new user"),
});
inline constexpr Layout user_create_reply{
    "user_create_reply", "User Create Reply Up To 0.11.0-edge.2", user_create_reply_rows,
    bodies::user_create_reply.subject};
inline constexpr auto user_create_reply_body_rows = bodies::with_payload(user_create_reply);
inline constexpr Layout user_create_reply_body{"reply_body", "Reply to user.create of Legacy",
                                               user_create_reply_body_rows};

// 35
inline constexpr auto user_update_rows = without_last<1>(bodies::user_update_rows);
inline constexpr Layout user_update{
    "user_update", "User Update Up To 0.11.0-edge.2", user_update_rows,
    "{user_id} to \"{username}\" {status}"};

// 42
inline constexpr auto token_create_reply_body_rows =
    bodies::with_payload(bodies::token_create_reply);
inline constexpr Layout token_create_reply_body{
    "reply_body", "Reply to personal_access_token.create of Legacy", token_create_reply_body_rows};

// clang-format on

}  // namespace iggy::legacy
