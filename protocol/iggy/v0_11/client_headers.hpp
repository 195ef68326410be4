// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Headers between client and server of protocol 0.11: Request, Reply, Eviction; and the blank
// header that the commands without one of their own share.
//
// Rows that other generations keep stand in arrays of their own (`*_head`), which those generations
// build on. Source: core/binary_protocol/src/consensus/header.rs.
#pragma once

#include <array>

#include "describe/field.hpp"
#include "iggy/enums.hpp"
#include "iggy/errors.hpp"
#include "iggy/exchanges.hpp"
#include "iggy/frame.hpp"
#include "iggy/operations.hpp"

namespace iggy::v0_11 {

using describe::Field;
using describe::Layout;
using describe::Shape;

// clang-format off

// Reserved, Ping, Pong, PingClient, PongClient: no component sends them.
inline constexpr auto generic_rows = with_frame(std::to_array<Field>({
    describe::zero(128, 256, "reserved_command", "No meaning in these commands"),
}));
inline constexpr Layout generic{"generic", "Frame without a header of its own", generic_rows};
static_assert(is_header(generic));

// Client to server. Bytes 128 to 184 are the same since the first 256-byte header.
inline constexpr auto request_head = std::to_array<Field>({
    describe::u128(128, "client", "Consensus client id, chosen by the client, never zero")
        .identity().shown_as(Shape::hex),
    describe::u128(144, "request_checksum", "Stamp of the body up to 0.11; a random id from 0.12")
        .shown_as(Shape::hex),
    describe::u64( 160, "timestamp", "Clock of the client; SDKs send zero")
        .shown_as(Shape::microseconds),
    describe::u64( 168, "request", "Number of the request, echoed by its reply; 0 for Register"),
    describe::u8(  176, "operation", "What is asked; NonReplicated carries a command code")
        .named(operation_names),
    operation_padding(177),
});
inline constexpr auto request_session = std::to_array<Field>({
    describe::u64( 184, "session", "Log position of the Register that opened the session"),
    describe::u32( 192, "user_id", "Zero from clients; the server fills it in").identity(),
});
inline constexpr auto request_rows = with_frame(request_head, request_session,
                                                std::to_array<Field>({
    describe::u32( 196, "code", "Command code of a NonReplicated request, else zero")
        .named(v0_11_code_names),
    reserved(200, 256),
}));
inline constexpr Layout request{"request", "Request", request_rows};
static_assert(is_header(request));

// Server to client, the answer to one Request.
inline constexpr auto reply_head = std::to_array<Field>({
    describe::u128(128, "request_checksum", "Echo of the request's stamp; zero where none was kept")
        .shown_as(Shape::hex),
    describe::u128(144, "context", "Always zero").shown_as(Shape::hex),
    describe::u128(160, "client", "Consensus client id, or the server's own id of the connection")
        .identity().shown_as(Shape::hex),
    describe::u64( 176, "op", "Log position if committed; the session after a login or a read"),
    describe::u64( 184, "commit", "Same as op if committed, else how far the answering shard is"),
    describe::u64( 192, "timestamp", "Time of the Prepare if committed, else echo of the request")
        .shown_as(Shape::microseconds),
    describe::u64( 200, "request", "Echo of the request number"),
    describe::u8(  208, "operation", "Operation as committed, else echo of the request")
        .named(operation_names),
    operation_padding(209),
});
inline constexpr auto reply_status = std::to_array<Field>({
    describe::u32( 216, "status", "0: the body tells; else an error found before any commit")
        .named(errors),
});
inline constexpr auto reply_rows = with_frame(reply_head, reply_status, std::to_array<Field>({
    reserved(220, 256),
}));
inline constexpr Layout reply{"reply", "Reply", reply_rows};
static_assert(is_header(reply));

// Server to client: the session is over. It answers no request in particular and has no body.
inline constexpr auto eviction_client = std::to_array<Field>({
    describe::u128(128, "client", "Consensus client id, or the server's own id of the connection")
        .identity().shown_as(Shape::hex),
});
inline constexpr auto eviction_reason = std::to_array<Field>({
    describe::u8(  255, "reason", "Why the session ended").named(eviction_reasons),
});
inline constexpr auto eviction_rows = with_frame(eviction_client, std::to_array<Field>({
    describe::u32( 144, "server_protocol_version", "Highest version; zero unless reason 14")
        .shown_as(Shape::version),
    describe::u32( 148, "server_protocol_version_min", "Lowest version; zero unless reason 14")
        .shown_as(Shape::version),
    reserved(152, 255),
}), eviction_reason);
inline constexpr Layout eviction{"eviction", "Eviction", eviction_rows};
static_assert(is_header(eviction));

// clang-format on

}  // namespace iggy::v0_11
