// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// A sink that builds the JSON of a walked body, keyed and formatted as the tools print it.
//
// For tests only: it masks nothing, and it is written apart from the analyzer's own renderer so
// that the two can be compared.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "decode/walk.hpp"

namespace support {

inline std::string hex_of(iggy::decode::Bytes bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += digits[std::to_integer<unsigned>(byte) >> 4];
    text += digits[std::to_integer<unsigned>(byte) & 15U];
  }
  return text;
}

inline std::vector<std::byte> bytes_of_hex(const std::string& hex) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}

inline std::string decimal_of(iggy::decode::U128 value) {
  std::string text;
  do {
    std::uint64_t rest = 0;
    std::uint64_t* const halves[] = {&value.high, &value.low};
    for (std::uint64_t* const half : halves) {
      std::uint64_t quotient = 0;
      for (int bit = 63; bit >= 0; --bit) {
        rest = rest << 1 | ((*half >> bit) & 1);
        quotient = quotient << 1 | (rest >= 10 ? 1U : 0U);
        rest %= 10;
      }
      *half = quotient;
    }
    text += static_cast<char>('0' + rest);
  } while (!value.is_zero());
  std::reverse(text.begin(), text.end());
  return text;
}

class BodyRecorder {
 public:
  using Json = nlohmann::ordered_json;
  using Field = iggy::describe::Field;
  using Layout = iggy::describe::Layout;
  using Kind = iggy::describe::Kind;

  BodyRecorder() { open_.push_back(Json::object()); }

  void integer(const Field& field, std::uint64_t value, iggy::decode::Range) {
    if (field.kind == Kind::u64)
      put(field, std::to_string(value));
    else if (field.kind == Kind::f32)
      put(field, double{std::bit_cast<float>(static_cast<std::uint32_t>(value))});
    else
      put(field, value);
  }
  void wide(const Field& field, iggy::decode::U128 value, iggy::decode::Range) {
    put(field, decimal_of(value));
  }
  void run(const Field& field, iggy::decode::Bytes bytes, iggy::decode::Range) {
    if (field.kind == Kind::text)
      put(field, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    else
      put(field, hex_of(bytes));
  }
  void list(const Field& field, std::uint32_t) { here(field) = Json::array(); }
  bool enter(const Field&, const Layout&, std::uint32_t) {
    open_.push_back(Json::object());
    return true;
  }
  void leave(const Field& field, const Layout&, iggy::decode::Range) {
    Json element = std::move(open_.back());
    open_.pop_back();
    put(field, std::move(element));
  }
  void problem(const iggy::decode::Problem& problem) { problems.push_back(problem); }

  const Json& body() const { return open_.front(); }

  std::vector<iggy::decode::Problem> problems;

 private:
  Json& here(const Field& field) { return open_.back()[std::string(field.name)]; }
  void put(const Field& field, Json value) {
    if (is_list(field))
      here(field).push_back(std::move(value));
    else
      here(field) = std::move(value);
  }

  std::vector<Json> open_;
};

}  // namespace support
