// SPDX-License-Identifier: GPL-2.0-or-later
//
// Registration of preferences.hpp. Wireshark writes the variables.
#include "plugin/preferences.hpp"

#include "plugin/epan.hpp"

namespace plugin {

namespace {

ws_bool heuristic_is_on = TRUE;
ws_bool secrets_are_shown = FALSE;

}  // namespace

void register_preferences(int protocol) {
  module_t* const module = prefs_register_protocol(protocol, nullptr);
  prefs_register_bool_preference(
      module, "try_heuristic", "Find Iggy on any port",
      "Whether connections on ports that are not set above are tried too, also behind TLS and "
      "WebSocket. Only frames with a "
      "256-byte header are found; the 8-byte framing of servers up to 0.8 is too weak a sign and "
      "is believed on the ports above alone.",
      &heuristic_is_on);
  prefs_register_bool_preference(
      module, "show_secrets", "Show passwords and tokens",
      "Whether passwords, access tokens and bind secrets are shown in clear, and logins that "
      "cannot be read field by field. The bytes of the packet show them in any case.",
      &secrets_are_shown);
}

bool try_heuristic() {
  return heuristic_is_on != 0;
}

bool show_secrets() {
  return secrets_are_shown != 0;
}

}  // namespace plugin
