// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Puts the segments of ONE direction of one connection in order and names what is missing.
//
// Segments that arrive in order are handed on without a copy; others wait in an ordered map, so
// that a segment costs O(log n) in any order. It knows neither connections nor roles nor limits on
// memory: its owner asks it to give a hole up.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "stream/byte_stream.hpp"
#include "stream/recent_segments.hpp"

namespace analyzer::stream {

// Positions are sequence numbers unwrapped to 64 bits; their low 32 bits are the sequence number.
// Offsets are positions counted from a base that never moves; see ByteSink.
class Orderer {
 public:
  // Numbers so far past what was seen are taken at their word in any case: the capture may miss
  // bytes, and what allowed them.
  static constexpr std::uint64_t least_reach = std::uint64_t{1} << 20;
  // The offset of a start that is not firm: bytes further below it have no place.
  static constexpr std::uint64_t soft_start = std::uint64_t{1} << 20;

  class Output {
   public:
    virtual ~Output() = default;
    virtual void data(std::uint64_t offset, Bytes bytes, const Origin& origin) = 0;
    virtual void hole(const Hole& hole) = 0;
    // Bytes below a start that was told already; see ByteSink.
    virtual void late(const Hole& hole) = 0;
    virtual void finished(bool reset, const Origin& origin) = 0;
    // The bytes have to wait for those of the other direction that their sender had seen.
    virtual bool precedes(const Origin& origin) const = 0;
    // The owner tells the end, in its order, once bytes of the other direction wait no more.
    virtual bool keeps_end() const = 0;
  };

  // When a hole that the peer acknowledged is declared; see Limits.
  struct Patience {
    std::uint64_t bytes = 0;
    std::int64_t time = 0;
  };

  struct Counts {
    std::uint64_t delivered = 0;
    std::uint64_t missing = 0;
    std::uint64_t retransmitted = 0;
    std::uint64_t late = 0;  // captured, but below a start that was told already
    std::uint32_t holes = 0;
    std::uint32_t overlaps_that_differ = 0;
    std::uint32_t outside = 0;  // segments with bytes or a FIN where the stream cannot be
  };

  struct Segment {
    std::uint64_t position = 0;
    Bytes payload;             // as captured
    std::uint32_t length = 0;  // as sent, 0 < length
    Origin origin;
    std::int64_t now = 0;  // the tracker's clock, which never steps back
  };

  // The stream begins at `sequence`. It is `firm` when a SYN says so; otherwise the peer
  // acknowledged what lies below, and bytes that turn up before it may still move it, as long as
  // nothing was told. Without effect afterwards.
  void start(std::uint32_t sequence, bool firm);
  bool started() const { return started_; }
  // Nothing came yet, and the start is only what the peer acknowledged. `begin` is then to be told
  // where the first byte or FIN lies: too far away for bytes in flight, it is the start itself.
  bool tentative() const { return !firm_ && !waiting() && untouched(); }
  // True: it is.
  bool begin(std::uint32_t sequence);
  // Bytes that turn up earlier still move the start.
  bool has_open_start() const { return started_ && !firm_ && untouched(); }

  // Between `hold` and `release` all bytes are kept and nothing is told, so that an open start can
  // move. Afterwards the owner tells what is ready, so that both directions come as captured.
  void hold() { held_ = true; }
  void release() { held_ = false; }
  // What is next, where nothing is missing before it.
  const Origin* ready() const;
  void tell_ready(Output& output);  // needs something ready, and tells it in any case

  // The position closest to where the stream stands. Needs a start, as everything below does.
  std::uint64_t position(std::uint32_t sequence) const;
  std::uint64_t offset(std::uint64_t position) const;
  std::uint64_t told_offset() const { return next_ - base_; }
  // The sequence number of offset 0.
  std::uint32_t base_sequence() const { return static_cast<std::uint32_t>(base_); }
  std::uint64_t start_position() const { return start_; }
  // How far the stream is known to have come, by its bytes or by the peer's word.
  std::uint64_t reference() const { return next_ > acknowledged_ ? next_ : acknowledged_; }
  std::uint64_t highest() const;  // as reference(), with what waits above holes
  // The receiver's window reaches up to `position`.
  void allow(std::uint64_t position) { allowed_ = position > allowed_ ? position : allowed_; }
  // Numbers past it need another segment that agrees with them.
  std::uint64_t reach() const;
  // The peer acknowledges what lies beyond reach. True: not for the first time.
  bool is_claimed_again(std::uint64_t position);

  void segment(const Segment& segment, Output& output);
  // The FIN or RST lies at `position`. False: bytes past it, or another end, were seen before.
  bool end(std::uint64_t position, bool reset, const Origin& origin, std::int64_t now,
           Output& output);
  // The peer acknowledged everything below `position`, which may count the FIN.
  void acknowledge(std::uint64_t position, const Origin& origin, std::int64_t now);

  // Declares the holes that were acknowledged and waited for long enough. `more` are later bytes
  // elsewhere that wait for the first of them.
  void declare_due(const Patience& patience, std::uint64_t more, std::int64_t now, Output& output);
  std::optional<std::int64_t> due(const Patience& patience) const;  // when the first hole is

  // Gives up the first hole for lack of memory. Needs has_gap() and buffered() > 0.
  void give_up(Output& output);
  // Nothing more will come. Every piece that waits and every hole is told, also the hole that only
  // the end or (with `captured`, when any segment of this direction was) an acknowledgement shows;
  // one at a time, so that both directions can be told in the order of the capture.
  //
  // Where the next of them stands in that order; nothing when all is told.
  std::optional<std::uint64_t> unsettled(bool captured) const;
  void settle_next(Output& output);  // needs something unsettled

  bool waiting() const { return buffer_ != nullptr || (next_ < end_ && end_ != no_end); }
  bool has_gap() const { return waiting() && next_ < gap_end(); }
  // What is next waits, and nothing is missing before it; and how many bytes wait because of it.
  bool is_stalled() const { return buffer_ != nullptr && next_ == gap_end(); }
  std::uint64_t stalled_length() const { return is_stalled() ? buffer_->length : 0; }
  std::int64_t waits_since() const { return gap_since(); }  // needs waiting()
  std::uint64_t buffered() const { return buffer_ ? buffer_->cost : 0; }
  std::uint64_t buffered_length() const { return buffer_ ? buffer_->length : 0; }
  std::uint64_t acknowledged() const { return acknowledged_; }
  std::uint64_t acknowledged_bytes() const {
    return acknowledged_ > start_ ? acknowledged_ - start_ : 0;
  }
  const Counts& counts() const { return counts_; }
  bool has_end() const { return end_ != no_end; }
  std::uint64_t end_position() const { return end_; }
  bool finished() const { return finished_; }
  bool was_reset() const { return reset_; }
  const Origin& end_origin() const { return end_origin_; }

 private:
  static constexpr std::uint64_t no_end = ~std::uint64_t{0};

  struct Piece {
    std::vector<std::byte> bytes;
    std::uint32_t length = 0;  // as sent; never below bytes.size()
    Origin origin;
    // When it came or what lies below it was acknowledged, whichever was later.
    std::int64_t since = 0;
  };
  struct Buffer {
    std::map<std::uint64_t, Piece> pieces;  // by position; they never overlap
    std::uint64_t cost = 0;                 // in bytes of memory, about
    std::uint64_t length = 0;               // of all pieces, as sent
  };

  void out_of_order(Segment segment, Output& output);
  bool fits(Segment& segment, Output& output);
  void tell_late(const Segment& segment, Output& output);
  void keep(const Segment& segment);
  void keep_part(const Segment& segment, std::uint64_t from, std::uint64_t to);
  void compare(const Segment& segment, std::uint64_t from, std::uint64_t to,
               const std::pair<const std::uint64_t, Piece>& kept);
  void deliver(Bytes bytes, std::uint32_t length, const Origin& origin, Output& output);
  void deliver_first_piece(Output& output);
  void drain(Output& output);
  void finish_if_complete(Output& output);
  void tell_end(Output& output);
  void pass_hole(std::uint64_t to, HoleKind kind, const Origin& found, Output& output);
  bool complete() const { return !buffer_ && (finished_ || !has_end()); }
  bool untouched() const { return counts_.delivered == 0 && counts_.missing == 0 && !finished_; }
  // The first hole ends here; only while waiting().
  std::uint64_t gap_end() const { return buffer_ ? buffer_->pieces.begin()->first : end_; }
  const Origin& gap_origin() const;
  std::int64_t gap_since() const;

  std::uint64_t base_ = 0;  // of offsets; not above start_
  std::uint64_t start_ = 0;
  std::uint64_t lowest_ = 0;  // what lies below it was neither told nor named as late
  std::uint64_t next_ = 0;    // the first byte neither delivered nor declared missing
  std::uint64_t acknowledged_ = 0;
  std::uint64_t allowed_ = 0;
  std::uint64_t claimed_ = 0;  // the last acknowledgement beyond reach
  std::uint64_t end_ = no_end;
  std::unique_ptr<Buffer> buffer_;  // null unless a piece waits: most directions never need one
  std::uint64_t acknowledging_packet_ = 0;
  std::int64_t acknowledging_time_ = 0;
  Origin end_origin_;
  std::int64_t end_since_ = 0;  // as Piece::since
  Counts counts_;
  RecentSegments recent_;
  bool started_ = false;
  bool firm_ = false;
  bool held_ = false;
  bool reset_ = false;
  bool finished_ = false;
};

}  // namespace analyzer::stream
