// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Which times of a capture can be compared.
#include "capture/time_order.hpp"

#include <gtest/gtest.h>

namespace {

using analyzer::capture::Packet;
using analyzer::capture::TimeOrder;

constexpr std::int64_t millisecond = 1'000'000;
constexpr std::int64_t second = 1'000 * millisecond;

class Times {
 public:
  TimeOrder order;
  void at(std::int64_t time) { add(time, true); }
  void at(std::int64_t time, std::uint32_t interface) { add(time, true, interface); }
  void without_time() { add(0, false); }

 private:
  void add(std::int64_t time, bool has_time, std::uint32_t interface = 0) {
    Packet packet;
    packet.number = ++number_;
    packet.time = time;
    packet.has_time = has_time;
    packet.interface = interface;
    order.packet(packet);
  }
  std::uint64_t number_ = 0;
};

TEST(TimeOrder, BelievesAClockThatGoesForward) {
  Times times;
  for (int i = 0; i < 10; ++i) times.at(i * 100 * second);
  EXPECT_EQ(times.order.steps(), 0U);
  EXPECT_TRUE(times.order.can_compare(1, 10));
}

TEST(TimeOrder, PacketsALittleOutOfOrderAreNoStep) {
  Times times;
  times.at(10 * second);
  times.at(10 * second - 10 * millisecond);
  EXPECT_EQ(times.order.steps(), 0U);
}

TEST(TimeOrder, SmallSteps) {
  for (const std::int64_t step : {11, 100, 500, 900, 1'000}) {
    Times times;
    times.at(10 * second);
    times.at(10 * second - step * millisecond);
    EXPECT_EQ(times.order.steps(), 1U) << step;
    EXPECT_EQ(times.order.largest_step(), step * millisecond);
    EXPECT_FALSE(times.order.can_compare(1, 2));
  }
}

// Each interface has its own buffer, which is written when it is full or old.
TEST(TimeOrder, InterfacesAreWrittenInTurns) {
  Times times;
  times.at(10 * second, 0);
  times.at(10 * second - 900 * millisecond, 1);
  times.at(10 * second + millisecond, 0);
  times.at(10 * second - 899 * millisecond, 1);
  EXPECT_EQ(times.order.steps(), 0U);
  times.at(10 * second - 500 * millisecond, 0);  // packet 5, behind its own
  times.at(10 * second - 898 * millisecond, 1);
  EXPECT_EQ(times.order.step_packets(), std::vector<std::uint64_t>{5});
  times.at(5 * second, 2);  // packet 7, the first of its own
  EXPECT_EQ(times.order.steps(), 2U);
}

TEST(TimeOrder, NothingIsComparedAcrossAStep) {
  Times times;
  times.at(10 * second);
  times.at(11 * second);
  times.at(5 * second);  // packet 3
  times.at(6 * second);
  EXPECT_EQ(times.order.step_packets(), std::vector<std::uint64_t>{3});
  EXPECT_EQ(times.order.largest_step(), 6 * second);
  EXPECT_TRUE(times.order.can_compare(1, 2));
  EXPECT_FALSE(times.order.can_compare(2, 3));
  EXPECT_FALSE(times.order.can_compare(1, 4));
  EXPECT_TRUE(times.order.can_compare(3, 4));
}

TEST(TimeOrder, PacketsWithoutTimeAreNotCompared) {
  Times times;
  times.at(second);
  times.without_time();
  times.without_time();
  times.at(2 * second);
  EXPECT_FALSE(times.order.can_compare(1, 2));
  EXPECT_FALSE(times.order.can_compare(3, 4));
  EXPECT_TRUE(times.order.can_compare(1, 4));
}

TEST(TimeOrder, IsBounded) {
  Times times;
  for (int i = 0; i < 20'000; ++i) times.at((i % 2 == 0 ? 100 : 50) * second);
  EXPECT_EQ(times.order.steps(), 9'999U + 1);
  EXPECT_LE(times.order.step_packets().size(), 5'000U);
  EXPECT_FALSE(times.order.can_compare(19'999, 19'999));
}

TEST(TimeOrder, SpansBeyond64BitsAreAStep) {
  Times times;
  times.at(std::numeric_limits<std::int64_t>::max());
  times.at(std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(times.order.steps(), 1U);
}

}  // namespace
