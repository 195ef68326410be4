// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Finds whole UTF-8 sequences, and those that a terminal may show as they are.
#include "decode/utf8.hpp"

#include <algorithm>
#include <iterator>

namespace iggy::decode {
namespace {

unsigned char byte_of(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

std::size_t length_by_lead(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

// Overlong forms, surrogates, and what lies beyond Unicode.
bool is_out_of_range(unsigned char lead, unsigned char second) {
  return (lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
         (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f);
}

bool is_control(std::string_view sequence) {
  const unsigned char first = byte_of(sequence, 0);
  if (sequence.size() == 1) return first < 0x20 || first == 0x7f;
  // C1 controls, which some terminals obey.
  return sequence.size() == 2 && first == 0xc2 && byte_of(sequence, 1) < 0xa0;
}

struct Span {
  char32_t first;
  char32_t last;
};

// What is invisible, breaks the line it stands in, or changes the direction of what follows. From
// the property Default_Ignorable_Code_Point of Unicode, without the selectors of variants.
constexpr Span unseen[] = {
    {0x00ad, 0x00ad}, {0x034f, 0x034f},   {0x061c, 0x061c},   {0x115f, 0x1160},
    {0x17b4, 0x17b5}, {0x180b, 0x180f},   {0x200b, 0x200f},   {0x2028, 0x202e},
    {0x2060, 0x206f}, {0x3164, 0x3164},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},
    {0xfff0, 0xfffb}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
};

bool is_unseen(std::string_view sequence) {
  if (sequence.size() < 2) return false;
  const char32_t point = code_point(sequence);
  // The last two of each plane are no characters.
  if ((point & 0xfffe) == 0xfffe) return true;
  return std::any_of(std::begin(unseen), std::end(unseen), [point](const Span& span) {
    return point >= span.first && point <= span.last;
  });
}

}  // namespace

char32_t code_point(std::string_view sequence) {
  constexpr unsigned char lead_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  char32_t value = byte_of(sequence, 0) & lead_bits[sequence.size()];
  for (std::size_t i = 1; i < sequence.size(); ++i)
    value = value << 6 | (byte_of(sequence, i) & 0x3fU);
  return value;
}

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const unsigned char lead = byte_of(text, 0);
  const std::size_t length = length_by_lead(lead);
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte_of(text, i) & 0xc0) != 0x80) return 0;
  return length > 2 && is_out_of_range(lead, byte_of(text, 1)) ? 0 : length;
}

bool is_utf8(std::string_view text) {
  return consists_of(text, utf8_length);
}

std::size_t plain_length(std::string_view text) {
  return text.starts_with("\\x") ? 0 : showable_length(text);
}

std::size_t showable_length(std::string_view text) {
  const std::size_t length = utf8_length(text);
  if (length == 0) return 0;
  const std::string_view sequence = text.substr(0, length);
  return is_control(sequence) || is_unseen(sequence) ? 0 : length;
}

bool is_text(std::string_view text) {
  return consists_of(text, [](std::string_view rest) -> std::size_t {
    if (rest[0] == '\n' || rest[0] == '\t' || rest[0] == '\r') return 1;
    const std::size_t length = utf8_length(rest);
    return length == 0 || is_control(rest.substr(0, length)) ? 0 : length;
  });
}

}  // namespace iggy::decode
