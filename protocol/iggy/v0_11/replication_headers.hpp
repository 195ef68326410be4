// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Headers between replicas of protocol 0.11, first part: the handshake, replication and the change
// of views.
//
// Repair, state transfer and forwarding stand in repair_headers.hpp. Rows that 0.12 keeps stand in
// arrays of their own (`*_head`). Source: core/binary_protocol/src/consensus/header.rs.
#pragma once

#include <array>

#include "describe/field.hpp"
#include "iggy/enums.hpp"
#include "iggy/frame.hpp"
#include "iggy/operations.hpp"

namespace iggy::v0_11 {

using describe::Field;
using describe::Layout;
using describe::Shape;

// clang-format off

// Dialer to acceptor, first frame of a connection. Upstream reads the three handshake frames by
// offset, behind its GenericHeader.
inline constexpr auto replica_hello_head = std::to_array<Field>({
    describe::bytes(128, 160, "nonce_d", "Random nonce of the dialer; zero without authentication"),
});
inline constexpr auto replica_hello_rows = with_frame(replica_hello_head, std::to_array<Field>({
    reserved(160, 256),
}));
inline constexpr Layout replica_hello{"replica_hello", "Replica Hello", replica_hello_rows};
static_assert(is_header(replica_hello));

// Acceptor to dialer, only with authentication.
inline constexpr auto replica_challenge_head = std::to_array<Field>({
    describe::bytes(128, 160, "nonce_a", "Random nonce of the acceptor; zero when it rejects"),
    describe::bytes(160, 192, "mac_a", "Proof that the acceptor has the secret; zero in a reject"),
    describe::u8(   192, "status", "0, or why the hello is rejected").named(handshake_statuses),
});
inline constexpr auto replica_challenge_rows =
    with_frame(replica_challenge_head, std::to_array<Field>({
    reserved(193, 256),
}));
inline constexpr Layout replica_challenge{"replica_challenge", "Replica Challenge",
                                          replica_challenge_rows};
static_assert(is_header(replica_challenge));

// Dialer to acceptor, only with authentication.
inline constexpr auto replica_finish_head = std::to_array<Field>({
    describe::zero( 128, 160, "reserved_nonce", "Zero; nobody reads it"),
    describe::bytes(160, 192, "mac_d", "Proof that the dialer has the secret"),
});
inline constexpr auto replica_finish_rows = with_frame(replica_finish_head, std::to_array<Field>({
    reserved(192, 256),
}));
inline constexpr Layout replica_finish{"replica_finish", "Replica Finish", replica_finish_rows};
static_assert(is_header(replica_finish));

// Primary to the next replica, and on: one entry of a group's log. RepairPrepare has the same rows.
inline constexpr auto prepare_head = std::to_array<Field>({
    describe::u128(128, "client", "Consensus client id of who asked; special values from servers")
        .identity().shown_as(Shape::hex),
    describe::u128(144, "parent", "Identity of the entry before this one; zero for the first")
        .shown_as(Shape::hex),
    describe::u128(160, "request_checksum", "As in the client's request, so not of this body")
        .shown_as(Shape::hex),
    describe::u64( 176, "op", "Log position in this group, from 1 on"),
    describe::u64( 184, "commit", "How far the primary had committed when it built this"),
    describe::u64( 192, "timestamp", "Clock of the primary, always rising in one group")
        .shown_as(Shape::microseconds),
    describe::u64( 200, "request", "Request number; 0 for Register, all ones when a server asked"),
    describe::u8(  208, "operation", "Operation as replicated").named(operation_names),
    operation_padding(209),
    consensus_group(216),
    describe::u32( 224, "user_id", "User who acts; zero where a server acts").identity(),
});
inline constexpr auto prepare_rows = with_frame(prepare_head, std::to_array<Field>({
    reserved(228, 256),
}));
inline constexpr Layout prepare{"prepare", "Prepare", prepare_rows};
static_assert(is_header(prepare));

// Replica to primary: the entry is stored.
inline constexpr auto prepare_ok_rows = with_frame(std::to_array<Field>({
    describe::u128(128, "parent", "Echo of the Prepare").shown_as(Shape::hex),
    describe::u128(144, "prepare_checksum", "Identity of the Prepare that is acknowledged")
        .shown_as(Shape::hex),
    describe::u64( 160, "op", "Echo of the Prepare"),
    describe::u64( 168, "commit", "How far the sender knows of commits"),
    describe::u64( 176, "timestamp", "Echo of the Prepare").shown_as(Shape::microseconds),
    describe::u64( 184, "request", "Echo of the Prepare"),
    describe::u8(  192, "operation", "Echo of the Prepare").named(operation_names),
    operation_padding(193),
    consensus_group(200),
    reserved(208, 256),
}));
inline constexpr Layout prepare_ok{"prepare_ok", "Prepare Ok", prepare_ok_rows};
static_assert(is_header(prepare_ok));

// Primary to all: the heartbeat of a group.
inline constexpr auto commit_head = std::to_array<Field>({
    describe::u128(128, "commit_checksum", "Never set").shown_as(Shape::hex),
    describe::u64( 144, "timestamp_monotonic", "Counts the heartbeats of the group; not a clock"),
    describe::u64( 152, "commit", "Highest operation that the primary has executed"),
    describe::u64( 160, "checkpoint_op", "Never set"),
    consensus_group(168),
});
inline constexpr auto commit_rows = with_frame(commit_head, std::to_array<Field>({
    reserved(176, 256),
}));
inline constexpr Layout commit{"commit", "Commit", commit_rows};
static_assert(is_header(commit));

// Replica to all: the primary is silent.
inline constexpr auto start_view_change_head = std::to_array<Field>({
    consensus_group(128),
});
inline constexpr auto start_view_change_rows =
    with_frame(start_view_change_head, std::to_array<Field>({
    reserved(136, 256),
}));
inline constexpr Layout start_view_change{"start_view_change", "Start View Change",
                                          start_view_change_rows};
static_assert(is_header(start_view_change));

// Replica to all: its log, for the new primary. The body holds headers of Prepares.
inline constexpr auto do_view_change_head = std::to_array<Field>({
    describe::u64( 128, "op", "Highest operation in the log of the sender"),
    describe::u64( 136, "commit", "Highest commit that the sender knows, at most op"),
    consensus_group(144),
    describe::u32( 152, "log_view", "Last view in which the sender took part as usual"),
});
inline constexpr auto do_view_change_bitsets = std::to_array<Field>({
    describe::u128(224, "nack_bitset", "Bit i: the sender never prepared operation op - i")
        .shown_as(Shape::hex),
    describe::u128(240, "present_bitset", "Bit i: the sender has the body of operation op - i")
        .shown_as(Shape::hex),
});
inline constexpr auto do_view_change_rows = with_frame(do_view_change_head, std::to_array<Field>({
    reserved(156, 224),
}), do_view_change_bitsets);
inline constexpr Layout do_view_change{"do_view_change", "Do View Change", do_view_change_rows,
                                       "op {op}"};
static_assert(is_header(do_view_change));

// New primary to all, or primary to one replica that asked. The body holds headers of Prepares.
inline constexpr auto start_view_head = std::to_array<Field>({
    describe::u64( 128, "op", "Highest operation in the log of the new view"),
    describe::u64( 136, "commit", "Highest commit that the primary knows"),
    consensus_group(144),
});
inline constexpr auto start_view_incarnation = std::to_array<Field>({
    describe::u128(240, "incarnation", "Incarnation of the replica that asked; zero if none did")
        .shown_as(Shape::hex),
});
inline constexpr auto start_view_rows = with_frame(start_view_head, std::to_array<Field>({
    reserved(152, 240),
}), start_view_incarnation);
inline constexpr Layout start_view{"start_view", "Start View", start_view_rows, "op {op}"};
static_assert(is_header(start_view));

// Replica that starts or lags to all: which view is it?
inline constexpr auto request_start_view_head = std::to_array<Field>({
    consensus_group(128),
});
inline constexpr auto request_start_view_incarnation = std::to_array<Field>({
    describe::u128(240, "incarnation", "Random for each start of the replica; zero for partitions")
        .shown_as(Shape::hex),
});
inline constexpr auto request_start_view_rows =
    with_frame(request_start_view_head, std::to_array<Field>({
    reserved(136, 240),
}), request_start_view_incarnation);
inline constexpr Layout request_start_view{"request_start_view", "Request Start View",
                                           request_start_view_rows};
static_assert(is_header(request_start_view));

// clang-format on

}  // namespace iggy::v0_11
