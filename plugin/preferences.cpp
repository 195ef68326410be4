// SPDX-License-Identifier: GPL-2.0-or-later
//
// Registration of preferences.hpp. Wireshark writes the variables.
#include "plugin/preferences.hpp"

#include <algorithm>

#include "plugin/epan.hpp"
#include "plugin/payload_rules.hpp"
#include "plugin/tape.hpp"

namespace plugin {

namespace {

ws_bool heuristic_is_on = TRUE;
ws_bool secrets_are_shown = FALSE;
ws_bool checksums_are_verified = FALSE;
ws_bool payloads_are_dissected = TRUE;
unsigned elements_shown = Tape::usual_elements;

// A frame of so many costs 13 MiB and 140,000 lines at worst, of a million that Wireshark bears.
constexpr std::uint32_t elements_bound = 10'000;

}  // namespace

void register_preferences(int protocol) {
  constexpr unsigned decimal = 10;
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
  prefs_register_bool_preference(module, "verify_checksums", "Verify the checksums of messages",
                                 "Whether the checksums of messages and of their batches are "
                                 "verified, in sends, in replies to "
                                 "polls and between replicas.",
                                 &checksums_are_verified);
  prefs_register_bool_preference(
      module, "dissect_payloads", "Dissect the payloads of messages",
      "Whether payloads are handed on: to the dissectors of the table below, to those that are "
      "registered for the topic or recognise the bytes, and as JSON or text.",
      &payloads_are_dissected);
  register_payload_rules(module);
  prefs_register_uint_preference(
      module, "max_elements", "Elements shown of a list",
      "How many messages of a batch, topics of a stream and other elements of a list are shown; "
      "the "
      "rest is counted. From 1 to 10,000: what is less or more is taken for these.",
      decimal, &elements_shown);
}

bool try_heuristic() {
  return heuristic_is_on != 0;
}

bool show_secrets() {
  return secrets_are_shown != 0;
}

bool dissect_payloads() {
  return payloads_are_dissected != 0;
}

bool verify_checksums() {
  return checksums_are_verified != 0;
}

std::uint32_t most_elements() {
  return std::clamp<std::uint32_t>(elements_shown, 1, elements_bound);
}

}  // namespace plugin
