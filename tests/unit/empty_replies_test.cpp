// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Replies without a byte and without an error: which of them say something, which say that nothing
// was done, and which lack their body; and what both tools' common rules and lines make of each.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "conversation/answer.hpp"
#include "conversation/line.hpp"
#include "conversation/outcome.hpp"
#include "conversation/rules.hpp"
#include "conversation/subject.hpp"
#include "decode/body.hpp"
#include "iggy/exchanges.hpp"
#include "iggy/registry.hpp"
#include "report/frame_lines.hpp"
#include "support/iggy_frames.hpp"
#include "support/iggy_scene.hpp"

namespace iggy {
namespace {

using conversation::OutcomeKind;
using decode::BodyPlan;
using decode::BodyState;
using support::Buffer;

constexpr Generation generations[] = {Generation::v0_11, Generation::v0_12};

decode::Facts reply(std::uint8_t operation, Generation generation, std::uint32_t status = 0) {
  const Buffer frame = support::reply({.operation = operation, .status = status});
  return decode::facts_of(decode::Bytes{frame}.first(256), generation);
}
// As servers answer it when it was done.
std::uint8_t replied(const Exchange& exchange) {
  return exchange.operation == operation::delete_segments ? operation::truncate_partition
                                                          : exchange.operation;
}

std::string line_of(const decode::Facts& facts, Generation generation, std::uint32_t code) {
  conversation::Line line;
  conversation::add_subject(facts, generation, code, {}, conversation::KnownNames{}, line);
  return std::string(line.text());
}

// As upstream's servers write: lists without a count, what is not there, and what says nothing.
const std::set<std::uint32_t> legal{1,   14,  21,  22,  31,  32,  39,  41,  101,
                                    102, 108, 120, 200, 201, 300, 600, 601, 606};

TEST(EmptyReplies, AreLegalOfTheseCommandsAlone) {
  for (const Generation generation : generations)
    for (const Exchange& exchange : exchanges(generation)) {
      const decode::Facts facts = reply(replied(exchange), generation);
      const BodyPlan plan = decode::plan_body(facts, generation, exchange.code, {});
      const bool is_legal = legal.contains(exchange.code);
      EXPECT_EQ(plan.state, is_legal ? BodyState::empty : BodyState::missing) << exchange.name;
      EXPECT_EQ(plan.layout == nullptr, is_legal) << exchange.name;
      EXPECT_EQ(decode::fits(plan, {}), is_legal) << exchange.name;
      const auto outcome = conversation::outcome_of(facts, generation, exchange.code, {});
      EXPECT_EQ(outcome.kind, is_legal ? OutcomeKind::ok : OutcomeKind::unknown) << exchange.name;
      EXPECT_EQ(line_of(facts, generation, exchange.code) == "body is missing", !is_legal)
          << exchange.name;
    }
}

TEST(EmptyReplies, SayInOneProblemWhatTheirFirstRowNeeds) {
  struct Sink : decode::Check {
    void problem(const decode::Problem& problem) { told.push_back(problem); }
    std::vector<decode::Problem> told;
  };
  for (const Generation generation : generations)
    for (const Exchange& exchange : exchanges(generation)) {
      const BodyPlan plan =
          decode::plan_body(reply(replied(exchange), generation), generation, exchange.code, {});
      if (plan.state != BodyState::missing) continue;
      Sink sink;
      decode::read_body(plan, {}, false, sink);
      ASSERT_EQ(sink.told.size(), 1U) << exchange.name;
      const decode::Problem& problem = sink.told.front();
      EXPECT_EQ(problem.kind, decode::ProblemKind::too_short);
      ASSERT_NE(problem.field, nullptr);
      EXPECT_NE(problem.field->kind, describe::Kind::group);
      EXPECT_EQ(problem.offset, 0U);
      EXPECT_GE(problem.needed, 1U);
      EXPECT_EQ(problem.available, 0U);
    }
}

TEST(EmptyReplies, AreNotJudgedWhereNothingIsKnown) {
  constexpr auto poll = command_code("message.poll");
  const auto state = [](std::uint8_t operation, Generation generation, std::uint32_t code,
                        std::uint32_t status = 0) {
    return decode::plan_body(reply(operation, generation, status), generation, code, {}).state;
  };
  EXPECT_EQ(state(2, Generation::v0_11, poll), BodyState::missing);
  EXPECT_EQ(state(2, Generation::v0_11, poll, 58), BodyState::empty);
  EXPECT_EQ(state(2, Generation::v0_11, 0), BodyState::empty);
  EXPECT_EQ(state(2, Generation::v0_11, 9999), BodyState::empty);
  EXPECT_EQ(state(2, Generation::va, poll), BodyState::empty);
  // Its own operation tells of it, without its request.
  EXPECT_EQ(state(64, Generation::v0_11, 0), BodyState::missing);
  EXPECT_EQ(state(160, Generation::v0_11, 0), BodyState::empty);
}

TEST(EmptyReplies, OfALoginAreNoLogin) {
  for (const Generation generation :
       {Generation::v0, Generation::va, Generation::v0_11, Generation::v0_12}) {
    const decode::Facts facts = reply(1, generation);
    EXPECT_EQ(conversation::outcome_of(facts, generation, 40, {}).kind, OutcomeKind::unknown);
    EXPECT_EQ(decode::plan_body(facts, generation, 40, {}).state, BodyState::missing);
  }
}

conversation::AnswerFacts told(std::uint8_t operation, std::uint32_t code) {
  return conversation::answer_facts_of(reply(operation, Generation::v0_11), Generation::v0_11, code,
                                       {});
}

TEST(EmptyReplies, SayThatNothingWasDone) {
  const std::string undone = "empty reply: nothing was done";
  for (const std::uint32_t code : {39U, 40U, 45U}) {
    EXPECT_TRUE(told(2, code).is_undone);
    EXPECT_EQ(line_of(reply(2, Generation::v0_11), Generation::v0_11, code), undone);
  }
  EXPECT_TRUE(told(138, 503).is_undone);
  EXPECT_EQ(line_of(reply(138, Generation::v0_11), Generation::v0_11, 503), undone);
  EXPECT_FALSE(told(3, 39).is_undone);
  EXPECT_EQ(line_of(reply(3, Generation::v0_11), Generation::v0_11, 39), "");
  EXPECT_FALSE(told(68, 503).is_undone);
  EXPECT_FALSE(told(160, 101).is_undone);
  EXPECT_EQ(line_of(reply(160, Generation::v0_11), Generation::v0_11, 101), "empty reply");
}

TEST(EmptyReplies, ADeletionThatWasNotReadIsAnUnreadChange) {
  conversation::Ended ended;
  ended.asked.operation = operation::delete_segments;
  ended.asked.code = command_code("segment.delete");
  ended.client = ended.server = Generation::v0_11;
  ended.outcome = {OutcomeKind::ok, 0};
  EXPECT_EQ(conversation::finding_of_pair(ended), std::nullopt);
  ended.answer = told(138, ended.asked.code);
  EXPECT_EQ(conversation::finding_of_pair(ended), conversation::FindingId::invalid_metadata_body);
  ended.answer = {};
  ended.outcome = {OutcomeKind::status, status::invalid_command};
  EXPECT_EQ(conversation::finding_of_pair(ended), conversation::FindingId::invalid_metadata_body);
}

TEST(EmptyReplies, ASessionCommandThatCameAsAReadIsNotServed) {
  conversation::Ended ended;
  ended.client = ended.server = Generation::v0_11;
  ended.outcome = {OutcomeKind::ok, 0};
  for (const std::uint32_t code :
       {code::logout, code::login_register, code::login_register_with_token}) {
    ended.asked.operation = operation::non_replicated;
    ended.asked.code = code;
    ended.answer = told(2, code);
    EXPECT_EQ(conversation::finding_of_pair(ended),
              conversation::FindingId::unknown_or_unsupported_command);
    EXPECT_EQ(conversation::unserved_by(ended.server, ended.session, ended.asked, ended.outcome),
              conversation::Unserved::other_operation);
  }
  // A logout is answered with nothing where it has its operation.
  ended.asked.operation = operation::logout;
  ended.asked.code = code::logout;
  ended.answer = told(3, code::logout);
  EXPECT_EQ(conversation::finding_of_pair(ended), std::nullopt);
}

TEST(EmptyReplies, ALogoutThatCameAsAReadEndsNoSession) {
  conversation::SessionState session;
  conversation::Asked asked;
  asked.operation = operation::non_replicated;
  asked.code = code::logout;
  session.is_logged_in = true;
  conversation::take_end(session, nullptr, asked, {OutcomeKind::ok, 0});
  EXPECT_TRUE(session.is_logged_in);
  EXPECT_FALSE(session.saw_logout);
}

TEST(EmptyReplies, ShowInTheLinesOfFrames) {
  std::vector<std::string> texts;
  analyzer::report::LineOptions options;
  options.json = true;
  analyzer::report::FrameLines lines(options, [&texts](std::string_view line) {
    texts.emplace_back(line);
    return true;
  });
  support::Scene scene(lines);
  lines.start_at(scene.now());
  support::Talk talk(scene);
  talk.client(support::login(support::password_body()));
  talk.server(support::login_reply());
  talk.client(support::read(command_code("stats"), 2));
  talk.server(support::reply({.number = 2}));
  scene.finish();
  ASSERT_EQ(texts.size(), 4U);
  const auto request = nlohmann::json::parse(texts[2]);
  const auto answer = nlohmann::json::parse(texts[3]);
  EXPECT_EQ(request["outcome"], "unknown");
  EXPECT_EQ(answer["name"], "stats");
  EXPECT_EQ(answer["body"], nlohmann::json::object());
  ASSERT_EQ(answer["problems"].size(), 1U);
  const auto& problem = answer["problems"][0];
  EXPECT_EQ(problem["problem"], "too_short");
  EXPECT_EQ(problem["in"], "body");
  EXPECT_EQ(problem["field"], "process_id");
  EXPECT_EQ(problem["offset"], 256);
  EXPECT_EQ(problem["needed"], 4);
  EXPECT_EQ(problem["available"], 0);
}

}  // namespace
}  // namespace iggy
