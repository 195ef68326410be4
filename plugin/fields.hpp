// SPDX-License-Identifier: GPL-2.0-or-later
//
// The protocol as Wireshark knows it: its number, its subtrees, and the fields that no row
// describes. Those of the rows stand in rows.hpp.
#pragma once

#include <cstdint>

namespace plugin {

// What is concluded, from this frame or from others, and what holds other items.
enum class Extra : std::uint8_t {
  header,
  body,
  generation,
  generation_inferred,
  plane,
  from,
  name,
  request_in,
  response_in,
  response_time,
  outcome,
  not_shown,
  transport,
  continues,
  preamble,
  no_frame,
  problem,
  finding,
  header_code,
  message_offset,
  origin_timestamp,
  append_timestamp,
  message_checksum_status,
  batch_checksum_status,
  topic,
};

enum class Subtree : std::uint8_t { frame, header, body, row };

// Registers the protocol with all of its fields and expert infos.
void register_protocol();
int protocol_id();
int id_of(Extra extra);
int id_of(Subtree subtree);

}  // namespace plugin
