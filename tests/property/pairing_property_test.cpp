// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Whatever a capture misses, repeats or reorders: no request is given the answer of another one.
//
// The pairs of each whole capture are compared with its truth elsewhere; here they are the measure.
// A frame is known by the packet of its first byte, since a hole may change what shows its last.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "real_captures.hpp"
#include "support/effort.hpp"

namespace property {
namespace {

using analyzer::connection::AnswerPlace;
using analyzer::connection::Connection;
using analyzer::connection::Contradiction;
using analyzer::connection::Frame;
using analyzer::connection::Outcome;
using analyzer::connection::OutcomeKind;
using analyzer::connection::Request;
using analyzer::connection::Side;
using Random = std::minstd_rand;

// A request as it stands in the capture. Those that share a packet and all numbers are alike, so a
// pair of them is looked up in a multiset.
using RequestKey = std::tuple<std::uint64_t, unsigned, std::uint32_t, std::uint64_t>;
using Pair = std::pair<RequestKey, std::uint64_t>;  // and the first packet of its answer

class Pairs final : public analyzer::connection::FrameObserver {
 public:
  void frame(const Connection&, const Frame& frame) override {
    first_packets_[frame.id] = frame.raw.place.first_packet;
  }
  void resolved(const Connection&, const Request& request, const Outcome& outcome,
                const std::optional<AnswerPlace>& answer) override {
    const RequestKey key{first_packets_[request.frame], request.operation, request.code,
                         request.number};
    outcomes.emplace(key, outcome);
    EXPECT_TRUE(answer.has_value() || outcome.kind >= OutcomeKind::evicted);
    if (answer) {
      pairs.emplace(key, first_packets_[answer->frame]);
      pair_outcomes.emplace(Pair{key, first_packets_[answer->frame]}, outcome);
      last_packets.insert(answer->packet);
    }
  }

  std::multiset<Pair> pairs;
  std::multimap<Pair, Outcome> pair_outcomes;
  std::multimap<RequestKey, Outcome> outcomes;
  std::set<std::uint64_t> last_packets;  // of answers

 private:
  std::map<std::uint64_t, std::uint64_t> first_packets_;  // by frame
};

std::string text_of(const Pair& pair) {
  const auto& [key, answer] = pair;
  return "request in packet " + std::to_string(std::get<0>(key)) + ", operation " +
         std::to_string(std::get<1>(key)) + ", code " + std::to_string(std::get<2>(key)) + ", #" +
         std::to_string(std::get<3>(key)) + ", answer in packet " + std::to_string(answer);
}

class PairingProperty : public testing::TestWithParam<std::size_t> {
 protected:
  PairingProperty() : capture_(real_captures()[GetParam()]) {
    follow(capture_, whole_order(capture_), whole_);
  }

  // The pairs without some packets are among those of the whole capture, and ended alike.
  void expect_no_wrong_pair(const Order& order, Pairs& found) {
    follow(capture_, order, found);
    for (auto pair = found.pairs.begin(); pair != found.pairs.end();
         pair = found.pairs.upper_bound(*pair)) {
      ASSERT_LE(found.pairs.count(*pair), whole_.pairs.count(*pair)) << text_of(*pair);
    }
    for (const auto& ended : found.pair_outcomes) {
      if (ended.second.kind == OutcomeKind::unknown) continue;
      const auto [from, to] = whole_.pair_outcomes.equal_range(ended.first);
      ASSERT_TRUE(std::any_of(from, to,
                              [&ended](const auto& known) { return known.second == ended.second; }))
          << text_of(ended.first) << " ended as " << analyzer::connection::word_of(ended.second);
    }
  }

  Order without(std::size_t first, std::size_t count) const {
    Order order;
    for (std::size_t i = 0; i < capture_.packets.size(); ++i)
      if (i < first || i >= first + count) order.push_back(i);
    return order;
  }

  const Capture& capture_;
  Pairs whole_;
};

constexpr std::size_t sampled_answers = 200;

TEST_P(PairingProperty, WithoutOneAnswer) {
  std::vector<std::size_t> answers;
  for (std::size_t i = 0; i < capture_.packets.size(); ++i)
    if (whole_.last_packets.contains(capture_.packets[i].packet.number)) answers.push_back(i);
  std::shuffle(answers.begin(), answers.end(), Random(1));
  if (answers.size() > sampled_answers) answers.resize(sampled_answers);
  for (const std::size_t index : answers) {
    const std::uint64_t packet = capture_.packets[index].packet.number;
    SCOPED_TRACE("without packet " + std::to_string(packet));
    Pairs found;
    expect_no_wrong_pair(without(index, 1), found);
    for (const auto& [pair, outcome] : whole_.pair_outcomes) {
      if (pair.second != packet) continue;
      const auto [from, to] = found.outcomes.equal_range(pair.first);
      // Requests that are alike in all numbers cannot be told apart here.
      if (whole_.outcomes.count(pair.first) > 1) continue;
      ASSERT_TRUE(std::none_of(from, to, [](const auto& end) { return end.second.is_answered(); }))
          << text_of(pair);
    }
    if (HasFatalFailure()) return;
  }
}

TEST_P(PairingProperty, WithoutARun) {
  Random random(7);
  for (int round = 0; round < support::rounds_of(600); ++round) {
    const std::size_t first = random() % capture_.packets.size();
    const std::size_t count = 1 + random() % 30;
    SCOPED_TRACE("without " + std::to_string(count) + " packets from " +
                 std::to_string(capture_.packets[first].packet.number) + " on");
    Pairs found;
    expect_no_wrong_pair(without(first, count), found);
    if (HasFatalFailure()) return;
  }
}

TEST_P(PairingProperty, WithoutSeveralRuns) {
  Random random(13);
  for (int round = 0; round < support::rounds_of(400); ++round) {
    Order order;
    std::size_t lost = 0;
    for (std::size_t i = 0; i < capture_.packets.size(); ++i) {
      if (lost == 0 && random() % 20 == 0) lost = 1 + random() % 6;
      if (lost > 0)
        --lost;
      else
        order.push_back(i);
    }
    SCOPED_TRACE("round " + std::to_string(round));
    Pairs found;
    expect_no_wrong_pair(order, found);
    if (HasFatalFailure()) return;
  }
}

TEST_P(PairingProperty, NeighboursSwapped) {
  Random random(3);
  for (int round = 0; round < 100; ++round) {
    Order order = whole_order(capture_);
    for (std::size_t i = 0; i + 1 < order.size(); ++i)
      if (random() % 10 == 0) std::swap(order[i], order[i + 1]);
    SCOPED_TRACE("round " + std::to_string(round));
    Pairs found;
    expect_no_wrong_pair(order, found);
    if (HasFatalFailure()) return;
  }
}

TEST_P(PairingProperty, PacketsTwice) {
  Random random(5);
  for (int round = 0; round < 100; ++round) {
    Order order;
    for (std::size_t i = 0; i < capture_.packets.size(); ++i) {
      order.push_back(i);
      if (random() % 5 == 0) order.push_back(i - random() % (std::min<std::size_t>(i, 3) + 1));
    }
    SCOPED_TRACE("round " + std::to_string(round));
    Pairs found;
    expect_no_wrong_pair(order, found);
    if (HasFatalFailure()) return;
    // Nothing is missing, so nothing may be lost either.
    EXPECT_EQ(found.pairs, whole_.pairs);
  }
}

// Packets of one direction alone are what an asymmetric route gives.
TEST_P(PairingProperty, OneDirectionPairsNothing) {
  for (const bool from_lower_port : {false, true}) {
    Order order;
    for (std::size_t i = 0; i < capture_.packets.size(); ++i) {
      Packet packet = capture_.packets[i].packet;
      packet.bytes = capture_.packets[i].bytes;
      const analyzer::capture::Decoded decoded = analyzer::capture::decode(packet);
      const auto* segment = std::get_if<analyzer::capture::TcpSegment>(&decoded);
      if (segment == nullptr) continue;
      if ((segment->from.port < segment->to.port) == from_lower_port) order.push_back(i);
    }
    Pairs found;
    follow(capture_, order, found);
    EXPECT_TRUE(found.pairs.empty());
    for (const auto& [key, outcome] : found.outcomes) EXPECT_EQ(outcome.kind, OutcomeKind::unknown);
  }
}

std::string name_of(const testing::TestParamInfo<std::size_t>& parameter) {
  return test_name(real_captures()[parameter.param].name);
}
INSTANTIATE_TEST_SUITE_P(RealCaptures, PairingProperty,
                         testing::Range<std::size_t>(0, real_captures().size()), name_of);

}  // namespace
}  // namespace property
