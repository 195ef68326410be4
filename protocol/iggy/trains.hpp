// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Builds of the protocol in the order of their release, as far as their bodies differ.
//
// Builds of one train announce the same number and still do not understand each other; only the
// version strings of SDK and server tell them apart. Source: core/binary_protocol at upstream's
// tags, and the published protocol crates.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "iggy/version.hpp"

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

// The version that the builds of a train announce. Source: version.rs of each crate.
constexpr Version number_of(Train train) {
  if (train <= Train::v0_11_0) return version_0_11_0;
  if (train == Train::v0_11_1_edge_1) return version_0_11_1;
  if (train <= Train::v0_12_0_third) return version_0_12_0;
  return train == Train::v0_12_1 ? make_version(0, 12, 1) : make_version(0, 12, 2);
}

// A build by the strings of its login or of its login reply. What is not listed is of no train that
// is known: main builds of the Java SDK all have one name, the edge servers behind 0.9.0-edge.5
// were never mapped, and of servers that speak 0.12 no build was published.
struct Build {
  std::string_view sdk;  // sdk_name, or "server"
  std::string_view version;
  Train train;
};

namespace build_list {
using enum Train;
// clang-format off
inline constexpr Build builds[] = {
    {"server",     "0.9.0-edge.2",  v0_11_0_edge_1},
    {"server",     "0.9.0-edge.3",  v0_11_0_edge_2},
    {"server",     "0.9.0-edge.4",  v0_11_0_edge_3},
    {"server",     "0.9.0-edge.5",  v0_11_0_edge_4},
    {"server",     "0.9.0",         v0_11_0},
    {"rust-sdk",   "0.11.0-edge.1", v0_11_0_edge_1},
    {"rust-sdk",   "0.11.0-edge.2", v0_11_0_edge_2},
    {"rust-sdk",   "0.11.0-edge.3", v0_11_0_edge_3},
    {"rust-sdk",   "0.11.0-edge.4", v0_11_0_edge_4},
    {"rust-sdk",   "0.11.0-edge.5", v0_11_0_edge_5},
    {"rust-sdk",   "0.11.0-edge.6", v0_11_0_edge_6},
    {"rust-sdk",   "0.11.0-edge.7", v0_11_0_edge_7},
    {"rust-sdk",   "0.11.0-edge.8", v0_11_0_edge_8},
    {"rust-sdk",   "0.11.0",        v0_11_0},
    {"rust-sdk",   "0.11.1-edge.1", v0_11_1_edge_1},
    {"rust-sdk",   "0.11.1-edge.2", v0_12_0_first},
    {"rust-sdk",   "0.11.1-edge.3", v0_12_0_second},
    {"rust-sdk",   "0.11.1-edge.4", v0_12_0_second},
    {"rust-sdk",   "0.11.1-edge.5", v0_12_0_third},
    {"rust-sdk",   "0.11.1-edge.6", v0_12_1},
    {"rust-sdk",   "0.11.1-edge.7", v0_12_2_first},
    {"rust-sdk",   "0.11.1-edge.8", v0_12_2_second},
    {"rust-sdk",   "0.11.1-edge.9", v0_12_2_second},
    {"node-sdk",   "0.10.0-edge.2", v0_11_0_edge_2},
    {"node-sdk",   "0.10.0-edge.3", v0_11_0_edge_3},
    {"node-sdk",   "0.10.0-edge.4", v0_11_0_edge_4},
    {"node-sdk",   "0.10.0",        v0_11_0},
    {"go-sdk",     "0.9.0-edge.2",  v0_11_0_edge_2},
    {"go-sdk",     "0.9.0-edge.3",  v0_11_0_edge_3},
    {"go-sdk",     "0.9.0-edge.4",  v0_11_0_edge_4},
    {"go-sdk",     "0.9.0",         v0_11_0},
    {"csharp-sdk", "0.9.0-edge.2",  v0_11_0_edge_2},
    {"csharp-sdk", "0.9.0-edge.3",  v0_11_0_edge_3},
    {"csharp-sdk", "0.9.0-edge.4",  v0_11_0_edge_4},
    {"csharp-sdk", "0.9.0",         v0_11_0},
    {"java-sdk",   "0.9.0",         v0_11_0},
};
// clang-format on
}  // namespace build_list

// Nothing where the strings tell no train. A build may be linked with a newer protocol than its own
// strings say, so what it announces has to be what its train does.
constexpr std::optional<Train> train_of(std::string_view sdk, std::string_view version,
                                        Version announced) {
  for (const Build& build : build_list::builds)
    if (build.sdk == sdk && build.version == version && number_of(build.train) == announced)
      return build.train;
  return std::nullopt;
}

// The version of an SDK, or of the server, in a train; empty where none is known.
constexpr std::string_view version_in(Train train, std::string_view sdk) {
  for (const Build& build : build_list::builds)
    if (build.sdk == sdk && build.train == train) return build.version;
  return {};
}

// Whether versions of the server tell the trains that announce this number.
constexpr bool tells_train_of_servers(Version number) {
  for (const Build& build : build_list::builds)
    if (build.sdk == "server" && number_of(build.train) == number) return true;
  return false;
}

}  // namespace iggy
