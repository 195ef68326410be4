// SPDX-License-Identifier: GPL-2.0-or-later
//
// What Wireshark looks for in a plugin, and nothing more.
#include "plugin/entry.hpp"

#include "plugin/epan.hpp"

extern "C" {
WS_DLL_PUBLIC_DEF extern const gchar plugin_version[] = IGGY_PLUGIN_VERSION;
WS_DLL_PUBLIC_DEF extern const int plugin_want_major = WIRESHARK_VERSION_MAJOR;
WS_DLL_PUBLIC_DEF extern const int plugin_want_minor = WIRESHARK_VERSION_MINOR;
WS_DLL_PUBLIC void plugin_register();
WS_DLL_PUBLIC std::uint32_t plugin_describe();

void plugin_register() {
  static proto_plugin callbacks{};
  callbacks.register_protoinfo = plugin::register_all;
  callbacks.register_handoff = plugin::hand_off_all;
  proto_register_plugin(&callbacks);
}

// Asked from 4.4 on: what kind of plugin this is.
std::uint32_t plugin_describe() {
#ifdef WS_PLUGIN_DESC_DISSECTOR
  return WS_PLUGIN_DESC_DISSECTOR;
#else
  return 1;
#endif
}
}
