// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The walk over all layouts: every prefix, every bit, and bytes that nobody sent.
#include "decode/walk.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "iggy/bodies/encodings.hpp"
#include "iggy/layouts.hpp"
#include "iggy/registry.hpp"
#include "support/body_recorder.hpp"
#include "support/effort.hpp"
#include "support/walk_order.hpp"
#include "support/walk_transcript.hpp"

namespace iggy::decode {
namespace {

using describe::Field;
using describe::Kind;
using describe::Layout;
using support::expect_one_problem;
using support::Transcript;
using support::transcript_of;
using Buffer = std::vector<std::byte>;

bool is_fixed(const Layout& layout) {
  return !layout.fields.empty() && layout.fields[0].offset == 0;
}

// Every layout with bytes that it reads to the end: zeros for headers, real bodies for logins.
std::vector<std::pair<const Layout*, Buffer>> samples() {
  std::vector<std::pair<const Layout*, Buffer>> all;
  for (const Layout* const layout : all_layouts())
    if (is_fixed(*layout)) all.emplace_back(layout, Buffer(fixed_size(*layout)));
  const std::string version = "002c000008727573742d73646b06302e31312e30";
  const std::string secret = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
  const std::string user = "04696767790469676779";
  const std::string context = "03000000637478";
  const std::string token = "08644739725a57343d";
  const std::string granted = "000000001100000000000000002c00000c302e392e302d656467652e35";
  const std::string identity = "feca00000000000000000000000000002a000000000000004d00000000000000";
  const auto add = [&all](const Layout& layout, const std::string& hex) {
    all.emplace_back(&layout, support::bytes_of_hex(hex));
  };
  add(login::client_version_info, version);
  add(login::login_register, version + user + context);
  add(login::login_register_with_pat, version + token + context);
  add(login::login_register_with_secret, version + secret + user + context);
  add(login::login_register_with_pat_with_secret, version + secret + token + context);
  add(login::session_bind, version + identity + secret);
  add(login::register_reply, "00000000" + granted);
  add(login::session_bind_reply, granted);
  add(login::rejection, "01000000000000003a000000");
  add(login::rejection, "02000000000000003a0000000100000039000000");
  add(login::v0_login_reply, "010000002a00000000000000");
  add(legacy::short_login, user);
  add(legacy::login, user + "06000000302e31302e30" + context);
  add(legacy::login_with_token, token);
  add(legacy::login_reply, "01000000");
  add(legacy::error_text, "020000006e6f");
  return all;
}

std::string title(const Layout& layout) {
  return std::string(layout.title);
}

TEST(Walk, ReadsEverySampleToItsEnd) {
  for (const auto& [layout, bytes] : samples()) {
    SCOPED_TRACE(title(*layout));
    support::WalkOrder order(whole(bytes), 0);
    Walk walk(whole(bytes), order);
    const bool complete = walk.read(*layout);
    EXPECT_TRUE(complete);
    EXPECT_TRUE(walk.at_end());
    EXPECT_EQ(walk.position(), bytes.size());
    walk.finish();
    order.done(complete);
    EXPECT_EQ(order.problems, 0);
    EXPECT_EQ(order.broken_promise, nullptr);
  }
}

TEST(Walk, EveryPrefixIsCutOrShort) {
  for (const auto& [layout, bytes] : samples()) {
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      SCOPED_TRACE(title(*layout) + ", " + std::to_string(length));
      const Bytes prefix = Bytes(bytes).first(length);
      const Window cut{prefix, static_cast<std::uint32_t>(bytes.size())};
      expect_one_problem(*layout, cut, ProblemKind::cut_by_capture);
      expect_one_problem(*layout, whole(prefix), ProblemKind::too_short);
    }
  }
}

// Captured up to one place, sent up to another that is short as well: the row that the capture
// lacks is cut, unless it lies past what was sent.
TEST(Walk, CutBeforeShort) {
  const Buffer bytes(256);
  for (std::uint32_t sent = 1; sent < 256; ++sent) {
    const Window window{Bytes(bytes).first(sent - 1), sent};
    support::WalkOrder order(window, 0);
    Walk walk(window, order);
    order.done(walk.read(v0_11::request));
    EXPECT_EQ(order.problems, 1) << sent;
    EXPECT_EQ(order.broken_promise, nullptr) << sent;
  }
}

TEST(Walk, TellsOfTrailingBytes) {
  for (const auto& [layout, bytes] : samples()) {
    Buffer longer = bytes;
    longer.resize(bytes.size() + 3);
    Transcript transcript;
    Walk walk(whole(longer), transcript);
    EXPECT_TRUE(walk.read(*layout));
    EXPECT_FALSE(walk.at_end());
    walk.finish();
    ASSERT_EQ(transcript.problems.size(), 1U) << title(*layout);
    EXPECT_EQ(transcript.problems[0].kind, ProblemKind::trailing);
    EXPECT_EQ(transcript.problems[0].offset, bytes.size());
    EXPECT_EQ(transcript.problems[0].available, 3U);
  }
}

// No bit of a header is without a row: a flip shows, and a reserved one is a problem.
TEST(Walk, EveryBitOfEveryHeaderShows) {
  for (const auto& [layout, zeros] : samples()) {
    if (!is_fixed(*layout)) continue;
    const Transcript before = transcript_of(*layout, zeros);
    for (std::size_t bit = 0; bit < 8 * zeros.size(); bit += support::sampling_step) {
      Buffer bytes = zeros;
      bytes[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
      const Transcript after = transcript_of(*layout, bytes);
      ASSERT_EQ(before.values.size(), after.values.size());
      std::size_t changed = before.values.size();
      int changes = 0;
      for (std::size_t i = 0; i < before.values.size(); ++i)
        if (before.values[i] != after.values[i]) changed = i, ++changes;
      ASSERT_EQ(changes, 1) << title(*layout) << ", bit " << bit;
      const bool reserved = layout->fields[changed].kind == Kind::zero;
      ASSERT_EQ(after.problems.size(), reserved ? 1U : 0U) << title(*layout) << ", bit " << bit;
      if (!reserved) continue;
      EXPECT_EQ(after.problems[0].kind, ProblemKind::not_zero);
      EXPECT_EQ(after.problems[0].offset, bit / 8);
    }
  }
}

// A sink that declines a nested layout gets the same rows around it and the same problems.
TEST(Walk, DeclinedLayoutsAreSteppedOver) {
  for (const auto& [layout, bytes] : samples()) {
    for (std::size_t length = 0; length <= bytes.size(); ++length) {
      SCOPED_TRACE(title(*layout) + ", " + std::to_string(length));
      const Window window = whole(Bytes(bytes).first(length));
      Transcript all;
      Transcript top(0);
      Walk with(window, all);
      Walk without(window, top);
      EXPECT_EQ(with.read(*layout), without.read(*layout));
      EXPECT_EQ(with.position(), without.position());
      EXPECT_EQ(all.problems.size(), top.problems.size());
      std::vector<std::string> outer;
      int depth = 0;
      for (const std::string& value : all.values) {
        const bool leaves = value.find('}') != std::string::npos;
        if (leaves) --depth;
        if (depth == 0 && !leaves) outer.push_back(value);
        if (value.find('{') != std::string::npos) ++depth;
      }
      EXPECT_EQ(outer, top.values);
    }
  }
}

// Reserved bytes of a declined layout are held to be zero as well.
TEST(Walk, DeclinedLayoutsReportReservedBytes) {
  static constexpr Field inner_rows[] = {
      describe::u8("first", "One"),
      describe::Field::make(Kind::zero, describe::next, 2, "reserved", "Zero"),
  };
  static constexpr Layout inner{"inner", "Inner", inner_rows};
  static constexpr Field outer_rows[] = {describe::group("inner", inner, "One")};
  static constexpr Layout outer{"outer", "Outer", outer_rows};
  const Buffer bytes = support::bytes_of_hex("070005");
  for (const int decline_from_depth : {0, 1}) {
    Transcript transcript(decline_from_depth);
    Walk walk(whole(bytes), transcript);
    EXPECT_TRUE(walk.read(outer));
    ASSERT_EQ(transcript.problems.size(), 1U);
    EXPECT_EQ(transcript.problems[0].kind, ProblemKind::not_zero);
    EXPECT_EQ(transcript.problems[0].field, &inner_rows[1]);
    EXPECT_EQ(transcript.problems[0].offset, 2U);
    EXPECT_EQ(transcript.values.size(), decline_from_depth == 0 ? 1U : 4U);
  }
}

// A kind that nobody knows keeps its number and its bytes, and the rows behind it are read.
// Two words that rows ask for, and any other.
constexpr describe::Name words[] = {{1, "one"}, {2, "two"}};
constexpr auto by_word_rows = std::to_array<Field>({
    describe::u8("length", "m").counts(),
    describe::data("word", "m").named(words).selects(),
    describe::u8("a", "m").on(1),
    describe::u16("b", "m").on(2),
    describe::u32("c", "m").otherwise(),
});
constexpr Layout by_word{"by_word", "By Word", by_word_rows};

TEST(Walk, ChoosesRowsByAWord) {
  const std::pair<std::string, std::string> words_and_rows[] = {
      {"one", "a"}, {"two", "b"}, {"three", "c"}, {"", "c"}, {"on", "c"}, {"ones", "c"}};
  for (const auto& [word, row] : words_and_rows) {
    Buffer bytes{static_cast<std::byte>(word.size())};
    for (const char letter : word) bytes.push_back(static_cast<std::byte>(letter));
    bytes.insert(bytes.end(), 4, std::byte{0});
    Transcript told;
    Walk walk(whole(bytes), told);
    EXPECT_TRUE(walk.read(by_word));
    ASSERT_EQ(told.values.size(), 3U);
    EXPECT_EQ(told.values.back().substr(0, 2), row + "=") << word;
  }
}

// What may be a layout is one only as a whole.
TEST(Walk, ReadsInsideWhatMayBeALayout) {
  constexpr char pairs[] =
      "\x02\x01\x00\x00\x00k\x03\x01\x00\x00\x00\x01"
      "\x06\x01\x00\x00\x00\x00\xc8\x02\x00\x00\x00op";
  const std::string good(pairs, 25);
  const auto is_headers = [](std::string_view text) {
    return is_layout(bodies::user_headers, std::as_bytes(std::span(text)));
  };
  EXPECT_TRUE(is_headers(good));
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_EQ(is_headers(good.substr(0, size)), size == 12) << size;
  EXPECT_FALSE(is_headers(good + '\2'));
  std::string wrong = good;
  wrong[0] = 0;  // no kind
  EXPECT_FALSE(is_headers(wrong));
  wrong = good;
  wrong[21] = 1;  // a length above 255
  EXPECT_FALSE(is_headers(wrong));

  // The places are those of the bytes around.
  const std::string around = "xyz" + good;
  const Bytes bytes = std::as_bytes(std::span(around));
  constexpr Field row = describe::data("headers", "m").may_be(bodies::user_headers);
  support::WalkOrder order(whole(bytes), 3);
  EXPECT_TRUE(read_inside(row, bytes.subspan(3), {3, 25}, order));
  order.done(true);
  EXPECT_EQ(order.broken_promise, nullptr);
  EXPECT_FALSE(read_inside(row, bytes, {0, 28}, order));
  EXPECT_FALSE(read_inside(describe::data("bytes", "m"), bytes.subspan(3), {3, 25}, order));
}

TEST(Walk, ChoosesRowsByASelector) {
  const auto values = [](const std::string& hex) {
    return transcript_of(bodies::partitioning, support::bytes_of_hex(hex)).values;
  };
  using Values = std::vector<std::string>;
  EXPECT_EQ(values("0100"), (Values{"kind=1@0+1", "length=0@1+1"}));
  EXPECT_EQ(values("020407000000"), (Values{"kind=2@0+1", "length=4@1+1", "partition_id=7@2+4"}));
  EXPECT_EQ(values("03026162"), (Values{"kind=3@0+1", "length=2@1+1", "key=6162@2+2"}));
  EXPECT_EQ(values("0903abcdef"), (Values{"kind=9@0+1", "length=3@1+1", "raw=abcdef@2+3"}));
  const Transcript wrong = transcript_of(bodies::partitioning, support::bytes_of_hex("0205070000"));
  ASSERT_EQ(wrong.problems.size(), 1U);
  EXPECT_EQ(wrong.problems[0].kind, ProblemKind::out_of_range);
  EXPECT_EQ(wrong.problems[0].needed, 4U);
  EXPECT_EQ(wrong.problems[0].available, 5U);
}

TEST(Walk, TellsNumbersOfProblemsWhole) {
  static constexpr Field rows[] = {
      describe::u64("number", "N").at_most(0x7fff'ffff'ffff'ffff),
      describe::u64("length", "L").counts(),
      describe::data("bytes", "B"),
  };
  static constexpr Layout wide{"wide", "Wide", rows};
  const Transcript told = transcript_of(wide, support::bytes_of_hex("0000000000000080"
                                                                    "ffffffffffffff7f"));
  ASSERT_EQ(told.problems.size(), 2U);
  EXPECT_EQ(told.problems[0].kind, ProblemKind::out_of_range);
  EXPECT_EQ(told.problems[0].needed, 0x7fff'ffff'ffff'ffffU);
  EXPECT_EQ(told.problems[0].available, 0x8000'0000'0000'0000U);
  EXPECT_EQ(told.problems[1].kind, ProblemKind::too_short);
  EXPECT_EQ(told.problems[1].needed, 0x7fff'ffff'ffff'ffffU);
}

// Only 1 announces the permissions of a request; any value but 0 those of a reply.
TEST(Walk, FlagsHaveRulesOfTheirOwn) {
  static constexpr Field by_one[] = {describe::u8("flag", "F").selects(),
                                     describe::u8("value", "V").on(1)};
  static constexpr Field by_any[] = {describe::u8("flag", "F").selects(),
                                     describe::u8("value", "V").unless(0)};
  static constexpr Layout one{"one", "One", by_one};
  static constexpr Layout any{"any", "Any", by_any};
  for (const auto& [flag, in_one, in_any] :
       {std::tuple{0, 1U, 1U}, std::tuple{1, 2U, 2U}, std::tuple{2, 1U, 2U}}) {
    const Buffer bytes{static_cast<std::byte>(flag), std::byte{7}};
    EXPECT_EQ(transcript_of(one, bytes).values.size(), in_one) << flag;
    EXPECT_EQ(transcript_of(any, bytes).values.size(), in_any) << flag;
  }
}

// Limits and cases of numbers that no register holds.
TEST(Walk, WideNumbersSelectAndHaveLimits) {
  static constexpr Field rows[] = {describe::u128("id", "I").selects(),
                                   describe::u8("value", "V").on(0).at_most(0),
                                   describe::u8("value", "V").unless(0).at_least(1)};
  static constexpr Layout layout{"layout", "Layout", rows};
  static constexpr Field nobody_rows[] = {describe::u128("id", "I").at_least(1)};
  static constexpr Layout somebody{"somebody", "Somebody", nobody_rows};
  for (const auto& [id, value, is_clean] : {std::tuple{0, 0, true}, std::tuple{0, 1, false},
                                            std::tuple{15, 0, false}, std::tuple{15, 1, true}}) {
    Buffer bytes(17);
    if (id != 0) bytes[static_cast<std::size_t>(id)] = std::byte{1};
    bytes[16] = static_cast<std::byte>(value);
    EXPECT_EQ(transcript_of(layout, bytes).problems.empty(), is_clean) << id << ' ' << value;
  }
  EXPECT_EQ(transcript_of(somebody, Buffer(16)).problems.size(), 1U);
}

// A length may say at once whether what it measures is there.
TEST(Walk, CountsMaySelect) {
  static constexpr Field inner_rows[] = {describe::rest("all", "A")};
  static constexpr Layout inner{"inner", "Inner", inner_rows};
  static constexpr Field rows[] = {describe::u8("length", "L").counts().selects(),
                                   describe::group("inner", inner, "I").unless(0).in_room()};
  static constexpr Layout layout{"layout", "Layout", rows};
  EXPECT_EQ(transcript_of(layout, {std::byte{0}}).values.size(), 1U);
  EXPECT_EQ(transcript_of(layout, support::bytes_of_hex("02aabb")).values.back(), "inner}@1+2");
}

TEST(Walk, StartsWhereItIsTold) {
  const Buffer bytes = support::bytes_of_hex(
      "ffff"
      "03616263");
  Transcript transcript;
  Walk walk(whole(bytes), transcript, 2);
  EXPECT_TRUE(walk.read(login::name));
  EXPECT_TRUE(walk.at_end());
  EXPECT_EQ(transcript.values, (std::vector<std::string>{"length=3@2+1", "value=616263@3+3"}));
}

// A count that lies costs one report, however large it is.
TEST(Walk, LyingCountsCostOneReport) {
  for (const std::uint32_t count : {2U, 1'000U, 0xffffffffU}) {
    Buffer bytes = support::bytes_of_hex("00000000000000003a000000");
    for (std::size_t i = 0; i < 4; ++i) bytes[i] = static_cast<std::byte>(count >> (8 * i));
    expect_one_problem(login::rejection, whole(bytes), ProblemKind::too_short);
  }
  const Buffer text = support::bytes_of_hex("ffffffff6e6f");
  expect_one_problem(legacy::error_text, whole(text), ProblemKind::too_short);
}

TEST(Walk, KeepsItsPromisesOnRandomBytes) {
  std::mt19937 random(1);
  for (int round = 0; round < 40; ++round) {
    for (const Layout* const layout : all_layouts()) {
      Buffer bytes(random() % 320);
      const bool small = random() % 2 == 0;  // small numbers reach deeper into bodies
      for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() % (small ? 4 : 256));
      const auto on_wire = static_cast<std::uint32_t>(bytes.size() + random() % 3 * 40);
      const Window window{bytes, on_wire};
      support::WalkOrder order(window, 0);
      Walk walk(window, order);
      order.done(walk.read(*layout));
      ASSERT_EQ(order.broken_promise, nullptr) << title(*layout) << ": " << order.broken_promise;
    }
  }
}

}  // namespace
}  // namespace iggy::decode
