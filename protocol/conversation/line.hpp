// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// A text of bounded length that never allocates, and how it shows what comes from the wire.
//
// Two different texts from the wire never look alike in it, and none looks like a word, a number
// or a sign of the line's own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "decode/window.hpp"
#include "iggy/version.hpp"

namespace iggy::conversation {

// A line of bounded length in a fixed buffer; what does not fit is cut and ends in "...".
class Line {
 public:
  std::string_view text() const { return {buffer_.data(), size_}; }
  bool is_full() const { return is_full_; }
  // Leaves so much of the bound unused, for what the line becomes a part of.
  void leave_room(std::size_t size) { bound_ = capacity - size; }
  // Takes back what was added to a line that is not full.
  void cut_to(std::size_t size) { size_ = is_full_ ? size_ : size; }
  Line& add(std::string_view text);  // of ours
  Line& add_number(std::uint64_t value);
  // A text from the wire. It stands bare if it is a word, that is of ASCII letters, digits, "_",
  // "-" and ".", with a letter or "_" in front, or a version or an address of such signs, and if
  // the line says no such word of its own. Anything else stands in quotes, with escapes.
  Line& add_from_wire(std::string_view text);
  // In quotes, whatever it is. No text takes more than half of the room that is left, so that what
  // follows is told too; where one is cut, "..." follows on the quote that ends it.
  Line& add_quoted(std::string_view text);
  Line& add_bytes(decode::Bytes bytes);  // "0x0aff", cut in the same way
  Line& add_version(Version version);
  // What a server with this window accepts: "0.11.x", "exactly 0.12.2", "0.10.2 to 0.11.0".
  Line& add_window(VersionWindow window);

 private:
  std::size_t room() const;
  Line& put(std::string_view text);  // which fits
  Line& fill();                      // there is no room for more

  static constexpr std::size_t capacity = 1280;
  std::array<char, capacity> buffer_{};
  std::size_t size_ = 0;
  std::size_t bound_ = capacity;
  bool is_full_ = false;
};

}  // namespace iggy::conversation
