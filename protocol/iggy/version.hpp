// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Packed protocol versions and the gate that a server holds a login against.
//
// A server's or SDK's own version string is another thing: server 0.10.0 speaks protocol 0.12.
#pragma once

#include <compare>
#include <cstdint>

#include "iggy/reasons.hpp"

namespace iggy {

// major << 20 | minor << 10 | patch; bits 30 and 31 are zero. Integer order is version order.
// Source: core/binary_protocol/src/version.rs.
struct Version {
  std::uint32_t packed = 0;

  constexpr std::uint32_t major() const { return (packed >> 20) & 0x3ff; }
  constexpr std::uint32_t minor() const { return (packed >> 10) & 0x3ff; }
  constexpr std::uint32_t patch() const { return packed & 0x3ff; }
  // Bits that no version has; a value with them is not a version.
  constexpr std::uint32_t stray_bits() const { return packed >> 30; }
  friend constexpr bool operator==(Version, Version) = default;
  friend constexpr auto operator<=>(Version, Version) = default;
};

constexpr Version make_version(std::uint32_t major, std::uint32_t minor, std::uint32_t patch) {
  return {major << 20 | minor << 10 | patch};
}

// The first versions of each rule. Source: version.rs of the published
// protocol crates.
inline constexpr Version first_announced_version = make_version(0, 10, 2);
inline constexpr Version version_0_11_0 = make_version(0, 11, 0);
inline constexpr Version version_0_11_1 = make_version(0, 11, 1);
inline constexpr Version version_0_12_0 = make_version(0, 12, 0);

// The window that a server names in an eviction with reason IncompatibleProtocol. A bound of 0 is
// one that was not told: every other eviction has two of them.
struct VersionWindow {
  Version lowest;   // server_protocol_version_min, bytes 148..152 of the frame
  Version highest;  // server_protocol_version, bytes 144..148
};

// How servers of a generation read their window. Source: version.rs of each crate.
enum class GateRule : std::uint8_t {
  patch_ignored,  // up to 0.11: any patch of the highest minor passes
  exact,          // 0.12: both bounds count with their patch
  same_major,     // 1.0 and later, as upstream announces it
};

constexpr GateRule gate_rule_of(Version highest) {
  if (highest.major() >= 1) return GateRule::same_major;
  return highest < version_0_12_0 ? GateRule::patch_ignored : GateRule::exact;
}

enum class GateVerdict : std::uint8_t { accepted, too_old, too_new };

// What a server with this window says to a client that announces `client`.
constexpr GateVerdict gate(VersionWindow window, Version client) {
  if (client < window.lowest) return GateVerdict::too_old;
  switch (gate_rule_of(window.highest)) {
    case GateRule::patch_ignored:
      return (client.packed >> 10) <= (window.highest.packed >> 10) ? GateVerdict::accepted
                                                                    : GateVerdict::too_new;
    case GateRule::exact:
      return client <= window.highest ? GateVerdict::accepted : GateVerdict::too_new;
    case GateRule::same_major:
      return client.packed >> 20 <= window.highest.packed >> 20 ? GateVerdict::accepted
                                                                : GateVerdict::too_new;
  }
  return GateVerdict::accepted;
}

// The window that a server announcing `server` holds logins against.
constexpr VersionWindow window_of(Version server) {
  if (gate_rule_of(server) == GateRule::patch_ignored)
    return {{server.packed & ~std::uint32_t{0x3ff}}, server};
  if (gate_rule_of(server) == GateRule::same_major)
    return {make_version(server.major(), 0, 0), server};
  return {server, server};
}

// Whether an eviction's window keeps the rules of EvictionHeader: with reason 14 it
// is 1 <= lowest <= highest, with any other reason both are zero.
// Source: core/binary_protocol/src/consensus/header.rs.
constexpr bool window_is_consistent(std::uint8_t reason, VersionWindow window) {
  if (reason != reason::incompatible_protocol)
    return window.lowest.packed == 0 && window.highest.packed == 0;
  return window.lowest.packed >= 1 && window.lowest <= window.highest &&
         window.highest.stray_bits() == 0 && window.lowest.stray_bits() == 0;
}

}  // namespace iggy
