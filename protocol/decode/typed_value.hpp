// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Reads a value by the kind that stands in front of it, as user headers and options carry them.
//
// A value that does not fit its kind and one of an unknown kind are bytes; neither is an error,
// since nobody on the wire checks them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "decode/text.hpp"
#include "decode/window.hpp"
#include "describe/field.hpp"
#include "iggy/bodies/header_kinds.hpp"
#include "iggy/options.hpp"

namespace iggy::decode {

struct TypedValue {
  bodies::HeaderEncoding encoding{};  // which of the members below holds the value
  std::uint8_t kind = 0;
  std::uint8_t width = 0;    // of a number, in bytes
  bool fits = true;          // false: the bytes are no value of their kind, and are told as raw
  bool is_negative = false;  // of a signed number
  U128 magnitude;            // of a number without its sign; of a truth 0 or 1
  double real = 0;
  Bytes bytes;  // the value as it lies on the wire, whatever it is

  std::string_view text() const { return text_of(bytes); }
  bool is(bodies::HeaderEncoding other) const { return encoding == other; }
};

TypedValue read_typed(std::uint8_t kind, Bytes bytes);

// The kind that a row has told of the opaque bytes that come next; for sinks, which pass on their
// events.
class NextKind {
 public:
  void note(const describe::Field& field, std::uint64_t value) {
    if (field.role == describe::Role::kind) kind_ = static_cast<std::uint8_t>(value);
  }
  // Of the bytes of this row; the kind is about no others.
  std::optional<std::uint8_t> take(const describe::Field& field) {
    return is_opaque(field) ? std::exchange(kind_, std::nullopt) : std::nullopt;
  }
  // The same of a row of a pair, whose key may be a text with no kind in front of it.
  std::optional<std::uint8_t> take_of_pair(const describe::Field& field) {
    return field.kind == describe::Kind::text ? bodies::text_kind : take(field);
  }
  void forget() { kind_.reset(); }

 private:
  std::optional<std::uint8_t> kind_;
};

// "int32", or "kind 200".
ShortText kind_text(std::uint8_t kind);
// The digits of a number with its sign, "true", or the shortest text that reads back as the same
// real number; empty for text and raw bytes.
ShortText plain_text(const TypedValue& value);

// What a number stands for among the values of an option, "never", or else its unit, "bytes"; empty
// for what is no number.
std::string_view note_of(const Option& option, const TypedValue& value);
// What the number of an option says to people, "never" or "2 h"; empty where the digits say it.
ShortText meaning_of(const Option& option, const TypedValue& value);

// Adds the value to a text, which says itself how texts and bytes from the wire stand in it.
template <class Text>
void add_typed(Text& to, const TypedValue& value) {
  if (value.is(bodies::HeaderEncoding::text))
    to.add_from_wire(value.text());
  else if (value.is(bodies::HeaderEncoding::raw))
    to.add_bytes(value.bytes);
  else
    to.add(plain_text(value).text());
}

}  // namespace iggy::decode
