// SPDX-License-Identifier: GPL-2.0-or-later
//
// The items that messages have besides their rows: offsets and times, and whether checksums hold.
#pragma once

#include "plugin/epan.hpp"
#include "plugin/tape.hpp"

namespace plugin {

// Where the items go.
struct MessagePlace {
  tvbuff_t* tvb = nullptr;
  packet_info* pinfo = nullptr;
  proto_tree* tree = nullptr;
  proto_item* last = nullptr;  // of the value that was told last
  int offset = 0;              // of the event in the tvb
};

// Shows an event that no row tells of; others are not its business.
void show_message_event(const MessagePlace& place, const Event& event);

}  // namespace plugin
