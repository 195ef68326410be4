// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Headers between replicas that protocol 0.12 changed. They keep every row of 0.11 and fill bytes
// that were reserved, nearly always with the incarnation of the partition.
//
// What is not here is that of 0.11; what is new in 0.12 stands in new_headers.hpp. Source:
// core/binary_protocol/src/consensus/header.rs of the crates from 0.11.1-edge.2 on.
#pragma once

#include <array>

#include "describe/field.hpp"
#include "iggy/frame.hpp"
#include "iggy/v0_11/replica_headers.hpp"
#include "iggy/v0_12/new_headers.hpp"

namespace iggy::v0_12 {

using describe::Field;
using describe::Layout;

// clang-format off

// The handshake compares link numbers and a wire revision. Where they lie is not published, so
// these bytes are neither named nor held to be zero.
inline constexpr auto replica_hello_rows = with_frame(v0_11::replica_hello_head,
                                                      std::to_array<Field>({
    describe::bytes(160, 256, "reserved", "May hold link index, link count and wire revision"),
}));
inline constexpr Layout replica_hello{"replica_hello", "Replica Hello of 0.12", replica_hello_rows};
static_assert(is_header(replica_hello));

inline constexpr auto replica_challenge_rows = with_frame(v0_11::replica_challenge_head,
                                                          std::to_array<Field>({
    describe::bytes(193, 256, "reserved", "May hold link index, link count and wire revision"),
}));
inline constexpr Layout replica_challenge{"replica_challenge", "Replica Challenge of 0.12",
                                          replica_challenge_rows};
static_assert(is_header(replica_challenge));

inline constexpr auto replica_finish_rows = with_frame(v0_11::replica_finish_head,
                                                       std::to_array<Field>({
    describe::bytes(192, 256, "reserved", "May hold link index, link count and wire revision"),
}));
inline constexpr Layout replica_finish{"replica_finish", "Replica Finish of 0.12",
                                       replica_finish_rows};
static_assert(is_header(replica_finish));

inline constexpr auto prepare_rows = with_frame(v0_11::prepare_head, std::to_array<Field>({
    describe::u32(228, "retry_capacity", "Results that the group keeps, fixed by its first commit"),
    partition_incarnation(232),
    reserved(240, 248),
    describe::u64(248, "session", "Session of the client; 0 for Register and for servers"),
}));
inline constexpr Layout prepare{"prepare", "Prepare of 0.12", prepare_rows};
static_assert(is_header(prepare));

inline constexpr auto commit_rows = with_frame(v0_11::commit_head, std::to_array<Field>({
    partition_incarnation(176),
    reserved(184, 256),
}));
inline constexpr Layout commit{"commit", "Commit of 0.12", commit_rows};
static_assert(is_header(commit));

inline constexpr auto start_view_change_rows = with_frame(v0_11::start_view_change_head,
                                                          std::to_array<Field>({
    partition_incarnation(136),
    reserved(144, 256),
}));
inline constexpr Layout start_view_change{"start_view_change", "Start View Change of 0.12",
                                          start_view_change_rows};
static_assert(is_header(start_view_change));

inline constexpr auto do_view_change_rows = with_frame(v0_11::do_view_change_head,
                                                       std::to_array<Field>({
    describe::u8(156, "flags", "Bit 0: the log may lack what the sender acknowledged"),
    reserved(157, 216),
    partition_incarnation(216),
}), v0_11::do_view_change_bitsets);
inline constexpr Layout do_view_change{"do_view_change", "Do View Change of 0.12",
                                       do_view_change_rows, v0_11::do_view_change.subject};
static_assert(is_header(do_view_change));

inline constexpr auto start_view_rows = with_frame(v0_11::start_view_head, std::to_array<Field>({
    partition_incarnation(152),
    reserved(160, 240),
}), v0_11::start_view_incarnation);
inline constexpr Layout start_view{"start_view", "Start View of 0.12", start_view_rows,
                                   v0_11::start_view.subject};
static_assert(is_header(start_view));

inline constexpr auto request_start_view_rows = with_frame(v0_11::request_start_view_head,
                                                           std::to_array<Field>({
    partition_incarnation(136),
    reserved(144, 240),
}), v0_11::request_start_view_incarnation);
inline constexpr Layout request_start_view{"request_start_view", "Request Start View of 0.12",
                                           request_start_view_rows};
static_assert(is_header(request_start_view));

inline constexpr auto request_prepares_rows = with_frame(v0_11::request_prepares_head,
                                                         std::to_array<Field>({
    partition_incarnation(168),
    reserved(176, 256),
}));
inline constexpr Layout request_prepares{"request_prepares", "Request Prepares of 0.12",
                                         request_prepares_rows,
                                         v0_11::request_prepares.subject};
static_assert(is_header(request_prepares));

inline constexpr auto repair_range_reply_rows = with_frame(v0_11::repair_range_reply_head,
                                                           std::to_array<Field>({
    partition_incarnation(160),
    reserved(168, 256),
}));
inline constexpr Layout repair_range_reply{"repair_range_reply", "Repair Range Reply of 0.12",
                                           repair_range_reply_rows,
                                           v0_11::repair_range_reply.subject};
static_assert(is_header(repair_range_reply));

inline constexpr auto request_state_transfer_rows = with_frame(v0_11::request_state_transfer_head,
                                                               std::to_array<Field>({
    partition_incarnation(152),
    reserved(160, 256),
}));
inline constexpr Layout request_state_transfer{"request_state_transfer",
                                               "Request State Transfer of 0.12",
                                               request_state_transfer_rows};
static_assert(is_header(request_state_transfer));

inline constexpr auto state_transfer_target_rows = with_frame(v0_11::state_transfer_target_head,
                                                              std::to_array<Field>({
    partition_incarnation(176),
    reserved(184, 256),
}));
inline constexpr Layout state_transfer_target{"state_transfer_target",
                                              "State Transfer Target of 0.12",
                                              state_transfer_target_rows,
                                              v0_11::state_transfer_target.subject};
static_assert(is_header(state_transfer_target));

inline constexpr auto request_state_chunk_rows = with_frame(v0_11::request_state_chunk_head,
                                                            std::to_array<Field>({
    partition_incarnation(168),
    reserved(176, 256),
}));
inline constexpr Layout request_state_chunk{"request_state_chunk", "Request State Chunk of 0.12",
                                            request_state_chunk_rows,
                                            v0_11::request_state_chunk.subject};
static_assert(is_header(request_state_chunk));

// The one frame that has its incarnation at the very end.
inline constexpr auto state_chunk_rows = with_frame(v0_11::state_chunk_head,
                                                    std::to_array<Field>({
    reserved(164, 248),
    partition_incarnation(248),
}));
inline constexpr Layout state_chunk{"state_chunk", "State Chunk of 0.12", state_chunk_rows,
                                    v0_11::state_chunk.subject};
static_assert(is_header(state_chunk));

// clang-format on

}  // namespace iggy::v0_12
