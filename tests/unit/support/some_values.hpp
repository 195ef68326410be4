// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Makes up values for every row of a layout, within the rows' own limits, for the encoder.
//
// The same seed gives the same values. Counts are left to the encoder.
#pragma once

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "describe/field.hpp"
#include "support/encoder.hpp"

namespace support {

class SomeValues {
 public:
  using Json = nlohmann::ordered_json;
  using Field = iggy::describe::Field;
  using Layout = iggy::describe::Layout;
  using Kind = iggy::describe::Kind;

  explicit SomeValues(std::uint32_t seed) : random_(seed) {}

  Json of(const Layout& layout) {
    Json values = Json::object();
    std::uint64_t selector = 0;
    bool is_selected = false;
    for (std::size_t i = 0; i < layout.fields.size(); ++i) {
      const Field& field = layout.fields[i];
      if (!is_written(field, selector, is_selected)) continue;
      if (is_count(field) && is_number(field)) {
        if (is_selector(field)) selector = 0, is_selected = false;  // what it counts stays away
        continue;
      }
      if (is_selector(field)) {
        is_selected = false;
        if (is_number(field) || field.kind == Kind::u128) {
          selector = choice(layout, i);
          values[std::string(field.name)] = number(field, selector);
        } else {
          const std::string some = word(field);
          selector = value_of(field.names, some);
          values[std::string(field.name)] =
              field.kind == Kind::text ? some : hex_of(std::as_bytes(std::span(some)));
        }
        continue;
      }
      values[std::string(field.name)] = is_list(field) ? list(field) : value(field);
    }
    return values;
  }

  // A number below `bound`.
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }

 private:
  // A value that a row below asks for, or another that is legal.
  std::uint64_t choice(const Layout& layout, std::size_t at) {
    const Field& selector = layout.fields[at];
    std::vector<std::uint64_t> values;
    for (std::size_t i = at + 1; i < layout.fields.size(); ++i) {
      if (is_selector(layout.fields[i])) break;
      if (layout.fields[i].when == iggy::describe::When::equal ||
          layout.fields[i].when == iggy::describe::When::having)
        values.push_back(layout.fields[i].wanted);
    }
    values.push_back(some_number(selector));
    return values[below(values.size())];
  }

  // One that the row knows, or another.
  std::string word(const Field& field) {
    const std::uint64_t chosen = below(field.names.size() + 1);
    if (chosen != field.names.size()) return std::string(field.names[chosen].text);
    return field.width == 0 ? "other" : std::string(field.width, 'x');
  }

  std::uint64_t some_number(const Field& field) {
    const std::uint64_t most =
        field.width >= 8 ? field.maximum
                         : std::min(field.maximum, (std::uint64_t{1} << (8 * field.width)) - 1);
    const std::uint64_t span = most - field.minimum;
    return field.minimum + (span == ~std::uint64_t{0} ? random_() : random_() % (span + 1));
  }

  static Json number(const Field& field, std::uint64_t value) {
    if (field.kind == Kind::u64 || field.kind == Kind::u128) return std::to_string(value);
    return value;
  }

  Json list(const Field& field) {
    Json made = Json::array();
    const std::uint64_t most = field.times == iggy::describe::Times::optional ? 1 : 3;
    for (std::uint64_t left = 1 + below(most); left > 0; --left) made.push_back(value(field));
    // The encoder sets what says whether another follows.
    if (field.times == iggy::describe::Times::chained)
      for (Json& element : made) element.erase(std::string(field.layout->fields.back().name));
    return made;
  }

  Json value(const Field& field) {
    switch (field.kind) {
      case Kind::u8:
      case Kind::u16:
      case Kind::u32:
      case Kind::u64:
        return number(field, some_number(field));
      case Kind::f32:
        return static_cast<double>(below(1000)) / 4;
      case Kind::u128:
        if (field.maximum != ~std::uint64_t{0}) return number(field, some_number(field));
        return decimal_of({random_() | field.minimum, random_()});
      case Kind::zero:
        return hex_of(std::vector<std::byte>(field.width));
      case Kind::text:
        return std::string(length_of(field), static_cast<char>('a' + below(26)));
      case Kind::bytes:
      case Kind::rest:
        return hex_of(std::vector<std::byte>(length_of(field), static_cast<std::byte>(below(256))));
      case Kind::group:
        return of(*field.layout);
    }
    return nullptr;
  }

  std::size_t length_of(const Field& field) {
    return field.width != 0 ? field.width : 1 + below(20);
  }

  std::mt19937_64 random_;
};

}  // namespace support
