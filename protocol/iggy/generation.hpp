// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The generations of the wire that live side by side, and which plane a frame belongs to.
//
// A generation is a set of tables: a new protocol version is a new value here, a new folder of
// rows, and one line where tables are chosen (registry.cpp, layouts.hpp); see ARCHITECTURE.md.
#pragma once

#include <cstdint>
#include <string_view>

namespace iggy {

// Named after what the JSON output calls them. Source: upstream's tags, core/binary_protocol.
enum class Generation : std::uint8_t {
  unknown,
  legacy,  // 8-byte framing, servers up to 0.8
  v0,      // 256-byte header of iggy 0.10.1-edge.2
  va,      // 256-byte header with `namespace` at 184, 0.10.2-edge.1 to 0.11.0-edge.1
  v0_11,   // protocol 0.11.x
  v0_12,   // protocol 0.12.x
};

inline constexpr Generation newest_generation = Generation::v0_12;

// The stable word for a generation; empty for unknown.
constexpr std::string_view word_of(Generation generation) {
  switch (generation) {
    case Generation::unknown:
      return {};
    case Generation::legacy:
      return "legacy";
    case Generation::v0:
      return "v0";
    case Generation::va:
      return "va";
    case Generation::v0_11:
      return "0.11";
    case Generation::v0_12:
      return "0.12";
  }
  return {};
}

// Generations with 256-byte headers.
constexpr bool has_frame_header(Generation generation) {
  return generation >= Generation::v0;
}

// The header layouts of pre-releases, which have some fields elsewhere.
constexpr bool has_older_layout(Generation generation) {
  return generation == Generation::v0 || generation == Generation::va;
}

// The header layout that peers speak since 0.11.0-edge.2, whatever its version.
constexpr bool has_current_layout(Generation generation) {
  return has_frame_header(generation) && !has_older_layout(generation);
}

enum class Plane : std::uint8_t { unknown, client, replica };

// The stable word for a plane; empty for unknown.
constexpr std::string_view word_of(Plane plane) {
  switch (plane) {
    case Plane::unknown:
      return {};
    case Plane::client:
      return "client";
    case Plane::replica:
      return "replica";
  }
  return {};
}

}  // namespace iggy
