// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What replicas of 0.12 send each other: bodies of Prepare and RepairPrepare that are not those of
// the client's request, and of control frames.
//
// Source: core/binary_protocol/src/consensus of crate 0.11.1-edge.8.
#pragma once

#include <array>

#include "describe/field.hpp"
#include "iggy/bodies/encodings.hpp"
#include "iggy/bodies/offsets.hpp"
#include "iggy/bodies/partitions.hpp"
#include "iggy/bodies/replicated.hpp"
#include "iggy/bodies/users.hpp"
#include "iggy/frame.hpp"
#include "iggy/login.hpp"
#include "iggy/v0_11/log_suffix.hpp"
#include "iggy/v0_12/bodies/batches.hpp"
#include "iggy/v0_12/bodies/change_records.hpp"
#include "iggy/v0_12/bodies/resources.hpp"
#include "iggy/v0_12/replica_headers.hpp"

namespace iggy::v0_12 {

using describe::Field;
using describe::Layout;
using describe::Shape;
using describe::Thing;

// clang-format off

// 1, and ForwardRegister
inline constexpr auto register_body_rows = std::to_array<Field>({
    describe::u64("user_created_at", "When the account was created; ids are used again")
        .shown_as(Shape::microseconds),
    describe::bytes(32, "bind_verifier", "What the bind secret is held against").secret(),
});
inline constexpr Layout register_body{"register_body", "Register Body", register_body_rows};
inline constexpr auto register_session_rows = std::to_array<Field>({
    describe::group("register", register_body, "The session that opens"),
});
inline constexpr Layout register_session{"register_session", "Register Session",
                                         register_session_rows};

inline constexpr auto created_partition_assignment_rows = joined(
    bodies::created_partition_assignment_rows, std::to_array<Field>({
    describe::u32("initial_view", "View in which the partition begins"),
}));
inline constexpr Layout created_partition_assignment{
    "created_partition_assignment", "Created Partition Assignment of 0.12",
    created_partition_assignment_rows};
inline constexpr auto assignment_members_rows = std::to_array<Field>({
    describe::u8("group_size", "Nodes of each partition").at_least(1),
    describe::rest("node_ids", "Nodes of the first partition, then of the next"),
});
inline constexpr Layout assignment_members{"assignment_members", "Assignment Members",
                                           assignment_members_rows};
inline constexpr auto assignment_rows = joined(
    bodies::partitions_count_row, std::to_array<Field>({
    describe::repeat("partitions", created_partition_assignment, "Partitions that are created"),
    describe::group("members", assignment_members, "Who keeps them; absent up to 0.12.1")
        .optional(),
}));

// 64
inline constexpr auto create_topic_with_assignments_rows =
    joined(bodies::topic_request_rows, assignment_rows);
inline constexpr Layout create_topic_with_assignments{
    "create_topic_with_assignments", "Create Topic With Assignments of 0.12",
    create_topic_with_assignments_rows,
    bodies::create_topic_with_assignments.subject};

// 65
inline constexpr auto create_partitions_with_assignments_rows = joined(
    bodies::request_length_row, std::to_array<Field>({
    describe::group("request", bodies::partition_create, "The request").in_room(),
}), assignment_rows);
inline constexpr Layout create_partitions_with_assignments{
    "create_partitions_with_assignments", "Create Partitions With Assignments of 0.12",
    create_partitions_with_assignments_rows,
    bodies::create_partitions_with_assignments.subject};

// 167
inline constexpr auto consumer_group_owner_rows = std::to_array<Field>({
    describe::u128("client_id", "Client that reads; 0: nobody")
        .selects().identity().shown_as(Shape::hex),
    describe::u64("session", "Zero without a client").on(0).at_most(0),
    describe::u64("session", "Session of the client").unless(0).at_least(1),
    describe::u64("generation", "Counts the owners"),
});
inline constexpr Layout consumer_group_owner{"consumer_group_owner", "Consumer Group Owner",
                                             consumer_group_owner_rows};
inline constexpr auto install_owner_rows = std::to_array<Field>({
    describe::u64("incarnation", "Log position at which the partition was created"),
    describe::u64("group_id", "The consumer group").identifies(Thing::consumer_group),
    describe::group("owner", consumer_group_owner, "Who reads the partition now"),
    describe::u64("metadata_op", "Metadata op that decided it").at_least(1),
});
inline constexpr Layout install_owner{"install_owner", "Install Owner", install_owner_rows,
    "group {group_id} to client {owner.client_id}"};
inline constexpr auto install_consumer_group_owner_rows = std::to_array<Field>({
    describe::group("installation", install_owner, "Who reads the partition now"),
});
inline constexpr Layout install_consumer_group_owner{
    "install_consumer_group_owner", "Install Consumer Group Owner",
    install_consumer_group_owner_rows,
    "{installation}"};

// 67
inline constexpr auto revocation_completion_rows = joined(
    bodies::topic_rows, std::to_array<Field>({
    describe::u32("partition_id", "The partition"),
    describe::group("installation", install_owner, "Who reads the partition now"),
    describe::u64("partition_op", "Op of the partition that did it"),
}));
inline constexpr Layout revocation_completion{
    "revocation_completion", "Revocation Completion", revocation_completion_rows,
    "{stream_id}/{topic_id}[{partition_id}] {installation}"};
inline constexpr auto complete_consumer_group_revocation_rows = std::to_array<Field>({
    describe::group("completion", revocation_completion, "What is done"),
});
inline constexpr Layout complete_consumer_group_revocation{
    "complete_consumer_group_revocation", "Complete Consumer Group Revocation of 0.12",
    complete_consumer_group_revocation_rows,
    "{completion}"};

// 70
inline constexpr auto retirement_debt_rows = std::to_array<Field>({
    describe::u64("namespace", "Group of the partition").shown_as(Shape::hex),
    describe::u64("created_revision", "Log position at which the partition was created"),
});
inline constexpr Layout retirement_debt{"retirement_debt", "Retirement Debt", retirement_debt_rows};
inline constexpr auto debt_section_rows = std::to_array<Field>({
    describe::u32("count", "Partitions that follow").at_least(1).counts(),
    describe::repeat("entries", retirement_debt, "Partitions that could not prove it"),
});
inline constexpr Layout debt_section{"debt_section", "Debt Section", debt_section_rows};
inline constexpr auto finalize_session_rows = std::to_array<Field>({
    describe::group("identity", login::session_identity, "The session that is over"),
    describe::u64("namespace_revision", "Which partitions there were"),
    describe::group("debt", debt_section, "What is left to do; absent up to 0.12.1").optional(),
});
inline constexpr Layout finalize_session{
    "finalize_session", "Finalize Session", finalize_session_rows,
    "client {identity.client_id}, session {identity.session}"};

// 71
inline constexpr auto lifecycle_completion_rows = std::to_array<Field>({
    describe::u32("topic_id", "The topic").identifies(Thing::topic),
    describe::u32("partition_id", "The partition"),
    describe::u64("partition_op", "Op of the partition that did it"),
});
inline constexpr Layout lifecycle_completion{
    "lifecycle_completion", "Lifecycle Completion", lifecycle_completion_rows,
    "{topic_id}[{partition_id}]"};
inline constexpr auto lifecycle_batch_rows = std::to_array<Field>({
    describe::u64("metadata_op", "Metadata op that asked for it"),
    describe::u32("stream_id", "The stream").identifies(Thing::stream),
    describe::u32("count", "Partitions that follow").counts(),
    describe::repeat("completions", lifecycle_completion, "Partitions that are done"),
});
inline constexpr Layout lifecycle_batch{"lifecycle_batch", "Lifecycle Batch", lifecycle_batch_rows,
    "stream {stream_id}: {completions}"};
inline constexpr auto complete_lifecycle_rows = std::to_array<Field>({
    describe::group("batch", lifecycle_batch, "What is done"),
});
inline constexpr Layout complete_lifecycle{
    "complete_lifecycle", "Complete Lifecycle", complete_lifecycle_rows,
    "{batch}"};

inline constexpr auto resolved_options_rows = std::to_array<Field>({
    describe::group("explicit_options", bodies::prefixed_options, "What is set"),
    describe::group("derived_options", bodies::prefixed_options, "What gets its default back"),
});
inline constexpr auto optional_name_rows = joined(flag_row, std::to_array<Field>({
    describe::group("value", login::name, "The name").on(1),
}));
inline constexpr Layout optional_name{"optional_name", "Optional Name", optional_name_rows};
inline constexpr auto optional_name_row = std::to_array<Field>({
    describe::group("name", optional_name, "Its name from now on"),
});

// 72
inline constexpr auto update_stream_resolved_rows =
    joined(bodies::stream_row, optional_name_row, resolved_options_rows);
inline constexpr Layout update_stream_resolved{
    "update_stream_resolved", "Update Stream Resolved", update_stream_resolved_rows,
    "{stream_id} to \"{name.value}\" "
    "{explicit_options.options} reset {derived_options.options.key}"};

// 73
inline constexpr auto update_topic_resolved_rows =
    joined(bodies::topic_rows, optional_name_row, resolved_options_rows);
inline constexpr Layout update_topic_resolved{
    "update_topic_resolved", "Update Topic Resolved", update_topic_resolved_rows,
    "{stream_id}/{topic_id} to \"{name.value}\" "
    "{explicit_options.options} reset {derived_options.options.key}"};

// 74
inline constexpr auto optional_account_name_rows = joined(flag_row, std::to_array<Field>({
    describe::group("value", login::account_name, "The name").on(1),
}));
inline constexpr Layout optional_account_name{"optional_account_name", "Optional Account Name",
                                              optional_account_name_rows};
inline constexpr auto update_user_resolved_rows = joined(
    bodies::user_row, std::to_array<Field>({
    describe::group("username", optional_account_name, "The user's name from now on"),
    describe::u8("has_status", "Whether a status follows")
        .at_most(1).named(bodies::presence).selects(),
    describe::u8("status", "Whether the user may log in").on(1).named(bodies::user_statuses),
}), resolved_options_rows);
inline constexpr Layout update_user_resolved{
    "update_user_resolved", "Update User Resolved", update_user_resolved_rows,
    "{user_id} to \"{username.value}\" {status} "
    "{explicit_options.options} reset {derived_options.options.key}"};

// 75
inline constexpr describe::Name stream_key_origins[] = {{1, "client"}, {2, "server"}};
inline constexpr auto stream_key_envelope_rows = std::to_array<Field>({
    describe::u8("version", "1"),
    describe::u8("origin", "Whose key it is").named(stream_key_origins),
    describe::bytes(8, "kek_fingerprint", "Which key encrypts the key"),
    describe::bytes(12, "nonce", "Of the encryption"),
    describe::bytes(32, "ciphertext", "The key, encrypted").secret(),
    describe::bytes(16, "tag", "Of the encryption"),
    describe::bytes(8, "key_fingerprint", "Which key it is"),
});
inline constexpr Layout stream_key_envelope{"stream_key_envelope", "Stream Key Envelope",
                                            stream_key_envelope_rows};
inline constexpr auto rewrap_entry_rows = std::to_array<Field>({
    describe::u32("stream_id", "The stream").identifies(Thing::stream),
    describe::u64("created_op", "Metadata op that created it"),
    describe::bytes(8, "key_fingerprint", "Which key it is"),
    describe::u8("set_length", "Bytes of the keys").at_least(1).at_most(234).counts(),
    describe::group("wrap_set", stream_key_envelope, "The key, encrypted with each key")
        .to_end().in_room(),
});
inline constexpr Layout rewrap_entry{"rewrap_entry", "Rewrap Entry", rewrap_entry_rows,
    "{stream_id}"};
inline constexpr auto rewrap_stream_keys_rows = std::to_array<Field>({
    describe::u32("count", "Streams that follow").counts(),
    describe::repeat("entries", rewrap_entry, "Keys that are encrypted anew"),
});
inline constexpr Layout rewrap_stream_keys{
    "rewrap_stream_keys", "Rewrap Stream Keys", rewrap_stream_keys_rows,
    "{count|stream}: {entries}"};

// 160
inline constexpr auto send_messages_rows = std::to_array<Field>({
    describe::group("batch", batch, "The messages, as they are stored"),
});
inline constexpr Layout send_messages{"send_messages", "Send Messages of 0.12", send_messages_rows,
    bodies::send_messages.subject};

// 161 and 162
inline constexpr auto owner_generation_row = std::to_array<Field>({
    describe::u64("owner_generation", "Generation of the group's member, added by the primary"),
});
inline constexpr auto store_consumer_offset_rows =
    joined(bodies::consumer_offset_store_rows, owner_generation_row);
inline constexpr Layout store_consumer_offset{
    "store_consumer_offset", "Store Consumer Offset", store_consumer_offset_rows,
    bodies::consumer_offset_store.subject};
inline constexpr auto delete_consumer_offset_rows =
    joined(bodies::consumer_offset_delete_rows, owner_generation_row);
inline constexpr Layout delete_consumer_offset{
    "delete_consumer_offset", "Delete Consumer Offset", delete_consumer_offset_rows,
    bodies::consumer_offset_delete.subject};

// 166; sessions of 32 bytes and, from 0.12.2 on, perhaps a number behind them
inline constexpr auto retire_session_rows = std::to_array<Field>({
    describe::rest("body", "Sessions that are over").identity(),
});
inline constexpr Layout retire_session{"retire_session", "Retire Session", retire_session_rows};

// 168
inline constexpr auto history_rows = std::to_array<Field>({
    describe::u64("incarnation", "Log position at which the partition was created"),
    describe::u64("metadata_op", "Metadata op that decided it").at_least(1),
});
inline constexpr Layout transition_partition_history{
    "transition_partition_history", "Transition Partition History", history_rows};

// 169
inline constexpr auto retire_consumer_group_owners_rows = joined(
    history_rows, std::to_array<Field>({
    describe::u64("next_group_id", "Above all groups that there have been"),
    describe::u32("count", "Groups that follow").at_most(1048576).counts(),
    describe::u64("live_group_ids", "Groups that are left").counted(),
}));
inline constexpr Layout retire_consumer_group_owners{
    "retire_consumer_group_owners", "Retire Consumer Group Owners",
    retire_consumer_group_owners_rows,
    "below {next_group_id} all but {live_group_ids}"};

// DoViewChange and StartView
inline constexpr auto prepare_header_rows = following(prepare_rows);
inline constexpr Layout prepare_header{"prepare_header", "Header of a Prepare of 0.12",
                                       prepare_header_rows, v0_11::prepare_header_subject};
inline constexpr auto log_suffix_rows = std::to_array<Field>({
    v0_11::suffix_headers(prepare_header),
});
inline constexpr Layout log_suffix{"log_suffix", "Log Suffix of 0.12", log_suffix_rows,
                                   v0_11::log_suffix.subject};

// PrimaryRebalance, from 0.12.2 on
inline constexpr auto partition_status_entry_rows = std::to_array<Field>({
    describe::u64("namespace", "Group of the partition").shown_as(Shape::hex),
    describe::u64("created_revision", "Log position at which the partition was created"),
    describe::u32("view", "View of the group"),
    describe::u64("commit", "Last op that is committed"),
    describe::u64("current_offset", "Newest committed offset"),
    describe::u64("messages_count", "Messages that it holds"),
    describe::u64("size_bytes", "Bytes that it holds"),
    describe::u32("segments_count", "Segments on disk"),
    describe::u32("in_sync_nodes", "Nodes that are in sync; bit n: node n").shown_as(Shape::hex),
});
inline constexpr Layout partition_status_entry{"partition_status_entry", "Partition Status Entry",
                                               partition_status_entry_rows};
inline constexpr auto partition_statuses_rows = std::to_array<Field>({
    describe::group("partitions", partition_status_entry, "Partitions that the node leads")
        .to_end(),
});
inline constexpr Layout partition_statuses{"partition_statuses", "Partition Statuses",
                                           partition_statuses_rows};

// clang-format on

}  // namespace iggy::v0_12
