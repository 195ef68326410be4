// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Time stamps of every resolution, exact and without overflow.
#include "capture/clock.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace analyzer::capture {
namespace {

constexpr std::int64_t earliest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t latest = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t all_ticks = std::numeric_limits<std::uint64_t>::max();

constexpr std::uint8_t binary(unsigned exponent) {
  return static_cast<std::uint8_t>(0x80 | exponent);
}

TEST(Clock, CountsMicrosecondsUnlessToldOtherwise) {
  EXPECT_EQ(Clock().nanoseconds(1'700'000'000'123'456), 1'700'000'000'123'456'000);
}

TEST(Clock, ConvertsDecimalResolutions) {
  EXPECT_EQ(Clock(0, 0).nanoseconds(17), 17'000'000'000);
  EXPECT_EQ(Clock(3, 0).nanoseconds(1'234), 1'234'000'000);
  EXPECT_EQ(Clock(9, 0).nanoseconds(1'700'000'000'123'456'789), 1'700'000'000'123'456'789);
  EXPECT_EQ(Clock(12, 0).nanoseconds(1'999'999'999'999), 1'999'999'999);
  EXPECT_EQ(Clock(19, 0).nanoseconds(15'000'000'000'000'000'000U), 1'500'000'000);
  EXPECT_EQ(Clock(20, 0).nanoseconds(15'000'000'000'000'000'000U), 150'000'000);
  EXPECT_EQ(Clock(28, 0).nanoseconds(all_ticks), 1);
  EXPECT_EQ(Clock(29, 0).nanoseconds(all_ticks), 0);
  EXPECT_EQ(Clock(127, 0).nanoseconds(all_ticks), 0);
}

TEST(Clock, ConvertsBinaryResolutions) {
  EXPECT_EQ(Clock(binary(0), 0).nanoseconds(3), 3'000'000'000);
  EXPECT_EQ(Clock(binary(1), 0).nanoseconds(3), 1'500'000'000);
  EXPECT_EQ(Clock(binary(10), 0).nanoseconds(1'025), 1'000'976'562);
  EXPECT_EQ(Clock(binary(32), 0).nanoseconds(0x1'8000'0000), 1'500'000'000);
  EXPECT_EQ(Clock(binary(33), 0).nanoseconds(0x3'ffff'ffff), 1'999'999'999);
  EXPECT_EQ(Clock(binary(63), 0).nanoseconds(std::uint64_t{3} << 62), 1'500'000'000);
  EXPECT_EQ(Clock(binary(64), 0).nanoseconds(all_ticks), 999'999'999);
  EXPECT_EQ(Clock(binary(65), 0).nanoseconds(all_ticks), 499'999'999);
  EXPECT_EQ(Clock(binary(127), 0).nanoseconds(all_ticks), 0);
}

TEST(Clock, AddsTheOffset) {
  EXPECT_EQ(Clock(6, 100).nanoseconds(1), 100'000'001'000);
  EXPECT_EQ(Clock(6, -1).nanoseconds(500'000), -500'000'000);
}

TEST(Clock, ClampsWhatDoesNotFit) {
  EXPECT_EQ(Clock(6, 0).nanoseconds(all_ticks), latest);
  EXPECT_EQ(Clock(0, 0).nanoseconds(all_ticks), latest);
  EXPECT_EQ(Clock(binary(0), 0).nanoseconds(all_ticks), latest);
  EXPECT_EQ(Clock(6, latest).nanoseconds(all_ticks), latest);
  EXPECT_EQ(Clock(6, earliest).nanoseconds(0), earliest);
  EXPECT_EQ(Clock(0, earliest).nanoseconds(0), earliest);
  EXPECT_EQ(Clock(9, 0).nanoseconds(all_ticks), latest);
}

TEST(Clock, NeverGoesBackWithTheTicks) {
  for (unsigned resolution = 0; resolution < 256; ++resolution) {
    const Clock clock(static_cast<std::uint8_t>(resolution), -5);
    std::int64_t before = earliest;
    for (unsigned bit = 0; bit < 64; ++bit) {
      for (const std::uint64_t less : {1U, 0U}) {
        const std::int64_t now = clock.nanoseconds((std::uint64_t{1} << bit) - less);
        EXPECT_LE(before, now) << "resolution " << resolution << ", bit " << bit;
        before = now;
      }
    }
  }
}

}  // namespace
}  // namespace analyzer::capture
