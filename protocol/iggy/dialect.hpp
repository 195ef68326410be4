// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What a sender speaks, as far as its bodies depend on it.
#pragma once

#include <optional>

#include "iggy/generation.hpp"
#include "iggy/trains.hpp"

namespace iggy {

// A generation and, where a login told it, the train of the sender's build: builds that announce
// one number may have other bodies. Without a train the bodies are those of the generation.
struct Dialect {
  Generation generation = Generation::unknown;
  std::optional<Train> train;

  constexpr Dialect() = default;
  // A generation alone is a dialect. NOLINTNEXTLINE(google-explicit-constructor)
  constexpr Dialect(Generation spoken, std::optional<Train> build = std::nullopt)
      : generation(spoken), train(build) {}
};

}  // namespace iggy
