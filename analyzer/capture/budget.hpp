// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Memory that files may ask for by what they hold: the windows of decompressors, and secrets.
//
// All files of a run share one budget, so that many of them cannot take together what one may not
// take alone. It only counts; it must not allocate.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

namespace analyzer::capture {

class Budget {
 public:
  explicit Budget(std::uint64_t bytes) : left_(bytes) {}

  bool take(std::uint64_t bytes) {
    if (bytes > left_) return false;
    left_ -= bytes;
    return true;
  }
  void give_back(std::uint64_t bytes) { left_ += bytes; }
  std::uint64_t left() const { return left_; }

 private:
  std::uint64_t left_;
};

// A part of a budget, which goes back when this goes. Without a budget everything is granted.
class Reservation {
 public:
  explicit Reservation(std::shared_ptr<Budget> budget) : budget_(std::move(budget)) {}
  ~Reservation() { resize(0); }
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;

  // False, and nothing changed, where the budget does not have that much.
  bool resize(std::uint64_t bytes) {
    if (budget_ && bytes > bytes_ && !budget_->take(bytes - bytes_)) return false;
    if (budget_ && bytes < bytes_) budget_->give_back(bytes_ - bytes);
    bytes_ = bytes;
    return true;
  }
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::shared_ptr<Budget> budget_;
  std::uint64_t bytes_ = 0;
};

}  // namespace analyzer::capture
