// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Percentiles of known distributions, within the relative width of a bucket.
#include "report/histogram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace analyzer::report {
namespace {

TEST(Histogram, Empty) {
  const Histogram none;
  EXPECT_EQ(none.count(), 0U);
  EXPECT_EQ(none.smallest(), 0U);
  EXPECT_EQ(none.largest(), 0U);
  EXPECT_EQ(none.percentile(0.5), 0U);
  EXPECT_TRUE(none.buckets().empty());
}

TEST(Histogram, OneSampleIsExact) {
  for (const std::uint64_t value : {0ULL, 1ULL, 127ULL, 128ULL, 999ULL, 123'456'789ULL}) {
    Histogram one;
    one.add(value);
    for (const double share : {0.0, 0.5, 0.99, 1.0}) EXPECT_EQ(one.percentile(share), value);
    EXPECT_EQ(one.smallest(), value);
    EXPECT_EQ(one.largest(), value);
  }
}

// Below 128 us each value has a bucket of its own, so ranks show exactly.
TEST(Histogram, SmallSamplesAreExact) {
  Histogram ten;
  for (std::uint64_t value = 1; value <= 10; ++value) ten.add(value);
  EXPECT_EQ(ten.percentile(0.0), 1U);
  EXPECT_EQ(ten.percentile(0.1), 1U);
  EXPECT_EQ(ten.percentile(0.11), 2U);
  EXPECT_EQ(ten.percentile(0.5), 5U);
  EXPECT_EQ(ten.percentile(0.99), 10U);
  EXPECT_EQ(ten.percentile(1.0), 10U);
}

// Each bucket holds what it says: no value is more than 1 % above the bucket it falls into.
TEST(Histogram, BucketsAreNarrow) {
  for (std::uint64_t value = 0; value < 3'600'000'000; value += 1 + value / 97) {
    Histogram one;
    one.add(value);
    ASSERT_EQ(one.buckets().size(), 1U);
    const std::uint64_t lowest = one.buckets()[0].lowest;
    ASSERT_LE(lowest, value);
    ASSERT_LE(value - lowest, value / 100);
  }
}

TEST(Histogram, PercentilesWithinOnePercent) {
  std::minstd_rand random(1);
  std::vector<std::uint64_t> samples;
  Histogram histogram;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t value = random() % (std::uint64_t{1} << (random() % 30));
    samples.push_back(value);
    histogram.add(value);
  }
  std::sort(samples.begin(), samples.end());
  for (const double share : {0.01, 0.25, 0.5, 0.9, 0.99, 0.999}) {
    const auto rank = static_cast<std::size_t>(std::ceil(share * 20'000));
    const std::uint64_t exact = samples[rank - 1];
    EXPECT_LE(histogram.percentile(share), exact);
    EXPECT_GE(histogram.percentile(share) + exact / 100, exact);
  }
  EXPECT_EQ(histogram.largest(), samples.back());
}

TEST(Histogram, MergeAddsUpExactly) {
  Histogram all;
  Histogram one;
  Histogram two;
  for (std::uint64_t i = 0; i < 1'000; ++i) {
    all.add(i * i);
    (i % 3 == 0 ? one : two).add(i * i);
  }
  one.merge(two);
  EXPECT_EQ(one.count(), all.count());
  EXPECT_EQ(one.smallest(), all.smallest());
  EXPECT_EQ(one.largest(), all.largest());
  ASSERT_EQ(one.buckets().size(), all.buckets().size());
  for (std::size_t i = 0; i < all.buckets().size(); ++i) {
    EXPECT_EQ(one.buckets()[i].lowest, all.buckets()[i].lowest);
    EXPECT_EQ(one.buckets()[i].count, all.buckets()[i].count);
  }
  one.merge(Histogram{});
  EXPECT_EQ(one.count(), all.count());
  EXPECT_EQ(one.smallest(), 0U);
}

TEST(Histogram, LongerThanAnHourStillCounts) {
  Histogram histogram;
  histogram.add(~std::uint64_t{0});
  histogram.add(7'200'000'000);
  EXPECT_EQ(histogram.largest(), ~std::uint64_t{0});
  EXPECT_EQ(histogram.buckets().size(), 1U);
  EXPECT_EQ(histogram.count(), 2U);
}

}  // namespace
}  // namespace analyzer::report
