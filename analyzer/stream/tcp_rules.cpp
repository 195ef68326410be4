// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The rules of tcp_rules.hpp, and the numbers they stand on.
#include "stream/tcp_rules.hpp"

#include <algorithm>
#include <limits>

namespace analyzer::stream {
namespace {

// No window reaches further than this (RFC 7323), so nothing of one connection lies further away.
constexpr std::uint32_t largest_window = std::uint32_t{1} << 30;

// How far the numbers of a RST may lie past the last byte seen. Its sender uses its next number,
// which is only further up by what the capture missed; RFC 5961 lets the peer ignore all others.
constexpr std::uint64_t reset_window = std::uint64_t{1} << 20;

// Segments this far below the SYN are none of its connection; a keep-alive probe is one byte below.
constexpr std::uint64_t below_the_syn = std::uint64_t{1} << 20;

// A SYN captured after its first data lies this close below it: the first flight of bytes.
constexpr std::uint32_t first_flight = std::uint32_t{1} << 16;

// A connection silent for so long may have been replaced without a SYN in the capture.
constexpr std::uint64_t idle_time = std::uint64_t{60} * 1'000'000'000;

// So many segments in a row far outside of the window are another connection, or this one after a
// part of the capture too large to bridge; a few are stray or forged.
constexpr int strays_of_another = 8;

bool is_idle(const Connection& connection, std::int64_t time) {
  if (time <= connection.last_time) return false;
  return static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(connection.last_time) >=
         idle_time;
}

bool syn_starts_another(const Connection& connection, Direction from, const TcpSegment& segment) {
  const Side& side = connection.side(from);
  const Side& peer = connection.side(other(from));
  if (!side.start_known) return false;
  const std::uint32_t start = segment.sequence + 1;
  // Before the SYN only data or acknowledgements told of the start, so that a SYN captured late
  // may lie somewhat below it.
  if (!side.start_firm) return side.start - start >= first_flight;
  if (side.start == start) return false;
  // A server that keeps no state of half-open connections answers each copy of a SYN with another
  // number; the copies are still one attempt.
  const bool answers_known_syn = segment.flags.ack && connection.syn_ack_seen && peer.start_firm &&
                                 segment.acknowledgement == peer.start;
  return !answers_known_syn || connection.closed;
}

// Nobody sends past the own FIN or RST. Only for closed connections.
bool lies_past_the_end(const Connection& connection, Direction from, const TcpSegment& segment) {
  const Orderer& orderer = connection.orderer(from);
  const Orderer& peer = connection.orderer(other(from));
  if (!orderer.started()) return false;
  const std::uint64_t position = orderer.position(segment.sequence);
  // A FIN has a number of its own, which is acknowledged and which a keep-alive probe repeats.
  if (segment.payload_length == 0)
    return segment.flags.ack && orderer.has_end() && peer.has_end() &&
           position > orderer.end_position() + 1 &&
           peer.position(segment.acknowledgement) > peer.end_position() + 1;
  // After the peer's RST this side has no end, but little more than what was in flight.
  if (!orderer.has_end())
    return !orderer.tentative() && position > orderer.highest() + reset_window;
  return position > orderer.end_position() ||
         (orderer.was_reset() && position == orderer.end_position());
}

}  // namespace

bool is_far(const Connection& connection, Direction from, const TcpSegment& segment) {
  if (segment.payload_length > largest_window) return true;
  if (segment.flags.syn || !connection.side(from).start_known) return false;
  // What the peer acknowledged is no proof; the first bytes are.
  if (!connection.side(from).start_firm &&
      (!connection.streams || connection.orderer(from).tentative()))
    return false;
  const std::uint32_t ahead = segment.sequence - connection.reference(from);
  if (ahead <= largest_window) return false;
  const std::uint32_t behind = std::uint32_t{0} - ahead;
  if (behind > largest_window) return true;
  return connection.side(from).start_firm && behind > connection.length(from) + below_the_syn;
}

bool starts_another(const Connection& connection, Direction from, const TcpSegment& segment) {
  if (segment.flags.rst) return false;
  if (segment.flags.syn) return syn_starts_another(connection, from, segment);
  if (is_far(connection, from, segment))
    return connection.closed || is_idle(connection, segment.time) ||
           connection.side(from).strays + 1 >= strays_of_another;
  return connection.closed && connection.streams && lies_past_the_end(connection, from, segment);
}

Direction take_handshake(Connection& connection, Direction from, const TcpSegment& segment) {
  Direction dialer = other(from);
  if (segment.flags.ack) {
    connection.syn_ack_seen = true;
  } else {
    dialer = from;
    connection.syn_seen = true;
    ++connection.syns;
    if (connection.syn_packet == 0) connection.syn_packet = segment.packet;
    if (!connection.syn_ack_seen) connection.syn_time = segment.time;
  }
  if (!connection.roles_known && dialer == Direction::second_to_first && !connection.opened()) {
    connection.swap_roles();
    from = other(from);
    dialer = Direction::first_to_second;
  }
  if (dialer == Direction::first_to_second) connection.roles_known = true;
  if (!connection.side(from).start_firm) connection.start_firmly(from, segment.sequence + 1);
  return from;
}

void take_round_trip(Connection& connection, Direction from, const TcpSegment& segment) {
  if (connection.initial_rtt_known || from != Direction::first_to_second) return;
  if (!segment.flags.ack || !connection.syn_seen || !connection.syn_ack_seen) return;
  const std::int64_t microseconds = (segment.time - connection.syn_time) / 1'000;
  if (segment.time < connection.syn_time ||
      microseconds > std::numeric_limits<std::uint32_t>::max())
    return;
  connection.initial_rtt = static_cast<std::uint32_t>(microseconds);
  connection.initial_rtt_known = true;
}

std::optional<std::uint64_t> take_acknowledgement(Connection& connection, Direction from,
                                                  const TcpSegment& segment, std::int64_t now) {
  if (!segment.flags.ack) return std::nullopt;
  const Direction acknowledged = other(from);
  Side& side = connection.side(acknowledged);
  if (!side.start_known) {
    if (segment.flags.rst) return std::nullopt;
    // The first acknowledgement names the next byte of a sender of whom nothing else is known.
    side.start = segment.acknowledgement;
    side.start_known = true;
    if (connection.streams) connection.orderer(acknowledged).start(side.start, false);
    return Orderer::soft_start;
  }
  if (!connection.streams) {
    if (segment.acknowledgement == side.start) return side.start_firm ? 0 : Orderer::soft_start;
    connection.make_streams();
  }
  Orderer& orderer = connection.orderer(acknowledged);
  const std::uint64_t position = orderer.position(segment.acknowledgement);
  // Many a RST carries any number.
  const std::uint64_t reach = segment.flags.rst ? reset_window : largest_window;
  if (position > orderer.highest() + reach) return std::nullopt;
  if (position + reach < orderer.reference()) return std::nullopt;
  orderer.acknowledge(position, {segment.packet, segment.time, std::nullopt}, now);
  return orderer.offset(position);
}

bool is_refusal(const Connection& connection, Direction from, const TcpSegment& segment) {
  const Side& dialer = connection.side(Direction::first_to_second);
  return from == Direction::second_to_first && connection.syn_seen && connection.roles_known &&
         !connection.syn_ack_seen && segment.flags.ack &&
         segment.acknowledgement - dialer.start < first_flight;
}

bool is_credible_reset(const Connection& connection, Direction from, const TcpSegment& segment) {
  const Side& side = connection.side(from);
  if (!side.start_known || is_refusal(connection, from, segment)) return true;
  if (!connection.streams) return segment.sequence - side.start <= reset_window;
  const Orderer& orderer = connection.orderer(from);
  const std::uint64_t position = orderer.position(segment.sequence);
  const std::uint64_t lowest = std::min(orderer.acknowledged(), orderer.end_position());
  return position >= lowest && position <= orderer.highest() + reset_window;
}

bool is_over(const Connection& connection) {
  if (connection.reset()) return true;
  return connection.streams && connection.streams->orderers[0].has_end() &&
         connection.streams->orderers[1].has_end();
}

}  // namespace analyzer::stream
