// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The least that a dissector can do: it claims the port and adds nothing. What the plugin costs is
// told as a multiple of this (tests/bench/plugin-ratio), since a disabled protocol is no measure:
// its bytes go to every heuristic.
#include "plugin/entry.hpp"
#include "plugin/epan.hpp"

namespace {

int protocol = -1;

int dissect(tvbuff_t* tvb, packet_info*, proto_tree*, void*) {
  return static_cast<int>(tvb_captured_length(tvb));
}

}  // namespace

namespace plugin {

void register_all() {
  protocol = proto_register_protocol("Nothing On A Port", "Stub", "stub");
}

void hand_off_all() {
  dissector_add_uint("tcp.port", 8090, create_dissector_handle(dissect, protocol));
}

}  // namespace plugin
