// SPDX-License-Identifier: GPL-2.0-or-later
//
// What users may set: Edit > Preferences > Protocols > Iggy, or -o iggy.NAME:VALUE.
//
// The ports are not here: the registration in tcp.port brings a preference of its own,
// iggy.tcp.port.
#pragma once

#include <cstdint>

namespace plugin {

void register_preferences(int protocol);

// iggy.try_heuristic: find Iggy on ports that nobody named.
bool try_heuristic();
// iggy.show_secrets: passwords, tokens and bind secrets in clear.
bool show_secrets();
// iggy.verify_checksums: of messages and their batches.
bool verify_checksums();
// iggy.dissect_payloads: hand messages on to other dissectors.
bool dissect_payloads();
// iggy.max_elements: of each list of a frame so many are shown. At least 1, and no more than memory
// bears, whatever the user sets.
std::uint32_t most_elements();

}  // namespace plugin
