// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The walk in rooms and lists: where they end, and what stands behind them.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <vector>

#include "decode/walk.hpp"
#include "describe/proofs.hpp"
#include "support/body_recorder.hpp"
#include "support/walk_order.hpp"
#include "support/walk_transcript.hpp"

namespace iggy::decode {
namespace {

using describe::Field;
using describe::Layout;
using support::expect_one_problem;
using support::Transcript;
using support::transcript_of;
using Buffer = std::vector<std::byte>;

// A room is left at its end, whatever its row has read; what stands behind it is read all the same.
TEST(Walk, RoomsEndWhereTheySay) {
  static constexpr Field inner_rows[] = {describe::u8("a", "A")};
  static constexpr Layout inner{"inner", "Inner", inner_rows};
  static constexpr auto rows = [](bool slack) {
    const Field group = describe::group("inner", inner, "I");
    return std::array{describe::u8("length", "L").counts(),
                      slack ? group.in_slack_room() : group.in_room(), describe::u8("last", "Z")};
  };
  static constexpr auto filled_rows = rows(false);
  static constexpr auto slack_rows = rows(true);
  static constexpr Layout filled{"filled", "Filled", filled_rows};
  static constexpr Layout slack{"slack", "Slack", slack_rows};
  const Buffer roomy = support::bytes_of_hex("0305eeee09");
  for (const Layout* const layout : {&filled, &slack}) {
    const Transcript told = transcript_of(*layout, roomy);
    EXPECT_EQ(told.values.back(), "last=9@4+1");
    ASSERT_EQ(told.problems.size(), layout == &filled ? 1U : 0U);
    if (layout == &slack) continue;
    EXPECT_EQ(told.problems[0].kind, ProblemKind::trailing);
    EXPECT_EQ(told.problems[0].offset, 2U);
    EXPECT_EQ(told.problems[0].available, 2U);
    EXPECT_EQ(told.problems[0].field, &filled_rows[1]);
  }
  // A room without room for its row, and one that is not there.
  expect_one_problem(filled, whole(support::bytes_of_hex("000509")), ProblemKind::too_short);
  expect_one_problem(filled, whole(support::bytes_of_hex("090509")), ProblemKind::too_short);
  const Buffer cut = support::bytes_of_hex("0305");
  expect_one_problem(slack, {cut, 5}, ProblemKind::cut_by_capture);
}

// What breaks off in a record does not hide what stands behind it.
TEST(Walk, ABrokenRecordIsReadOnBehind) {
  static constexpr Field element[] = {describe::u8("size", "S").counts(),
                                      describe::data("bytes", "B")};
  static constexpr Layout inner{"inner", "Inner", element};
  static constexpr auto rows = [](bool is_record) {
    const Field elements = describe::group("elements", inner, "E").to_end();
    return std::array{describe::u8("length", "L").counts(),
                      is_record ? elements.in_record(1) : elements.in_room(),
                      describe::u8("last", "Z")};
  };
  static constexpr auto record_rows = rows(true);
  static constexpr Layout record{"record", "Record", record_rows};
  const Buffer bytes = support::bytes_of_hex("0401aa0907");
  EXPECT_EQ(transcript_of(record, bytes).values.back(), "last=7@4+1");
  expect_one_problem(record, whole(bytes), ProblemKind::too_short);
  Transcript transcript;
  Walk walk(whole(bytes), transcript);
  EXPECT_FALSE(walk.read(record));
  EXPECT_TRUE(walk.at_end());
  // The capture ends in the record: what is behind it is not there.
  Transcript cut;
  Walk shorter({Bytes{bytes}.first(3), 5}, cut);
  EXPECT_FALSE(shorter.read(record));
  EXPECT_EQ(shorter.position(), 3U);
  // Of any other room the length may be what is wrong.
  static constexpr auto room_rows = rows(false);
  static constexpr Layout room{"room", "Room", room_rows};
  const Buffer alike = support::bytes_of_hex("0301aa0907");
  EXPECT_EQ(transcript_of(room, alike).values.back(), "elements}@3+1");
}

// At most one element, of any size, stands behind the last row.
TEST(Walk, OptionalRowsMayBeAbsent) {
  static constexpr Field inner_rows[] = {describe::u8("a", "A"), describe::rest("b", "B")};
  static constexpr Layout inner{"inner", "Inner", inner_rows};
  static constexpr Field rows[] = {describe::u8("first", "F"),
                                   describe::group("last", inner, "L").optional()};
  static constexpr Layout layout{"layout", "Layout", rows};
  static constexpr Field number_rows[] = {describe::u16("last", "L").optional()};
  static constexpr Layout number{"number", "Number", number_rows};
  static_assert(is_body(layout) && is_body(number) && takes_the_rest(layout));
  EXPECT_EQ(transcript_of(layout, support::bytes_of_hex("07")).values.front(), "first=7@0+1");
  EXPECT_EQ(transcript_of(layout, support::bytes_of_hex("0708090a")).values.back(), "last}@1+3");
  for (const char* hex : {"", "0100"})
    EXPECT_TRUE(transcript_of(number, support::bytes_of_hex(hex)).problems.empty());
  expect_one_problem(number, whole(support::bytes_of_hex("01")), ProblemKind::too_short);
  for (const ProblemKind kind : {ProblemKind::trailing, ProblemKind::ignored}) {
    const Buffer bytes = support::bytes_of_hex("010002");
    Transcript more;
    Walk walk(whole(bytes), more);
    EXPECT_TRUE(walk.read(number));
    walk.finish(kind);
    ASSERT_EQ(more.problems.size(), 1U);
    EXPECT_EQ(more.problems[0].kind, kind);
  }
}

// Builds list elements of one size or longer ones, and nothing but their number tells which.
TEST(Walk, ElementsOfOneSizeAreKnownByTheBytesLeft) {
  static constexpr Field short_rows[] = {describe::u16("a", "A")};
  static constexpr Field long_rows[] = {describe::u16("a", "A"), describe::u8("b", "B")};
  static constexpr Layout brief{"item", "Short Item", short_rows};
  static constexpr Layout wordy{"item", "Long Item", long_rows};
  static constexpr Field rows[] = {describe::u8("count", "C").counts(),
                                   describe::repeat("items", brief, "I").if_exact(),
                                   describe::repeat("items", wordy, "I").otherwise()};
  static constexpr Layout layout{"layout", "Layout", rows};
  static_assert(is_body(layout) && describe::fixed_size(brief) == 2);
  EXPECT_EQ(transcript_of(layout, support::bytes_of_hex("0201000200")).values.back(), "items}@3+2");
  EXPECT_EQ(transcript_of(layout, support::bytes_of_hex("02010003020004")).values.back(),
            "items}@4+3");
  expect_one_problem(layout, whole(support::bytes_of_hex("02010003")), ProblemKind::too_short);
}

}  // namespace
}  // namespace iggy::decode
