// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Steps and gaps of a capture's time, as sorted lists of packets.
#include "capture/time_order.hpp"

#include <algorithm>

namespace analyzer::capture {
namespace {

// Several queues of a network card mix up packets by microseconds, a busy host by a few
// milliseconds; no capture that we know has more within one interface.
constexpr std::int64_t step_time = 10'000'000;
// Packets of several interfaces are written as each has some, which may take a while.
constexpr std::int64_t step_time_between_interfaces = 1'000'000'000;
constexpr std::size_t kept = 4'096;

// How much older than the one before; 0 where it is not.
std::int64_t time_back(std::int64_t before, std::int64_t now) {
  if (now >= before) return 0;
  std::int64_t back = 0;
  // A span that 64 bits cannot hold is a step all the same.
  return __builtin_sub_overflow(before, now, &back) ? std::numeric_limits<std::int64_t>::max()
                                                    : back;
}

}  // namespace

void TimeOrder::packet(const Packet& packet) {
  if (!packet.has_time) {
    no_time(packet.number);
    return;
  }
  Last& own = last_[packet.interface % last_.size()];
  const bool is_same = own.is_known && own.interface == packet.interface;
  const std::int64_t back_in_own = is_same ? time_back(own.time, packet.time) : 0;
  const std::int64_t back = has_previous_ ? time_back(previous_, packet.time) : 0;
  if (back_in_own > step_time)
    step(packet.number, back_in_own);
  else if (back > step_time_between_interfaces)
    step(packet.number, back);
  own = {packet.interface, packet.time, true};
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
