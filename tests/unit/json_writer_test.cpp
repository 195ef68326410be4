// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// JSON as the tools print it, held against an independent parser.
#include "report/json_writer.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>

namespace analyzer::report {
namespace {

using iggy::decode::U128;
using Json = nlohmann::json;

TEST(JsonWriter, CommasAndNesting) {
  JsonWriter json;
  json.begin_object();
  json.key("a").number(1).key("b").begin_array().number(1).text("x").begin_object().end_object();
  json.end_array().key("c").begin_object().key("d").null().key("e").boolean(true).end_object();
  json.key("f").raw("[1,2]").key("g").begin_array().end_array().end_object();
  EXPECT_EQ(json.json(), R"({"a":1,"b":[1,"x",{}],"c":{"d":null,"e":true},"f":[1,2],"g":[]})");
  EXPECT_TRUE(Json::accept(json.json()));
}

std::string text_of(std::string_view value) {
  return JsonWriter().text(value).take();
}

TEST(JsonWriter, EscapesText) {
  EXPECT_EQ(text_of("a\"b\\c\n\t\r"), R"("a\"b\\c\n\t\r")");
  EXPECT_EQ(text_of(std::string_view("\0\x1f\x7f", 3)), R"("\u0000\u001f\u007f")");
  EXPECT_EQ(text_of("\xc3\xa9\xf0\x9f\x98\x80"), "\"\xc3\xa9\xf0\x9f\x98\x80\"");
}

// Some terminals obey C1 controls, and marks of direction move what stands around them.
TEST(JsonWriter, EscapesWhatATerminalObeys) {
  EXPECT_EQ(text_of("\xc2\x9b"), R"("\u009b")");
  EXPECT_EQ(text_of("\xe2\x80\xae"), R"("\u202e")");
  EXPECT_EQ(Json::parse(text_of("\xe2\x80\xae")).get<std::string>(), "\xe2\x80\xae");
}

TEST(JsonWriter, InvalidUtf8BecomesTheReplacement) {
  EXPECT_EQ(text_of("a\xff"), "\"a\xef\xbf\xbd\"");
  EXPECT_EQ(text_of("\xe2\x82"), "\"\xef\xbf\xbd\xef\xbf\xbd\"");
  EXPECT_EQ(text_of("\xed\xa0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
}

TEST(JsonWriter, AnyBytesGiveValidJson) {
  std::minstd_rand random(2);
  for (int round = 0; round < 2'000; ++round) {
    std::string bytes(random() % 20, ' ');
    for (char& byte : bytes) byte = static_cast<char>(random() >> 8);
    ASSERT_TRUE(Json::accept(text_of(bytes)));
  }
}

TEST(JsonWriter, NumbersByType) {
  EXPECT_EQ(JsonWriter().number(0).take(), "0");
  EXPECT_EQ(JsonWriter().number(~std::uint64_t{0}).take(), "18446744073709551615");
  EXPECT_EQ(JsonWriter().wide(7).take(), "\"7\"");
  EXPECT_EQ(JsonWriter().wide(U128{7, 0}).take(), "\"7\"");
  EXPECT_EQ(JsonWriter().wide(U128{0, 1}).take(), "\"18446744073709551616\"");
  const std::byte bytes[] = {std::byte{0}, std::byte{0xaf}, std::byte{9}};
  EXPECT_EQ(JsonWriter().hex(bytes).take(), "\"00af09\"");
  EXPECT_EQ(JsonWriter().hex({}).take(), "\"\"");
}

TEST(Decimal, EdgeValues) {
  EXPECT_EQ(decimal({0, 0}), "0");
  EXPECT_EQ(decimal({9, 0}), "9");
  EXPECT_EQ(decimal({10, 0}), "10");
  EXPECT_EQ(decimal({999'999'999, 0}), "999999999");
  EXPECT_EQ(decimal({1'000'000'000, 0}), "1000000000");
  EXPECT_EQ(decimal({~std::uint64_t{0}, 0}), "18446744073709551615");
  EXPECT_EQ(decimal({0, 1}), "18446744073709551616");
  EXPECT_EQ(decimal({0, ~std::uint64_t{0}}), "340282366920938463444927863358058659840");
  EXPECT_EQ(decimal({~std::uint64_t{0}, ~std::uint64_t{0}}),
            "340282366920938463463374607431768211455");
  // 10^38, which has zeros in every chunk.
  EXPECT_EQ(decimal({687'399'551'400'673'280U, 5'421'010'862'427'522'170U}),
            "1" + std::string(38, '0'));
}

TEST(SecondsText, HasNineDecimals) {
  EXPECT_EQ(seconds_text(0), "0.000000000");
  EXPECT_EQ(seconds_text(1), "0.000000001");
  EXPECT_EQ(seconds_text(1'700'000'000'123'456'789), "1700000000.123456789");
  EXPECT_EQ(seconds_text(-1), "-0.000000001");
  EXPECT_EQ(seconds_text(-1'500'000'000), "-1.500000000");
  EXPECT_EQ(seconds_text(INT64_MIN), "-9223372036.854775808");
}

TEST(Pick, WalksPaths) {
  constexpr std::string_view json =
      R"({"a":1,"b":{"c":"x,}\"y","d":[1,{"e":2}],"f":{"g":null}},"h":"z","":5})";
  EXPECT_EQ(pick(json, "a"), "1");
  EXPECT_EQ(pick(json, "b.c"), R"("x,}\"y")");
  EXPECT_EQ(pick(json, "b.d"), R"([1,{"e":2}])");
  EXPECT_EQ(pick(json, "b.f.g"), "null");
  EXPECT_EQ(pick(json, "h"), R"("z")");
  EXPECT_EQ(pick(json, ""), "5");
  for (const std::string_view path : {"x", "a.b", "b.d.e", "b.f.x", "h.i", "b.", ".", "c"})
    EXPECT_EQ(pick(json, path), "") << path;
  EXPECT_EQ(pick("", "a"), "");
  EXPECT_EQ(pick("{}", "a"), "");
  EXPECT_EQ(pick("[1]", "a"), "");
}

// Whatever prefix of it there is: nothing is read behind it.
TEST(Pick, CutJson) {
  const std::string json = R"({"a":1,"b":{"c":"x,}\"y","d":[1,{"e":2}]}})";
  for (std::size_t size = 0; size <= json.size(); ++size) {
    const std::vector<char> exact(json.begin(), json.begin() + static_cast<std::ptrdiff_t>(size));
    for (const std::string_view path : {"a", "b", "b.c", "b.d", "z"})
      (void)pick({exact.data(), exact.size()}, path);
  }
}

TEST(Unquoted, KeepsControlBytesEscaped) {
  EXPECT_EQ(unquoted("5"), "5");
  EXPECT_EQ(unquoted("null"), "null");
  EXPECT_EQ(unquoted(""), "");
  EXPECT_EQ(unquoted(R"("a\"b\\c")"), R"(a"b\c)");
  EXPECT_EQ(unquoted(R"("a\n\u001b")"), R"(a\n\u001b)");
  EXPECT_EQ(unquoted(R"("")"), "");
}

}  // namespace
}  // namespace analyzer::report
