// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Findings about the bytes of bodies: batches that a server drops, and checksums. Each on its
// evidence, and none of a body that was not captured whole.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "support/batches.hpp"
#include "support/report_scene.hpp"

namespace support {
namespace {

Buffer send(const Buffer& body, std::uint64_t number = 1) {
  return request({.operation = 160, .number = number, .body = body});
}
Buffer sent(std::uint64_t number = 1, std::uint32_t status = 0) {
  return reply({.operation = 160, .number = number, .status = status});
}

Buffer with_wrong_checksum() {
  Buffer body = send_body();
  body[batch_in_send + 40] ^= std::byte{1};
  return body;
}

// A send that is never answered, though the server works on.
Report unanswered(const Buffer& body) {
  Report report;
  Talk talk = logged_in(report);
  talk.client(send(body));
  talk.server_ack();
  talk.client(ping(2));
  talk.server(pong(2));
  report.finish(40 * Scene::second);
  return report;
}

TEST(DiagnosisOfBatches, RightOnesAreNoFinding) {
  Report report;
  Talk talk = logged_in(report);
  talk.client(send(send_body()));
  talk.server(sent());
  talk.close();
  EXPECT_EQ(report.findings(), Ids{});
}

TEST(DiagnosisOfBatches, RightOneWithoutAnswerIsAnotherMatter) {
  EXPECT_EQ(unanswered(send_body()).findings(), Ids{"request-never-answered"});
}

TEST(DiagnosisOfBatches, WrongChecksumIsDropped) {
  Report report = unanswered(with_wrong_checksum());
  EXPECT_EQ(report.findings(), Ids{"invalid-batch-silently-dropped"});
  EXPECT_EQ(report.only().packets, std::vector<std::uint64_t>{6});
  EXPECT_NE(report.text().find("the checksum of the batch is 0x"), std::string::npos);
  EXPECT_NE(report.advice().find("producer"), std::string::npos);
}

TEST(DiagnosisOfBatches, EachWayToBeDroppedIsNamed) {
  Buffer message = send_body();
  message.back() ^= std::byte{1};
  EXPECT_NE(unanswered(message).text().find("the checksum of message 0"), std::string::npos);
  EXPECT_NE(unanswered(send_body(batch_bytes(), 2))
                .text()
                .find("what is around it counts 2 messages, and there is 1"),
            std::string::npos);
  EXPECT_NE(unanswered(send_body(Batch{.messages = {}})).text().find("holds 0 messages"),
            std::string::npos);
  Buffer longer = send_body();
  longer.push_back(std::byte{0});
  EXPECT_NE(unanswered(longer).text().find("1 byte behind the batch"), std::string::npos);
  EXPECT_NE(unanswered(Buffer(3)).text().find("metadata"), std::string::npos);
}

TEST(DiagnosisOfBatches, MessagesOfAnOlderRelease) {
  Report report = unanswered(older_send_body(2));
  EXPECT_EQ(report.findings(), Ids{"invalid-batch-silently-dropped"});
  EXPECT_NE(report.text().find("layout of releases before"), std::string::npos);
  EXPECT_NE(report.advice().find("upgrade the client"), std::string::npos);
}

// A server that reads the older layout answers it.
TEST(DiagnosisOfBatches, OlderMessagesThatAreAnsweredAreNoFinding) {
  Report report;
  Talk talk = logged_in(report);
  talk.client(send(older_send_body(2)));
  talk.server(sent());
  talk.close();
  EXPECT_EQ(report.findings(), Ids{});
}

TEST(DiagnosisOfBatches, OddProducersThatAreAnsweredAreNoFinding) {
  Report report;
  Talk talk = logged_in(report);
  talk.client(send(send_body(Batch{.messages = {{.offset_delta = 9}}, .base_timestamp = 4})));
  talk.server(sent());
  talk.close();
  EXPECT_EQ(report.findings(), Ids{});
}

TEST(DiagnosisOfBatches, AlikeOnesAreOneCase) {
  Report report;
  Talk talk = logged_in(report);
  for (const std::uint64_t number : {1U, 2U, 3U}) talk.client(send(with_wrong_checksum(), number));
  talk.server_ack();
  talk.client(ping(4));
  talk.server(pong(4));
  report.finish(40 * Scene::second);
  EXPECT_EQ(report.only().count, 3U);
  EXPECT_EQ(report.only().evidence.size(), 1U);
}

TEST(DiagnosisOfBatches, WrongChecksumThatIsAnswered) {
  for (const std::uint32_t status : {0U, 58U}) {
    Report report;
    Talk talk = logged_in(report);
    const auto asked = talk.client(send(with_wrong_checksum()));
    const auto answered = talk.server(sent(1, status));
    talk.close();
    EXPECT_EQ(report.findings(), Ids{"batch-checksum-wrong"}) << status;
    EXPECT_EQ(report.only().packets, (std::vector<std::uint64_t>{asked, answered}));
  }
}

// Bytes that come in many segments are the same bytes.
TEST(DiagnosisOfBatches, BodiesInPieces) {
  const Buffer body =
      send_body(Batch{.messages = {{.payload = std::string(3'000, 'x')}, {.offset_delta = 1}}});
  Buffer wrong = body;
  wrong[2'000] ^= std::byte{1};
  for (const Buffer& each : {body, wrong}) {
    Report report;
    Talk talk = logged_in(report);
    const Buffer frame = send(each);
    for (std::size_t at = 0; at < frame.size(); at += 97)
      talk.client({frame.begin() + static_cast<std::ptrdiff_t>(at),
                   frame.begin() + static_cast<std::ptrdiff_t>(std::min(at + 97, frame.size()))});
    talk.server(sent());
    talk.close();
    EXPECT_EQ(report.findings(), each == body ? Ids{} : Ids{"batch-checksum-wrong"});
  }
}

TEST(DiagnosisOfBatches, BodiesWithAHoleAreNeverWrong) {
  Report report;
  Talk talk = logged_in(report);
  const Buffer frame = send(with_wrong_checksum());
  talk.client({frame.begin(), frame.begin() + 400});
  talk.lose_client(100);
  talk.client({frame.begin() + 500, frame.end()});
  talk.server(sent());
  talk.client(ping(2));
  talk.server(pong(2));
  talk.close();
  report.finish(40 * Scene::second);
  EXPECT_EQ(report.findings(), Ids{});
}

TEST(DiagnosisOfBatches, RequestChecksum) {
  const Buffer body = short_text("a-stream");
  const std::uint64_t right = iggy::decode::xxh3(body);
  for (const bool is_right : {true, false}) {
    for (const std::uint32_t status : {0U, 4U}) {
      Report report;
      Talk talk = logged_in(report);
      talk.client(request({.operation = 128,
                           .number = 1,
                           .checksum = {is_right ? right : right + 1, 0},
                           .body = body}));
      talk.server(reply({.operation = 128,
                         .number = 1,
                         .status = status,
                         .body = status == 0 ? success() : Buffer{}}));
      talk.close();
      const bool is_finding = !is_right && status == 4;
      EXPECT_EQ(report.findings(), is_finding ? Ids{"request-checksum-mismatch"} : Ids{});
      if (!is_finding) continue;
      EXPECT_NE(report.text().find("stream.create"), std::string::npos);
    }
  }
}

// In 0.12 the field is a random identifier.
TEST(DiagnosisOfBatches, RequestIdentifierOf012IsNoChecksum) {
  Report report;
  Talk talk(report.scene());
  talk.client(
      request({.operation = 1,
               .number = 0,
               .session = 0,
               .checksum = {77, 88},
               .body = password_body({.version = iggy::make_version(0, 12, 2), .secret = true})}));
  talk.server(reply({.operation = 1, .number = 0, .status = 4}));
  talk.close();
  EXPECT_EQ(report.findings(), Ids{"protocol-version-rejected"});
}

// What servers send is checked where it is asked for.
TEST(DiagnosisOfBatches, PolledMessages) {
  Buffer batch = batch_bytes({.partition = 3});
  batch.back() ^= std::byte{1};
  const Buffer polled = joined({little().u32(3).u64(0).u32(1).buffer(), batch});
  for (const bool checks : {false, true}) {
    Report report({}, checks);
    Talk talk = logged_in(report);
    talk.client(read(100, 1));
    const auto answered = talk.server(reply({.number = 1, .body = polled}));
    talk.close();
    EXPECT_EQ(report.findings(), checks ? Ids{"batch-checksum-wrong"} : Ids{});
    if (!checks) continue;
    EXPECT_EQ(report.only().packets, std::vector<std::uint64_t>{answered});
    EXPECT_NE(report.text().find("damaged messages"), std::string::npos);
  }
}

// What breaks other rules than those of checksums is told where it is asked for.
TEST(DiagnosisOfBatches, NumbersThatDoNotFit) {
  Buffer batch = batch_bytes({.partition = 4});
  put_number(batch, 48, 2, 4);  // of one message
  put_number(batch, 40, batch_checksum(batch), 8);
  const Buffer polled = joined({little().u32(4).u64(0).u32(2).buffer(), batch});
  Buffer stamped = batch_bytes({.partition = 4});
  for (const bool checks : {false, true}) {
    Report report({}, checks);
    Talk talk = logged_in(report);
    talk.client(read(100, 1));
    talk.server(reply({.number = 1, .body = polled}));
    talk.client(request({.operation = 160, .number = 2, .body = send_body(stamped)}));
    talk.server(reply({.operation = 160, .number = 2, .body = little().u32(0).buffer()}));
    talk.close();
    EXPECT_EQ(report.findings(), checks ? Ids{"batch-inconsistent"} : Ids{});
    if (!checks) continue;
    EXPECT_NE(report.text().find("the batch says that it holds 2 messages, and there is 1"),
              std::string::npos)
        << report.text();
    EXPECT_EQ(report.only().count, 2U);
  }
}

// A healthy session of builds up to 0.11.0-edge.3.
TEST(DiagnosisOfBatches, OlderMessagesAreNoInconsistentBatch) {
  Report report({}, true);
  Talk talk = logged_in(report);
  talk.client(request({.operation = 160, .number = 1, .body = older_send_body(2)}));
  talk.server(reply({.operation = 160, .number = 1, .body = little().u32(0).buffer()}));
  talk.close();
  EXPECT_EQ(report.findings(), Ids{});
}

TEST(DiagnosisOfBatches, ReplicatedMessages) {
  Buffer batch = batch_bytes({.partition = 3, .base_timestamp = 9});
  for (const bool is_right : {true, false}) {
    if (!is_right) batch[41] ^= std::byte{1};
    Report report({}, true);
    Talk talk(report.scene());
    talk.client(replica_hello());
    talk.client(prepare({.operation = 160, .body = batch}));
    talk.close();
    EXPECT_EQ(report.findings(), is_right ? Ids{} : Ids{"batch-checksum-wrong"});
  }
}

}  // namespace
}  // namespace support
