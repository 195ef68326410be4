// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Requests and answers in whatever order they are delivered, holes between them, and the bounds.
#include "conversation/exchanges.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "connection/frame.hpp"

namespace analyzer::connection {
namespace {

using iggy::conversation::Outstanding;
using iggy::conversation::PairingRules;

class ExchangesTest : public testing::Test {
 protected:
  // Requests are named by their packet. Each is 100 bytes long and follows the one before.
  void ask(std::uint64_t packet, std::uint8_t operation, std::uint64_t number,
           std::uint64_t acknowledged = 0) {
    Request request;
    request.packet = packet;
    request.operation = operation;
    request.number = number;
    Outstanding key;
    key.operation = operation;
    key.request = number;
    key.begin = sent;
    key.end = sent += 100;
    key.acknowledged = acknowledged;
    exchanges.ask(request, key, server, ended);
  }
  // An answer that acknowledges all that was sent so far, unless told otherwise.
  void answer(std::uint64_t packet, std::uint8_t operation, std::uint64_t number) {
    exchanges.answer(record(packet, operation, number, sent), server, ended);
  }
  AnswerRecord record(std::uint64_t packet, std::uint8_t operation, std::uint64_t number,
                      std::uint64_t acknowledged) const {
    AnswerRecord made;
    made.key.operation = operation;
    made.key.request = number;
    made.key.acknowledged = acknowledged;
    made.outcome = {OutcomeKind::ok, 0};
    made.place.packet = packet;
    made.begin = answered;
    return made;
  }
  void evict(std::uint8_t reason) {
    AnswerRecord made;
    made.key.is_eviction = true;
    made.key.reason = reason;
    made.outcome = {OutcomeKind::evicted, reason};
    made.place.packet = 99;
    exchanges.answer(made, server, ended);
  }
  // "request outcome answer", for each that ended.
  std::vector<std::string> told() const {
    std::vector<std::string> all;
    for (const Resolution& each : ended)
      all.push_back(std::to_string(each.request.packet) + " " + word_of(each.outcome) +
                    (each.answer ? " " + std::to_string(each.answer->place.packet) : ""));
    return all;
  }

  using Told = std::vector<std::string>;
  Exchanges exchanges;
  PairingRules server{Generation::v0_11};
  std::vector<Resolution> ended;
  std::uint64_t sent = 0;
  std::uint64_t answered = 0;  // offset of the next answer in the server's stream
};

TEST_F(ExchangesTest, AnswerEndsItsRequest) {
  ask(1, 2, 1);
  EXPECT_EQ(exchanges.waiting(), 1U);
  answer(2, 2, 1);
  EXPECT_EQ(told(), Told{"1 ok 2"});
  EXPECT_EQ(exchanges.waiting(), 0U);
}

TEST_F(ExchangesTest, AnswerEndsOlderOnes) {
  ask(1, 2, 1);
  ask(2, 160, 2);
  ask(3, 128, 3);
  ask(4, 2, 4);
  answer(5, 2, 4);
  EXPECT_EQ(told(), (Told{"4 ok 5", "1 unanswered", "3 unanswered"}));
  answer(6, 160, 2);
  EXPECT_EQ(told().back(), "2 ok 6");
}

// Nothing comes back, and the request that has the same number keeps its answer.
TEST_F(ExchangesTest, OneWayRequestsWaitForNothing) {
  server = PairingRules{Generation::v0_12};
  ask(1, 2, 16);
  iggy::decode::Facts cancel;
  cancel.command = static_cast<std::uint8_t>(iggy::Command::Request);
  cancel.operation = iggy::operation::non_replicated;
  cancel.code = 108;
  cancel.request = 16;
  cancel.client = {1, 0};
  const Outstanding key = iggy::conversation::outstanding_of(cancel);
  EXPECT_FALSE(is_one_way(Generation::v0_11, key));
  Request request;
  request.packet = 2;
  exchanges.ask(request, key, server, ended);
  EXPECT_EQ(told(), Told{"2 one-way"});
  answer(3, 2, 16);
  EXPECT_EQ(told().back(), "1 ok 3");
}

TEST_F(ExchangesTest, UnknownAnswerEndsNothing) {
  ask(1, 2, 1);
  answer(2, 2, 7);
  EXPECT_TRUE(ended.empty());
  EXPECT_EQ(exchanges.waiting(), 1U);
}

TEST_F(ExchangesTest, AnswerBeforeItsRequest) {
  exchanges.answer(record(2, 2, 1, 100), server, ended);
  EXPECT_TRUE(ended.empty());
  ask(1, 2, 1);
  EXPECT_EQ(told(), Told{"1 ok 2"});
}

TEST_F(ExchangesTest, EarlyAnswersInTheirOrder) {
  exchanges.answer(record(11, 2, 1, 100), server, ended);
  exchanges.answer(record(12, 2, 1, 200), server, ended);
  ask(1, 2, 1);
  ask(2, 2, 1);
  EXPECT_EQ(told(), (Told{"1 ok 11", "2 ok 12"}));
}

TEST_F(ExchangesTest, EarlyAnswersInAnyOrderThatTheServerMayAnswerIn) {
  const auto ask_three = [this](std::uint8_t operation) {
    sent = 0;
    ended.clear();
    exchanges = {};
    exchanges.answer(record(10, operation, 3, 300), server, ended);
    exchanges.answer(record(11, operation, 1, 300), server, ended);
    exchanges.answer(record(12, operation, 2, 300), server, ended);
    ask(1, operation, 1);
    ask(2, operation, 2);
    ask(3, operation, 3);
    return told();
  };
  const Told all{"1 ok 11", "2 ok 12", "3 ok 10"};
  EXPECT_EQ(ask_three(160), all);  // sends of one connection go to partitions of their own
  EXPECT_EQ(ask_three(2),
            (Told{"1 ok 11", "2 ok 12"}));  // what was answered first, was asked first
  server.generation = Generation::v0_12;
  EXPECT_EQ(ask_three(2), all);
}

TEST_F(ExchangesTest, EarlyAnswerThatDoesNotReachTheRequestIsAnothers) {
  exchanges.answer(record(11, 2, 1, 50), server, ended);
  ask(1, 2, 1);
  EXPECT_TRUE(ended.empty());
  exchanges.answer(record(12, 2, 1, no_acknowledgement), server, ended);
  EXPECT_EQ(told(), Told{"1 ok 12"});
}

TEST_F(ExchangesTest, EarlyEvictionThatCameUnaskedIsForgotten) {
  evict(13);
  ask(1, 128, 1);
  EXPECT_TRUE(ended.empty());
}

TEST_F(ExchangesTest, EvictionOf011EndsOne) {
  ask(1, 128, 1);
  ask(2, 128, 2);
  evict(1);
  EXPECT_EQ(told(), Told{"1 evicted 1 99"});
}

TEST_F(ExchangesTest, EvictionOf012EndsAll) {
  server.generation = Generation::v0_12;
  ask(1, 2, 1);
  ask(2, 128, 2);
  evict(13);
  EXPECT_EQ(told(), (Told{"1 evicted 13", "2 evicted 13"}));
  EXPECT_EQ(exchanges.waiting(), 0U);
}

TEST_F(ExchangesTest, HoleHidesWhatWasAskedBeforeIt) {
  ask(1, 2, 1, 1'000);
  ask(2, 2, 2, 1'500);
  exchanges.hide(1'000, 1'500, server, ended);
  EXPECT_EQ(told(), Told{"1 unknown"});
  EXPECT_EQ(exchanges.waiting(), 1U);
}

// In 0.12 the number alone tells whose answer it is.
TEST_F(ExchangesTest, NumberedRequestsAreAnsweredAcrossAHole) {
  server.generation = Generation::v0_12;
  ask(1, 2, 1, 1'000);
  ask(2, 2, 2, 1'000);
  exchanges.hide(1'000, 1'500, server, ended);
  ask(3, 2, 3, 1'200);  // delivered late
  answer(12, 2, 2);
  answer(13, 2, 3);
  EXPECT_EQ(told(), (Told{"2 ok 12", "3 ok 13"}));
  exchanges.end_all([](const Request&) { return Outcome{OutcomeKind::unanswered, 0}; }, ended);
  EXPECT_EQ(told(), (Told{"2 ok 12", "3 ok 13", "1 unknown"}));
}

TEST_F(ExchangesTest, RequestAskedAgainBehindAHoleIsAnotherOne) {
  server.generation = Generation::v0_12;
  ask(1, 2, 1, 1'000);
  exchanges.hide(1'000, 1'500, server, ended);
  ask(2, 2, 1, 1'500);
  answer(12, 2, 1);
  EXPECT_EQ(told(), (Told{"1 unknown", "2 ok 12"}));
}

TEST_F(ExchangesTest, RequestDeliveredBehindAHoleIsHiddenByIt) {
  exchanges.hide(1'000, 1'500, server, ended);
  answered = 1'500;
  exchanges.answer(record(11, 2, 1, 500), server, ended);
  ask(1, 2, 1, 1'000);
  EXPECT_EQ(told(), Told{"1 unknown"});
}

TEST_F(ExchangesTest, AnswerInFrontOfAHoleStillCounts) {
  answered = 900;
  exchanges.answer(record(11, 2, 1, 500), server, ended);
  exchanges.hide(1'000, 1'500, server, ended);
  ask(1, 2, 1, 900);
  EXPECT_EQ(told(), Told{"1 ok 11"});
}

TEST_F(ExchangesTest, RequestSentBehindAHoleIsNotHidden) {
  exchanges.hide(1'000, 1'500, server, ended);
  ask(1, 2, 1, 1'500);
  EXPECT_TRUE(ended.empty());
  answer(2, 2, 1);
  EXPECT_EQ(told(), Told{"1 ok 2"});
}

TEST_F(ExchangesTest, ManyHolesAreBounded) {
  for (std::uint64_t i = 1; i <= 1'000; ++i) exchanges.hide(i * 100, i * 100 + 10, server, ended);
  ask(1, 2, 1, 100'005);
  EXPECT_EQ(told(), Told{"1 unknown"});
  ask(2, 2, 2, 100'010);
  EXPECT_EQ(exchanges.waiting(), 1U);
}

TEST_F(ExchangesTest, WaitingRequestsAreBounded) {
  ask(0, 2, 0);
  answer(0, 2, 0);
  ended.clear();
  for (std::uint64_t i = 1; i <= 1'024; ++i) ask(i, 2, i);
  EXPECT_EQ(exchanges.dropped(), 0U);
  ask(1'025, 2, 1'025);
  const Told ended_ones = told();
  ASSERT_EQ(ended_ones.size(), 256U);
  EXPECT_EQ(ended_ones.front(), "1 unknown");
  EXPECT_EQ(ended_ones.back(), "256 unknown");
  EXPECT_EQ(exchanges.dropped(), 256U);
  EXPECT_EQ(exchanges.waiting(), 769U);
}

TEST_F(ExchangesTest, AServerThatIsNotHeardLeavesFewerWaiting) {
  for (std::uint64_t i = 1; i <= 10'000; ++i) ask(i, 2, i);
  EXPECT_LE(exchanges.waiting(), 128U);
  EXPECT_EQ(exchanges.waiting() + exchanges.dropped(), 10'000U);
}

TEST_F(ExchangesTest, AnEarlyAnswerThatWasForgottenLeavesItsRequestUnknown) {
  for (std::uint64_t i = 1; i <= 257; ++i) exchanges.answer(record(i, 2, 1, 100), server, ended);
  ask(1, 2, 1);
  EXPECT_EQ(told(), Told{"1 unknown"});  // the first of the answers was its own
}

TEST_F(ExchangesTest, EarlyAnswersWithinTheBoundPair) {
  for (std::uint64_t i = 1; i <= 256; ++i) exchanges.answer(record(i, 2, 1, 100), server, ended);
  ask(1, 2, 1);
  EXPECT_EQ(told(), Told{"1 ok 1"});
}

TEST_F(ExchangesTest, EndAllAsksTheJudge) {
  ask(1, 2, 1);
  ask(2, 2, 2);
  exchanges.end_all(
      [](const Request& request) {
        return Outcome{request.packet == 1 ? OutcomeKind::unanswered : OutcomeKind::pending, 0};
      },
      ended);
  EXPECT_EQ(told(), (Told{"1 unanswered", "2 pending"}));
  EXPECT_EQ(exchanges.waiting(), 0U);
}

TEST_F(ExchangesTest, FindLooksWithoutEnding) {
  ask(1, 2, 1);
  const Request* found = exchanges.find(record(2, 2, 1, 100).key, server);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->packet, 1U);
  EXPECT_EQ(exchanges.find(record(2, 2, 9, 100).key, server), nullptr);
  EXPECT_EQ(exchanges.waiting(), 1U);
}

}  // namespace
}  // namespace analyzer::connection
