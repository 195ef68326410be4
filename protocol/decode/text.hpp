// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Values as people read them where neither tool has a format of its own: 128-bit numbers, times
// and versions.
//
// Everything is a short text by value: nothing here has a destructor that a longjmp could skip, and
// no number is one that these functions cannot show.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "decode/window.hpp"
#include "iggy/version.hpp"

namespace iggy::decode {

// A text of bounded length that ends with a zero byte, for functions of C. What does not fit is
// left out.
template <std::size_t Capacity>
class BoundedText {
 public:
  const char* c_str() const { return buffer_.data(); }
  std::string_view text() const { return {buffer_.data(), size_}; }
  bool is_empty() const { return size_ == 0; }
  BoundedText& add(std::string_view text) {
    const std::size_t length = std::min(Capacity - 1 - size_, text.size());
    std::copy_n(text.begin(), length, buffer_.begin() + static_cast<long>(size_));
    size_ += length;
    return *this;
  }
  BoundedText& add_number(std::uint64_t value, std::size_t least_digits = 1) {
    std::array<char, 20> digits{};
    char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    const auto length = static_cast<std::size_t>(end - digits.data());
    for (std::size_t i = length; i < least_digits; ++i) add("0");
    return add({digits.data(), length});
  }

 private:
  std::array<char, Capacity> buffer_{};
  std::size_t size_ = 0;
};
using ShortText = BoundedText<64>;
static_assert(std::is_trivially_copyable_v<ShortText>);
static_assert(std::is_trivially_destructible_v<ShortText>);

// The two digits of a byte.
constexpr std::array<char, 2> hex_pair(std::byte byte) {
  constexpr std::string_view digits = "0123456789abcdef";
  const auto number = std::to_integer<unsigned>(byte);
  return {digits[number >> 4], digits[number & 15U]};
}
ShortText decimal(U128 value);
// With 0x, without leading zeros.
ShortText hex(U128 value);
// "2025-11-29 20:32:00.000001 UTC"; empty for 0, which senders write for no time, and for times
// after the year 9999.
ShortText utc_time(std::uint64_t microseconds);
// The same as ISO 8601 has it: "2025-11-29T20:32:00.000001Z".
ShortText iso_time(std::uint64_t microseconds);
// "1 d 2 h", "1 min 0.5 s", "20 ms": exact. "never" for all ones, empty for 0.
ShortText duration_text(std::uint64_t microseconds);
// The random UUID that the number is, read in the order of the wire or, as some SDKs write them, in
// reverse; empty where it is none. Which numbers are UUIDs nobody tells, but few others look so.
ShortText uuid_text(U128 value);
// "0.11.0"; with its bits named that no version has.
ShortText version_text(Version version);

}  // namespace iggy::decode
