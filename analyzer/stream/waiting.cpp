// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// When the tracker stops waiting: for the start of a stream, for what lies in a hole, and for more
// of a connection. All waiting is in capture time, by a clock that never steps back.
#include <algorithm>

#include "stream/tracker.hpp"

namespace analyzer::stream {
namespace {

// The direction whose next place in the capture comes first; none where both have none.
template <typename PlaceOf>
std::optional<Direction> earlier(const PlaceOf& place_of) {
  const std::optional<std::uint64_t> first = place_of(Direction::first_to_second);
  const std::optional<std::uint64_t> second = place_of(Direction::second_to_first);
  if (!first && !second) return std::nullopt;
  return first && (!second || *first <= *second) ? Direction::first_to_second
                                                 : Direction::second_to_first;
}

}  // namespace

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
  release(id);
  Connection& connection = table_[id];
  const auto unsettled = [&connection](Direction from) {
    return connection.orderer(from).unsettled(connection.packets[index(from)] != 0);
  };
  while (const std::optional<Direction> from = earlier(unsettled)) {
    Delivery delivery(observer_, connection, *from);
    connection.orderer(*from).settle_next(delivery);
  }
  for (const Direction from : both_directions) note_waiting(id, from);
}

// Where no SYN tells the start of a direction its first bytes may be captured out of order, so that
// the whole connection waits for earlier ones as long as for a hole.
void Tracker::Implementation::hold(Streams& streams) {
  streams.held_until = now_ + limits_.acknowledged_hole_time;
  for (Orderer& orderer : streams.orderers) orderer.hold();
}

bool Tracker::Implementation::is_held_long_enough(const Connection& connection,
                                                  std::int64_t now) const {
  const auto& orderers = connection.streams->orderers;
  const auto may_move = [](const Orderer& orderer) {
    return orderer.has_open_start() && orderer.waiting();
  };
  const auto is_full = [this](const Orderer& orderer) {
    return orderer.buffered() > limits_.buffered_bytes_per_direction;
  };
  return now >= *connection.streams->held_until ||
         orderers[0].buffered_length() + orderers[1].buffered_length() >=
             limits_.acknowledged_hole_bytes ||
         std::any_of(orderers.begin(), orderers.end(), is_full) ||
         std::none_of(orderers.begin(), orderers.end(), may_move);
}

// The starts are where they are. What was held comes in the order in which the capture showed it.
void Tracker::Implementation::release(ConnectionId id) {
  Connection& connection = table_[id];
  if (!connection.streams->held_until) return;
  connection.streams->held_until.reset();
  for (Orderer& orderer : connection.streams->orderers) orderer.release();
  const auto ready = [&connection](Direction from) { return connection.orderer(from).ready(); };
  while (const std::optional<Direction> from = earlier(ready)) {
    Delivery delivery(observer_, connection, *from);
    connection.orderer(*from).tell_ready(delivery);
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
  if (connection.streams->held_until) {
    if (!is_held_long_enough(connection, now)) return;
    release(id);
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
  if (connection.streams->held_until) return connection.streams->held_until;
  const std::optional<std::int64_t> due = orderer.due(patience());
  if (!connection.closed || !connection.reset()) return due;
  const std::int64_t after_reset = connection.since + limits_.acknowledged_hole_time;
  return due ? std::min(*due, after_reset) : after_reset;
}

void Tracker::Implementation::enforce_total() {
  while (waiting_.buffered() > limits_.buffered_bytes_total && waiting_.anyone_buffers()) {
    const WaitingQueue::Entry entry = waiting_.longest_buffering();
    Connection& connection = table_[entry.id];
    if (connection.streams->held_until) {
      release(entry.id);
      continue;
    }
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

}  // namespace analyzer::stream
