// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Which byte sequences are UTF-8, and which of them a terminal may be shown.
#include "decode/utf8.hpp"

#include <gtest/gtest.h>

#include <string>

namespace iggy::decode {
namespace {

// UTF-8 as RFC 3629 says it, of any number.
std::string encoded(std::uint32_t point) {
  const auto tail = [point](unsigned shift) {
    return static_cast<char>(0x80U | ((point >> shift) & 0x3fU));
  };
  if (point < 0x80) return {static_cast<char>(point)};
  if (point < 0x800) return {static_cast<char>(0xc0U | point >> 6), tail(0)};
  if (point < 0x10000) return {static_cast<char>(0xe0U | point >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xf0U | point >> 18), tail(12), tail(6), tail(0)};
}

TEST(Utf8, EveryCodePoint) {
  for (std::uint32_t point = 0; point <= 0x10ffff; ++point) {
    const std::string text = encoded(point);
    const bool is_surrogate = point >= 0xd800 && point <= 0xdfff;
    ASSERT_EQ(utf8_length(text), is_surrogate ? 0 : text.size()) << point;
    ASSERT_EQ(utf8_length(text + "x"), is_surrogate ? 0 : text.size()) << point;
    for (std::size_t size = 0; size < text.size(); ++size)
      ASSERT_EQ(utf8_length(text.substr(0, size)), 0U) << point;
  }
  EXPECT_EQ(utf8_length(encoded(0x110000)), 0U);
}

TEST(Utf8, OverlongAndStrayBytes) {
  for (const std::string_view text :
       {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xe0\x9f\xbf", "\xf0\x80\x80\x80",
        "\xf0\x8f\xbf\xbf", "\xf5\x80\x80\x80", "\xfe", "\xff", "\xc3(", "\xe2\x82(", "\xe2(\xa1"})
    EXPECT_EQ(utf8_length(text), 0U) << text;
}

TEST(Utf8, WhatIsNotShown) {
  for (std::uint32_t point = 0; point < 0x2100; ++point) {
    const bool is_control = point < 0x20 || (point >= 0x7f && point < 0xa0);
    const bool is_hidden =
        point == 0xad || point == 0x34f || point == 0x61c || (point >= 0x115f && point <= 0x1160) ||
        (point >= 0x17b4 && point <= 0x17b5) || (point >= 0x180b && point <= 0x180f) ||
        (point >= 0x200b && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e) ||
        (point >= 0x2060 && point <= 0x206f);
    const std::string text = encoded(point);
    ASSERT_EQ(showable_length(text), is_control || is_hidden ? 0 : text.size()) << point;
  }
}

TEST(Utf8, LinesOfText) {
  EXPECT_TRUE(is_text(""));
  EXPECT_TRUE(is_text("a line\n\tand \xe2\x82\xac\r\n"));
  EXPECT_TRUE(is_text("joined \xe2\x80\x8d and turned \xe2\x80\xae"));
  for (const std::string_view text : {"\x1b[0m", "cut \xe2\x82", "\x7f", "a\xc2\x85"})
    EXPECT_FALSE(is_text(text)) << text;
}

TEST(Utf8, WhatIsNotSeenIsEscaped) {
  for (const char* const unseen :
       {"\xc2\xad", "\xd8\x9c", "\xe2\x80\x8b", "\xe2\x80\xae", "\xe2\x81\xa6", "\xe3\x85\xa4",
        "\xef\xbb\xbf", "\xef\xbf\xbe", "\xf0\x9f\xbf\xbf", "\xf3\xa0\x80\x81"}) {
    EXPECT_NE(utf8_length(unseen), 0U);
    EXPECT_EQ(showable_length(unseen), 0U);
  }
  for (const char* const seen :
       {"\xc2\xae", "\xd8\x9b", "\xe2\x80\x90", "\xef\xbf\xbd", "\xf0\x9f\x98\x80"})
    EXPECT_EQ(showable_length(seen), utf8_length(seen));
}

TEST(Utf8, TextThatLooksLikeAnEscapeIsEscaped) {
  EXPECT_EQ(plain_length("\\x1b"), 0U);
  EXPECT_EQ(plain_length("\\n"), 1U);
  EXPECT_EQ(showable_length("\\x1b"), 1U);
}

}  // namespace
}  // namespace iggy::decode
