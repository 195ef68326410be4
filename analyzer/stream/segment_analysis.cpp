// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The counts of segment_analysis.hpp. A segment in order costs a few comparisons.
#include "stream/segment_analysis.hpp"

#include <algorithm>

namespace analyzer::stream {
namespace {

// A copy without an IP identification follows this soon. Nobody sends again so quickly what was
// sent last: a fast retransmission answers to later segments, any other waits for a timer.
constexpr std::int64_t copy_time = 1'000'000;

}  // namespace

void SegmentAnalysis::data(const capture::TcpSegment& segment, std::uint32_t sequence,
                           std::uint64_t known, std::int64_t round_trip) {
  const std::uint32_t end = sequence + segment.payload_length;
  if (!has_next_) start(sequence);
  const bool advances = is_ahead(end, next_);
  if (!advances) {
    // A probe repeats the last byte, or sends any in its place.
    if (segment.payload_length == 1 && end == next_) {
      ++counts_.keep_alive;
      return;
    }
    if (is_copy(segment)) {
      ++counts_.duplicate_capture;
      return;
    }
  }
  if (counts_.data++ == 0) first_byte_ = segment.time;
  if (is_ahead(sequence, next_)) ++counts_.lost_segment;
  // A receiver without room drops the byte that asks for it, so that it comes with the others.
  const bool follows_probe = last_is_probe_ && known == 1 && seen_[newest_].sequence == sequence;
  if (follows_probe) known = 0;
  if (is_ahead(next_, sequence) && !follows_probe) {
    const bool fills_gap = known < segment.payload_length && !advances;
    if (fills_gap && segment.time - advanced_at_ <= round_trip)
      ++counts_.out_of_order;
    else
      ++counts_.retransmission;
  }
  if (known != 0 && counts_.sent_again++ == 0) counts_.first_sent_again = segment.packet;
  if (advances) {
    next_ = end;
    advanced_at_ = segment.time;
  }
  note(segment);
}

void SegmentAnalysis::fin(std::uint32_t sequence) {
  if (!has_next_) start(sequence);
  if (is_ahead(sequence, next_)) ++counts_.lost_segment;
  if (is_ahead(sequence + 1, next_)) next_ = sequence + 1;
}

void SegmentAnalysis::other(const capture::TcpSegment& segment, const SegmentAnalysis& peer) {
  has_no_room_ = segment.window == 0 && !segment.flags.fin;
  peer_has_no_room_ = peer.has_no_room_;
  if (has_no_room_) ++counts_.zero_window;
  if (segment.payload_length == 0 && !segment.flags.fin && has_next_ &&
      segment.sequence + 1 == next_)
    ++counts_.keep_alive;
  if (!segment.flags.ack || !peer.has_next_) return;
  const std::uint32_t acknowledgement = segment.acknowledgement;
  // One past the last byte is a FIN that was not captured.
  if (!is_ahead(acknowledgement, peer.next_ + 1)) return;
  if (has_acknowledged_ && !is_ahead(acknowledgement, acknowledged_)) return;
  acknowledged_ = acknowledgement;
  has_acknowledged_ = true;
  ++counts_.ack_lost_segment;
}

bool SegmentAnalysis::is_copy(const capture::TcpSegment& segment) const {
  if (segment.ip_id == 0) {
    const Seen& last = seen_[newest_];
    return last.sequence == segment.sequence && last.length == segment.payload_length &&
           last.ip_id == 0 && last_acknowledgement_ == segment.acknowledgement &&
           last_window_ == segment.window && segment.time - last_time_ <= copy_time;
  }
  return std::any_of(seen_.begin(), seen_.end(), [&segment](const Seen& seen) {
    return seen.ip_id == segment.ip_id && seen.sequence == segment.sequence &&
           seen.length == segment.payload_length;
  });
}

void SegmentAnalysis::note(const capture::TcpSegment& segment) {
  last_is_probe_ = segment.payload_length == 1 && peer_has_no_room_;
  newest_ = static_cast<std::uint8_t>((newest_ + 1) % seen_.size());
  seen_[newest_] = {segment.sequence, segment.payload_length, segment.ip_id};
  last_time_ = segment.time;
  last_acknowledgement_ = segment.acknowledgement;
  last_window_ = segment.window;
}

}  // namespace analyzer::stream
