// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// JSON text, written as it comes. Every string is escaped here and nowhere else.
#include "report/json_writer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "decode/utf8.hpp"

namespace analyzer::report {

using iggy::decode::Bytes;
using iggy::decode::U128;

namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

void append_number(std::string& to, std::uint64_t value) {
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  to.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
}

void append_escaped(std::string& to, char c) {
  switch (c) {
    case '"':
      to += "\\\"";
      return;
    case '\\':
      to += "\\\\";
      return;
    case '\n':
      to += "\\n";
      return;
    case '\t':
      to += "\\t";
      return;
    case '\r':
      to += "\\r";
      return;
    default:
      break;
  }
  const auto byte = static_cast<unsigned char>(c);
  to += "\\u00";
  to += hex_digits[byte >> 4];
  to += hex_digits[byte & 15];
}

// A character of two or three bytes.
void append_code_point(std::string& to, std::string_view sequence) {
  const auto bits = [&sequence](std::size_t i, unsigned mask) {
    return static_cast<unsigned char>(sequence[i]) & mask;
  };
  const unsigned point = sequence.size() == 2
                             ? bits(0, 0x1f) << 6 | bits(1, 0x3f)
                             : bits(0, 0x0f) << 12 | bits(1, 0x3f) << 6 | bits(2, 0x3f);
  to += "\\u";
  for (const unsigned shift : {12U, 8U, 4U, 0U}) to += hex_digits[point >> shift & 15];
}

}  // namespace

// One value may be as long as a frame.
bool JsonWriter::has_room_for(std::size_t bytes) {
  if (bytes <= limit_ && json_.size() <= limit_ - bytes) return true;
  fill();
  return false;
}

void JsonWriter::separate() {
  if (json_.size() > limit_) fill();
  if (needs_comma_) json_ += ',';
  needs_comma_ = true;
}

JsonWriter& JsonWriter::begin_object() {
  separate();
  json_ += '{';
  needs_comma_ = false;
  return *this;
}
JsonWriter& JsonWriter::end_object() {
  json_ += '}';
  needs_comma_ = true;
  return *this;
}
JsonWriter& JsonWriter::begin_array() {
  separate();
  json_ += '[';
  needs_comma_ = false;
  return *this;
}
JsonWriter& JsonWriter::end_array() {
  json_ += ']';
  needs_comma_ = true;
  return *this;
}
JsonWriter& JsonWriter::key(std::string_view name) {
  text(name);
  json_ += ':';
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) {
  separate();
  json_ += '"';
  // Each byte may need six for its escape.
  constexpr std::size_t is_long = 4096;
  if (value.size() > is_long && !has_room_for(6 * value.size())) value = {};
  while (!value.empty()) {
    const std::size_t length = iggy::decode::utf8_length(value);
    const auto byte = static_cast<unsigned char>(value[0]);
    if (length == 0)
      json_ += "\xef\xbf\xbd";
    else if (length == 1 && (byte < 0x20 || byte == 0x7f || value[0] == '"' || value[0] == '\\'))
      append_escaped(json_, value[0]);
    else if (length > 1 && length < 4 && iggy::decode::showable_length(value) == 0)
      append_code_point(json_, value.substr(0, length));
    else
      json_ += value.substr(0, length);
    value.remove_prefix(std::max<std::size_t>(length, 1));
  }
  json_ += '"';
  return *this;
}

JsonWriter& JsonWriter::number(std::uint64_t value) {
  separate();
  append_number(json_, value);
  return *this;
}
JsonWriter& JsonWriter::real(float value) {
  if (std::isnan(value)) return text("NaN");
  if (std::isinf(value)) return text(value > 0 ? "Infinity" : "-Infinity");
  separate();
  std::array<char, 16> digits{};  // the shortest that reads back as the same has 15 at most
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  json_.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
  return *this;
}
JsonWriter& JsonWriter::wide(std::uint64_t value) {
  separate();
  json_ += '"';
  append_number(json_, value);
  json_ += '"';
  return *this;
}
JsonWriter& JsonWriter::wide(U128 value) {
  if (value.high == 0) return wide(value.low);
  separate();
  json_ += '"' + decimal(value) + '"';
  return *this;
}

JsonWriter& JsonWriter::hex(Bytes bytes) {
  separate();
  if (!has_room_for(2 * bytes.size())) bytes = {};
  json_ += '"';
  for (const std::byte byte : bytes) {
    json_ += hex_digits[std::to_integer<unsigned>(byte) >> 4];
    json_ += hex_digits[std::to_integer<unsigned>(byte) & 15];
  }
  json_ += '"';
  return *this;
}
JsonWriter& JsonWriter::boolean(bool value) {
  return raw(value ? "true" : "false");
}
JsonWriter& JsonWriter::null() {
  return raw("null");
}
JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  if (has_room_for(json.size())) json_ += json;
  return *this;
}

std::string decimal(U128 value) {
  // Long division by 10^9 over 32-bit limbs, most significant first.
  std::array<std::uint32_t, 4> limbs = {
      static_cast<std::uint32_t>(value.high >> 32), static_cast<std::uint32_t>(value.high),
      static_cast<std::uint32_t>(value.low >> 32), static_cast<std::uint32_t>(value.low)};
  constexpr std::uint64_t chunk = 1'000'000'000;
  std::string digits;  // least significant first
  do {
    std::uint64_t remainder = 0;
    for (std::uint32_t& limb : limbs) {
      const std::uint64_t part = remainder << 32 | limb;
      limb = static_cast<std::uint32_t>(part / chunk);
      remainder = part % chunk;
    }
    for (int i = 0; i < 9; ++i, remainder /= 10) digits += static_cast<char>('0' + remainder % 10);
  } while (std::any_of(limbs.begin(), limbs.end(), [](std::uint32_t limb) { return limb != 0; }));
  while (digits.size() > 1 && digits.back() == '0') digits.pop_back();
  return {digits.rbegin(), digits.rend()};
}

std::string seconds_text(std::int64_t nanoseconds) {
  constexpr std::uint64_t second = 1'000'000'000;
  const bool negative = nanoseconds < 0;
  const std::uint64_t value = negative ? ~static_cast<std::uint64_t>(nanoseconds) + 1
                                       : static_cast<std::uint64_t>(nanoseconds);
  std::string fraction = std::to_string(value % second);
  fraction.insert(0, 9 - fraction.size(), '0');
  return (negative ? "-" : "") + std::to_string(value / second) + "." + fraction;
}

namespace {

// Length of the JSON string that `json` begins with, its quotes included.
std::size_t string_length(std::string_view json) {
  std::size_t at = 1;
  while (at < json.size() && json[at] != '"') at += json[at] == '\\' ? std::size_t{2} : 1;
  return std::min(at + 1, json.size());
}

// Length of the JSON value that `json` begins with.
std::size_t value_length(std::string_view json) {
  if (json.empty()) return 0;
  if (json[0] == '"') return string_length(json);
  if (json[0] != '{' && json[0] != '[') return std::min(json.find_first_of(",}]"), json.size());
  std::size_t depth = 0;
  for (std::size_t at = 0; at < json.size();) {
    if (json[at] == '"') {
      at += string_length(json.substr(at));
      continue;
    }
    if (json[at] == '{' || json[at] == '[') ++depth;
    if ((json[at] == '}' || json[at] == ']') && --depth == 0) return at + 1;
    ++at;
  }
  return json.size();
}

}  // namespace

std::string_view pick(std::string_view json, std::string_view path) {
  while (true) {
    if (json.size() < 2 || json[0] != '{') return {};
    const std::string_view name = path.substr(0, path.find('.'));
    json.remove_prefix(1);
    std::string_view found;
    while (!json.empty() && json[0] == '"') {
      const std::size_t key_length = string_length(json);
      const std::string_view key = json.substr(1, key_length - 2);
      json.remove_prefix(std::min(key_length + 1, json.size()));  // and the colon
      const std::size_t length = value_length(json);
      if (key == name) {
        found = json.substr(0, length);
        break;
      }
      json.remove_prefix(std::min(length + 1, json.size()));  // and the comma or brace
    }
    if (name.size() == path.size()) return found;
    path.remove_prefix(name.size() + 1);
    json = found;
  }
}

std::string unquoted(std::string_view json) {
  if (json.size() < 2 || json[0] != '"') return std::string(json);
  std::string text;
  const std::string_view inside = json.substr(1, json.size() - 2);
  for (std::size_t i = 0; i < inside.size(); ++i) {
    // Control bytes stay escaped: a table may end up in a terminal.
    const bool is_plain_escape = inside[i] == '\\' && i + 1 < inside.size() &&
                                 (inside[i + 1] == '"' || inside[i + 1] == '\\');
    if (is_plain_escape) ++i;
    text += inside[i];
  }
  return text;
}

}  // namespace analyzer::report
