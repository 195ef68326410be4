// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What the segments of ONE side show of the path: what was sent again, out of order or twice in the
// capture, and whether the receiver had room.
//
// Counts under the names of Wireshark's tcp.analysis.*, and judges nothing. It orders no bytes: the
// Orderer tells how many of a segment's bytes were known before.
#pragma once

#include <array>
#include <cstdint>

#include "capture/packet.hpp"

namespace analyzer::stream {

// Segments of one side.
struct SegmentCounts {
  std::uint64_t data = 0;               // with bytes; copies by the capture are not counted
  std::uint32_t retransmission = 0;     // sent before, or too late to be out of order
  std::uint32_t sent_again = 0;         // with bytes that came before: no capture makes these up
  std::uint32_t out_of_order = 0;       // fills a gap within a round trip
  std::uint32_t duplicate_capture = 0;  // the capture holds the same packet twice
  std::uint32_t lost_segment = 0;       // what precedes the segment was not captured before it
  std::uint32_t ack_lost_segment = 0;   // acknowledges what was not captured before it
  std::uint32_t zero_window = 0;        // the side's receiver has no room
  std::uint32_t keep_alive = 0;
  std::uint32_t reset = 0;
  std::uint64_t first_sent_again = 0;  // packet; 0: none
};

// A copy by the capture has the IP identification of the packet that it copies. Where there is none
// it follows at once on that packet, sooner than anybody can have missed it.
class SegmentAnalysis {
 public:
  // The next byte of the side, where its SYN tells it.
  void start(std::uint32_t sequence) {
    if (has_next_) return;
    next_ = sequence;
    has_next_ = true;
  }
  // A segment with bytes from `sequence` on, `known` of which were there before. `round_trip` is
  // that of the handshake, or what is taken for it.
  void data(const capture::TcpSegment& segment, std::uint32_t sequence, std::uint64_t known,
            std::int64_t round_trip);
  // Any segment but SYN and RST; `peer` is the analysis of the other side.
  void other(const capture::TcpSegment& segment, const SegmentAnalysis& peer);
  // Behind the bytes of its segment.
  void fin(std::uint32_t sequence);
  void reset() { ++counts_.reset; }

  const SegmentCounts& counts() const { return counts_; }
  bool has_bytes() const { return counts_.data != 0; }
  std::int64_t first_byte() const { return first_byte_; }  // time; needs has_bytes()

 private:
  struct Seen {
    std::uint32_t sequence = 0;
    std::uint32_t length = 0;
    std::uint16_t ip_id = 0;
  };

  static bool is_ahead(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::int32_t>(a - b) > 0;
  }
  bool is_copy(const capture::TcpSegment& segment) const;
  void note(const capture::TcpSegment& segment);

  SegmentCounts counts_;
  std::int64_t first_byte_ = 0;
  std::int64_t advanced_at_ = 0;  // when next_ was reached
  std::int64_t last_time_ = 0;    // of the last segment with bytes
  std::uint32_t next_ = 0;        // behind the highest byte captured
  std::uint32_t last_acknowledgement_ = 0;
  std::uint32_t acknowledged_ = 0;  // the highest one counted in ack_lost_segment
  bool has_next_ = false;
  bool has_acknowledged_ = false;
  bool has_no_room_ = false;       // its receiver, as it said last
  bool peer_has_no_room_ = false;  // when this side spoke last
  bool last_is_probe_ = false;     // the last segment with bytes
  std::uint8_t newest_ = 0;
  std::uint16_t last_window_ = 0;
  std::array<Seen, 16> seen_{};  // the last segments with bytes
};

}  // namespace analyzer::stream
