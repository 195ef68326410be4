// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What the report says of requests that a server refused: by whom, of what, why, and what to do.
#include <gtest/gtest.h>

#include "report/diagnosis.hpp"
#include "support/batches.hpp"
#include "support/report_scene.hpp"

namespace support {
namespace {

using iggy::conversation::Severity;

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Refusals, NameTheUserAndTheCommandAndTheCode) {
  Report report;
  Talk talk(report.scene());
  talk.client(login(password_body({.user = "alice"})));
  talk.server(login_reply());
  const auto asked = talk.client(request({.operation = 128, .number = 1}));
  const auto refused = talk.server(reply({.operation = 128, .number = 1, .body = rejection(41)}));
  EXPECT_EQ(report.findings(), Ids{"not-authorized"});
  EXPECT_TRUE(says(report.text(), "stream.create by user \"alice\" from ")) << report.text();
  EXPECT_TRUE(says(report.text(), "with result 41 Unauthorized.")) << report.text();
  EXPECT_TRUE(says(report.advice(), "give the user the permission"));
  EXPECT_EQ(report.only().packets, (std::vector<std::uint64_t>{asked, refused}));
}

TEST(Refusals, TheAdviceFitsTheCode) {
  const auto advice_for = [](std::uint32_t status) {
    Report report;
    Talk talk = logged_in(report);
    talk.client(request({.operation = 132, .number = 1}));
    talk.server(reply({.operation = 132, .number = 1, .status = status}));
    EXPECT_EQ(report.findings(), Ids{"options-rejected"});
    return report.advice();
  };
  EXPECT_TRUE(says(advice_for(4041), "options.describe"));
  EXPECT_TRUE(says(advice_for(4042), "correct the value"));
  EXPECT_TRUE(says(advice_for(1019), "max_topic_size"));
}

// Servers answer it with the same status.
TEST(Refusals, ASendWhoseTargetCannotBeReadIsOfNoMissingOne) {
  Buffer body = send_body();
  body[16] = std::byte{9};  // the kind of its partitioning
  for (const Buffer& wrong : {Buffer{}, Buffer(2), body}) {
    Report report;
    Talk talk = logged_in(report);
    talk.client(request({.operation = 160, .number = 1, .body = wrong}));
    talk.server(reply({.operation = 160, .number = 1, .status = 20}));
    EXPECT_EQ(report.findings(), Ids{"batch-inconsistent"}) << wrong.size();
  }
}

TEST(Refusals, AClientThatInsistsIsAnError) {
  for (const unsigned times : {1U, 2U, 3U, 10U}) {
    Report report;
    Talk talk = logged_in(report);
    for (std::uint64_t number = 1; number <= times; ++number) {
      talk.client(request({.operation = 160, .number = number, .body = send_body()}));
      talk.server(reply({.operation = 160, .number = number, .status = 20}));
    }
    EXPECT_EQ(report.findings(), Ids{"produce-to-missing-target"});
    EXPECT_EQ(report.only().severity, times < 3 ? Severity::info : Severity::error) << times;
    EXPECT_EQ(report.only().count, times);
    EXPECT_EQ(report.only().evidence.size(), 1U);
  }
}

TEST(Refusals, AnOperationOfServersIsNamed) {
  Report refused;
  Talk first = logged_in(refused);
  first.client(request({.operation = 66, .number = 1}));
  first.server(eviction({.reason = 4}));
  EXPECT_EQ(refused.findings(), Ids{"internal-operation-from-client"});
  EXPECT_TRUE(says(refused.text(), "an eviction with reason 4 InvalidRequestOperation"));

  Report done;
  Talk second = logged_in(done);
  second.client(request({.operation = 68, .number = 1}));
  second.server(reply({.operation = 68, .number = 1, .body = Buffer(4)}));
  EXPECT_EQ(done.findings(), Ids{"truncate-from-client"});
}

// A connection whose change has no body to read, with what comes after it.
template <class After>
Ids stopped(bool is_cluster, const After& after) {
  Report report;
  Talk talk = logged_in(report);
  talk.client(request({.operation = 130, .number = 1, .body = Buffer(1)}));
  if (is_cluster) talk.server(reply({.operation = 130, .number = 1, .body = rejection(57)}));
  after(report, talk);
  talk.close();
  return report.findings();
}

TEST(Stops, OfAServerAreSeenAtTheClient) {
  const Ids silent = {"metadata-group-stopped", "request-never-answered"};
  const Ids in_doubt = {"metadata-group-stopped"};
  const auto nothing = [](Report&, Talk&) {};
  EXPECT_EQ(stopped(false, nothing), silent);
  EXPECT_EQ(stopped(true, nothing), in_doubt);
  const auto refused = [](Report&, Talk& talk) {
    talk.client(request({.operation = 131, .number = 2}));
    talk.server(reply({.operation = 131, .number = 2, .body = rejection(57)}));
  };
  EXPECT_EQ(stopped(true, refused), in_doubt);
}

// What the server does afterwards shows that it refused the body for another reason.
TEST(Stops, AreNoneOfAServerThatGoesOn) {
  const Ids silent = {"request-never-answered"};
  const auto login_elsewhere = [](Report& report, Talk&) { logged_in(report, 50'001, {9, 9}); };
  EXPECT_EQ(stopped(false, login_elsewhere), silent);
  EXPECT_EQ(stopped(true, login_elsewhere), Ids{});
  const auto change = [](Report&, Talk& talk) {
    talk.client(request({.operation = 139, .number = 2, .body = Buffer(9)}));
    talk.server(reply({.operation = 139, .number = 2, .body = success()}));
  };
  EXPECT_EQ(stopped(true, change), Ids{});
  const auto ping_answered = [](Report&, Talk& talk) {
    talk.client(request({.code = 1, .number = 2}));
    talk.server(reply({.number = 2}));
  };
  EXPECT_EQ(stopped(false, ping_answered), silent);
  EXPECT_EQ(stopped(true, ping_answered), Ids{"metadata-group-stopped"});
}

TEST(Stops, TellHowTheyShow) {
  Report report;
  Talk talk = logged_in(report);
  const auto asked = talk.client(request({.operation = 130, .number = 1, .body = Buffer(1)}));
  const auto told = talk.server(reply({.operation = 130, .number = 1, .body = rejection(57)}));
  EXPECT_EQ(report.findings(), Ids{"metadata-group-stopped"});
  EXPECT_TRUE(says(report.text(),
                   "It was answered with result 57 TransientNotCommitted, and that "
                   "server did no login"))
      << report.text();
  EXPECT_EQ(report.only().packets, (std::vector<std::uint64_t>{asked, told}));
}

TEST(Stops, OfServersAreSeenBetweenThem) {
  Report report;
  Talk link(report.scene());
  const Buffer odd = {std::byte{0xff}};
  const auto stamped = [&odd](std::uint64_t body_checksum) {
    return prepare_builder({.operation = 139, .body = odd})
        .u128(16, {body_checksum, 0})
        .identify()
        .frame();
  };
  const auto sent = link.client(stamped(iggy::decode::xxh3(odd)));
  link.client(stamped(iggy::decode::xxh3(odd) + 1));  // who receives it drops it
  link.client(prepare({.operation = 130, .body = little().u8(1).u8(4).u32(7).buffer()}));
  EXPECT_EQ(report.findings(), Ids{"metadata-group-stopped"});
  EXPECT_EQ(report.only().packets, std::vector<std::uint64_t>{sent});
  EXPECT_TRUE(says(report.text(), "a Prepare of op 7, CreateConsumerGroup, with a body"))
      << report.text();
}

TEST(Refusals, AnEmptyAnswerIsNoRefusal) {
  Report report;
  Talk talk = logged_in(report);
  talk.client(request({.code = 200, .number = 1, .body = little().u8(1).u8(4).u32(7).buffer()}));
  talk.server(reply({.number = 1}));
  EXPECT_EQ(report.findings(), Ids{"not-found-read-shows-as-empty"});
  EXPECT_TRUE(says(report.text(), "was answered by")) << report.text();
  EXPECT_TRUE(says(report.text(), "with an empty body: there is no such thing")) << report.text();
}

TEST(Dialects, AreNamedWithBothSidesAndTheWayOut) {
  const auto option = [](std::string_view key) {
    return little().u8(2).u32(key.size()).bytes(bytes_of(key)).u8(2).u32(1).u8('x').buffer();
  };
  const Buffer front = little().u8(1).u8(4).u32(1).u32(3).bytes(short_text("invoices")).buffer();
  const auto findings_of = [&](std::string_view server, std::string_view key) {
    Report report;
    Talk talk(report.scene());
    talk.client(login(password_body()));
    talk.server(reply(
        {.operation = 1, .number = 0, .body = login_reply_body(iggy::version_0_11_0, server)}));
    talk.client(request({.operation = 132, .number = 1, .body = joined({front, option(key)})}));
    talk.server(reply({.operation = 132, .number = 1, .status = 4041}));
    return report;
  };
  Report differ = findings_of("0.9.0-edge.5", "durability");
  EXPECT_EQ(differ.findings(), (Ids{"body-dialect-mismatch", "options-rejected"}));
  const auto& mismatch = differ.finish().findings.at(0);
  EXPECT_TRUE(says(mismatch.evidence.at(0).text, "the server lacks the options \"durability\""))
      << mismatch.evidence.at(0).text;
  EXPECT_TRUE(says(mismatch.advice.at(0), "rust-sdk 0.11.0-edge.4")) << mismatch.advice.at(0);
  EXPECT_TRUE(says(mismatch.advice.at(0), "upgrade the server to 0.9.0"));
  // The same train, another key, and a server that nobody knows are no mismatch.
  EXPECT_EQ(findings_of("0.9.0", "durability").findings(), Ids{"options-rejected"});
  EXPECT_EQ(findings_of("0.9.0-edge.5", "no_such").findings(), Ids{"options-rejected"});
  EXPECT_EQ(findings_of("0.9.1-mine", "durability").findings(), Ids{"options-rejected"});
}

TEST(Dialects, ExplainASendThatNobodyAnswers) {
  Report report;
  Talk talk(report.scene());
  talk.client(login(password_body({.sdk_version = "0.11.0-edge.3"})));
  talk.server(login_reply());
  talk.client(request({.operation = 160, .number = 1}));
  talk.server_ack();
  report.finish(std::int64_t{31} * 1'000'000'000);
  EXPECT_EQ(report.findings(), Ids{"body-dialect-mismatch"});
  EXPECT_TRUE(says(report.text(), "was never answered")) << report.text();
}

// SDKs before 0.11.0-edge.7 give all sends of a run one number, and a server that looks for
// repeated ones stores only the first.
TEST(Dialects, ExplainSendsThatAreTakenForRepeatedOnes) {
  const auto findings_of = [](std::string_view sdk_version) {
    Report report;
    Talk talk(report.scene());
    talk.client(login(password_body({.sdk_version = std::string(sdk_version)})));
    talk.server(reply(
        {.operation = 1, .number = 0, .body = login_reply_body(iggy::version_0_11_0, "0.9.0")}));
    for (const std::string_view payload : {"a", "b", "b", "c"}) {
      const Buffer batch = batch_bytes({.messages = {{.payload = std::string(payload)}}});
      talk.client(request({.operation = 160, .number = 1, .body = send_body(batch)}));
      talk.server(reply({.operation = 160,
                         .number = 1,
                         .body = payload == "a" ? little().u32(0).buffer() : Buffer{}}));
    }
    return report;
  };
  Report differ = findings_of("0.11.0-edge.6");
  EXPECT_EQ(differ.findings(), Ids{"body-dialect-mismatch"});
  EXPECT_TRUE(says(differ.text(), "the client lacks a number of its own for each send"))
      << differ.text();
  EXPECT_TRUE(says(differ.text(), "message.send was answered with an empty body"));
  EXPECT_EQ(differ.only().count, 2U);  // the second "b" is a retry
  Report alike = findings_of("0.11.0");
  EXPECT_EQ(alike.findings(), Ids{"request-number-misuse"});
  EXPECT_TRUE(says(alike.text(), "stored nothing")) << alike.text();
}

TEST(Dialects, SayWhatIsTrueOfEachCommand) {
  Report report;
  Talk talk(report.scene());
  talk.client(login(password_body()));
  talk.server(reply({.operation = 1,
                     .number = 0,
                     .body = login_reply_body(iggy::version_0_11_0, "0.9.0-edge.5")}));
  std::uint64_t number = 1;
  for (const std::uint32_t code : {103U, 123U, 14U, 103U}) {
    talk.client(read(code, number));
    talk.server(reply({.number = number, .status = 3}));
    ++number;
  }
  const auto found = report.finish().findings.at(0);
  ASSERT_EQ(found.evidence.size(), 3U);
  EXPECT_EQ(found.evidence[0].count, 2U);
  EXPECT_TRUE(says(found.evidence[1].text, "consumer_offset.routing was answered with status 3"));
  EXPECT_TRUE(says(found.evidence[2].text, "consumer_session.attach was answered with status 3"));
}

// After a login of 0.12 whose server tells a number and no build.
Talk logged_in_0_12(Report& report, std::string_view sdk_version, iggy::Version number) {
  Talk talk(report.scene());
  talk.client(login(
      password_body({.version = number, .sdk_version = std::string(sdk_version), .secret = true})));
  talk.server(reply({.operation = 1, .number = 0, .body = login_reply_body(number, "0.10.0")}));
  return talk;
}

// Of metadata.changes, from the earliest on.
Buffer changes_body() {
  return joined({Buffer(47), little().u32(100).u8(0).u8(0).u8(0).buffer()});
}

TEST(Dialects, OfServersThatTellNoBuildShowByTheirAnswers) {
  const auto findings_of = [](std::string_view sdk_version, iggy::Version number) {
    Report report;
    Talk talk = logged_in_0_12(report, sdk_version, number);
    talk.client(request({.code = 17, .number = 1, .body = changes_body()}));
    talk.server(reply({.number = 1, .status = 3}));
    return report;
  };
  const iggy::Version number = iggy::version_0_12_0;
  Report differ = findings_of("0.11.1-edge.3", number);
  EXPECT_EQ(differ.findings(), (Ids{"body-dialect-mismatch", "unknown-or-unsupported-command"}));
  const auto& mismatch = differ.finish().findings.at(0);
  EXPECT_TRUE(says(mismatch.evidence.at(0).text,
                   "the server lacks the command metadata.changes (code 17), as its answer shows"))
      << mismatch.evidence.at(0).text;
  EXPECT_TRUE(says(mismatch.advice.at(0), "rust-sdk 0.11.1-edge.3, or an older"));
  // An SDK whose own build does not have it, and one that nobody knows.
  EXPECT_EQ(findings_of("0.11.1-edge.2", number).findings(), Ids{"unknown-or-unsupported-command"});
  Report other = findings_of("9.9.9", number);
  EXPECT_EQ(other.findings(), Ids{"unknown-or-unsupported-command"});
  EXPECT_TRUE(says(other.text(), "of a build before that of rust-sdk 0.11.1-edge.3, or refused"))
      << other.text();
  // All builds of 0.12.2 know it.
  EXPECT_EQ(findings_of("0.11.1-edge.8", iggy::make_version(0, 12, 2)).findings(), Ids{});
}

TEST(Dialects, OfProducersAreAHintAtSilence) {
  Report report;
  Talk talk = logged_in_0_12(report, "0.11.1-edge.8", iggy::make_version(0, 12, 2));
  Buffer batch = batch_bytes();
  batch[52] = std::byte{1};
  put_number(batch, 40, batch_checksum(batch, true), 8);
  talk.client(request({.operation = 160, .number = 1, .body = send_body(batch)}));
  talk.server_ack();
  report.finish(std::int64_t{31} * 1'000'000'000);
  EXPECT_EQ(report.findings(), Ids{"request-never-answered"});
  EXPECT_TRUE(says(report.finish().findings.at(0).advice.at(0), "names its producer"));
}

// A fetch of partition 3 that lets the server wait two minutes.
Buffer fetch_body() {
  const Buffer one = little().u8(1).u8(4).u32(1).buffer();
  return little()
      .u8(1)
      .bytes(one)  // the consumer
      .bytes(one)
      .bytes(one)
      .u64(120'000'000)
      .u64(130'000'000)
      .u32(1)
      .u32(10)
      .u32(1000)
      .u8(0)
      .u32(1)
      .u32(3)
      .u8(5)
      .u64(0)
      .u32(1000)
      .u64(7)
      .u64(0)
      .buffer();
}

TEST(WaitingPolls, AreUnansweredOnlyWhenTheirClientGaveUp) {
  const auto findings_after = [](std::int64_t seconds, bool is_cancelled, bool client_leaves) {
    Report report;
    Talk talk = logged_in_0_12(report, "0.11.1-edge.8", iggy::make_version(0, 12, 2));
    talk.client(request({.code = 109, .number = 1, .body = fetch_body()}));
    talk.server_ack();
    if (is_cancelled) talk.client(request({.code = 108, .number = 1}));
    report.scene().wait(seconds * 1'000'000'000);
    talk.client(read(1, 2));
    talk.server(reply({.number = 2}));
    if (client_leaves) talk.close();
    report.finish(0);
    return report.findings();
  };
  EXPECT_EQ(findings_after(60, false, false), Ids{});
  EXPECT_EQ(findings_after(60, false, true), Ids{});
  EXPECT_EQ(findings_after(131, false, false), Ids{"request-never-answered"});
  EXPECT_EQ(findings_after(131, true, false), Ids{});
}

TEST(Fetches, AreRefusedByPartition) {
  const auto section = [](std::uint32_t partition, std::uint32_t status) {
    return joined({little().u32(partition).u32(status).buffer(), Buffer(48)});
  };
  Report report;
  Talk talk = logged_in_0_12(report, "0.11.1-edge.8", iggy::make_version(0, 12, 2));
  talk.client(request({.code = 109, .number = 1, .body = fetch_body()}));
  talk.server(reply(
      {.number = 1, .body = joined({little().u32(2).buffer(), section(2, 0), section(3, 41)})}));
  EXPECT_EQ(report.findings(), Ids{"not-authorized"});
  EXPECT_TRUE(says(report.text(), "with status 41 Unauthorized for partition 3")) << report.text();
}

// A status that no finding explains does not hide one behind it.
TEST(Fetches, AreSearchedForWhatShowsAFinding) {
  const auto section = [](std::uint32_t partition, std::uint32_t status) {
    return joined({little().u32(partition).u32(status).buffer(), Buffer(48)});
  };
  Report report;
  Talk talk = logged_in_0_12(report, "0.11.1-edge.8", iggy::make_version(0, 12, 2));
  talk.client(request({.code = 109, .number = 1, .body = fetch_body()}));
  talk.server(reply({.number = 1,
                     .body = joined({little().u32(3).buffer(), section(2, 89), section(3, 41),
                                     section(4, 90)})}));
  EXPECT_EQ(report.findings(), Ids{"not-authorized"});
  EXPECT_TRUE(says(report.text(), "with status 41 Unauthorized for partition 3")) << report.text();
}

// A retry of what was given up is answered in its own time, and the first one is what was lost.
TEST(Retries, DoNotTakeTheBlameOfWhatWasGivenUp) {
  Report report;
  Talk talk = logged_in(report);
  const Buffer create = request({.operation = 128, .number = 1, .body = short_text("x")});
  const auto first = talk.client(create);
  report.scene().wait(std::int64_t{31} * 1'000'000'000);
  talk.client(create);
  talk.server(reply({.operation = 128, .number = 1, .body = Buffer(4)}));
  report.scene().wait(std::int64_t{40} * 1'000'000'000);
  talk.client(read(1, 2));
  talk.server(reply({.number = 2}));
  report.finish(0);
  EXPECT_EQ(report.findings(), Ids{"request-never-answered"});
  EXPECT_EQ(report.only().packets, std::vector<std::uint64_t>{first});
}

TEST(Retired, CommandsAreThoseOfAnOlderClient) {
  Report report;
  Talk talk = logged_in_0_12(report, "0.11.1-edge.8", iggy::make_version(0, 12, 2));
  talk.client(read(103, 1));
  talk.server(reply({.number = 1, .status = 3}));
  EXPECT_EQ(report.findings(), Ids{"unknown-or-unsupported-command"});
  EXPECT_TRUE(says(report.text(), "protocol 0.12.2 has it no more")) << report.text();
}

TEST(Members, WithoutPartitionsAreFoundWhenItLasts) {
  const auto findings_after = [](std::int64_t seconds, bool is_one_group = true) {
    Report report;
    Talk talk = logged_in(report);
    for (std::uint64_t number = 1; number <= 2; ++number) {
      const std::uint64_t group = is_one_group ? 1 : number;
      talk.client(request(
          {.code = 606,
           .number = number,
           .body =
               little().u8(1).u8(4).u32(1).u8(1).u8(4).u32(1).u8(1).u8(4).u32(group).buffer()}));
      talk.server(reply({.number = number, .body = little().u64(1).u32(0).buffer()}));
      report.scene().wait(seconds * 1'000'000'000);
    }
    return report.findings();
  };
  EXPECT_EQ(findings_after(5), Ids{});
  EXPECT_EQ(findings_after(31), Ids{"member-without-partitions"});
  // Two groups that were asked about once each.
  EXPECT_EQ(findings_after(31, false), Ids{});
}

TEST(Credentials, InClearAreOneLineForAServer) {
  Report report;
  for (const unsigned port : {50'000U, 50'001U, 50'002U}) logged_in(report, port).close();
  EXPECT_EQ(report.findings(), Ids{});
  ASSERT_EQ(report.credentials().size(), 1U);
  EXPECT_EQ(report.credentials()[0].count, 3U);
  EXPECT_EQ(report.credentials()[0].evidence.size(), 1U);
  EXPECT_EQ(report.credentials()[0].severity, Severity::info);
}

TEST(Credentials, OfAClientWithoutALoginAreNone) {
  Report report;
  Talk talk(report.scene());
  talk.client(ping());
  talk.server(pong());
  EXPECT_TRUE(report.credentials().empty());
}

TEST(Refusals, WhatAnswersALoginIsOfTheLogin) {
  Report report;
  Talk talk(report.scene());
  talk.client(login(password_body()));
  talk.server(eviction({.reason = 12}));
  EXPECT_EQ(report.findings(), Ids{"session-conflict"});
  EXPECT_TRUE(says(report.text(), "reason 12"));
}

}  // namespace
}  // namespace support
