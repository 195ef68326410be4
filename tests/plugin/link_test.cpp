// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What a connection remembers of its frames: sides, pairs, times, findings, and what only the end
// of the capture shows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "iggy/registry.hpp"
#include "link_scene.hpp"
#include "support/batches.hpp"
#include "support/iggy_frames.hpp"

namespace plugin {
namespace {

using iggy::conversation::OutcomeKind;
using support::Buffer;

TEST_F(LinkTest, ARequestAndItsAnswerAreLinked) {
  ask(support::read(200));
  answer(support::reply({.status = 40}));
  const FrameFacts& request = link.frame(0);
  const FrameFacts& reply = link.frame(1);
  EXPECT_TRUE(request.is_request);
  EXPECT_TRUE(reply.is_answer);
  EXPECT_EQ(link.peer_packet(request), 2U);
  EXPECT_EQ(link.peer_packet(reply), 1U);
  EXPECT_EQ(request.outcome, (Outcome{OutcomeKind::status, 40}));
  EXPECT_EQ(reply.name, request.name);
  EXPECT_EQ(link.latency(reply), std::optional(millisecond));
  EXPECT_EQ(link.latency(request), std::nullopt);
}

// What logins told counts for the frames that follow, each by its own sender.
TEST_F(LinkTest, BodiesAreReadByTheBuildThatSentThem) {
  ask(support::login(support::password_body({.sdk_version = "0.11.0-edge.3"})));
  answer(support::reply({.operation = 1,
                         .number = 0,
                         .body = support::login_reply_body(iggy::version_0_11_0, "0.9.0")}));
  Buffer body = support::older_send_body(2);
  ask(support::request({.operation = 160, .number = 1, .body = body}));
  body.pop_back();
  ask(support::request({.operation = 160, .number = 2, .body = body}));
  answer(support::reply({.operation = 160, .number = 2}));
  EXPECT_EQ(link.frame(0).train, std::nullopt);
  EXPECT_EQ(link.frame(2).train, iggy::Train::v0_11_0_edge_3);
  EXPECT_EQ(link.frame(2).batch, iggy::decode::BatchFault::older_layout);
  EXPECT_EQ(link.frame(3).batch, iggy::decode::BatchFault::none);
  EXPECT_EQ(link.frame(4).train, iggy::Train::v0_11_0);
}

// Names of endpoints end with the bytes of a port.
TEST_F(LinkTest, ReplicasAreOfTheBuildThatServersAtTheirAddressTold) {
  Link clients(shared, 1, Carrier::tcp, "10.0.0.1pppp", "10.0.0.2pppp");
  Link replicas(shared, 2, Carrier::tcp, "10.0.0.3pppp", "10.0.0.2qqqq");
  const auto say = [this](Link& through, std::size_t lane, const Buffer& bytes) {
    Chunk chunk;
    chunk.captured = bytes;
    chunk.reported = static_cast<std::uint32_t>(bytes.size());
    chunk.packet = ++packet;
    chunk.begins_stream = true;
    through.take(lane, chunk);
  };
  clients.begin_with_handshake(0);
  replicas.begin_with_handshake(0);
  say(clients, 0, support::login(support::password_body()));
  say(clients, 1,
      support::reply({.operation = 1,
                      .number = 0,
                      .body = support::login_reply_body(iggy::version_0_11_0, "0.9.0-edge.4")}));
  say(replicas, 0, support::prepare({.operation = 161}));
  say(replicas, 1, support::prepare({.operation = 161}));
  EXPECT_EQ(replicas.frame(0).train, std::nullopt);
  EXPECT_EQ(replicas.frame(1).train, iggy::Train::v0_11_0_edge_3);
}

TEST_F(LinkTest, SidesComeFromTheHandshakeOrElseFromTheFirstFrame) {
  EXPECT_EQ(link.client_lane(), client);
  Link other(shared, 1, Carrier::tcp, "a", "b");
  EXPECT_FALSE(other.client_lane());
  const Buffer pong = support::pong(1);
  Chunk chunk;
  chunk.captured = pong;
  chunk.reported = 256;
  chunk.begins_stream = true;
  other.take(0, chunk);
  EXPECT_EQ(other.client_lane(), 1U);
  other.begin_with_handshake(0);  // too late
  EXPECT_EQ(other.client_lane(), 1U);
}

TEST_F(LinkTest, LegacyFramingIsReadOnlyWhereItIsAllowed) {
  const Buffer ping = support::little().u32(4).u32(1).buffer();
  ask(ping);
  EXPECT_FALSE(link.lane(client).has_frames());
  Link named(shared, 1, Carrier::tcp, "a", "b");
  named.begin_with_handshake(0);
  named.allow_legacy();
  Chunk chunk;
  chunk.captured = ping;
  chunk.reported = 8;
  chunk.begins_stream = true;
  EXPECT_TRUE(named.take(0, chunk).is_ours);
  EXPECT_EQ(named.frame(0).generation, Generation::legacy);
  EXPECT_EQ(named.frame(0).name, "ping");
}

TEST_F(LinkTest, SecretsOfOtherBodiesShowWhereTheyStand) {
  ask(support::request({.operation = 146, .body = support::short_text("t")}));
  answer(support::reply(
      {.operation = 146, .body = support::joined({support::success(), support::short_text("s")})}));
  EXPECT_EQ(link.frame(0).findings, 0U);
  EXPECT_EQ(link.frame(1).findings, bit(FindingId::credentials_in_clear));
}

TEST_F(LinkTest, ARefusedLoginShowsAtItsAnswer) {
  ask(support::login(support::password_body()));
  answer(support::eviction({.reason = iggy::reason::invalid_credentials}));
  EXPECT_TRUE(shows(1, FindingId::login_refused_credentials));
  EXPECT_EQ(link.frame(0).findings, bit(FindingId::credentials_in_clear));
  EXPECT_TRUE(link.frame(1).is_login);
}

TEST_F(LinkTest, ALoginUnderTlsIsNotInClear) {
  Link wrapped(shared, 1, Carrier::tls, "a", "b");
  wrapped.begin_with_handshake(0);
  const Buffer login = support::login(support::password_body());
  Chunk chunk;
  chunk.captured = login;
  chunk.reported = static_cast<std::uint32_t>(login.size());
  chunk.begins_stream = true;
  wrapped.take(0, chunk);
  EXPECT_TRUE(wrapped.frame(0).is_login);
  EXPECT_EQ(wrapped.frame(0).findings, 0U);
}

TEST_F(LinkTest, WhatAnAnswerSaysIsReadForItsFinding) {
  ask(support::login(support::password_body()));
  answer(support::login_reply());
  ask(support::read(200, 1));
  answer(support::reply({.number = 1}));
  EXPECT_TRUE(shows(3, FindingId::not_found_read_shows_as_empty));
  ask(support::request({.operation = 160, .number = 2, .body = support::send_body()}));
  answer(support::reply({.operation = 160, .number = 2, .status = 20}));
  EXPECT_TRUE(shows(5, FindingId::produce_to_missing_target));
}

TEST_F(LinkTest, BuildsThatDifferExplainWhatFails) {
  ask(support::login(support::password_body({.sdk_version = "0.11.0-edge.3"})));
  answer(support::login_reply());
  ask(support::request({.operation = 161, .number = 1}));
  answer(support::reply({.operation = 161, .number = 1, .status = 20}));
  EXPECT_TRUE(shows(3, FindingId::body_dialect_mismatch));
  ask(support::request({.operation = 160, .number = 2}));
  EXPECT_FALSE(lacks(4, FindingId::body_dialect_mismatch));
  wait(31 * second);
  EXPECT_TRUE(lacks(4, FindingId::body_dialect_mismatch));
  EXPECT_FALSE(lacks(4, FindingId::request_never_answered, closed_by_client()));
}

// What the server does afterwards decides.
TEST_F(LinkTest, ABodyThatStopsServersIsTold) {
  const auto change = [](std::uint64_t number) {
    return support::request({.operation = 130, .number = number, .body = support::Buffer(1)});
  };
  ask(support::login(support::password_body()));
  answer(support::login_reply());
  ask(change(1));
  answer(support::reply({.operation = 130, .number = 1, .status = 3}));
  EXPECT_FALSE(lacks(2, FindingId::metadata_group_stopped));
  ask(change(2));
  answer(support::reply({.operation = 130, .number = 2, .body = support::rejection(57)}));
  EXPECT_TRUE(lacks(4, FindingId::metadata_group_stopped));
  ask(change(3));
  EXPECT_FALSE(lacks(6, FindingId::metadata_group_stopped));
  wait(31 * second);
  EXPECT_TRUE(lacks(6, FindingId::metadata_group_stopped));
  EXPECT_TRUE(lacks(6, FindingId::request_never_answered));
  ask(support::request({.operation = 131, .number = 4}));
  answer(support::reply({.operation = 131, .number = 4, .body = support::success()}));
  EXPECT_FALSE(lacks(4, FindingId::metadata_group_stopped));
  EXPECT_FALSE(lacks(6, FindingId::metadata_group_stopped));
}

TEST_F(LinkTest, APollMayWaitAsLongAsItsClientLetsIt) {
  const iggy::Version number = iggy::make_version(0, 12, 2);
  ask(support::login(support::password_body({.version = number, .secret = true})));
  answer(support::reply(
      {.operation = 1, .number = 0, .body = support::login_reply_body(number, "0.10.0")}));
  const support::Buffer one = support::little().u8(1).u8(4).u32(1).buffer();
  const support::Buffer poll = support::little()
                                   .u8(1)
                                   .bytes(one)
                                   .bytes(one)
                                   .bytes(one)
                                   .u8(0)
                                   .u32(0)
                                   .u8(5)
                                   .u64(0)
                                   .u32(10)
                                   .u8(0)
                                   .u64(50'000'000)
                                   .u32(1)
                                   .u32(1000)
                                   .u64(60'000'000)
                                   .buffer();
  ask(support::request({.code = 106, .number = 1, .body = poll}));
  ask(support::request({.code = 106, .number = 2, .body = poll}));
  ask(support::request({.code = 108, .number = 2}));
  wait(31 * second);
  EXPECT_FALSE(lacks(2, FindingId::request_never_answered));
  EXPECT_FALSE(lacks(2, FindingId::request_never_answered, closed_by_client()));
  wait(30 * second);
  EXPECT_TRUE(lacks(2, FindingId::request_never_answered));
  EXPECT_FALSE(lacks(3, FindingId::request_never_answered));
}

TEST_F(LinkTest, AnEvictionWithoutARequestShowsByItself) {
  answer(support::eviction({.reason = iggy::reason::stale_client}));
  EXPECT_TRUE(shows(0, FindingId::stale_client_evicted));
  answer(support::eviction({.reason = iggy::reason::session_too_low}));
  EXPECT_TRUE(shows(1, FindingId::session_lost));
  answer(support::eviction({.reason = 1, .highest = iggy::version_0_11_0}));
  EXPECT_TRUE(shows(2, FindingId::version_window_inconsistent));
}

TEST_F(LinkTest, ARequestBeforeTheLogin) {
  ask(support::read(200));
  answer(support::reply({.status = iggy::status::unauthenticated}));
  EXPECT_TRUE(shows(1, FindingId::request_before_login));
}

TEST_F(LinkTest, WhatTheServerPassedOverIsNeverAnswered) {
  ask(support::login(support::password_body()));
  answer(support::login_reply());
  ask(support::read(200, 1));
  ask(support::read(201, 2));
  answer(support::reply({.number = 2}));
  EXPECT_EQ(link.frame(2).outcome.kind, OutcomeKind::unanswered);
  EXPECT_TRUE(lacks(2, FindingId::request_never_answered));
  EXPECT_FALSE(lacks(3, FindingId::request_never_answered));
}

TEST_F(LinkTest, WhatStaysOpenIsJudgedByTheEndOfTheConnection) {
  ask(support::login(support::password_body()));
  answer(support::login_reply());
  ask(support::read(200));
  EXPECT_EQ(link.outcome(2, {}).kind, OutcomeKind::pending);
  EXPECT_FALSE(lacks(2, FindingId::request_never_answered));
  EXPECT_EQ(link.outcome(2, closed_by_client()).kind, OutcomeKind::unanswered);
  EXPECT_TRUE(lacks(2, FindingId::request_never_answered, closed_by_client()));
  Ending half = closed_by_client();
  --half.server_next;  // its own FIN was not seen
  EXPECT_EQ(link.outcome(2, half).kind, OutcomeKind::pending);
  Ending lost = closed_by_client();
  lost.server_acknowledged -= 1;  // the server never had all of it
  EXPECT_FALSE(lacks(2, FindingId::request_never_answered, lost));
  wait(30 * second);
  EXPECT_EQ(link.outcome(2, {}).kind, OutcomeKind::unanswered);
}

// The batch of a send shows why it got no answer.
TEST_F(LinkTest, AWrongBatchIsDroppedInSilence) {
  ask(support::login(support::password_body()));
  answer(support::login_reply());
  Buffer body = support::send_body();
  ask(support::request({.operation = 160, .number = 1, .body = body}));
  body.back() ^= std::byte{1};
  ask(support::request({.operation = 160, .number = 2, .body = body}));
  wait(31 * second);
  EXPECT_TRUE(lacks(2, FindingId::request_never_answered));
  EXPECT_FALSE(lacks(2, FindingId::invalid_batch_silently_dropped));
  EXPECT_TRUE(lacks(3, FindingId::invalid_batch_silently_dropped));
  EXPECT_FALSE(lacks(3, FindingId::request_never_answered));
  answer(support::reply({.operation = 160, .number = 2}));
  EXPECT_TRUE(shows(4, FindingId::batch_checksum_wrong));
}

TEST_F(LinkTest, AWrongRequestChecksumShowsAtItsAnswer) {
  ask(support::login(support::password_body()));
  answer(support::login_reply());
  const Buffer body = support::short_text("a-stream");
  for (const std::uint64_t off : {0U, 1U}) {
    ask(support::request({.operation = 128,
                          .number = 1 + off,
                          .checksum = {iggy::decode::xxh3(body) + off, 0},
                          .body = body}));
    answer(support::reply({.operation = 128, .number = 1 + off, .status = 4}));
  }
  EXPECT_FALSE(shows(3, FindingId::request_checksum_mismatch));
  EXPECT_TRUE(shows(5, FindingId::request_checksum_mismatch));
}

TEST_F(LinkTest, AHeartbeatThatItsClientDidNotWaitForIsNoFinding) {
  ask(support::login(support::password_body()));
  answer(support::login_reply());
  ask(support::ping(1));
  EXPECT_EQ(link.outcome(2, closed_by_client()).kind, OutcomeKind::unanswered);
  EXPECT_FALSE(lacks(2, FindingId::request_never_answered, closed_by_client()));
  wait(second);
  EXPECT_TRUE(lacks(2, FindingId::request_never_answered, closed_by_client()));
}

TEST_F(LinkTest, ALegacyClientIsLeftWaiting) {
  link.allow_legacy();
  ask(support::little().u32(4).u32(1).buffer());
  const FindingId id = FindingId::legacy_client_on_vsr_server;
  EXPECT_FALSE(lacks(0, id, closed_by_client()));
  wait(5 * second);
  EXPECT_TRUE(lacks(0, id, closed_by_client()));
  EXPECT_FALSE(lacks(0, id));  // TCP tells nothing
  Ending by_server = closed_by_client();
  by_server.client_closed_first = false;
  EXPECT_FALSE(lacks(0, id, by_server));
}

TEST_F(LinkTest, AnotherClientShowsWhatALegacyOneWaitsFor) {
  link.allow_legacy();
  ask(support::little().u32(4).u32(1).buffer());
  Link other(shared, 1, Carrier::tcp, "another client", "server");
  other.begin_with_handshake(0);
  const Buffer pong = support::pong(1);
  Chunk chunk;
  chunk.captured = pong;
  chunk.reported = 256;
  chunk.begins_stream = true;
  other.take(1, chunk);
  EXPECT_TRUE(lacks(0, FindingId::legacy_client_on_vsr_server, closed_by_client()));
}

TEST_F(LinkTest, ALoginThatWasNotCapturedIsNamedOnce) {
  ask(support::read(200));
  answer(support::reply({}));
  ask(support::read(200));
  EXPECT_TRUE(lacks(0, FindingId::login_not_captured));
  EXPECT_FALSE(lacks(2, FindingId::login_not_captured));
}

TEST_F(LinkTest, NothingPairsAcrossAHoleOfTheServer) {
  ask(support::read(200, 1));
  next[server] += 1000;
  answer(support::reply({.number = 1}));
  EXPECT_EQ(link.frame(0).outcome.kind, OutcomeKind::unknown);
  EXPECT_EQ(link.frame(1).peer, std::nullopt);
}

TEST_F(LinkTest, ReadsOfALegacyServerShowTheMismatchOnce) {
  link.allow_legacy();
  ask(support::login(support::password_body()));
  const Buffer refused = support::little().u32(3).u32(0).buffer();
  answer(refused);
  answer(refused);
  EXPECT_TRUE(shows(1, FindingId::vsr_client_on_legacy_server));
  EXPECT_FALSE(shows(2, FindingId::vsr_client_on_legacy_server));
  EXPECT_EQ(link.frame(1).peer, std::nullopt);
}

TEST(Memory, NumbersItsLinks) {
  Memory memory;
  EXPECT_EQ(memory.add_link(Carrier::tcp, "a", "b").number(), 0U);
  Link& second_link = memory.add_link(Carrier::tcp, "b", "c");
  EXPECT_EQ(second_link.number(), 1U);
  EXPECT_EQ(second_link.lane_of("b"), 0U);
  EXPECT_EQ(second_link.lane_of("c"), 1U);
}

// Without a login: by the reply to a poll, whose body is longer in 0.12.
TEST_F(LinkTest, RepliesTellTheGeneration) {
  const Buffer poll = support::read(100);
  ask(poll);
  answer(support::reply({.body = Buffer(40)}));
  ask(poll);
  answer(support::reply({.body = Buffer(40)}));
  EXPECT_EQ(link.frame(0).generation, iggy::Generation::v0_11);
  EXPECT_TRUE(link.frame(0).is_generation_inferred);
  for (const std::size_t later : {1U, 2U, 3U}) {
    EXPECT_EQ(link.frame(later).generation, iggy::Generation::v0_12) << later;
    EXPECT_FALSE(link.frame(later).is_generation_inferred) << later;
  }
}

}  // namespace
}  // namespace plugin
