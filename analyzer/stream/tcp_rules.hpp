// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What one segment means for the connection of its ports: part of it, stray, or the start of
// another one; who dialed; what is acknowledged.
//
// Each rule looks at one connection and one segment. Lists, limits and timers are the tracker's.
#pragma once

#include <cstdint>
#include <optional>

#include "stream/connection.hpp"

namespace analyzer::stream {

// The sequence number is too far away to belong to this connection at this time, or the segment
// claims more bytes than any window has.
bool is_far(const Connection& connection, Direction from, const TcpSegment& segment);

// The ports were used again: the segment belongs to a new connection.
bool starts_another(const Connection& connection, Direction from, const TcpSegment& segment);

// Takes in a SYN or SYN-ACK. Returns the direction of the segment, which differs from `from` when
// it shows that the roles were the wrong way round and nobody was told of them yet.
Direction take_handshake(Connection& connection, Direction from, const TcpSegment& segment);

// Takes in the segment that ends the handshake, for the time that it took.
void take_round_trip(Connection& connection, Direction from, const TcpSegment& segment);

// Takes in the acknowledgement. Returns what Origin::acknowledged is to say.
std::optional<std::uint64_t> take_acknowledgement(Connection& connection, Direction from,
                                                  const TcpSegment& segment, std::int64_t now);

// The RST turns the SYN down.
bool is_refusal(const Connection& connection, Direction from, const TcpSegment& segment);
// The peer would have taken the RST for one of this connection.
bool is_credible_reset(const Connection& connection, Direction from, const TcpSegment& segment);

// FIN of both sides, or a RST, was seen; bytes may still be missing.
bool is_over(const Connection& connection);

}  // namespace analyzer::stream
