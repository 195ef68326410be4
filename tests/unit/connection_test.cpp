// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What a connection makes of its frames: roles, generations, logins, and how requests end.
#include "connection/connection.hpp"

#include <gtest/gtest.h>

#include "support/frame_log.hpp"
#include "support/iggy_frames.hpp"
#include "support/iggy_scene.hpp"

namespace analyzer::connection {
namespace {

using iggy::make_version;
using support::Buffer;
using support::first_client;
using support::FrameLog;
using support::joined;
using support::Scene;
using support::Talk;

class ConnectionTest : public testing::Test {
 protected:
  const FrameLog::Connected& only() {
    EXPECT_EQ(log.connections.size(), 1U);
    return log.connections.at(0);
  }
  FrameLog log;
  Scene scene{log};
};

TEST_F(ConnectionTest, LoginAndRequests) {
  Talk talk(scene);
  const auto login = talk.client(support::login(support::password_body()));
  const auto welcome = talk.server(support::login_reply());
  const auto create = talk.client(support::request({.operation = 132, .number = 1}));
  const auto created = talk.server(support::reply({.operation = 64, .body = support::success()}));
  talk.close();
  scene.finish();
  EXPECT_EQ(log.outcome_of(login), "ok");
  EXPECT_EQ(log.answer_to(login), welcome);
  EXPECT_EQ(log.outcome_of(create), "ok");
  EXPECT_EQ(log.answer_to(create), created);
  EXPECT_EQ(log.frames.at(3).name, "topic.create");
  EXPECT_EQ(log.frames.at(3).answers, create);
  const FrameLog::Connected& connection = only();
  EXPECT_EQ(connection.client, support::usual_client());
  EXPECT_EQ(connection.server, support::usual_server());
  EXPECT_EQ(connection.plane, iggy::Plane::client);
  EXPECT_EQ(connection.client_generation, Generation::v0_11);
  EXPECT_TRUE(connection.client_is_certain);
  ASSERT_EQ(connection.logins.size(), 1U);
  const LoginRecord& record = connection.logins[0];
  EXPECT_EQ(record.user, "iggy");
  EXPECT_EQ(record.sdk, "rust-sdk");
  EXPECT_EQ(record.version, iggy::version_0_11_0);
  EXPECT_EQ(record.outcome.kind, OutcomeKind::ok);
  EXPECT_EQ(record.request_packet, login);
  EXPECT_EQ(record.answer_packet, welcome);
  EXPECT_EQ(record.session, 5U);
  EXPECT_EQ(record.server_version, "0.9.0");
  EXPECT_EQ(record.client, first_client);
}

// Of a request that went well nobody asks what it was about.
TEST_F(ConnectionTest, FailedRequestsTellTheirSubject) {
  Talk talk(scene);
  const support::Buffer orders = support::bytes_of("\x06orders");
  talk.client(support::request({.operation = 128, .number = 1, .body = orders}));
  talk.server(support::reply({.operation = 128, .number = 1, .body = support::success()}));
  talk.client(support::request({.operation = 128, .number = 2, .body = orders}));
  talk.server(support::reply({.operation = 128, .number = 2, .status = 40}));
  talk.close();
  scene.finish();
  ASSERT_EQ(log.ended_requests.size(), 2U);
  EXPECT_EQ(log.ended_requests[0].subject, "");
  EXPECT_EQ(log.ended_requests[1].outcome, "status 40");
  EXPECT_EQ(log.ended_requests[1].subject, "\"orders\"");
}

TEST_F(ConnectionTest, RefusalsByStatusResultAndEviction) {
  Talk talk(scene);
  talk.client(support::login(support::password_body()));
  talk.server(support::login_reply());
  const auto read = talk.client(support::read(200, 1));
  talk.server(support::reply({.number = 1, .status = 1009}));
  const auto create = talk.client(support::request({.operation = 128, .number = 2}));
  talk.server(support::reply({.operation = 128, .number = 2, .body = support::rejection(1012)}));
  const auto send = talk.client(support::request({.operation = 160, .number = 3}));
  talk.server(support::eviction({.reason = 1}));
  scene.finish();
  EXPECT_EQ(log.outcome_of(read), "status 1009");
  EXPECT_EQ(log.outcome_of(create), "result 1012");
  EXPECT_EQ(log.outcome_of(send), "evicted 1");
  ASSERT_EQ(only().evictions.size(), 1U);
  EXPECT_EQ(only().evictions[0].reason, 1);
}

TEST_F(ConnectionTest, RolesWithoutAHandshake) {
  // The server's segment is captured first, so the dialer is not known before a frame tells.
  Talk talk(scene, support::usual_client(), support::usual_server());
  talk.server(support::pong(7));
  const auto ping = talk.client(support::ping(8));
  const auto pong = talk.server(support::pong(8));
  scene.finish();
  EXPECT_EQ(only().client, support::usual_client());
  EXPECT_EQ(log.frames.at(0).from, Side::server);
  EXPECT_EQ(log.answer_to(ping), pong);
}

TEST_F(ConnectionTest, RolesOfAReplicaLinkWithoutAHandshake) {
  Talk talk(scene, support::usual_client(), support::usual_server());
  talk.server(support::sealed(9, {}, 2));
  talk.client(support::sealed(9, {}, 0));  // the lower id dials
  scene.finish();
  EXPECT_EQ(only().client, support::usual_client());
  EXPECT_EQ(only().plane, iggy::Plane::replica);
}

TEST_F(ConnectionTest, HelloNamesTheDialer) {
  Talk talk(scene, support::usual_client(), support::usual_server());
  talk.client(support::replica_hello(2));
  scene.finish();
  EXPECT_EQ(only().client, support::usual_client());
  EXPECT_EQ(log.frames.at(0).from, Side::client);
}

TEST_F(ConnectionTest, WithoutEvidenceAConnectionIs011AndInferred) {
  Talk talk(scene);
  talk.client(support::ping());
  talk.server(support::pong());
  scene.finish();
  EXPECT_EQ(only().client_generation, Generation::v0_11);
  EXPECT_FALSE(only().client_is_certain);
  EXPECT_EQ(only().server_generation, Generation::v0_11);
}

TEST_F(ConnectionTest, SilentServerSpeaksNothing) {
  Talk talk(scene);
  talk.client(support::ping());
  talk.server_ack();
  scene.finish();
  EXPECT_EQ(only().server_generation, Generation::unknown);
}

TEST_F(ConnectionTest, OneClientIdSpeaksOneGeneration) {
  Talk first(scene, 50'000);
  first.client(
      support::login(support::password_body({.version = make_version(0, 12, 2), .secret = true})));
  Talk second(scene, 50'001);
  second.client(support::ping());
  Talk third(scene, 50'002);
  third.client(support::request({.code = 1, .client = support::second_client}));
  scene.finish();
  ASSERT_EQ(log.connections.size(), 3U);
  for (const FrameLog::Connected& connection : log.connections)
    EXPECT_EQ(connection.client_generation,
              connection.client.port == 50'002 ? Generation::v0_11 : Generation::v0_12);
}

TEST_F(ConnectionTest, Of012AnswersComeInAnyOrder) {
  Talk talk(scene);
  const iggy::Version version = make_version(0, 12, 0);
  talk.client(support::login(support::password_body({.version = version, .secret = true})));
  talk.server(support::login_reply(version));
  const auto poll = talk.client(support::read(100, 1));
  const auto ping = talk.client(support::ping(2));
  const auto late = talk.client(support::read(10, 3));
  const auto pong = talk.server(support::pong(2));
  const auto messages = talk.server(support::reply({.number = 1}));
  talk.server(support::eviction({.reason = 13}));
  scene.finish();
  EXPECT_EQ(log.answer_to(ping), pong);
  EXPECT_EQ(log.answer_to(poll), messages);
  EXPECT_EQ(log.outcome_of(late), "evicted 13");
}

// A 0.11 server knows no operation 150. While nothing but this byte speaks for 0.12, an eviction
// must not end what else waits, as one of a 0.12 server would.
TEST_F(ConnectionTest, LikelyEvidenceDoesNotChangePairing) {
  Talk talk(scene);
  const auto unknown = talk.client(support::request({.operation = 150, .number = 2}));
  const auto internal = talk.client(support::request({.operation = 64, .number = 3}));
  const auto eviction = talk.server(support::eviction({.reason = 4}));
  scene.finish();
  EXPECT_EQ(log.answer_to(internal), eviction);
  EXPECT_EQ(log.answer_to(unknown), 0U);
}

// Where the capture begins with them, only the answer shows that the server is of 0.12.
TEST_F(ConnectionTest, WhatOnly012HasPairsAsTheServerShowsItself) {
  Talk talk(scene);
  const auto cancel = talk.client(support::read(108, 5));  // has no answer there
  const auto update = talk.client(support::request({.operation = 150, .number = 6}));
  const auto updated =
      talk.server(support::reply({.operation = 73, .number = 6, .body = support::success()}));
  talk.server(support::reply({.number = 5}));  // of the poll that was called off
  talk.close();
  scene.finish();
  EXPECT_EQ(log.answer_to(update), updated);
  EXPECT_EQ(log.outcome_of(update), "ok");
  EXPECT_EQ(log.outcome_of(cancel), "one-way");
  EXPECT_EQ(log.answer_to(cancel), 0U);
}

// Without a login: by the reply to a poll, whose body is longer in 0.12.
TEST_F(ConnectionTest, RepliesTellTheGeneration) {
  Talk talk(scene);
  for (const unsigned number : {1U, 2U}) {
    talk.client(support::read(100, number));
    talk.server(support::reply({.number = number, .body = Buffer(40)}));
  }
  scene.finish();
  ASSERT_EQ(log.frames.size(), 4U);
  EXPECT_EQ(log.frames[0].generation, Generation::v0_11);
  for (const std::size_t later : {1U, 2U, 3U})
    EXPECT_EQ(log.frames[later].generation, Generation::v0_12) << later;
  EXPECT_EQ(only().client_generation, Generation::v0_12);
  EXPECT_TRUE(only().client_is_certain);
}

TEST_F(ConnectionTest, StatusFourToA012LoginMakesTheServer011) {
  Talk talk(scene);
  const auto login = talk.client(
      support::login(support::password_body({.version = make_version(0, 12, 2), .secret = true})));
  talk.server(support::reply({.operation = 1, .number = 0, .status = 4}));
  scene.finish();
  EXPECT_EQ(log.outcome_of(login), "status 4");
  EXPECT_EQ(only().client_generation, Generation::v0_12);
  EXPECT_EQ(only().server_generation, Generation::v0_11);
}

TEST_F(ConnectionTest, LegacyByOrder) {
  Talk talk(scene);
  const auto ping = talk.client(support::legacy_request(1));
  const auto pong = talk.server(support::legacy_reply());
  const auto login = talk.client(support::legacy_request(38, support::legacy_login_body()));
  const auto refused = talk.server(support::legacy_reply(42));
  scene.finish();
  EXPECT_EQ(log.answer_to(ping), pong);
  EXPECT_EQ(log.answer_to(login), refused);
  EXPECT_EQ(log.outcome_of(login), "status 42");
  EXPECT_EQ(only().client_generation, Generation::legacy);
  EXPECT_EQ(only().server_generation, Generation::legacy);
  ASSERT_EQ(only().logins.size(), 1U);
  EXPECT_EQ(only().logins[0].user, "iggy");
}

TEST_F(ConnectionTest, LegacyServerAnswersNothingOfAVsrClient) {
  Talk talk(scene);
  const auto login = talk.client(support::login(support::password_body()));
  talk.server(joined({support::legacy_reply(3), support::legacy_reply(3)}));
  scene.wait(40 * Scene::second);
  scene.tick();
  scene.finish();
  EXPECT_EQ(only().server_generation, Generation::legacy);
  EXPECT_EQ(log.outcome_of(login), "unanswered");
}

TEST_F(ConnectionTest, PendingWhereTheCaptureEndsFirst) {
  Talk talk(scene);
  talk.client(support::ping(1));
  talk.server(support::pong(1));
  const auto last = talk.client(support::ping(2));
  talk.server_ack();
  scene.finish();
  EXPECT_EQ(log.outcome_of(last), "pending");
}

TEST_F(ConnectionTest, UnansweredAfterThirtySeconds) {
  Talk talk(scene);
  const auto last = talk.client(support::ping(2));
  talk.server_ack();
  scene.wait(30 * Scene::second - 10 * Scene::millisecond);
  scene.tick();
  scene.wait(20 * Scene::millisecond);
  scene.tick();
  scene.finish();
  EXPECT_EQ(log.outcome_of(last), "unanswered");
}

TEST_F(ConnectionTest, PendingJustBeforeThirtySeconds) {
  Talk talk(scene);
  const auto last = talk.client(support::ping(2));
  talk.server_ack();
  scene.wait(30 * Scene::second - 10 * Scene::millisecond);
  scene.tick();
  scene.finish();
  EXPECT_EQ(log.outcome_of(last), "pending");
}

TEST_F(ConnectionTest, UnansweredWhereTheServerClosed) {
  for (const bool reset : {false, true}) {
    FrameLog own;
    Scene one(own);
    Talk talk(one);
    const auto last = talk.client(support::ping(2));
    reset ? talk.server_rst() : talk.server_fin();
    one.finish();
    EXPECT_EQ(own.outcome_of(last), "unanswered") << reset;
  }
}

// The request was sent before what the server said last, of which only the FIN is known.
TEST_F(ConnectionTest, UnknownWhereTheServersDirectionBeginsBehindTheRequest) {
  Talk talk(scene, support::usual_client(), support::usual_server());
  talk.lose_server(256);
  talk.server_fin();
  Talk earlier(scene, support::usual_client(), support::usual_server());
  const auto late = earlier.client(support::ping(1));
  scene.finish();
  EXPECT_EQ(log.outcome_of(late), "unknown");
}

// Servers of 0.12 answer out of turn, so where the generation is only inferred nobody knows.
TEST_F(ConnectionTest, UnknownWhereTheServerWentOnAndMayBeOf012) {
  Talk talk(scene);
  const auto passed_over = talk.client(support::read(100, 1));
  talk.client(support::ping(2));
  talk.server(support::pong(2));
  EXPECT_EQ(log.outcome_of(passed_over), "unknown");
}

TEST_F(ConnectionTest, UnansweredWhereTheServerWentOn) {
  Talk talk(scene);
  talk.client(support::login(support::password_body()));
  talk.server(support::login_reply());
  const auto dropped = talk.client(support::read(100, 1));
  const auto sent = talk.client(support::request({.operation = 160, .number = 2}));
  const auto ping = talk.client(support::ping(3));
  talk.server(support::pong(3));
  EXPECT_EQ(log.outcome_of(ping), "ok");
  EXPECT_EQ(log.outcome_of(dropped), "unanswered");
  EXPECT_EQ(log.outcome_of(sent), "");  // partitions answer when they like
  talk.server(support::reply({.operation = 160, .number = 2}));
  EXPECT_EQ(log.outcome_of(sent), "ok");
}

TEST_F(ConnectionTest, UnknownWhereAHoleMayHideTheAnswer) {
  Talk talk(scene);
  const auto first = talk.client(support::ping(1));
  talk.lose_server(256);
  const auto second = talk.client(support::ping(1));  // acknowledges what was lost
  const auto pong = talk.server(support::pong(1));
  scene.wait(4 * Scene::second);
  talk.client_ack();
  scene.finish();
  EXPECT_EQ(log.outcome_of(first), "unknown");
  EXPECT_EQ(log.answer_to(second), pong);
}

TEST_F(ConnectionTest, UnknownWhereTheLostAnswerWasTheLastWord) {
  Talk talk(scene);
  talk.client(support::ping(1));
  talk.server(support::pong(1));
  const auto last = talk.client(support::ping(2));
  talk.lose_server(256);
  talk.client_ack();
  talk.client_fin();
  talk.server_fin();
  scene.finish();
  EXPECT_EQ(log.outcome_of(last), "unknown");
}

TEST_F(ConnectionTest, HoleInsideAKnownBodyHidesNothing) {
  Talk talk(scene);
  const auto poll = talk.client(support::read(100, 1));
  const auto ping = talk.client(support::ping(2));
  const Buffer messages = support::reply({.number = 1, .body = support::counting_bytes(900)});
  talk.server(support::cut(messages, 600));
  talk.lose_server(messages.size() - 600);
  const auto pong = talk.server(support::pong(2));
  scene.wait(4 * Scene::second);
  talk.client_ack();
  scene.finish();
  EXPECT_EQ(log.outcome_of(poll), "ok");
  EXPECT_EQ(log.answer_to(ping), pong);
  EXPECT_EQ(log.holes, 1U);
  EXPECT_EQ(log.hiding_holes, 0U);
}

// Both directions miss packets, and the client's waits longer: its request is delivered after the
// server's hole was declared, and must not be given a later answer.
TEST_F(ConnectionTest, StalledRequestIsHiddenByAnEarlierHole) {
  Talk talk(scene);
  talk.client(support::ping(1));
  talk.server(support::pong(1));
  talk.lose_client(256);
  talk.lose_server(256);
  const auto hidden = talk.client(support::ping(1));
  talk.lose_server(256);
  talk.lose_client(256);
  const auto pong = talk.server(support::pong(1));
  talk.client_ack();
  scene.wait(4 * Scene::second);
  talk.client_ack();
  talk.server_ack();
  scene.finish();
  EXPECT_EQ(log.outcome_of(hidden), "unknown");
  EXPECT_NE(log.answer_to(hidden), pong);
}

TEST_F(ConnectionTest, OneDirectionAlone) {
  Talk talk(scene, support::usual_client(), support::usual_server());
  const auto ping = talk.client(support::ping(1));
  scene.wait(60 * Scene::second);
  scene.tick();
  scene.finish();
  EXPECT_EQ(log.outcome_of(ping), "unknown");
}

TEST_F(ConnectionTest, AnswersWithoutRequestsAreNamedAsFarAsTheySay) {
  Talk talk(scene, support::usual_client(), support::usual_server());
  talk.server(support::reply({.operation = 64, .body = support::success()}));
  talk.server(support::pong(1));
  scene.finish();
  EXPECT_EQ(log.frames.at(0).name, "topic.create");
  EXPECT_EQ(log.frames.at(1).name, "");
  EXPECT_EQ(log.frames.at(1).answers, 0U);
}

TEST_F(ConnectionTest, WithoutABitOfDataThereIsNoConnection) {
  Talk talk(scene);
  talk.close();
  scene.finish();
  EXPECT_TRUE(log.connections.empty());
  EXPECT_GE(log.without, 1U);
}

}  // namespace
}  // namespace analyzer::connection
