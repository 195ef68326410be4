// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What the tracker keeps of one connection.
//
// A connection of which only the handshake was seen stays small, because a port scan makes a
// million of them; what ordering needs is allocated with the first byte, FIN or hole.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "stream/orderer.hpp"
#include "stream/tcp.hpp"

namespace analyzer::stream {

inline constexpr std::array both_directions = {Direction::first_to_second,
                                               Direction::second_to_first};

// What is known of one sender before any byte.
struct Side {
  std::uint32_t start = 0;   // sequence number of the first byte
  bool start_known = false;  // from its SYN or from what the peer acknowledges
  bool start_firm = false;   // from its SYN
  std::uint8_t strays = 0;   // segments in a row far outside of the window
  // Where no SYN says it, nothing further than Orderer::least_reach is believed at once.
  std::uint8_t window_scale = 0;
};

// A segment that is believed once something else agrees with it; see tcp_rules.hpp.
struct Doubt {
  Direction from{};
  TcpSegment segment;  // with its bytes in `bytes`
  std::vector<std::byte> bytes;
  std::uint32_t copies = 1;
  bool went_on = false;  // the connection did, as it would not if the segment was true
};

// The entries of one direction in the WaitingQueue.
struct Waiting {
  std::optional<std::int64_t> since;     // when it began to buffer
  std::optional<std::int64_t> deadline;  // when its first hole is to be declared
  std::uint64_t buffered = 0;
};

struct Streams {
  std::array<Orderer, 2> orderers;
  std::array<Waiting, 2> waiting;
  std::array<SegmentAnalysis, 2> analysis;
  std::array<std::uint64_t, 2> fin_packet{};
  // The last one of each side, and behind these the last RST of each side.
  std::array<std::unique_ptr<Doubt>, 4> doubts;
  std::unique_ptr<ByteSink> sink;
  bool opened = false;  // also when the observer declined
  // Nothing is told before, since the start of a direction may still move.
  std::optional<std::int64_t> held_until;
  std::uint64_t charged = 0;  // bytes of memory, as the tracker counted them last
};

struct Connection {
  Endpoint first;
  Endpoint second;
  std::uint32_t hash = 0;   // of both endpoints; for the flow table
  std::uint32_t newer = 0;  // neighbours in a RecencyList
  std::uint32_t older = 0;
  std::uint32_t syns = 0;
  std::uint64_t first_packet = 0;  // never 0 while the connection is tracked
  std::uint64_t last_packet = 0;
  std::int64_t first_time = 0;
  std::int64_t last_time = 0;
  std::uint64_t syn_packet = 0;
  std::array<std::uint64_t, 2> rst_packet{};
  std::array<std::uint64_t, 2> packets{};
  // Of the tracker's clock: when it was closed, or the last packet of an attempt.
  std::int64_t since = 0;
  std::int64_t syn_time = 0;  // of the last SYN before the SYN-ACK
  std::array<Side, 2> sides;
  std::uint32_t out_of_window = 0;
  std::uint32_t initial_rtt = 0;  // see TcpFacts
  History history;
  bool tracked = false;
  bool roles_known = false;
  bool syn_seen = false;
  bool syn_ack_seen = false;
  bool initial_rtt_known = false;
  bool refused = false;
  bool closed = false;
  bool is_attempt = false;  // nothing but SYN, SYN-ACK or RST so far
  std::unique_ptr<Streams> streams;

  Side& side(Direction from) { return sides[index(from)]; }
  const Side& side(Direction from) const { return sides[index(from)]; }
  Orderer& orderer(Direction from) const {
    return streams->orderers[index(from)];
  }  // needs streams

  SegmentAnalysis& analysis(Direction from) const {
    return streams->analysis[index(from)];
  }  // needs streams

  // The sequence number that the side is known to have come to; needs its start.
  std::uint32_t reference(Direction from) const;
  // Where its stream is known to begin; likewise.
  std::uint32_t start(Direction from) const;
  // How far that is from where its stream begins.
  std::uint64_t length(Direction from) const;
  bool opened() const { return streams && streams->opened; }
  bool reset() const { return rst_packet[0] != 0 || rst_packet[1] != 0; }
  // Segments with bytes, a SYN or a FIN; a RST waits for the end.
  bool has_doubts() const { return streams && (streams->doubts[0] || streams->doubts[1]); }
  void make_streams();
  // The side's SYN tells where its stream begins.
  void start_firmly(Direction from, std::uint32_t sequence);
  // `second` turned out to be the one that dialed. Only before the sink is opened.
  void swap_roles();
};

TcpFacts facts_of(const Connection& connection);

}  // namespace analyzer::stream
