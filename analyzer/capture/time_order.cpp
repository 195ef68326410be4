// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Steps and gaps of a capture's time, as sorted lists of packets.
#include "capture/time_order.hpp"

#include <algorithm>

namespace analyzer::capture {
namespace {

constexpr std::int64_t step_time = 1'000'000'000;
constexpr std::size_t kept = 4'096;

}  // namespace

void TimeOrder::packet(const Packet& packet) {
  if (!packet.has_time) {
    no_time(packet.number);
    return;
  }
  std::int64_t back = 0;
  // A span that 64 bits cannot hold is a step all the same.
  if (has_previous_ && packet.time < previous_ &&
      (__builtin_sub_overflow(previous_, packet.time, &back) || back > step_time))
    step(packet.number, back);
  previous_ = packet.time;
  has_previous_ = true;
}

void TimeOrder::step(std::uint64_t packet, std::int64_t back) {
  ++steps_;
  largest_step_ = std::max(largest_step_, back);
  if (step_packets_.size() < kept)
    step_packets_.push_back(packet);
  else
    lost_from_ = std::min(lost_from_, packet);
}

void TimeOrder::no_time(std::uint64_t packet) {
  if (!without_time_.empty() && without_time_.back().last + 1 == packet)
    without_time_.back().last = packet;
  else if (without_time_.size() < kept)
    without_time_.push_back({packet, packet});
  else
    lost_from_ = std::min(lost_from_, packet);
}

bool TimeOrder::has_time(std::uint64_t packet) const {
  const auto range = std::lower_bound(
      without_time_.begin(), without_time_.end(), packet,
      [](const Range& before, std::uint64_t value) { return before.last < value; });
  return range == without_time_.end() || range->first > packet;
}

bool TimeOrder::can_compare(std::uint64_t from_packet, std::uint64_t to_packet) const {
  if (to_packet >= lost_from_) return false;
  const auto next = std::upper_bound(step_packets_.begin(), step_packets_.end(), from_packet);
  const bool is_stepped = next != step_packets_.end() && *next <= to_packet;
  return !is_stepped && has_time(from_packet) && has_time(to_packet);
}

}  // namespace analyzer::capture
