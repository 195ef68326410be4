// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Writes headers and bodies from JSON, by the same rows that the walk reads them with.
//
// The JSON is that of body_recorder.hpp and of the tools. Counts may be left out: they are what the
// rows that take them need. Other numbers that are left out are 0, reserved bytes too. For tests
// only: what does not fit a row throws.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "decode/window.hpp"
#include "describe/field.hpp"
#include "support/body_recorder.hpp"
#include "support/iggy_frames.hpp"

namespace support {

inline iggy::decode::U128 u128_of(const std::string& decimal) {
  iggy::decode::U128 value;
  for (const char digit : decimal) {
    // Ten times what is there, in four limbs so that nothing is lost.
    std::uint64_t carry = static_cast<std::uint64_t>(digit - '0');
    std::uint64_t limbs[] = {value.low & 0xffffffff, value.low >> 32, value.high & 0xffffffff,
                             value.high >> 32};
    for (std::uint64_t& limb : limbs) {
      carry += limb * 10;
      limb = carry & 0xffffffff;
      carry >>= 32;
    }
    value = {limbs[0] | limbs[1] << 32, limbs[2] | limbs[3] << 32};
  }
  return value;
}

// Whether the row is written behind a selector of that value; keeps whether a row has asked for it.
inline bool is_written(const iggy::describe::Field& field, std::uint64_t selector,
                       bool& is_selected) {
  switch (field.when) {
    case iggy::describe::When::always:
      return true;
    case iggy::describe::When::equal:
      is_selected = is_selected || selector == field.wanted;
      return selector == field.wanted;
    case iggy::describe::When::unequal:
      return selector != field.wanted;
    case iggy::describe::When::having:
      is_selected = is_selected || (selector & field.wanted) != 0;
      return (selector & field.wanted) != 0;
    case iggy::describe::When::exact:
      return is_selected = false;  // only the newer elements are written
    case iggy::describe::When::otherwise:
      return !is_selected;
  }
  return false;
}

class Encoder {
 public:
  using Json = nlohmann::ordered_json;
  using Field = iggy::describe::Field;
  using Layout = iggy::describe::Layout;
  using Kind = iggy::describe::Kind;

  static Buffer encode(const Layout& layout, const Json& values) {
    Encoder encoder;
    Memory memory;
    encoder.write(layout, values, memory);
    return std::move(encoder.bytes_);
  }

 private:
  // A count that was written, and may still be mended when its row is taken.
  struct Count {
    std::size_t at = 0;
    const Field* field = nullptr;
    bool is_given = false;
  };
  struct Memory {
    std::vector<Count> counts;
    std::uint64_t selector = 0;
    bool is_selected = false;
  };

  void write(const Layout& layout, const Json& values, Memory& memory) {
    for (const Field& field : layout.fields) {
      if (!is_written(field, memory.selector, memory.is_selected)) continue;
      if (field.offset != iggy::describe::next)
        bytes_.resize(std::max<std::size_t>(bytes_.size(), field.offset));
      const std::string name(field.name);
      const Json* const given = values.contains(name) ? &values[name] : nullptr;
      write_row(field, given, memory);
    }
  }

  // The row with its list and its room: both are counted by rows above, the elements nearer.
  void write_row(const Field& field, const Json* given, Memory& memory) {
    std::optional<Count> elements;
    std::optional<Count> room;
    if (field.room == iggy::describe::Room::each) room = take(memory, field);
    if (field.times == iggy::describe::Times::counted) elements = take(memory, field);
    if (field.room != iggy::describe::Room::open && !room) room = take(memory, field);
    const std::size_t start = bytes_.size();
    if (!is_list(field)) {
      value(field, given, memory);
    } else {
      const Json list = given == nullptr ? Json::array() : *given;
      for (std::size_t i = 0; i < list.size(); ++i)
        element(field, list[i], i + 1 == list.size(), memory);
      if (elements) mend(*elements, list.size());
    }
    if (room && field.room == iggy::describe::Room::each) {
      const std::size_t count = given == nullptr ? 0 : given->size();
      if (count != 0) mend(*room, (bytes_.size() - start) / count);
    } else if (room) {
      mend(*room, bytes_.size() - start + field.before_room);
    }
  }

  // The last row of a chained element says whether another follows.
  void element(const Field& field, Json given, bool is_last, Memory& memory) {
    if (field.times == iggy::describe::Times::chained) {
      const std::string more(field.layout->fields.back().name);
      if (!given.contains(more)) given[more] = is_last ? 0 : 1;
    }
    value(field, &given, memory);
  }

  void value(const Field& field, const Json* given, Memory& memory) {
    switch (field.kind) {
      case Kind::u8:
      case Kind::u16:
      case Kind::u32:
      case Kind::u64:
      case Kind::f32:
        number(field, given, memory);
        return;
      case Kind::u128: {
        const iggy::decode::U128 wide =
            given == nullptr ? iggy::decode::U128{} : u128_of(given->get<std::string>());
        if (is_selector(field)) select(memory, wide.high == 0 ? wide.low : ~std::uint64_t{0});
        put_number(bytes_, bytes_.size(), wide.low, 8);
        put_number(bytes_, bytes_.size(), wide.high, 8);
        return;
      }
      case Kind::zero:
      case Kind::bytes:
      case Kind::text:
      case Kind::rest:
        run(field, given, memory);
        return;
      case Kind::group: {
        Memory inside;
        write(*field.layout, given == nullptr ? Json::object() : *given, inside);
        if (is_count(field)) memory.counts.push_back(inside.counts.back());
        return;
      }
    }
  }

  void number(const Field& field, const Json* given, Memory& memory) {
    const std::uint64_t value = given == nullptr ? field.minimum : number_of(field, *given);
    if (is_count(field)) memory.counts.push_back({bytes_.size(), &field, given != nullptr});
    if (is_selector(field)) select(memory, value);
    put_number(bytes_, bytes_.size(), value, field.width);
  }

  static std::uint64_t number_of(const Field& field, const Json& given) {
    if (field.kind == Kind::f32) return std::bit_cast<std::uint32_t>(given.get<float>());
    if (given.is_string()) return std::stoull(given.get<std::string>());
    return given.get<std::uint64_t>();
  }

  static void select(Memory& memory, std::uint64_t value) {
    memory.selector = value;
    memory.is_selected = false;
  }

  void run(const Field& field, const Json* given, Memory& memory) {
    Buffer bytes(field.width);
    if (given != nullptr && field.kind == Kind::text)
      bytes = bytes_of(std::string_view(given->get_ref<const std::string&>()));
    if (given != nullptr && field.kind != Kind::text)
      bytes = bytes_of_hex(given->get<std::string>());
    if (field.width != 0 && bytes.size() != field.width)
      throw std::length_error(std::string(field.name));
    if (field.width == 0 && field.kind != Kind::rest) mend(take(memory, field), bytes.size());
    if (is_selector(field))
      select(memory,
             value_of(field.names, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
    append(bytes_, bytes);
  }

  static Count take(Memory& memory, const Field& field) {
    if (memory.counts.empty()) throw std::logic_error(std::string(field.name));
    const Count taken = memory.counts.back();
    memory.counts.pop_back();
    return taken;
  }

  void mend(const Count& count, std::uint64_t value) {
    if (!count.is_given) put_number(bytes_, count.at, value, count.field->width);
  }

  Buffer bytes_;
};

}  // namespace support
