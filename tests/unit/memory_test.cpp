// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// How the memory limit is divided.
#include "capture/memory.hpp"

#include <gtest/gtest.h>

namespace {

using analyzer::capture::MemoryPlan;
using analyzer::capture::MemoryPool;

TEST(MemoryPlan, PartsStayBelowTheLimit) {
  for (const std::uint64_t limit : {MemoryPlan::least, MemoryPlan::usual, 64 * MemoryPlan::usual}) {
    const MemoryPlan plan(limit);
    const std::uint64_t always =
        plan.reordering() + plan.connections() + plan.bodies() + plan.files() + plan.fragments();
    const std::uint64_t program = std::uint64_t{16} << 20U;
    EXPECT_LE(always + plan.logins(), limit - program) << "analyze";
    EXPECT_LE(always + 2 * plan.lines(), limit - program) << "frames";
    EXPECT_LE(always + plan.rows() + plan.lines(), limit - program) << "messages";
    EXPECT_LT(plan.lent_to_files(), plan.connections() / 2);
  }
}

TEST(MemoryPlan, TheUsualLimitHoldsALargestFrame) {
  EXPECT_GT(MemoryPlan().bodies(), std::uint64_t{64} << 20U);
}

TEST(MemoryPlan, TheUsualLimitHoldsALargestWindow) {
  EXPECT_GT(MemoryPlan().files() + MemoryPlan().lent_to_files(), std::uint64_t{130} << 20U);
}

TEST(MemoryPlan, TablesShrinkWithTheLimitAndDoNotGrow) {
  EXPECT_EQ(MemoryPlan().entries(1'000), 1'000U);
  EXPECT_EQ(MemoryPlan(8 * MemoryPlan::usual).entries(1'000), 1'000U);
  EXPECT_LT(MemoryPlan(MemoryPlan::least).entries(1'000), 125U);
  EXPECT_GT(MemoryPlan(MemoryPlan::least).entries(1'000), 50U);
}

TEST(MemoryPool, GivesWhatIsThere) {
  MemoryPool pool(100);
  EXPECT_TRUE(pool.take(60));
  EXPECT_FALSE(pool.take(41));
  EXPECT_TRUE(pool.take(40));
  EXPECT_TRUE(pool.is_tight());
  pool.limit_to(50);
  EXPECT_EQ(pool.left(), 0U) << "what is taken stays";
  pool.limit_to(120);
  EXPECT_EQ(pool.left(), 20U);
  pool.give_back(100);
  EXPECT_FALSE(pool.is_tight());
  EXPECT_EQ(pool.used(), 0U);
}

}  // namespace
