// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Bytes of one direction that do not yet tell what they are, with where each of them came from.
//
// A queue of bytes that lies in one piece. Dropping costs nothing until half of it was dropped, so
// that a hostile stream, which is looked at byte by byte, costs no more than its length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "conversation/pairing.hpp"
#include "decode/window.hpp"

namespace analyzer::connection {

using iggy::conversation::no_acknowledgement;
using iggy::decode::Bytes;

// Where a piece of a direction's bytes comes from.
struct Source {
  std::uint64_t packet = 0;
  std::int64_t time = 0;         // nanoseconds since the Unix epoch
  std::uint64_t tcp_offset = 0;  // of the first byte of the piece in its TCP stream
  std::uint64_t acknowledged = no_acknowledgement;  // of the other direction's TCP stream
  // The piece lies in the TCP stream byte by byte. False behind WebSocket framing, where every byte
  // counts as standing at tcp_offset.
  bool is_exact = true;

  // That of the byte `distance` bytes further on.
  Source behind(std::size_t distance) const {
    Source source = *this;
    if (is_exact) source.tcp_offset += distance;
    return source;
  }
  friend bool operator==(const Source&, const Source&) = default;
};

class Carry {
 public:
  bool empty() const { return begin_ == bytes_.size(); }
  std::size_t size() const { return bytes_.size() - begin_; }
  Bytes bytes() const { return Bytes{bytes_}.subspan(begin_); }
  // `position` counts from the front and is below size().
  Source source_at(std::size_t position) const;

  void add(Bytes bytes, const Source& source);
  void drop(std::size_t count);
  void clear();
  std::uint64_t memory() const { return bytes_.capacity() + marks_.capacity() * sizeof(Mark); }

  // Calls `take` with the bytes and the source of each piece, first one first.
  template <class Take>
  void for_each_piece(Take take) const {
    for (std::size_t at = begin_, i = first_mark_; at < bytes_.size(); ++i) {
      const std::size_t end = i + 1 < marks_.size() ? marks_[i + 1].at : bytes_.size();
      take(Bytes{bytes_}.subspan(at, end - at), marks_[i].source.behind(at - marks_[i].at));
      at = end;
    }
  }

 private:
  struct Mark {  // the piece that starts at `at`
    std::size_t at = 0;
    Source source;
  };

  std::vector<std::byte> bytes_;
  std::size_t begin_ = 0;  // those in front of it were dropped
  std::vector<Mark> marks_;
  std::size_t first_mark_ = 0;  // of the piece that holds begin_
};

}  // namespace analyzer::connection
