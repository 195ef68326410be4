// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Durations in buckets of equal relative width, so that memory does not grow with the capture.
#include "report/histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace analyzer::report {
namespace {

// Each power of two is cut into so many buckets, so a bucket is less than 1 % wide.
constexpr unsigned fine_bits = 7;
constexpr std::uint64_t fine = std::uint64_t{1} << fine_bits;
// An hour; longer samples count as the last bucket and still show in `largest`.
constexpr std::uint64_t longest = std::uint64_t{3'600} * 1'000'000;

std::size_t index_of(std::uint64_t value) {
  const std::uint64_t bounded = std::min(value, longest);
  if (bounded < fine) return static_cast<std::size_t>(bounded);
  const unsigned exponent = static_cast<unsigned>(std::bit_width(bounded)) - 1 - fine_bits;
  return static_cast<std::size_t>((std::uint64_t{exponent} << fine_bits) + (bounded >> exponent));
}

std::uint64_t lowest_of(std::size_t index) {
  if (index < 2 * fine) return index;
  const std::uint64_t exponent = (index >> fine_bits) - 1;
  return (index - (exponent << fine_bits)) << exponent;
}

}  // namespace

void Histogram::add(std::uint64_t microseconds) {
  const std::size_t index = index_of(microseconds);
  if (counts_.size() <= index) counts_.resize(index + 1);
  ++counts_[index];
  ++count_;
  smallest_ = std::min(smallest_, microseconds);
  largest_ = std::max(largest_, microseconds);
}

void Histogram::merge(const Histogram& other) {
  if (counts_.size() < other.counts_.size()) counts_.resize(other.counts_.size());
  for (std::size_t i = 0; i < other.counts_.size(); ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  smallest_ = std::min(smallest_, other.smallest_);
  largest_ = std::max(largest_, other.largest_);
}

std::uint64_t Histogram::percentile(double share) const {
  if (count_ == 0) return 0;
  const auto rank = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_)));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (seen >= rank) return std::clamp(lowest_of(i), smallest_, largest_);
  }
  return largest_;
}

std::vector<Histogram::Bucket> Histogram::buckets() const {
  std::vector<Bucket> filled;
  for (std::size_t i = 0; i < counts_.size(); ++i)
    if (counts_[i] != 0) filled.push_back({lowest_of(i), counts_[i]});
  return filled;
}

}  // namespace analyzer::report
