// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Columns, widths and folded cells.
#include "report/table.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace analyzer::report {
namespace {

TEST(Table, ColumnsLineUp) {
  Table table({{"name"}, {"count", Table::Align::right}, {"what"}});
  table.add({"ping", "1", "x"});
  table.add({"topic.create", "12345", ""});
  EXPECT_EQ(table.render(80),
            "  name          count  what\n"
            "  ping              1  x\n"
            "  topic.create  12345\n");
}

TEST(Table, WidthCountsCharactersNotBytes) {
  EXPECT_EQ(display_width("caf\xc3\xa9"), 4U);
  EXPECT_EQ(display_width(""), 0U);
  Table table({{"a"}, {"b"}});
  table.add({"\xc3\xa9\xc3\xa9", "1"});
  table.add({"xx", "2"});
  EXPECT_EQ(table.render(80), "  a   b\n  \xc3\xa9\xc3\xa9  1\n  xx  2\n");
}

TEST(Table, LastColumnOfTextWraps) {
  Table table({{"a"}, {"b"}});
  table.add({"x", "some words that are too many for one line of this width"});
  std::istringstream lines(table.render(40));
  std::string line;
  std::size_t count = 0;
  while (std::getline(lines, line)) {
    EXPECT_LE(display_width(line), 40U) << line;
    if (++count > 2) {
      EXPECT_EQ(line.find_first_not_of(' '), 5U) << line;
    }
  }
  EXPECT_GT(count, 2U);
}

TEST(Table, NumbersAreNeverCut) {
  Table table({{"name"}, {"number", Table::Align::right}});
  table.add({std::string(50, 'n'), "1234567890"});
  EXPECT_NE(table.render(30).find("1234567890"), std::string::npos);
}

TEST(Table, ColumnsThatMayGo) {
  Table table({{"a"}, {"empty", Table::Align::left, true}, {"spare", Table::Align::left, true}});
  table.add({"x", "-", "yes"});
  table.add({"y", "-", "-"});
  EXPECT_EQ(table.render(80), "  a  spare\n  x  yes\n  y  -\n");
  EXPECT_EQ(table.render(6), "  a\n  x\n  y\n");
}

TEST(Wrapped, BreaksAtBlanks) {
  EXPECT_EQ(wrapped("one two three four", 11, 2, 0), "one two\n  three\n  four\n");
  EXPECT_EQ(wrapped("one", 11, 2, 4), "    one\n");
  EXPECT_EQ(wrapped("one   two", 80, 2, 0), "one two\n");
}

TEST(Wrapped, NoLineIsWiderThanAsked) {
  const std::string text =
      "The server refused the protocol version of the client and caf\xc3\xa9 says so twice.";
  for (std::size_t width = 12; width < 100; ++width) {
    std::istringstream lines(wrapped(text, width, 2, 0));
    std::string line;
    std::string joined;
    while (std::getline(lines, line)) {
      EXPECT_LE(display_width(line), width);
      joined += (joined.empty() ? "" : " ") + line.substr(line.find_first_not_of(' '));
    }
    EXPECT_EQ(joined, text);
  }
}

TEST(Wrapped, LongWordsStayWhole) {
  EXPECT_EQ(wrapped("a verylongword b", 6, 0, 0), "a\nverylongword\nb\n");
}

}  // namespace
}  // namespace analyzer::report
