// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Handshakes of TLS that fail, told without a key, and those that do not; and elections of
// replicas.
#include <gtest/gtest.h>

#include "report/diagnosis.hpp"
#include "support/report_scene.hpp"

namespace support {
namespace {

Buffer record(unsigned type, std::size_t size) {
  return joined({bytes_of({type, 3, 3, static_cast<unsigned>(size >> 8U),
                           static_cast<unsigned>(size & 0xffU)}),
                 counting_bytes(size)});
}
const Buffer client_hello = record(22, 200);
const Buffer server_flight = joined({record(22, 90), record(20, 1), record(23, 500)});
Buffer alert(unsigned level, unsigned description) {
  return joined({bytes_of({21, 3, 3, 0, 2}), bytes_of({level, description})});
}

struct Handshake {
  Buffer answer = server_flight;
  Buffer reaction{};
  bool client_closes = true;
  Endpoint server = usual_server();
};

Ids findings_of(const Handshake& handshake) {
  Report report;
  Talk talk(report.scene(), 50'000, handshake.server);
  talk.client(client_hello);
  talk.server(handshake.answer);
  if (!handshake.reaction.empty()) talk.client(handshake.reaction);
  if (handshake.client_closes) talk.close();
  return report.findings();
}

TEST(TlsDiagnosis, AClientThatSendsOneAlertAndClosesDoesNotTrustTheServer) {
  const Buffer refusal = joined({record(20, 1), record(23, 19)});
  EXPECT_EQ(findings_of({.reaction = refusal}), Ids{"tls-failure"});
  EXPECT_EQ(findings_of({.reaction = refusal, .client_closes = false}), Ids{});
  EXPECT_EQ(findings_of({.reaction = refusal, .server = ipv4_endpoint(10, 0, 0, 2, 443)}), Ids{});
}

TEST(TlsDiagnosis, AClientThatFinishesTheHandshakeTrustsTheServer) {
  EXPECT_EQ(findings_of({.reaction = joined(
                             {record(20, 1), record(23, 53), record(23, 300), record(23, 19)})}),
            Ids{});
  EXPECT_EQ(findings_of({.reaction = joined({record(20, 1), record(23, 19), record(23, 300)})}),
            Ids{});
}

TEST(TlsDiagnosis, AFatalAlertInClearIsNamed) {
  Report report;
  Talk talk(report.scene());
  talk.client(client_hello);
  const auto told = talk.server(alert(2, 70));
  talk.close();
  EXPECT_EQ(report.findings(), Ids{"tls-failure"});
  EXPECT_NE(report.text().find("the server sent the alert 70 protocol_version"), std::string::npos)
      << report.text();
  EXPECT_EQ(report.only().packets.back(), told);
  EXPECT_EQ(findings_of({.answer = alert(1, 0)}), Ids{});
}

Buffer view_frame(unsigned command, std::uint64_t place, unsigned replica) {
  return FrameBuilder(command).u32(52, 3).u8(61, replica).u64(place, metadata_group).seal().frame();
}

TEST(Elections, ANewViewThatReplicasCalledForIsOne) {
  Report report;
  Talk talk(report.scene(), usual_client(), ipv4_endpoint(10, 0, 0, 2, 9090));
  talk.handshake();
  talk.client(view_frame(10, 128, 0));
  talk.server(view_frame(11, 144, 1));
  talk.client(view_frame(12, 144, 0));
  talk.client(view_frame(12, 144, 0));
  EXPECT_EQ(report.findings(), Ids{"view-change"});
  EXPECT_EQ(report.only().count, 1U);
  EXPECT_NE(report.text().find("Node 0 became primary of the metadata group in view 3"),
            std::string::npos)
      << report.text();
}

TEST(Elections, AStartViewForANodeThatComesBackIsNone) {
  Report report;
  Talk talk(report.scene(), usual_client(), ipv4_endpoint(10, 0, 0, 2, 9090));
  talk.handshake();
  talk.client(view_frame(12, 144, 0));
  talk.server(view_frame(10, 128, 1));
  EXPECT_EQ(report.findings(), Ids{});
}

}  // namespace
}  // namespace support
