// SPDX-License-Identifier: GPL-2.0-or-later
//
// Payloads of messages, handed on to the dissectors that know what is in them.
//
// In this order: the user's table of topics, what is registered in the dissector table iggy.topic
// for "stream/topic" or "topic", the heuristic dissectors of iggy.payload, and by the bytes JSON,
// text or data.
#pragma once

#include <cstdint>
#include <type_traits>

#include "plugin/epan.hpp"

namespace plugin {

void register_payload_tables(int protocol);
void hand_off_payloads();

// What the payloads of one frame have in common.
struct Payloads {
  const char* topic = nullptr;              // "orders/invoices"; null: it is not known
  const char* topic_alone = nullptr;        // "invoices"
  dissector_handle_t by_user = nullptr;     // that the user's table names for the topic
  std::uint32_t bytes_left = 256U * 1024U;  // of JSON and text, whose trees grow with them
};
static_assert(std::is_trivially_destructible_v<Payloads>);

// `topic` and `topic_alone` live as long as what is made of them; null where they are not known.
Payloads payloads_of(const char* topic, const char* topic_alone);

// Shows one payload below `tree`. Whatever another dissector does, only what may not be caught
// leaves by longjmp.
void show_payload(Payloads& payloads, tvbuff_t* payload, packet_info* pinfo, proto_tree* tree);

}  // namespace plugin
