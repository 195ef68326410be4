// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Memory that files may ask for by what they hold: the windows of decompressors, and secrets.
//
// All files of a run share one pool, so that many of them cannot take together what one may not
// take alone. It only counts; it must not allocate.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "capture/memory.hpp"

namespace analyzer::capture {

// A part of a pool, which goes back when this goes. Without a pool everything is granted.
class Reservation {
 public:
  explicit Reservation(std::shared_ptr<MemoryPool> pool) : pool_(std::move(pool)) {}
  ~Reservation() { resize(0); }
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;

  // False, and nothing changed, where the pool does not have that much.
  bool resize(std::uint64_t bytes) {
    if (pool_ && bytes > bytes_ && !pool_->take(bytes - bytes_)) return false;
    if (pool_ && bytes < bytes_) pool_->give_back(bytes_ - bytes);
    bytes_ = bytes;
    return true;
  }
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::shared_ptr<MemoryPool> pool_;
  std::uint64_t bytes_ = 0;
};

}  // namespace analyzer::capture
