// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Consumer groups: commands 600 to 606.
//
// Source: core/binary_protocol/src/requests/consumer_groups and
// core/binary_protocol/src/responses/consumer_groups.
#pragma once

#include <array>

#include "describe/field.hpp"
#include "iggy/bodies/reply.hpp"
#include "iggy/bodies/targets.hpp"
#include "iggy/frame.hpp"
#include "iggy/login.hpp"

namespace iggy::bodies {

using describe::Field;
using describe::Layout;
using describe::Thing;

// clang-format off

inline constexpr auto consumer_group_header_rows = std::to_array<Field>({
    describe::u32("id", "The group").identifies(Thing::consumer_group),
    describe::u32("partitions_count", "Partitions of the topic"),
    describe::u32("members_count", "Members of the group").counts(),
    describe::group("name", login::name, "Its name").identifies(Thing::consumer_group),
});
inline constexpr Layout consumer_group_header{"consumer_group_header", "Consumer Group Header",
                                              consumer_group_header_rows};

inline constexpr auto consumer_group_member_rows = std::to_array<Field>({
    describe::u32("id", "Place in the group; not the id of a client"),
    describe::u32("partitions_count", "Partitions of the member").counts(),
    describe::u32("partitions", "Partitions that it reads").counted(),
});
inline constexpr Layout consumer_group_member{"consumer_group_member", "Consumer Group Member",
                                              consumer_group_member_rows};

inline constexpr auto consumer_group_details_rows = std::to_array<Field>({
    describe::group("group", consumer_group_header, "The group").counts(),
    describe::repeat("members", consumer_group_member, "Its members"),
});
inline constexpr Layout consumer_group_details{"consumer_group_details", "Consumer Group Details",
                                               consumer_group_details_rows};

// 600
inline constexpr auto consumer_group_get_rows = group_rows;
inline constexpr Layout consumer_group_get{
    "consumer_group_get", "Consumer Group Get", consumer_group_get_rows,
    "{stream_id}/{topic_id} group {group_id}"};
inline constexpr auto consumer_group_get_reply_rows = std::to_array<Field>({
    describe::group("details", consumer_group_details, "The group with its members"),
});
inline constexpr Layout consumer_group_get_reply{
    "consumer_group_get_reply", "Consumer Group Get Reply", consumer_group_get_reply_rows,
    "id {details.group.id} \"{details.group.name}\", {details.group.members_count|member}"};
inline constexpr auto consumer_group_get_reply_body_rows = with_payload(consumer_group_get_reply);
inline constexpr Layout consumer_group_get_reply_body{"reply_body", "Reply to consumer_group.get",
                                                      consumer_group_get_reply_body_rows};

// 601
inline constexpr auto consumer_group_list_rows = topic_rows;
inline constexpr Layout consumer_group_list{
    "consumer_group_list", "Consumer Group List", consumer_group_list_rows,
    "{stream_id}/{topic_id}"};
inline constexpr auto consumer_group_list_reply_rows = std::to_array<Field>({
    describe::group("groups", consumer_group_header, "All groups of the topic").to_end(),
});
inline constexpr Layout consumer_group_list_reply{
    "consumer_group_list_reply", "Consumer Group List Reply", consumer_group_list_reply_rows,
    "{groups.name}"};
inline constexpr auto consumer_group_list_reply_body_rows = with_payload(consumer_group_list_reply);
inline constexpr Layout consumer_group_list_reply_body{"reply_body", "Reply to consumer_group.list",
                                                       consumer_group_list_reply_body_rows};

// 602
inline constexpr auto consumer_group_create_rows = joined(topic_rows, std::to_array<Field>({
    describe::group("name", login::name, "Name of the new group")
        .identifies(Thing::consumer_group),
}));
inline constexpr Layout consumer_group_create{
    "consumer_group_create", "Consumer Group Create", consumer_group_create_rows,
    "{stream_id}/{topic_id} group \"{name}\""};
inline constexpr auto consumer_group_create_reply_rows = std::to_array<Field>({
    describe::group("details", consumer_group_details, "The new group"),
});
inline constexpr Layout consumer_group_create_reply{
    "consumer_group_create_reply", "Consumer Group Create Reply", consumer_group_create_reply_rows,
    "id {details.group.id}"};
inline constexpr auto consumer_group_create_reply_body_rows =
    with_result(consumer_group_create_reply);
inline constexpr Layout consumer_group_create_reply_body{
    "reply_body", "Reply to consumer_group.create", consumer_group_create_reply_body_rows};

// 603
inline constexpr auto consumer_group_delete_rows = removed_group_rows;
inline constexpr Layout consumer_group_delete{
    "consumer_group_delete", "Consumer Group Delete", consumer_group_delete_rows,
    "{stream_id}/{topic_id} group {group_id}"};

// 604
inline constexpr auto consumer_group_join_rows = group_rows;
inline constexpr Layout consumer_group_join{
    "consumer_group_join", "Consumer Group Join", consumer_group_join_rows,
    "{stream_id}/{topic_id} group {group_id}"};

// 605
inline constexpr auto consumer_group_leave_rows = group_rows;
inline constexpr Layout consumer_group_leave{
    "consumer_group_leave", "Consumer Group Leave", consumer_group_leave_rows,
    "{stream_id}/{topic_id} group {group_id}"};

// 606
inline constexpr auto consumer_group_sync_rows = group_rows;
inline constexpr Layout consumer_group_sync{
    "consumer_group_sync", "Consumer Group Sync", consumer_group_sync_rows,
    "{stream_id}/{topic_id} group {group_id}"};
inline constexpr auto consumer_group_sync_reply_rows = std::to_array<Field>({
    describe::u64("generation", "Counts the assignments of the group"),
    describe::u32("partitions_count", "Partitions that follow").counts(),
    describe::u32("partitions", "Partitions that the member may read now").counted(),
});
inline constexpr Layout consumer_group_sync_reply{
    "consumer_group_sync_reply", "Consumer Group Sync Reply", consumer_group_sync_reply_rows,
    "generation {generation}, partitions {partitions}"};
inline constexpr auto consumer_group_sync_reply_body_rows = with_payload(consumer_group_sync_reply);
inline constexpr Layout consumer_group_sync_reply_body{"reply_body", "Reply to consumer_group.sync",
                                                       consumer_group_sync_reply_body_rows};

// clang-format on

}  // namespace iggy::bodies
