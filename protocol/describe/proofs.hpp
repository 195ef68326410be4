// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Proofs about layouts that the compiler runs: no byte of a header without a row, none with two, no
// name twice, no length that nobody tells.
//
// A wrong table does not build. Values are never checked here, only where rows lie.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "describe/field.hpp"

namespace iggy::describe {

// Declared and never defined: calling one while compiling stops the build with the message in its
// name. `throw` cannot do it, since this code builds without exceptions.
void no_row_of_this_name();
void row_has_another_width();
void row_has_no_offset();

// Every byte of [from, to) belongs to exactly one row, in order.
consteval bool covers(const Layout& layout, std::size_t from, std::size_t to) {
  std::size_t at = from;
  for (const Field& field : layout.fields) {
    if (field.offset != at || field.width == 0) return false;
    at += field.width;
  }
  return at == to;
}

// No two rows of the layout share a name, and every row has a name and a meaning.
consteval bool names_are_unique(const Layout& layout) {
  for (std::size_t i = 0; i < layout.fields.size(); ++i) {
    if (layout.fields[i].name.empty() || layout.fields[i].meaning.empty()) return false;
    for (std::size_t j = 0; j < i; ++j)
      if (layout.fields[i].name == layout.fields[j].name) return false;
  }
  return true;
}

// By kind: with sanitizers GCC refuses to compare addresses in constant expressions.
constexpr bool nests_layout(const Field& field) {
  return field.kind == Kind::group || field.kind == Kind::repeat;
}

// Whether the layout takes all that is left of its region, itself or in what it nests.
constexpr bool takes_the_rest(const Layout& layout) {
  return std::any_of(layout.fields.begin(), layout.fields.end(), [](const Field& field) {
    return field.kind == Kind::rest || (nests_layout(field) && takes_the_rest(*field.layout));
  });
}

// Whether reading the layout takes at least one byte, whatever the bytes say.
constexpr bool takes_a_byte(const Layout& layout) {
  return std::any_of(layout.fields.begin(), layout.fields.end(), [](const Field& field) {
    return field.width > 0 || (field.kind == Kind::group && takes_a_byte(*field.layout));
  });
}

// A text or a list has a row above it in the same layout that says how long it is; without one the
// walk would read nothing there, and nobody would notice.
consteval bool lengths_are_told(const Layout& layout) {
  bool is_told = false;
  for (const Field& field : layout.fields) {
    if ((field.kind == Kind::text || field.kind == Kind::repeat) && !is_told) return false;
    is_told = is_told || field.role == Role::count;
  }
  return true;
}

// No list has elements without bytes, of which a few bytes could promise four billion.
consteval bool elements_take_bytes(const Layout& layout) {
  return std::none_of(layout.fields.begin(), layout.fields.end(), [](const Field& field) {
    return field.kind == Kind::repeat && !takes_a_byte(*field.layout);
  });
}

// Nothing stands behind a row that takes all that is left, and no list repeats one.
consteval bool rest_is_last(const Layout& layout) {
  for (std::size_t i = 0; i < layout.fields.size(); ++i) {
    const Field& field = layout.fields[i];
    const bool nests_rest = nests_layout(field) && takes_the_rest(*field.layout);
    if (field.kind == Kind::repeat && nests_rest) return false;
    const bool is_last = i + 1 == layout.fields.size();
    if ((field.kind == Kind::rest || nests_rest) && !is_last) return false;
  }
  return true;
}

// What every body has to keep; a layout that it nests has an assertion of its own.
consteval bool is_body(const Layout& layout) {
  return names_are_unique(layout) && lengths_are_told(layout) && elements_take_bytes(layout) &&
         rest_is_last(layout);
}

// The row of that name. The build stops when there is none.
constexpr const Field& row_of(const Layout& layout, std::string_view name) {
  for (const Field& field : layout.fields)
    if (field.name == name) return field;
  no_row_of_this_name();
  return layout.fields[0];
}

// The place of a fixed row, in bytes from the start of the frame. `Number` must have the row's
// width.
template <class Number>
consteval std::uint16_t offset_of(const Layout& layout, std::string_view name) {
  const Field& field = row_of(layout, name);
  if (field.width != sizeof(Number)) row_has_another_width();
  if (field.offset == next) row_has_no_offset();
  return field.offset;
}

// The bytes [begin, end) of a frame.
struct Place {
  std::uint16_t begin = 0;
  std::uint16_t end = 0;
};

// The bytes of a fixed row, of any width.
consteval Place place_of(const Layout& layout, std::string_view name) {
  const Field& field = row_of(layout, name);
  if (field.offset == next) row_has_no_offset();
  return {field.offset, static_cast<std::uint16_t>(field.offset + field.width)};
}

}  // namespace iggy::describe
