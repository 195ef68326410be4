// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Numbers, times and versions as text, against a calendar and an arithmetic of their own.
#include "decode/text.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>

#include "support/body_recorder.hpp"

namespace iggy::decode {
namespace {

constexpr std::uint64_t all_ones = std::numeric_limits<std::uint64_t>::max();

TEST(Text, DecimalNumbers) {
  EXPECT_STREQ(decimal({0, 0}).c_str(), "0");
  EXPECT_STREQ(decimal({1'000'000'000, 0}).c_str(), "1000000000");
  EXPECT_STREQ(decimal({0, 1}).c_str(), "18446744073709551616");
  EXPECT_STREQ(decimal({all_ones, all_ones}).c_str(), "340282366920938463463374607431768211455");
  std::mt19937_64 dice(1);
  for (int i = 0; i < 1'000; ++i) {
    const U128 value{dice() >> dice() % 64, dice() >> dice() % 64};
    EXPECT_EQ(decimal(value).c_str(), support::decimal_of(value));
  }
}

TEST(Text, HexNumbers) {
  EXPECT_STREQ(hex({0, 0}).c_str(), "0x0");
  EXPECT_STREQ(hex({0xabc, 0}).c_str(), "0xabc");
  EXPECT_STREQ(hex({0xabc, 1}).c_str(), "0x10000000000000abc");
  EXPECT_STREQ(hex({0, 0xf0}).c_str(), "0xf00000000000000000");
  EXPECT_STREQ(hex({all_ones, all_ones}).c_str(), "0xffffffffffffffffffffffffffffffff");
}

TEST(Text, Times) {
  EXPECT_TRUE(utc_time(0).is_empty());
  EXPECT_STREQ(utc_time(1).c_str(), "1970-01-01 00:00:00.000001 UTC");
  EXPECT_STREQ(utc_time(951'782'400'000'000).c_str(), "2000-02-29 00:00:00.000000 UTC");
  EXPECT_STREQ(utc_time(1'764'448'327'123'456).c_str(), "2025-11-29 20:32:07.123456 UTC");
  EXPECT_STREQ(utc_time(4'107'542'399'000'000).c_str(), "2100-02-28 23:59:59.000000 UTC");
  EXPECT_STREQ(utc_time(4'107'542'400'000'000).c_str(), "2100-03-01 00:00:00.000000 UTC");
  EXPECT_STREQ(utc_time(253'402'300'799'999'999).c_str(), "9999-12-31 23:59:59.999999 UTC");
  EXPECT_TRUE(utc_time(253'402'300'800'000'000).is_empty());
  EXPECT_TRUE(utc_time(all_ones).is_empty());
  EXPECT_STREQ(iso_time(1'764'448'327'123'456).c_str(), "2025-11-29T20:32:07.123456Z");
  EXPECT_TRUE(iso_time(0).is_empty());
}

// Day by day, with the months counted out.
TEST(Text, EveryDayOfFourCenturies) {
  unsigned year = 1970;
  unsigned month = 1;
  unsigned day = 1;
  for (std::uint64_t days = 0; days < 146'097; ++days) {
    ShortText expected;
    expected.add_number(year, 4).add("-").add_number(month, 2).add("-").add_number(day, 2);
    const std::string text = utc_time(days * 86'400'000'000 + 1).c_str();
    ASSERT_EQ(text.substr(0, 10), expected.c_str());
    const bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    const bool has_30 = month == 4 || month == 6 || month == 9 || month == 11;
    const unsigned length = month == 2 ? (is_leap ? 29U : 28U) : has_30 ? 30U : 31U;
    if (++day <= length) continue;
    day = 1;
    if (++month <= 12) continue;
    month = 1;
    ++year;
  }
}

TEST(Text, Durations) {
  const std::pair<std::uint64_t, const char*> durations[] = {
      {0, ""},
      {1, "1 us"},
      {999, "999 us"},
      {1'000, "1 ms"},
      {20'500, "20.5 ms"},
      {1'000'000, "1 s"},
      {1'050'001, "1.050001 s"},
      {60'000'000, "1 min"},
      {60'500'000, "1 min 0.5 s"},
      {3'600'000'001, "1 h 0.000001 s"},
      {604'800'000'000, "7 d"},
      {93'784'000'000, "1 d 2 h 3 min 4 s"},
      {all_ones - 1, "213503982 d 8 h 1 min 49.551614 s"},
      {all_ones, "never"},
  };
  for (const auto& [microseconds, text] : durations)
    EXPECT_STREQ(duration_text(microseconds).c_str(), text) << microseconds;
}

// Either order of the bytes; and few numbers that are none.
TEST(Text, RandomUuids) {
  const U128 number{0x4433'2211'4455'6677, 0x8899'aabb'ccdd'ee01};
  EXPECT_TRUE(uuid_text(number).is_empty());
  EXPECT_TRUE(uuid_text({9, 0}).is_empty());
  EXPECT_TRUE(uuid_text({0, 0}).is_empty());
  EXPECT_TRUE(uuid_text({all_ones, all_ones}).is_empty());
  // 00112233-4455-4677-8899-aabbccddeeff in the order of the wire, and in reverse.
  EXPECT_STREQ(uuid_text({0x7746'5544'3322'1100, 0xffee'ddcc'bbaa'9988}).c_str(),
               "00112233-4455-4677-8899-aabbccddeeff");
  EXPECT_STREQ(uuid_text({0x8899'aabb'ccdd'eeff, 0x0011'2233'4455'4677}).c_str(),
               "00112233-4455-4677-8899-aabbccddeeff");
}

TEST(Text, Versions) {
  EXPECT_STREQ(version_text(iggy::make_version(0, 11, 0)).c_str(), "0.11.0");
  EXPECT_STREQ(version_text(iggy::make_version(1023, 1023, 1023)).c_str(), "1023.1023.1023");
  EXPECT_STREQ(version_text({0x40000000}).c_str(), "0.0.0 and bits that no version has");
}

TEST(Text, WhatDoesNotFitIsLeftOut) {
  ShortText text;
  for (int i = 0; i < 10; ++i) text.add("0123456789");
  EXPECT_EQ(std::string(text.c_str()).size(), 63U);
}

}  // namespace
}  // namespace iggy::decode
