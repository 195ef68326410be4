// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The inside of the tracker of tcp.hpp: what it keeps of all connections, and its steps.
//
// Only the files that implement it include this: tcp.cpp takes segments, doubts.cpp those that are
// only believed where something agrees with them, waiting.cpp decides when to stop waiting.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>

#include "stream/connection.hpp"
#include "stream/flow_table.hpp"
#include "stream/tcp.hpp"
#include "stream/waiting_queue.hpp"

namespace analyzer::stream {

inline constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
// Times and spans beyond this come from broken captures; below it two of them can be added.
inline constexpr std::int64_t latest_time = never / 4;

// Late segments of a closed connection are still its own for so long, and for so many closed
// connections, so that a flood of short ones does not stay in memory for a minute.
inline constexpr std::int64_t linger_time = std::int64_t{60} * 1'000'000'000;
inline constexpr std::size_t lingering_connections = 4'096;

// No system sends a SYN again after so long, so that an attempt without an answer is over.
inline constexpr std::int64_t attempt_time = std::int64_t{300} * 1'000'000'000;

// What the table takes for a connection of which only the handshake was seen.
inline constexpr std::uint64_t table_cost = sizeof(Connection) + 24;

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
  void late(const Hole& hole) override {
    if (ByteSink* const sink = opened_sink()) sink->late(from_, hole);
  }
  // An end alone opens no sink; should bytes of the other side follow, the sink learns of it then.
  void finished(bool reset, const Origin& origin) override {
    ByteSink* const sink = connection_.streams->sink.get();
    if (sink != nullptr) sink->finished(from_, reset, origin);
  }
  // An answer comes behind its request, also where that is late or in a hole. A direction that the
  // capture does not have is not waited for, and neither is a single number: a FIN that was not
  // captured has one.
  bool precedes(const Origin& origin) const override {
    const Direction to = other(from_);
    return origin.acknowledged && connection_.packets[index(to)] != 0 &&
           connection_.orderer(to).told_offset() + 1 < *origin.acknowledged;
  }
  bool keeps_end() const override { return connection_.orderer(other(from_)).is_stalled(); }

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

class Tracker::Implementation {
 public:
  Implementation(Observer& observer, const Limits& limits, std::uint64_t seed)
      : observer_(observer), limits_(limits), table_(seed) {
    limits_.acknowledged_hole_time =
        std::clamp(limits_.acknowledged_hole_time, std::int64_t{0}, latest_time);
    limits_.connections = std::max(limits_.connections, std::uint32_t{1});
  }

  void segment(const TcpSegment& segment);
  void finish();
  std::uint64_t evicted() const { return evicted_; }

 private:
  void advance_clock(std::int64_t time);
  FlowTable::Found open(const TcpSegment& segment);
  void follow(FlowTable::Found found, const TcpSegment& segment);

  void doubt(FlowTable::Found found, const TcpSegment& segment);
  void believe_agreed(FlowTable::Found found, const TcpSegment& segment);
  FlowTable::Found open_with(const Doubt& syn);
  std::unique_ptr<Doubt> conclude_doubts(ConnectionId id, Ending ending);
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
  void hold(Streams& streams);
  bool is_held_long_enough(const Connection& connection, std::int64_t now) const;
  void release(ConnectionId id);
  void declare(ConnectionId id, std::int64_t now);
  void resume(ConnectionId id, std::int64_t now);
  void give_up(ConnectionId id, Direction from);
  bool is_overdue(const Orderer& orderer, std::int64_t now) const;
  void note_waiting(ConnectionId id);
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

}  // namespace analyzer::stream
