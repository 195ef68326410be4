// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Bodies of Prepare and RepairPrepare that are not those of the client's request.
//
// Source: core/metadata/src/stm and core/partitions/src.
#pragma once

#include <array>

#include "describe/field.hpp"
#include "iggy/bodies/batches.hpp"
#include "iggy/bodies/encodings.hpp"
#include "iggy/bodies/partitions.hpp"
#include "iggy/bodies/targets.hpp"
#include "iggy/bodies/topics.hpp"
#include "iggy/frame.hpp"
#include "iggy/login.hpp"

namespace iggy::bodies {

using describe::Field;
using describe::Layout;
using describe::Shape;
using describe::Thing;

// clang-format off

inline constexpr auto created_partition_assignment_rows = std::to_array<Field>({
    describe::u32("partition_id", "The partition; of added ones counted from the next free id"),
    describe::u64("consensus_group_id", "A running number, not the group of a header"),
});
inline constexpr Layout created_partition_assignment{
    "created_partition_assignment", "Created Partition Assignment",
    created_partition_assignment_rows};

inline constexpr auto request_length_row = std::to_array<Field>({
    describe::u32("request_length", "Bytes of the request").counts(),
});
inline constexpr auto topic_request_rows = joined(request_length_row, std::to_array<Field>({
    describe::group("request", topic_create, "The request, its options rewritten").in_room(),
    describe::group("derived_options", prefixed_options, "What the server has filled in"),
}));
inline constexpr auto partitions_count_row = std::to_array<Field>({
    describe::u32("partitions_count", "Partitions that follow").counts(),
});

inline constexpr auto assignment_rows = joined(partitions_count_row, std::to_array<Field>({
    describe::repeat("partitions", created_partition_assignment, "Partitions that are created"),
    describe::u32("created_view", "View that admitted it; absent up to 0.11.0-edge.6").optional(),
}));

// 64
inline constexpr auto create_topic_with_assignments_rows =
    joined(topic_request_rows, assignment_rows);
inline constexpr Layout create_topic_with_assignments{
    "create_topic_with_assignments", "Create Topic With Assignments",
    create_topic_with_assignments_rows, "{request}"};

// 65
inline constexpr auto create_partitions_with_assignments_rows = joined(
    request_length_row, std::to_array<Field>({
    describe::group("request", partition_create, "The request").in_slack_room(),
}), assignment_rows);
inline constexpr Layout create_partitions_with_assignments{
    "create_partitions_with_assignments", "Create Partitions With Assignments",
    create_partitions_with_assignments_rows, "{request}"};

inline constexpr auto group_client_row = std::to_array<Field>({
    describe::u128("client_id", "The member").identity().shown_as(Shape::hex),
});

// 66
inline constexpr auto remove_consumer_group_member_rows = group_client_row;
inline constexpr Layout remove_consumer_group_member{
    "remove_consumer_group_member", "Remove Consumer Group Member",
    remove_consumer_group_member_rows, "client {client_id}"};

// 67; the group is a number here, and a wide one
inline constexpr auto complete_consumer_group_revocation_rows = joined(
    topic_rows, std::to_array<Field>({
    describe::u64("group_id", "The consumer group").identifies(Thing::consumer_group),
    describe::u128("source_client_id", "Member that gives the partition away")
        .identity().shown_as(Shape::hex),
    describe::u32("partition_id", "The partition"),
}));
inline constexpr Layout complete_consumer_group_revocation{
    "complete_consumer_group_revocation", "Complete Consumer Group Revocation",
    complete_consumer_group_revocation_rows,
    "{stream_id}/{topic_id}[{partition_id}] group {group_id}"};

// 68
inline constexpr auto truncate_partition_rows = joined(topic_rows, std::to_array<Field>({
    describe::u32("partition_id", "The partition"),
    describe::u64("up_to_offset", "Where it begins from now on; 0: nothing to delete"),
}));
inline constexpr Layout truncate_partition{
    "truncate_partition", "Truncate Partition", truncate_partition_rows,
    "{stream_id}/{topic_id}[{partition_id}] to {up_to_offset}"};

// 146; the token itself is never replicated
inline constexpr auto create_token_rows = std::to_array<Field>({
    describe::u32("user_id", "Whose token it is").identity(),
    describe::group("name", login::name, "Name of the new token"),
    describe::u64("expiry", "Microseconds that it lasts; 0 and all ones: for ever")
        .shown_as(Shape::duration),
    describe::text(64, "token_hash", "BLAKE3 of the token, in hex").secret(),
});
inline constexpr Layout create_token{
    "create_personal_access_token", "Create Personal Access Token", create_token_rows,
    "\"{name}\" for user {user_id}"};

// 147
inline constexpr auto delete_token_rows = std::to_array<Field>({
    describe::u32("user_id", "Whose token it is").identity(),
    describe::group("name", login::name, "Name of the token"),
    truth("only_if_expired", "Set by the server that cleans up"),
});
inline constexpr Layout delete_token{
    "delete_personal_access_token", "Delete Personal Access Token", delete_token_rows,
    "\"{name}\" for user {user_id}"};

// 148
inline constexpr auto join_group_rows = joined(group_rows, group_client_row, std::to_array<Field>({
    describe::u32("in_flight_count", "Partitions that follow").counts(),
    describe::u32("in_flight", "Partitions with messages that are polled and not committed")
        .counted(),
}));
inline constexpr Layout join_group{"join_consumer_group", "Join Consumer Group", join_group_rows,
    "{stream_id}/{topic_id} group {group_id}"};

// 149
inline constexpr auto leave_group_rows = joined(group_rows, group_client_row);
inline constexpr Layout leave_group{
    "leave_consumer_group", "Leave Consumer Group", leave_group_rows,
    "{stream_id}/{topic_id} group {group_id}"};

// ConsumerSessionHeartbeat and, from 0.12 on, SessionRetirementProgress
inline constexpr auto heartbeat_session_rows = std::to_array<Field>({
    describe::u128("client_id", "Client of the session")
        .at_least(1).identity().shown_as(Shape::hex),
    describe::u64("session", "The session").at_least(1),
});
inline constexpr Layout heartbeat_session{"heartbeat_session", "Heartbeat Session",
                                          heartbeat_session_rows};
inline constexpr auto heartbeat_sessions_rows = std::to_array<Field>({
    describe::group("sessions", heartbeat_session, "Sessions that it is about").to_end(),
});
inline constexpr Layout heartbeat_sessions{"heartbeat_sessions", "Heartbeat Sessions",
                                           heartbeat_sessions_rows};

// Of an operation whose body nobody has described: replicas send something, and it is no error.
inline constexpr Layout unpublished{"unpublished", "Body That Is Not Published", {}};

// 160; without the metadata
inline constexpr auto send_messages_rows = std::to_array<Field>({
    describe::group("batch", batch, "The messages, as they are stored"),
});
inline constexpr Layout send_messages{"send_messages", "Send Messages", send_messages_rows,
    "{batch.message_count|message} from {batch.base_offset}"};

// clang-format on

}  // namespace iggy::bodies
