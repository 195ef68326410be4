// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The formats of text.hpp, by integers alone.
#include "decode/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace iggy::decode {
namespace {

constexpr std::uint32_t decimal_limb = 1'000'000'000;
constexpr std::size_t limb_digits = 9;

// Divides a number of four 32-bit limbs, the highest first, by one limb; returns the remainder.
std::uint32_t divide(std::array<std::uint32_t, 4>& limbs, std::uint32_t by) {
  std::uint64_t rest = 0;
  for (std::uint32_t& limb : limbs) {
    rest = rest << 32 | limb;
    limb = static_cast<std::uint32_t>(rest / by);
    rest %= by;
  }
  return static_cast<std::uint32_t>(rest);
}

struct Date {
  std::uint64_t year = 0;
  unsigned month = 0;
  unsigned day = 0;
};

// Of the days since 1970-01-01. Years are counted from March, so that the leap day is their last;
// 400 of them have 146,097 days.
Date date_of(std::uint64_t days) {
  constexpr std::uint64_t from_march_0000 = 719'468;
  const std::uint64_t shifted = days + from_march_0000;
  const std::uint64_t era = shifted / 146'097;
  const std::uint64_t day_of_era = shifted % 146'097;
  const std::uint64_t year_of_era =
      (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::uint64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::uint64_t month = (5 * day_of_year + 2) / 153;  // from March on
  Date date;
  date.day = static_cast<unsigned>(day_of_year - (153 * month + 2) / 5 + 1);
  date.month = static_cast<unsigned>(month < 10 ? month + 3 : month - 9);
  date.year = era * 400 + year_of_era + (date.month <= 2 ? 1 : 0);
  return date;
}

ShortText time_text(std::uint64_t microseconds, std::string_view between, std::string_view zone) {
  constexpr std::uint64_t year_10000 = 253'402'300'800;  // in seconds
  const std::uint64_t seconds = microseconds / 1'000'000;
  if (microseconds == 0 || seconds >= year_10000) return {};
  const Date date = date_of(seconds / 86'400);
  const std::uint64_t second_of_day = seconds % 86'400;
  ShortText text;
  text.add_number(date.year, 4).add("-").add_number(date.month, 2).add("-");
  text.add_number(date.day, 2).add(between).add_number(second_of_day / 3'600, 2).add(":");
  text.add_number(second_of_day / 60 % 60, 2).add(":").add_number(second_of_day % 60, 2);
  return text.add(".").add_number(microseconds % 1'000'000, 6).add(zone);
}

// Without zeros at the end: 1,500,000 millionths are "1.5".
void add_fraction(ShortText& text, std::uint64_t value, std::uint64_t unit) {
  text.add_number(value / unit);
  std::uint64_t rest = value % unit;
  if (rest == 0) return;
  text.add(".");
  for (std::uint64_t place = unit / 10; rest != 0; rest %= place, place /= 10)
    text.add_number(rest / place);
}

using UuidBytes = std::array<std::uint8_t, 16>;

// Version 4, in the variant of RFC 4122.
bool is_random_uuid(const UuidBytes& bytes) {
  return bytes[6] >> 4 == 4 && bytes[8] >> 6 == 2;
}

}  // namespace

ShortText decimal(U128 value) {
  std::array<std::uint32_t, 4> limbs{
      static_cast<std::uint32_t>(value.high >> 32), static_cast<std::uint32_t>(value.high),
      static_cast<std::uint32_t>(value.low >> 32), static_cast<std::uint32_t>(value.low)};
  std::array<std::uint32_t, 5> parts{};  // of nine digits each, the lowest first
  for (std::uint32_t& part : parts) part = divide(limbs, decimal_limb);
  std::size_t highest = parts.size() - 1;
  while (highest > 0 && parts[highest] == 0) --highest;
  ShortText text;
  text.add_number(parts[highest]);
  for (std::size_t i = highest; i > 0; --i) text.add_number(parts[i - 1], limb_digits);
  return text;
}

ShortText hex(U128 value) {
  std::array<char, 16> digits{};
  char* const begin = digits.data();
  char* const limit = begin + digits.size();
  ShortText text;
  text.add("0x");
  if (value.high != 0) {
    text.add({begin, std::to_chars(begin, limit, value.high, 16).ptr});
    // The low half keeps its leading zeros.
    const std::size_t length =
        static_cast<std::size_t>(std::to_chars(begin, limit, value.low, 16).ptr - begin);
    for (std::size_t i = length; i < digits.size(); ++i) text.add("0");
    return text.add({begin, length});
  }
  return text.add({begin, std::to_chars(begin, limit, value.low, 16).ptr});
}

ShortText utc_time(std::uint64_t microseconds) {
  return time_text(microseconds, " ", " UTC");
}

ShortText iso_time(std::uint64_t microseconds) {
  return time_text(microseconds, "T", "Z");
}

ShortText duration_text(std::uint64_t microseconds) {
  struct Unit {
    std::uint64_t size;
    std::string_view name;
  };
  constexpr std::uint64_t second = 1'000'000;
  constexpr Unit units[] = {{86'400 * second, " d"}, {3'600 * second, " h"}, {60 * second, " min"}};
  ShortText text;
  if (microseconds == 0) return text;
  if (microseconds == ~std::uint64_t{0}) return text.add("never");
  std::uint64_t rest = microseconds;
  for (const Unit& unit : units) {
    if (rest < unit.size) continue;
    text.add(text.is_empty() ? "" : " ").add_number(rest / unit.size).add(unit.name);
    rest %= unit.size;
  }
  if (rest == 0) return text;
  if (!text.is_empty()) text.add(" ");
  const bool in_seconds = rest >= second || !text.is_empty();
  const std::uint64_t unit = in_seconds ? second : rest >= 1'000 ? 1'000 : 1;
  add_fraction(text, rest, unit);
  return text.add(in_seconds ? " s" : unit == 1 ? " us" : " ms");
}

ShortText uuid_text(U128 value) {
  UuidBytes bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::uint8_t>((i < 8 ? value.low : value.high) >> (8 * (i % 8)));
  ShortText text;
  if (!is_random_uuid(bytes)) std::reverse(bytes.begin(), bytes.end());
  if (!is_random_uuid(bytes)) return text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text.add("-");
    const auto pair = hex_pair(static_cast<std::byte>(bytes[i]));
    text.add({pair.data(), pair.size()});
  }
  return text;
}

ShortText version_text(Version version) {
  ShortText text;
  text.add_number(version.major()).add(".").add_number(version.minor());
  text.add(".").add_number(version.patch());
  if (version.stray_bits() != 0) text.add(" and bits that no version has");
  return text;
}

}  // namespace iggy::decode
