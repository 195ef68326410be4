// SPDX-License-Identifier: GPL-2.0-or-later
//
// Frames of one direction of a connection, cut out of the pieces that Wireshark hands over.
//
// On the first pass over a capture bytes come in the order of packets; what is found in each packet
// is kept, and every later look at the packet repeats it, in whatever order packets are looked at.
// Where frames begin is decided by conversation/framing.hpp. No epan here: nothing can longjmp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "conversation/framing.hpp"
#include "conversation/pairing.hpp"
#include "decode/window.hpp"

namespace plugin {

using iggy::conversation::Framing;
using iggy::decode::Bytes;

// What Wireshark hands over at once: a segment, several of them put together, or a message.
struct Chunk {
  Bytes captured;
  std::uint32_t reported = 0;  // bytes as sent, never below those captured
  bool can_wait = false;       // the carrier brings more bytes when it is asked to
  std::uint32_t packet = 0;
  std::int64_t time = 0;  // nanoseconds since the Unix epoch
  // TCP: sequence number of the first byte, and the acknowledgement of the packet. Both count from
  // the start of their direction, where the SYN is 0.
  bool has_sequence = false;
  bool is_put_together = false;  // of several segments
  std::uint32_t sequence = 0;
  std::uint32_t acknowledgement = 0;
  bool begins_stream = false;  // its first byte is the first of the direction
  bool misses_start = false;   // it is not, though the handshake was captured
};

enum class PieceKind : std::uint8_t {
  frame,
  continuation,  // more of a frame whose header stands in an earlier packet
  preamble,      // of a replica link of 0.12
  no_frame,      // bytes that belong to none, or to one whose header is not there
};

struct Piece {
  PieceKind kind = PieceKind::no_frame;
  iggy::conversation::Contradiction contradiction = iggy::conversation::Contradiction::none;
  std::uint32_t length = 0;  // bytes as sent that it takes of its chunk
  std::size_t frame = 0;     // index of a frame, or of the one continued, in the link
};

// Where a frame lies in the streams of both directions.
struct Span {
  std::uint32_t first_packet = 0;
  std::uint32_t header_packet = 0;  // holds the last byte of the header
  std::int64_t first_time = 0;
  std::uint64_t begin = 0;         // offset of the first byte in its direction
  std::uint64_t end = 0;           // behind the last byte
  std::uint64_t acknowledged = 0;  // of the other direction, by the packet of the first byte
  std::uint32_t end_sequence = 0;  // TCP's number of `end`
  bool ends_here = true;           // the chunk reaches the last byte, captured or not
};

// Is told of what a lane finds, and says which index a frame has.
class LaneObserver {
 public:
  virtual ~LaneObserver() = default;
  virtual std::size_t frame(Bytes header, Bytes body, std::uint32_t size, const Span& span,
                            const Chunk& chunk) = 0;
  // A frame that reached beyond its chunk ends in this one.
  virtual void ended(std::size_t frame, const Chunk& chunk) = 0;
  // Bytes [begin, end) are missing, or belong to nothing that is known, and frames may be among
  // them.
  virtual void lost(std::uint64_t begin, std::uint64_t end) = 0;
};

// How much of a chunk is ours.
struct Taken {
  bool is_ours = false;
  // More bytes are wanted: those from `wait_from` on, and `wait_for` more. 0: as many as come next.
  bool waits = false;
  std::uint32_t wait_from = 0;
  std::uint32_t wait_for = 0;
  std::span<const Piece> pieces;  // valid until the next chunk
};

// Positions of one direction: TCP's 32-bit numbers wrap every 4 GiB.
class SequenceSpace {
 public:
  // The place of a sequence number. What was sent moves the space on; what is acknowledged does
  // not, so that wrong acknowledgements do no harm.
  std::uint64_t position(std::uint32_t sequence);
  std::uint64_t position_of_acknowledged(std::uint32_t sequence);
  // From here on `sequence` stands at `position`.
  void place(std::uint32_t sequence, std::uint64_t position);
  std::uint32_t sequence_of(std::uint64_t position) const {
    return sequence_ + static_cast<std::uint32_t>(position - position_);
  }

 private:
  bool is_known_ = false;
  std::uint32_t sequence_ = 0;
  std::uint64_t position_ = 0;
};

class Lane {
 public:
  // The first look at a chunk.
  Taken take(const Chunk& chunk, SequenceSpace& acknowledged, LaneObserver& observer);
  // Most bytes that the snap length left of a chunk of this connection; 0 where it cut none. What
  // is longer does not come whole, so it is not waited for.
  void expect_cuts_at(std::uint32_t length) { cut_length_ = length; }

  // A later look at a chunk of so many bytes, as sent. A packet may hold several chunks; `seen`
  // counts those that were looked at in this look at the packet. Wireshark hands over no chunk that
  // was not enough, and only the front of one whose end was not.
  Taken take_again(std::uint32_t packet, std::uint32_t reported, std::size_t& seen) const;

  iggy::conversation::DirectionState& state() { return state_; }
  const iggy::conversation::DirectionState& state() const { return state_; }
  SequenceSpace& sequences() { return sequences_; }
  // TCP's number of the byte behind all that was seen.
  std::uint32_t end_sequence() const { return sequences_.sequence_of(seen_); }
  bool was_heard() const { return was_heard_; }
  bool has_frames() const { return has_frames_; }
  // Bytes behind the last frame belong to none, so they may hold frames that were not recognised.
  bool has_unread_bytes() const { return skipped_; }
  bool has_preamble() const { return has_preamble_; }
  // Some bytes were not handed over, so far: they were not captured, or Wireshark keeps them.
  bool misses_bytes() const { return misses_bytes_ || waits_; }

 private:
  // A chunk that was looked at.
  struct Mark {
    std::uint32_t packet = 0;
    std::uint32_t reported = 0;
    std::uint32_t wait_from = 0;
    bool waits = false;
    bool is_ours = false;
    std::size_t first_piece = 0;
  };
  struct Step;
  struct Wait;
  std::uint64_t place(const Chunk& chunk);
  void meet(Step& step, LaneObserver& observer);
  void take_held(Step& step, LaneObserver& observer);
  void lose(std::uint64_t begin, std::uint64_t end, LaneObserver& observer);
  bool take_up(Step& step);
  bool cut_once(Step& step, LaneObserver& observer);
  iggy::conversation::Cut cut_at(const Step& step, iggy::conversation::DirectionState& state) const;
  Wait look_ahead(Step step) const;
  bool take_frame(Step& step, std::uint32_t size, LaneObserver& observer);
  void end_chunk(const Step& step, LaneObserver& observer);
  void keep(Step& step);
  bool comes_whole(const Step& step, std::uint32_t wanted) const;
  bool may_wait(const Step& step, Framing framing, std::uint32_t wanted) const;
  void wait(Step& step, const Wait& wanted);
  void hold(const Step& step, std::uint32_t size);
  void remember_start(const Step& step);
  void add(Step& step, const Piece& piece);

  iggy::conversation::DirectionState state_;
  SequenceSpace sequences_;
  bool was_heard_ = false;
  bool has_frames_ = false;
  bool has_preamble_ = false;
  bool misses_bytes_ = false;
  std::uint64_t next_ = 0;  // position of the next byte that belongs to nothing yet
  std::uint64_t seen_ = 0;  // [seen_, next_): bytes of the last frame that are yet to come
  std::size_t last_frame_ = 0;
  std::uint64_t no_frame_begin_ = 0;  // position behind the last frame
  bool skipped_ = false;              // and bytes without a frame follow it
  std::uint32_t cut_length_ = 0;
  Span start_;  // of the frame that waits for its last byte
  bool has_start_ = false;
  bool waits_ = false;            // more bytes were asked for
  bool waits_for_count_ = false;  // and their number was told
  std::uint64_t wait_begin_ = 0;  // position of the first that will be handed over again
  std::uint64_t wait_end_ = 0;    // and behind the chunk that was not enough
  std::vector<std::byte> held_;   // the front of the frame that is waited for, if it is one
  std::uint32_t held_size_ = 0;   // of all of it
  std::uint32_t held_packet_ = 0;
  std::vector<Mark> marks_;  // in order of packets
  std::vector<Piece> pieces_;
  std::vector<Mark> passed_;  // chunks of the last packet that were left to other dissectors
};

}  // namespace plugin
