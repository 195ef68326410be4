// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Writes JSON into a string. The caller keeps begin and end in step; the writer keeps the commas.
//
// Formats by type as protobuf's JSON does: 64- and 128-bit numbers are decimal text, bytes are hex.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "decode/window.hpp"

namespace analyzer::report {

class JsonWriter {
 public:
  // Once there would be more than `limit` bytes, nothing is kept and it is full.
  explicit JsonWriter(std::size_t limit = std::numeric_limits<std::size_t>::max())
      : limit_(limit) {}
  std::size_t limit() const { return limit_; }
  bool is_full() const { return is_full_; }
  void fill() {
    is_full_ = true;
    json_.clear();
  }

  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);

  JsonWriter& text(std::string_view value);  // invalid UTF-8 becomes U+FFFD
  JsonWriter& number(std::uint64_t value);   // as a number: for what fits a double exactly
  JsonWriter& real(float value);             // as text where it is no number
  JsonWriter& wide(std::uint64_t value);     // as text
  JsonWriter& wide(iggy::decode::U128 value);
  JsonWriter& hex(iggy::decode::Bytes bytes);
  JsonWriter& boolean(bool value);
  JsonWriter& null();
  // Null where nothing is known: of an empty text, of packet or code 0.
  JsonWriter& text_or_null(std::string_view value) { return value.empty() ? null() : text(value); }
  JsonWriter& number_or_null(std::uint64_t value) { return value == 0 ? null() : number(value); }
  JsonWriter& raw(std::string_view json);  // a whole value

  const std::string& json() const { return json_; }
  std::string take() { return std::move(json_); }

 private:
  void separate();
  bool has_room_for(std::size_t bytes);

  std::string json_;
  std::size_t limit_;
  bool needs_comma_ = false;
  bool is_full_ = false;
};

// Decimal text of a 128-bit number.
std::string decimal(iggy::decode::U128 value);
// Seconds with nine decimals, of nanoseconds.
std::string seconds_text(std::int64_t nanoseconds);

// The value at a dotted path ("header.request") in JSON that a JsonWriter wrote; empty when it is
// not there. Arrays are not entered.
std::string_view pick(std::string_view json, std::string_view path);
// A JSON string without its quotes and escapes, for tables; anything else as it is.
std::string unquoted(std::string_view json);

}  // namespace analyzer::report
