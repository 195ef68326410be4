// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// A line: what is escaped in it, how versions read, and where it is cut.
#include "conversation/line.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace iggy::conversation {
namespace {

TEST(Line, EscapesWhatComesFromTheWire) {
  Line line;
  line.add_from_wire("a\n\x1b[31m\xff\xe2\x80\xae\xc3\xa9\x7f\"");
  EXPECT_EQ(line.text(), "a\\x0a\\x1b[31m\\xff\\xe2\\x80\\xae\xc3\xa9\\x7f\"");
}

TEST(Line, IsCutAtItsBound) {
  Line line;
  line.add(std::string(390, 'x')).add_from_wire(std::string(50, 'y')).add("more");
  EXPECT_LE(line.text().size(), 400U);
  EXPECT_TRUE(line.text().ends_with("...")) << line.text();
  EXPECT_EQ(line.text().find("more"), std::string_view::npos);
  Line exact;
  exact.add(std::string(397, 'x'));
  EXPECT_EQ(exact.text(), std::string(397, 'x'));
  exact.add("y");
  EXPECT_EQ(exact.text(), std::string(397, 'x') + "...");
}

// A cut never leaves half a character or half an escape.
TEST(Line, CutsBetweenCharacters) {
  for (std::size_t before = 380; before < 400; ++before) {
    Line line;
    line.add(std::string(std::min<std::size_t>(before, 397), 'x'));
    line.add_from_wire("\xc3\xa9\n\xc3\xa9\n\xc3\xa9\n\xc3\xa9");
    std::string_view text = line.text();
    if (text.ends_with("...")) text.remove_suffix(3);
    while (!text.empty()) {
      const std::size_t length = text.starts_with("\\x") ? 4 : text.starts_with("\xc3") ? 2 : 1;
      ASSERT_GE(text.size(), length) << before;
      text.remove_prefix(length);
    }
  }
}

TEST(Line, NamesThatCouldBeSomethingElseStandInQuotes) {
  const auto shown = [](std::string_view name) {
    Line line;
    line.add("a/").add_name(name).add("[1]");
    return std::string(line.text());
  };
  for (const std::string_view plain : {"", "orders", "orders-2026", "7a", "a.b", "a#b", "\xc3\xa9"})
    EXPECT_EQ(shown(plain), "a/" + std::string(plain) + "[1]");
  for (const std::string_view odd : {"7", "00", "a/b", "a b", "a[0]", "7(a)", "a,b", "{}", "a=b"})
    EXPECT_EQ(shown(odd), "a/\"" + std::string(odd) + "\"[1]");
  EXPECT_EQ(shown("a\"b"), R"(a/"a\"b"[1])");
  EXPECT_EQ(shown("a b\n"), R"(a/"a b\x0a"[1])");
}

TEST(Line, NamesInQuotesOfTheLineOnlyDoNotEndThem) {
  Line line;
  line.add("id 7 \"").add_name("a b").add("\", \"").add_name("c\"").add("\"");
  EXPECT_EQ(line.text(), R"(id 7 "a b", "c\"")");
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
