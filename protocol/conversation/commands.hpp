// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Which commands a row of a table of rules is about. Names are those of the registry.
#pragma once

#include <cstdint>
#include <string_view>

#include "iggy/exchanges.hpp"

namespace iggy::conversation {

// The commands with these codes and those between; all where both are 0. What had another code in
// older builds is among those of today, unless it is named itself.
struct Commands {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  constexpr bool hold(std::uint32_t code) const {
    const std::uint32_t meant = first >= older_meaning ? code : command_of_today(code);
    return last == 0 || (meant >= first && meant <= last);
  }
};

consteval Commands only(std::string_view name) {
  return {command_code(name), command_code(name)};
}
consteval Commands between(std::string_view first, std::string_view last) {
  return {command_code(first), command_code(last)};
}

}  // namespace iggy::conversation
