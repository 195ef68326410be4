// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// From the time stamps of a pcapng interface to nanoseconds since the Unix epoch.
//
// Resolutions and offsets come from a file and may be absurd: times outside of what 64 bits of
// nanoseconds can say become the earliest or latest time, never a wrapped one.
#pragma once

#include <cstdint>

namespace analyzer::capture {

class Clock {
 public:
  // Microseconds since the epoch, as interfaces without options have.
  Clock() = default;
  // `resolution` is the option if_tsresol: the negative power of 10, or of 2 where the top bit is
  // set, that is one tick. `offset_seconds` is the option if_tsoffset.
  Clock(std::uint8_t resolution, std::int64_t offset_seconds);

  std::int64_t nanoseconds(std::uint64_t ticks) const;

 private:
  bool binary_ = false;
  std::uint8_t exponent_ = 6;
  std::int64_t offset_seconds_ = 0;
};

}  // namespace analyzer::capture
