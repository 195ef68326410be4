// SPDX-License-Identifier: GPL-2.0-or-later
//
// Turns the view of a frame into items of Wireshark's tree and expert infos. Nothing else adds any.
#pragma once

#include "plugin/epan.hpp"
#include "plugin/frame_view.hpp"

namespace plugin {

// Whether anybody looks at the items of a frame: the tree is visible, or a filter, column or colour
// asks for one of our fields. Else a tape of problems is enough.
bool wants_items(proto_tree* tree);

// Adds all that there is to say of the frame. Expert infos are raised without a tree as well.
void present(const FrameView& view, packet_info* pinfo, proto_tree* tree);

// Bytes that are no frame of their own.
struct Rest {
  tvbuff_t* tvb;
  packet_info* pinfo;
  std::uint32_t offset;    // in the tvb
  std::uint32_t captured;  // bytes of them that the tvb holds
  std::uint32_t length;    // as sent
};
// More of the frame whose header stands in `packet`.
void present_continuation(const Rest& rest, proto_tree* tree, std::uint32_t packet);
void present_preamble(const Rest& rest, proto_tree* tree);
// `contradiction` tells why frames do not follow each other any more; null where they did not.
void present_no_frame(const Rest& rest, proto_tree* tree, const char* contradiction);

}  // namespace plugin
