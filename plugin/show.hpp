// SPDX-License-Identifier: GPL-2.0-or-later
//
// Shows the pieces of a chunk: columns, items and expert infos of each.
#pragma once

#include <cstdint>

#include "plugin/epan.hpp"
#include "plugin/link.hpp"

namespace plugin {

// Where a piece lies, and what it belongs to.
struct Look {
  tvbuff_t* tvb = nullptr;
  packet_info* pinfo = nullptr;
  proto_tree* tree = nullptr;
  const Link* link = nullptr;
  Ending ending;  // nothing is known of it on the first pass
};

// Clears the columns for what is ours.
void begin_columns(packet_info* pinfo);
// `offset` is that of the piece in the tvb. May longjmp.
void show_piece(const Look& look, const Piece& piece, std::uint32_t offset);

}  // namespace plugin
