// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What is JSON and what is not, held against the reader of nlohmann-json.
#include "report/compact_json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/effort.hpp"

namespace analyzer::report {
namespace {

TEST(CompactJson, LosesOnlyBlanksBetweenValues) {
  EXPECT_EQ(compact_json(" { \"a b\" :\t[ 1 , -2.5e+3 ,\r\n true, false, null, {} , [ ] ] } "),
            R"({"a b":[1,-2.5e+3,true,false,null,{},[]]})");
  EXPECT_EQ(compact_json(R"("\u00e9\n\"x")"), R"("\u00e9\n\"x")");
  EXPECT_EQ(compact_json("\"\xc3\xa9\""), "\"\xc3\xa9\"");
  EXPECT_EQ(compact_json("0"), "0");
}

TEST(CompactJson, KnowsWhatIsNone) {
  for (const char* text : {"",
                           " ",
                           "{",
                           "[1,]",
                           "{\"a\":1,}",
                           "{a:1}",
                           "{\"a\" 1}",
                           "01",
                           "1.",
                           "-",
                           "1e",
                           "+1",
                           "tru",
                           "nul",
                           "\"a",
                           "\"\\x\"",
                           "\"\\u12g4\"",
                           "\"\\u12\"",
                           "1 2",
                           "[1 2]",
                           "\"\x01\"",
                           "\"\xff\"",
                           "{\"a\":}",
                           "{1:2}",
                           "]",
                           "'a'",
                           "\"\\",
                           "[",
                           ",",
                           R"("\ud800")",
                           R"("\ud800x")",
                           R"("\udc00")",
                           R"("\ud83d\ud83d")",
                           R"("\ud83d\n")"})
    EXPECT_EQ(compact_json(text), std::nullopt) << text;
}

TEST(CompactJson, EscapesWhatATerminalShouldNotSee) {
  EXPECT_EQ(compact_json("\"a\xe2\x80\x8d\""), R"("a\u200d")");
  EXPECT_EQ(compact_json("\"\x7f\xe2\x80\xae\""), R"("\u007f\u202e")");
  EXPECT_EQ(compact_json("\"\xf3\xa0\x80\x81\""), R"("\udb40\udc01")");
  EXPECT_EQ(compact_json(R"("\ud83d\ude00")"), R"("\ud83d\ude00")");
  for (const char* text : {"\"\xf3\xa0\x80\x81\"", "\"\xe2\x80\xa8 \xf0\x9f\x98\x80\""})
    EXPECT_EQ(nlohmann::json::parse(*compact_json(text)), nlohmann::json::parse(text));
}

// Every text of a few of JSON's own characters.
TEST(CompactJson, AgreesWithAnotherReader) {
  static constexpr std::string_view letters = "[]{}\",:1-.e0 n";
  std::size_t valid = 0;
  std::string text(5, ' ');
  for (std::size_t number = 0; number < 14 * 14 * 14 * 14 * 14; number += support::sampling_step) {
    std::size_t rest = number;
    for (char& c : text) {
      c = letters[rest % letters.size()];
      rest /= letters.size();
    }
    const bool is_json = nlohmann::json::accept(text);
    ASSERT_EQ(compact_json(text).has_value(), is_json) << text;
    valid += is_json ? 1U : 0U;
  }
  EXPECT_GT(valid, 100U);
}

TEST(CompactJson, IsBoundedInDepth) {
  EXPECT_TRUE(compact_json(std::string(64, '[') + std::string(64, ']')).has_value());
  EXPECT_FALSE(compact_json(std::string(65, '[') + std::string(65, ']')).has_value());
  EXPECT_FALSE(compact_json(std::string(1'000'000, '[')).has_value());
}

}  // namespace
}  // namespace analyzer::report
