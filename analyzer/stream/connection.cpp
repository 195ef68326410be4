// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The small steps on the state of one connection, and its facts as observers get them.
#include "stream/connection.hpp"

#include <algorithm>
#include <utility>

namespace analyzer::stream {

std::uint32_t Connection::reference(Direction from) const {
  if (!streams || !orderer(from).started()) return side(from).start;
  return static_cast<std::uint32_t>(orderer(from).reference());
}

std::uint32_t Connection::start(Direction from) const {
  if (!streams || !orderer(from).started()) return side(from).start;
  return static_cast<std::uint32_t>(orderer(from).start_position());
}

std::uint64_t Connection::length(Direction from) const {
  if (!streams || !orderer(from).started()) return 0;
  return orderer(from).reference() - orderer(from).start_position();
}

void Connection::make_streams() {
  if (streams) return;
  streams = std::make_unique<Streams>();
  for (const Direction from : both_directions)
    if (side(from).start_known) orderer(from).start(side(from).start, side(from).start_firm);
  for (const Direction from : both_directions)
    if (side(from).start_firm) analysis(from).start(side(from).start);
}

void Connection::start_firmly(Direction from, std::uint32_t sequence) {
  side(from).start = sequence;
  side(from).start_known = side(from).start_firm = true;
  if (!streams) return;
  orderer(from).start(sequence, true);
  analysis(from).start(sequence);
}

void Connection::swap_roles() {
  std::swap(first, second);
  std::swap(sides[0], sides[1]);
  std::swap(rst_packet[0], rst_packet[1]);
  std::swap(packets[0], packets[1]);
  history.swap_roles();
  if (!streams) return;
  std::swap(streams->orderers[0], streams->orderers[1]);
  std::swap(streams->analysis[0], streams->analysis[1]);
  std::swap(streams->fin_packet[0], streams->fin_packet[1]);
  std::swap(streams->doubts[0], streams->doubts[1]);
  std::swap(streams->doubts[2], streams->doubts[3]);
  for (const auto& doubt : streams->doubts)
    if (doubt) doubt->from = other(doubt->from);
}

namespace {

void add_counts(TcpFacts& facts, const Connection& connection, Direction from) {
  const Orderer& orderer = connection.orderer(from);
  const Orderer::Counts& counts = orderer.counts();
  const std::size_t i = index(from);
  facts.bytes[i] = counts.delivered;
  facts.missing_bytes[i] = counts.missing;
  facts.retransmitted_bytes[i] = counts.retransmitted;
  facts.late_bytes[i] = counts.late;
  facts.holes[i] = counts.holes;
  facts.fin_packet[i] = connection.streams->fin_packet[i];
  const SegmentAnalysis& analysis = connection.analysis(from);
  facts.segments[i] = analysis.counts();
  if (analysis.has_bytes()) facts.first_byte[i] = analysis.first_byte();
  facts.overlaps_that_differ += counts.overlaps_that_differ;
  facts.out_of_window += counts.outside;
  if (!orderer.started()) return;
  facts.base_sequence[i] = orderer.base_sequence();
  facts.begin[i] = orderer.offset(orderer.start_position());
  facts.acknowledged[i] =
      orderer.offset(std::max(orderer.acknowledged(), orderer.start_position()));
  if (connection.packets[i] == 0) facts.acknowledged_unseen[i] = orderer.acknowledged_bytes();
}

}  // namespace

TcpFacts facts_of(const Connection& connection) {
  TcpFacts facts;
  facts.first = connection.first;
  facts.second = connection.second;
  facts.roles_known = connection.roles_known;
  facts.handshake = connection.syn_seen && connection.syn_ack_seen;
  facts.first_packet = connection.first_packet;
  facts.last_packet = connection.last_packet;
  facts.first_time = connection.first_time;
  facts.last_time = connection.last_time;
  facts.syn_packet = connection.syn_packet;
  facts.syns = connection.syns;
  facts.refused = connection.refused;
  facts.out_of_window = connection.out_of_window;
  facts.syn_ack = connection.syn_ack_seen;
  if (connection.initial_rtt_known) facts.initial_rtt = connection.initial_rtt;
  facts.history = connection.history;
  for (const Direction from : both_directions) {
    const std::size_t i = index(from);
    facts.rst_packet[i] = connection.rst_packet[i];
    facts.packets[i] = connection.packets[i];
    if (connection.streams) add_counts(facts, connection, from);
    // A refusal is all that there is of its side.
    if (facts.rst_packet[i] != 0 && facts.segments[i].reset == 0) facts.segments[i].reset = 1;
  }
  return facts;
}

}  // namespace analyzer::stream
