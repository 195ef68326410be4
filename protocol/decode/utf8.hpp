// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Which text from the wire may be shown as it is. What the sender wrote is never trusted by a
// terminal: control bytes, text that changes its direction and invalid UTF-8 are shown as escapes.
#pragma once

#include <cstddef>
#include <string_view>

namespace iggy::decode {

// Length of the valid UTF-8 sequence that `text` begins with; 0 when there is none.
std::size_t utf8_length(std::string_view text);

// Whether all of it is sequences that `length_of` gives a length for, as the functions here do.
template <class LengthOf>
bool consists_of(std::string_view text, LengthOf length_of) {
  while (!text.empty()) {
    const std::size_t length = length_of(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

// Whether all of it is valid.
bool is_utf8(std::string_view text);

// Length of the sequence that `text` begins with if it may be shown as it is; 0 when its first byte
// has to be escaped.
std::size_t showable_length(std::string_view text);

// The same for what writes "\x1b" for a byte: text that looks like such an escape is escaped too.
std::size_t plain_length(std::string_view text);

// The character that a valid sequence is.
char32_t code_point(std::string_view sequence);

// Whether all of it is text: valid, and without control characters but tabs and ends of lines. Some
// characters of it may have to be escaped.
bool is_text(std::string_view text);

}  // namespace iggy::decode
