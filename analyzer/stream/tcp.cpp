// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Follows connections from their first segment to their end, within the limits.
//
// What a segment means is said in tcp_rules.hpp and bytes are put in order by Orderer; this file
// feeds them. When to stop waiting is decided in waiting.cpp.
#include "stream/tcp.hpp"

#include <algorithm>
#include <random>

#include "stream/tcp_rules.hpp"
#include "stream/tracker.hpp"

namespace analyzer::stream {
namespace {

std::uint64_t random_seed() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

std::uint32_t first_byte(const TcpSegment& segment) {
  return segment.sequence + (segment.flags.syn ? 1 : 0);
}

// How long a segment may be late and still be out of order: a round trip, and on a fast network no
// less than what capturing itself mixes up.
std::int64_t round_trip(const Connection& connection) {
  constexpr std::int64_t least = 3'000'000;
  return connection.initial_rtt_known
             ? std::max(std::int64_t{connection.initial_rtt} * 1'000, least)
             : least;
}

// What a segment shows besides its bytes and its end.
void note(Connection& connection, Direction from, const TcpSegment& segment) {
  if (segment.flags.syn) {
    connection.history.add(segment.flags.fin ? 'q' : segment.flags.ack ? 'h' : 's', from);
    return;
  }
  if (!connection.initial_rtt_known) take_round_trip(connection, from, segment);
  if (segment.payload_length == 0 && !segment.flags.fin) connection.history.add('a', from);
  const bool has_no_room = segment.window == 0 && !segment.flags.fin;
  if (!connection.streams && has_no_room) connection.make_streams();
  if (!connection.streams) return;
  SegmentAnalysis& analysis = connection.analysis(from);
  analysis.other(segment, connection.analysis(stream::other(from)));
  if (has_no_room) connection.history.add_counted('w', from, analysis.counts().zero_window);
}

}  // namespace

void Tracker::Implementation::segment(const TcpSegment& segment) {
  advance_clock(segment.time);
  FlowTable::Found found = table_.find(segment.from, segment.to);
  if (found.id != no_connection && table_[found.id].has_doubts()) {
    believe_agreed(found, segment);
    found = table_.find(segment.from, segment.to);
  }
  Meaning meaning = found.id == no_connection ? Meaning::another
                                              : meaning_of(table_[found.id], found.from, segment);
  if (meaning == Meaning::another) {
    if (found.id != no_connection) end(found.id, Ending::replaced);
    found = open(segment);
    meaning = meaning_of(table_[found.id], found.from, segment);
  }
  Connection& connection = table_[found.id];
  if (meaning == Meaning::doubtful) {
    doubt(found, segment);
  } else if (meaning == Meaning::stray) {
    ++connection.out_of_window;
    if (!segment.flags.rst) ++connection.side(found.from).strays;
  } else {
    follow(found, segment);
  }
}

// Takes a segment of the connection.
void Tracker::Implementation::follow(FlowTable::Found found, const TcpSegment& segment) {
  const auto [id, from] = found;
  Connection& connection = table_[id];
  connection.last_packet = segment.packet;
  connection.last_time = segment.time;
  ++connection.packets[index(from)];
  if (!connection.closed) touch(id, segment);

  if (segment.flags.rst) {
    reset(connection, from, segment);
  } else {
    contents(connection, from, segment);
  }
  if (!connection.closed && is_over(connection)) close(id);
  if (!connection.streams) return;
  for (const auto& doubt : connection.streams->doubts)
    if (doubt && refutes(*doubt, from, segment)) doubt->went_on = true;
  maintain(id);
  // An acknowledgement alone changes nothing that counts.
  if (segment.payload_length != 0 || connection.streams->charged == 0) charge(connection);
  // Others may have grown by what their holes gave free.
  if (memory() > limits_.memory) make_room(id);
}

// Anything but SYN and RST shows that both sides are there, or were before the capture.
void Tracker::Implementation::touch(ConnectionId id, const TcpSegment& segment) {
  Connection& connection = table_[id];
  if (!connection.is_attempt) {
    active_.touch(id);
    return;
  }
  if (segment.flags.syn || segment.flags.rst) {
    attempts_.touch(id);
    connection.since = now_;
    return;
  }
  attempts_.remove(id);
  connection.is_attempt = false;
  active_.add(id);
}

void Tracker::Implementation::charge(Connection& connection) {
  Streams& streams = *connection.streams;
  std::uint64_t held = sizeof(Streams) + (streams.sink ? streams.sink->memory() : 0);
  for (const auto& doubt : streams.doubts)
    if (doubt) held += sizeof(Doubt) + doubt->bytes.size();
  charged_ += held - streams.charged;
  streams.charged = held;
}

void Tracker::Implementation::advance_clock(std::int64_t time) {
  now_ = std::max(now_, std::min(time, latest_time));
  if (now_ >= next_timer_) run_timers();
}

FlowTable::Found Tracker::Implementation::open(const TcpSegment& segment) {
  make_room();
  const ConnectionId id = table_.add(segment.from, segment.to);
  Connection& connection = table_[id];
  connection.first_packet = segment.packet;
  connection.first_time = segment.time;
  connection.is_attempt = segment.flags.syn;
  connection.since = now_;
  list_of(connection).add(id);
  if (connection.is_attempt) next_timer_ = std::min(next_timer_, now_ + attempt_time);
  return {id, Direction::first_to_second};
}

void Tracker::Implementation::make_room(ConnectionId except) {
  while (table_.size() >= limits_.connections || memory() > limits_.memory) {
    if (!closed_.empty() && closed_.oldest() != except) {
      end(closed_.oldest(), Ending::closed);
      continue;
    }
    RecencyList& list = attempts_.empty() ? active_ : attempts_;
    if (list.empty() || list.oldest() == except) return;
    ++evicted_;
    end(list.oldest(), Ending::evicted_by_limit);
  }
}

// The parts of a segment in the order of their sequence numbers: SYN, bytes, FIN.
void Tracker::Implementation::contents(Connection& connection, Direction from,
                                       const TcpSegment& segment) {
  connection.side(from).strays = 0;
  if (segment.flags.syn) from = take_handshake(connection, from, segment);
  const Origin origin{segment.packet, segment.time,
                      take_acknowledgement(connection, from, segment, now_)};
  note(connection, from, segment);
  if (segment.payload_length == 0 && !segment.flags.fin) return;

  const std::uint32_t sequence = first_byte(segment);
  connection.make_streams();
  Orderer& orderer = connection.orderer(from);
  if (orderer.tentative() && orderer.begin(sequence)) {
    connection.side(from).start = sequence;
    connection.side(from).start_known = true;
  }
  if (orderer.has_open_start() && !connection.streams->held_until) hold(*connection.streams);
  Delivery delivery(observer_, connection, from);
  if (segment.payload_length != 0) bytes(connection, from, segment, origin, delivery);
  if (!segment.flags.fin) return;
  connection.history.add('f', from);
  connection.analysis(from).fin(sequence + segment.payload_length);
  std::uint64_t& fin_packet = connection.streams->fin_packet[index(from)];
  const std::uint64_t end = orderer.position(sequence + segment.payload_length);
  const bool accepted = orderer.end(end, false, origin, now_, delivery);
  if (accepted && fin_packet == 0) fin_packet = segment.packet;
}

void Tracker::Implementation::bytes(Connection& connection, Direction from,
                                    const TcpSegment& segment, const Origin& origin,
                                    Delivery& delivery) {
  Orderer& orderer = connection.orderer(from);
  const std::uint32_t sequence = first_byte(segment);
  const std::uint64_t known_before = orderer.counts().retransmitted;
  orderer.segment(
      {orderer.position(sequence), segment.payload, segment.payload_length, origin, now_},
      delivery);
  connection.history.add('d', from);
  SegmentAnalysis& analysis = connection.analysis(from);
  const std::uint32_t sent_again = analysis.counts().retransmission;
  analysis.data(segment, sequence, orderer.counts().retransmitted - known_before,
                round_trip(connection));
  if (analysis.counts().retransmission != sent_again)
    connection.history.add_counted('t', from, analysis.counts().retransmission);
}

void Tracker::Implementation::reset(Connection& connection, Direction from,
                                    const TcpSegment& segment) {
  std::uint64_t& rst_packet = connection.rst_packet[index(from)];
  if (rst_packet == 0) rst_packet = segment.packet;
  connection.history.add(segment.flags.syn ? 'q' : segment.flags.fin ? 'i' : 'r', from);
  if (is_refusal(connection, from, segment)) connection.refused = true;
  // A refused connection has no stream; without a start there is no place in it.
  if (connection.refused) return;
  const Origin origin{segment.packet, segment.time,
                      take_acknowledgement(connection, from, segment, now_)};
  if (!connection.side(from).start_known) return;
  connection.make_streams();
  connection.analysis(from).reset();
  Orderer& orderer = connection.orderer(from);
  Delivery delivery(observer_, connection, from);
  orderer.end(orderer.position(segment.sequence), true, origin, now_, delivery);
}

void Tracker::Implementation::close(ConnectionId id) {
  Connection& connection = table_[id];
  list_of(connection).remove(id);
  connection.closed = true;
  connection.since = now_;
  closed_.add(id);
  next_timer_ = std::min(next_timer_, now_ + linger_time);
  if (closed_.size() > lingering_connections) end(closed_.oldest(), Ending::closed);
}

// One that was closed ended by itself, whatever makes it leave.
void Tracker::Implementation::end(ConnectionId id, Ending ending) {
  Connection& connection = table_[id];
  if (connection.closed) ending = Ending::closed;
  ByteSink* sink = nullptr;
  std::unique_ptr<Doubt> attempt;
  if (connection.streams) {
    attempt = conclude_doubts(id, ending);
    settle(id);
    sink = connection.streams->sink.get();
  }
  // A doubtful RST may have ended it just now.
  const Ending told = is_over(connection) ? Ending::closed : ending;
  observer_.ended(facts_of(connection), told, sink);
  list_of(connection).remove(id);
  if (connection.streams) charged_ -= connection.streams->charged;
  table_.remove(id);
  if (attempt) end(open_with(*attempt).id, ending);
}

void Tracker::Implementation::finish() {
  for (const ConnectionId id : table_.by_first_packet())
    if (table_[id].tracked) end(id, Ending::capture_ended);
  observer_.capture_ended();
}

Tracker::Tracker(Observer& observer, Limits limits)
    : implementation_(std::make_unique<Implementation>(observer, limits, random_seed())) {}
Tracker::~Tracker() = default;
void Tracker::segment(const TcpSegment& segment) {
  implementation_->segment(segment);
}
void Tracker::finish() {
  implementation_->finish();
}
std::uint64_t Tracker::evicted_connections() const {
  return implementation_->evicted();
}

}  // namespace analyzer::stream
