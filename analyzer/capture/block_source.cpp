// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The buffer behind the readers. It must not look at what the bytes mean, nor wait for a full block
// when the bytes asked for are there.
#include "capture/block_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace analyzer::capture {

namespace {

ReadError no_memory(std::uint64_t offset, std::size_t wanted) {
  return {ReadError::Kind::memory,
          fmt::format("{} more KiB to read it are not there; raise --memory-limit, or read fewer "
                      "files at a time",
                      (wanted + 1023) / 1024),
          offset};
}

}  // namespace

BlockSource::BlockSource(std::unique_ptr<ByteSource> source, std::size_t block,
                         std::shared_ptr<MemoryPool> pool)
    : source_(std::move(source)), block_(block), room_(std::move(pool)) {
  if (room_.resize(block))
    move_to(block);
  else
    end(no_memory(0, block));
}

BlockSource::BlockSource(Bytes memory) : room_(nullptr), available_(memory) {}

bool BlockSource::skip(std::uint64_t count) {
  for (;;) {
    const auto step =
        static_cast<std::size_t>(std::min(count, static_cast<std::uint64_t>(available_.size())));
    consume(step);
    count -= step;
    if (count == 0) return true;
    if (peek(1).empty()) return false;
  }
}

void BlockSource::fill(std::size_t wanted) {
  if (!source_) return;
  move_to_front(wanted);
  while (available_.size() < wanted) {
    if (available_.size() == capacity_ && !grow(wanted)) return;
    const std::span<std::byte> room(buffer_.get() + available_.size(),
                                    capacity_ - available_.size());
    ReadResult result = source_->read(room);
    if (result.bytes == 0) return end(std::move(result.error));
    available_ = Bytes(buffer_.get(), available_.size() + result.bytes);
  }
}

void BlockSource::end(ReadError error) {
  error_ = std::move(error);
  source_.reset();
}

void BlockSource::move_to_front(std::size_t wanted) {
  // A large record is behind us.
  if (capacity_ > block_ && std::max(available_.size(), wanted) <= block_) {
    move_to(block_);
    room_.resize(block_);
    return;
  }
  if (!available_.empty()) std::memmove(buffer_.get(), available_.data(), available_.size());
  available_ = Bytes(buffer_.get(), available_.size());
}

// For a record of `wanted` bytes, which may never come.
bool BlockSource::grow(std::size_t wanted) {
  const std::size_t larger = std::max(capacity_ + block_, std::min(capacity_ * 2, wanted));
  // While the bytes are copied both buffers are there.
  if (!room_.resize(capacity_ + larger)) {
    end(no_memory(offset_, larger));
    return false;
  }
  move_to(larger);
  room_.resize(larger);
  return true;
}

void BlockSource::move_to(std::size_t capacity) {
  auto buffer = std::make_unique_for_overwrite<std::byte[]>(capacity);
  if (!available_.empty()) std::memcpy(buffer.get(), available_.data(), available_.size());
  buffer_ = std::move(buffer);
  capacity_ = capacity;
  available_ = Bytes(buffer_.get(), available_.size());
}

}  // namespace analyzer::capture
