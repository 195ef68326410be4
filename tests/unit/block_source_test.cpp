// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The buffer behind the readers, fed in pieces of every size.
#include "capture/block_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "support/packet_builder.hpp"

namespace analyzer::capture {
namespace {

// Hands out at most `piece` bytes a call, then the error (empty: the end).
class Pieces final : public ByteSource {
 public:
  Pieces(support::Buffer bytes, std::size_t piece, std::string error = {}, int* reads = nullptr)
      : bytes_(std::move(bytes)), piece_(piece), error_(std::move(error)), reads_(reads) {}

  ReadResult read(std::span<std::byte> into) override {
    if (reads_ != nullptr) ++*reads_;
    const std::size_t count = std::min({piece_, into.size(), bytes_.size() - at_});
    if (count == 0) {
      const auto kind = error_.empty() ? ReadError::Kind::none : ReadError::Kind::system;
      return {0, {kind, error_, 0}};
    }
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at_), count, into.begin());
    at_ += count;
    return {count, {}};
  }

 private:
  support::Buffer bytes_;
  std::size_t piece_;
  std::string error_;
  int* reads_;
  std::size_t at_ = 0;
};

BlockSource source_of(const support::Buffer& bytes, std::size_t piece) {
  return BlockSource(std::make_unique<Pieces>(bytes, piece));
}

bool same(Bytes a, Bytes b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

TEST(BlockSource, GivesEveryByteOnceWhateverThePieces) {
  const support::Buffer bytes = support::counting_bytes(700'000);
  for (const std::size_t piece : {1UL, 3UL, 4'096UL, 262'144UL, 1'000'000UL}) {
    BlockSource source = source_of(bytes, piece);
    std::size_t at = 0;
    for (std::size_t record = 1; at < bytes.size(); record = record * 5 % 65'537) {
      const std::size_t wanted = std::min(record, bytes.size() - at);
      const Bytes seen = source.peek(wanted);
      ASSERT_GE(seen.size(), wanted);
      ASSERT_TRUE(same(seen.first(wanted), Bytes(bytes).subspan(at, wanted)));
      source.consume(wanted);
      at += wanted;
      ASSERT_EQ(source.offset(), at);
    }
    EXPECT_TRUE(source.peek(1).empty());
    EXPECT_FALSE(source.error());
  }
}

TEST(BlockSource, ReadsNoMoreThanItMust) {
  int reads = 0;
  BlockSource source(std::make_unique<Pieces>(support::counting_bytes(100), 10, "", &reads));
  EXPECT_EQ(source.peek(4).size(), 10U);
  EXPECT_EQ(source.peek(10).size(), 10U);
  EXPECT_EQ(reads, 1);
  EXPECT_EQ(source.peek(11).size(), 20U);
  EXPECT_EQ(reads, 2);
}

TEST(BlockSource, GrowsForALargeRecord) {
  const support::Buffer bytes = support::counting_bytes(1'000'000);
  BlockSource source = source_of(bytes, 100'000);
  source.peek(10);
  source.consume(10);
  const Bytes seen = source.peek(900'000);
  ASSERT_GE(seen.size(), 900'000U);
  EXPECT_TRUE(same(seen.first(900'000), Bytes(bytes).subspan(10, 900'000)));
}

TEST(BlockSource, SkipsBeyondItsBuffer) {
  const support::Buffer bytes = support::counting_bytes(1'000'000);
  BlockSource source = source_of(bytes, 100'000);
  source.peek(10);
  EXPECT_TRUE(source.skip(999'998));
  EXPECT_EQ(source.offset(), 999'998U);
  EXPECT_TRUE(same(source.peek(2), Bytes(bytes).last(2)));
  EXPECT_FALSE(source.skip(3));
  EXPECT_EQ(source.offset(), 1'000'000U);
}

TEST(BlockSource, AHugeWishTakesNoMemoryWithoutBytes) {
  BlockSource source = source_of(support::counting_bytes(100), 50);
  EXPECT_EQ(source.peek(std::size_t{1} << 40).size(), 100U);
}

TEST(BlockSource, KeepsWhatCameBeforeAnError) {
  BlockSource source(std::make_unique<Pieces>(support::counting_bytes(100), 60, "I/O error"));
  EXPECT_EQ(source.peek(101).size(), 100U);
  EXPECT_EQ(source.error().reason, "I/O error");
}

TEST(BlockSource, LooksAtMemoryInPlace) {
  const support::Buffer bytes = support::counting_bytes(100);
  BlockSource source{Bytes(bytes)};
  EXPECT_EQ(source.peek(1).data(), bytes.data());
  EXPECT_EQ(source.peek(1'000).size(), 100U);
  EXPECT_FALSE(source.skip(101));
}

TEST(BlockSource, TakesItsBufferFromAPool) {
  const auto pool = std::make_shared<MemoryPool>(100'000);
  const support::Buffer bytes = support::counting_bytes(200'000);
  const auto open = [&](std::size_t piece) {
    return std::make_unique<BlockSource>(std::make_unique<Pieces>(bytes, piece), 10'000, pool);
  };
  const auto source = open(999);
  EXPECT_EQ(pool->used(), 10'000U);
  EXPECT_EQ(source->peek(35'000).size() >= 35'000, true);
  EXPECT_EQ(pool->used(), 35'000U) << "no more than the record takes";
  source->consume(35'000);
  EXPECT_TRUE(same(source->peek(5'000).first(5'000), Bytes(bytes).subspan(35'000, 5'000)));
  EXPECT_EQ(pool->used(), 10'000U) << "the large record is behind us";
  EXPECT_LT(source->peek(90'000).size(), 90'000U);
  EXPECT_EQ(source->error().kind, ReadError::Kind::memory);
  EXPECT_TRUE(pool->take(pool->left()));
  const auto other = open(999);
  EXPECT_TRUE(other->peek(1).empty());
  EXPECT_EQ(other->error().kind, ReadError::Kind::memory);
}

}  // namespace
}  // namespace analyzer::capture
