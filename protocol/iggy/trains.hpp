// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Builds of the protocol in the order of their release, as far as their bodies differ.
//
// Builds of one train announce the same number and still do not understand each other; only the
// version strings of SDK and server tell them apart. Source: core/binary_protocol at upstream's
// tags, and the published protocol crates.
#pragma once

#include <cstdint>
#include <string_view>

namespace iggy {

enum class Train : std::uint8_t {
  v0_11_0_edge_1,
  v0_11_0_edge_2,
  v0_11_0_edge_3,  // options
  v0_11_0_edge_4,  // message batches as today
  v0_11_0_edge_5,
  v0_11_0_edge_6,
  v0_11_0_edge_7,
  v0_11_0_edge_8,  // durability in place of enforce_fsync
  v0_11_0,
  v0_11_1_edge_1,
  v0_12_0_first,   // crate 0.11.1-edge.2
  v0_12_0_second,  // crate 0.11.1-edge.3
  v0_12_0_third,   // crate 0.11.1-edge.4
  v0_12_1,         // crate 0.11.1-edge.5
  v0_12_2_first,   // crate 0.11.1-edge.7
  v0_12_2_second,  // crate 0.11.1-edge.8
  newest = v0_12_2_second,
};

}  // namespace iggy
