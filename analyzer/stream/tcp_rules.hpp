// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What one segment means for the connection of its ports: part of it, stray, or the start of
// another one; who dialed; what is acknowledged.
//
// A segment that contradicts what the connection is known to be may be late, stray or forged. Such
// a segment changes nothing until something else agrees with it (RFC 5961 asks the peer, but a
// capture cannot): a SYN with other numbers needs an answer, or bytes with these numbers; bytes
// past the window need the peer's acknowledgement, or further ones close to them; a RST past the
// next number is true where its sender says nothing more.
//
// Each rule looks at one connection and one segment. Lists, limits and timers are the tracker's.
#pragma once

#include <cstdint>
#include <optional>

#include "stream/connection.hpp"

namespace analyzer::stream {

enum class Meaning : std::uint8_t {
  part,      // of the connection
  doubtful,  // perhaps: it needs something else that agrees with it
  stray,     // its numbers cannot belong here, or it claims more bytes than any window has
  another,   // the ports were used again: it begins a new connection
};
Meaning meaning_of(const Connection& connection, Direction from, const TcpSegment& segment);

// The segment shows that the doubtful one, which is no RST, is true.
bool agrees(const Connection& connection, const Doubt& doubt, Direction from,
            const TcpSegment& segment);
// The connection goes on as it would not if the doubtful segment was true.
bool refutes(const Doubt& doubt, Direction from, const TcpSegment& segment);
// Nothing more comes: the doubtful RST is true.
bool is_last_word(const Connection& connection, const Doubt& doubt);

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

// FIN of both sides, or a RST, was seen; bytes may still be missing.
bool is_over(const Connection& connection);

}  // namespace analyzer::stream
