// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The kinds of keys and values in user headers and options: how each lies in its bytes.
//
// A kind that is not listed is legal: its value is bytes. Source:
// core/binary_protocol/src/primitives.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "describe/field.hpp"

namespace iggy::bodies {

enum class HeaderEncoding : std::uint8_t {
  raw,              // bytes that mean what their sender likes
  text,             // UTF-8
  truth,            // one byte, 0 or 1
  signed_number,    // two's complement, little-endian
  unsigned_number,  // little-endian
  real,             // IEEE 754, little-endian
};

struct HeaderKind {
  std::uint8_t number = 0;
  std::string_view name;
  HeaderEncoding encoding = HeaderEncoding::raw;
  std::uint8_t width = 0;  // in bytes; 0: any
};

// clang-format off
inline constexpr HeaderKind header_kind_table[] = {
    { 1, "raw",     HeaderEncoding::raw,              0},
    { 2, "string",  HeaderEncoding::text,             0},
    { 3, "bool",    HeaderEncoding::truth,            1},
    { 4, "int8",    HeaderEncoding::signed_number,    1},
    { 5, "int16",   HeaderEncoding::signed_number,    2},
    { 6, "int32",   HeaderEncoding::signed_number,    4},
    { 7, "int64",   HeaderEncoding::signed_number,    8},
    { 8, "int128",  HeaderEncoding::signed_number,   16},
    { 9, "uint8",   HeaderEncoding::unsigned_number,  1},
    {10, "uint16",  HeaderEncoding::unsigned_number,  2},
    {11, "uint32",  HeaderEncoding::unsigned_number,  4},
    {12, "uint64",  HeaderEncoding::unsigned_number,  8},
    {13, "uint128", HeaderEncoding::unsigned_number, 16},
    {14, "float32", HeaderEncoding::real,             4},
    {15, "float64", HeaderEncoding::real,             8},
};
// clang-format on

// Null where the number is not known.
constexpr const HeaderKind* find_header_kind(std::uint64_t number) {
  for (const HeaderKind& kind : header_kind_table)
    if (kind.number == number) return &kind;
  return nullptr;
}

// That of keys which are texts alone.
inline constexpr std::uint8_t text_kind = 2;
static_assert(find_header_kind(text_kind)->encoding == HeaderEncoding::text);

inline constexpr auto header_kinds = [] {
  std::array<describe::Name, std::size(header_kind_table)> names{};
  std::size_t at = 0;
  for (const HeaderKind& kind : header_kind_table) names[at++] = {kind.number, kind.name};
  return names;
}();

}  // namespace iggy::bodies
