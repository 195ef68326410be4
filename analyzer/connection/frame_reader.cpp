// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The assembly of frames: a carry for bytes that do not yet tell what they are, and a body counter.
#include "connection/frame_reader.hpp"

#include <algorithm>
#include <utility>

namespace analyzer::connection {

using iggy::conversation::Cut;
using iggy::conversation::cut;
using iggy::conversation::CutKind;

namespace {

// Until a frame is recognised, bytes are taken in pieces of this size, so that it stays linear.
constexpr std::size_t search_piece = 4096;

// What a finished frame may leave allocated.
constexpr std::size_t kept_capacity = std::size_t{64} << 10;

}  // namespace

void FrameReader::data(Bytes bytes, const Source& source) {
  Input input{bytes, source};
  while (step(input, false)) {
  }
}

// One step: some body bytes, or one cut. False when the input is used up.
bool FrameReader::step(Input& input, bool at_end) {
  if (in_frame_) {
    if (carry_.empty() && input.bytes.empty()) return false;
    take_body(input);
    return true;
  }
  const Bytes view = view_of(input);
  if (view.empty() || (view.size() < wanted_ && !at_end)) return false;
  const bool is_beginning = state_.framing == Framing::undecided && state_.known_start;
  const Cut next = cut(view, state_, at_end);
  // At a hole there may be too few bytes to tell.
  if (is_beginning && !at_end && state_.framing == Framing::searching) began_otherwise_ = true;
  if (next.kind == CutKind::need) {
    wanted_ = next.bytes;
    if (input.bytes.empty()) return false;
    if (carry_.empty()) keep(input, input.bytes.size());
    return true;
  }
  apply(next, view, input);
  return true;
}

void FrameReader::apply(const Cut& next, Bytes view, Input& input) {
  wanted_ = 0;
  switch (next.kind) {
    case CutKind::frame:
      begin_frame(view, next.bytes, input);
      break;
    case CutKind::skip: {
      const Source at = source_at(0, input);
      left_over_ += next.bytes;
      if (passed_.bytes == 0) passed_ = {0, at.tcp_offset, at.packet};
      passed_.bytes += next.bytes;
      skipped_ = true;
      unread_ = true;
      consume(next.bytes, input);
      if (next.contradiction != Contradiction::none)
        consumer_.contradiction(*this, next.contradiction, at);
      break;
    }
    case CutKind::preamble:
      has_preamble_ = true;
      consume(next.bytes, input);
      break;
    case CutKind::foreign:
      hand_over_foreign(input);
      break;
    case CutKind::need:
      break;
  }
}

// The bytes that `cut` looks at: the input itself where nothing is carried, else the carry with as
// much of the input as it takes to tell.
Bytes FrameReader::view_of(Input& input) {
  if (carry_.empty()) return input.bytes;
  // As long as nothing is recognised, one byte more may be all that is asked for, again and again.
  const bool is_open = state_.framing == Framing::searching || state_.framing == Framing::undecided;
  const std::size_t target = is_open ? (wanted_ / search_piece + 1) * search_piece : wanted_;
  if (carry_.size() < target) keep(input, std::min(input.bytes.size(), target - carry_.size()));
  return carry_.bytes();
}

void FrameReader::keep(Input& input, std::size_t count) {
  carry_.add(input.bytes.first(count), input.source);
  input.drop(count);
}

// Where the byte at `position` of the current view comes from.
Source FrameReader::source_at(std::size_t position, const Input& input) const {
  if (position < carry_.size()) return carry_.source_at(position);
  return input.source.behind(position - carry_.size());
}

// Removes bytes from the front of the view, and remembers where the last of them came from.
void FrameReader::consume(std::size_t count, Input& input) {
  if (count == 0) return;
  last_ = source_at(count - 1, input);
  const std::size_t from_carry = std::min(count, carry_.size());
  if (from_carry != 0) carry_.drop(from_carry);
  input.drop(count - from_carry);
}

void FrameReader::tell_skipped() {
  if (passed_.bytes != 0) consumer_.skipped(*this, std::exchange(passed_, {}));
}

void FrameReader::begin_frame(Bytes view, std::uint32_t size, Input& input) {
  const std::uint32_t header_size = iggy::conversation::header_length(state_.framing);
  const Source first = source_at(0, input);
  tell_skipped();
  if (skipped_) consumer_.found_place(*this, frames_end_, first.tcp_offset);
  skipped_ = false;
  unread_ = false;
  place_ = Place{};
  place_.first_packet = first.packet;
  place_.first_time = first.time;
  place_.begin = first.tcp_offset;
  place_.first_acknowledged = first.acknowledged;
  std::copy_n(view.begin(), header_size, header_.begin());
  header_size_ = header_size;
  size_ = size;
  captured_ = header_size;
  body_left_ = size - header_size;
  body_is_contiguous_ = true;
  body_is_dropped_ = false;
  body_.clear();
  wanted_body_ =
      std::min(consumer_.wanted_body(*this, Bytes{header_}.first(header_size)), size - header_size);
  const Bytes header = Bytes{header_}.first(header_size);
  body_is_shown_ = consumer_.begin_body(*this, header, size - header_size);
  in_frame_ = true;
  consume(header_size, input);
  if (body_left_ == 0) end_frame(last_, {});
}

// Takes what is there of the body. A body that lies in one piece is not copied.
void FrameReader::take_body(Input& input) {
  const Bytes view = carry_.empty() ? input.bytes : carry_.bytes();
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(body_left_, view.size()));
  const Bytes piece = view.first(count);
  const bool is_whole = body_.empty() && body_is_contiguous_ && count == body_left_;
  body_left_ -= count;
  captured_ += static_cast<std::uint32_t>(count);
  if (body_is_shown_ && body_is_contiguous_) consumer_.body(*this, piece);
  if (!is_whole) add_body(piece);
  if (is_whole) {
    // The view outlives the call: `consume` would move the carry, so the frame ends first.
    last_ = source_at(count - 1, input);
    end_frame(last_, piece.first(std::min<std::size_t>(piece.size(), wanted_body_)));
    consume(count, input);
    return;
  }
  consume(count, input);
  if (body_left_ == 0) end_frame(last_, body_);
}

void FrameReader::add_body(Bytes piece) {
  if (!body_is_contiguous_ || body_.size() >= wanted_body_) return;
  const std::size_t count = std::min<std::size_t>(piece.size(), wanted_body_ - body_.size());
  if (!has_room_for(body_.size() + count)) {
    body_is_dropped_ = true;
    wanted_body_ = static_cast<std::uint32_t>(body_.size());
    return;
  }
  body_.insert(body_.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(count));
}

// Room is taken as the bytes come: what a header says of its body may never come.
bool FrameReader::has_room_for(std::size_t size) {
  const std::size_t now = body_.capacity();
  if (size <= now) return true;
  const std::size_t next = std::min<std::size_t>(std::max(size, now * 2), wanted_body_);
  if (!bodies_.take(next - now)) return false;
  body_.reserve(next);
  return true;
}

void FrameReader::free_body() {
  bodies_.give_back(body_.capacity());
  std::vector<std::byte>().swap(body_);
}

void FrameReader::end_frame(const Source& last, Bytes body) {
  in_frame_ = false;
  ++frames_;
  place_.packet = last.packet;
  place_.time = last.time;
  place_.end = last.tcp_offset + 1;
  place_.acknowledged = last.acknowledged;
  frames_end_ = place_.end;
  RawFrame frame;
  frame.framing = state_.framing;
  frame.header = Bytes{header_}.first(header_size_);
  frame.body = {body, size_ - header_size_};
  frame.size = size_;
  frame.captured = captured_;
  frame.is_body_dropped = body_is_dropped_;
  frame.place = place_;
  consumer_.frame(*this, frame);
  if (body_.capacity() > kept_capacity || bodies_.is_tight()) free_body();
}

bool FrameReader::hole(std::uint64_t bytes, const Source& found) {
  if (!in_frame_) finish();  // what waits for more bytes is judged by what is there
  const bool hides_frames = !in_frame_ || bytes > body_left_;
  if (in_frame_) {
    const std::uint64_t of_body = std::min(bytes, body_left_);
    body_is_contiguous_ = false;
    body_left_ -= of_body;
    if (body_left_ == 0) {  // the direction reaches the frame's last byte, captured or not
      Source last = found;
      if (last.is_exact) last.tcp_offset += of_body - 1;
      // What showed the hole was sent later than the bytes in it, and may acknowledge more.
      last.acknowledged = last_.acknowledged;
      place_.end_is_captured = found.packet == last_.packet;
      end_frame(last, body_);
    }
  }
  if (hides_frames) lose();
  return hides_frames;
}

void FrameReader::lose() {
  left_over_ = left_over_bytes();
  in_frame_ = false;
  carry_.clear();
  if (body_.capacity() > kept_capacity) free_body();
  wanted_ = 0;
  skipped_ = true;
  iggy::conversation::lose_place(state_);
}

void FrameReader::restart(const DirectionState& state) {
  state_ = state;
  began_otherwise_ = false;
  passed_ = {};
  in_frame_ = false;
  carry_.clear();
  if (body_.capacity() > kept_capacity) free_body();
  wanted_ = 0;
}

void FrameReader::finish() {
  Input nothing{{}, last_};
  while (step(nothing, true)) {
  }
  if (frames_ != 0) tell_skipped();
}

std::uint64_t FrameReader::left_over_bytes() const {
  return left_over_ + carry_.size() + (in_frame_ ? captured_ : 0);
}

// The consumer may put the bytes through another layer and back into this reader, so nothing of
// them may be held here when it is called.
void FrameReader::hand_over_foreign(Input& input) {
  const Carry carried = std::exchange(carry_, {});
  const Input rest = std::exchange(input, Input{{}, input.source});
  carried.for_each_piece(
      [this](Bytes bytes, const Source& source) { consumer_.foreign(*this, bytes, source); });
  if (!rest.bytes.empty()) consumer_.foreign(*this, rest.bytes, rest.source);
}

}  // namespace analyzer::connection
