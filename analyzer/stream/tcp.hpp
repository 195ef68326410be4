// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// From TCP segments to connections, and from connections to ordered bytes and named holes.
//
// Every byte of a direction is delivered exactly once and in order, or is part of a hole that says
// why it is missing; where two copies differ the first one wins. What the bytes mean is not known
// here. Work is linear in the segments and memory is bounded by Limits, however hostile the
// capture; every byte given up because of a limit is a hole of its own kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "capture/packet.hpp"
#include "stream/byte_stream.hpp"
#include "stream/history.hpp"
#include "stream/segment_analysis.hpp"

namespace analyzer::stream {

using capture::Endpoint;
using capture::TcpSegment;

// What TCP itself shows of a connection. Packet numbers are 0 where there is none.
struct TcpFacts {
  Endpoint first;  // see Direction
  Endpoint second;
  bool roles_known = false;        // a SYN or SYN-ACK shows that `first` dialed
  bool handshake = false;          // SYN and SYN-ACK were captured
  bool syn_ack = false;            // SYN-ACK was captured
  std::uint64_t first_packet = 0;  // of the connection
  std::uint64_t last_packet = 0;
  std::int64_t first_time = 0;
  std::int64_t last_time = 0;
  std::uint64_t syn_packet = 0;          // first SYN
  std::uint32_t syns = 0;                // SYNs without ACK, repetitions included
  std::uint64_t fin_packet[2] = {0, 0};  // by Direction of its sender
  std::uint64_t rst_packet[2] = {0, 0};
  bool refused = false;  // a RST of the second side answered the SYN and no SYN-ACK was seen
  std::uint64_t packets[2] = {0, 0};
  std::uint64_t bytes[2] = {0, 0};          // delivered
  std::uint64_t missing_bytes[2] = {0, 0};  // in holes
  // Captured again, or too late to fill a hole already declared; keep-alive probes do not count.
  std::uint64_t retransmitted_bytes[2] = {0, 0};
  std::uint64_t late_bytes[2] = {0, 0};  // see ByteSink::late
  std::uint32_t holes[2] = {0, 0};
  // The same place with other bytes. Bytes that wait above a hole are compared one by one; of those
  // delivered only the last few segments are known, by their hashes (see RecentSegments).
  std::uint32_t overlaps_that_differ = 0;
  // Segments ignored because their sequence number cannot belong here: far outside of the window,
  // past the FIN, or a RST that the peer would ignore.
  std::uint32_t out_of_window = 0;
  // Bytes acknowledged of a direction of which not one segment was captured. Such a direction has
  // no holes: all of it is missing, by the way the capture was taken.
  std::uint64_t acknowledged_unseen[2] = {0, 0};
  std::uint32_t base_sequence[2] = {0, 0};  // sequence number of offset 0 (see ByteSink)
  std::uint64_t begin[2] = {0, 0};          // the offset of the first byte, FIN or hole
  // The offset (see ByteSink) up to which the other side acknowledged the direction. A FIN that was
  // not captured may count as a byte.
  std::uint64_t acknowledged[2] = {0, 0};
  SegmentCounts segments[2];
  // From the SYN to the acknowledgement of the SYN-ACK, in microseconds.
  std::optional<std::uint32_t> initial_rtt;
  std::optional<std::int64_t> first_byte[2];  // times
  History history;
};

enum class Ending : std::uint8_t {
  closed,            // FIN of both sides, or a RST
  replaced,          // the ports were used again and no end was seen
  evicted_by_limit,  // Limits::connections or memory
  abandoned,         // an attempt that nobody answered for five minutes
  capture_ended,
};

// Learns of connections. One call of `ended` for each connection, also those without a byte. An
// observer or sink must not call the tracker.
class Observer {
 public:
  virtual ~Observer() = default;
  // Before the first byte or hole of a connection; connections without any never get a sink. Null
  // declines: the connection is followed, but its bytes go nowhere.
  virtual std::unique_ptr<ByteSink> open(const TcpFacts& facts) = 0;
  // The connection is over. `sink` is what `open` gave, or null; it is destroyed afterwards. A
  // closed connection ends up to a minute of capture time after its last FIN, so that late
  // segments do not look like a connection of their own.
  virtual void ended(const TcpFacts& facts, Ending ending, ByteSink* sink) = 0;
  // No connection follows; the last call.
  virtual void capture_ended() {}
};

struct Limits {
  // Waiting above holes, what it costs to keep them included.
  std::uint64_t buffered_bytes_per_direction = std::uint64_t{4} << 20;
  std::uint64_t buffered_bytes_total = std::uint64_t{24} << 20;
  // A hole that the peer acknowledged is declared after so much later data, in bytes or capture
  // time. The start of a connection without a SYN may move for as long.
  std::uint64_t acknowledged_hole_bytes = std::uint64_t{1} << 20;
  std::int64_t acknowledged_hole_time = std::int64_t{3} * 1'000'000'000;
  // Tracked at once, and what they and their sinks may take, buffers above holes apart. Beyond it
  // attempts that nobody answered end first, then the connection that was silent for longest.
  std::uint32_t connections = 2'000'000;
  std::uint64_t memory = std::uint64_t{248} << 20;
};

class Tracker {
 public:
  Tracker(Observer& observer, Limits limits);
  ~Tracker();
  Tracker(const Tracker&) = delete;
  Tracker& operator=(const Tracker&) = delete;

  // Segments in the order of the capture.
  void segment(const TcpSegment& segment);
  // The capture ended: declares what is still missing and ends every connection, oldest first.
  void finish();
  // Connections ended early because of Limits::connections or memory.
  std::uint64_t evicted_connections() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace analyzer::stream
