// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Fragments in any order, twice, over each other, cut, from other packets, and too many of them.
#include "capture/fragments.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "support/packet_builder.hpp"

namespace analyzer::capture {
namespace {

using namespace support;

constexpr std::int64_t second = 1'000'000'000;

FragmentKey key_of(std::uint32_t identification) {
  FragmentKey key;
  key.hosts = {ipv4_address(10, 0, 0, 1), ipv4_address(10, 0, 0, 2)};
  key.identification = identification;
  key.protocol = 6;
  return key;
}

struct Whole {
  Buffer bytes;
  std::uint32_t length = 0;
  unsigned protocol = 0;
};

// One run over pieces of a packet.
class FragmentsTest : public testing::Test {
 protected:
  Fragments::Result add(const FragmentKey& key, std::uint32_t offset, bool more, Bytes captured,
                        std::optional<std::uint32_t> length = {}) {
    Packet carrier;
    carrier.time = time;
    fragments.release_whole();
    return fragments.add(key,
                         {.protocol = 6,
                          .offset = offset,
                          .more = more,
                          .captured = captured,
                          .length = length.value_or(static_cast<std::uint32_t>(captured.size()))},
                         carrier);
  }
  // The piece from `begin` to `end` of the packet.
  Fragments::Result piece(std::uint32_t begin, std::uint32_t end, std::uint32_t number = 1) {
    return add(key_of(number), begin, end < packet.size(),
               Bytes(packet).subspan(begin, end - begin));
  }
  static bool is_held(const Fragments::Result& result) {
    return std::holds_alternative<Held>(result);
  }
  static bool is_skipped(const Fragments::Result& result, Skipped reason) {
    const auto* skipped = std::get_if<Skipped>(&result);
    return skipped != nullptr && *skipped == reason;
  }
  void expect_whole(const Fragments::Result& result) const {
    const auto* whole = std::get_if<WholePacket>(&result);
    ASSERT_NE(whole, nullptr);
    EXPECT_EQ(whole->length, packet.size());
    EXPECT_EQ(whole->protocol, 6);
    EXPECT_TRUE(std::ranges::equal(whole->captured, packet));
  }

  Buffer packet = counting_bytes(50);
  std::int64_t time = 100 * second;
  Fragments fragments;
};

TEST_F(FragmentsTest, AnyOrderGivesThePacket) {
  const std::vector<std::uint32_t> ends{8, 24, 40, 50};
  std::vector<std::size_t> order{0, 1, 2, 3};
  std::uint32_t number = 0;
  do {
    ++number;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::size_t at = order[i];
      const Fragments::Result result = piece(at == 0 ? 0 : ends[at - 1], ends[at], number);
      if (i + 1 < order.size()) {
        EXPECT_TRUE(is_held(result));
      } else {
        expect_whole(result);
      }
    }
  } while (std::ranges::next_permutation(order).found);
  fragments.finish();
  EXPECT_EQ(fragments.counts().incomplete, 0U);
  EXPECT_EQ(fragments.counts().overlapping, 0U);
  EXPECT_EQ(fragments.bytes(), 0U);
}

TEST_F(FragmentsTest, CopiesAreTheSameFragment) {
  EXPECT_TRUE(is_held(piece(0, 24)));
  EXPECT_TRUE(is_held(piece(0, 24)));
  EXPECT_TRUE(is_held(piece(8, 40)));  // over the first, with the same bytes
  expect_whole(piece(16, 50));
  EXPECT_TRUE(is_held(piece(16, 50)));  // after the packet is whole
  EXPECT_TRUE(is_held(piece(0, 24)));
  fragments.finish();
  EXPECT_EQ(fragments.counts().incomplete, 0U);
}

TEST_F(FragmentsTest, AnOverlapWithOtherBytesDropsThePacket) {
  Buffer other(packet.begin(), packet.begin() + 24);
  other[20] ^= std::byte{1};
  EXPECT_TRUE(is_held(piece(16, 40)));
  EXPECT_TRUE(is_held(add(key_of(1), 0, true, other)));
  EXPECT_TRUE(is_held(piece(0, 24)));
  EXPECT_TRUE(is_held(piece(40, 50)));
  EXPECT_TRUE(is_held(piece(0, 24, 2)));  // another packet is not touched
  fragments.finish();
  EXPECT_EQ(fragments.counts().overlapping, 2U);  // those before the third
  EXPECT_EQ(fragments.counts().incomplete, 3U);
}

TEST_F(FragmentsTest, ContradictingEndsDropThePacket) {
  EXPECT_TRUE(is_held(piece(40, 50)));
  EXPECT_TRUE(is_held(add(key_of(1), 48, true, Buffer(8))));
  EXPECT_TRUE(is_held(piece(16, 40, 2)));
  EXPECT_TRUE(is_held(add(key_of(2), 8, false, Bytes(packet).subspan(8, 8))));
  EXPECT_TRUE(is_held(piece(40, 50, 3)));
  EXPECT_TRUE(is_held(add(key_of(3), 40, false, Bytes(packet).subspan(40, 9))));
  EXPECT_EQ(fragments.counts().overlapping, 3U);
}

// A sender that gives all packets the same number, and a capture that lost a fragment.
TEST_F(FragmentsTest, ANewPacketReplacesAnIncompleteOne) {
  EXPECT_TRUE(is_held(piece(0, 24)));
  EXPECT_TRUE(is_held(piece(40, 50)));
  for (unsigned i = 1; i < 4; ++i) {
    packet = counting_bytes(50, 99 * i);
    EXPECT_TRUE(is_held(piece(0, 24)));
    EXPECT_TRUE(is_held(piece(24, 40)));
    const Fragments::Result result = piece(40, 50);
    expect_whole(result);
    EXPECT_TRUE(std::get<WholePacket>(result).is_doubtful);
    EXPECT_TRUE(is_held(piece(24, 40))) << "a copy";
  }
  fragments.finish();
  EXPECT_EQ(fragments.counts().overlapping, 2U);
  EXPECT_EQ(fragments.counts().incomplete, 0U);
}

TEST_F(FragmentsTest, WhatCameFarApartIsDoubtful) {
  EXPECT_TRUE(is_held(piece(0, 24)));
  const Fragments::Result at_once = piece(24, 50);
  EXPECT_FALSE(std::get<WholePacket>(at_once).is_doubtful);
  EXPECT_TRUE(is_held(piece(0, 24, 2)));
  time += 2 * second;
  const Fragments::Result later = piece(24, 50, 2);
  EXPECT_TRUE(std::get<WholePacket>(later).is_doubtful);
}

TEST_F(FragmentsTest, WhatIsTakenBackBeginsWithItsLastFragment) {
  EXPECT_TRUE(is_held(piece(24, 50)));
  packet = counting_bytes(50, 99);
  EXPECT_TRUE(std::holds_alternative<WholePacket>(piece(0, 24)));  // of two packets
  fragments.take_back(key_of(1), {.protocol = 6,
                                  .offset = 0,
                                  .more = true,
                                  .captured = Bytes(packet).first(24),
                                  .length = 24});
  EXPECT_EQ(fragments.counts().overlapping, 1U);
  expect_whole(piece(24, 50));
  fragments.take_back(key_of(2), {});  // which nobody knows
  fragments.finish();
  EXPECT_EQ(fragments.counts().incomplete, 0U);
}

TEST_F(FragmentsTest, OtherPacketsStayApart) {
  std::vector<FragmentKey> keys(6, key_of(1));
  keys[1].identification = 2;
  keys[2].protocol = 17;
  keys[3].hosts.from = ipv4_address(10, 0, 0, 3);
  keys[4].tunnel = {ipv4_address(192, 0, 2, 1), ipv4_address(192, 0, 2, 2)};
  keys[5] = keys[4];
  keys[5].tunnel_id = 9;
  for (const FragmentKey& key : keys)
    EXPECT_TRUE(is_held(add(key, 0, true, Bytes(packet).first(16))));
  for (const FragmentKey& key : keys) expect_whole(add(key, 16, false, Bytes(packet).subspan(16)));
}

TEST_F(FragmentsTest, ANumberMayBeUsedAgain) {
  EXPECT_TRUE(is_held(piece(0, 24)));
  expect_whole(piece(24, 50));
  packet = counting_bytes(70, 99);
  EXPECT_TRUE(is_held(piece(0, 24)));
  expect_whole(piece(24, 70));
}

TEST_F(FragmentsTest, WaitsThirtySecondsOfTheCapture) {
  EXPECT_TRUE(is_held(piece(0, 24)));
  time += 30 * second;
  expect_whole(piece(24, 50));
  EXPECT_TRUE(is_held(piece(0, 24, 2)));
  time -= 1'000 * second;  // a clock that is set back makes nothing old
  EXPECT_TRUE(is_held(piece(8, 24, 2)));
  time += 1'030 * second + 1;
  EXPECT_TRUE(is_held(piece(24, 50, 2)));
  fragments.finish();
  EXPECT_EQ(fragments.counts().incomplete, 3U);
  EXPECT_EQ(fragments.counts().given_up, 0U);
}

TEST_F(FragmentsTest, CutFragmentsLeaveTheLength) {
  const auto cut_piece = [this](std::uint32_t begin, std::uint32_t end, std::uint32_t kept) {
    return add(key_of(1), begin, end < packet.size(), Bytes(packet).subspan(begin, kept),
               end - begin);
  };
  EXPECT_TRUE(is_held(cut_piece(24, 50, 20)));
  EXPECT_TRUE(is_held(cut_piece(16, 24, 3)));
  const Fragments::Result result = cut_piece(0, 16, 16);
  const auto* whole = std::get_if<WholePacket>(&result);
  ASSERT_NE(whole, nullptr);
  EXPECT_EQ(whole->length, 50U);
  EXPECT_TRUE(std::ranges::equal(whole->captured, Bytes(packet).first(19)));
}

TEST_F(FragmentsTest, RefusesWhatCannotBe) {
  EXPECT_TRUE(is_skipped(add(key_of(1), 0, true, {}), Skipped::malformed));
  EXPECT_TRUE(is_skipped(add(key_of(1), 0, true, Buffer(9)), Skipped::malformed));
  EXPECT_TRUE(is_skipped(add(key_of(1), 65'528, false, Buffer(8)), Skipped::malformed));
  EXPECT_TRUE(is_skipped(add(key_of(1), 8, false, Buffer(8), 70'000), Skipped::malformed));
  EXPECT_TRUE(is_held(add(key_of(1), 65'528, false, Buffer(7))));
  EXPECT_EQ(fragments.packets(), 1U);
}

TEST_F(FragmentsTest, BoundsThePacketsThatWait) {
  fragments = Fragments({.packets = 3});
  for (std::uint32_t number = 1; number <= 5; ++number) EXPECT_TRUE(is_held(piece(0, 24, number)));
  EXPECT_EQ(fragments.packets(), 3U);
  EXPECT_EQ(fragments.counts().given_up, 2U);
  EXPECT_TRUE(is_held(piece(24, 50, 1)));  // which begins another one
  expect_whole(piece(24, 50, 5));
  // One that is whole goes without a word, whatever its age.
  fragments.finish();
  EXPECT_EQ(fragments.counts().given_up, 3U);
  EXPECT_EQ(fragments.counts().incomplete, 5U);
}

TEST_F(FragmentsTest, BoundsBytesWhateverTheHeadersSay) {
  const FragmentLimits limits;
  const Buffer bytes = counting_bytes(1'000);
  for (std::uint32_t number = 0; number < 20'000; ++number) {
    EXPECT_TRUE(is_held(add(key_of(number), 40'000, true, bytes, 24'000)));
    EXPECT_LE(fragments.bytes(), limits.bytes);
    EXPECT_LE(fragments.packets(), limits.packets);
  }
  fragments.finish();
  EXPECT_EQ(fragments.counts().incomplete, 20'000U);
}

TEST_F(FragmentsTest, CountsWhatAPacketCosts) {
  fragments = Fragments({.bytes = 10'000});
  for (std::uint32_t number = 0; number < 100; ++number) piece(0, 8, number);
  EXPECT_LE(fragments.bytes(), 10'000U);
  EXPECT_LT(fragments.packets(), 20U);
  fragments.finish();
  EXPECT_EQ(fragments.bytes(), 0U);
}

TEST_F(FragmentsTest, BoundsThePiecesOfOnePacket) {
  const FragmentLimits limits;
  for (std::uint32_t at = 0; at <= limits.pieces; ++at)
    EXPECT_TRUE(is_held(add(key_of(1), at * 16, true, Buffer(8))));
  EXPECT_EQ(fragments.packets(), 0U);
  EXPECT_EQ(fragments.counts().given_up, 1U);
  EXPECT_EQ(fragments.counts().incomplete, limits.pieces + 1);
}

}  // namespace
}  // namespace analyzer::capture
