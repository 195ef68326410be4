// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The checksum of TCP and UDP, where it can show that bytes do not belong together. It proves
// nothing where it is right, or where a network card was to fill it in.
#pragma once

#include <cstdint>

#include "capture/fragments.hpp"
#include "capture/packet.hpp"

namespace analyzer::capture {

// Of all bytes behind the IP header. False for other protocols, and where none is filled in yet.
bool has_wrong_checksum(const Hosts& hosts, std::uint8_t protocol, Bytes transport);

}  // namespace analyzer::capture
