// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What clients read of changes to metadata: command 17, of 0.12.
//
// Records and items lie as their kind or group says; change_records.hpp has those layouts. Source:
// core/binary_protocol/src/requests/system and responses/system of crate 0.11.1-edge.8.
#pragma once

#include <array>

#include "describe/field.hpp"
#include "iggy/bodies/reply.hpp"
#include "iggy/v0_12/bodies/change_records.hpp"

namespace iggy::v0_12 {

using describe::Field;
using describe::Layout;

// clang-format off

inline constexpr describe::Name metadata_start_modes[] = {
    {0, "earliest"},
    {1, "latest"},
    {2, "after"},
    {3, "current"},
};
inline constexpr describe::Name metadata_statuses[] = {
    {0, "ok"},
    {1, "behind"},
    {2, "expired"},
    {3, "reset"},
};
inline constexpr describe::Name metadata_phases[] = {{0, "changes"}, {1, "current"}};

inline constexpr auto metadata_cursor_rows = std::to_array<Field>({
    describe::u128("log_id", "The log that is read").shown_as(Shape::hex),
    describe::u64("op", "Metadata op").selects(),
    describe::u128("checksum", "Zero without an op").on(0).at_most(0).shown_as(Shape::hex),
    describe::u128("checksum", "Checksum of the op's prepare").otherwise().shown_as(Shape::hex),
    describe::u32("ordinal", "Zero without an op").on(0).at_most(0),
    describe::u32("ordinal", "Which change of the op").otherwise(),
});
inline constexpr Layout metadata_cursor{"metadata_cursor", "Metadata Cursor",
                                        metadata_cursor_rows};

inline constexpr auto metadata_page_token_rows = std::to_array<Field>({
    describe::group("anchor", metadata_cursor, "Where the scan began"),
    describe::u64("required_head", "Metadata op that the node must have applied"),
    describe::u8("groups_mask", "Groups that are asked for; bit 0: group 1")
        .shown_as(Shape::hex),
    describe::u8("group", "Group of the last item").at_least(1).at_most(8).named(metadata_groups),
    describe::u16("key_length", "Bytes of the key").at_most(260).counts(),
    describe::data("last_key", "Key of the last item").identity(),
});
inline constexpr Layout metadata_page_token{"metadata_page_token", "Metadata Page Token",
                                            metadata_page_token_rows};

// What request and reply end with.
inline constexpr auto page_token_rows = std::to_array<Field>({
    describe::u16("token_length", "Bytes of the token; 0: none").counts().selects(),
    describe::group("token", metadata_page_token, "Where the next page begins")
        .unless(0).in_room(),
});

inline constexpr auto metadata_changes_rows = joined(std::to_array<Field>({
    describe::u8("start", "Where reading begins").named(metadata_start_modes),
    describe::group("cursor", metadata_cursor, "What was read last; zero unless start is after")
        .meant_on(2, 2),
    describe::group("since", optional_u64, "The earliest time, in microseconds"),
    describe::group("until", optional_u64, "The latest time, in microseconds"),
    describe::u32("limit", "Records or items at most"),
    describe::u8("groups_count", "Groups that follow; 0: all").counts(),
    describe::u8("groups", "What is asked for").named(metadata_groups).counted(),
}), page_token_rows);
inline constexpr Layout metadata_changes{
    "metadata_changes", "Metadata Changes", metadata_changes_rows,
    "{start} op {cursor.op}, at most {limit}: {groups}"};

// One row for each kind that is known, so that its bytes are read as what they are.
template <std::size_t Size>
consteval auto bodies_by(const std::array<ChangeBody, Size>& known) {
  std::array<Field, Size + 1> rows{};
  for (std::size_t i = 0; i < Size; ++i)
    rows[i] = describe::data("body", "What has changed, by its kind")
        .on(known[i].number).may_be(*known[i].layout).identity().identifies(known[i].named);
  rows[Size] = describe::data("body", "Bytes of a kind that is not known").otherwise().identity();
  return rows;
}

inline constexpr auto metadata_record_rows = joined(std::to_array<Field>({
    describe::u64("op", "Metadata op"),
    describe::u32("ordinal", "Which change of the op"),
    describe::u128("checksum", "Checksum of the op's prepare").shown_as(Shape::hex),
    describe::u64("timestamp", "When it was prepared").shown_as(Shape::microseconds),
    describe::group("actor", optional_user, "Who did it"),
    describe::u8("group", "What it is about").named(metadata_groups),
    describe::u8("kind", "What has changed").named(metadata_kinds).selects(),
    describe::u32("body_length", "Bytes of the body").counts(),
}), bodies_by(change_bodies));
inline constexpr Layout metadata_record{"metadata_record", "Metadata Record", metadata_record_rows,
    "{kind}"};

inline constexpr auto metadata_item_rows = joined(std::to_array<Field>({
    describe::u8("group", "What it is").named(metadata_groups).selects(),
    describe::u32("body_length", "Bytes of the body").counts(),
}), bodies_by(item_bodies));
inline constexpr Layout metadata_item{"metadata_item", "Metadata Item", metadata_item_rows,
    "{group}"};

inline constexpr auto metadata_changes_reply_rows = joined(std::to_array<Field>({
    describe::u8("status", "Whether the log could be read from there").named(metadata_statuses),
    describe::u8("phase", "Whether records or items follow").named(metadata_phases),
    describe::u8("has_log_id", "A log follows").at_most(1).named(bodies::presence).selects(),
    describe::u128("log_id", "The log that is read").on(1).shown_as(Shape::hex),
    describe::u64("oldest_op", "First metadata op that is kept"),
    describe::u64("retained_since", "When it was prepared").shown_as(Shape::microseconds),
    describe::u64("head_op", "Last metadata op"),
    describe::u8("has_next", "A cursor follows").at_most(1).named(bodies::presence).selects(),
    describe::group("next", metadata_cursor, "Where the next request begins").on(1),
    describe::u8("has_more", "Whether there are more").at_most(1),
    describe::u32("records_count", "Records that follow").counts(),
    describe::repeat("records", metadata_record, "What has changed"),
    describe::u32("items_count", "Items that follow").counts(),
    describe::repeat("items", metadata_item, "What is there now"),
}), page_token_rows);
inline constexpr Layout metadata_changes_reply{
    "metadata_changes_reply", "Metadata Changes Reply", metadata_changes_reply_rows,
    "log {status}, head op {head_op}: {records}: {items}"};
inline constexpr auto metadata_changes_reply_body_rows =
    bodies::with_payload(metadata_changes_reply);
inline constexpr Layout metadata_changes_reply_body{"reply_body", "Reply to metadata.changes",
                                                    metadata_changes_reply_body_rows};

// clang-format on

}  // namespace iggy::v0_12
