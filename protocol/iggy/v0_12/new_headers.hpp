// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Headers between replicas that are new in protocol 0.12: commands 30 to 36.
//
// 35 and 36 came with 0.12.2. Source: core/binary_protocol/src/consensus/header.rs of the crates
// from 0.11.1-edge.2 on.
#pragma once

#include <array>
#include <cstdint>

#include "describe/field.hpp"
#include "iggy/enums.hpp"
#include "iggy/frame.hpp"
#include "iggy/operations.hpp"
#include "iggy/v0_11/repair_headers.hpp"

namespace iggy::v0_12 {

using describe::Field;
using describe::Layout;
using describe::Shape;

// Not the 128-bit `incarnation` of a replica's start, which StartView and RequestStartView carry.
constexpr Field partition_incarnation(std::uint16_t at) {
  return describe::u64(at, "partition_incarnation",
                       "Metadata op that created the partition; 0 for the metadata group");
}

// clang-format off

// ConsumerSessionHeartbeat and SessionRetirementProgress: the body lists sessions.
inline constexpr auto session_report_rows = with_frame(v0_11::consumer_session_heartbeat_head,
                                                       std::to_array<Field>({
    reserved(129, 248),
    describe::u64( 248, "namespace_revision", "Partitions are swept up to this; zero in 30"),
}));
inline constexpr Layout consumer_session_heartbeat{"consumer_session_heartbeat",
                                                   "Consumer Session Heartbeat of 0.12",
                                                   session_report_rows};
static_assert(is_header(consumer_session_heartbeat));
inline constexpr Layout session_retirement_progress{"session_retirement_progress",
                                                    "Session Retirement Progress",
                                                    session_report_rows};
static_assert(is_header(session_retirement_progress));

// Backup to metadata primary: propose this.
inline constexpr auto forward_completion_rows = with_frame(std::to_array<Field>({
    describe::u16( 128, "reporter", "Shard that built the batch; zero for operation 67"),
    describe::u8(  130, "operation", "What the primary shall propose").named(operation_names),
    reserved(131, 256),
}));
inline constexpr Layout forward_completion{"forward_completion", "Forward Completion",
                                           forward_completion_rows};
static_assert(is_header(forward_completion));

// Metadata primary and replicas, both ways: where the primary of a partition shall be.
inline constexpr auto primary_rebalance_rows = with_frame(std::to_array<Field>({
    correlation_nonce(128),
    describe::u64( 144, "namespace", "Packed group of the partition; zero for kinds 0 and 1")
        .shown_as(Shape::hex),
    describe::u64( 152, "created_revision", "Incarnation of the partition; zero for kinds 0 and 1"),
    describe::u64( 160, "commit", "How far the group has committed; zero for kind 1"),
    describe::u64( 168, "quorum_age_ns", "Age of the quorum's word in ns; all ones: none"),
    describe::u32( 176, "partition_view", "View of the partition's group; zero for kinds 0 and 1"),
    describe::u8(  180, "kind", "What is asked or told").named(primary_rebalance_kinds),
    describe::u8(  181, "ready", "1: the replica that answers is ready"),
    describe::u8(  182, "target", "Replica that takes over; zero unless kind 6"),
    reserved(183, 256),
}));
inline constexpr Layout primary_rebalance{"primary_rebalance", "Primary Rebalance",
                                          primary_rebalance_rows};
static_assert(is_header(primary_rebalance));

// Metadata side and the primary of a partition, both ways: which segments may go.
inline constexpr auto segment_delete_rows = with_frame(std::to_array<Field>({
    correlation_nonce(128),
    describe::u64( 144, "namespace", "Packed group of the partition").shown_as(Shape::hex),
    describe::u64( 152, "created_revision", "Incarnation of the partition"),
    describe::u64( 160, "minimum_metadata_op", "Metadata op that who answers must have applied"),
    describe::u64( 168, "up_to_offset", "Segments below this offset go; zero unless kind 1"),
    describe::u32( 176, "segments_count", "Segments that the client wants deleted"),
    describe::u8(  180, "kind", "What is asked or told").named(segment_delete_kinds),
    reserved(181, 256),
}));
inline constexpr Layout segment_delete{"segment_delete", "Segment Delete", segment_delete_rows};
static_assert(is_header(segment_delete));

// Backup to primary: answers a Commit.
inline constexpr auto commit_reply_rows = with_frame(std::to_array<Field>({
    describe::u64(128, "timestamp_monotonic", "Echo of the Commit's counter"),
    consensus_group(136),
    partition_incarnation(144),
    reserved(152, 256),
}));
inline constexpr Layout commit_reply{"commit_reply", "Commit Reply", commit_reply_rows};
static_assert(is_header(commit_reply));

// Primary to backup and back: how much of the log is there. The nonce has 8 bytes here.
inline constexpr auto prepare_progress_rows = with_frame(std::to_array<Field>({
    describe::u64(128, "nonce", "Ties the reply to the probe").shown_as(Shape::hex),
    consensus_group(136),
    partition_incarnation(144),
    describe::u64(152, "observed_op", "Operation that the probe is about; echoed"),
    describe::u64(160, "received_op", "End of what counts as acknowledged; at most held_op"),
    describe::u64(168, "held_op", "End of what is held with proof in this view"),
    describe::u64(176, "commit_op", "How far the primary has applied; in a probe"),
    describe::u8( 184, "kind", "Which way it goes").named(prepare_progress_kinds),
    describe::u8( 185, "ready", "1: received_op is certain"),
    reserved(186, 256),
}));
inline constexpr Layout prepare_progress{"prepare_progress", "Prepare Progress",
                                         prepare_progress_rows};
static_assert(is_header(prepare_progress));

// clang-format on

}  // namespace iggy::v0_12
