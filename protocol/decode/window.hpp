// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Bytes of one region of the wire: those that were captured, and how many there were.
//
// The two lengths keep "your capture was cut" apart from "the sender wrote nonsense". A window owns
// nothing. Numbers are little-endian on the wire and are read byte by byte, so that any host and
// any alignment will do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace iggy::decode {

using Bytes = std::span<const std::byte>;

struct Window {
  Bytes captured;
  std::uint32_t on_wire = 0;  // length as sent, in bytes; never below captured.size()
};

// All of `bytes` was captured.
constexpr Window whole(Bytes bytes) {
  return {bytes, static_cast<std::uint32_t>(bytes.size())};
}

// 128-bit numbers: protocol/ may not need a compiler that has them.
struct U128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  constexpr bool is_zero() const { return low == 0 && high == 0; }
  friend constexpr bool operator==(const U128&, const U128&) = default;
  friend constexpr auto operator<=>(const U128& a, const U128& b) {
    return a.high != b.high ? a.high <=> b.high : a.low <=> b.low;
  }
};

// Where a value lies, in bytes from the start of the walked window.
struct Range {
  std::uint32_t offset = 0;
  std::uint32_t length = 0;
};

// Reads a little-endian number at `from`, which must have sizeof(Number) bytes behind it.
template <class Number>
constexpr Number load(const std::byte* from) {
  Number value = 0;
  for (std::size_t i = 0; i < sizeof(Number); ++i)
    value =
        static_cast<Number>(value | static_cast<Number>(static_cast<Number>(from[i]) << (8 * i)));
  return value;
}
constexpr U128 load_u128(const std::byte* from) {
  return {load<std::uint64_t>(from), load<std::uint64_t>(from + 8)};
}

// True when all bytes are zero. Reads all of them, since compilers turn a loop without an exit into
// a few wide instructions; meant for rows of headers.
constexpr bool all_zero(Bytes bytes) {
  std::byte any{0};
  for (const std::byte byte : bytes) any |= byte;
  return any == std::byte{0};
}

inline std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Texts of Iggy hold no zeros: where a table finds one in a text, another table has a number there.
inline bool has_zero(Bytes text) {
  return text_of(text).find('\0') != std::string_view::npos;
}

}  // namespace iggy::decode
