// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// A pool never gives more than it has, and gets everything back.
#include "capture/reservation.hpp"

#include <gtest/gtest.h>

namespace analyzer::capture {
namespace {

TEST(Reservation, IsShared) {
  const auto budget = std::make_shared<MemoryPool>(100);
  {
    Reservation first(budget);
    Reservation second(budget);
    EXPECT_TRUE(first.resize(60));
    EXPECT_FALSE(second.resize(41));
    EXPECT_EQ(second.bytes(), 0U);
    EXPECT_TRUE(second.resize(40));
    EXPECT_EQ(budget->left(), 0U);
    EXPECT_FALSE(first.resize(61));
    EXPECT_TRUE(first.resize(50));
    EXPECT_TRUE(second.resize(50));
  }
  EXPECT_EQ(budget->left(), 100U);
}

TEST(Reservation, GrantsEverythingWhereThereIsNone) {
  Reservation free(nullptr);
  EXPECT_TRUE(free.resize(~std::uint64_t{0}));
  EXPECT_TRUE(free.resize(1));
  EXPECT_EQ(free.bytes(), 1U);
}

}  // namespace
}  // namespace analyzer::capture
