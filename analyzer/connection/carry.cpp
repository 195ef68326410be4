// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The bytes of a stream that no frame has taken yet, and where in the capture they were.
#include "connection/carry.hpp"

#include <algorithm>

namespace analyzer::connection {
namespace {

// What may stay allocated while nothing is carried.
constexpr std::size_t kept_bytes = std::size_t{64} << 10;
constexpr std::size_t kept_marks = 256;

}  // namespace

Source Carry::source_at(std::size_t position) const {
  const std::size_t at = begin_ + position;
  const auto first = marks_.begin() + static_cast<std::ptrdiff_t>(first_mark_);
  const auto behind = std::upper_bound(
      first, marks_.end(), at, [](std::size_t value, const Mark& mark) { return value < mark.at; });
  const Mark& mark = *std::prev(behind);
  return mark.source.behind(at - mark.at);
}

void Carry::add(Bytes bytes, const Source& source) {
  if (bytes.empty()) return;
  // The rest of a packet needs no mark of its own.
  const bool continues =
      !empty() && marks_.back().source.behind(bytes_.size() - marks_.back().at) == source;
  if (!continues) marks_.push_back({bytes_.size(), source});
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

void Carry::drop(std::size_t count) {
  begin_ += count;
  if (empty()) {
    clear();
    return;
  }
  while (first_mark_ + 1 < marks_.size() && marks_[first_mark_ + 1].at <= begin_) ++first_mark_;
  if (begin_ < bytes_.size() / 2) return;
  Mark& front = marks_[first_mark_];
  front = {begin_, front.source.behind(begin_ - front.at)};
  bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(begin_));
  marks_.erase(marks_.begin(), marks_.begin() + static_cast<std::ptrdiff_t>(first_mark_));
  for (Mark& mark : marks_) mark.at -= begin_;
  begin_ = 0;
  first_mark_ = 0;
}

void Carry::clear() {
  bytes_.clear();
  marks_.clear();
  begin_ = 0;
  first_mark_ = 0;
  if (bytes_.capacity() > kept_bytes) bytes_.shrink_to_fit();
  if (marks_.capacity() > kept_marks) marks_.shrink_to_fit();
}

}  // namespace analyzer::connection
