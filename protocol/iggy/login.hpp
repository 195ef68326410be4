// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Bodies of logins and their answers behind 256-byte headers: commands 40, 45 and 15, and the
// result section that leads committed replies.
//
// Operation 1 does not say which of its bodies follows; decode/body.hpp tries them. The legacy
// bodies of 38 and 44 stand in legacy.hpp. Source: core/binary_protocol/src/requests/users and
// core/binary_protocol/src/responses/users.
#pragma once

#include <array>

#include "describe/field.hpp"
#include "describe/proofs.hpp"
#include "iggy/errors.hpp"
#include "iggy/frame.hpp"

namespace iggy::login {

using describe::Field;
using describe::Layout;
using describe::Shape;

// clang-format off

// A text of 1 to 255 bytes behind its length. There are two layouts of it, since who reads it may
// be another: names of software, and names of people.
inline constexpr auto name_rows = std::to_array<Field>({
    describe::u8("length", "Bytes of the text, at least one").at_least(1).counts(),
    describe::text("value", "The text"),
});
inline constexpr Layout name{"name", "Name", name_rows, "{value}"};
static_assert(is_body(name));

inline constexpr auto account_name_rows = std::to_array<Field>({
    describe::u8("length", "Bytes of the text, at least one").at_least(1).counts(),
    describe::text("value", "The text").identity(),
});
inline constexpr Layout account_name{"account_name", "Account Name", account_name_rows, "{value}"};
static_assert(is_body(account_name));

// Sent first, so that any server can read the version and refuse it.
inline constexpr auto client_version_info_rows = std::to_array<Field>({
    describe::u32("protocol_version", "Version that the client speaks").shown_as(Shape::version),
    describe::group("sdk_name", name, "Which SDK it is"),
    describe::group("sdk_version", name, "The SDK's own version, which is another number"),
});
inline constexpr Layout client_version_info{"client_version_info", "Client Version Info",
                                            client_version_info_rows};
static_assert(is_body(client_version_info));

inline constexpr auto version_row = std::to_array<Field>({
    describe::group("version_info", client_version_info, "What the client speaks"),
});
// From 0.12 on: shown to every node that the client connects to, so it is as good as a password.
inline constexpr auto bind_secret_row = std::to_array<Field>({
    describe::bytes(32, "bind_secret", "Secret that lets other connections join the session")
        .secret(),
});
inline constexpr auto password_rows = std::to_array<Field>({
    describe::group("username", account_name, "Account that logs in"),
    describe::u8("password_length", "Bytes of the password").counts(),
    describe::text("password", "Password of the account").secret(),
});
inline constexpr auto token_rows = std::to_array<Field>({
    describe::u8("token_length", "Bytes of the token").counts(),
    describe::text("token", "Personal access token").secret(),
});
inline constexpr auto context_rows = std::to_array<Field>({
    describe::u32("context_length", "Bytes of the context; 0: none").counts(),
    describe::text("context", "Free text of the SDK"),
});

// What all of them begin with, and all that can be told of one that the capture cut.
inline constexpr Layout login_prefix{"login_prefix", "Login Prefix", version_row,
    "{version_info.sdk_name} {version_info.sdk_version}, protocol {version_info.protocol_version}"};
static_assert(is_body(login_prefix));

// Command 40. A server tries this shape before that of 45.
inline constexpr auto login_register_rows = joined(version_row, password_rows, context_rows);
inline constexpr Layout login_register{"login_register", "Login And Register", login_register_rows,
    "\"{username}\" {version_info.sdk_name} {version_info.sdk_version}, protocol "
    "{version_info.protocol_version}"};
static_assert(is_body(login_register));

// Command 45.
inline constexpr auto login_register_with_pat_rows = joined(version_row, token_rows, context_rows);
inline constexpr Layout login_register_with_pat{
    "login_register_with_pat", "Login And Register With Token", login_register_with_pat_rows,
    "{version_info.sdk_name} {version_info.sdk_version}, protocol {version_info.protocol_version}"};
static_assert(is_body(login_register_with_pat));

// The same two from 0.12 on, and in builds shortly before it.
inline constexpr auto login_register_with_secret_rows =
    joined(version_row, bind_secret_row, password_rows, context_rows);
inline constexpr Layout login_register_with_secret{
    "login_register", "Login And Register of 0.12", login_register_with_secret_rows,
    "\"{username}\" {version_info.sdk_name} {version_info.sdk_version}, protocol "
    "{version_info.protocol_version}"};
static_assert(is_body(login_register_with_secret));

inline constexpr auto login_register_with_pat_with_secret_rows =
    joined(version_row, bind_secret_row, token_rows, context_rows);
inline constexpr Layout login_register_with_pat_with_secret{
    "login_register_with_pat", "Login And Register With Token of 0.12",
    login_register_with_pat_with_secret_rows,
    "{version_info.sdk_name} {version_info.sdk_version}, protocol {version_info.protocol_version}"};
static_assert(is_body(login_register_with_pat_with_secret));

// Command 15, from 0.12 on: a further connection of a session that exists.
inline constexpr auto session_identity_rows = std::to_array<Field>({
    describe::u128("client_id", "Consensus client id of the session")
        .identity().shown_as(Shape::hex),
    describe::u64("session", "The session; 0: find it by client and secret"),
    describe::u64("metadata_watermark", "Metadata op that the node must have applied"),
});
inline constexpr Layout session_identity{"session_identity", "Session Identity",
                                         session_identity_rows};
static_assert(is_body(session_identity));

inline constexpr auto session_bind_rows = joined(version_row, std::to_array<Field>({
    describe::group("identity", session_identity, "Which session it is"),
}), bind_secret_row);
inline constexpr Layout session_bind{"session_bind", "Session Bind", session_bind_rows,
    "session {identity.session?} by {version_info.sdk_name} {version_info.sdk_version}, protocol "
    "{version_info.protocol_version}"};
static_assert(is_body(session_bind));

// What a committed reply begins with. Source: core/binary_protocol/src/consensus/reply_result.rs.
inline constexpr auto result_entry_rows = std::to_array<Field>({
    describe::u32("index", "Which part of the request failed; 0 today"),
    describe::u32("result", "Error code").named(errors),
});
inline constexpr Layout result_entry{"result_entry", "Result Entry", result_entry_rows};
static_assert(is_body(result_entry));

inline constexpr auto result_section_rows = std::to_array<Field>({
    describe::u32("count", "0: success, and the payload follows; else entries follow").counts(),
    describe::repeat("entries", result_entry, "What was refused"),
});
inline constexpr Layout result_section{"result_section", "Result Section", result_section_rows};
static_assert(is_body(result_section));

// What a successful login tells, the first two rows since v0.
inline constexpr auto login_reply_head = std::to_array<Field>({
    describe::u32("user_id", "User who logged in").identity(),
    describe::u64("session", "Log position of the Register that opened the session"),
});
inline constexpr auto login_reply_rows = joined(login_reply_head, std::to_array<Field>({
    describe::u32("server_protocol_version", "Version that the server speaks")
        .shown_as(Shape::version),
    describe::group("server_version", name, "The server's own version, which is another number"),
}));
inline constexpr Layout login_reply{"login_reply", "Login Reply", login_reply_rows,
    "user {user_id}, session {session}, server {server_version}"};
static_assert(is_body(login_reply));

// The payload of a reply to 40 and 45, behind a result section with count 0; and to 15, alone.
inline constexpr auto login_payload_rows = std::to_array<Field>({
    describe::group("login", login_reply, "The session that was opened"),
});
inline constexpr Layout login_payload{"login_payload", "Login Payload", login_payload_rows,
    "{login}"};
static_assert(is_body(login_payload));

// Whole reply bodies, keyed as JSON keys them.
inline constexpr auto result_row = std::to_array<Field>({
    describe::group("result", result_section, "Whether it was done"),
});
inline constexpr auto payload_row = std::to_array<Field>({
    describe::group("payload", login_payload, "What was done"),
});
inline constexpr auto register_reply_rows = joined(result_row, payload_row);
inline constexpr Layout register_reply{"register_reply", "Register Reply", register_reply_rows};
static_assert(is_body(register_reply));

inline constexpr Layout rejection{"rejection", "Rejection", result_row};
static_assert(is_body(rejection));

inline constexpr Layout session_bind_reply{"session_bind_reply", "Session Bind Reply",
                                           payload_row};
static_assert(is_body(session_bind_reply));

// The reply of v0, which has no result section and names no version.
inline constexpr Layout v0_login_reply{"login_reply", "Login Reply of 0.10.1", login_reply_head,
    "user {user_id}, session {session}"};
static_assert(is_body(v0_login_reply));

// clang-format on

}  // namespace iggy::login
