// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Moves directions into and out of the two orders of the queue.
#include "stream/waiting_queue.hpp"

namespace analyzer::stream {

void WaitingQueue::update(ConnectionId id, Direction from, Waiting& waiting, std::uint64_t buffered,
                          std::optional<std::int64_t> deadline, std::int64_t now) {
  buffered_ += buffered - waiting.buffered;
  waiting.buffered = buffered;
  if (buffered == 0 && waiting.since) {
    buffering_.erase({*waiting.since, id, from});
    waiting.since.reset();
  } else if (buffered != 0 && !waiting.since) {
    buffering_.insert({now, id, from});
    waiting.since = now;
  }
  if (waiting.deadline == deadline) return;
  if (waiting.deadline) deadlines_.erase({*waiting.deadline, id, from});
  if (deadline) deadlines_.insert({*deadline, id, from});
  waiting.deadline = deadline;
}

}  // namespace analyzer::stream
