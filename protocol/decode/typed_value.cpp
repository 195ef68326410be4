// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The encodings of typed_value.hpp.
#include "decode/typed_value.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>

#include "decode/utf8.hpp"

namespace iggy::decode {

using bodies::HeaderEncoding;
using bodies::HeaderKind;

namespace {

U128 load_number(Bytes bytes) {
  U128 value;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = std::to_integer<std::uint64_t>(bytes[i]);
    (i < 8 ? value.low : value.high) |= byte << (8 * (i % 8));
  }
  return value;
}

// Of a number of `width` bytes in two's complement.
U128 negated(U128 value, std::size_t width) {
  U128 result{~value.low + 1, ~value.high + (value.low == 0 ? 1U : 0U)};
  if (width < 8) result.low &= (std::uint64_t{1} << (8 * width)) - 1;
  if (width <= 8) result.high = 0;
  return result;
}

double load_real(Bytes bytes) {
  if (bytes.size() == sizeof(float)) return std::bit_cast<float>(load<std::uint32_t>(bytes.data()));
  return std::bit_cast<double>(load<std::uint64_t>(bytes.data()));
}

bool fits(const HeaderKind& kind, Bytes bytes) {
  if (kind.width != 0 && bytes.size() != kind.width) return false;
  if (kind.encoding == HeaderEncoding::truth) return std::to_integer<unsigned>(bytes[0]) <= 1;
  if (kind.encoding != HeaderEncoding::text) return true;
  return is_utf8(text_of(bytes));
}

template <class Real>
ShortText real_text(Real value) {
  ShortText text;
  if (std::isnan(value)) return text.add("NaN");
  if (std::isinf(value)) return text.add(value > 0 ? "Infinity" : "-Infinity");
  std::array<char, 32> digits{};  // the shortest that reads back as the same has 24 at most
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return text.add({digits.data(), static_cast<std::size_t>(end - digits.data())});
}

}  // namespace

TypedValue read_typed(std::uint8_t kind, Bytes bytes) {
  TypedValue value;
  value.kind = kind;
  value.bytes = bytes;
  const HeaderKind* const known = bodies::find_header_kind(kind);
  if (known == nullptr) return value;
  value.fits = fits(*known, bytes);
  if (!value.fits) return value;
  value.encoding = known->encoding;
  value.width = known->width;
  switch (known->encoding) {
    case HeaderEncoding::raw:
    case HeaderEncoding::text:
      break;
    case HeaderEncoding::truth:
    case HeaderEncoding::unsigned_number:
      value.magnitude = load_number(bytes);
      break;
    case HeaderEncoding::signed_number:
      value.is_negative = (bytes.back() & std::byte{0x80}) != std::byte{0};
      value.magnitude = load_number(bytes);
      if (value.is_negative) value.magnitude = negated(value.magnitude, bytes.size());
      break;
    case HeaderEncoding::real:
      value.real = load_real(bytes);
      break;
  }
  return value;
}

ShortText kind_text(std::uint8_t kind) {
  const HeaderKind* const known = bodies::find_header_kind(kind);
  ShortText text;
  return known == nullptr ? text.add("kind ").add_number(kind) : text.add(known->name);
}

ShortText plain_text(const TypedValue& value) {
  ShortText text;
  switch (value.encoding) {
    case HeaderEncoding::raw:
    case HeaderEncoding::text:
      return text;
    case HeaderEncoding::truth:
      return text.add(value.magnitude.is_zero() ? "false" : "true");
    case HeaderEncoding::signed_number:
    case HeaderEncoding::unsigned_number:
      if (value.is_negative) text.add("-");
      return text.add(decimal(value.magnitude).text());
    case HeaderEncoding::real:
      return value.width == sizeof(float) ? real_text(static_cast<float>(value.real))
                                          : real_text(value.real);
  }
  return text;
}

std::string_view note_of(const Option& option, const TypedValue& value) {
  if (!value.is(HeaderEncoding::unsigned_number)) return {};
  if (value.magnitude.is_zero() && !option.zero.empty()) return option.zero;
  const U128 most{~std::uint64_t{0}, 0};
  if (value.magnitude == most && !option.most.empty()) return option.most;
  return word_of(option.unit);
}

ShortText meaning_of(const Option& option, const TypedValue& value) {
  const std::string_view note = note_of(option, value);
  if (note != word_of(option.unit)) return ShortText{}.add(note);
  if (option.unit != OptionUnit::microseconds || value.magnitude.high != 0) return {};
  return duration_text(value.magnitude.low);
}

}  // namespace iggy::decode
