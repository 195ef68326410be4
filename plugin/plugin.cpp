// SPDX-License-Identifier: GPL-2.0-or-later
//
// The Iggy plugin, put together from its parts.
#include "plugin/capture.hpp"
#include "plugin/dissect.hpp"
#include "plugin/entry.hpp"
#include "plugin/fields.hpp"
#include "plugin/payload.hpp"
#include "plugin/preferences.hpp"

namespace plugin {

void register_all() {
  register_protocol();
  register_payload_tables(protocol_id());
  register_preferences(protocol_id());
  register_dissectors();
  register_capture();
}

void hand_off_all() {
  hand_off_dissectors();
  hand_off_payloads();
}

}  // namespace plugin
