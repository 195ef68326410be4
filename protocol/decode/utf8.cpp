// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Finds whole UTF-8 sequences, and those that a terminal may show as they are.
#include "decode/utf8.hpp"

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

// U+200B to U+200F are invisible; U+2028, U+2029, U+202A to U+202E and U+2066 to U+2069 break or
// reorder the line they stand in.
bool changes_line(std::string_view sequence) {
  if (sequence.size() != 3 || byte_of(sequence, 0) != 0xe2) return false;
  const unsigned char second = byte_of(sequence, 1);
  const unsigned char third = byte_of(sequence, 2);
  return (second == 0x80 && third >= 0x8b && third <= 0x8f) ||
         (second == 0x80 && third >= 0xa8 && third <= 0xae) ||
         (second == 0x81 && third >= 0xa6 && third <= 0xa9);
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const unsigned char lead = byte_of(text, 0);
  const std::size_t length = length_by_lead(lead);
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte_of(text, i) & 0xc0) != 0x80) return 0;
  return length > 2 && is_out_of_range(lead, byte_of(text, 1)) ? 0 : length;
}

std::size_t showable_length(std::string_view text) {
  const std::size_t length = utf8_length(text);
  if (length == 0) return 0;
  const std::string_view sequence = text.substr(0, length);
  return is_control(sequence) || changes_line(sequence) ? 0 : length;
}

bool is_showable(std::string_view text) {
  while (!text.empty()) {
    const bool is_blank = text[0] == '\n' || text[0] == '\t' || text[0] == '\r';
    const std::size_t length = is_blank ? 1 : showable_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace iggy::decode
