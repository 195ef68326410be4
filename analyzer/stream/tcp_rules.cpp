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
// which is only further up by what the capture missed.
constexpr std::uint64_t reset_window = std::uint64_t{1} << 20;

// Segments this far below the SYN are none of its connection; a keep-alive probe is one byte below.
constexpr std::uint64_t below_the_syn = std::uint64_t{1} << 20;

// What is said at once behind a SYN, before anything is acknowledged.
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

// The SYN is the one that this connection began with, or a copy of it.
bool is_own_syn(const Connection& connection, Direction from, const TcpSegment& segment) {
  const Side& side = connection.side(from);
  const Side& peer = connection.side(other(from));
  if (!side.start_known) return true;
  const std::uint32_t start = segment.sequence + 1;
  // Before the SYN only data or acknowledgements told of the start, so that a SYN captured late
  // may lie somewhat below it.
  if (!side.start_firm) return connection.start(from) - start < Orderer::soft_start;
  if (side.start == start) return true;
  // A server that keeps no state of half-open connections answers each copy of a SYN with another
  // number; the copies are still one attempt.
  const bool answers_known_syn = segment.flags.ack && connection.syn_ack_seen && peer.start_firm &&
                                 segment.acknowledgement == peer.start;
  return answers_known_syn && !connection.closed;
}

Meaning meaning_of_syn(const Connection& connection, Direction from, const TcpSegment& segment) {
  if (is_own_syn(connection, from, segment)) return Meaning::part;
  const bool is_unanswered = connection.is_attempt && !connection.syn_ack_seen;
  const bool is_free = connection.closed || is_unanswered || is_idle(connection, segment.time);
  return is_free ? Meaning::another : Meaning::doubtful;
}

Meaning meaning_of_reset(const Connection& connection, Direction from, const TcpSegment& segment) {
  const Side& side = connection.side(from);
  if (is_refusal(connection, from, segment)) return Meaning::part;
  // Of a side that said nothing yet a SYN is only turned down.
  if (!side.start_known) return connection.syn_seen ? Meaning::stray : Meaning::part;
  if (!connection.streams) {
    const std::uint32_t ahead = segment.sequence - side.start;
    if (ahead <= 1) return Meaning::part;
    return ahead > reset_window || connection.is_attempt ? Meaning::stray : Meaning::doubtful;
  }
  const Orderer& orderer = connection.orderer(from);
  const std::uint64_t position = orderer.position(segment.sequence);
  const std::uint64_t least = std::max(orderer.acknowledged(), orderer.start_position());
  const std::uint64_t highest = orderer.highest();
  if (position < std::min(least, orderer.end_position())) return Meaning::stray;
  // A FIN that was not captured has a number as well.
  if (position <= highest + 1) return Meaning::part;
  return position <= highest + reset_window ? Meaning::doubtful : Meaning::stray;
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

// The sequence number is too far away to belong to this connection at this time.
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

// Both numbers are further away than a capture loses of one connection, as they are when the ports
// were used again.
bool lies_elsewhere(const Connection& connection, Direction from, const TcpSegment& segment) {
  if (!segment.flags.ack || segment.flags.syn) return false;
  const auto is_near = [](std::uint32_t number, std::uint32_t known) {
    constexpr auto reach = static_cast<std::uint32_t>(Orderer::least_reach);
    return number - known + reach <= 2 * reach;
  };
  const Direction to = other(from);
  return connection.side(from).start_known && connection.side(to).start_known &&
         !is_near(segment.sequence, connection.reference(from)) &&
         !is_near(segment.acknowledgement, connection.reference(to));
}

// Past what the receiver's window allows. Only for segments that are not far.
bool is_beyond_reach(const Connection& connection, Direction from, const TcpSegment& segment) {
  const Side& side = connection.side(from);
  if (!side.start_known) return false;
  if (!connection.streams)
    return side.start_firm && segment.sequence - side.start - Orderer::least_reach <=
                                  largest_window - Orderer::least_reach;
  const Orderer& orderer = connection.orderer(from);
  if (orderer.tentative()) return false;
  const std::uint64_t position = orderer.position(segment.sequence);
  return position > orderer.reference() + Orderer::least_reach && position > orderer.reach();
}

}  // namespace

Meaning meaning_of(const Connection& connection, Direction from, const TcpSegment& segment) {
  if (segment.flags.rst) return meaning_of_reset(connection, from, segment);
  if (segment.flags.syn && segment.payload_length <= largest_window)
    return meaning_of_syn(connection, from, segment);
  if (is_far(connection, from, segment)) {
    const bool is_another = connection.closed || is_idle(connection, segment.time) ||
                            connection.side(from).strays + 1 >= strays_of_another;
    return is_another ? Meaning::another : Meaning::stray;
  }
  if (is_idle(connection, segment.time) && lies_elsewhere(connection, from, segment))
    return Meaning::another;
  if (connection.closed && connection.streams && lies_past_the_end(connection, from, segment))
    return Meaning::another;
  return is_beyond_reach(connection, from, segment) ? Meaning::doubtful : Meaning::part;
}

bool agrees(const Connection& connection, const Doubt& doubt, Direction from,
            const TcpSegment& segment) {
  const TcpSegment& doubtful = doubt.segment;
  const Direction of = doubt.from;
  const bool is_syn = doubtful.flags.syn;
  const std::uint32_t first = doubtful.sequence + (is_syn ? 1 : 0);
  const std::uint32_t length = doubtful.payload_length + (doubtful.flags.fin ? 1 : 0);
  if (from != of && segment.flags.ack) {
    const std::uint32_t acknowledged = segment.acknowledgement - first;
    const bool answers = segment.flags.syn || segment.flags.rst;
    if (is_syn ? answers && acknowledged <= length : acknowledged - 1 < length) return true;
  }
  // A SYN captured behind its answer.
  if (from != of && is_syn && doubtful.flags.ack && segment.flags.syn)
    return doubtful.acknowledgement == segment.sequence + 1;
  // What fits the connection as it is says nothing for the doubtful segment.
  if (segment.flags.syn || segment.flags.rst ||
      meaning_of(connection, from, segment) == Meaning::part)
    return false;
  if (is_syn && from != of)
    return segment.flags.ack && segment.acknowledgement - first < first_flight;
  if (is_syn) return segment.sequence - first < first_flight;
  const bool is_copy =
      segment.sequence == first && segment.payload_length == doubtful.payload_length;
  return from == of && !is_copy &&
         segment.sequence - first + Orderer::least_reach <= 2 * Orderer::least_reach;
}

bool refutes(const Doubt& doubt, Direction from, const TcpSegment& segment) {
  if (doubt.segment.flags.rst) return from == doubt.from && !segment.flags.rst;
  return doubt.segment.flags.syn && (segment.payload_length != 0 || segment.flags.fin);
}

bool is_last_word(const Connection& connection, const Doubt& doubt) {
  if (!doubt.went_on) return true;
  // What came afterwards may be what was missing before it.
  const Orderer& orderer = connection.orderer(doubt.from);
  return orderer.position(doubt.segment.sequence) == orderer.highest();
}

Direction take_handshake(Connection& connection, Direction from, const TcpSegment& segment) {
  Direction dialer = other(from);
  connection.side(from).window_scale = segment.window_scale;
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
  const bool is_near = position <= orderer.reference() + Orderer::least_reach;
  if (!is_near && position > orderer.reach() && !orderer.is_claimed_again(position))
    return std::nullopt;
  const std::uint8_t scale = segment.flags.syn ? 0 : connection.side(from).window_scale;
  orderer.allow(position + (std::uint64_t{segment.window} << scale));
  orderer.acknowledge(position, {segment.packet, segment.time, std::nullopt}, now);
  return orderer.offset(position);
}

bool is_refusal(const Connection& connection, Direction from, const TcpSegment& segment) {
  const Side& dialer = connection.side(Direction::first_to_second);
  return from == Direction::second_to_first && connection.syn_seen && connection.roles_known &&
         !connection.syn_ack_seen && segment.flags.ack &&
         segment.acknowledgement - dialer.start < first_flight;
}

bool is_over(const Connection& connection) {
  if (connection.reset()) return true;
  return connection.streams && connection.streams->orderers[0].has_end() &&
         connection.streams->orderers[1].has_end();
}

}  // namespace analyzer::stream
