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
#include <utility>

#include "describe/field.hpp"
#include "describe/subject.hpp"

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

// Whether two rows never stand there together, and are alike where one of them does.
constexpr bool exclude_each_other(const Field& a, const Field& b) {
  const bool asks = a.when == When::equal || a.when == When::having || a.when == When::exact;
  const bool one_at_most =
      (asks && b.when == When::otherwise) ||
      (a.when == When::equal && b.when == When::equal && a.wanted != b.wanted) ||
      (a.when == When::equal && b.when == When::unequal && a.wanted == b.wanted);
  return one_at_most && a.kind == b.kind && a.width == b.width && a.role == b.role;
}

// Every row has a name and a meaning, and a name of its own or one for all cases of a selector.
constexpr bool names_are_unique(const Layout& layout) {
  for (std::size_t i = 0; i < layout.fields.size(); ++i) {
    if (layout.fields[i].name.empty() || layout.fields[i].meaning.empty()) return false;
    for (std::size_t j = 0; j < i; ++j)
      if (layout.fields[i].name == layout.fields[j].name &&
          !exclude_each_other(layout.fields[j], layout.fields[i]))
        return false;
  }
  return true;
}

// By kind: with sanitizers GCC refuses to compare addresses in constant expressions.
constexpr bool nests_layout(const Field& field) {
  return field.kind == Kind::group;
}

constexpr bool takes_the_rest(const Layout& layout);

// Whether the row takes all that is left of its region or may end with it, itself or in what it
// nests.
constexpr bool takes_the_rest(const Field& field) {
  if (field.room != Room::open) return false;
  return field.kind == Kind::rest || field.times == Times::to_end ||
         field.times == Times::optional || (nests_layout(field) && takes_the_rest(*field.layout));
}
constexpr bool takes_the_rest(const Layout& layout) {
  return std::any_of(layout.fields.begin(), layout.fields.end(),
                     [](const Field& field) { return takes_the_rest(field); });
}

// Whether reading the layout takes at least one byte, whatever the bytes say.
constexpr bool takes_a_byte(const Layout& layout) {
  return std::any_of(layout.fields.begin(), layout.fields.end(), [](const Field& field) {
    if (field.when != When::always || is_list(field)) return false;
    return field.width > 0 || (nests_layout(field) && takes_a_byte(*field.layout));
  });
}

// How many counts the row takes.
constexpr int counts_taken(const Field& field) {
  const bool is_long = field.kind == Kind::text || field.kind == Kind::bytes;
  return (is_long && field.width == 0 ? 1 : 0) + (field.times == Times::counted ? 1 : 0) +
         (field.room != Room::open ? 1 : 0);
}

// Whether `other` stands there whenever `field` does.
constexpr bool stands_with(const Field& other, const Field& field) {
  return other.when == When::always || (other.when == field.when && other.wanted == field.wanted);
}

// Whether a count is left over for a layout around this one.
constexpr bool leaves_a_count(const Layout& layout) {
  int left = 0;
  for (const Field& field : layout.fields) {
    left -= counts_taken(field);
    if (is_count(field) && field.when == When::always) ++left;
  }
  return left > 0;
}

// How many counts a walk remembers.
inline constexpr int counts_remembered = 2;

// What takes counts has them above it in the same layout, on every path that leads to it; without
// one the walk would read nothing there, and nobody would notice. A count that includes bytes above
// the room is never below them.
constexpr bool lengths_are_told(const Layout& layout) {
  for (std::size_t i = 0; i < layout.fields.size(); ++i) {
    const Field& field = layout.fields[i];
    if (nests_layout(field) && is_count(field) && !leaves_a_count(*field.layout)) return false;
    int needed = counts_taken(field);
    for (std::size_t j = i; needed > 0 && j > 0; --j) {
      const Field& above = layout.fields[j - 1];
      if (needed > counts_remembered) return false;
      if (!stands_with(above, field)) continue;
      needed += counts_taken(above);
      if (is_count(above)) --needed;
      if (needed == 0 && above.minimum < field.before_room) return false;
    }
    if (needed > 0) return false;
  }
  return true;
}

// A row that stands there only at times has a selector above it, or asks for counted elements of
// one size.
constexpr bool selectors_are_told(const Layout& layout) {
  bool is_told = false;
  for (const Field& field : layout.fields) {
    if (field.when == When::exact) {
      if (field.times != Times::counted || !nests_layout(field)) return false;
      if (fixed_size(*field.layout) == 0) return false;
      is_told = true;
    }
    if (field.when != When::always && !is_told) return false;
    is_told = is_told || is_selector(field);
  }
  return true;
}

// No list has elements without bytes, of which a few bytes could promise four billion; and the last
// byte of a chained one is a row that says whether another follows.
constexpr bool elements_take_bytes(const Layout& layout) {
  return std::all_of(layout.fields.begin(), layout.fields.end(), [](const Field& field) {
    if (!is_list(field)) return true;
    if (!nests_layout(field)) return field.width > 0 && field.times != Times::chained;
    if (!takes_a_byte(*field.layout)) return false;
    const Field& last = field.layout->fields.back();
    return field.times != Times::chained ||
           (last.kind == Kind::u8 && last.when == When::always && !is_list(last));
  });
}

// Nothing stands behind a row that takes all that is left, and no list repeats one; what is
// optional is never repeated.
constexpr bool rest_is_last(const Layout& layout) {
  for (std::size_t i = 0; i < layout.fields.size(); ++i) {
    const Field& field = layout.fields[i];
    const bool nests_rest = nests_layout(field) && takes_the_rest(*field.layout);
    const bool repeats = is_list(field) && field.times != Times::optional;
    if (repeats && (nests_rest || field.kind == Kind::rest)) return false;
    if (takes_the_rest(field) && i + 1 != layout.fields.size()) return false;
  }
  return true;
}

// What every body has to keep; a layout that it nests has an assertion of its own.
constexpr bool is_body(const Layout& layout) {
  return names_are_unique(layout) && lengths_are_told(layout) && selectors_are_told(layout) &&
         elements_take_bytes(layout) && rest_is_last(layout) && has_fitting_subject(layout);
}

// The row of that name. The build stops when there is none.
constexpr const Field& row_of(const Layout& layout, std::string_view name) {
  for (const Field& field : layout.fields)
    if (field.name == name) return field;
  no_row_of_this_name();
  return layout.fields[0];
}

// The bytes [begin, end) of a frame or a body.
struct Place {
  std::uint16_t begin = 0;
  std::uint16_t end = 0;
};

// Whether the row stands there whatever a selector says, be it as another row of the same name.
consteval bool stands_always(const Layout& layout, const Field& field) {
  bool on_value = false;
  bool otherwise = false;
  for (const Field& other : layout.fields) {
    if (other.name != field.name) continue;
    on_value = on_value || other.when == When::equal || other.when == When::having;
    otherwise = otherwise || other.when == When::otherwise;
  }
  return field.when == When::always || (on_value && otherwise);
}

// The bytes of a row, from the start of its layout: where it says itself, or behind the rows above
// it, all of which stand there once and have a width. One without a width ends where it begins.
consteval Place place_of(const Layout& layout, std::string_view name) {
  const Field& wanted = row_of(layout, name);
  std::uint16_t at = 0;
  bool is_known = true;
  std::string_view above;
  for (const Field& field : layout.fields) {
    is_known = is_known || field.offset != next;
    if (field.offset != next) at = field.offset;
    if (field.name == wanted.name) break;
    // Rows of one name behind each other are forms of one row (names_are_unique).
    const std::string_view before = std::exchange(above, field.name);
    if (field.name == before) continue;
    is_known = is_known && field.width != 0 && !is_list(field) && stands_always(layout, field);
    at = static_cast<std::uint16_t>(at + field.width);
  }
  if (!is_known) row_has_no_offset();
  return {at, static_cast<std::uint16_t>(at + wanted.width)};
}

// Where such a row begins. `Number` must have its width.
template <class Number>
consteval std::uint16_t offset_of(const Layout& layout, std::string_view name) {
  if (row_of(layout, name).width != sizeof(Number)) row_has_another_width();
  return place_of(layout, name).begin;
}

}  // namespace iggy::describe
