// SPDX-License-Identifier: GPL-2.0-or-later
//
// The loop of lane.hpp: holes first, then one cut after the other.
#include "plugin/lane.hpp"

#include <algorithm>

namespace plugin {

using iggy::conversation::Contradiction;
using iggy::conversation::Cut;
using iggy::conversation::CutKind;
using iggy::conversation::Framing;

// Where the loop stands in a chunk.
struct Lane::Step {
  const Chunk& chunk;
  std::uint64_t position;      // of the chunk's first byte
  std::uint64_t acknowledged;  // by the chunk's packet
  std::uint32_t at = 0;        // bytes of the chunk that are done
  std::size_t first_piece = 0;
  Taken taken{};

  bool is_cut() const { return chunk.captured.size() < chunk.reported; }
  Bytes rest() const { return chunk.captured.subspan(at); }
};

std::uint64_t SequenceSpace::position(std::uint32_t sequence) {
  // Far enough from 0 that what came before the first packet has a place as well.
  constexpr std::uint64_t origin = std::uint64_t{1} << 32;
  if (!is_known_) {
    is_known_ = true;
    position_ = origin;
  } else {
    const auto distance = static_cast<std::int32_t>(sequence - sequence_);
    position_ += static_cast<std::uint64_t>(static_cast<std::int64_t>(distance));
  }
  sequence_ = sequence;
  return position_;
}

Taken Lane::take(const Chunk& chunk, SequenceSpace& acknowledged, LaneObserver& observer) {
  Step step{chunk, chunk.has_sequence ? sequences_.position(chunk.sequence) : next_,
            chunk.has_sequence ? acknowledged.position(chunk.acknowledgement)
                               : iggy::conversation::no_acknowledgement};
  step.first_piece = pieces_.size();
  meet(step, observer);
  const auto end = static_cast<std::uint32_t>(chunk.captured.size());
  while (step.at < end && this->step(step, observer)) {
  }
  if (!step.taken.waits) end_chunk(step, observer);
  keep(step);
  return step.taken;
}

// Holds the chunk against what was expected, and passes over bytes that are no news.
void Lane::meet(Step& step, LaneObserver& observer) {
  const std::uint64_t at = step.position;
  if (!was_heard_) {
    was_heard_ = true;
    state_.known_start = step.chunk.begins_stream;
    next_ = seen_ = no_frame_begin_ = at;
    if (step.chunk.misses_start) observer.lost(0, at);
  } else if (at > next_) {
    if (state_.framing != Framing::foreign) observer.lost(next_, at);
    iggy::conversation::lose_place(state_);
    next_ = seen_ = at;
  } else if (at < next_) {
    const std::uint64_t known = std::min<std::uint64_t>(next_ - at, step.chunk.reported);
    add(step, {at >= seen_ ? PieceKind::continuation : PieceKind::no_frame, Contradiction::none,
               static_cast<std::uint32_t>(known), last_frame_});
    step.at =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(known, step.chunk.captured.size()));
  }
}

// One cut. False when nothing more of the chunk can be told now.
bool Lane::step(Step& step, LaneObserver& observer) {
  const Bytes rest = step.rest();
  const bool is_last = !step.chunk.can_wait || step.is_cut();
  Cut cut = iggy::conversation::cut(rest, state_, is_last);
  if (cut.kind == CutKind::need && !may_wait(step, cut.bytes))
    cut = iggy::conversation::cut(rest, state_, true);
  switch (cut.kind) {
    case CutKind::need:
      wait(step, cut.bytes - static_cast<std::uint32_t>(rest.size()));
      return false;
    case CutKind::frame:
      return take_frame(step, cut.bytes, observer);
    case CutKind::preamble:
      has_preamble_ = true;
      add(step, {PieceKind::preamble, Contradiction::none, cut.bytes, 0});
      step.at += cut.bytes;
      return true;
    case CutKind::foreign:
      // It belongs to another dissector, from the first byte on.
      step.at = step.chunk.reported;
      return false;
    case CutKind::skip:
      // Where frames follow each other, a header that does not come whole ends that.
      if (is_last && cut.bytes == rest.size() && cut.contradiction == Contradiction::none)
        iggy::conversation::lose_place(state_);
      add(step, {PieceKind::no_frame, cut.contradiction, cut.bytes, 0});
      skipped_ = true;
      step.at += cut.bytes;
      return true;
  }
  return false;
}

// Whether the carrier will hand over `wanted` bytes from here on in one piece.
bool Lane::comes_whole(const Step& step, std::uint32_t wanted) const {
  if (!step.chunk.can_wait || step.is_cut()) return false;
  return cut_length_ == 0 || wanted - step.rest().size() <= cut_length_;
}

// Frames are waited for where they follow each other. Elsewhere only something that looks like one
// is worth it, since waiting takes the bytes away from other dissectors.
bool Lane::may_wait(const Step& step, std::uint32_t wanted) const {
  if (!comes_whole(step, wanted)) return false;
  if (state_.framing != Framing::searching) return true;
  return has_frames_ || wanted > iggy::conversation::header_bytes;
}

void Lane::wait(Step& step, std::uint32_t wanted) {
  remember_start(step);
  step.taken = {true, true, step.at, std::max(wanted, 1U)};
  next_ = step.position + step.at;
}

// The frame that begins here is asked about again when there is more of it.
void Lane::remember_start(const Step& step) {
  const std::uint64_t begin = step.position + step.at;
  if (has_start_ && start_.begin == begin) return;
  has_start_ = true;
  start_ = {step.chunk.packet, step.chunk.time, begin, 0, step.acknowledged};
}

bool Lane::take_frame(Step& step, std::uint32_t size, LaneObserver& observer) {
  const std::uint32_t left = step.chunk.reported - step.at;
  if (size > left && comes_whole(step, size)) {
    wait(step, size - left);
    return false;
  }
  remember_start(step);
  has_start_ = false;
  const Bytes rest = step.rest();
  const std::uint32_t header = iggy::conversation::header_length(state_.framing);
  const Bytes there = rest.first(std::min<std::size_t>(rest.size(), size));
  if (skipped_) observer.lost(no_frame_begin_, start_.begin);
  skipped_ = false;
  Span span = start_;
  span.end = span.begin + size;
  span.end_sequence = step.chunk.sequence + static_cast<std::uint32_t>(span.end - step.position);
  has_frames_ = true;
  last_frame_ = observer.frame(there.first(header), there.subspan(header), size, span, step.chunk);
  add(step, {PieceKind::frame, Contradiction::none, std::min(size, left), last_frame_});
  next_ = no_frame_begin_ = span.end;
  step.at += std::min(size, left);
  return true;
}

// The chunk is done: what comes next stands behind it, or behind the frame that reaches beyond it.
void Lane::end_chunk(const Step& step, LaneObserver& observer) {
  const std::uint64_t end = step.position + step.chunk.reported;
  seen_ = std::max(seen_, end);
  if (next_ >= end) return;
  // Bytes that were not captured, and do not belong to a body that is known.
  if (step.is_cut() && state_.framing != Framing::foreign) {
    observer.lost(std::max(next_, step.position + step.chunk.captured.size()), end);
    iggy::conversation::lose_place(state_);
    skipped_ = true;
  }
  next_ = end;
}

void Lane::add(Step& step, const Piece& piece) {
  pieces_.push_back(piece);
  // Bytes without a frame are only ours where frames came before.
  if (piece.kind != PieceKind::no_frame || has_frames_) step.taken.is_ours = true;
}

// Keeps what was found for later looks, or forgets it where it is left to other dissectors.
void Lane::keep(const Step& step) {
  if (!step.taken.is_ours) {
    pieces_.resize(step.first_piece);
    return;
  }
  if (marks_.empty() || marks_.back().packet != step.chunk.packet)
    marks_.push_back({step.chunk.packet, false, step.first_piece});
  marks_.back().waits = step.taken.waits;
}

Lane::Pieces Lane::pieces_of(std::uint32_t packet) const {
  const auto found =
      std::lower_bound(marks_.begin(), marks_.end(), packet,
                       [](const Mark& mark, std::uint32_t number) { return mark.packet < number; });
  if (found == marks_.end() || found->packet != packet) return {};
  const std::size_t end = found + 1 == marks_.end() ? pieces_.size() : (found + 1)->first;
  return {std::span(pieces_).subspan(found->first, end - found->first), found->waits};
}

}  // namespace plugin
