// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Findings that one frame, or a request and its answer, decide: each on its evidence, and not where
// the catalogue forbids it. Those of whole connections are in diagnosis_connections_test.cpp.
#include "report/diagnosis.hpp"

#include <gtest/gtest.h>

#include "support/report_scene.hpp"

namespace support {
namespace {

using iggy::make_version;

const iggy::Version v0_11_0 = iggy::version_0_11_0;

Report after_login(const Buffer& body, const Buffer& answer) {
  Report report;
  Talk talk(report.scene());
  talk.client(login(body));
  talk.server(answer);
  talk.close();
  return report;
}

TEST(Diagnosis, HealthySessionHasNoFinding) {
  Report report;
  Talk talk = logged_in(report);
  talk.client(request({.operation = 128, .number = 1}));
  talk.server(reply({.operation = 128, .number = 1, .body = rejection(1009)}));
  talk.client(read(200, 1));
  talk.server(reply({.number = 1, .status = 1009}));
  talk.client(request({.operation = 3, .number = 2}));
  talk.server(reply({.operation = 3, .number = 2}));
  talk.close();
  EXPECT_EQ(report.findings(), Ids{});
}

TEST(Diagnosis, TooOldVersion) {
  Report report;
  Talk talk(report.scene());
  const auto asked = talk.client(login(password_body({.version = make_version(0, 10, 2)})));
  const auto refused = talk.server(eviction({.reason = 14, .highest = v0_11_0, .lowest = v0_11_0}));
  EXPECT_EQ(report.findings(), Ids{"protocol-version-rejected"});
  EXPECT_EQ(report.only().packets, (std::vector<std::uint64_t>{asked, refused}));
  EXPECT_NE(report.advice().find("upgrade the client"), std::string::npos);
  EXPECT_NE(report.text().find("accepts 0.11.x"), std::string::npos);
}

TEST(Diagnosis, TooNewVersion) {
  Report report;
  Talk talk(report.scene());
  talk.client(login(password_body({.version = make_version(0, 12, 1), .secret = true})));
  talk.server(eviction({.reason = 14, .highest = v0_11_0, .lowest = v0_11_0}));
  EXPECT_EQ(report.findings(), Ids{"protocol-version-rejected"});
  EXPECT_NE(report.advice().find("upgrade the server"), std::string::npos);
  EXPECT_NE(report.advice().find("pin the client"), std::string::npos);
}

TEST(Diagnosis, ExactVersionOf012) {
  const iggy::Version only = make_version(0, 12, 2);
  Report report;
  Talk talk(report.scene());
  talk.client(login(password_body({.version = make_version(0, 12, 1), .secret = true})));
  talk.server(eviction({.reason = 14, .highest = only, .lowest = only}));
  EXPECT_EQ(report.findings(), Ids{"protocol-version-rejected"});
  EXPECT_NE(report.text().find("exactly 0.12.2"), std::string::npos);
  EXPECT_NE(report.advice().find("0.12.2"), std::string::npos);
}

TEST(Diagnosis, Status4ToA012Login) {
  Report report = after_login(password_body({.version = make_version(0, 12, 2), .secret = true}),
                              reply({.operation = 1, .number = 0, .status = 4}));
  EXPECT_EQ(report.findings(), Ids{"protocol-version-rejected"});
  EXPECT_NE(report.advice().find("body is not damaged"), std::string::npos);
}

TEST(Diagnosis, Status4ToA011LoginIsNoVersionMatter) {
  Report report = after_login(password_body(), reply({.operation = 1, .number = 0, .status = 4}));
  EXPECT_EQ(report.findings(), Ids{});
}

TEST(Diagnosis, LoginsThatDifferOnlyInPortAreOneCase) {
  Report report;
  for (const unsigned port : {50'000U, 50'001U, 50'002U}) {
    Talk talk(report.scene(), port);
    talk.client(login(password_body({.version = make_version(0, 10, 2)})));
    talk.server(eviction({.reason = 14, .highest = v0_11_0, .lowest = v0_11_0}));
    talk.close();
  }
  EXPECT_EQ(report.only().count, 3U);
  EXPECT_EQ(report.only().evidence.size(), 1U);
}

TEST(Diagnosis, MalformedLogin) {
  EXPECT_EQ(after_login(bytes_of("nonsense"), eviction({.reason = 15})).findings(),
            Ids{"malformed-login"});
}

TEST(Diagnosis, LegacyLoginCodeInsideAFrame) {
  for (const std::uint32_t code : {38U, 44U}) {
    Report report;
    Talk talk(report.scene());
    talk.client(request({.code = code, .body = legacy_login_body()}));
    talk.server(eviction({.reason = 15}));
    EXPECT_EQ(report.findings(), Ids{"malformed-login"}) << code;
    EXPECT_NE(report.text().find("legacy command"), std::string::npos);
  }
}

TEST(Diagnosis, MalformedButAcceptedLoginIsNoFinding) {
  EXPECT_EQ(after_login(bytes_of("nonsense"), login_reply()).findings(), Ids{});
}

TEST(Diagnosis, WrongPassword) {
  Report report = after_login(password_body({.user = "someone"}), eviction({.reason = 9}));
  EXPECT_EQ(report.findings(), Ids{"login-refused-credentials"});
  EXPECT_NE(report.text().find("\"someone\""), std::string::npos);
  EXPECT_EQ(report.text().find("a-password"), std::string::npos);
}

TEST(Diagnosis, WrongPasswordOfALegacyClient) {
  Report report;
  Talk talk(report.scene());
  talk.client(legacy_request(38, legacy_login_body("someone")));
  talk.server(legacy_reply(42));
  EXPECT_EQ(report.findings(), Ids{"login-refused-credentials"});
}

TEST(Diagnosis, WorkingLegacyClientIsNoFinding) {
  Report report;
  Talk talk(report.scene());
  talk.client(legacy_request(38, legacy_login_body()));
  talk.server(legacy_reply(0, little().u32(1).buffer()));
  talk.client(legacy_request(201));
  talk.server(legacy_reply(0, counting_bytes(20)));
  talk.close();
  EXPECT_EQ(report.findings(), Ids{});
}

TEST(Diagnosis, TransientLoginIsNoFinding) {
  EXPECT_EQ(
      after_login(password_body(), reply({.operation = 1, .number = 0, .body = rejection(57)}))
          .findings(),
      Ids{});
}

TEST(Diagnosis, RefusedTokens) {
  for (const unsigned reason : {10U, 11U}) {
    Report report = after_login(token_body(), eviction({.reason = reason}));
    EXPECT_EQ(report.findings(), Ids{"token-refused"});
    EXPECT_EQ(report.text().find("a-token"), std::string::npos);
  }
}

TEST(Diagnosis, RequestBeforeLogin) {
  Report by_status;
  Talk first(by_status.scene());
  first.client(read(12));
  first.server(reply({.status = 40}));
  EXPECT_EQ(by_status.findings(), Ids{"request-before-login"});

  Report by_eviction;
  Talk second(by_eviction.scene());
  second.client(request({.operation = 160}));
  second.server(eviction({.reason = 1}));
  EXPECT_EQ(by_eviction.findings(), Ids{"request-before-login"});
}

TEST(Diagnosis, PingBeforeLoginIsNormal) {
  Report report;
  Talk talk(report.scene());
  talk.client(ping());
  talk.server(pong());
  talk.close();
  EXPECT_EQ(report.findings(), Ids{});
}

TEST(Diagnosis, RequestAfterLogoutIsBeforeLogin) {
  Report report;
  Talk talk = logged_in(report);
  talk.client(request({.operation = 3, .number = 2}));
  talk.server(reply({.operation = 3, .number = 2}));
  talk.client(request({.operation = 128, .number = 3}));
  talk.server(eviction({.reason = 1}));
  EXPECT_EQ(report.findings(), Ids{"request-before-login"});
}

TEST(Diagnosis, SessionLost) {
  for (const unsigned reason : {1U, 7U}) {
    Report report;
    Talk talk = logged_in(report);
    talk.client(request({.operation = 128, .number = 3}));
    talk.server(eviction({.reason = reason}));
    EXPECT_EQ(report.findings(), Ids{"session-lost"}) << reason;
  }
}

TEST(Diagnosis, SessionLostOnAnotherConnection) {
  Report report;
  logged_in(report, 50'000).close();
  Talk again(report.scene(), 50'001);
  again.client(request({.operation = 128, .number = 3}));
  again.server(eviction({.reason = 1}));
  EXPECT_EQ(report.findings(), Ids{"session-lost"});
}

TEST(Diagnosis, AnotherClientsSessionIsNotThisOnes) {
  Report report;
  logged_in(report, 50'000).close();
  Talk other(report.scene(), 50'001);
  other.client(request({.operation = 128, .number = 3, .client = second_client}));
  other.server(eviction({.reason = 1}));
  EXPECT_EQ(report.findings(), Ids{"request-before-login"});
}

TEST(Diagnosis, LogoutElsewhereEndsTheSession) {
  Report report;
  Talk first = logged_in(report, 50'000);
  first.client(request({.operation = 3, .number = 2}));
  first.server(reply({.operation = 3, .number = 2}));
  first.close();
  Talk again(report.scene(), 50'001);
  again.client(request({.operation = 128, .number = 3}));
  again.server(eviction({.reason = 1}));
  EXPECT_EQ(report.findings(), Ids{"request-before-login"});
}

TEST(Diagnosis, StaleClientOwnsWhatFollows) {
  Report report;
  Talk talk = logged_in(report);
  talk.server(eviction({.reason = 13}));
  talk.client(read(200, 2));
  talk.server(reply({.number = 2, .status = 40}));
  talk.client(request({.operation = 128, .number = 3}));
  talk.server(eviction({.reason = 1}));
  EXPECT_EQ(report.findings(), Ids{"stale-client-evicted"});
  EXPECT_EQ(report.only().count, 1U);
}

TEST(Diagnosis, LoginAfterAStaleEvictionStartsAnew) {
  Report report;
  Talk talk = logged_in(report);
  talk.server(eviction({.reason = 13}));
  talk.client(login(password_body(), second_client));
  talk.server(login_reply(v0_11_0, second_client));
  talk.client(request({.operation = 128, .number = 3, .client = second_client}));
  talk.server(eviction({.reason = 1}));
  EXPECT_EQ(report.findings(), (Ids{"session-lost", "stale-client-evicted"}));
}

TEST(Diagnosis, UnknownAndUnservedCommands) {
  Report unknown;
  Talk first = logged_in(unknown);
  first.client(read(999));
  first.server(reply({.status = 3}));
  EXPECT_EQ(unknown.findings(), Ids{"unknown-or-unsupported-command"});

  Report unserved;
  Talk second = logged_in(unserved);
  second.client(read(102));
  second.server(reply({.status = 5}));
  EXPECT_EQ(unserved.findings(), Ids{"unknown-or-unsupported-command"});
}

TEST(Diagnosis, RoutingCodesAreUnknownToOlderTrains) {
  Report report;
  Talk talk = logged_in(report);
  talk.client(read(103));
  talk.server(reply({.status = 3}));
  EXPECT_EQ(report.findings(), Ids{"unknown-or-unsupported-command"});
}

TEST(Diagnosis, StatusThreeToAKnownCommandSpeaksOfItsBody) {
  Report report;
  Talk talk = logged_in(report);
  talk.client(read(100));
  talk.server(reply({.status = 3}));
  talk.client(request({.operation = 128, .number = 2}));
  talk.server(reply({.operation = 128, .number = 2, .status = 3}));
  talk.client(request({.operation = 160, .number = 3}));
  talk.server(reply({.operation = 160, .number = 3, .status = 5}));
  EXPECT_EQ(report.findings(), Ids{"invalid-metadata-body"});
  EXPECT_EQ(report.only().count, 1U);
}

TEST(Diagnosis, InconsistentWindows) {
  struct Case {
    unsigned reason;
    iggy::Version lowest;
    iggy::Version highest;
    bool is_wrong;
  };
  for (const Case& each : {Case{14, v0_11_0, v0_11_0, false}, Case{14, {}, v0_11_0, true},
                           Case{14, make_version(0, 12, 0), v0_11_0, true}, Case{9, {}, {}, false},
                           Case{9, v0_11_0, v0_11_0, true}, Case{13, {}, v0_11_0, true}}) {
    Report report;
    Talk talk = logged_in(report);
    talk.server(eviction({.reason = each.reason, .highest = each.highest, .lowest = each.lowest}));
    const Ids found = report.findings();
    EXPECT_EQ(std::count(found.begin(), found.end(), "version-window-inconsistent"),
              each.is_wrong ? 1 : 0)
        << each.reason;
  }
}

TEST(Diagnosis, EvictionWithoutItsLoginIsEvidenceAllTheSame) {
  const struct {
    unsigned reason;
    std::string_view id;
  } cases[] = {{9, "login-refused-credentials"},
               {10, "token-refused"},
               {15, "malformed-login"},
               {7, "session-lost"}};
  for (const auto& each : cases) {
    Report report;
    Talk talk(report.scene(), usual_client(), usual_server());
    talk.server(eviction({.reason = each.reason}));
    EXPECT_EQ(report.findings(), Ids{std::string(each.id)}) << each.reason;
  }
}

}  // namespace
}  // namespace support
