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

}  // namespace plugin
