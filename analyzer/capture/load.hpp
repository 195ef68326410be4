// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Loads numbers of either byte order from bytes at any alignment.
//
// The caller has checked that the bytes are there; nothing here knows what a number means.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "capture/packet.hpp"

namespace analyzer::capture {

inline std::uint8_t load_u8(Bytes bytes, std::size_t at) {
  return std::to_integer<std::uint8_t>(bytes[at]);
}

inline std::uint16_t load_u16(Bytes bytes, std::size_t at, std::endian order) {
  std::uint16_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return order == std::endian::native ? value : __builtin_bswap16(value);
}

inline std::uint32_t load_u32(Bytes bytes, std::size_t at, std::endian order) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return order == std::endian::native ? value : __builtin_bswap32(value);
}

inline std::uint64_t load_u64(Bytes bytes, std::size_t at, std::endian order) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return order == std::endian::native ? value : __builtin_bswap64(value);
}

}  // namespace analyzer::capture
