// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Bodies of builds that announce 0.11.0 and are older than its release: which layout they have by
// the train of their sender, and that no rule of batches is for messages without them.
#include "iggy/v0_11/older_bodies.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conversation/parties.hpp"
#include "conversation/server_builds.hpp"
#include "conversation/subject.hpp"
#include "decode/batch_check.hpp"
#include "decode/body.hpp"
#include "decode/body_check.hpp"
#include "decode/message_rows.hpp"
#include "iggy/exchanges.hpp"
#include "iggy/registry.hpp"
#include "support/batches.hpp"
#include "support/encoder.hpp"
#include "support/frame_log.hpp"
#include "support/iggy_frames.hpp"
#include "support/iggy_scene.hpp"
#include "support/report_scene.hpp"
#include "support/some_values.hpp"

namespace iggy {
namespace {

using decode::BodyPlan;
using decode::BodyState;
using decode::Bytes;
using decode::Facts;
using decode::Window;
using support::Buffer;
using support::Ids;
using enum Train;

constexpr Train before_options[] = {v0_11_0_edge_1, v0_11_0_edge_2};
constexpr Train before_batches[] = {v0_11_0_edge_1, v0_11_0_edge_2, v0_11_0_edge_3};
constexpr Train with_bodies_of_today[] = {v0_11_0_edge_4, v0_11_0_edge_6, v0_11_0, v0_11_1_edge_1};

constexpr Dialect build(Train train) {
  return {Generation::v0_11, train};
}

TEST(OlderBodies, AreThoseOfTheSendersTrain) {
  for (const auto& row : v0_11::bodies_before_edge_3)
    for (const Train train : before_options)
      EXPECT_EQ(find_bodies(build(train), row.code), &row) << row.code;
  for (const auto& row : v0_11::bodies_before_edge_4)
    for (const Train train : before_batches)
      EXPECT_EQ(find_bodies(build(train), row.code), &row) << row.code;
  EXPECT_EQ(replicated_body(build(v0_11_0_edge_2), 64).layout,
            &v0_11::older_create_topic_with_assignments);
  EXPECT_EQ(replicated_body(build(v0_11_0_edge_3), 161).layout, &legacy::consumer_offset_store);
  // Replicas had batches before clients had.
  EXPECT_EQ(replicated_body(build(v0_11_0_edge_2), 160).layout, &bodies::send_messages);
}

TEST(OlderBodies, OtherBuildsHaveThoseOfToday) {
  for (const Exchange& exchange : exchanges(Generation::v0_11)) {
    const CommandBodies* const today = find_bodies(Generation::v0_11, exchange.code);
    for (const Train train : with_bodies_of_today)
      EXPECT_EQ(find_bodies(build(train), exchange.code), today) << exchange.name;
    EXPECT_EQ(find_bodies(Dialect{Generation::v0_12, v0_11_0_edge_2}, exchange.code),
              find_bodies(Generation::v0_12, exchange.code))
        << exchange.name;
  }
  for (const auto& row : v0_11::bodies_before_edge_3)
    EXPECT_EQ(find_bodies(build(v0_11_0_edge_3), row.code),
              find_bodies(Generation::v0_11, row.code));
}

// A request or a reply, of an exchange and with this body.
Facts facts_of(const Exchange& exchange, bool is_request, const Buffer& body) {
  const unsigned code = exchange.operation == operation::non_replicated ? exchange.code : 0;
  const Buffer frame =
      is_request ? support::request({.operation = exchange.operation, .code = code, .body = body})
                 : support::reply({.operation = exchange.operation, .body = body});
  return decode::facts_of(Bytes{frame}.first(256), Generation::v0_11);
}

struct Seen : decode::Check {
  void problem(const decode::Problem& problem) {
    clean = false;
    is_cut = is_cut && problem.kind == decode::ProblemKind::cut_by_capture;
  }
  bool is_cut = true;
};

void expect_read(const BodyPlan& plan, const describe::Layout& layout, const Buffer& body) {
  if (body.empty()) return;
  ASSERT_EQ(plan.state, BodyState::decoded);
  EXPECT_EQ(plan.layout, &layout);
  EXPECT_TRUE(plan.is_older);
  Seen whole;
  decode::read_body(plan, decode::whole(body), true, whole);
  EXPECT_TRUE(whole.clean);
}

// Whatever the capture cut off: what is there is no fault of the sender.
void expect_cuts(const Exchange& exchange, bool is_request, const Buffer& body) {
  const Facts facts = facts_of(exchange, is_request, body);
  for (std::size_t there = 0; there < body.size(); ++there) {
    const Window cut{Bytes{body}.first(there), static_cast<std::uint32_t>(body.size())};
    const BodyPlan plan = decode::plan_body(facts, build(v0_11_0_edge_2), exchange.code, cut);
    Seen seen;
    decode::read_body(plan, cut, true, seen);
    EXPECT_TRUE(seen.is_cut) << there;
  }
}

TEST(OlderBodies, EveryBodyIsReadToItsEndAndInEveryPrefix) {
  support::SomeValues some(3);
  constexpr int rounds = 5;
  for (const OlderBodies& older : v0_11::older_bodies) {
    for (const CommandBodies& row : older.commands) {
      const Exchange& exchange = *find_code(Generation::v0_11, row.code);
      SCOPED_TRACE(exchange.name);
      for (int i = 0; i < 2 * rounds; ++i) {
        const bool is_request = i < rounds;
        const Body& table = is_request ? row.request : row.reply;
        const Buffer body = support::Encoder::encode(*table.layout, some.of(*table.layout));
        const BodyPlan plan =
            decode::plan_body(facts_of(exchange, is_request, body), build(v0_11_0_edge_2),
                              exchange.code, decode::whole(body));
        // What begins with an error is one, whatever made it up.
        if (plan.layout == &login::rejection) continue;
        expect_read(plan, *table.layout, body);
        expect_cuts(exchange, is_request, body);
      }
    }
  }
}

// As short as possible, so that a row of a later build would be missing.
TEST(OlderBodies, AnOffsetHasNoLevelOfAcknowledgement) {
  const Exchange& store = *find_code(Generation::v0_11, 121);
  const Buffer body = support::Encoder::encode(
      legacy::consumer_offset_store, {{"consumer", {{"kind", 1}, {"id", {{"kind", 1}, {"id", 1}}}}},
                                      {"stream_id", {{"kind", 1}, {"id", 1}}},
                                      {"topic_id", {{"kind", 1}, {"id", 2}}},
                                      {"partition", {{"flag", 1}, {"partition_id", 3}}},
                                      {"offset", "9"}});
  const Facts facts = facts_of(store, true, body);
  const auto line = [&](Dialect sender) {
    conversation::Line text;
    add_subject(facts, sender, 121, decode::whole(body), {}, text);
    return std::string(text.text());
  };
  EXPECT_EQ(line(build(v0_11_0_edge_3)), "1/2[3] consumer 1 = 9");
  EXPECT_EQ(line(build(v0_11_0)), "1/2[3] consumer 1 = 9, body breaks off");
  EXPECT_EQ(line(Generation::v0_11), "1/2[3] consumer 1 = 9, body breaks off");
}

TEST(OlderBodies, LinesSayThatMessagesAreOlder) {
  const Exchange& send = *find_code(Generation::v0_11, 101);
  const Buffer body = support::older_send_body(2);
  conversation::Line line;
  add_subject(facts_of(send, true, body), build(v0_11_0_edge_3), 101, decode::whole(body), {},
              line);
  EXPECT_EQ(line.text(), "1/2 2 messages, messages as before 0.11.0-edge.4");

  const Exchange& poll = *find_code(Generation::v0_11, 100);
  const Buffer empty = support::little().u32(1).u64(4).u32(0).buffer();
  conversation::Line none;
  add_subject(facts_of(poll, false, empty), build(v0_11_0_edge_3), 100, decode::whole(empty), {},
              none);
  EXPECT_EQ(none.text(), "0 messages");
}

decode::BodyFacts checked(const Buffer& body, Dialect sender) {
  const Facts facts = facts_of(*find_code(Generation::v0_11, 101), true, body);
  decode::BodyCheck check;
  check.begin(facts, static_cast<std::uint32_t>(body.size()),
              decode::message_form_of(sender, true));
  // In pieces of all sizes.
  std::size_t at = 0;
  for (std::size_t size = 1; at < body.size(); ++size) {
    const std::size_t taken = std::min(size, body.size() - at);
    check.add(Bytes{body}.subspan(at, taken));
    at += taken;
  }
  return check.end(facts);
}

TEST(OlderBodies, NoRuleOfBatchesIsForThem) {
  using decode::BatchFault;
  const Dialect older = build(v0_11_0_edge_3);
  EXPECT_FALSE(decode::message_form_of(build(v0_11_0), true).is_older);
  EXPECT_FALSE(decode::message_form_of(Generation::v0_11, true).is_older);
  EXPECT_EQ(checked(support::older_send_body(2), older).batch.fault, BatchFault::older_layout);
  // What does not fit is no batch either.
  Buffer shorter = support::older_send_body(2);
  shorter.pop_back();
  EXPECT_EQ(checked(shorter, older).batch.fault, BatchFault::none);
  EXPECT_NE(checked(shorter, build(v0_11_0)).batch.fault, BatchFault::none);
  EXPECT_EQ(checked(support::send_body(), older).batch.fault, BatchFault::none);
  EXPECT_EQ(checked(Buffer(3), older).batch.fault, BatchFault::metadata);

  const Buffer body = support::older_send_body(1);
  const BodyPlan plan = decode::plan_body(facts_of(*find_code(Generation::v0_11, 101), true, body),
                                          older, 101, decode::whole(body));
  EXPECT_EQ(decode::check_batches(plan, decode::whole(body), false).fault, BatchFault::none);
  EXPECT_EQ(decode::older_messages(*plan.layout, decode::whole(body)), nullptr);
}

TEST(OlderBodies, LoginsTellTheTrainsOfBothSides) {
  using conversation::Side;
  conversation::Parties parties;
  EXPECT_EQ(parties.dialect(Side::client).train, std::nullopt);
  conversation::Asked asked;
  asked.train = v0_11_0_edge_3;
  parties.take_build(asked);  // no login
  EXPECT_EQ(parties.dialect(Side::client).train, std::nullopt);
  asked.is_login = true;
  parties.take_build(asked);
  EXPECT_EQ(parties.dialect(Side::client).train, v0_11_0_edge_3);
  EXPECT_EQ(parties.dialect(Side::server).train, std::nullopt);
  conversation::AnswerFacts told;
  told.train = v0_11_0_edge_2;
  parties.take_build(told);  // to anything but a login
  EXPECT_EQ(parties.dialect(Side::server).train, std::nullopt);
  told.number = version_0_11_0;
  parties.take_build(told);
  EXPECT_EQ(parties.dialect(Side::server).train, v0_11_0_edge_2);
  // A client whose build is not listed.
  asked.train.reset();
  parties.take_build(asked);
  EXPECT_EQ(parties.dialect(Side::client).train, std::nullopt);
}

TEST(OlderBodies, ServersAtAnAddressAreOfOneBuildOrOfNone) {
  conversation::ServerBuilds builds;
  EXPECT_TRUE(builds.is_empty());
  builds.told("10.0.0.2", v0_11_0_edge_3);
  builds.told("10.0.0.2", v0_11_0_edge_3);
  EXPECT_EQ(builds.at("10.0.0.2"), v0_11_0_edge_3);
  EXPECT_EQ(builds.at("10.0.0.3"), std::nullopt);
  builds.told("10.0.0.2", v0_11_0_edge_4);
  builds.told("10.0.0.2", v0_11_0_edge_3);
  EXPECT_EQ(builds.at("10.0.0.2"), std::nullopt);
  builds.told("10.0.0.4", std::nullopt);
  builds.told("10.0.0.4", v0_11_0_edge_3);
  EXPECT_EQ(builds.at("10.0.0.4"), std::nullopt);
}

TEST(OlderBodies, ReplicasAreOfTheBuildThatServersAtTheirAddressTold) {
  support::FrameLog log;
  support::Scene scene(log);
  const support::Endpoint node = support::usual_server();
  support::Talk talk(scene);
  talk.client(support::login(support::password_body()));
  talk.server(support::reply({.operation = 1,
                              .number = 0,
                              .body = support::login_reply_body(version_0_11_0, "0.9.0-edge.4")}));
  support::Endpoint dialer = node;
  dialer.port = 40'000;
  support::Talk link(scene, dialer, support::ipv4_endpoint(10, 9, 9, 9, 9090));
  link.handshake();
  link.client(support::prepare({.operation = 161}));
  link.server(support::prepare({.operation = 161}));
  scene.finish();
  ASSERT_EQ(log.frames.size(), 4U);
  EXPECT_EQ(log.frames[2].train, v0_11_0_edge_3);
  EXPECT_EQ(log.frames[3].train, std::nullopt);
}

// A send behind a login of these builds; without an answer the server works on.
std::vector<std::string> findings_of(const Buffer& body, const std::string& server,
                                     bool is_answered) {
  support::Report report;
  support::Talk talk(report.scene(), 50'000);
  talk.client(support::login(support::password_body({.sdk_version = "0.11.0-edge.3"})));
  talk.server(support::reply(
      {.operation = 1, .number = 0, .body = support::login_reply_body(version_0_11_0, server)}));
  talk.client(support::request({.operation = 160, .number = 1, .body = body}));
  if (is_answered)
    talk.server(support::reply({.operation = 160, .number = 1}));
  else
    talk.server_ack();
  talk.client(support::ping(2));
  talk.server(support::pong(2));
  report.finish(40 * support::Scene::second);
  return report.findings();
}

TEST(OlderBodies, ASendOfAnOlderBuildIsJudgedAsWhatItIs) {
  const Buffer body = support::older_send_body(2);
  Buffer odd = body;
  odd.push_back(std::byte{0});
  EXPECT_EQ(findings_of(body, "0.9.0-edge.4", true), Ids{});
  EXPECT_EQ(findings_of(odd, "0.9.0-edge.4", true), Ids{});
  EXPECT_EQ(findings_of(odd, "0.9.0-edge.4", false), Ids{"request-never-answered"});
  EXPECT_EQ(findings_of(body, "0.9.0", false), Ids{"body-dialect-mismatch"});
  EXPECT_EQ(findings_of(body, "0.9.0-edge.7", false), Ids{"invalid-batch-silently-dropped"});
}

}  // namespace
}  // namespace iggy
