// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// A line: what is escaped in it, how versions read, and where it is cut.
#include "conversation/line.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cctype>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "describe/subject.hpp"
#include "iggy/layouts.hpp"

namespace iggy::conversation {
namespace {

std::string shown(std::string_view text) {
  Line line;
  return std::string(line.add_from_wire(text).text());
}

TEST(Line, WordsAndVersionsStandBare) {
  for (const std::string_view plain :
       {"orders", "orders-2026", "a.b", "_x", "A_9", "0.11.1-edge.10", "127.0.0.1:8090"})
    EXPECT_EQ(shown(plain), plain);
}

TEST(Line, WhatCouldBeSomethingElseStandsInQuotes) {
  for (const std::string_view odd :
       {"",      "7",     "00",     "7a",     "-5",     "1.5",     "#1",      "a#b", "a/b",
        "a b",   "a[0]",  "a,b",    "{}",     "a=b",    "7(a)",    "?",       "...", "a...",
        "group", "first", "raw",    "false",  "NaN",    "a:b",     "1 d",     ".",   "-",
        "0x0a",  "1..:",  "\u00a0", "\u00e9", "\u0663", "1.2.3/4", "1.2.3.4:"})
    EXPECT_EQ(shown(odd), '"' + std::string(odd) + '"');
}

TEST(Line, EscapesInsideQuotes) {
  EXPECT_EQ(shown("a\n\x1b[31m\xff\xe2\x80\xae\xc3\xa9\x7f"),
            "\"a\\x0a\\x1b[31m\\xff\\xe2\\x80\\xae\xc3\xa9\\x7f\"");
  EXPECT_EQ(shown("a\"b"), R"("a\"b")");
  EXPECT_EQ(shown("a\\x0a"), R"("a\\x0a")");
  EXPECT_EQ(shown("a\\"), R"("a\\")");
  EXPECT_EQ(Line().add_quoted("orders").text(), "\"orders\"");
}

TEST(Line, Bytes) {
  constexpr std::array<std::byte, 2> bytes{std::byte{0x0a}, std::byte{0xff}};
  EXPECT_EQ(Line().add_bytes(bytes).text(), "0x0aff");
  EXPECT_EQ(Line().add_bytes({}).text(), "0x");
  const std::vector<std::byte> many(2'000);
  Line line;
  line.add_bytes(many).add("]");
  EXPECT_TRUE(line.text().ends_with("0...]"));
}

// Words of subjects, which a name that is one of them must not look like.
TEST(Line, KnowsTheWordsOfSubjects) {
  std::set<std::string> words;
  for (const describe::Layout* const layout : all_layouts()) {
    std::string text;
    for (std::string_view subject = layout->subject; !subject.empty();) {
      const describe::Piece piece = describe::take_piece(subject);
      text += std::string(piece.before) + ' ' + std::string(piece.after) + ' ';
    }
    std::string word;
    for (const char sign : text + ' ') {
      if (std::isalpha(static_cast<unsigned char>(sign)) != 0)
        word += sign;
      else if (!word.empty())
        words.insert(std::exchange(word, {}));
    }
  }
  EXPECT_TRUE(words.contains("group"));
  for (const std::string& word : words) EXPECT_EQ(shown(word), '"' + word + '"');
}

TEST(Line, IsCutAtItsBound) {
  Line line;
  line.leave_room(1000);
  line.add(std::string(270, 'x')).add(std::string(50, 'y')).add("more");
  EXPECT_EQ(line.text(), std::string(270, 'x') + "...");
  Line exact;
  exact.leave_room(1000);
  exact.add(std::string(277, 'x'));
  EXPECT_EQ(exact.text(), std::string(277, 'x'));
  exact.add_from_wire("y").add_bytes({});
  EXPECT_EQ(exact.text(), std::string(277, 'x') + "...");
}

// No text is left out, none fills the line, and what was cut shows that.
TEST(Line, CutsTextsBehindTheirQuotes) {
  const std::string name(255, 'n');
  Line line;
  line.leave_room(256);
  line.add_from_wire(name).add("/").add_from_wire(name).add(" partitions=3");
  EXPECT_EQ(line.text(), name + "/" + name + " partitions=3");
  line.add(" ").add_from_wire(std::string(255, '"')).add("=1");
  EXPECT_TRUE(line.text().ends_with("\\\"\"...=1")) << line.text();
  for (int i = 0; i < 100; ++i) line.add(" ").add_from_wire(name);
  EXPECT_TRUE(line.is_full());
  EXPECT_LE(line.text().size(), 1024U);
}

// A cut never leaves half a character or half an escape.
TEST(Line, CutsBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "\xc3\xa9\n\"";
  for (std::size_t before = 0; before < 270; ++before) {
    Line line;
    line.leave_room(1000);
    line.add(std::string(before, 'x')).add_quoted(text);
    std::string_view rest = line.text().substr(before);
    if (rest == "...") continue;
    ASSERT_TRUE(rest.starts_with('"') && rest.ends_with("\"...")) << rest;
    rest = rest.substr(1, rest.size() - 5);
    while (!rest.empty()) {
      const std::size_t length = rest.starts_with("\\x0a") ? 4 : 2;
      ASSERT_TRUE(length == 4 || rest.starts_with("\\\"") || rest.starts_with("\xc3\xa9")) << rest;
      rest.remove_prefix(length);
    }
  }
}

TEST(Line, Versions) {
  Line line;
  line.add_version(make_version(0, 12, 3)).add(" ").add_version({0x8000'2c00});
  EXPECT_EQ(line.text(), "0.12.3 0.11.0+bits");
}

TEST(Line, Windows) {
  const auto shown = [](Version lowest, Version highest) {
    Line line;
    line.add_window({lowest, highest});
    return std::string(line.text());
  };
  const Version exact = make_version(0, 12, 2);
  EXPECT_EQ(shown(version_0_11_0, version_0_11_0), "0.11.x");
  EXPECT_EQ(shown(version_0_11_0, version_0_11_1), "0.11.x");
  EXPECT_EQ(shown(exact, exact), "exactly 0.12.2");
  EXPECT_EQ(shown(version_0_12_0, exact), "0.12.0 to 0.12.2");
  EXPECT_EQ(shown(first_announced_version, version_0_11_0), "0.10.2 to 0.11.0");
  EXPECT_EQ(shown({}, version_0_11_0), "0.0.0 to 0.11.0");
  EXPECT_EQ(shown({}, {}), "exactly 0.0.0");
}

}  // namespace
}  // namespace iggy::conversation
