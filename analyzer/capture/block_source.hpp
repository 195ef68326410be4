// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Input read in blocks and looked at in place.
//
// Records are handed out as views into one buffer. Bytes are copied only when a record straddles
// the end of what has been read. The buffer grows only for a record larger than itself, and only as
// its bytes arrive, so that a length in a file never decides how much memory is taken; and it
// shrinks behind it. What it takes is taken from the pool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "capture/byte_source.hpp"
#include "capture/packet.hpp"
#include "capture/reservation.hpp"

namespace analyzer::capture {

class BlockSource {
 public:
  static constexpr std::size_t block_bytes = std::size_t{256} << 10;

  // Without a pool everything is granted.
  explicit BlockSource(std::unique_ptr<ByteSource> source, std::size_t block = block_bytes,
                       std::shared_ptr<MemoryPool> pool = {});
  // Looks at memory in place; `memory` must outlive this.
  explicit BlockSource(Bytes memory);

  // Everything that has been read and not been consumed: at least `wanted` bytes, or fewer only
  // where the input ends. The view is valid until the next call of `peek` or `skip`.
  Bytes peek(std::size_t wanted) {
    if (available_.size() < wanted) fill(wanted);
    return available_;
  }

  // Steps over bytes that `peek` showed; the view of them stays valid.
  void consume(std::size_t count) {
    available_ = available_.subspan(count);
    offset_ += count;
  }

  // Steps over bytes without keeping them. False where the input ends before that.
  bool skip(std::uint64_t count);

  // How many bytes have been consumed or skipped.
  std::uint64_t offset() const { return offset_; }

  // Why reading stopped before the end, when it did.
  const ReadError& error() const { return error_; }

 private:
  void fill(std::size_t wanted);
  void move_to_front(std::size_t wanted);
  bool grow(std::size_t wanted);
  void move_to(std::size_t capacity);
  void end(ReadError error);

  std::unique_ptr<ByteSource> source_;   // null once the input has ended
  std::unique_ptr<std::byte[]> buffer_;  // none when looking at memory
  std::size_t capacity_ = 0;
  std::size_t block_ = 0;  // least capacity
  Reservation room_;       // for the buffer
  Bytes available_;        // inside buffer_, or the rest of the memory
  std::uint64_t offset_ = 0;
  ReadError error_;
};

}  // namespace analyzer::capture
