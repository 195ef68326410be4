// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The least that a dissector can do: it claims the port and adds nothing. What the plugin costs is
// told as a multiple of this (tests/bench/plugin-ratio), since a disabled protocol is no measure:
// its bytes go to every heuristic.
#include "plugin/epan.hpp"

namespace {

int protocol = -1;

int dissect(tvbuff_t* tvb, packet_info*, proto_tree*, void*) {
  return static_cast<int>(tvb_captured_length(tvb));
}

void register_stub() {
  protocol = proto_register_protocol("Nothing On A Port", "Stub", "stub");
}

void hand_off_stub() {
  dissector_add_uint("tcp.port", 8090, create_dissector_handle(dissect, protocol));
}

}  // namespace

extern "C" {
WS_DLL_PUBLIC_DEF extern const gchar plugin_version[] = "0";
WS_DLL_PUBLIC_DEF extern const int plugin_want_major = WIRESHARK_VERSION_MAJOR;
WS_DLL_PUBLIC_DEF extern const int plugin_want_minor = WIRESHARK_VERSION_MINOR;
WS_DLL_PUBLIC void plugin_register();
WS_DLL_PUBLIC std::uint32_t plugin_describe();

void plugin_register() {
  static proto_plugin callbacks{};
  callbacks.register_protoinfo = register_stub;
  callbacks.register_handoff = hand_off_stub;
  proto_register_plugin(&callbacks);
}

std::uint32_t plugin_describe() {
  return 1;  // a dissector
}
}
