// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The ordering of one direction. Every step costs O(log n) in the pieces kept, or is paid for by
// a byte of the segment at hand or by a piece that leaves.
#include "stream/orderer.hpp"

#include <algorithm>
#include <cstring>

namespace analyzer::stream {
namespace {

// The first position is one whole round of sequence numbers up, so that earlier ones have a
// position too.
constexpr std::uint64_t first_round = std::uint64_t{1} << 32;

// What a node of the map and the two allocations of a piece take beside its bytes.
constexpr std::uint64_t piece_overhead = 176;

// The first captured bytes lie this close to the acknowledgement that the start was taken from,
// above it where the capture began while bytes were in flight, below it where it is out of order.
constexpr std::uint64_t furthest_first_byte = Orderer::soft_start;

// Leaves what lies behind the first bytes, which may not all have been captured.
void drop_front(Orderer::Segment& segment, std::uint32_t bytes) {
  segment.position += bytes;
  segment.length -= bytes;
  segment.payload = segment.payload.subspan(std::min<std::size_t>(bytes, segment.payload.size()));
}

}  // namespace

void Orderer::start(std::uint32_t sequence, bool firm) {
  if (started_ && (firm_ || !untouched())) return;
  const std::uint64_t at = started_ ? position(sequence) : first_round + sequence;
  firm_ = firm;
  // A SYN further up than what waits already would leave pieces below the start.
  if (started_ && ((at > next_ && waiting()) || at < base_)) return;
  if (!started_) base_ = firm ? at : at - soft_start;
  start_ = next_ = lowest_ = at;
  acknowledged_ = started_ ? std::max(acknowledged_, at) : at;
  started_ = true;
}

bool Orderer::begin(std::uint32_t sequence) {
  const std::uint64_t at = started_ ? position(sequence) : 0;
  // Behind an end that is known nothing begins.
  const bool near =
      started_ &&
      (has_end() || (at + furthest_first_byte >= next_ && at <= reference() + furthest_first_byte));
  if (near) return false;
  if (started_) {
    // What was acknowledged so far has an offset already, so that the bytes are put above it.
    const std::uint64_t last = reference();
    start_ = next_ = lowest_ = last + (sequence - static_cast<std::uint32_t>(last));
  } else {
    start(sequence, false);
    acknowledged_ = base_;  // nothing is known to be
  }
  return true;
}

std::uint64_t Orderer::position(std::uint32_t sequence) const {
  const std::uint64_t here = reference();
  const auto distance = static_cast<std::int32_t>(sequence - static_cast<std::uint32_t>(here));
  return here + static_cast<std::uint64_t>(std::int64_t{distance});
}

std::uint64_t Orderer::offset(std::uint64_t position) const {
  return std::clamp(position, base_, end_) - base_;
}

std::uint64_t Orderer::highest() const {
  if (!buffer_) return reference();
  const auto& [position, piece] = *buffer_->pieces.rbegin();
  return std::max(reference(), position + piece.length);
}

std::uint64_t Orderer::reach() const {
  return std::max(allowed_, highest() + least_reach);
}

bool Orderer::is_claimed_again(std::uint64_t position) {
  const bool is_again = position > claimed_ && position - claimed_ <= least_reach;
  claimed_ = position;
  return is_again;
}

void Orderer::segment(const Segment& segment, Output& output) {
  const bool is_next = segment.position == next_ && !buffer_ && !held_;
  if (is_next && segment.length <= end_ - next_ && !output.precedes(segment.origin)) [[likely]] {
    deliver(segment.payload, segment.length, segment.origin, output);
    finish_if_complete(output);
    return;
  }
  out_of_order(segment, output);
}

void Orderer::out_of_order(Segment segment, Output& output) {
  // A keep-alive probe repeats the last byte, or sends any byte in its place.
  const bool is_known = !has_open_start() || segment.position < acknowledged_;
  if (segment.length == 1 && segment.position + 1 == next_ && is_known) return;
  if (!fits(segment, output)) return;
  if (segment.position < next_) {
    const auto known = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(next_ - segment.position, segment.length));
    counts_.retransmitted += known;
    if (recent_.differs(segment.position, segment.payload)) ++counts_.overlaps_that_differ;
    if (known == segment.length) return;
    drop_front(segment, known);
  }
  const bool clear = !buffer_ || segment.position + segment.length <= gap_end();
  if (segment.position == next_ && clear && !held_ && !output.precedes(segment.origin)) {
    deliver(segment.payload, segment.length, segment.origin, output);
  } else {
    keep(segment);
  }
  if (!held_) drain(output);
}

// Takes the segment's place into account: moves an open start, and cuts off what lies below the
// start or past the end. False: nothing is left.
bool Orderer::fits(Segment& segment, Output& output) {
  if (segment.position < start_) {
    if (has_open_start() && segment.position >= base_) {
      start_ = next_ = lowest_ = segment.position;
    } else {
      tell_late(segment, output);
      const std::uint64_t below = start_ - segment.position;
      if (below >= segment.length) return false;
      drop_front(segment, static_cast<std::uint32_t>(below));
    }
  }
  if (segment.position + segment.length <= end_) return true;
  ++counts_.outside;
  if (segment.position >= end_) return false;
  segment.length = static_cast<std::uint32_t>(end_ - segment.position);
  segment.payload =
      segment.payload.first(std::min<std::size_t>(segment.payload.size(), segment.length));
  return true;
}

// What lies below the SYN belongs to nothing. Below any other start there may have been bytes, and
// each of them is named once.
void Orderer::tell_late(const Segment& segment, Output& output) {
  if (firm_ || segment.position < base_) {
    ++counts_.outside;
    return;
  }
  if (segment.position >= lowest_) return;
  const std::uint64_t end = std::min(segment.position + segment.length, lowest_);
  counts_.late += end - segment.position;
  lowest_ = segment.position;
  output.late({segment.position - base_, end - segment.position, HoleKind::late, segment.origin});
}

// Keeps the parts of the segment that no kept piece covers: the first copy wins.
void Orderer::keep(const Segment& segment) {
  if (!buffer_) buffer_ = std::make_unique<Buffer>();
  auto& pieces = buffer_->pieces;
  const std::uint64_t end = segment.position + segment.length;
  const std::uint64_t captured_end = segment.position + segment.payload.size();
  std::uint64_t at = segment.position;
  auto next = pieces.upper_bound(at);
  if (next != pieces.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second.length > at) next = before;
  }
  while (true) {
    const std::uint64_t clear_end = next == pieces.end() ? end : std::min(end, next->first);
    if (at < clear_end) keep_part(segment, at, clear_end);
    at = std::max(at, clear_end);
    // Of bytes that were not captured only the length is known. It is not followed across other
    // pieces: a few captured bytes that claim a gigabyte would walk over all of them.
    if (at >= end || (at >= captured_end && at > segment.position)) return;
    const std::uint64_t shared_end = std::min(end, next->first + next->second.length);
    compare(segment, at, shared_end, *next);
    counts_.retransmitted += shared_end - at;
    at = shared_end;
    if (at >= end || at >= captured_end) return;
    ++next;
  }
}

void Orderer::keep_part(const Segment& segment, std::uint64_t from, std::uint64_t to) {
  const Bytes tail = segment.payload.subspan(
      std::min<std::uint64_t>(from - segment.position, segment.payload.size()));
  const Bytes bytes = tail.first(std::min<std::uint64_t>(to - from, tail.size()));
  Piece piece{{bytes.begin(), bytes.end()},
              static_cast<std::uint32_t>(to - from),
              segment.origin,
              segment.now};
  buffer_->pieces.emplace(from, std::move(piece));
  buffer_->cost += bytes.size() + piece_overhead;
  buffer_->length += to - from;
}

void Orderer::compare(const Segment& segment, std::uint64_t from, std::uint64_t to,
                      const std::pair<const std::uint64_t, Piece>& kept) {
  const std::uint64_t kept_end = kept.first + kept.second.bytes.size();
  const std::uint64_t end = std::min({to, kept_end, segment.position + segment.payload.size()});
  if (from >= end) return;
  const std::byte* const ours = kept.second.bytes.data() + (from - kept.first);
  const std::byte* const theirs = segment.payload.data() + (from - segment.position);
  if (std::memcmp(ours, theirs, end - from) != 0) ++counts_.overlaps_that_differ;
}

void Orderer::deliver(Bytes bytes, std::uint32_t length, const Origin& origin, Output& output) {
  if (!bytes.empty()) {
    const std::uint64_t at = next_ - base_;
    next_ += bytes.size();
    counts_.delivered += bytes.size();
    recent_.add(next_ - bytes.size(), bytes);
    output.data(at, bytes, origin);
  }
  if (bytes.size() < length)
    pass_hole(next_ + (length - bytes.size()), HoleKind::snapped, origin, output);
}

void Orderer::deliver_first_piece(Output& output) {
  const auto node = buffer_->pieces.extract(buffer_->pieces.begin());
  const Piece& piece = node.mapped();
  buffer_->cost -= piece.bytes.size() + piece_overhead;
  buffer_->length -= piece.length;
  if (buffer_->pieces.empty()) buffer_.reset();
  deliver(piece.bytes, piece.length, piece.origin, output);
}

void Orderer::drain(Output& output) {
  while (is_stalled() && !output.precedes(gap_origin())) deliver_first_piece(output);
  finish_if_complete(output);
}

void Orderer::finish_if_complete(Output& output) {
  if (next_ < end_ || finished_ || held_ || output.keeps_end()) return;
  tell_end(output);
}

void Orderer::tell_end(Output& output) {
  finished_ = true;
  output.finished(reset_, end_origin_);
}

void Orderer::pass_hole(std::uint64_t to, HoleKind kind, const Origin& found, Output& output) {
  const Hole hole{next_ - base_, to - next_, kind, found};
  next_ = to;
  counts_.missing += hole.bytes;
  ++counts_.holes;
  output.hole(hole);
}

bool Orderer::end(std::uint64_t position, bool reset, const Origin& origin, std::int64_t now,
                  Output& output) {
  // What was acknowledged does not count: it may be this FIN.
  std::uint64_t seen = next_;
  if (buffer_) {
    const auto& [last, piece] = *buffer_->pieces.rbegin();
    seen = last + piece.length;
  }
  if (has_end()) return position == end_ || reset;
  // Bytes past a FIN prove it wrong. A RST may carry the last number that its sender knows to be
  // acknowledged, which lies below what it sent.
  if (position < seen && !reset) {
    ++counts_.outside;
    return false;
  }
  // A number more is a FIN before the RST, which was not captured.
  const bool is_behind_fin = reset && position == seen + 1;
  end_ = is_behind_fin ? seen : std::max(position, seen);
  reset_ = reset;
  end_origin_ = origin;
  end_since_ = now;
  finish_if_complete(output);
  return true;
}

void Orderer::acknowledge(std::uint64_t position, const Origin& origin, std::int64_t now) {
  // An acknowledgement that is older than the one that told the start.
  if (position < start_ && position >= base_ && has_open_start())
    start_ = next_ = lowest_ = position;
  if (position <= acknowledged_) return;
  if (buffer_) {
    // Each piece is passed once.
    auto piece = buffer_->pieces.upper_bound(acknowledged_);
    for (; piece != buffer_->pieces.end() && piece->first <= position; ++piece)
      piece->second.since = now;
  }
  if (acknowledged_ < end_ && position >= end_) end_since_ = now;
  acknowledged_ = position;
  acknowledging_packet_ = origin.packet;
  acknowledging_time_ = origin.time;
}

void Orderer::declare_due(const Patience& patience, std::uint64_t more, std::int64_t now,
                          Output& output) {
  while (has_gap() && acknowledged_ >= gap_end()) {
    const bool enough = buffer_ && buffer_->length + more >= patience.bytes;
    more = 0;
    if (!enough && *due(patience) > now) return;
    pass_hole(gap_end(), HoleKind::not_captured, gap_origin(), output);
    drain(output);
  }
}

std::optional<std::int64_t> Orderer::due(const Patience& patience) const {
  if (!has_gap() || acknowledged_ < gap_end()) return std::nullopt;
  return gap_since() + patience.time;
}

const Origin* Orderer::ready() const {
  const bool has_more = buffer_ || (has_end() && !finished_);
  return has_more && gap_end() == next_ ? &gap_origin() : nullptr;
}

void Orderer::tell_ready(Output& output) {
  if (buffer_) {
    deliver_first_piece(output);
  } else {
    tell_end(output);
  }
}

void Orderer::give_up(Output& output) {
  pass_hole(gap_end(), HoleKind::given_up, gap_origin(), output);
  drain(output);
}

std::optional<std::uint64_t> Orderer::unsettled(bool captured) const {
  if (!complete()) return 2 * gap_origin().packet + 1;
  // A single number past the last byte is a FIN that was not captured rather than a byte: FIN
  // takes a number as well.
  if (!captured || has_end() || acknowledged_ <= next_ + 1) return std::nullopt;
  // What a packet acknowledges came before the bytes that it carries.
  return 2 * acknowledging_packet_;
}

void Orderer::settle_next(Output& output) {
  if (complete()) {
    const Origin found{acknowledging_packet_, acknowledging_time_, std::nullopt};
    pass_hole(acknowledged_, HoleKind::not_captured, found, output);
    return;
  }
  const std::uint64_t gap = gap_end();
  const Origin found = gap_origin();
  if (next_ < gap && next_ < acknowledged_)
    pass_hole(std::min(acknowledged_, gap), HoleKind::not_captured, found, output);
  if (next_ < gap) pass_hole(gap, HoleKind::lost, found, output);
  tell_ready(output);
}

const Origin& Orderer::gap_origin() const {
  return buffer_ ? buffer_->pieces.begin()->second.origin : end_origin_;
}

std::int64_t Orderer::gap_since() const {
  return buffer_ ? buffer_->pieces.begin()->second.since : end_since_;
}

}  // namespace analyzer::stream
