// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What happened on a connection as one word and as a row of letters, both as Zeek's conn.log has
// them, because support engineers know them.
//
// s SYN, h SYN-ACK, a acknowledgement alone, d bytes, f FIN, r RST, i FIN with RST, q SYN with FIN
// or RST, t retransmitted bytes, w zero window, g bytes that are missing. Capital where the side
// that dialed sent it. Each once; t, w and g again at the 10th, 100th, ... of their side. A `^` in
// front: the capture begins with the side that accepted.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "stream/byte_stream.hpp"

namespace analyzer::stream {

struct TcpFacts;

// Small, since each connection of a port scan has one.
class History {
 public:
  // What a side did, once.
  void add(char letter, Direction from);
  // Of what is counted: `count` is how often it happened by now.
  void add_counted(char letter, Direction from, std::uint64_t count);
  // The roles turned out to be the other way round.
  void swap_roles();
  std::string text() const { return {letters_.data(), size_}; }

 private:
  // The eight letters that come once for each side always find a place.
  static constexpr std::size_t once_letters = 16;
  void push(char letter, Direction from);

  std::array<char, 24> letters_{};
  std::uint8_t size_ = 0;
  std::uint8_t counted_ = 0;            // letters of what is counted, and `^`
  std::array<std::uint8_t, 2> seen_{};  // bits of the letters that come once, by Direction
};

// S0: a SYN and no reply. S1: established, not ended. SF: established and ended by both. REJ: the
// SYN was refused. S2, S3: only the side that dialed, or that accepted, ended it. RSTO, RSTR: that
// side reset it. RSTOS0, SH: a SYN, then a RST or FIN of the same side, and no reply. RSTRH, SHR:
// a SYN-ACK, then a RST or FIN of the same side, and no SYN. OTH: anything else, such as a
// connection without a handshake in the capture that did not end either.
std::string_view state_of(const TcpFacts& facts);

}  // namespace analyzer::stream
