// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The words for outcomes, and what an answer says of the one it ends.
#include "conversation/outcome.hpp"

#include <gtest/gtest.h>

#include <array>

#include "connection/outcome.hpp"
#include "iggy/registry.hpp"

namespace iggy::conversation {
namespace {

decode::Facts reply(std::uint8_t operation, std::uint32_t status) {
  decode::Facts facts;
  facts.command = static_cast<std::uint8_t>(Command::Reply);
  facts.operation = operation;
  facts.status = status;
  return facts;
}

std::string told(const decode::Facts& facts, decode::Window body) {
  return analyzer::connection::word_of(outcome_of(facts, Generation::v0_11, 0, body));
}

TEST(Outcomes, OfReplies) {
  EXPECT_EQ(told(reply(operation::non_replicated, 0), {}), "ok");
  EXPECT_EQ(told(reply(operation::non_replicated, 40), {}), "status 40");
  constexpr std::uint8_t create_stream = 128;
  const std::array<std::byte, 12> rejection{std::byte{1},    {},           {}, {}, {}, {}, {}, {},
                                            std::byte{0xf4}, std::byte{3}, {}, {}};
  EXPECT_EQ(told(reply(create_stream, 0), decode::whole(rejection)), "result 1012");
  EXPECT_EQ(told(reply(create_stream, 0), {decode::Bytes(rejection).first(8), 12}), "unknown");
  EXPECT_EQ(told(reply(create_stream, 0), decode::whole(decode::Bytes(rejection).subspan(1, 4))),
            "ok");
  EXPECT_EQ(told(reply(create_stream, 0), {}), "unknown");
}

TEST(Outcomes, OfEvictions) {
  decode::Facts facts;
  facts.command = static_cast<std::uint8_t>(Command::Eviction);
  facts.reason = 14;
  EXPECT_EQ(told(facts, {}), "evicted 14");
}

TEST(Outcomes, OfAbsence) {
  using analyzer::connection::word_of;
  EXPECT_EQ(word_of(Outcome{OutcomeKind::unanswered, 0}), "unanswered");
  EXPECT_EQ(word_of(Outcome{OutcomeKind::pending, 0}), "pending");
  EXPECT_EQ(word_of(Outcome{OutcomeKind::unknown, 0}), "unknown");
  EXPECT_TRUE((Outcome{OutcomeKind::unanswered, 0}).is_failure());
  EXPECT_FALSE((Outcome{OutcomeKind::unanswered, 0}).is_answered());
}

}  // namespace
}  // namespace iggy::conversation
