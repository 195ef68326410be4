// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Bytes wait for those of the other direction that their sender had seen: an answer is told behind
// its request, and not for longer than a hole is waited for.
#include <gtest/gtest.h>

#include "tcp_script.hpp"

namespace script {
namespace {

// The number of the packet that is sent next.
std::uint64_t next_packet(const Script& script) {
  return script.packet() + 1;
}

using Packets = std::vector<std::uint64_t>;

TEST(TcpCausality, ReplyCapturedBeforeItsRequestIsToldBehindIt) {
  Script script;
  script.handshake();
  const TcpSegment asked = script.from_client(letters(100));
  const std::uint64_t reply = next_packet(script);
  script.send(script.from_server("reply"));
  const std::uint64_t late = next_packet(script);
  script.send(asked);
  const Record record = script.only();
  EXPECT_EQ(record.told, (Packets{late, reply}));
  EXPECT_TRUE(record.client().holes.empty());
}

// One request is missing: the replies to those behind it come when the hole is declared.
TEST(TcpCausality, RepliesComeBehindTheRequestsThatWaitAboveAHole) {
  Script script;
  script.handshake();
  script.from_client(letters(100));  // was not captured
  const std::uint64_t first = next_packet(script);
  script.send(script.from_server("to nothing"));
  Packets expected{first};
  Packets pairs;
  for (int i = 0; i < 3; ++i) {
    pairs.push_back(next_packet(script));
    script.send(script.from_client(letters(50)));
    pairs.push_back(next_packet(script));
    script.send(script.from_server("reply"));
  }
  expected.push_back(pairs.front());  // the hole, which the first request behind it shows
  expected.insert(expected.end(), pairs.begin(), pairs.end());
  script.wait(4 * second);
  script.tick();
  const Record record = script.only();
  EXPECT_EQ(record.told, expected);
  ASSERT_EQ(record.client().holes.size(), 1U);
  EXPECT_EQ(record.client().holes[0].bytes, 100U);
  EXPECT_EQ(record.client().holes[0].kind, HoleKind::not_captured);
}

// What waits for the hole counts as later data: many small requests may have large replies.
TEST(TcpCausality, RepliesThatWaitDeclareTheHole) {
  analyzer::stream::Limits limits;
  limits.acknowledged_hole_bytes = 5'000;
  Script script(limits);
  script.handshake();
  script.from_client(letters(100));  // was not captured
  script.send(script.from_client(letters(50)));
  script.send(script.from_server(letters(4'000)));
  EXPECT_EQ(script.told(), 0U);
  script.send(script.from_server(letters(1'000)));
  EXPECT_EQ(script.told(), 4U);
}

TEST(TcpCausality, NobodyWaitsForeverForARequest) {
  Script script;
  script.handshake();
  script.from_client(letters(100));  // was not captured
  script.send(script.from_server("reply"));
  script.wait(2 * second);
  script.tick();
  EXPECT_EQ(script.told(), 0U);
  script.wait(2 * second);
  script.tick();
  EXPECT_EQ(script.told(), 1U);
}

TEST(TcpCausality, NobodyWaitsForADirectionThatWasNotCaptured) {
  Script script;
  script.client.acknowledgement = 7'000;
  script.from_client(letters(100));
  script.send(script.from_server("reply"));
  script.from_client(letters(100));
  script.send(script.from_server("another"));
  script.send(script.from_server("", {.fin = true, .ack = true}));
  // The one that speaks first counts as the client.
  EXPECT_EQ(script.only().client().text, "replyanother");
}

// A FIN has a number of its own, which may be all that is missing.
TEST(TcpCausality, NobodyWaitsForAFin) {
  Script script;
  script.handshake();
  script.send(script.from_client(letters(100)));
  ++script.server.acknowledgement;
  script.send(script.from_server("reply"));
  EXPECT_EQ(script.told(), 2U);
}

}  // namespace
}  // namespace script
