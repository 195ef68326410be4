// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Follows connections from their first segment to their end, within the limits.
//
// What a segment means is said in tcp_rules.hpp and bytes are put in order by Orderer; this file
// feeds them and decides when to stop waiting. All waiting is in capture time, by a clock that
// never steps back.
#include "stream/tcp.hpp"

#include <algorithm>
#include <limits>
#include <random>

#include "stream/connection.hpp"
#include "stream/flow_table.hpp"
#include "stream/tcp_rules.hpp"
#include "stream/waiting_queue.hpp"

namespace analyzer::stream {
namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
// Times and spans beyond this come from broken captures; below it two of them can be added.
constexpr std::int64_t latest_time = never / 4;

// Late segments of a closed connection are still its own for so long, and for so many closed
// connections, so that a flood of short ones does not stay in memory for a minute.
constexpr std::int64_t linger_time = std::int64_t{60} * 1'000'000'000;
constexpr std::size_t lingering_connections = 4'096;

// No system sends a SYN again after so long, so that an attempt without an answer is over.
constexpr std::int64_t attempt_time = std::int64_t{300} * 1'000'000'000;

// What the table takes for a connection of which only the handshake was seen.
constexpr std::uint64_t table_cost = sizeof(Connection) + 24;

std::uint64_t random_seed() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

// Carries what an Orderer finds to the sink of its connection, which it opens when needed.
class Delivery final : public Orderer::Output {
 public:
  Delivery(Observer& observer, Connection& connection, Direction from)
      : observer_(observer), connection_(connection), from_(from) {}

  void data(std::uint64_t offset, Bytes bytes, const Origin& origin) override {
    if (ByteSink* const sink = opened_sink()) sink->data(from_, offset, bytes, origin);
  }
  void hole(const Hole& hole) override {
    connection_.history.add_counted('g', from_, connection_.orderer(from_).counts().holes);
    if (ByteSink* const sink = opened_sink()) sink->hole(from_, hole);
  }
  // An end alone opens no sink; should bytes of the other side follow, the sink learns of it then.
  void finished(bool reset, const Origin& origin) override {
    ByteSink* const sink = connection_.streams->sink.get();
    if (sink != nullptr) sink->finished(from_, reset, origin);
  }

 private:
  ByteSink* opened_sink() {
    Streams& streams = *connection_.streams;
    if (!streams.opened) open(streams);
    return streams.sink.get();
  }

  void open(Streams& streams) {
    streams.opened = true;
    streams.sink = observer_.open(facts_of(connection_));
    if (!streams.sink) return;
    for (const Direction from : both_directions) {
      const Orderer& orderer = connection_.orderer(from);
      if (orderer.finished())
        streams.sink->finished(from, orderer.was_reset(), orderer.end_origin());
    }
  }

  Observer& observer_;
  Connection& connection_;
  Direction from_;
};

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
  if (!connection.streams) return;
  SegmentAnalysis& analysis = connection.analysis(from);
  analysis.other(segment, connection.analysis(stream::other(from)));
  if (segment.window == 0 && !segment.flags.fin)
    connection.history.add_counted('w', from, analysis.counts().zero_window);
}

}  // namespace

class Tracker::Implementation {
 public:
  Implementation(Observer& observer, const Limits& limits)
      : observer_(observer), limits_(limits), table_(random_seed()) {
    limits_.acknowledged_hole_time =
        std::clamp(limits_.acknowledged_hole_time, std::int64_t{0}, latest_time);
    limits_.connections = std::max(limits_.connections, std::uint32_t{1});
  }

  void segment(const TcpSegment& segment);
  void finish();
  std::uint64_t evicted() const { return evicted_; }

 private:
  void advance_clock(std::int64_t time);
  FlowTable::Found connection_of(const TcpSegment& segment);
  FlowTable::Found open(const TcpSegment& segment);
  void make_room(ConnectionId except = no_connection);
  void charge(Connection& connection);
  void touch(ConnectionId id, const TcpSegment& segment);
  RecencyList& list_of(const Connection& connection) {
    return connection.closed ? closed_ : connection.is_attempt ? attempts_ : active_;
  }
  std::uint64_t memory() const { return table_.size() * table_cost + charged_; }

  void contents(Connection& connection, Direction from, const TcpSegment& segment);
  void bytes(Connection& connection, Direction from, const TcpSegment& segment,
             const Origin& origin, Delivery& delivery);
  void reset(Connection& connection, Direction from, const TcpSegment& segment);
  void close(ConnectionId id);
  void end(ConnectionId id, Ending ending);

  void maintain(ConnectionId id);
  void settle(ConnectionId id);
  void declare(ConnectionId id, Direction from, std::int64_t now);
  void note_waiting(ConnectionId id, Direction from);
  std::optional<std::int64_t> deadline(const Connection& connection, Direction from) const;
  void enforce_total();
  void run_timers();

  Orderer::Patience patience() const {
    return {limits_.acknowledged_hole_bytes, limits_.acknowledged_hole_time};
  }

  Observer& observer_;
  Limits limits_;
  FlowTable table_;
  RecencyList attempts_{table_};
  RecencyList active_{table_};
  RecencyList closed_{table_};  // in the order in which they closed
  WaitingQueue waiting_;
  std::int64_t now_ = -latest_time;
  std::int64_t next_timer_ = never;  // the earliest one, or earlier
  std::uint64_t charged_ = 0;        // for all connections, beside the table
  std::uint64_t evicted_ = 0;
};

void Tracker::Implementation::segment(const TcpSegment& segment) {
  advance_clock(segment.time);
  const auto [id, from] = connection_of(segment);
  Connection& connection = table_[id];
  connection.last_packet = segment.packet;
  connection.last_time = segment.time;
  ++connection.packets[index(from)];
  if (!connection.closed) touch(id, segment);

  if (segment.flags.rst) {
    reset(connection, from, segment);
  } else if (is_far(connection, from, segment)) {
    ++connection.out_of_window;
    ++connection.side(from).strays;
    return;
  } else {
    contents(connection, from, segment);
  }
  if (!connection.closed && is_over(connection)) close(id);
  if (!connection.streams) return;
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
  const std::uint64_t held = sizeof(Streams) + (streams.sink ? streams.sink->memory() : 0);
  charged_ += held - streams.charged;
  streams.charged = held;
}

void Tracker::Implementation::advance_clock(std::int64_t time) {
  now_ = std::max(now_, std::min(time, latest_time));
  if (now_ >= next_timer_) run_timers();
}

FlowTable::Found Tracker::Implementation::connection_of(const TcpSegment& segment) {
  const FlowTable::Found found = table_.find(segment.from, segment.to);
  if (found.id == no_connection) return open(segment);
  const Connection& connection = table_[found.id];
  if (!starts_another(connection, found.from, segment)) return found;
  end(found.id, connection.closed ? Ending::closed : Ending::replaced);
  return open(segment);
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
  Delivery delivery(observer_, connection, from);
  if (segment.payload_length != 0) bytes(connection, from, segment, origin, delivery);
  if (!segment.flags.fin) return;
  connection.history.add('f', from);
  connection.analysis(from).fin(sequence + segment.payload_length + 1);
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
  if (!is_credible_reset(connection, from, segment)) {
    ++connection.out_of_window;
    return;
  }
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

void Tracker::Implementation::end(ConnectionId id, Ending ending) {
  Connection& connection = table_[id];
  ByteSink* sink = nullptr;
  if (connection.streams) {
    settle(id);
    sink = connection.streams->sink.get();
  }
  observer_.ended(facts_of(connection), ending, sink);
  list_of(connection).remove(id);
  if (connection.streams) charged_ -= connection.streams->charged;
  table_.remove(id);
}

// Declares what is due in both directions and keeps the queue in line with them. Directions
// without a hole, nearly all of them at any time, are left at once.
void Tracker::Implementation::maintain(ConnectionId id) {
  Connection& connection = table_[id];
  for (const Direction from : both_directions) {
    const Waiting& waiting = connection.streams->waiting[index(from)];
    if (!connection.orderer(from).waiting() && !waiting.since && !waiting.deadline) continue;
    declare(id, from, now_);
    note_waiting(id, from);
  }
  if (waiting_.buffered() > limits_.buffered_bytes_total) enforce_total();
}

// Nothing more will come: tells what both directions still keep in the order in which the capture
// showed it, so that a request does not come behind its answer.
void Tracker::Implementation::settle(ConnectionId id) {
  Connection& connection = table_[id];
  const auto unsettled = [&connection](Direction from) {
    return connection.orderer(from).unsettled(connection.packets[index(from)] != 0);
  };
  while (true) {
    const std::optional<std::uint64_t> first = unsettled(Direction::first_to_second);
    const std::optional<std::uint64_t> second = unsettled(Direction::second_to_first);
    if (!first && !second) break;
    const Direction from = first && (!second || *first <= *second) ? Direction::first_to_second
                                                                   : Direction::second_to_first;
    Delivery delivery(observer_, connection, from);
    connection.orderer(from).settle_next(delivery);
  }
  for (const Direction from : both_directions) note_waiting(id, from);
}

// Declares what was due at `now`.
void Tracker::Implementation::declare(ConnectionId id, Direction from, std::int64_t now) {
  Connection& connection = table_[id];
  Orderer& orderer = connection.orderer(from);
  const bool reset_long_ago = connection.closed && connection.reset() &&
                              now >= connection.since + limits_.acknowledged_hole_time;
  if (reset_long_ago) {
    settle(id);
    return;
  }
  Delivery delivery(observer_, connection, from);
  orderer.declare_due(patience(), now, delivery);
  while (orderer.buffered() > limits_.buffered_bytes_per_direction) orderer.give_up(delivery);
}

void Tracker::Implementation::note_waiting(ConnectionId id, Direction from) {
  Connection& connection = table_[id];
  const std::optional<std::int64_t> due = deadline(connection, from);
  waiting_.update(id, from, connection.streams->waiting[index(from)],
                  connection.orderer(from).buffered(), due, now_);
  charge(connection);
  if (due) next_timer_ = std::min(next_timer_, *due);
}

// When the first hole is to be declared. After a RST nobody will send the bytes again, so that
// they are only waited for as long as a capture may be out of order.
std::optional<std::int64_t> Tracker::Implementation::deadline(const Connection& connection,
                                                              Direction from) const {
  const Orderer& orderer = connection.orderer(from);
  if (!orderer.waiting()) return std::nullopt;
  const std::optional<std::int64_t> due = orderer.due(patience());
  if (!connection.closed || !connection.reset()) return due;
  const std::int64_t after_reset = connection.since + limits_.acknowledged_hole_time;
  return due ? std::min(*due, after_reset) : after_reset;
}

void Tracker::Implementation::enforce_total() {
  while (waiting_.buffered() > limits_.buffered_bytes_total && waiting_.anyone_buffers()) {
    const WaitingQueue::Entry entry = waiting_.longest_buffering();
    Connection& connection = table_[entry.id];
    Delivery delivery(observer_, connection, entry.from);
    connection.orderer(entry.from).give_up(delivery);
    note_waiting(entry.id, entry.from);
  }
}

void Tracker::Implementation::run_timers() {
  while (waiting_.next_deadline() <= now_) {
    // By the time of each, so that what is due in the two directions comes in its order.
    const WaitingQueue::Entry entry = waiting_.next_due();
    declare(entry.id, entry.from, entry.time);
    note_waiting(entry.id, entry.from);
  }
  while (!closed_.empty() && table_[closed_.oldest()].since + linger_time <= now_)
    end(closed_.oldest(), Ending::closed);
  while (!attempts_.empty() && table_[attempts_.oldest()].since + attempt_time <= now_)
    end(attempts_.oldest(), Ending::abandoned);
  if (memory() > limits_.memory) make_room();
  next_timer_ = waiting_.next_deadline();
  if (!attempts_.empty())
    next_timer_ = std::min(next_timer_, table_[attempts_.oldest()].since + attempt_time);
  if (!closed_.empty())
    next_timer_ = std::min(next_timer_, table_[closed_.oldest()].since + linger_time);
}

void Tracker::Implementation::finish() {
  for (const ConnectionId id : table_.by_first_packet())
    end(id, table_[id].closed ? Ending::closed : Ending::capture_ended);
  observer_.capture_ended();
}

Tracker::Tracker(Observer& observer, Limits limits)
    : implementation_(std::make_unique<Implementation>(observer, limits)) {}
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
