// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Says whether text is one well-formed JSON value in valid UTF-8. It builds nothing, so that a
// fuzz target can afford it for every input.
#pragma once

#include <cstddef>
#include <string_view>

#include "decode/utf8.hpp"

namespace support {

class JsonCheck {
 public:
  explicit JsonCheck(std::string_view text) : rest_(text) {}

  // The value alone, without anything around it.
  bool is_one_value() { return value(0) && rest_.empty(); }

 private:
  static constexpr int deepest = 64;

  bool take(char expected) {
    if (rest_.empty() || rest_[0] != expected) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  bool value(int depth) {
    if (depth > deepest || rest_.empty()) return false;
    if (rest_[0] == '{') return members(depth, '{', '}', true);
    if (rest_[0] == '[') return members(depth, '[', ']', false);
    if (rest_[0] == '"') return text();
    return take("true") || take("false") || take("null") || number();
  }
  bool members(int depth, char open, char close, bool has_keys) {
    take(open);
    if (take(close)) return true;
    do {
      if (has_keys && !(text() && take(':'))) return false;
      if (!value(depth + 1)) return false;
    } while (take(','));
    return take(close);
  }
  bool text() {
    if (!take('"')) return false;
    while (!rest_.empty() && rest_[0] != '"') {
      const bool is_escape = rest_[0] == '\\';
      if (is_escape ? !escape() : !character()) return false;
    }
    return take('"');
  }
  bool escape() {
    rest_.remove_prefix(1);
    if (rest_.empty()) return false;
    if (rest_[0] != 'u') {
      const bool is_known = std::string_view("\"\\/bfnrt").find(rest_[0]) != std::string_view::npos;
      rest_.remove_prefix(1);
      return is_known;
    }
    if (rest_.size() < 5) return false;
    const std::string_view digits = rest_.substr(1, 4);
    rest_.remove_prefix(5);
    return digits.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
  }
  bool character() {
    const std::size_t length = iggy::decode::utf8_length(rest_);
    if (length == 0 || static_cast<unsigned char>(rest_[0]) < 0x20) return false;
    rest_.remove_prefix(length);
    return true;
  }
  bool digits() {
    std::size_t count = 0;
    while (count < rest_.size() && rest_[count] >= '0' && rest_[count] <= '9') ++count;
    rest_.remove_prefix(count);
    return count > 0;
  }
  bool number() {
    take('-');
    if (!take('0') && !digits()) return false;
    if (take('.') && !digits()) return false;
    if (!take('e') && !take('E')) return true;
    if (!take('+')) take('-');
    return digits();
  }

  std::string_view rest_;
};

}  // namespace support
