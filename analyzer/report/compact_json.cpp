// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// A strict reader of RFC 8259 that keeps nothing but the text.
#include "report/compact_json.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <system_error>

#include "decode/utf8.hpp"

namespace analyzer::report {
namespace {

constexpr std::size_t deepest = 64;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::optional<std::string> read() {
    if (!value(0)) return std::nullopt;
    skip_blanks();
    if (!text_.empty()) return std::nullopt;
    return std::move(compact_);
  }

 private:
  char next() const { return text_.empty() ? '\0' : text_.front(); }
  void keep(std::size_t count) {
    compact_ += text_.substr(0, count);
    text_.remove_prefix(count);
  }
  bool take(char wanted) {
    skip_blanks();
    if (next() != wanted) return false;
    keep(1);
    return true;
  }
  void skip_blanks() {
    const std::size_t end = text_.find_first_not_of(" \t\r\n");
    text_.remove_prefix(end == std::string_view::npos ? text_.size() : end);
  }

  // Its own calls are as deep as the text is nested, which is bounded.
  bool value(std::size_t depth) {  // NOLINT(misc-no-recursion)
    skip_blanks();
    switch (next()) {
      case '{':
        return list('{', '}', depth);
      case '[':
        return list('[', ']', depth);
      case '"':
        return string();
      case 't':
        return word("true");
      case 'f':
        return word("false");
      case 'n':
        return word("null");
      default:
        return number();
    }
  }

  bool list(char begin, char end, std::size_t depth) {  // NOLINT(misc-no-recursion)
    if (depth == deepest || !take(begin)) return false;
    if (take(end)) return true;
    do {
      skip_blanks();
      if (begin == '{' && !(string() && take(':'))) return false;
      if (!value(depth + 1)) return false;
    } while (take(','));
    return take(end);
  }

  bool word(std::string_view wanted) {
    if (!text_.starts_with(wanted)) return false;
    keep(wanted.size());
    return true;
  }

  bool string() {
    if (next() != '"') return false;
    keep(1);
    while (!text_.empty() && next() != '"') {
      if (next() == '\\') {
        if (!escape()) return false;
        continue;
      }
      if (!character()) return false;
    }
    if (text_.empty()) return false;
    keep(1);
    return true;
  }

  // What a terminal should not see is escaped, which is the same to a reader.
  bool character() {
    const std::size_t length = iggy::decode::utf8_length(text_);
    if (length == 0 || static_cast<unsigned char>(next()) < 0x20) return false;
    if (iggy::decode::showable_length(text_) != 0) {
      keep(length);
      return true;
    }
    constexpr char32_t first_of_pairs = 0x10000;
    const char32_t point = iggy::decode::code_point(text_.substr(0, length));
    if (point < first_of_pairs) {
      compact_ += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(point));
    } else {
      const auto above = static_cast<std::uint32_t>(point - first_of_pairs);
      compact_ += fmt::format("\\u{:04x}\\u{:04x}", first_high + (above >> 10),
                              first_low + (above & 0x3ff));
    }
    text_.remove_prefix(length);
    return true;
  }

  // Of an escape "\u0000" the text begins with; nothing where it begins otherwise.
  std::optional<std::uint32_t> escaped_unit() const {
    if (!text_.starts_with("\\u") || text_.size() < 6) return std::nullopt;
    std::uint32_t unit = 0;
    const auto [end, error] = std::from_chars(text_.data() + 2, text_.data() + 6, unit, 16);
    return error == std::errc() && end == text_.data() + 6 ? std::optional(unit) : std::nullopt;
  }

  bool escape() {
    if (text_.size() < 2) return false;
    if (text_[1] != 'u') {
      if (std::string_view("\"\\/bfnrt").find(text_[1]) == std::string_view::npos) return false;
      keep(2);
      return true;
    }
    const std::optional<std::uint32_t> unit = escaped_unit();
    if (!unit || (*unit >= first_low && *unit <= last_low)) return false;
    keep(6);
    if (*unit < first_high || *unit >= first_low) return true;
    // Half of a pair is no character, and readers refuse it.
    const std::optional<std::uint32_t> second = escaped_unit();
    if (!second || *second < first_low || *second > last_low) return false;
    keep(6);
    return true;
  }

  // At least one digit.
  bool digits() {
    std::size_t count = 0;
    while (count < text_.size() && is_digit(text_[count])) ++count;
    keep(count);
    return count != 0;
  }

  bool number() {
    if (next() == '-') keep(1);
    if (next() == '0')
      keep(1);
    else if (!digits())
      return false;
    if (next() == '.') {
      keep(1);
      if (!digits()) return false;
    }
    if (next() != 'e' && next() != 'E') return true;
    keep(1);
    if (next() == '+' || next() == '-') keep(1);
    return digits();
  }

  // The halves of pairs that stand for characters above 16 bits.
  static constexpr std::uint32_t first_high = 0xd800;
  static constexpr std::uint32_t first_low = 0xdc00;
  static constexpr std::uint32_t last_low = 0xdfff;

  std::string_view text_;
  std::string compact_;
};

}  // namespace

std::optional<std::string> compact_json(std::string_view text) {
  return Reader(text).read();
}

}  // namespace analyzer::report
