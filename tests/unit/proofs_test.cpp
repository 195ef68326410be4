// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The proofs themselves: that they refuse what is wrong. They run while this file compiles.
#include "describe/proofs.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "iggy/bodies/batches.hpp"
#include "iggy/frame.hpp"
#include "iggy/v0_11/client_headers.hpp"
#include "iggy/v0_12/bodies/batches.hpp"

namespace iggy::describe {
namespace {

constexpr Field whole_rows[] = {u32(0, "first", "One"), zero(4, 7, "middle", "Two"),
                                u8(7, "last", "Three")};
constexpr Field gap_rows[] = {u32(0, "first", "One"), u16(6, "last", "Two")};
constexpr Field overlap_rows[] = {u32(0, "first", "One"), u16(3, "last", "Two")};
constexpr Field unordered_rows[] = {u16(2, "last", "Two"), u16(0, "first", "One")};
constexpr Field floating_rows[] = {u32(0, "first", "One"), u32("last", "Two")};
constexpr Field twin_rows[] = {u32(0, "same", "One"), u32(4, "same", "Two")};
constexpr Field silent_rows[] = {u32(0, "first", "")};
constexpr Field nameless_rows[] = {u32(0, "", "One")};

constexpr Layout whole_layout{"whole", "Whole", whole_rows};
constexpr Layout gap{"gap", "Gap", gap_rows};
constexpr Layout overlap{"overlap", "Overlap", overlap_rows};
constexpr Layout unordered{"unordered", "Unordered", unordered_rows};
constexpr Layout floating{"floating", "Floating", floating_rows};
constexpr Layout twin{"twin", "Twin", twin_rows};
constexpr Layout silent{"silent", "Silent", silent_rows};
constexpr Layout nameless{"nameless", "Nameless", nameless_rows};
constexpr Layout empty{"empty", "Empty", {}};

static_assert(covers(whole_layout, 0, 8));
static_assert(!covers(whole_layout, 0, 7));
static_assert(!covers(whole_layout, 0, 9));
static_assert(!covers(whole_layout, 1, 8));
static_assert(!covers(gap, 0, 8));
static_assert(!covers(overlap, 0, 5));
static_assert(!covers(unordered, 0, 4));
static_assert(!covers(floating, 0, 8));
static_assert(covers(empty, 4, 4));

static_assert(names_are_unique(whole_layout));
static_assert(!names_are_unique(twin));
static_assert(!names_are_unique(silent));
static_assert(!names_are_unique(nameless));

// Bodies: lengths that nobody tells, lists of nothing, and rows behind what takes all.
constexpr Field told_rows[] = {u8("length", "One").counts(), text("value", "Two")};
constexpr Layout told{"told", "Told", told_rows};
constexpr Field untold_rows[] = {u8("length", "One"), text("value", "Two")};
constexpr Layout untold{"untold", "Untold", untold_rows};
constexpr Field told_late_rows[] = {text("value", "One"), u8("length", "Two").counts()};
constexpr Layout told_late{"told_late", "Told Late", told_late_rows};
constexpr Field rest_rows[] = {u8("first", "One"), rest("last", "Two")};
constexpr Layout rest_last{"rest_last", "Rest Last", rest_rows};
constexpr Field rest_first_rows[] = {rest("first", "One"), u8("last", "Two")};
constexpr Layout rest_first{"rest_first", "Rest First", rest_first_rows};
constexpr Field only_rest_rows[] = {rest("all", "One")};
constexpr Layout only_rest{"only_rest", "Only Rest", only_rest_rows};

constexpr Field list_rows[] = {u32("count", "One").counts(), repeat("list", told, "Two")};
constexpr Layout list{"list", "List", list_rows};
constexpr Field untold_list_rows[] = {repeat("list", told, "One")};
constexpr Layout untold_list{"untold_list", "Untold List", untold_list_rows};
constexpr Field nothings_rows[] = {u32("count", "One").counts(), repeat("list", empty, "Two")};
constexpr Layout nothings{"nothings", "Nothings", nothings_rows};
constexpr Field rests_rows[] = {u32("count", "One").counts(), repeat("list", rest_last, "Two")};
constexpr Layout rests{"rests", "Rests", rests_rows};
constexpr Field nested_rows[] = {u32("count", "One").counts(), repeat("list", list, "Two")};
constexpr Layout nested{"nested", "Nested", nested_rows};
constexpr Field group_of_empty_rows[] = {group("inner", empty, "One")};
constexpr Layout group_of_empty{"group_of_empty", "Group Of Empty", group_of_empty_rows};
constexpr Field group_of_told_rows[] = {group("inner", told, "One")};
constexpr Layout group_of_told{"group_of_told", "Group Of Told", group_of_told_rows};
constexpr Field rest_inside_rows[] = {group("inner", only_rest, "One"), u8("last", "Two")};
constexpr Layout rest_inside{"rest_inside", "Rest Inside", rest_inside_rows};

static_assert(is_body(told) && is_body(list) && is_body(nested) && is_body(rest_last));
static_assert(is_body(group_of_told) && is_body(only_rest));
static_assert(!is_body(twin));
static_assert(!is_body(untold) && !lengths_are_told(untold));
static_assert(!is_body(told_late) && !lengths_are_told(told_late));
static_assert(!is_body(untold_list) && !lengths_are_told(untold_list));
static_assert(!is_body(nothings) && !elements_take_bytes(nothings));
static_assert(!is_body(rest_first) && !rest_is_last(rest_first));
static_assert(!is_body(rest_inside) && !rest_is_last(rest_inside));
static_assert(!is_body(rests) && !rest_is_last(rests));
static_assert(takes_a_byte(told) && takes_a_byte(group_of_told));
static_assert(!takes_a_byte(empty) && !takes_a_byte(group_of_empty) && !takes_a_byte(only_rest));

// Cases of a selector, rooms, chains, and counts that another layout takes.
constexpr Field cases_rows[] = {
    u8("kind", "One").selects(),     u8("length", "Two").on(1).counts(),
    text("name", "Three").on(1),     u8("length", "Four").otherwise().counts(),
    data("raw", "Five").otherwise(),
};
constexpr Layout cases{"cases", "Cases", cases_rows};
constexpr Field unselected_rows[] = {u8("kind", "One"), u8("value", "Two").on(1)};
constexpr Layout unselected{"unselected", "Unselected", unselected_rows};
constexpr Field same_case_rows[] = {u8("kind", "One").selects(), u8("a", "Two").on(1),
                                    u8("a", "Three").on(1)};
constexpr Layout same_case{"same_case", "Same Case", same_case_rows};
constexpr Field other_case_rows[] = {
    u8("kind", "One").selects(), u8("length", "Two").on(1).counts(), text("name", "Three").on(2)};
constexpr Layout other_case{"other_case", "Other Case", other_case_rows};
constexpr Field taken_twice_rows[] = {u8("length", "One").counts(), text("a", "Two"),
                                      text("b", "Three")};
constexpr Layout taken_twice{"taken_twice", "Taken Twice", taken_twice_rows};
constexpr Field two_counts_rows[] = {u8("outer", "One").counts(), u8("inner", "Two").counts(),
                                     data("a", "Three"), data("b", "Four")};
constexpr Layout two_counts{"two_counts", "Two Counts", two_counts_rows};
constexpr Field three_counts_rows[] = {u8("x", "One").counts(),   u8("y", "Two").counts(),
                                       u8("z", "Three").counts(), data("a", "Four"),
                                       data("b", "Five"),         data("c", "Six")};
constexpr Layout three_counts{"three_counts", "Three Counts", three_counts_rows};
constexpr Field room_rows[] = {u8("length", "One").at_least(2).counts(),
                               group("inner", only_rest, "Two").in_record(2), u8("last", "Three")};
constexpr Layout room{"room", "Room", room_rows};
constexpr Field small_room_rows[] = {u8("length", "One").counts(),
                                     group("inner", only_rest, "Two").in_record(2)};
constexpr Layout small_room{"small_room", "Small Room", small_room_rows};
constexpr Field link_rows[] = {u8("value", "One"), u8("has_next", "Two")};
constexpr Layout link{"link", "Link", link_rows};
constexpr Field chain_rows[] = {group("links", link, "One").chained()};
constexpr Layout chain{"chain", "Chain", chain_rows};
constexpr Field broken_chain_rows[] = {group("links", told, "One").chained()};
constexpr Layout broken_chain{"broken_chain", "Broken Chain", broken_chain_rows};
constexpr Field to_end_rows[] = {u32("numbers", "One").to_end(), u8("last", "Two")};
constexpr Layout to_end_first{"to_end_first", "To End First", to_end_rows};
constexpr Field at_times_rows[] = {u8("kind", "One").selects(), u8("value", "Two").on(1)};
constexpr Layout at_times{"at_times", "At Times", at_times_rows};
constexpr Field maybe_nothing_rows[] = {u32("count", "One").counts(),
                                        repeat("list", only_rest, "Two")};
constexpr Layout maybe_nothing{"maybe_nothing", "Maybe Nothing", maybe_nothing_rows};
constexpr Field head_rows[] = {u32("count", "One").counts(), u8("more", "Two")};
constexpr Layout head{"head", "Head", head_rows};
constexpr Field lent_rows[] = {group("head", head, "One").counts(), repeat("list", told, "Two")};
constexpr Layout lent{"lent", "Lent", lent_rows};
constexpr Field nothing_lent_rows[] = {group("head", told, "One").counts(),
                                       repeat("list", told, "Two")};
constexpr Layout nothing_lent{"nothing_lent", "Nothing Lent", nothing_lent_rows};

static_assert(is_body(cases) && is_body(at_times));
static_assert(!is_body(unselected) && !selectors_are_told(unselected));
static_assert(!is_body(same_case) && !names_are_unique(same_case));
static_assert(!is_body(other_case) && !lengths_are_told(other_case));
static_assert(!is_body(taken_twice) && !lengths_are_told(taken_twice));
static_assert(is_body(two_counts));
static_assert(!is_body(three_counts) && !lengths_are_told(three_counts));
static_assert(is_body(room));
static_assert(!is_body(small_room) && !lengths_are_told(small_room));
static_assert(is_body(chain));
static_assert(!is_body(broken_chain) && !elements_take_bytes(broken_chain));
static_assert(!is_body(to_end_first) && !rest_is_last(to_end_first));
static_assert(!is_body(maybe_nothing) && !elements_take_bytes(maybe_nothing));
static_assert(is_body(lent) && leaves_a_count(head) && !leaves_a_count(told));
static_assert(!is_body(nothing_lent) && !lengths_are_told(nothing_lent));

static_assert(!is_header(whole_layout));
static_assert(is_header(v0_11::request));

static_assert(offset_of<std::uint32_t>(v0_11::request, "size") == 48);
static_assert(offset_of<std::uint8_t>(v0_11::request, "command") == 60);
static_assert(offset_of<std::uint32_t>(v0_11::reply, "status") == 216);
static_assert(row_of(v0_11::eviction, "reason").offset == 255);
static_assert(place_of(v0_11::request, "reserved_frame").begin == 62);
static_assert(place_of(v0_11::request, "reserved_frame").end == 128);

// Rows of bodies lie behind those above them, also where those have two forms.
static_assert(offset_of<std::uint64_t>(bodies::batch, "batch_checksum") == 40);
static_assert(place_of(bodies::batch, "reserved").begin == 52);
static_assert(place_of(bodies::batch, "messages").begin == 256);
static_assert(offset_of<std::uint64_t>(v0_12::batch, "producer_id") == 56);
static_assert(offset_of<std::uint32_t>(v0_12::batch, "base_sequence") == 68);
static_assert(place_of(v0_12::batch, "reserved").begin == 72);
static_assert(place_of(v0_12::batch, "messages").begin == 256);
static_assert(place_of(bodies::message_frame, "payload").begin == 48);

TEST(Proofs, PointAtTheRowsOfTheLayout) {
  constexpr const Field* row = &row_of(v0_11::request, "operation");
  EXPECT_GE(row, v0_11::request.fields.data());
  EXPECT_LT(row, v0_11::request.fields.data() + v0_11::request.fields.size());
}

TEST(Proofs, JoinKeepsTheOrder) {
  constexpr auto rows = joined(std::to_array<Field>({u8("a", "One")}),
                               std::to_array<Field>({u8("b", "Two"), u8("c", "Three")}));
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].name, "a");
  EXPECT_EQ(rows[1].name, "b");
  EXPECT_EQ(rows[2].name, "c");
}

}  // namespace
}  // namespace iggy::describe
