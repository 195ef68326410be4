// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What readers and writers of a partition have to name in 0.12, and what nodes tell of one: command
// 105, and rows of others.
//
// Source: core/binary_protocol/src/responses of crate 0.11.1-edge.8.
#pragma once

#include <array>

#include "describe/field.hpp"
#include "iggy/bodies/partitions.hpp"
#include "iggy/bodies/reply.hpp"
#include "iggy/bodies/targets.hpp"
#include "iggy/frame.hpp"

namespace iggy::v0_12 {

using describe::Field;
using describe::Layout;

// clang-format off

inline constexpr auto partition_context_rows = std::to_array<Field>({
    describe::u64("incarnation", "Log position at which the partition was created"),
    describe::u64("owner_generation", "Generation of the group's member; 0 without a group"),
    describe::u64("metadata_op", "Metadata op that the node has applied"),
});
inline constexpr Layout partition_context{"partition_context", "Partition Context",
                                          partition_context_rows};

inline constexpr auto context_row = std::to_array<Field>({
    describe::group("context", partition_context, "What the next request has to name"),
});

// Of all builds up to 0.12.1. Those behind it list nodes, so that no entry is as short.
inline constexpr auto partition_info_64_rows = joined(bodies::partition_info_rows, context_row);
inline constexpr Layout partition_info_64{"partition_info", "Partition Info of 0.12.0",
                                          partition_info_64_rows};

inline constexpr auto partition_info_rows = joined(partition_info_64_rows, std::to_array<Field>({
    describe::u8("members_count", "Nodes that follow").counts(),
    describe::u8("members", "Nodes that keep the partition").counted(),
    describe::u8("in_sync_count", "Nodes that follow").counts(),
    describe::u8("in_sync_members", "Those that were in sync last").counted(),
}));
inline constexpr Layout partition_info{"partition_info", "Partition Info of 0.12",
                                       partition_info_rows};

// 105
inline constexpr auto partition_route_rows = joined(bodies::topic_rows, std::to_array<Field>({
    describe::u32("partition_id", "The partition"),
}));
inline constexpr Layout partition_route{"partition_route", "Partition Route", partition_route_rows,
    "{stream_id}/{topic_id}[{partition_id}]"};
inline constexpr auto partition_route_reply_rows = std::to_array<Field>({
    describe::u64("incarnation", "Log position at which the partition was created"),
    describe::u64("metadata_op", "Metadata op that the node has applied"),
    describe::u32("view", "View of the partition's group, as the node knows it"),
    describe::u32("partitions_count", "Partitions of the topic"),
    describe::u8("primary_replica", "Node that leads the partition, by its replica_id"),
});
inline constexpr Layout partition_route_reply{
    "partition_route_reply", "Partition Route Reply", partition_route_reply_rows,
    "led by node {primary_replica}, view {view}"};
inline constexpr auto partition_route_reply_body_rows = bodies::with_payload(partition_route_reply);
inline constexpr Layout partition_route_reply_body{"reply_body", "Reply to partition.route",
                                                   partition_route_reply_body_rows};

// clang-format on

}  // namespace iggy::v0_12
