// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Each rule of pairing: which request an answer belongs to, and what its coming says of others.
#include "conversation/pairing.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

#include "iggy/registry.hpp"

namespace iggy::conversation {
namespace {

using Waiting = std::vector<Outstanding>;

Outstanding asked(std::uint8_t operation, std::uint64_t number, std::uint32_t code = 0) {
  Outstanding request;
  request.operation = operation;
  request.request = number;
  request.code = code;
  return request;
}

Answer replied(std::uint8_t operation, std::uint64_t number) {
  Answer answer;
  answer.operation = operation;
  answer.request = number;
  return answer;
}

Answer evicted(std::uint8_t reason) {
  Answer answer;
  answer.is_eviction = true;
  answer.reason = reason;
  return answer;
}

std::size_t in_0_11(const Waiting& waiting, const Answer& answer) {
  return answered_by(waiting, answer, Generation::v0_11);
}

TEST(Pairing, NothingWaits) {
  EXPECT_EQ(in_0_11({}, replied(2, 1)), no_request);
  EXPECT_EQ(in_0_11({}, evicted(1)), no_request);
}

TEST(Pairing, ByOperationAndNumber) {
  const Waiting waiting = {asked(128, 7), asked(2, 7), asked(2, 8)};
  EXPECT_EQ(in_0_11(waiting, replied(2, 7)), 1U);
  EXPECT_EQ(in_0_11(waiting, replied(2, 8)), 2U);
  EXPECT_EQ(in_0_11(waiting, replied(128, 7)), 0U);
  EXPECT_EQ(in_0_11(waiting, replied(128, 8)), no_request);
  EXPECT_EQ(in_0_11(waiting, replied(129, 7)), no_request);
}

TEST(Pairing, TheOldestOfEqualOnes) {
  const Waiting waiting = {asked(2, 3, 100), asked(2, 3, 1), asked(2, 3, 100)};
  EXPECT_EQ(in_0_11(waiting, replied(2, 3)), 0U);
}

// A client that gave up asks the same again. What is answered late goes to the first one then.
TEST(Pairing, TheLastOneThatWasAskedAgain) {
  constexpr std::int64_t limit = 30;
  const auto at = [](Outstanding request, std::int64_t time) {
    request.time = time;
    request.given_up = time + limit;
    return request;
  };
  const auto second = [&](std::uint8_t operation, std::uint64_t number, std::int64_t time) {
    return at(asked(operation, number), time);
  };
  for (const Generation server : {Generation::v0_11, Generation::v0_12}) {
    const Outstanding first = at(asked(128, 3), 0);
    const auto found = [&](const Outstanding& later) {
      return answered_by(Waiting{first, later}, replied(128, 3), server);
    };
    EXPECT_EQ(found(second(128, 3, limit)), 1U);
    EXPECT_EQ(found(second(128, 3, limit - 1)), 0U);
    EXPECT_EQ(found(second(130, 3, limit)), 0U);
    EXPECT_EQ(found(second(128, 4, limit)), 0U);
  }
  // Reads have the number of the write that comes next.
  const Waiting reads = {at(asked(2, 3, 100), 0), second(2, 3, limit)};
  EXPECT_EQ(in_0_11(reads, replied(2, 3)), 0U);
}

TEST(Pairing, CommittedRepliesCarryTheServersOperation) {
  EXPECT_EQ(in_0_11({asked(132, 1)}, replied(64, 1)), 0U);
  EXPECT_EQ(in_0_11({asked(136, 1)}, replied(65, 1)), 0U);
  EXPECT_EQ(in_0_11({asked(138, 1)}, replied(68, 1)), 0U);
  // Refused before the commit, they carry the client's.
  EXPECT_EQ(in_0_11({asked(132, 1)}, replied(132, 1)), 0U);
  EXPECT_EQ(in_0_11({asked(136, 1)}, replied(65, 2)), no_request);
  EXPECT_EQ(in_0_11({asked(136, 1)}, replied(64, 1)), no_request);
}

// A client may send the server's own operation 68, which is answered as it is.
TEST(Pairing, InternalOperationOfAClient) {
  EXPECT_EQ(in_0_11({asked(68, 1)}, replied(68, 1)), 0U);
}

TEST(Pairing, PartitionsSayAtLeastOne) {
  EXPECT_EQ(in_0_11({asked(160, 0)}, replied(160, 1)), 0U);
  EXPECT_EQ(in_0_11({asked(161, 0)}, replied(161, 1)), 0U);
  EXPECT_EQ(in_0_11({asked(160, 0)}, replied(160, 0)), 0U);
  EXPECT_EQ(in_0_11({asked(160, 0)}, replied(160, 2)), no_request);
  EXPECT_EQ(in_0_11({asked(160, 1)}, replied(160, 0)), no_request);
  // Others echo the number.
  EXPECT_EQ(in_0_11({asked(2, 0)}, replied(2, 1)), no_request);
  EXPECT_EQ(in_0_11({asked(128, 0)}, replied(128, 1)), no_request);
}

TEST(Pairing, SilentlyDroppedFramesAreNeverAnswered) {
  Waiting waiting = {asked(2, 1), asked(2, 1)};
  waiting[0].client_is_zero = true;
  EXPECT_EQ(in_0_11(waiting, replied(2, 1)), 1U);
  EXPECT_EQ(answered_by(waiting, replied(2, 1), Generation::v0_12), 1U);
  waiting[1].client_is_zero = true;
  EXPECT_EQ(in_0_11(waiting, replied(2, 1)), no_request);
}

// As the server shows to be by the answer at hand, whatever it was taken for before.
TEST(Pairing, OnlyA012ServerAnswersWhatOnly012Has) {
  EXPECT_EQ(in_0_11({asked(150, 1)}, replied(150, 1)), no_request);
  EXPECT_EQ(answered_by(Waiting{asked(150, 1)}, replied(73, 1), Generation::v0_12), 0U);
  Waiting cancel = {asked(2, 1)};
  cancel[0].code = 108;
  EXPECT_EQ(in_0_11(cancel, replied(2, 1)), 0U);  // refused
  EXPECT_EQ(answered_by(cancel, replied(2, 1), Generation::v0_12), no_request);
}

TEST(Pairing, AnAnswerAcknowledgesItsRequest) {
  Waiting waiting = {asked(2, 1)};
  waiting[0].end = 512;
  Answer answer = replied(2, 1);
  answer.acknowledged = 511;
  EXPECT_EQ(in_0_11(waiting, answer), no_request);
  answer.acknowledged = 512;
  EXPECT_EQ(in_0_11(waiting, answer), 0U);
  answer.acknowledged = no_acknowledgement;
  EXPECT_EQ(in_0_11(waiting, answer), 0U);
  Answer eviction = evicted(1);
  eviction.acknowledged = 511;
  waiting[0].operation = 128;
  EXPECT_EQ(in_0_11(waiting, eviction), no_request);
}

// For each reason one request of each kind: which of them it can answer.
enum Kind : unsigned {
  ping = 1,
  old_login = 2,
  old_token_login = 4,
  login = 8,
  logout = 16,
  internal = 32,
  metadata = 64,
  partition = 128
};
struct Kinded {
  Kind kind;
  Outstanding request;
};
const Kinded one_of_each[] = {
    {ping, asked(2, 1, 1)},    {old_login, asked(2, 1, 38)}, {old_token_login, asked(2, 1, 44)},
    {login, asked(1, 0)},      {logout, asked(3, 1)},        {internal, asked(64, 1)},
    {metadata, asked(128, 1)}, {partition, asked(160, 1)},
};

unsigned answerable_kinds(std::uint8_t reason) {
  unsigned kinds = 0;
  for (const Kinded& each : one_of_each)
    if (in_0_11({each.request}, evicted(reason)) == 0) kinds |= each.kind;
  return kinds;
}

TEST(Pairing, EvictionsByReason) {
  constexpr unsigned logins = login | old_login | old_token_login;
  constexpr unsigned replicated = logout | internal | metadata | partition;
  for (const unsigned reason : {9U, 10U, 11U, 12U, 14U, 15U})
    EXPECT_EQ(answerable_kinds(static_cast<std::uint8_t>(reason)), logins) << reason;
  EXPECT_EQ(answerable_kinds(1), replicated);
  EXPECT_EQ(answerable_kinds(7), replicated | login);
  EXPECT_EQ(answerable_kinds(4), unsigned{internal} | metadata);
  EXPECT_EQ(answerable_kinds(5), unsigned{internal} | metadata);
  EXPECT_EQ(answerable_kinds(13), 0U);
}

TEST(Pairing, EvictionsAnswerTheOldest) {
  const Waiting waiting = {asked(2, 1, 1), asked(128, 2), asked(160, 3), asked(1, 0)};
  EXPECT_EQ(in_0_11(waiting, evicted(1)), 1U);
  EXPECT_EQ(in_0_11(waiting, evicted(9)), 3U);
  EXPECT_EQ(in_0_11(waiting, evicted(13)), no_request);
}

TEST(Pairing, OlderGenerationsPairAs011) {
  const Waiting waiting = {asked(2, 7), asked(128, 7)};
  EXPECT_EQ(answered_by(waiting, replied(128, 7), Generation::va), 1U);
  EXPECT_EQ(answered_by(waiting, replied(128, 7), Generation::v0), 1U);
}

TEST(Pairing, LegacyByOrderAlone) {
  const Waiting waiting = {asked(2, 0, 100), asked(2, 0, 1)};
  EXPECT_EQ(answered_by(waiting, replied(0, 99), Generation::legacy), 0U);
}

TEST(Pairing, By012NumberInAnyOrder) {
  const Waiting waiting = {asked(2, 4, 100), asked(160, 5), asked(2, 6, 1)};
  EXPECT_EQ(answered_by(waiting, replied(2, 6), Generation::v0_12), 2U);
  EXPECT_EQ(answered_by(waiting, replied(160, 5), Generation::v0_12), 1U);
  EXPECT_EQ(answered_by(waiting, replied(2, 7), Generation::v0_12), no_request);
  // The number must be right where 0.11 takes 1 for 0.
  EXPECT_EQ(answered_by(Waiting{asked(160, 0)}, replied(160, 1), Generation::v0_12), no_request);
}

TEST(Pairing, EvictionOf012EndsAll) {
  EXPECT_TRUE(eviction_ends_all(Generation::v0_12));
  EXPECT_FALSE(eviction_ends_all(Generation::v0_11));
  EXPECT_FALSE(eviction_ends_all(Generation::va));
  EXPECT_FALSE(eviction_ends_all(Generation::legacy));
  EXPECT_EQ(answered_by(Waiting{asked(2, 1, 1), asked(1, 0)}, evicted(9), Generation::v0_12), 1U);
}

TEST(Pairing, ServersWorkInOrderBut) {
  const auto ends = [](std::uint8_t older, std::uint8_t answered) {
    return ends_unanswered(asked(older, 1), asked(answered, 2), Generation::v0_11);
  };
  EXPECT_TRUE(ends(2, 2));
  EXPECT_TRUE(ends(128, 2));
  EXPECT_TRUE(ends(1, 3));
  // Partition commands and the deletion of segments overtake and are overtaken.
  EXPECT_FALSE(ends(160, 2));
  EXPECT_FALSE(ends(2, 160));
  EXPECT_FALSE(ends(138, 2));
  EXPECT_FALSE(ends(2, 138));
  EXPECT_FALSE(ends(162, 161));
}

TEST(Pairing, OrderInOtherGenerations) {
  EXPECT_TRUE(ends_unanswered(asked(160, 1), asked(2, 2), Generation::legacy));
  EXPECT_TRUE(ends_unanswered(asked(2, 1), asked(2, 2), Generation::va));
  EXPECT_FALSE(ends_unanswered(asked(2, 1), asked(2, 2), Generation::v0_12));
}

TEST(Pairing, HolesHideWhatWasAskedBeforeThem) {
  Outstanding request = asked(2, 1);
  request.acknowledged = 1'000;
  EXPECT_TRUE(may_be_hidden(request, 1'001));
  EXPECT_FALSE(may_be_hidden(request, 1'000));  // it had the hole's bytes when it asked
  EXPECT_FALSE(may_be_hidden(request, 10));
  request.acknowledged = no_acknowledgement;
  EXPECT_TRUE(may_be_hidden(request, 0));
  request.acknowledged = 1'000;
  EXPECT_TRUE(may_be_hidden(request, no_acknowledgement));  // everything from here on is lost
}

TEST(Pairing, FramesThatServersDrop) {
  EXPECT_FALSE(is_answerable(Generation::v0_11, 2, true));  // client 0
  EXPECT_FALSE(is_answerable(Generation::v0_11, 0, false));
  EXPECT_FALSE(is_answerable(Generation::v0_11, 200, false));
  EXPECT_FALSE(is_answerable(Generation::v0_11, 150, false));
  EXPECT_TRUE(is_answerable(Generation::v0_11, 2, false));
  EXPECT_TRUE(is_answerable(Generation::v0_11, 64, false));  // refused with an eviction
  EXPECT_FALSE(is_answerable(Generation::v0_12, 2, true));
  EXPECT_FALSE(is_answerable(Generation::v0_12, 0, false));
  EXPECT_TRUE(is_answerable(Generation::v0_12, 200, false));  // answered with status 3
  EXPECT_TRUE(is_answerable(Generation::legacy, 2, true));
}

}  // namespace
}  // namespace iggy::conversation
