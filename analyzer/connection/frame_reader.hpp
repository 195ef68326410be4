// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Pushes the ordered bytes of one direction through the core's `cut` and assembles frames.
//
// Where a frame begins and ends is decided by conversation/framing.hpp alone. Bodies are kept only
// as far as the consumer asks, and not copied when they lie in one piece; a hole inside a known
// body costs nothing but its bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "capture/memory.hpp"
#include "connection/carry.hpp"
#include "conversation/framing.hpp"
#include "decode/window.hpp"
#include "stream/tcp.hpp"

namespace analyzer::connection {

using iggy::conversation::Contradiction;
using iggy::conversation::DirectionState;
using iggy::conversation::Framing;
using iggy::decode::Window;

// Where a frame lies.
struct Place {
  std::uint64_t first_packet = 0;  // holds the first byte
  std::uint64_t packet = 0;        // holds the last byte
  std::int64_t first_time = 0;
  std::int64_t time = 0;
  // False where the last byte lies in a hole: packet and time are those of what showed the hole.
  bool end_is_captured = true;
  std::uint64_t begin = 0;  // TCP offset of the first byte
  std::uint64_t end = 0;  // TCP offset behind the last byte, or less where it is not known exactly
  std::uint64_t first_acknowledged = no_acknowledgement;  // by the packet of the first byte
  std::uint64_t acknowledged = no_acknowledgement;        // by the packet of the last byte
};

// One frame as it was found. Its views are valid only during the call.
struct RawFrame {
  Framing framing = Framing::frames;
  Bytes header;
  Window body;                   // the front of it, as far as it was captured and asked for
  std::uint32_t size = 0;        // as its header says, in bytes
  std::uint32_t captured = 0;    // bytes of the frame that were captured
  bool is_body_dropped = false;  // its end was captured and asked for, and not kept
  Place place;
};

// Captured bytes that belong to no frame and were passed over until the next one was found.
struct Skipped {
  std::uint64_t bytes = 0;
  std::uint64_t offset = 0;  // of the first of them in the TCP stream
  std::uint64_t packet = 0;  // that holds it
};

class FrameReader;

class FrameConsumer {
 public:
  virtual ~FrameConsumer() = default;
  // How many bytes of the body behind this header to keep.
  virtual std::uint32_t wanted_body(const FrameReader& from, Bytes header) = 0;
  // A frame with this header begins, and so many bytes of body follow. True to be shown them as
  // they come, besides those that are kept.
  virtual bool begin_body(FrameReader&, Bytes /*header*/, std::uint32_t /*size*/) { return false; }
  // The next bytes of that body. None come behind a hole in it.
  virtual void body(FrameReader&, Bytes) {}
  virtual void frame(FrameReader& from, const RawFrame& frame) = 0;
  // A frame was found at TCP offset `end` behind bytes that belong to none: from `begin` on others
  // may have been lost.
  virtual void found_place(FrameReader& from, std::uint64_t begin, std::uint64_t end) = 0;
  // Of directions with frames only. Holes may lie between the bytes.
  virtual void skipped(FrameReader& from, const Skipped& skipped) = 0;
  // A direction that was in step no longer is.
  virtual void contradiction(FrameReader& from, Contradiction why, const Source& source) = 0;
  // Bytes of another protocol, from the first one on.
  virtual void foreign(FrameReader& from, Bytes bytes, const Source& source) = 0;
};

class FrameReader {
 public:
  // Bodies are kept as far as the pool has room, which all readers of a run share.
  FrameReader(FrameConsumer& consumer, capture::MemoryPool& bodies)
      : consumer_(consumer), bodies_(bodies) {}
  ~FrameReader() { free_body(); }
  FrameReader(const FrameReader&) = delete;
  FrameReader& operator=(const FrameReader&) = delete;

  // Contiguous with what came before.
  void data(Bytes bytes, const Source& source);
  // `bytes` of this direction are missing; `found` is what showed it. True when a frame may have
  // begun among them.
  bool hole(std::uint64_t bytes, const Source& found);
  // Where the next frame begins cannot be known any more.
  void lose();
  // What follows stands behind another layer than what came before.
  void restart(const DirectionState& state);
  // No more bytes will come.
  void finish();

  DirectionState& state() { return state_; }
  const DirectionState& state() const { return state_; }
  std::uint64_t left_over_bytes() const;
  // What is kept, bodies apart.
  std::uint64_t memory() const { return carry_.memory(); }
  std::uint64_t frames() const { return frames_; }
  bool has_preamble() const { return has_preamble_; }
  // The stream is known to begin with bytes that no frame begins with.
  bool began_otherwise() const { return began_otherwise_; }
  // Bytes since the last frame belong to none, so they may hold frames that were not recognised.
  bool has_unread_bytes() const { return unread_; }

 private:
  struct Input {
    Bytes bytes;
    Source source;
    void drop(std::size_t count) {
      bytes = bytes.subspan(count);
      source = source.behind(count);
    }
  };
  bool step(Input& input, bool at_end);
  void apply(const iggy::conversation::Cut& next, Bytes view, Input& input);
  Bytes view_of(Input& input);
  void keep(Input& input, std::size_t count);
  void consume(std::size_t count, Input& input);
  Source source_at(std::size_t position, const Input& input) const;
  void tell_skipped();
  void begin_frame(Bytes view, std::uint32_t size, Input& input);
  void take_body(Input& input);
  void add_body(Bytes piece);
  bool has_room_for(std::size_t size);
  void free_body();
  void end_frame(const Source& last, Bytes whole_body);
  void hand_over_foreign(Input& input);

  FrameConsumer& consumer_;
  capture::MemoryPool& bodies_;
  DirectionState state_;
  Carry carry_;
  std::size_t wanted_ = 0;        // bytes that it takes to tell
  Source last_;                   // of the last byte consumed
  std::uint64_t frames_end_ = 0;  // TCP offset behind the last frame
  std::uint64_t left_over_ = 0;
  Skipped passed_;  // since the last frame, not told yet
  std::uint64_t frames_ = 0;
  bool skipped_ = false;  // bytes were left over since the last frame
  bool unread_ = false;   // some of them were captured
  bool has_preamble_ = false;
  bool began_otherwise_ = false;

  // The frame whose body is being read.
  bool in_frame_ = false;
  bool body_is_contiguous_ = true;
  bool body_is_shown_ = false;  // to the consumer, as it comes
  bool body_is_dropped_ = false;
  std::uint32_t size_ = 0;
  std::uint32_t header_size_ = 0;
  std::uint64_t body_left_ = 0;
  std::uint32_t captured_ = 0;
  std::uint32_t wanted_body_ = 0;
  Place place_;
  std::array<std::byte, iggy::conversation::header_bytes> header_{};
  std::vector<std::byte> body_;
};

}  // namespace analyzer::connection
