// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The buffer behind the readers. It must not look at what the bytes mean, nor wait for a full block
// when the bytes asked for are there.
#include "capture/block_source.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace analyzer::capture {

BlockSource::BlockSource(std::unique_ptr<ByteSource> source, std::size_t block)
    : source_(std::move(source)),
      buffer_(std::make_unique_for_overwrite<std::byte[]>(block)),
      capacity_(block) {}

BlockSource::BlockSource(Bytes memory) : available_(memory) {}

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
  move_to_front();
  while (available_.size() < wanted) {
    if (available_.size() == capacity_) grow();
    const std::span<std::byte> room(buffer_.get() + available_.size(),
                                    capacity_ - available_.size());
    ReadResult result = source_->read(room);
    if (result.bytes == 0) {
      error_ = std::move(result.error);
      source_.reset();
      return;
    }
    available_ = Bytes(buffer_.get(), available_.size() + result.bytes);
  }
}

void BlockSource::move_to_front() {
  if (!available_.empty()) std::memmove(buffer_.get(), available_.data(), available_.size());
  available_ = Bytes(buffer_.get(), available_.size());
}

void BlockSource::grow() {
  auto larger = std::make_unique_for_overwrite<std::byte[]>(capacity_ * 2);
  std::memcpy(larger.get(), available_.data(), available_.size());
  buffer_ = std::move(larger);
  capacity_ *= 2;
  available_ = Bytes(buffer_.get(), available_.size());
}

}  // namespace analyzer::capture
