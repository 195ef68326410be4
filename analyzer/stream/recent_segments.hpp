// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Remembers what the last delivered pieces of a direction were, to tell a retransmission from a
// segment that brings other bytes for the same place.
//
// Delivered bytes are not kept, only a hash of each piece. A later segment is held against those
// pieces that it covers as a whole, which is how TCP sends again.
#pragma once

#include <array>
#include <cstdint>

#include "stream/byte_stream.hpp"

namespace analyzer::stream {

class RecentSegments {
 public:
  void add(std::uint64_t position, Bytes bytes);
  // Whether the bytes at `position` differ from those of a piece that they cover.
  bool differs(std::uint64_t position, Bytes bytes) const;

 private:
  struct Piece {
    std::uint64_t position = 0;
    std::uint32_t length = 0;
    std::uint32_t hash = 0;
  };
  std::array<Piece, 8> pieces_{};
  std::uint32_t next_ = 0;
};

}  // namespace analyzer::stream
