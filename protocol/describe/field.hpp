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
  u8,     // little-endian numbers
  u16,    //
  u32,    //
  u64,    //
  u128,   //
  f32,    // little-endian too; sinks get its bits as a number
  zero,   // reserved bytes of a fixed width; senders write zero
  bytes,  // opaque bytes; without a width as many as a count row says
  text,   // UTF-8 (not checked); likewise
  rest,   // everything that is left in the region
  group,  // another layout, in place
};

// Whether later rows of the same layout depend on the value of this one. A count is taken by one
// row: whatever needs one takes the nearest above it that no other row has taken. A group is a
// count row when what is left of its own counts counts in the layout around it. A selector that is
// no number selects by the number that its names give to the whole of it, and by 0 where they do
// not name it. A kind says how the bytes of the next opaque row lie, by a number of header_kinds.
enum class Role : std::uint8_t { plain, count, selector, count_and_selector, kind };

// How often the row stands there; all but `once` make it a list.
enum class Times : std::uint8_t {
  once,      //
  counted,   // as often as a count row says
  to_end,    // as often as the region has bytes for
  chained,   // once, and again as long as the last byte of the element is not 0
  optional,  // once where the region has bytes left, else not at all
};

// When the row stands there at all, by the value of the nearest selector row above it; or by the
// bytes that are left.
enum class When : std::uint8_t {
  always,     //
  equal,      // that value alone
  unequal,    // any value but that
  having,     // a value that has this bit, or some of these
  exact,      // its elements, all of one size, are as long as what is left of the region
  otherwise,  // a value that no row has asked for; what is left is no exact number of elements
};

// Whether a count row says how many bytes the row fills, all its elements together: not at all,
// exactly, or with bytes behind it that nobody reads; or with such bytes behind each element. A
// record is filled exactly too, and is one of several whose heads tell how long they are: whatever
// is wrong in it, the next one is found.
enum class Room : std::uint8_t { open, filled, slack, each, record };

// Who may see the value: everybody; everybody, though it names somebody; who asks for what users
// put into messages and archives; nobody unless secrets are asked for; who asks for both.
enum class Privacy : std::uint8_t { open, identity, payload, secret, secret_payload };

// How people read a number. JSON ignores it (see ARCHITECTURE.md, "What the tools print").
enum class Shape : std::uint8_t {
  decimal,
  hex,
  version,
  microseconds,  // since 1970
  duration,      // in microseconds; all ones: for ever
  or_none,       // decimal; all ones: none
  uuid,          // hex, and in the order of the wire or of the number a UUID where it is one
};

// What a number or a name identifies, of the things that servers give both. Two rows of one thing
// in a layout, a number and a text, tell which belongs to which.
enum class Thing : std::uint8_t {
  none,
  stream,
  topic,           // of the stream that is named last
  consumer_group,  // of the topic that is named last
  named_last,      // whichever it is
};
inline constexpr std::size_t thing_count = 5;

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
  Times times = Times::once;
  When when = When::always;
  std::uint8_t wanted = 0;  // the value that When::equal and When::unequal ask about; bits
  // Stands there whatever the row above says, and means something only for these values of it.
  std::uint64_t meant_from = 0;
  std::uint64_t meant_to = ~std::uint64_t{0};
  Thing thing = Thing::none;
  bool is_removed = false;  // what the row identifies is gone once the request is done
  Room room = Room::open;
  std::uint16_t before_room = 0;  // bytes above the row that its room's count includes
  std::uint16_t offset = next;    // from the start of the frame, in bytes; headers only
  std::uint16_t width = 0;        // in bytes; 0 where it depends on the data
  std::uint64_t minimum = 0;      // legal values of a number
  std::uint64_t maximum = ~std::uint64_t{0};
  const Layout* layout = nullptr;  // of a group; of opaque bytes: what they may be
  std::span<const Name> names{};   // of numbers, or the known words of a row that is none
  std::string_view others{};       // what every number means that has no name
  std::string_view name;           // upstream's spelling, which is the JSON key as well
  std::string_view meaning;        // one line without a full stop

  // Stands above its users, since Clang 14 cannot use it in constant expressions otherwise.
  template <class Change>
  constexpr Field with(Change change) const {
    Field changed = *this;
    change(changed);
    return changed;
  }

  constexpr Field counts() const {
    return with([](Field& f) {
      f.role = f.role == Role::selector ? Role::count_and_selector : Role::count;
    });
  }
  constexpr Field identity() const {
    return with([](Field& f) { f.privacy = Privacy::identity; });
  }
  constexpr Field secret() const {
    return with([](Field& f) { f.privacy = Privacy::secret; });
  }
  constexpr Field payload() const {
    return with([](Field& f) { f.privacy = Privacy::payload; });
  }
  constexpr Field secret_payload() const {
    return with([](Field& f) { f.privacy = Privacy::secret_payload; });
  }
  constexpr Field selects() const {
    return with([](Field& f) {
      f.role = f.role == Role::count ? Role::count_and_selector : Role::selector;
    });
  }
  constexpr Field tells_kind() const {
    return with([](Field& f) { f.role = Role::kind; });
  }
  // The bytes may be this layout, which nobody on the wire checks: what does not read as it from
  // the first byte to the last is legal, and only bytes.
  constexpr Field may_be(const Layout& what) const {
    return with([&what](Field& f) { f.layout = &what; });
  }
  constexpr Field identifies(Thing what) const {
    return with([what](Field& f) { f.thing = what; });
  }
  constexpr Field removed() const {
    return with([](Field& f) { f.is_removed = true; });
  }
  constexpr Field at_least(std::uint64_t least) const {
    return with([least](Field& f) { f.minimum = least; });
  }
  constexpr Field at_most(std::uint64_t most) const {
    return with([most](Field& f) { f.maximum = most; });
  }
  constexpr Field counted() const {
    return with([](Field& f) { f.times = Times::counted; });
  }
  constexpr Field to_end() const {
    return with([](Field& f) { f.times = Times::to_end; });
  }
  constexpr Field chained() const {
    return with([](Field& f) { f.times = Times::chained; });
  }
  constexpr Field optional() const {
    return with([](Field& f) { f.times = Times::optional; });
  }
  constexpr Field on(std::uint8_t value) const {
    return with([value](Field& f) { f.when = When::equal, f.wanted = value; });
  }
  constexpr Field having(std::uint8_t bits) const {
    return with([bits](Field& f) { f.when = When::having, f.wanted = bits; });
  }
  constexpr Field meant_on(std::uint64_t from, std::uint64_t to) const {
    return with([from, to](Field& f) { f.meant_from = from, f.meant_to = to; });
  }
  constexpr Field unless(std::uint8_t value) const {
    return with([value](Field& f) { f.when = When::unequal, f.wanted = value; });
  }
  constexpr Field if_exact() const {
    return with([](Field& f) { f.when = When::exact; });
  }
  constexpr Field otherwise() const {
    return with([](Field& f) { f.when = When::otherwise; });
  }
  // Fills as many bytes as a count row says.
  constexpr Field in_room() const {
    return with([](Field& f) { f.room = Room::filled; });
  }
  // Fills the rest of a record: what a count row says, less the bytes of the record above it.
  constexpr Field in_record(std::uint16_t before) const {
    return with([before](Field& f) { f.room = Room::record, f.before_room = before; });
  }
  constexpr Field in_slack_room() const {
    return with([](Field& f) { f.room = Room::slack; });
  }
  // Each element has as many bytes as the nearer of two count rows says.
  constexpr Field in_slack_room_each() const {
    return with([](Field& f) { f.times = Times::counted, f.room = Room::each; });
  }
  constexpr Field shown_as(Shape how) const {
    return with([how](Field& f) { f.shape = how; });
  }
  constexpr Field named(std::span<const Name> values, std::string_view all_others = {}) const {
    return with([values, all_others](Field& f) { f.names = values, f.others = all_others; });
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
  // What a line of a frame says of it, naming rows (subject.hpp); empty: nothing.
  std::string_view subject{};
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
constexpr Field f32(std::string_view name, std::string_view meaning) {
  return Field::make(Kind::f32, next, 4, name, meaning);
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
// Reserved bytes that follow the row above.
constexpr Field zero(std::uint16_t width, std::string_view name, std::string_view meaning) {
  return Field::make(Kind::zero, next, width, name, meaning);
}
// Opaque bytes, as many as a count row says.
constexpr Field data(std::string_view name, std::string_view meaning) {
  return Field::make(Kind::bytes, next, 0, name, meaning);
}
constexpr Field text(std::string_view name, std::string_view meaning) {
  return Field::make(Kind::text, next, 0, name, meaning);
}
// A text of a fixed width.
constexpr Field text(std::uint16_t width, std::string_view name, std::string_view meaning) {
  return Field::make(Kind::text, next, width, name, meaning);
}
constexpr Field rest(std::string_view name, std::string_view meaning) {
  return Field::make(Kind::rest, next, 0, name, meaning);
}
constexpr Field group(std::string_view name, const Layout& layout, std::string_view meaning) {
  Field row = Field::make(Kind::group, next, 0, name, meaning);
  row.layout = &layout;
  return row;
}
// A list of as many groups as a count row says.
constexpr Field repeat(std::string_view name, const Layout& layout, std::string_view meaning) {
  return group(name, layout, meaning).counted();
}

constexpr bool is_list(const Field& field) {
  return field.times != Times::once;
}
constexpr bool is_number(const Field& field) {
  return field.kind <= Kind::u64;
}
// Whether all bits of such a number are 1.
constexpr bool is_all_ones(const Field& field, std::uint64_t value) {
  constexpr unsigned bits = 64;
  return is_number(field) && value == ~std::uint64_t{0} >> (bits - 8U * field.width);
}
constexpr bool is_count(const Field& field) {
  return field.role == Role::count || field.role == Role::count_and_selector;
}
constexpr bool is_selector(const Field& field) {
  return field.role == Role::selector || field.role == Role::count_and_selector;
}

// The bytes that the layout always takes; 0 where their number depends on the data.
constexpr std::uint32_t fixed_size(const Layout& layout) {
  std::uint32_t size = 0;
  for (const Field& field : layout.fields) {
    if (is_list(field) || field.when != When::always || field.room != Room::open) return 0;
    const std::uint32_t width =
        field.kind == Kind::group ? fixed_size(*field.layout) : std::uint32_t{field.width};
    if (width == 0) return 0;
    size += width;
  }
  return size;
}

constexpr bool is_secret(const Field& field) {
  return field.privacy == Privacy::secret || field.privacy == Privacy::secret_payload;
}
// Whether it is shown on request alone, and only the front of it.
constexpr bool is_payload(const Field& field) {
  return field.privacy == Privacy::payload || field.privacy == Privacy::secret_payload;
}

constexpr bool is_opaque(const Field& field) {
  return field.kind == Kind::bytes && field.width == 0;
}

// Whether the row means something behind a number of that value.
constexpr bool is_meant(const Field& field, std::uint64_t above) {
  return above >= field.meant_from && above <= field.meant_to;
}

// Whether the layout always has a secret row, itself or in what it nests; one that stands there
// only by the value of a selector is masked by itself.
constexpr bool holds_secret(const Layout& layout) {
  for (const Field& field : layout.fields)
    if ((is_secret(field) && field.when == When::always) ||
        (field.kind == Kind::group && holds_secret(*field.layout)))
      return true;
  return false;
}

// Whether the layout is a key with its value, each behind its kind; a key that is a text has none.
constexpr bool is_pair(const Layout& layout) {
  int keys = 0;
  int kinds = 0;
  for (const Field& field : layout.fields) {
    if (field.role == Role::kind) ++kinds;
    if (field.kind == Kind::text && kinds == 0) ++keys;
  }
  return keys + kinds == 2 && kinds != 0;
}

// Whether another row of the layout identifies the same thing: a number and its name.
constexpr bool is_told_twice(const Layout& layout, const Field& field) {
  int rows = 0;
  for (const Field& row : layout.fields)
    if (row.thing == field.thing && row.thing != Thing::none) ++rows;
  return rows > 1;
}

// Whether the layout tells numbers with their names or removes what has one, itself or in what it
// nests.
constexpr bool tells_names(const Layout& layout) {
  for (const Field& field : layout.fields)
    if (field.is_removed || field.thing == Thing::named_last || is_told_twice(layout, field) ||
        (field.kind == Kind::group && tells_names(*field.layout)))
      return true;
  return false;
}

// Whether the layout identifies the thing by an identifier, which may be its name, or by a number;
// itself or in what it nests.
constexpr bool identifies(const Layout& layout, Thing thing, bool by_number) {
  for (const Field& field : layout.fields) {
    const bool is_meant =
        field.thing == thing && (by_number ? is_number(field) : field.kind == Kind::group);
    if (is_meant || (field.kind == Kind::group && identifies(*field.layout, thing, by_number)))
      return true;
  }
  return false;
}

// Whether the reply tells the number of what the request may name.
constexpr bool answers_names(const Layout& request, const Layout& reply) {
  for (const Thing thing : {Thing::stream, Thing::topic, Thing::consumer_group})
    if (identifies(reply, thing, true) && identifies(request, thing, false)) return true;
  return false;
}

// Whether a row above it says how the bytes of the row lie.
constexpr bool is_typed(const Layout& layout, const Field& field) {
  std::string_view typed;  // what the nearest kind is about
  bool is_told = false;
  for (const Field& row : layout.fields) {
    if (row.role == Role::kind) is_told = true;
    if (is_opaque(row) && is_told) typed = row.name, is_told = false;
    if (row.name == field.name && row.kind == field.kind)
      return is_opaque(row) && row.name == typed;
  }
  return false;
}

// The text of a number in an enumeration; empty when the number is not in it.
constexpr std::string_view name_of(std::span<const Name> names, std::uint64_t value) {
  for (const Name& name : names)
    if (name.value == value) return name.text;
  return {};
}

// What a value of the row is called; empty where it has no name.
constexpr std::string_view name_of(const Field& field, std::uint64_t value) {
  const std::string_view name = name_of(field.names, value);
  return name.empty() ? field.others : name;
}

// The number of a word in an enumeration; 0 when the word is not in it.
constexpr std::uint32_t value_of(std::span<const Name> names, std::string_view text) {
  for (const Name& name : names)
    if (name.text == text) return name.value;
  return 0;
}

}  // namespace iggy::describe
