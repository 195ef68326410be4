// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Which directions wait for missing bytes: who began first, and whose patience ends next.
//
// It only keeps the order and the sum of what is buffered; what is done about it is the tracker's
// business. Only directions with a hole are in here, so that ordered sets are fast enough.
#pragma once

#include <cstdint>
#include <limits>
#include <set>

#include "stream/connection.hpp"
#include "stream/flow_table.hpp"

namespace analyzer::stream {

class WaitingQueue {
 public:
  struct Entry {
    std::int64_t time = 0;
    ConnectionId id = no_connection;
    Direction from{};
    friend auto operator<=>(const Entry&, const Entry&) = default;
  };

  // Brings the entries of a direction in line with what it has buffered and its deadline.
  void update(ConnectionId id, Direction from, Waiting& waiting, std::uint64_t buffered,
              std::optional<std::int64_t> deadline, std::int64_t now);

  std::uint64_t buffered() const { return buffered_; }
  bool anyone_buffers() const { return !buffering_.empty(); }
  // The direction that has been buffering for longest: its hole is the least likely to be filled.
  const Entry& longest_buffering() const { return *buffering_.begin(); }

  std::int64_t next_deadline() const {
    return deadlines_.empty() ? std::numeric_limits<std::int64_t>::max() : deadlines_.begin()->time;
  }
  const Entry& next_due() const { return *deadlines_.begin(); }

 private:
  std::set<Entry> buffering_;
  std::set<Entry> deadlines_;
  std::uint64_t buffered_ = 0;
};

}  // namespace analyzer::stream
