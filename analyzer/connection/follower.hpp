// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Gives every TCP connection that carries bytes a Connection, and tells the observer of the others.
#pragma once

#include <cstdint>
#include <memory>

#include "connection/connection.hpp"
#include "stream/tcp.hpp"

namespace analyzer::connection {

// What a run met besides frames, for those who only show frames.
struct ContentCounts {
  std::uint64_t frames = 0;
  std::uint64_t encrypted = 0;     // connections; see Content
  std::uint64_t other = 0;         // connections
  std::uint64_t untold = 0;        // connections
  std::uint64_t empty = 0;         // connections without data
  std::uint64_t hiding_holes = 0;  // of connections with frames: more frames may have begun there
};

class Follower final : public stream::Observer {
 public:
  explicit Follower(FrameObserver& observer,
                    const capture::MemoryPlan& plan = capture::MemoryPlan())
      : shared_(observer, plan) {}

  // Each packet, before its segment.
  void packet(const capture::Packet& packet) {
    shared_.time_order.packet(packet);
    if (packet.has_time) shared_.latest_time = packet.time;
  }
  const capture::TimeOrder& time_order() const { return shared_.time_order; }
  std::uint64_t dropped_clients() const { return shared_.clients.dropped(); }
  std::uint64_t dropped_bodies() const { return shared_.dropped_bodies; }
  std::uint64_t dropped_names() const { return shared_.names.dropped(); }
  ContentCounts contents() const {
    ContentCounts counts = contents_;
    counts.frames = shared_.next_frame;
    return counts;
  }

  std::unique_ptr<stream::ByteSink> open(const stream::TcpFacts& facts) override;
  void ended(const stream::TcpFacts& facts, stream::Ending ending, stream::ByteSink* sink) override;
  void capture_ended() override { shared_.observer.capture_ended(); }

 private:
  void count(const Connection& connection);

  Shared shared_;
  ContentCounts contents_;
};

}  // namespace analyzer::connection
