// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// One direction alone: places of sequence numbers, overlaps, and the cost of disorder.
#include "stream/orderer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "tcp_script.hpp"

namespace script {
namespace {

using analyzer::stream::Orderer;

class Collected : public Orderer::Output {
 public:
  std::string text;
  std::vector<Hole> holes;
  int ends = 0;

  void data(std::uint64_t offset, Bytes bytes, const Origin&) override {
    EXPECT_EQ(offset, text.size());
    text += text_of(bytes);
  }
  void hole(const Hole& hole) override {
    EXPECT_EQ(hole.offset, text.size());
    text.append(hole.bytes, '-');
    holes.push_back(hole);
  }
  void finished(bool, const Origin&) override { ++ends; }
};

struct Direct {
  Orderer orderer;
  Collected out;
  std::uint32_t start;

  explicit Direct(std::uint32_t at, bool firm = true) : start(at) { orderer.start(at, firm); }
  void at(std::uint32_t offset, std::string_view text, std::uint32_t length = 0) {
    const auto size = std::max(length, static_cast<std::uint32_t>(text.size()));
    orderer.segment({orderer.position(start + offset), bytes_of(text), size, {}, 0}, out);
  }
};

TEST(Orderer, PositionsFollowTheStreamThroughManyWraps) {
  Orderer orderer;
  orderer.start(5, true);
  std::uint64_t truth = orderer.position(5);
  for (int i = 0; i < 20; ++i) {
    truth += 0x3000'0000U;
    const std::uint64_t position = orderer.position(static_cast<std::uint32_t>(truth));
    EXPECT_EQ(position, truth);
    orderer.acknowledge(position, {}, 0);
  }
  EXPECT_EQ(orderer.offset(truth), 20 * std::uint64_t{0x3000'0000U});
  EXPECT_EQ(orderer.position(static_cast<std::uint32_t>(truth) - 100), truth - 100);
}

TEST(Orderer, InOrderBytesAreNotCopied) {
  class SamePlace : public Collected {
   public:
    const std::byte* place = nullptr;
    void data(std::uint64_t, Bytes bytes, const Origin&) override { place = bytes.data(); }
  } out;
  Orderer orderer;
  orderer.start(0, true);
  const std::string text = "in order";
  orderer.segment({orderer.position(0), bytes_of(text), 8, {}, 0}, out);
  EXPECT_EQ(out.place, bytes_of(text).data());
  EXPECT_EQ(orderer.buffered(), 0U);
}

TEST(Orderer, FirstCopyWinsPieceByPiece) {
  Direct direct(100);
  direct.at(4, "bb");
  direct.at(8, "dd");
  direct.at(2, "XXXXXXXXXX");  // fills 2 to 4, 6 to 8 and 10 to 12
  direct.at(0, "aaaaaaaa");
  EXPECT_EQ(direct.out.text, "aaXXbbXXddXX");
  EXPECT_EQ(direct.orderer.counts().overlaps_that_differ, 5U);
  EXPECT_EQ(direct.orderer.buffered(), 0U);
}

TEST(Orderer, SnappedPieceAboveAHoleStaysAHole) {
  Direct direct(100);
  direct.at(4, "bb", 6);
  direct.at(0, "aaaa");
  direct.at(10, "cc");
  EXPECT_EQ(direct.out.text, "aaaabb----cc");
  ASSERT_EQ(direct.out.holes.size(), 1U);
  EXPECT_EQ(direct.out.holes[0].kind, HoleKind::snapped);
}

TEST(Orderer, NothingButALengthWasCaptured) {
  Direct direct(100);
  direct.at(10, "", 10);
  direct.at(0, "", 10);
  direct.at(20, "end");
  EXPECT_EQ(direct.out.text, std::string(20, '-') + "end");
}

TEST(Orderer, LengthsClaimedWithoutBytesDoNotWalkOverPieces) {
  Direct direct(100);
  for (std::uint32_t i = 0; i < 20'000; ++i) direct.at(10 + i * 4, "ab");
  const auto before = std::chrono::steady_clock::now();
  for (std::uint32_t i = 0; i < 20'000; ++i) direct.at(5, "x", 1'000'000);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - before;
  EXPECT_LT(spent.count(), 1.0);
}

TEST(Orderer, EndIsTheFirstOne) {
  Direct direct(100);
  direct.at(0, "abc");
  EXPECT_TRUE(direct.orderer.end(direct.orderer.position(103), false, {}, 0, direct.out));
  EXPECT_TRUE(direct.orderer.end(direct.orderer.position(103), false, {}, 0, direct.out));
  EXPECT_FALSE(direct.orderer.end(direct.orderer.position(107), false, {}, 0, direct.out));
  direct.at(2, "cde");
  EXPECT_EQ(direct.out.text, "abc");
  EXPECT_EQ(direct.out.ends, 1);
  EXPECT_EQ(direct.orderer.counts().past_the_end, 1U);
}

TEST(Orderer, BytesAcrossTheEndAreCutThere) {
  Direct direct(100);
  EXPECT_TRUE(direct.orderer.end(direct.orderer.position(103), false, {}, 0, direct.out));
  direct.at(0, "abcdef");
  direct.at(3, "def");
  EXPECT_EQ(direct.out.text, "abc");
  EXPECT_EQ(direct.out.ends, 1);
  EXPECT_EQ(direct.orderer.counts().past_the_end, 2U);
}

TEST(Orderer, BytesPastAFinProveItWrong) {
  Direct direct(100);
  direct.at(8, "later");
  EXPECT_FALSE(direct.orderer.end(direct.orderer.position(104), false, {}, 0, direct.out));
  direct.at(0, "earlier.");
  EXPECT_EQ(direct.out.text, "earlier.later");
  EXPECT_EQ(direct.out.ends, 0);
}

TEST(Orderer, BytesBelowAStartThatIsNotFirm) {
  Direct inferred(100, false);
  inferred.at(0U - 4, "abcd");
  inferred.at(0, "efgh");
  EXPECT_EQ(inferred.out.text, "abcdefgh");
  Direct firm(100, true);
  firm.at(0U - 4, "abcd");
  firm.at(0, "efgh");
  EXPECT_EQ(firm.out.text, "efgh");
}

TEST(Orderer, DeclareDueTakesEveryHoleThatWaitedForLongEnough) {
  Direct direct(100);
  for (std::uint32_t i = 1; i < 10; i += 2) direct.at(i * 10, "0123456789");
  direct.orderer.acknowledge(direct.orderer.position(165), {}, 0);
  direct.orderer.declare_due({1'000, 50}, 49, direct.out);
  EXPECT_TRUE(direct.out.holes.empty());
  direct.orderer.declare_due({1'000, 50}, 50, direct.out);
  EXPECT_EQ(direct.out.holes.size(), 3U);  // the fourth one ends above the acknowledgement
  EXPECT_FALSE(direct.orderer.due({1'000, 50}).has_value());
}

// `count` segments above a hole, in the order of `places`.
double seconds_for(const std::vector<std::uint32_t>& places) {
  const std::string text = letters(100);
  Direct direct(0xffff'0000U);
  const auto before = std::chrono::steady_clock::now();
  for (const std::uint32_t place : places) direct.at(100 + place * 100, text);
  direct.at(0, text);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - before;
  EXPECT_EQ(direct.out.text.size(), (places.size() + 1) * 100);
  EXPECT_TRUE(direct.out.holes.empty());
  return spent.count();
}

TEST(Orderer, ManySegmentsAboveAHoleInAnyOrder) {
  std::vector<std::uint32_t> places(40'000);
  for (std::uint32_t i = 0; i < places.size(); ++i) places[i] = i;
  const double rising = seconds_for(places);
  std::reverse(places.begin(), places.end());
  const double falling = seconds_for(places);
  std::shuffle(places.begin(), places.end(), std::minstd_rand{1});
  const double random = seconds_for(places);
  RecordProperty("rising", std::to_string(rising));
  RecordProperty("falling", std::to_string(falling));
  RecordProperty("random", std::to_string(random));
  // A quadratic path takes many seconds; sanitizers and busy machines get room.
  EXPECT_LT(rising + falling + random, 3.0);
}

}  // namespace
}  // namespace script
