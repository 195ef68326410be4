// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Addresses as text, the same in every output: "127.0.0.1:8090", "[::1]:8090".
//
// IPv6 is written as RFC 5952 wants it. Names are never looked up.
#pragma once

#include <string>

#include "capture/packet.hpp"

namespace analyzer::capture {

std::string to_string(const Address& address);
std::string to_string(const Endpoint& endpoint);

}  // namespace analyzer::capture
