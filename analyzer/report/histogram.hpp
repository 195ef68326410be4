// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// A log-linear histogram of microseconds: percentiles within 1 %, and it adds up exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace analyzer::report {

class Histogram {
 public:
  struct Bucket {
    std::uint64_t lowest = 0;  // microseconds
    std::uint64_t count = 0;
  };

  void add(std::uint64_t microseconds);
  void merge(const Histogram& other);

  std::uint64_t count() const { return count_; }
  std::uint64_t smallest() const { return count_ == 0 ? 0 : smallest_; }
  std::uint64_t largest() const { return largest_; }
  // The lowest value of the bucket that holds the given share of the samples, exact at both ends;
  // 0 without samples.
  std::uint64_t percentile(double share) const;
  std::vector<Bucket> buckets() const;  // those that are not empty

 private:
  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  std::uint64_t smallest_ = ~std::uint64_t{0};
  std::uint64_t largest_ = 0;
};

}  // namespace analyzer::report
