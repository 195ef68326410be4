// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The frames of WebSocket. The HTTP head before them is read in websocket_upgrade.cpp.
#include "stream/websocket.hpp"

#include <algorithm>
#include <cstring>

namespace analyzer::stream::websocket {
namespace {

// Large enough to make the calls rare, small enough for the stack.
constexpr std::size_t unmask_piece = 2048;

constexpr std::uint8_t length_16 = 126;
constexpr std::uint8_t length_64 = 127;

bool is_known(std::uint8_t opcode) {
  return opcode <= 2 || (opcode >= 8 && opcode <= 10);
}

}  // namespace

void MessageDecoder::data(Bytes bytes, const Origin& origin) {
  while (!bytes.empty()) {
    std::size_t taken = bytes.size();
    switch (state_) {
      case State::header:
        taken = take_header(bytes, origin);
        break;
      case State::payload:
        taken = take_payload(bytes, origin);
        break;
      case State::lost:
        undecoded_bytes_ += bytes.size();
        break;
    }
    bytes = bytes.subspan(taken);
  }
}

void MessageDecoder::hole(std::uint64_t bytes, HoleKind kind, const Origin& found) {
  if (state_ == State::payload && bytes != 0) {
    const std::uint64_t inside = std::min(bytes, length_ - position_);
    position_ += inside;
    bytes -= inside;
    control_complete_ = false;
    if (!is_control() && !skipped_) sink_.payload_hole(inside, kind, found);
    if (position_ == length_) end_frame(found);
  }
  if (bytes != 0 && state_ != State::lost) lose(found);
}

std::size_t MessageDecoder::take_header(Bytes bytes, const Origin& origin) {
  std::size_t taken = 0;
  while (taken < bytes.size() && header_size_ < needed_header())
    header_[header_size_++] = bytes[taken++];
  if (header_size_ == needed_header()) begin_frame(origin);
  return taken;
}

// How long the header is, as far as its first two bytes are here to tell.
std::size_t MessageDecoder::needed_header() const {
  if (header_size_ < 2) return 2;
  const unsigned form = header_byte(1) & 0x7fU;
  const std::size_t length_bytes = form == length_16 ? 2 : form == length_64 ? 8 : 0;
  return 2 + length_bytes + (is_masked() ? 4 : 0);
}

std::uint64_t MessageDecoder::claimed_length() const {
  const std::uint64_t form = header_byte(1) & 0x7fU;
  if (form < length_16) return form;
  const std::size_t count = form == length_16 ? 2 : 8;
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < count; ++i) length = length << 8 | header_byte(2 + i);
  return length;
}

void MessageDecoder::begin_frame(const Origin& origin) {
  length_ = claimed_length();
  position_ = 0;
  control_size_ = 0;
  control_complete_ = true;
  skipped_ = false;
  if (is_masked()) std::copy_n(header_.begin() + (header_size_ - 4), mask_.size(), mask_.begin());
  header_size_ = 0;
  if (length_ >> 63 != 0) {
    sink_.problem(Problem::length_too_large, origin);
    lose(origin);
    return;
  }
  check_frame(origin);
  if (!is_control() && !skipped_) begin_message(origin);
  state_ = State::payload;
  if (length_ == 0) end_frame(origin);
}

void MessageDecoder::check_frame(const Origin& origin) {
  const unsigned form = header_byte(1) & 0x7fU;
  if (has_reserved_bits()) sink_.problem(Problem::reserved_bits, origin);
  if ((form == length_16 && length_ < length_16) || (form == length_64 && length_ <= 0xffff))
    sink_.problem(Problem::length_not_minimal, origin);
  if (from_client_ && !is_masked()) sink_.problem(Problem::unmasked_client_frame, origin);
  if (!from_client_ && is_masked()) sink_.problem(Problem::masked_server_frame, origin);
  if (!is_known(opcode())) {
    sink_.problem(Problem::unknown_opcode, origin);
    skipped_ = true;
  }
  if (!is_control()) return;
  if (!is_final()) sink_.problem(Problem::fragmented_control_frame, origin);
  if (length_ > longest_control) {
    sink_.problem(Problem::control_frame_too_long, origin);
    skipped_ = true;
  }
}

void MessageDecoder::begin_message(const Origin& origin) {
  const bool continues = opcode() == 0;
  if (continues && in_message_) return;
  if (continues) sink_.problem(Problem::continuation_without_start, origin);
  if (in_message_) {
    sink_.problem(Problem::message_interrupted, origin);
    sink_.end(false, origin);
  }
  in_message_ = true;
  sink_.begin({Opcode{opcode()}, is_masked(), has_reserved_bits()}, origin);
}

std::size_t MessageDecoder::take_payload(Bytes bytes, const Origin& origin) {
  const Bytes mine = bytes.first(std::min<std::uint64_t>(bytes.size(), length_ - position_));
  hand_on(mine, origin);
  if (position_ == length_) end_frame(origin);
  return mine.size();
}

void MessageDecoder::hand_on(Bytes bytes, const Origin& origin) {
  if (skipped_) {
    position_ += bytes.size();
  } else if (is_control()) {
    // No longer than `longest_control`, else the frame would be skipped.
    unmask(bytes, control_.data() + control_size_);
    control_size_ = static_cast<std::uint8_t>(control_size_ + bytes.size());
    position_ += bytes.size();
  } else if (!is_masked()) {
    position_ += bytes.size();
    sink_.payload(bytes, origin);
  } else {
    std::array<std::byte, unmask_piece> piece{};
    while (!bytes.empty()) {
      const std::size_t size = std::min(bytes.size(), piece.size());
      unmask(bytes.first(size), piece.data());
      position_ += size;
      sink_.payload(Bytes{piece.data(), size}, origin);
      bytes = bytes.subspan(size);
    }
  }
}

void MessageDecoder::unmask(Bytes from, std::byte* to) const {
  if (!is_masked()) {
    if (!from.empty()) std::memcpy(to, from.data(), from.size());
    return;
  }
  // The mask as it falls on the next eight bytes; eight is a multiple of its length.
  std::array<std::byte, 8> pattern{};
  for (std::size_t i = 0; i < pattern.size(); ++i) pattern[i] = mask_[(position_ + i) % 4];
  std::uint64_t pattern_word = 0;
  std::memcpy(&pattern_word, pattern.data(), pattern.size());
  std::size_t done = 0;
  for (; done + sizeof pattern_word <= from.size(); done += sizeof pattern_word) {
    std::uint64_t word = 0;
    std::memcpy(&word, from.data() + done, sizeof word);
    word ^= pattern_word;
    std::memcpy(to + done, &word, sizeof word);
  }
  for (; done < from.size(); ++done) to[done] = from[done] ^ pattern[done % 8];
}

void MessageDecoder::end_frame(const Origin& origin) {
  state_ = State::header;
  if (is_control()) {
    if (!skipped_) end_control(origin);
  } else if (is_final() && !skipped_) {
    in_message_ = false;
    sink_.end(true, origin);
  }
}

void MessageDecoder::end_control(const Origin& origin) {
  ControlFrame frame;
  frame.opcode = Opcode{opcode()};
  frame.masked = is_masked();
  frame.complete = control_complete_;
  frame.length = length_;
  if (frame.complete) frame.payload = Bytes{control_.data(), control_size_};
  if (frame.opcode == Opcode::close && frame.complete) {
    if (control_size_ == 1) sink_.problem(Problem::close_payload_of_one_byte, origin);
    if (control_size_ >= 2) {
      const auto high = std::to_integer<unsigned>(control_[0]);
      const auto low = std::to_integer<unsigned>(control_[1]);
      frame.close_code = static_cast<std::uint16_t>(high << 8 | low);
      const auto* const text = reinterpret_cast<const char*>(control_.data());
      frame.close_reason = {text + 2, std::size_t{control_size_} - 2};
    }
  }
  sink_.control(frame, origin);
}

void MessageDecoder::lose(const Origin& origin) {
  state_ = State::lost;
  if (in_message_) sink_.end(false, origin);
  in_message_ = false;
  sink_.lost(origin);
}

}  // namespace analyzer::stream::websocket
