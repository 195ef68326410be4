// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What a line is written with, and how it stays within its bound.
#include "conversation/line.hpp"

#include <algorithm>
#include <charconv>

#include "decode/text.hpp"
#include "decode/utf8.hpp"

namespace iggy::conversation {
namespace {

constexpr std::string_view ellipsis = "...";

// Words of the line's own that stand where a text from the wire may stand too, or next to it.
constexpr auto own_words = std::to_array<std::string_view>({
    "Infinity", "NaN",     "accepts",    "all",        "answer",   "artifact",  "at",      "below",
    "body",     "but",     "by",         "client",     "consumer", "external",  "false",   "first",
    "for",      "from",    "generation", "group",      "head",     "id",        "key",     "last",
    "led",      "log",     "malformed",  "most",       "newest",   "next",      "node",    "none",
    "offset",   "op",      "partition",  "partitions", "protocol", "raw",       "replica", "reset",
    "server",   "session", "stream",     "sync",       "the",      "timestamp", "to",      "topic",
    "true",     "up",      "user",       "view",       "waits",
});

bool is_letter(char sign) {
  return (sign >= 'a' && sign <= 'z') || (sign >= 'A' && sign <= 'Z') || sign == '_';
}

bool is_digit(char sign) {
  return sign >= '0' && sign <= '9';
}

// A version or an address; a number has one dot at most.
bool has_dots(std::string_view text) {
  return std::count(text.begin(), text.end(), '.') >= 2;
}

bool stands_bare(std::string_view text) {
  if (text.empty() || text.back() == '.' || text.back() == ':') return false;
  const bool is_word = is_letter(text.front());
  if (!is_word && !(is_digit(text.front()) && has_dots(text))) return false;
  const auto may_stand = [is_word](char sign) {
    return is_letter(sign) || is_digit(sign) || sign == '-' || sign == '.' ||
           (sign == ':' && !is_word);
  };
  return std::all_of(text.begin(), text.end(), may_stand) &&
         std::find(own_words.begin(), own_words.end(), text) == own_words.end();
}

// What stands for the front of a text inside quotes.
struct Escaped {
  std::array<char, 4> signs{};
  std::size_t size = 0;
  std::size_t taken = 1;  // bytes of the text

  std::string_view text() const { return {signs.data(), size}; }
};

Escaped escaped_front(std::string_view text) {
  const char sign = text.front();
  if (sign == '"' || sign == '\\') return {{'\\', sign}, 2, 1};
  const std::size_t length = decode::showable_length(text);
  if (length == 0) {
    const auto digits = decode::hex_pair(static_cast<std::byte>(sign));
    return {{'\\', 'x', digits[0], digits[1]}, 4, 1};
  }
  Escaped same{{}, length, length};
  std::copy_n(text.begin(), length, same.signs.begin());
  return same;
}

}  // namespace

// What one text from the wire may take.
std::size_t Line::room() const {
  return is_full_ ? 0 : (bound_ - ellipsis.size() - size_) / 2;
}

Line& Line::put(std::string_view text) {
  std::copy(text.begin(), text.end(), buffer_.begin() + static_cast<std::ptrdiff_t>(size_));
  size_ += text.size();
  return *this;
}

Line& Line::fill() {
  if (is_full_) return *this;
  is_full_ = true;
  return put(ellipsis);
}

Line& Line::add(std::string_view text) {
  if (is_full_) return *this;
  return text.size() > bound_ - ellipsis.size() - size_ ? fill() : put(text);
}

Line& Line::add_number(std::uint64_t value) {
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return add({digits.data(), static_cast<std::size_t>(end - digits.data())});
}

Line& Line::add_from_wire(std::string_view text) {
  return stands_bare(text) && text.size() <= room() ? add(text) : add_quoted(text);
}

Line& Line::add_quoted(std::string_view text) {
  constexpr std::string_view end = "\"";
  constexpr std::string_view cut = "\"...";
  if (room() < 1 + cut.size()) return fill();
  const std::size_t limit = size_ + room();
  add("\"");
  std::size_t last = size_;  // where a cut fits
  while (!text.empty()) {
    const Escaped front = escaped_front(text);
    if (size_ + front.size + end.size() > limit) {
      size_ = last;
      return add(cut);
    }
    add(front.text());
    if (size_ + cut.size() <= limit) last = size_;
    text.remove_prefix(front.taken);
  }
  return add(end);
}

Line& Line::add_bytes(decode::Bytes bytes) {
  constexpr std::string_view cut = "...";
  if (room() < 2 + cut.size()) return fill();
  const std::size_t most = (room() - 2 - cut.size()) / 2;
  add("0x");
  for (const std::byte byte : bytes.first(std::min(bytes.size(), most))) {
    const auto digits = decode::hex_pair(byte);
    add({digits.data(), digits.size()});
  }
  return bytes.size() > most ? add(cut) : *this;
}

Line& Line::add_version(Version version) {
  add_number(version.major()).add(".").add_number(version.minor()).add(".");
  add_number(version.patch());
  return version.stray_bits() != 0 ? add("+bits") : *this;
}

Line& Line::add_window(VersionWindow window) {
  // A bound of 0 was not told, and names no minor whose patches could be ignored.
  const bool is_told = window.lowest.packed != 0 && window.highest.packed != 0;
  const bool one_minor = window.lowest.packed >> 10 == window.highest.packed >> 10;
  if (is_told && one_minor && gate_rule_of(window.highest) == GateRule::patch_ignored)
    return add_number(window.highest.major()).add(".").add_number(window.highest.minor()).add(".x");
  if (window.lowest == window.highest) return add("exactly ").add_version(window.lowest);
  return add_version(window.lowest).add(" to ").add_version(window.highest);
}

}  // namespace iggy::conversation
