// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Findings that need a whole connection, or what else the same endpoint speaks in the capture.
#include <gtest/gtest.h>

#include "support/batches.hpp"
#include "support/report_scene.hpp"

namespace support {
namespace {

using iggy::make_version;

constexpr std::int64_t long_after = 60 * Scene::second;
const Endpoint odd_server = ipv4_endpoint(10, 0, 0, 2, 12'345);
const Buffer http_get = bytes_of("GET /stats HTTP/1.1\r\nHost: x\r\n\r\n");
const Buffer tls_hello = joined({bytes_of({0x16, 3, 1, 0, 40}), counting_bytes(40)});

// A Register as v0 and va write it: the namespace where later ones have the session.
Buffer older_login(const Buffer& body) {
  return request_builder({.operation = 1, .number = 0, .session = 0, .body = body})
      .u64(184, metadata_group)
      .frame();
}

TEST(DiagnosisOfConnections, LegacyClientOnVsrServer) {
  Report report;
  Talk talk(report.scene());
  const auto asked = talk.client(legacy_request(1));
  talk.server_ack();
  EXPECT_EQ((report.finish(long_after), report.findings()), Ids{"legacy-client-on-vsr-server"});
  EXPECT_EQ(report.only().packets, std::vector<std::uint64_t>{asked});
}

TEST(DiagnosisOfConnections, LegacyClientNextToOthersNeedsNoSilence) {
  Report report;
  logged_in(report, 50'001).close();
  Talk talk(report.scene());
  talk.client(legacy_request(38, legacy_login_body()));
  talk.server_ack();
  EXPECT_EQ(report.findings(), Ids{"legacy-client-on-vsr-server"});
}

TEST(DiagnosisOfConnections, LegacyClientWhoseCaptureEndsAtOnceIsNoFinding) {
  Report report;
  Talk talk(report.scene());
  talk.client(legacy_request(1));
  talk.server_ack();
  EXPECT_EQ(report.findings(), Ids{});
}

TEST(DiagnosisOfConnections, SilentLegacyServerOnlyLeavesARequest) {
  Report report;
  Talk healthy(report.scene(), 50'001);
  healthy.client(legacy_request(1));
  healthy.server(legacy_reply());
  healthy.close();
  Talk talk(report.scene());
  talk.client(legacy_request(1));
  talk.server_ack();
  report.finish(long_after);
  EXPECT_EQ(report.findings(), Ids{"request-never-answered"});
}

TEST(DiagnosisOfConnections, OneSidedCaptureOfALegacyClientIsNoFinding) {
  Report report;
  Talk talk(report.scene(), usual_client(), usual_server());
  talk.client(joined({legacy_request(1), legacy_request(1)}));
  report.finish(long_after);
  EXPECT_EQ(report.findings(), Ids{});
}

TEST(DiagnosisOfConnections, VsrClientOnLegacyServer) {
  Report report;
  Talk talk(report.scene());
  const auto asked = talk.client(login(password_body()));
  Buffer answer;
  for (int i = 0; i < 6; ++i) append(answer, legacy_reply(3));
  const auto answered = talk.server(answer);
  report.finish(long_after);
  EXPECT_EQ(report.findings(), Ids{"vsr-client-on-legacy-server"});
  EXPECT_EQ(report.only().packets, (std::vector<std::uint64_t>{asked, answered}));
}

TEST(DiagnosisOfConnections, VsrClientOnAServerThatClosesAtOnce) {
  Report report;
  Talk talk(report.scene());
  talk.client(login(password_body()));
  talk.server_fin();
  talk.client_fin();
  EXPECT_EQ(report.findings(), Ids{"vsr-client-on-legacy-server"});
}

TEST(DiagnosisOfConnections, ClosedAtOnceByAServerThatSpeaksFramesIsNotLegacy) {
  Report report;
  logged_in(report, 50'001).close();
  Talk talk(report.scene());
  talk.client(login(password_body()));
  talk.server_fin();
  talk.client_fin();
  EXPECT_EQ(report.findings(), Ids{"request-never-answered"});
}

TEST(DiagnosisOfConnections, ClosedByTheClientIsNotLegacy) {
  Report report;
  Talk talk(report.scene());
  talk.client(login(password_body()));
  talk.server_ack();
  talk.client_fin();
  talk.server_fin();
  const Ids found = report.findings();
  EXPECT_EQ(std::count(found.begin(), found.end(), "vsr-client-on-legacy-server"), 0);
}

TEST(DiagnosisOfConnections, Edge1Layout) {
  for (const Buffer& body :
       {legacy_login_body(), password_body({.version = make_version(0, 10, 2)})}) {
    Report report;
    Talk talk(report.scene());
    talk.client(older_login(body));
    talk.server_ack();
    report.finish(long_after);
    EXPECT_EQ(report.findings(), Ids{"edge1-layout-client"});
  }
}

TEST(DiagnosisOfConnections, Edge1LayoutThatIsServedIsNoFinding) {
  Report report;
  Talk talk(report.scene());
  talk.client(older_login(password_body({.version = make_version(0, 10, 2)})));
  talk.server(
      reply_builder({.operation = 1, .number = 0, .body = login_reply_body(make_version(0, 10, 2))})
          .u64(216, metadata_group)
          .frame());
  talk.close();
  EXPECT_EQ(report.findings(), Ids{});
}

TEST(DiagnosisOfConnections, Edge1LayoutThatTheCaptureCutsShortIsNoFinding) {
  Report report;
  Talk talk(report.scene());
  talk.client(older_login(legacy_login_body()));
  talk.server_ack();
  EXPECT_EQ(report.findings(), Ids{});
}

TEST(DiagnosisOfConnections, RequestNeverAnswered) {
  Report report;
  Talk talk = logged_in(report);
  const auto dropped = talk.client(request({.operation = 160, .number = 1, .body = send_body()}));
  talk.client(ping(2));
  talk.server(pong(2));
  talk.close();
  EXPECT_EQ(report.findings(), Ids{"request-never-answered"});
  EXPECT_EQ(report.only().packets, std::vector<std::uint64_t>{dropped});
  EXPECT_NE(report.text().find("message.send"), std::string::npos);
}

TEST(DiagnosisOfConnections, PendingRequestIsNoFinding) {
  Report report;
  Talk talk = logged_in(report);
  talk.client(request({.operation = 160, .number = 1}));
  talk.server_ack();
  report.finish(20 * Scene::second);
  EXPECT_EQ(report.findings(), Ids{});
}

TEST(DiagnosisOfConnections, EvictedRequestIsAnswered) {
  Report report;
  Talk talk = logged_in(report);
  talk.client(request({.operation = 64, .number = 1}));
  talk.server(eviction({.reason = 4}));
  talk.close();
  EXPECT_EQ(report.findings(), Ids{"internal-operation-from-client"});
}

TEST(DiagnosisOfConnections, HoleThatMayHideTheAnswerIsNoFinding) {
  Report report;
  Talk talk = logged_in(report);
  talk.client(read(100, 1));
  talk.lose_server(300);
  talk.client(ping(2));
  talk.server(pong(2));
  report.scene().wait(4 * Scene::second);
  talk.close();
  report.finish(long_after);
  EXPECT_EQ(report.findings(), Ids{});
}

TEST(DiagnosisOfConnections, RequestTheServerNeverGotIsNoFinding) {
  Report report;
  Talk talk = logged_in(report);
  talk.client(read(100, 1));  // not acknowledged by anything
  report.finish(long_after);
  EXPECT_EQ(report.findings(), Ids{});
}

TEST(DiagnosisOfConnections, LoginNotCaptured) {
  Report report;
  Talk talk(report.scene(), usual_client(), usual_server());
  talk.client(read(201, 1));
  talk.server(reply({.number = 1}));
  EXPECT_EQ(report.findings(), Ids{"login-not-captured"});
}

TEST(DiagnosisOfConnections, PingsAloneNeedNoLogin) {
  Report report;
  Talk talk(report.scene(), usual_client(), usual_server());
  talk.client(ping(1));
  talk.server(pong(1));
  EXPECT_EQ(report.findings(), Ids{});
}

// Whether such a client had logged in before the capture began is not known either.
TEST(DiagnosisOfConnections, RefusedRequestInTheMiddleIsNoFinding) {
  Report report;
  Talk talk(report.scene(), usual_client(), usual_server());
  talk.client(read(100, 1));
  talk.server(reply({.number = 1, .status = 40}));
  EXPECT_EQ(report.findings(), Ids{});
}

// --- Other protocols

TEST(DiagnosisOfConnections, HttpOnAnIggyPort) {
  for (const Buffer& first : {http_get, tls_hello}) {
    Report report;
    Talk talk(report.scene());
    talk.client(first);
    talk.server_ack();
    report.finish(long_after);
    EXPECT_EQ(report.findings(), Ids{"wrong-protocol-on-port"});
  }
}

TEST(DiagnosisOfConnections, HttpElsewhereIsNoFinding) {
  Report report;
  Talk talk(report.scene(), 50'000, odd_server);
  talk.client(http_get);
  talk.server_ack();
  report.finish(long_after);
  EXPECT_EQ(report.findings(), Ids{});
}

TEST(DiagnosisOfConnections, HttpOnANamedPort) {
  Report report({12'345});
  Talk talk(report.scene(), 50'000, odd_server);
  talk.client(http_get);
  talk.server_ack();
  report.finish(long_after);
  EXPECT_EQ(report.findings(), Ids{"wrong-protocol-on-port"});
}

TEST(DiagnosisOfConnections, HttpWhereOthersSpeakIggy) {
  Report report;
  Talk iggy(report.scene(), 50'001, odd_server);
  iggy.client(ping());
  iggy.server(pong());
  iggy.close();
  Talk talk(report.scene(), 50'000, odd_server);
  talk.client(http_get);
  talk.server_ack();
  report.finish(long_after);
  EXPECT_EQ(report.findings(), Ids{"wrong-protocol-on-port"});
}

TEST(DiagnosisOfConnections, HttpThatIsAnsweredIsNoFinding) {
  Report report;
  Talk talk(report.scene());
  talk.client(http_get);
  talk.server(bytes_of("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
  report.finish(long_after);
  EXPECT_EQ(report.findings(), Ids{});
}

TEST(DiagnosisOfConnections, OtherProtocolsOnAnIggyPortAreNoFinding) {
  for (const Buffer& first : {bytes_of("SSH-2.0-OpenSSH_9.2\r\n"), bytes_of("*1\r\n$4\r\nPING\r\n"),
                              counting_bytes(400, 9), Buffer(400)}) {
    Report report;
    Talk talk(report.scene());
    talk.client(first);
    talk.server_ack();
    report.finish(long_after);
    EXPECT_EQ(report.findings(), Ids{});
  }
}

TEST(DiagnosisOfConnections, IggyFramesToAnHttpServer) {
  Report report;
  Talk talk(report.scene(), 50'000, ipv4_endpoint(10, 0, 0, 2, 3'000));
  talk.client(login(password_body()));
  talk.server(bytes_of("HTTP/1.1 400 Bad Request\r\n\r\n"));
  talk.close();
  EXPECT_EQ(report.findings(), Ids{"wrong-protocol-on-port"});
}

TEST(DiagnosisOfConnections, IggyFramesToAWebSocketPort) {
  Report report;
  Talk talk(report.scene(), 50'000, ipv4_endpoint(10, 0, 0, 2, 8'092));
  talk.client(login(password_body()));
  talk.server_fin();
  talk.client_fin();
  EXPECT_EQ(report.findings(), Ids{"wrong-protocol-on-port"});
}

// --- Nobody there

Report refused(std::initializer_list<std::int64_t> waits, std::uint16_t port,
               bool accepted_elsewhere) {
  Report report;
  const Endpoint server = ipv4_endpoint(10, 0, 0, 2, port);
  unsigned client = 40'000;
  for (const std::int64_t wait : waits) {
    report.scene().wait(wait);
    analyzer::capture::TcpSegment syn;
    syn.from = usual_client(client++);
    syn.to = server;
    syn.sequence = 100;
    syn.flags = {.syn = true};
    report.scene().send(syn);
    analyzer::capture::TcpSegment rst;
    rst.from = server;
    rst.to = syn.from;
    rst.acknowledgement = 101;
    rst.flags = {.rst = true, .ack = true};
    report.scene().send(rst);
  }
  if (accepted_elsewhere) Talk(report.scene(), 50'000, server).close();
  return report;
}

TEST(DiagnosisOfConnections, Refused) {
  EXPECT_EQ(refused({0}, 8'090, false).findings(), Ids{"connection-refused"});
  EXPECT_EQ(refused({0, Scene::second, Scene::second}, 8'090, true).findings(),
            Ids{"connection-refused"});
}

TEST(DiagnosisOfConnections, RefusedNowAndThenIsNoFinding) {
  EXPECT_EQ(refused({0}, 8'090, true).findings(), Ids{});
  EXPECT_EQ(refused({0, 20 * Scene::second, 20 * Scene::second}, 8'090, true).findings(), Ids{});
}

TEST(DiagnosisOfConnections, NodesThatStartDialEachOther) {
  EXPECT_EQ(refused({0, Scene::second, Scene::second}, 9'090, false).findings(), Ids{});
  EXPECT_EQ(refused({0, 8 * Scene::second, 8 * Scene::second}, 9'090, false).findings(),
            Ids{"connection-refused"});
}

TEST(DiagnosisOfConnections, WorstFirst) {
  Report report;
  Talk talk = logged_in(report);
  talk.client(login(password_body({.user = "x"}), second_client));
  talk.server(eviction({.reason = 9}));
  Talk old(report.scene(), 50'001);
  old.client(login(password_body({.version = make_version(0, 10, 2)}), {9, 9}));
  old.server(
      eviction({.reason = 14, .highest = iggy::version_0_11_0, .lowest = iggy::version_0_11_0}));
  Talk middle(report.scene(), usual_client(50'002), usual_server());
  middle.client(request({.code = 201, .client = {8, 8}}));
  middle.server(reply({.client = {8, 8}}));
  EXPECT_EQ(report.findings(),
            (Ids{"protocol-version-rejected", "login-refused-credentials", "login-not-captured"}));
}

}  // namespace
}  // namespace support
