// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a plugin of ours does when Wireshark starts. entry.cpp calls it; who links entry.cpp defines
// it.
#pragma once

namespace plugin {

// Protocols, fields and preferences come first, then what ties them to others.
void register_all();
void hand_off_all();

}  // namespace plugin
