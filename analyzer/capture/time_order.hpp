// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Where the time of a capture cannot be believed: its clock stepped back, or packets have no time.
//
// Times are those of the packets alone; the clock of this machine is never asked. Bounded: beyond
// the limit nothing is believed from the first place on that could not be kept.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "capture/packet.hpp"

namespace analyzer::capture {

class TimeOrder {
 public:
  // Each packet, in the order of the capture.
  void packet(const Packet& packet);

  // Whether the time from one packet to a later one is a time that passed.
  bool can_compare(std::uint64_t from_packet, std::uint64_t to_packet) const;

  // Packets more than 10 ms older than the one before of their interface, or more than a second
  // older than the one before of another. Packets written a little out of order, as by several
  // queues or interfaces, are none.
  std::uint64_t steps() const { return steps_; }
  const std::vector<std::uint64_t>& step_packets() const { return step_packets_; }
  std::int64_t largest_step() const { return largest_step_; }  // nanoseconds

 private:
  struct Range {  // packets
    std::uint64_t first = 0;
    std::uint64_t last = 0;
  };
  struct Last {  // packet of an interface
    std::uint32_t interface = 0;
    std::int64_t time = 0;
    bool is_known = false;
  };
  void step(std::uint64_t packet, std::int64_t back);
  void no_time(std::uint64_t packet);
  bool has_time(std::uint64_t packet) const;

  std::vector<std::uint64_t> step_packets_;
  std::vector<Range> without_time_;
  std::uint64_t lost_from_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t steps_ = 0;
  std::int64_t largest_step_ = 0;
  std::int64_t previous_ = 0;
  std::array<Last, 16> last_;  // by the last bits of the interface
  bool has_previous_ = false;
};

}  // namespace analyzer::capture
