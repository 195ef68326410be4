// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is remembered while Wireshark has a capture open, found by the packet that is looked at.
//
// The memory begins and ends with Wireshark's own; it is written on the first pass alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "plugin/epan.hpp"
#include "plugin/link.hpp"

namespace plugin {

// Ties the memory to the opening and closing of captures.
void register_capture();

// Whether the packet is looked at for the first time.
bool is_first_pass(const packet_info* pinfo);

// The connection of a packet, and which of its lanes the packet belongs to.
struct Place {
  Link* link = nullptr;  // null: on a later pass, where the first one met none
  std::size_t lane = 0;
};
Place place_of(packet_info* pinfo, Carrier carrier);

// A packet of the capture has this time, in nanoseconds since the Unix epoch.
void note_packet(std::int64_t time);

// How the connection of the packet ended. Only complete once the whole capture was seen.
Ending ending_of(packet_info* pinfo, const Place& place);

// Chunks of the packet that were seen already, in this look at it. Valid as long as the packet is
// dissected.
std::size_t& seen_chunks(packet_info* pinfo, const Place& place);

}  // namespace plugin
