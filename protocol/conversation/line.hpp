// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// A text of bounded length that never allocates. What comes from the wire is escaped in it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "iggy/version.hpp"

namespace iggy::conversation {

// A line of bounded length in a fixed buffer; what does not fit is cut and ends in "...".
class Line {
 public:
  std::string_view text() const { return {buffer_.data(), size_}; }
  bool is_full() const { return is_full_; }
  // Takes back what was added to a line that is not full.
  void cut_to(std::size_t size) { size_ = is_full_ ? size_ : size; }
  Line& add(std::string_view text);  // of ours
  Line& add_number(std::uint64_t value);
  Line& add_from_wire(std::string_view text);  // escaped
  // A name from the wire, escaped: in quotes where it could be taken for a number, a path or
  // several words. Behind a quote of the line's own it only must not end that.
  Line& add_name(std::string_view name);
  Line& add_version(Version version);
  // What a server with this window accepts: "0.11.x", "exactly 0.12.2", "0.10.2 to 0.11.0".
  Line& add_window(VersionWindow window);

 private:
  static constexpr std::size_t capacity = 400;
  std::array<char, capacity> buffer_{};
  std::size_t size_ = 0;
  bool is_full_ = false;
};

}  // namespace iggy::conversation
