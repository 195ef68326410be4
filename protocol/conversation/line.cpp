// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What a line is written with, and how it stays within its bound.
#include "conversation/line.hpp"

#include <algorithm>
#include <charconv>

#include "decode/utf8.hpp"

namespace iggy::conversation {
namespace {

constexpr std::string_view ellipsis = "...";

// Whether a name that stands bare could be taken for something else that lines say: the number of a
// thing, a path of names, what stands in brackets, or more than one of a list.
bool is_ambiguous(std::string_view name) {
  constexpr std::string_view signs = " /,()[]{}\"\\=";
  const bool is_number =
      !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
  return is_number || name.find_first_of(signs) != std::string_view::npos;
}

}  // namespace

Line& Line::add(std::string_view text) {
  if (is_full_) return *this;
  if (text.size() > capacity - ellipsis.size() - size_) {
    is_full_ = true;
    std::copy(ellipsis.begin(), ellipsis.end(), buffer_.begin() + static_cast<long>(size_));
    size_ += ellipsis.size();
    return *this;
  }
  std::copy(text.begin(), text.end(), buffer_.begin() + static_cast<long>(size_));
  size_ += text.size();
  return *this;
}

Line& Line::add_number(std::uint64_t value) {
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return add({digits.data(), static_cast<std::size_t>(end - digits.data())});
}

Line& Line::add_from_wire(std::string_view text) {
  static constexpr std::string_view hex = "0123456789abcdef";
  while (!text.empty() && !is_full_) {
    const std::size_t length = decode::plain_length(text);
    if (length == 0) {
      const auto byte = static_cast<unsigned char>(text[0]);
      const char escape[] = {'\\', 'x', hex[byte >> 4], hex[byte & 15]};
      add({escape, sizeof escape});
    } else {
      add(text.substr(0, length));
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return *this;
}

Line& Line::add_name(std::string_view name) {
  const bool is_quoted = text().ends_with('"');
  const bool needs_quotes = !is_quoted && is_ambiguous(name);
  if (needs_quotes) add("\"");
  while (!name.empty()) {
    const std::size_t quote = std::min(name.find('"'), name.size());
    add_from_wire(name.substr(0, quote));
    name.remove_prefix(quote);
    if (name.empty() || is_full_) break;
    add(is_quoted || needs_quotes ? "\\\"" : "\"");
    name.remove_prefix(1);
  }
  return needs_quotes ? add("\"") : *this;
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
