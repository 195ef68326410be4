// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Proofs about layouts that the compiler runs: no byte without a row, none with two, no name twice.
//
// A wrong table does not build. Values are never checked here, only where rows lie.
#pragma once

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

}  // namespace iggy::describe
