// SPDX-License-Identifier: GPL-2.0-or-later
//
// The dissectors: where Wireshark hands bytes over, for each thing that carries frames.
#pragma once

namespace plugin {

// Creates the dissectors; before anything looks them up by name.
void register_dissectors();
// Ties them to ports, to TLS, to WebSocket and to the heuristics.
void hand_off_dissectors();

}  // namespace plugin
