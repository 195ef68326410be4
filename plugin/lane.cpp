// SPDX-License-Identifier: GPL-2.0-or-later
//
// The loop of lane.hpp: holes first, then one cut after the other.
//
// Waiting has rules of its own. Wireshark puts together what was waited for in the packet that
// completes it, and hands it over there again on later passes. It does so only if
//   - the packet was not handed what is not enough before: a number of bytes may be completed in
//     the middle of a segment, and so be followed by more at once. Where bytes are missing to tell
//     how long a frame is, all of the next segment is asked for.
//   - what is asked for next begins in the segment that completed it; if it begins before,
//     Wireshark takes all of it back, until there is more. So does the lane.
#include "plugin/lane.hpp"

#include <algorithm>

namespace plugin {

using iggy::conversation::Contradiction;
using iggy::conversation::Cut;
using iggy::conversation::CutKind;

// Where the loop stands in a chunk.
struct Lane::Step {
  const Chunk& chunk;
  std::uint64_t position;      // of the chunk's first byte
  std::uint64_t acknowledged;  // by the chunk's packet
  std::uint32_t at = 0;        // bytes of the chunk that are done
  std::size_t first_piece = 0;
  bool is_awaited = false;  // the lane asked for the chunk
  bool gives_up = false;    // and does not wait again for what may be nothing
  bool has_frames = false;  // as Lane::has_frames_
  Taken taken{};

  bool is_cut() const { return chunk.captured.size() < chunk.reported; }
  Bytes rest() const { return chunk.captured.subspan(at); }
};

// Bytes that the lane would wait for.
struct Lane::Wait {
  std::uint32_t from = 0;     // in the chunk
  std::uint32_t missing = 0;  // 0: there is nothing to wait for
  bool is_count = false;      // all that will be missing; else there may be more
  bool is_search = false;     // nothing says that a frame begins there
};

void SequenceSpace::place(std::uint32_t sequence, std::uint64_t position) {
  is_known_ = true;
  sequence_ = sequence;
  position_ = position;
}

std::uint64_t SequenceSpace::position_of_acknowledged(std::uint32_t sequence) {
  // Far enough from 0 that what came before the first packet has a place as well.
  constexpr std::uint64_t origin = std::uint64_t{1} << 32;
  if (!is_known_) place(sequence, origin);
  const auto distance = static_cast<std::int32_t>(sequence - sequence_);
  return position_ + static_cast<std::uint64_t>(static_cast<std::int64_t>(distance));
}

std::uint64_t SequenceSpace::position(std::uint32_t sequence) {
  place(sequence, position_of_acknowledged(sequence));
  return position_;
}

Taken Lane::take(const Chunk& chunk, SequenceSpace& acknowledged, LaneObserver& observer) {
  Step step{chunk, place(chunk),
            chunk.has_sequence ? acknowledged.position_of_acknowledged(chunk.acknowledgement)
                               : iggy::conversation::no_acknowledgement};
  step.first_piece = pieces_.size();
  step.is_awaited = waits_ && step.position == wait_begin_;
  step.has_frames = has_frames_;
  waits_ = waits_ && !step.is_awaited;
  meet(step, observer);
  if (take_up(step)) {
    const auto end = static_cast<std::uint32_t>(chunk.captured.size());
    while (step.at < end && cut_once(step, observer)) {
    }
  }
  if (!step.taken.waits) end_chunk(step, observer);
  keep(step);
  return step.taken;
}

// What lies so far behind was never sent by the same connection: it is another one, whose beginning
// was lost, or the place where the lane stands was wrong.
std::uint64_t Lane::place(const Chunk& chunk) {
  constexpr std::uint64_t farthest = std::uint64_t{64} << 20;
  if (!chunk.has_sequence) return next_;
  const std::uint64_t position = sequences_.position(chunk.sequence);
  if (!was_heard_ || position + farthest >= next_) return position;
  sequences_.place(chunk.sequence, next_ + 1);
  return next_ + 1;
}

// Whether the chunk can be cut now. What was waited for is looked through first: see above.
// Wireshark also calls put together what is left of a segment behind that; it begins behind the
// wait.
bool Lane::take_up(Step& step) {
  const bool is_put_together = step.chunk.is_put_together && step.position < wait_end_;
  if (!step.is_awaited && !is_put_together) return true;
  const Wait wanted = look_ahead(step);
  const bool begins_before =
      !step.is_awaited || waits_for_count_ || step.position + wanted.from <= wait_end_;
  if (wanted.missing == 0 || wanted.from == 0 || !begins_before) return true;
  step.gives_up = wanted.is_search;
  if (step.gives_up) return true;
  pieces_.resize(step.first_piece);
  wait(step, {0, wanted.missing, wanted.is_count, false});
  return false;
}

// Where cutting the chunk would end in waiting.
Lane::Wait Lane::look_ahead(Step step) const {
  auto state = state_;
  const auto end = static_cast<std::uint32_t>(step.chunk.captured.size());
  while (step.at < end) {
    const Cut found = cut_at(step, state);
    const auto rest = static_cast<std::uint32_t>(step.rest().size());
    const std::uint32_t left = step.chunk.reported - step.at;
    if (found.kind == CutKind::foreign) break;
    if (found.kind == CutKind::need) {
      const bool is_search =
          state.framing == Framing::searching && found.bytes <= iggy::conversation::header_bytes;
      return {step.at, found.bytes - rest, false, is_search};
    }
    if (found.kind == CutKind::frame) {
      if (found.bytes > left && comes_whole(step, found.bytes))
        return {step.at, found.bytes - left, true, false};
      step.has_frames = true;
    }
    step.at += std::min(found.bytes, left);
  }
  return {};
}

// Holds the chunk against what was expected, and passes over bytes that are no news.
void Lane::meet(Step& step, LaneObserver& observer) {
  const std::uint64_t at = step.position;
  if (!was_heard_) {
    was_heard_ = true;
    state_.known_start = step.chunk.begins_stream;
    next_ = seen_ = no_frame_begin_ = at;
    if (step.chunk.misses_start) lose(0, at, observer);
    return;
  }
  if (at > next_) take_held(step, observer);
  if (at > next_) {
    if (state_.framing != Framing::foreign) lose(next_, at, observer);
    iggy::conversation::lose_place(state_);
    next_ = seen_ = at;
  } else if (at < next_) {
    const std::uint64_t known = std::min<std::uint64_t>(next_ - at, step.chunk.reported);
    add(step, {at >= seen_ ? PieceKind::continuation : PieceKind::no_frame, Contradiction::none,
               static_cast<std::uint32_t>(known), last_frame_});
    step.at =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(known, step.chunk.captured.size()));
    const bool ends_frame = at + known == next_ && at + known > seen_;
    if (ends_frame && has_frames_) observer.ended(last_frame_, step.chunk);
  }
}

// A frame was waited for, and what comes is not what Wireshark would have put together: a packet
// was cut or lost. Its front was handed over all the same, and will not be again.
void Lane::take_held(Step& step, LaneObserver& observer) {
  if (!waits_ || held_.empty() || !has_start_ || start_.begin != next_) return;
  waits_ = has_start_ = false;
  const Bytes front = held_;
  const std::uint32_t header = iggy::conversation::header_length(state_.framing);
  if (skipped_) observer.lost(no_frame_begin_, start_.begin);
  skipped_ = false;
  Span span = start_;
  span.header_packet = held_packet_;
  span.end = span.begin + held_size_;
  span.ends_here = false;
  span.end_sequence = step.chunk.sequence + static_cast<std::uint32_t>(span.end - step.position);
  has_frames_ = step.has_frames = true;
  last_frame_ =
      observer.frame(front.first(header), front.subspan(header), held_size_, span, step.chunk);
  seen_ = wait_end_;
  next_ = no_frame_begin_ = span.end;
}

void Lane::lose(std::uint64_t begin, std::uint64_t end, LaneObserver& observer) {
  misses_bytes_ = true;
  observer.lost(begin, end);
}

// What stands at the place where the loop is; something that can be done now, or worth waiting for.
Cut Lane::cut_at(const Step& step, iggy::conversation::DirectionState& state) const {
  const Bytes rest = step.rest();
  const bool is_last = !step.chunk.can_wait || step.is_cut();
  const Cut found = iggy::conversation::cut(rest, state, is_last);
  if (found.kind != CutKind::need || may_wait(step, state.framing, found.bytes)) return found;
  return iggy::conversation::cut(rest, state, true);
}

// One cut. False when nothing more of the chunk can be told now.
bool Lane::cut_once(Step& step, LaneObserver& observer) {
  const Cut cut = cut_at(step, state_);
  const auto rest = static_cast<std::uint32_t>(step.rest().size());
  switch (cut.kind) {
    case CutKind::need:
      wait(step, {step.at, cut.bytes - rest, false, false});
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
      if ((!step.chunk.can_wait || step.is_cut()) && cut.bytes == rest &&
          cut.contradiction == Contradiction::none)
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
bool Lane::may_wait(const Step& step, Framing framing, std::uint32_t wanted) const {
  if (!comes_whole(step, wanted)) return false;
  if (framing != Framing::searching || wanted > iggy::conversation::header_bytes) return true;
  return step.has_frames && !step.gives_up;
}

void Lane::wait(Step& step, const Wait& wanted) {
  const bool is_small = wanted.missing <= iggy::conversation::header_bytes;
  const bool was_count = step.is_awaited && waits_for_count_;
  step.at = wanted.from;
  remember_start(step);
  held_.clear();
  waits_ = true;
  waits_for_count_ = !was_count && (wanted.is_count || !is_small);
  wait_begin_ = step.position + step.at;
  wait_end_ = step.position + step.chunk.reported;
  step.taken.is_ours = step.taken.waits = true;
  step.taken.wait_from = wanted.from;
  step.taken.wait_for = waits_for_count_ ? wanted.missing : 0;
  next_ = seen_ = std::max(next_, wait_begin_);
}

// Keeps what lines, names and outcomes are read from.
void Lane::hold(const Step& step, std::uint32_t size) {
  constexpr std::size_t most = std::size_t{4} << 10;
  const Bytes front = step.rest();
  const Bytes kept = front.first(std::min(front.size(), most));
  held_.assign(kept.begin(), kept.end());
  held_size_ = size;
  held_packet_ = step.chunk.packet;
}

// The frame that begins here is asked about again when there is more of it.
void Lane::remember_start(const Step& step) {
  const std::uint64_t begin = step.position + step.at;
  if (has_start_ && start_.begin == begin) return;
  has_start_ = true;
  start_ = {step.chunk.packet, step.chunk.packet, step.chunk.time, begin, 0, step.acknowledged};
}

bool Lane::take_frame(Step& step, std::uint32_t size, LaneObserver& observer) {
  const std::uint32_t left = step.chunk.reported - step.at;
  if (size > left && comes_whole(step, size)) {
    wait(step, {step.at, size - left, true, false});
    hold(step, size);
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
  span.header_packet = step.chunk.packet;
  span.end = span.begin + size;
  span.ends_here = size <= left;
  span.end_sequence = step.chunk.sequence + static_cast<std::uint32_t>(span.end - step.position);
  has_frames_ = step.has_frames = true;
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
    lose(std::max(next_, step.position + step.chunk.captured.size()), end, observer);
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

// Keeps what was found for later looks, or forgets it where it is left to other dissectors. Later
// looks have to tell chunks apart, so those before one of ours in the same packet are kept too.
void Lane::keep(Step& step) {
  const Taken& taken = step.taken;
  const Mark mark{step.chunk.packet, step.chunk.reported, taken.wait_from,
                  taken.waits,       taken.is_ours,       step.first_piece};
  if (!passed_.empty() && passed_.front().packet != mark.packet) passed_.clear();
  if (!taken.is_ours) {
    pieces_.resize(step.first_piece);
    passed_.push_back(mark);
    return;
  }
  marks_.insert(marks_.end(), passed_.begin(), passed_.end());
  passed_.clear();
  marks_.push_back(mark);
  step.taken.pieces = std::span(pieces_).subspan(step.first_piece);
}

Taken Lane::take_again(std::uint32_t packet, std::uint32_t reported, std::size_t& seen) const {
  const auto first =
      std::lower_bound(marks_.begin(), marks_.end(), packet,
                       [](const Mark& mark, std::uint32_t number) { return mark.packet < number; });
  const auto end =
      std::upper_bound(first, marks_.end(), packet,
                       [](std::uint32_t number, const Mark& mark) { return number < mark.packet; });
  const auto from =
      first + std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(seen), end - first);
  const auto is_same = [reported](const Mark& mark) { return mark.reported == reported; };
  const auto is_shown = [&](const Mark& mark) {
    return (is_same(mark) && (!mark.waits || mark.wait_from != 0)) ||
           (mark.waits && mark.wait_from == reported);
  };
  auto found = std::find_if(from, end, is_shown);
  if (found == end) found = std::find_if(from, end, is_same);
  if (found == end) return {};
  seen = static_cast<std::size_t>(found + 1 - first);
  const std::size_t pieces_end =
      found + 1 == marks_.end() ? pieces_.size() : (found + 1)->first_piece;
  Taken taken;
  taken.is_ours = found->is_ours;
  taken.waits = found->waits && found->wait_from < reported;
  taken.wait_from = found->wait_from;
  taken.pieces = std::span(pieces_).subspan(found->first_piece, pieces_end - found->first_piece);
  return taken;
}

}  // namespace plugin
