// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Values by their kind: the limits of each, every wrong width, and what is shown as bytes.
#include "decode/typed_value.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "conversation/summary.hpp"
#include "support/body_recorder.hpp"

namespace iggy::decode {
namespace {

using bodies::HeaderKind;

// What people read, of bytes given as hex.
std::string shown(std::uint8_t kind, const std::string& hex) {
  const std::vector<std::byte> bytes = support::bytes_of_hex(hex);
  conversation::Line line;
  add_typed(line, read_typed(kind, bytes));
  return std::string(line.text());
}

bool fits(std::uint8_t kind, const std::string& hex) {
  const std::vector<std::byte> bytes = support::bytes_of_hex(hex);
  return read_typed(kind, bytes).fits;
}

std::string repeated(const std::string& text, std::size_t times) {
  std::string made;
  for (std::size_t i = 0; i < times; ++i) made += text;
  return made;
}

struct Limit {
  std::uint8_t kind;
  std::string hex;
  std::string text;
};

TEST(TypedValue, EveryKindAndItsLimits) {
  const std::string zeros = repeated("00", 15);
  const std::string ones = repeated("ff", 15);
  const Limit limits[] = {
      {1, "00ff10", "0x00ff10"},
      {2, "6b65c3a4", "\"ke\xc3\xa4\""},
      {2, "610a", "\"a\\x0a\""},
      {3, "00", "false"},
      {3, "01", "true"},
      {4, "7f", "127"},
      {4, "80", "-128"},
      {4, "ff", "-1"},
      {5, "ff7f", "32767"},
      {5, "0080", "-32768"},
      {6, "ffffff7f", "2147483647"},
      {6, "00000080", "-2147483648"},
      {7, "ffffffffffffff7f", "9223372036854775807"},
      {7, "0000000000000080", "-9223372036854775808"},
      {8, ones + "7f", "170141183460469231731687303715884105727"},
      {8, zeros + "80", "-170141183460469231731687303715884105728"},
      {8, ones + "ff", "-1"},
      {8, "0000000000000000ffffffffffffffff", "-18446744073709551616"},
      {9, "ff", "255"},
      {10, "0001", "256"},
      {11, "ffffffff", "4294967295"},
      {12, "ffffffffffffffff", "18446744073709551615"},
      {13, ones + "ff", "340282366920938463463374607431768211455"},
      {13, zeros + "00", "0"},
      {14, "0000c03f", "1.5"},
      {14, "0000807f", "Infinity"},
      {14, "cdcccc3d", "0.1"},
      {15, "9a9999999999b9bf", "-0.1"},
      {15, "000000000000f0ff", "-Infinity"},
      {15, "010000000000f07f", "NaN"},
      {15, "ffffffffffffef7f", "1.7976931348623157e+308"},
  };
  std::set<std::uint8_t> kinds;
  for (const auto& [kind, hex, text] : limits) {
    EXPECT_TRUE(fits(kind, hex)) << int{kind} << ' ' << hex;
    EXPECT_EQ(shown(kind, hex), text) << int{kind} << ' ' << hex;
    kinds.insert(kind);
  }
  EXPECT_EQ(kinds.size(), std::size(bodies::header_kind_table));
}

TEST(TypedValue, WrongWidthsAreBytes) {
  for (const HeaderKind& kind : bodies::header_kind_table) {
    if (kind.width == 0) continue;
    for (std::size_t width = 0; width <= 255; ++width) {
      const std::string hex = repeated("00", width);
      EXPECT_EQ(fits(kind.number, hex), width == kind.width) << kind.name << ' ' << width;
      if (width == kind.width || width > 100) continue;
      EXPECT_EQ(shown(kind.number, hex), "0x" + hex) << kind.name << ' ' << width;
    }
  }
}

TEST(TypedValue, WhatIsNoValueOfItsKindIsBytes) {
  EXPECT_FALSE(fits(3, "02"));
  EXPECT_EQ(shown(3, "02"), "0x02");
  for (const char* const hex : {"ff", "61c3", "c080", "eda080", "f4908080"}) {
    EXPECT_FALSE(fits(2, hex)) << hex;
    EXPECT_EQ(shown(2, hex), "0x" + std::string(hex));
  }
}

TEST(TypedValue, UnknownKindsKeepTheirNumber) {
  for (unsigned kind = 0; kind <= 255; ++kind) {
    if (bodies::find_header_kind(kind) != nullptr) continue;
    const auto number = static_cast<std::uint8_t>(kind);
    EXPECT_TRUE(fits(number, "6f70"));
    EXPECT_EQ(shown(number, "6f70"), "0x6f70");
    EXPECT_EQ(kind_text(number).text(), "kind " + std::to_string(kind));
  }
  EXPECT_EQ(kind_text(8).text(), "int128");
}

// A number of every width against arithmetic of the compiler.
TEST(TypedValue, SmallNumbersOfBothSigns) {
  for (int number = -128; number < 128; ++number) {
    const auto byte = static_cast<unsigned char>(number);
    const std::string low = support::hex_of(Bytes(reinterpret_cast<const std::byte*>(&byte), 1));
    for (const HeaderKind& kind : bodies::header_kind_table) {
      if (kind.encoding != bodies::HeaderEncoding::signed_number) continue;
      const std::string high = repeated(number < 0 ? "ff" : "00", kind.width - std::size_t{1});
      EXPECT_EQ(shown(kind.number, low + high), std::to_string(number));
    }
  }
}

TEST(TypedValue, NumbersOfOptionsAreNoted) {
  const auto note = [](std::string_view key, std::uint8_t kind, const std::string& hex) {
    const std::vector<std::byte> bytes = support::bytes_of_hex(hex);
    const Option* const option = find_option(key);
    return option == nullptr ? "unknown" : std::string(note_of(*option, read_typed(kind, bytes)));
  };
  const std::string most = repeated("ff", 8);
  const std::string zero = repeated("00", 8);
  EXPECT_EQ(note("message_expiry", 12, most), "never");
  EXPECT_EQ(note("message_expiry", 12, zero), "default");
  EXPECT_EQ(note("message_expiry", 12, "0100000000000000"), "microseconds");
  EXPECT_EQ(note("max_topic_size", 12, most), "unlimited");
  EXPECT_EQ(note("segment_size", 12, most), "bytes");
  EXPECT_EQ(note("segment_size", 2, "32"), "");   // text
  EXPECT_EQ(note("segment_size", 12, "00"), "");  // does not fit
  EXPECT_EQ(note("messages_required_to_save", 11, "00000000"), "");
}

}  // namespace
}  // namespace iggy::decode
