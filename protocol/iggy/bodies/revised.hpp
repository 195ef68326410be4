// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// How a generation says which bodies its commands have: by what is new against the one before it.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "iggy/registry.hpp"

namespace iggy::bodies {

// Declared and never defined, as in describe/proofs.hpp.
void no_bodies_of_this_command();
void not_a_command_of_the_generation();

// For each command of a generation what has changed, else what there was before.
template <std::size_t Count>
consteval std::array<CommandBodies, Count> revised(std::span<const CommandBodies> before,
                                                   const std::array<Exchange, Count>& commands,
                                                   std::span<const CommandBodies> changes) {
  const auto row_in = [](std::span<const CommandBodies> table, std::uint32_t code) {
    std::size_t at = 0;
    while (at < table.size() && table[at].code != code) ++at;
    return at;
  };
  std::array<CommandBodies, Count> bodies{};
  std::size_t changed = 0;
  for (std::size_t i = 0; i < Count; ++i) {
    const std::size_t change = row_in(changes, commands[i].code);
    const std::size_t old = row_in(before, commands[i].code);
    if (change < changes.size())
      bodies[i] = changes[change], ++changed;
    else if (old < before.size())
      bodies[i] = before[old];
    else
      no_bodies_of_this_command();
  }
  if (changed != changes.size()) not_a_command_of_the_generation();
  return bodies;
}

}  // namespace iggy::bodies
