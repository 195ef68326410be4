// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The arithmetic of time stamps, exact to the nanosecond (rounded down) and free of overflow. It
// must not depend on the clock of this machine.
#include "capture/clock.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace analyzer::capture {
namespace {

constexpr std::uint64_t nanoseconds_per_second = 1'000'000'000;

constexpr auto powers_of_ten = [] {
  std::array<std::uint64_t, 20> powers{1};
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

struct Instant {
  std::uint64_t seconds = 0;
  std::uint64_t nanoseconds = 0;  // below one second
};

Instant from_decimal(std::uint64_t ticks, std::size_t exponent) {
  if (exponent >= powers_of_ten.size()) {
    // 64 bits of such ticks are less than two seconds; only leading digits are nanoseconds.
    const std::size_t excess = exponent - 9;
    const std::uint64_t all = excess < powers_of_ten.size() ? ticks / powers_of_ten[excess] : 0;
    return {all / nanoseconds_per_second, all % nanoseconds_per_second};
  }
  const std::uint64_t per_second = powers_of_ten[exponent];
  const std::uint64_t rest = ticks % per_second;
  return {ticks / per_second,
          exponent <= 9 ? rest * powers_of_ten[9 - exponent] : rest / powers_of_ten[exponent - 9]};
}

Instant from_binary(std::uint64_t ticks, unsigned exponent) {
  const std::uint64_t seconds = exponent < 64 ? ticks >> exponent : 0;
  const std::uint64_t rest = exponent < 64 ? ticks - (seconds << exponent) : ticks;
  if (exponent <= 32) return {seconds, (rest * nanoseconds_per_second) >> exponent};
  // rest * 10^9 does not fit in 64 bits, rest * 10^9 / 2^32 does: multiply by halves.
  const std::uint64_t upper = (rest >> 32) * nanoseconds_per_second;
  const std::uint64_t lower = ((rest & 0xffffffff) * nanoseconds_per_second) >> 32;
  const unsigned shift = exponent - 32;
  return {seconds, shift < 64 ? (upper + lower) >> shift : 0};
}

std::int64_t clamped_sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b < 0 ? std::numeric_limits<std::int64_t>::min()
               : std::numeric_limits<std::int64_t>::max();
}

std::int64_t clamped_product(std::int64_t a, std::int64_t positive) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(a, positive, &product)) return product;
  return a < 0 ? std::numeric_limits<std::int64_t>::min()
               : std::numeric_limits<std::int64_t>::max();
}

}  // namespace

Clock::Clock(std::uint8_t resolution, std::int64_t offset_seconds)
    : binary_((resolution & 0x80) != 0),
      exponent_(resolution & 0x7f),
      offset_seconds_(offset_seconds) {}

std::int64_t Clock::nanoseconds(std::uint64_t ticks) const {
  const Instant instant = binary_ ? from_binary(ticks, exponent_) : from_decimal(ticks, exponent_);
  constexpr std::uint64_t latest = std::numeric_limits<std::int64_t>::max();
  const auto since_offset = static_cast<std::int64_t>(std::min(instant.seconds, latest));
  const std::int64_t seconds = clamped_sum(since_offset, offset_seconds_);
  return clamped_sum(clamped_product(seconds, nanoseconds_per_second),
                     static_cast<std::int64_t>(instant.nanoseconds));
}

}  // namespace analyzer::capture
