// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Users: commands 31 to 37.
//
// Logins stand in iggy/login.hpp. Source: core/binary_protocol/src/requests/users and
// core/binary_protocol/src/responses/users.
#pragma once

#include <array>

#include "describe/field.hpp"
#include "iggy/bodies/encodings.hpp"
#include "iggy/bodies/permissions.hpp"
#include "iggy/bodies/reply.hpp"
#include "iggy/frame.hpp"
#include "iggy/login.hpp"

namespace iggy::bodies {

using describe::Field;
using describe::Layout;
using describe::Shape;

// clang-format off

inline constexpr auto user_row = std::to_array<Field>({
    describe::group("user_id", account_identifier, "The user"),
});

inline constexpr auto user_header_info_rows = std::to_array<Field>({
    describe::u32("id", "The user; 0 is root").identity(),
    describe::u64("created_at", "When it was created").shown_as(Shape::microseconds),
    describe::u8("status", "Whether the user may log in").named(user_statuses),
    describe::group("username", login::account_name, "The user's name"),
    describe::group("options", prefixed_options, "What clients have set; empty up to 0.11"),
});
inline constexpr Layout user_header_info{"user_header_info", "User Header", user_header_info_rows};

// Without permissions the flag and the padding are written as one number.
inline constexpr auto told_permissions_rows = std::to_array<Field>({
    unless_zero("has_permissions", "Permissions follow, unless 0").selects(),
    describe::bytes(3, "padding", "Not looked at").on(0),
    describe::u32("permissions_length", "Bytes of the permissions").unless(0).counts(),
    describe::group("permissions", permissions, "What the user may do")
        .unless(0).in_slack_room(),
});
inline constexpr auto user_details_rows = joined(std::to_array<Field>({
    describe::group("user", user_header_info, "The user"),
}), told_permissions_rows);
inline constexpr Layout user_details{"user_details", "User Details", user_details_rows};

// 31
inline constexpr auto user_get_rows = user_row;
inline constexpr Layout user_get{"user_get", "User Get", user_get_rows, "{user_id}"};
inline constexpr auto user_get_reply_rows = std::to_array<Field>({
    describe::group("details", user_details, "The user"),
});
inline constexpr Layout user_get_reply{"user_get_reply", "User Get Reply", user_get_reply_rows,
    "id {details.user.id} \"{details.user.username}\" {details.user.status}"};
inline constexpr auto user_get_reply_body_rows = with_payload(user_get_reply);
inline constexpr Layout user_get_reply_body{"reply_body", "Reply to user.get",
                                            user_get_reply_body_rows};

// 32, whose request is empty
inline constexpr auto user_list_reply_rows = std::to_array<Field>({
    describe::group("users", user_header_info, "All users").to_end(),
});
inline constexpr Layout user_list_reply{"user_list_reply", "User List Reply", user_list_reply_rows,
    "{users.username}"};
inline constexpr auto user_list_reply_body_rows = with_payload(user_list_reply);
inline constexpr Layout user_list_reply_body{"reply_body", "Reply to user.list",
                                             user_list_reply_body_rows};

// 33; replicated with a hash as the password
inline constexpr auto user_create_rows = joined(std::to_array<Field>({
    describe::group("username", login::account_name, "Name of the new user"),
    describe::u8("password_length", "Bytes of the password").counts(),
    describe::text("password", "Password of the new user").secret(),
    describe::u8("status", "Whether the user may log in").named(user_statuses),
}), asked_permissions_rows, option_rows);
inline constexpr Layout user_create{"user_create", "User Create", user_create_rows,
    "\"{username}\" {status} {options}"};
inline constexpr auto user_create_reply_rows = std::to_array<Field>({
    describe::group("details", user_details, "The new user"),
});
inline constexpr Layout user_create_reply{
    "user_create_reply", "User Create Reply", user_create_reply_rows, "id {details.user.id}"};
inline constexpr auto user_create_reply_body_rows = with_result(user_create_reply);
inline constexpr Layout user_create_reply_body{"reply_body", "Reply to user.create",
                                               user_create_reply_body_rows};

// 34
inline constexpr auto user_delete_rows = user_row;
inline constexpr Layout user_delete{"user_delete", "User Delete", user_delete_rows, "{user_id}"};

// 35
inline constexpr auto user_update_rows = joined(user_row, std::to_array<Field>({
    only_one("has_username", "1: a name follows; anything else: none does").selects(),
    describe::group("username", login::account_name, "The user's name from now on").on(1),
    only_one("has_status", "1: a status follows; anything else: none does").selects(),
    describe::u8("status", "Whether the user may log in").on(1).named(user_statuses),
}), option_rows);
inline constexpr Layout user_update{"user_update", "User Update", user_update_rows,
    "{user_id} to \"{username}\" {status} {options}"};

// 36
inline constexpr auto user_permissions_rows = joined(user_row, asked_permissions_rows);
inline constexpr Layout user_permissions{
    "user_permissions", "User Permissions", user_permissions_rows, "{user_id}"};

// 37; replicated without the current password, and with a hash as the new one
inline constexpr auto user_password_rows = joined(user_row, std::to_array<Field>({
    describe::u8("current_password_length", "Bytes of the current password").counts(),
    describe::text("current_password", "Password up to now").secret(),
    describe::u8("new_password_length", "Bytes of the new password").counts(),
    describe::text("new_password", "Password from now on").secret(),
}));
inline constexpr Layout user_password{"user_password", "User Password", user_password_rows,
    "{user_id}"};

// clang-format on

}  // namespace iggy::bodies
