// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The vocabulary of rows: what one field of a header or body is, and the few words that build one.
//
// A layout is an array of rows in wire order. Tables in protocol/iggy are written in these words
// and nothing else; the walk, the field reference, the JSON keys, Wireshark's fields and the
// redaction are loops over them. Nothing here reads bytes, and a row never points at memory to
// fill.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace iggy::describe {

// How a row lies in the bytes. A new kind needs two users upstream; what is odd is a named
// function.
enum class Kind : std::uint8_t {
  u8,      // little-endian numbers
  u16,     //
  u32,     //
  u64,     //
  u128,    //
  zero,    // reserved bytes of a fixed width; senders write zero
  bytes,   // opaque bytes of a fixed width
  text,    // UTF-8 (not checked), as long as the nearest count row before it says
  rest,    // everything that is left in the region
  group,   // another layout, in place
  repeat,  // another layout, as many times as the nearest count row before it says
};

// Whether later rows of the same layout depend on the value of this one.
enum class Role : std::uint8_t { plain, count };

// Who may see the value: everybody; everybody, though it names somebody; nobody unless asked for.
enum class Privacy : std::uint8_t { open, identity, secret };

// How people read a number. JSON ignores it (see ARCHITECTURE.md, "What the tools print").
enum class Shape : std::uint8_t { decimal, hex, version, microseconds };

struct Layout;

// One named number of an enumeration. Unknown numbers are never an error: they keep their value.
struct Name {
  std::uint32_t value;
  std::string_view text;
};

// A row starts where the one above ends, unless it says where.
inline constexpr std::uint16_t next = 0xffff;

struct Field {
  Kind kind{};
  Role role = Role::plain;
  Privacy privacy = Privacy::open;
  Shape shape = Shape::decimal;
  std::uint8_t minimum = 0;        // lowest legal value of a count, for names that may not be empty
  std::uint16_t offset = next;     // from the start of the frame, in bytes; headers only
  std::uint16_t width = 0;         // in bytes; 0 where it depends on the data
  const Layout* layout = nullptr;  // of group and repeat
  std::span<const Name> names{};
  std::string_view name;     // upstream's spelling, which is the JSON key as well
  std::string_view meaning;  // one line without a full stop

  // Stands above its users, since Clang 14 cannot use it in constant expressions otherwise.
  template <class Change>
  constexpr Field with(Change change) const {
    Field changed = *this;
    change(changed);
    return changed;
  }

  constexpr Field counts() const {
    return with([](Field& f) { f.role = Role::count; });
  }
  constexpr Field identity() const {
    return with([](Field& f) { f.privacy = Privacy::identity; });
  }
  constexpr Field secret() const {
    return with([](Field& f) { f.privacy = Privacy::secret; });
  }
  constexpr Field at_least(std::uint8_t least) const {
    return with([least](Field& f) { f.minimum = least; });
  }
  constexpr Field shown_as(Shape how) const {
    return with([how](Field& f) { f.shape = how; });
  }
  constexpr Field named(std::span<const Name> values) const {
    return with([values](Field& f) { f.names = values; });
  }

  // The words below build rows; a header gives each row its offset, a body lets rows follow each
  // other.
  static constexpr Field make(Kind kind, std::uint16_t offset, std::uint16_t width,
                              std::string_view name, std::string_view meaning) {
    Field row;
    row.kind = kind;
    row.offset = offset;
    row.width = width;
    row.name = name;
    row.meaning = meaning;
    return row;
  }
};

struct Layout {
  std::string_view name;   // snake_case; the Wireshark field is iggy.<layout>.<field>
  std::string_view title;  // for people
  std::span<const Field> fields;
};

// Numbers with a place of their own.
constexpr Field u8(std::uint16_t at, std::string_view name, std::string_view meaning) {
  return Field::make(Kind::u8, at, 1, name, meaning);
}
constexpr Field u16(std::uint16_t at, std::string_view name, std::string_view meaning) {
  return Field::make(Kind::u16, at, 2, name, meaning);
}
constexpr Field u32(std::uint16_t at, std::string_view name, std::string_view meaning) {
  return Field::make(Kind::u32, at, 4, name, meaning);
}
constexpr Field u64(std::uint16_t at, std::string_view name, std::string_view meaning) {
  return Field::make(Kind::u64, at, 8, name, meaning);
}
constexpr Field u128(std::uint16_t at, std::string_view name, std::string_view meaning) {
  return Field::make(Kind::u128, at, 16, name, meaning);
}
// Numbers that follow the row above.
constexpr Field u8(std::string_view name, std::string_view meaning) {
  return u8(next, name, meaning);
}
constexpr Field u16(std::string_view name, std::string_view meaning) {
  return u16(next, name, meaning);
}
constexpr Field u32(std::string_view name, std::string_view meaning) {
  return u32(next, name, meaning);
}
constexpr Field u64(std::string_view name, std::string_view meaning) {
  return u64(next, name, meaning);
}
constexpr Field u128(std::string_view name, std::string_view meaning) {
  return u128(next, name, meaning);
}

// Reserved bytes [from, to).
constexpr Field zero(std::uint16_t from, std::uint16_t to, std::string_view name,
                     std::string_view meaning) {
  return Field::make(Kind::zero, from, static_cast<std::uint16_t>(to - from), name, meaning);
}
// Opaque bytes [from, to).
constexpr Field bytes(std::uint16_t from, std::uint16_t to, std::string_view name,
                      std::string_view meaning) {
  return Field::make(Kind::bytes, from, static_cast<std::uint16_t>(to - from), name, meaning);
}
// Opaque bytes of a fixed width that follow the row above.
constexpr Field bytes(std::uint16_t width, std::string_view name, std::string_view meaning) {
  return Field::make(Kind::bytes, next, width, name, meaning);
}
constexpr Field text(std::string_view name, std::string_view meaning) {
  return Field::make(Kind::text, next, 0, name, meaning);
}
constexpr Field rest(std::string_view name, std::string_view meaning) {
  return Field::make(Kind::rest, next, 0, name, meaning);
}
constexpr Field group(std::string_view name, const Layout& layout, std::string_view meaning) {
  Field row = Field::make(Kind::group, next, 0, name, meaning);
  row.layout = &layout;
  return row;
}
constexpr Field repeat(std::string_view name, const Layout& layout, std::string_view meaning) {
  Field row = Field::make(Kind::repeat, next, 0, name, meaning);
  row.layout = &layout;
  return row;
}

// The text of a number in an enumeration; empty when the number is not in it.
constexpr std::string_view name_of(std::span<const Name> names, std::uint64_t value) {
  for (const Name& name : names)
    if (name.value == value) return name.text;
  return {};
}

}  // namespace iggy::describe
