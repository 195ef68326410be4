// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The proofs themselves: that they refuse what is wrong. They run while this file compiles.
#include "describe/proofs.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "iggy/frame.hpp"
#include "iggy/v0_11/client_headers.hpp"

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

static_assert(!is_header(whole_layout));
static_assert(is_header(v0_11::request));

static_assert(offset_of<std::uint32_t>(v0_11::request, "size") == 48);
static_assert(offset_of<std::uint8_t>(v0_11::request, "command") == 60);
static_assert(offset_of<std::uint32_t>(v0_11::reply, "status") == 216);
static_assert(row_of(v0_11::eviction, "reason").offset == 255);

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
