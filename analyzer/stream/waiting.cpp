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

// Declares what is due in both directions and keeps the queue in line with them. Connections
// without a hole, nearly all of them at any time, are left at once.
void Tracker::Implementation::maintain(ConnectionId id) {
  Connection& connection = table_[id];
  const auto is_waiting = [&connection](Direction from) {
    const Waiting& waiting = connection.streams->waiting[index(from)];
    return connection.orderer(from).waiting() || waiting.since || waiting.deadline;
  };
  if (is_waiting(Direction::first_to_second) || is_waiting(Direction::second_to_first)) {
    declare(id, now_);
    note_waiting(id);
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
  note_waiting(id);
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
  resume(id, now_);
  note_waiting(id);
}

// Declares what was due at `now`.
void Tracker::Implementation::declare(ConnectionId id, std::int64_t now) {
  Connection& connection = table_[id];
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
  for (const Direction from : both_directions) {
    Delivery delivery(observer_, connection, from);
    Orderer& orderer = connection.orderer(from);
    orderer.declare_due(patience(), connection.orderer(other(from)).stalled_length(), now,
                        delivery);
    while (orderer.buffered() > limits_.buffered_bytes_per_direction) give_up(id, from);
  }
  resume(id, now);
}

// The direction, which is stalled, waited for the other one for as long as for a hole.
bool Tracker::Implementation::is_overdue(const Orderer& orderer, std::int64_t now) const {
  return orderer.buffered_length() >= limits_.acknowledged_hole_bytes ||
         now >= orderer.waits_since() + limits_.acknowledged_hole_time;
}

// Tells what waited for bytes of the other direction, once these are told or were waited for long
// enough, in the order in which the capture showed it.
void Tracker::Implementation::resume(ConnectionId id, std::int64_t now) {
  Connection& connection = table_[id];
  if (connection.streams->held_until) return;
  const auto in_order = [&](Direction from) -> std::optional<std::uint64_t> {
    const Orderer& orderer = connection.orderer(from);
    const Origin* const next = orderer.ready();
    const bool waits = next != nullptr && orderer.is_stalled() &&
                       Delivery(observer_, connection, from).precedes(*next);
    return next == nullptr || waits ? std::nullopt : std::optional(next->packet);
  };
  // Asked where nothing is in order any more, so that only what is stalled is left.
  const auto overdue = [&](Direction from) -> std::optional<std::uint64_t> {
    const Orderer& orderer = connection.orderer(from);
    const bool is_due = orderer.is_stalled() && is_overdue(orderer, now);
    return is_due ? std::optional(orderer.ready()->packet) : std::nullopt;
  };
  std::optional<Direction> from;
  while ((from = earlier(in_order)) || (from = earlier(overdue))) {
    Delivery delivery(observer_, connection, *from);
    connection.orderer(*from).tell_ready(delivery);
  }
}

// Gives up the first thing that the direction waits for.
void Tracker::Implementation::give_up(ConnectionId id, Direction from) {
  Connection& connection = table_[id];
  const Direction to = other(from);
  const bool waits_for_hole =
      connection.orderer(from).is_stalled() && connection.orderer(to).has_gap();
  const Direction where = waits_for_hole ? to : from;
  Delivery delivery(observer_, connection, where);
  Orderer& orderer = connection.orderer(where);
  if (orderer.is_stalled()) {
    orderer.tell_ready(delivery);
  } else {
    orderer.give_up(delivery);
  }
  resume(id, now_);
}

void Tracker::Implementation::note_waiting(ConnectionId id) {
  Connection& connection = table_[id];
  for (const Direction from : both_directions) {
    const std::optional<std::int64_t> due = deadline(connection, from);
    waiting_.update(id, from, connection.streams->waiting[index(from)],
                    connection.orderer(from).buffered(), due, now_);
    if (due) next_timer_ = std::min(next_timer_, *due);
  }
  charge(connection);
}

// When the first hole is to be declared. After a RST nobody will send the bytes again, so that
// they are only waited for as long as a capture may be out of order.
std::optional<std::int64_t> Tracker::Implementation::deadline(const Connection& connection,
                                                              Direction from) const {
  const Orderer& orderer = connection.orderer(from);
  if (!orderer.waiting()) return std::nullopt;
  if (connection.streams->held_until) return connection.streams->held_until;
  const std::optional<std::int64_t> due =
      orderer.is_stalled() ? orderer.waits_since() + limits_.acknowledged_hole_time
                           : orderer.due(patience());
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
    give_up(entry.id, entry.from);
    note_waiting(entry.id);
  }
}

void Tracker::Implementation::run_timers() {
  while (waiting_.next_deadline() <= now_) {
    // By the time of each, so that what is due in the two directions comes in its order.
    const WaitingQueue::Entry entry = waiting_.next_due();
    declare(entry.id, entry.time);
    note_waiting(entry.id);
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
