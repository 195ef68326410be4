// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Headers between replicas of protocol 0.11, second part: repair of logs, state transfer, and
// logins that a backup forwards to the primary.
//
// Rows that 0.12 keeps stand in arrays of their own (`*_head`). A RepairPrepare has the rows of a
// Prepare (replication_headers.hpp). Source: core/binary_protocol/src/consensus/header.rs.
#pragma once

#include <array>

#include "describe/field.hpp"
#include "iggy/enums.hpp"
#include "iggy/frame.hpp"

namespace iggy::v0_11 {

using describe::Field;
using describe::Layout;
using describe::Shape;

// clang-format off

// Lagging replica to a peer: send these entries.
inline constexpr auto request_prepares_head = std::to_array<Field>({
    correlation_nonce(128),
    describe::u64(144, "from_op", "First operation wanted"),
    describe::u64(152, "to_op", "Last operation wanted; the peer shortens long ranges"),
    consensus_group(160),
});
inline constexpr auto request_prepares_rows = with_frame(request_prepares_head,
                                                         std::to_array<Field>({
    reserved(168, 256),
}));
inline constexpr Layout request_prepares{"request_prepares", "Request Prepares",
                                         request_prepares_rows, "op {from_op} to {to_op}"};
static_assert(is_header(request_prepares));

// RepairDone and RangeEvicted: how a repair ended. Upstream has one struct for both.
inline constexpr auto repair_range_reply_head = std::to_array<Field>({
    correlation_nonce(128),
    describe::u64(144, "op", "RepairDone: last operation served; RangeEvicted: oldest one kept"),
    consensus_group(152),
});
inline constexpr auto repair_range_reply_rows = with_frame(repair_range_reply_head,
                                                           std::to_array<Field>({
    reserved(160, 256),
}));
inline constexpr Layout repair_range_reply{"repair_range_reply", "Repair Range Reply",
                                           repair_range_reply_rows, "op {op}"};
static_assert(is_header(repair_range_reply));

// Replica that is too far behind to the primary: what is there to copy?
inline constexpr auto request_state_transfer_head = std::to_array<Field>({
    correlation_nonce(128),
    consensus_group(144),
});
inline constexpr auto request_state_transfer_rows = with_frame(request_state_transfer_head,
                                                               std::to_array<Field>({
    reserved(152, 256),
}));
inline constexpr Layout request_state_transfer{"request_state_transfer", "Request State Transfer",
                                               request_state_transfer_rows};
static_assert(is_header(request_state_transfer));

// The answer: an offer, whose manifest is the body, or a refusal.
inline constexpr auto state_transfer_target_head = std::to_array<Field>({
    correlation_nonce(128),
    describe::u64( 144, "commit_op", "Highest operation that the sender has executed"),
    consensus_group(152),
    describe::u8(  160, "available", "Whether a manifest follows").named(state_offers),
    describe::u8(  161, "unavailable_transient", "1: refused for now, so ask again")
        .named(refusal_terms),
    describe::zero(162, 168, "reserved_alignment", "Zero from every sender"),
    describe::u64( 168, "commit_max", "Highest commit that the sender knows"),
});
inline constexpr auto state_transfer_target_rows = with_frame(state_transfer_target_head,
                                                              std::to_array<Field>({
    reserved(176, 256),
}));
inline constexpr Layout state_transfer_target{"state_transfer_target", "State Transfer Target",
                                              state_transfer_target_rows,
                                              "{available} {unavailable_transient?}"};
static_assert(is_header(state_transfer_target));

// Asks for a piece of one artifact of the manifest.
inline constexpr auto request_state_chunk_head = std::to_array<Field>({
    correlation_nonce(128),
    describe::u64(144, "offset", "Where in the artifact the piece begins, in bytes"),
    consensus_group(152),
    describe::u32(160, "len", "Bytes wanted; the sender may give fewer"),
    describe::u32(164, "artifact", "Which entry of the manifest, from 0 on"),
});
inline constexpr auto request_state_chunk_rows = with_frame(request_state_chunk_head,
                                                            std::to_array<Field>({
    reserved(168, 256),
}));
inline constexpr Layout request_state_chunk{"request_state_chunk", "Request State Chunk",
                                            request_state_chunk_rows,
                                            "artifact {artifact} offset {offset}, {len|byte}"};
static_assert(is_header(request_state_chunk));

// The piece is the body.
inline constexpr auto state_chunk_head = std::to_array<Field>({
    correlation_nonce(128),
    describe::u64(144, "offset", "Where in the artifact the piece begins, in bytes"),
    consensus_group(152),
    describe::u32(160, "artifact", "Which entry of the manifest, from 0 on"),
});
inline constexpr auto state_chunk_rows = with_frame(state_chunk_head, std::to_array<Field>({
    reserved(164, 256),
}));
inline constexpr Layout state_chunk{"state_chunk", "State Chunk", state_chunk_rows,
                                    "artifact {artifact} offset {offset}"};
static_assert(is_header(state_chunk));

// Backup to primary: register this login. The nonce holds the asking replica and a counter.
inline constexpr auto forward_register_rows = with_frame(std::to_array<Field>({
    describe::u128(128, "client", "Consensus client id of the login")
        .identity().shown_as(Shape::hex),
    correlation_nonce(144),
    describe::u32( 160, "user_id", "User whom the backup authenticated").identity(),
    reserved(164, 256),
}));
inline constexpr Layout forward_register{"forward_register", "Forward Register",
                                         forward_register_rows};
static_assert(is_header(forward_register));

inline constexpr auto forward_register_result_rows = with_frame(std::to_array<Field>({
    correlation_nonce(128),
    describe::u128(144, "client", "Echo of the forwarded login").identity().shown_as(Shape::hex),
    describe::u64( 160, "epoch", "Session that was opened; zero unless the outcome is Ok"),
    describe::u64( 168, "watermark", "Highest committed request of the client; zero unless Ok"),
    reserved(176, 255),
    describe::u8(  255, "outcome", "What became of the login").named(forward_register_outcomes),
}));
inline constexpr Layout forward_register_result{"forward_register_result",
                                                "Forward Register Result",
                                                forward_register_result_rows};
static_assert(is_header(forward_register_result));

// Backup to primary: close this session. The nonce holds the asking replica and a counter.
inline constexpr auto forward_logout_rows = with_frame(std::to_array<Field>({
    describe::u128(128, "client", "Consensus client id of the session")
        .identity().shown_as(Shape::hex),
    correlation_nonce(144),
    describe::u64( 160, "session", "Session that ends"),
    describe::u64( 168, "request", "Number of the Logout; all ones after a lost connection"),
    reserved(176, 256),
}));
inline constexpr Layout forward_logout{"forward_logout", "Forward Logout", forward_logout_rows};
static_assert(is_header(forward_logout));

inline constexpr auto forward_logout_result_rows = with_frame(std::to_array<Field>({
    correlation_nonce(128),
    describe::u128(144, "client", "Echo of the forwarded logout").identity().shown_as(Shape::hex),
    describe::u64( 160, "commit", "Log position of the Logout; zero unless the outcome is Ok"),
    reserved(168, 255),
    describe::u8(  255, "outcome", "What became of the logout").named(forward_logout_outcomes),
}));
inline constexpr Layout forward_logout_result{"forward_logout_result", "Forward Logout Result",
                                              forward_logout_result_rows};
static_assert(is_header(forward_logout_result));

// Backup to metadata primary, from 0.11.1 on: the sessions that are alive, as the body lists them.
inline constexpr auto consumer_session_heartbeat_head = std::to_array<Field>({
    describe::u8(128, "incomplete", "1: a shard did not report its clients"),
});
inline constexpr auto consumer_session_heartbeat_rows = with_frame(consumer_session_heartbeat_head,
                                                                   std::to_array<Field>({
    reserved(129, 256),
}));
inline constexpr Layout consumer_session_heartbeat{"consumer_session_heartbeat",
                                                   "Consumer Session Heartbeat",
                                                   consumer_session_heartbeat_rows};
static_assert(is_header(consumer_session_heartbeat));

// clang-format on

}  // namespace iggy::v0_11
