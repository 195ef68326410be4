// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The one line of a frame: its form.
#include "conversation/summary.hpp"

#include <gtest/gtest.h>

#include <string>

#include "support/iggy_frames.hpp"

namespace iggy::conversation {
namespace {

using decode::Bytes;
using support::Buffer;

SummaryInput input_of(const Buffer& frame, std::string_view name = {}) {
  SummaryInput input;
  input.generation = Generation::v0_11;
  input.facts = decode::facts_of(Bytes{frame}.first(256), input.generation);
  input.name = name;
  input.code = input.facts.code;
  return input;
}
std::string line_of(const SummaryInput& input) {
  Line line;
  summarise(input, line);
  return std::string(line.text());
}

TEST(Summary, Requests) {
  EXPECT_EQ(line_of(input_of(support::request({.operation = 132, .number = 7}), "topic.create")),
            "topic.create #7");
  EXPECT_EQ(line_of(input_of(support::read(999, 3))), "code 999 #3");
  EXPECT_EQ(line_of(input_of(support::request({.operation = 200}))), "operation 200 #1");
  EXPECT_EQ(line_of(input_of(support::request({.operation = 64}))),
            "CreateTopicWithAssignments #1");
}

TEST(Summary, WhatNamesNoCommand) {
  EXPECT_EQ(line_of(input_of(support::read(0, 3))), "code 0 #3");
  SummaryInput input = input_of(support::reply({.operation = 64, .number = 7}), "topic.create");
  input.is_answer_to_known = true;
  input.is_result_known = false;
  EXPECT_EQ(line_of(input), "unknown result topic.create #7");
  SummaryInput last;
  last.facts.form = decode::Form::legacy_reply;
  last.facts.status = 8;
  EXPECT_EQ(line_of(last), "8 Disconnected (unasked)");
}

TEST(Summary, Subjects) {
  SummaryInput input = input_of(support::request({.operation = 132, .number = 7}), "topic.create");
  input.subject = "orders/invoices";
  EXPECT_EQ(line_of(input), "topic.create #7 orders/invoices");
  input = input_of(support::prepare({.op = 17, .operation = 128}));
  input.subject = "\"orders\"";
  EXPECT_EQ(line_of(input), "Prepare metadata op 17 CreateStream \"orders\"");
}

TEST(Summary, Logins) {
  const Buffer frame = support::login(support::password_body());
  SummaryInput input = input_of(frame, "user.login_register");
  Line subject;
  add_body(input, decode::whole(Bytes{frame}.subspan(256)), {}, subject);
  EXPECT_EQ(line_of(input), "user.login_register \"iggy\" rust-sdk 0.11.0, protocol 0.11.0");
  const Buffer nonsense = support::login(support::bytes_of("nonsense"));
  SummaryInput malformed = input_of(nonsense, "user.login_register");
  Line told;
  add_body(malformed, decode::whole(Bytes{nonsense}.subspan(256)), {}, told);
  EXPECT_EQ(line_of(malformed), "user.login_register malformed");
}

TEST(Summary, Answers) {
  SummaryInput input = input_of(support::reply({.operation = 64, .number = 7}), "topic.create");
  input.is_answer_to_known = true;
  EXPECT_EQ(line_of(input), "ok topic.create #7");
  input.has_latency = true;
  input.latency_us = 849;
  EXPECT_EQ(line_of(input), "ok topic.create #7 (0.8 ms)");
  input.result = 2013;
  EXPECT_EQ(line_of(input), "2013 TopicNameAlreadyExists topic.create #7 (0.8 ms)");
  input.facts.status = 987'654;
  EXPECT_EQ(line_of(input), "987654 topic.create #7 (0.8 ms)");
}

// What a cut body says by a generation that nothing has shown is no fact.
TEST(Summary, MarksWhatIsInferred) {
  SummaryInput input = input_of(support::reply({.number = 3}), "message.poll");
  input.is_answer_to_known = true;
  input.is_inferred = true;
  input.subject = "2 messages from 0";
  EXPECT_EQ(line_of(input), "ok message.poll #3 2 messages from 0");
  input.is_cut = true;
  EXPECT_EQ(line_of(input), "ok message.poll #3 2 messages from 0 (inferred)");
  input.subject = {};
  EXPECT_EQ(line_of(input), "ok message.poll #3");
}

TEST(Summary, FirstLineOfAConnectionTellsWhatItIsReadAs) {
  SummaryInput input = input_of(support::read(1, 3), "ping");
  input.is_first = true;
  EXPECT_EQ(line_of(input), "ping #3");
  input.is_inferred = true;
  EXPECT_EQ(line_of(input), "ping #3 (read as 0.11, inferred)");
  SummaryInput cut = input_of(support::reply({.number = 3}), "message.poll");
  cut.is_answer_to_known = cut.is_inferred = cut.is_first = cut.is_cut = true;
  cut.subject = "2 messages from 0";
  EXPECT_EQ(line_of(cut), "ok message.poll #3 2 messages from 0 (read as 0.11, inferred)");
}

TEST(Summary, Latencies) {
  SummaryInput input = input_of(support::pong(1), "ping");
  input.is_answer_to_known = true;
  input.has_latency = true;
  const auto shown = [&input](std::uint64_t microseconds) {
    input.latency_us = microseconds;
    const std::string line = line_of(input);
    return line.substr(line.find('('));
  };
  EXPECT_EQ(shown(0), "(0.0 ms)");
  EXPECT_EQ(shown(50), "(0.1 ms)");
  EXPECT_EQ(shown(26'249), "(26.2 ms)");
  EXPECT_EQ(shown(1'000'000), "(1.0 s)");
  EXPECT_EQ(shown(12'050'000), "(12.1 s)");
}

TEST(Summary, AnswerWithoutItsRequest) {
  SummaryInput input = input_of(support::pong(4));
  EXPECT_EQ(line_of(input), "ok answer #4 (its request is not in the capture)");
  input.may_miss_request = true;
  EXPECT_EQ(line_of(input), "ok answer #4 (its request was not found)");
}

TEST(Summary, LoginReply) {
  const Buffer frame = support::login_reply();
  SummaryInput input = input_of(frame, "user.login_register");
  input.is_answer_to_known = true;
  Line subject;
  add_body(input, decode::whole(Bytes{frame}.subspan(256)), {}, subject);
  EXPECT_EQ(line_of(input), "ok user.login_register user 1, session 5, server 0.9.0");
}

TEST(Summary, Evictions) {
  EXPECT_EQ(line_of(input_of(support::eviction({.reason = 9}))), "Eviction InvalidCredentials");
  EXPECT_EQ(line_of(input_of(support::eviction({.reason = 99}))), "Eviction reason 99");
  EXPECT_EQ(line_of(input_of(support::eviction(
                {.reason = 14, .highest = make_version(0, 11, 1), .lowest = version_0_11_0}))),
            "Eviction IncompatibleProtocol, accepts 0.11.x");
  const Version exact = make_version(0, 12, 2);
  EXPECT_EQ(line_of(input_of(support::eviction({.reason = 14, .highest = exact, .lowest = exact}))),
            "Eviction IncompatibleProtocol, accepts exactly 0.12.2");
  SummaryInput known = input_of(support::eviction({.reason = 1}), "stream.create");
  known.is_answer_to_known = true;
  EXPECT_EQ(line_of(known), "Eviction NoSession, to stream.create");
}

TEST(Summary, ReplicaPlane) {
  const std::string prepare = line_of(input_of(support::prepare({.op = 17, .operation = 128})));
  EXPECT_TRUE(prepare.starts_with("Prepare metadata op 17 CreateStream")) << prepare;
  const Buffer partition = support::FrameBuilder(9).u64(144, 0).frame();
  EXPECT_TRUE(line_of(input_of(partition)).starts_with("Commit"));
  EXPECT_TRUE(line_of(input_of(support::FrameBuilder(77).frame())).starts_with("command 77"));
}

}  // namespace
}  // namespace iggy::conversation
