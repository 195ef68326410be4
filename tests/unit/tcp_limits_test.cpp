// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What the tracker gives up at its limits, and which connections leave it by themselves.
#include <gtest/gtest.h>

#include "stream/tcp.hpp"
#include "tcp_script.hpp"

namespace script {
namespace {

TEST(TcpLimits, LeastRecentConnectionIsEvicted) {
  analyzer::stream::Limits limits;
  limits.connections = 3;
  Script script(limits);
  const auto say = [&](std::uint8_t host) {
    script.client.endpoint = endpoint(host, 1);
    script.send(script.next(script.client, script.server, "hello", {}));
  };
  for (const int host : {11, 12, 13, 11, 14, 15}) say(static_cast<std::uint8_t>(host));
  EXPECT_EQ(script.evicted(), 2U);
  ASSERT_EQ(script.ended().size(), 2U);
  EXPECT_EQ(script.ended()[0].facts.first, endpoint(12, 1));
  EXPECT_EQ(script.ended()[1].facts.first, endpoint(13, 1));
  EXPECT_EQ(script.ended()[0].ending, Ending::evicted_by_limit);
}

TEST(TcpLimits, ClosedConnectionsMakeRoomFirst) {
  analyzer::stream::Limits limits;
  limits.connections = 2;
  Script script(limits);
  script.client.endpoint = endpoint(11, 1);
  script.send(script.from_client("", {.syn = true}));
  script.client.endpoint = endpoint(12, 1);
  script.handshake();
  script.fins();
  script.client.endpoint = endpoint(13, 1);
  script.send(script.from_client("", {.syn = true}));
  EXPECT_EQ(script.evicted(), 0U);
  ASSERT_EQ(script.ended().size(), 1U);
  EXPECT_EQ(script.ended()[0].ending, Ending::closed);
}

TEST(TcpLimits, AttemptsMakeRoomBeforeConnections) {
  analyzer::stream::Limits limits;
  limits.connections = 3;
  Script script(limits);
  script.handshake();
  for (std::uint8_t host = 11; host < 20; ++host) {
    script.client.endpoint = endpoint(host, 1);
    script.send(script.make(script.client, script.server, "", {.syn = true}));
  }
  EXPECT_EQ(script.evicted(), 7U);
  for (const Record& record : script.ended()) EXPECT_FALSE(record.facts.handshake);
}

TEST(TcpLimits, MemoryBoundsConnections) {
  analyzer::stream::Limits limits;
  limits.memory = 100'000;
  Script script(limits);
  for (std::uint8_t host = 10; host < 250; ++host) {
    script.client.endpoint = endpoint(host, 1);
    script.send(script.next(script.client, script.server, "hello", {}));
  }
  EXPECT_GT(script.evicted(), 100U);
  EXPECT_LT(script.evicted(), 240U);
}

// What waited above holes of other connections is delivered to them when the total is reached.
TEST(TcpLimits, MemoryCountsWhatOthersGrowBy) {
  const auto evicted_with = [](std::uint64_t memory) {
    analyzer::stream::Limits limits;
    limits.memory = memory;
    limits.buffered_bytes_total = 50'000;
    Script script(limits);
    for (std::uint8_t host = 10; host < 60; ++host) {
      script.client.endpoint = endpoint(host, 1);
      open_gap(script, 10'000);
    }
    return script.evicted();
  };
  EXPECT_EQ(evicted_with(10'000'000), 0U);
  EXPECT_GT(evicted_with(300'000), 15U);
}

// Each ends by its own RST while room is made; none of them makes room in turn.
TEST(TcpLimits, ConnectionsWithDoubtfulResetsMakeRoom) {
  analyzer::stream::Limits limits;
  limits.memory = 100'000;
  Script script(limits);
  for (std::uint8_t host = 10; host < 250; ++host) {
    script.client.endpoint = endpoint(host, 1);
    script.handshake();
    script.send(script.from_client("hello"));
    TcpSegment reset = script.make(script.client, script.server, "", {.rst = true});
    reset.sequence += 5'000;
    script.send(reset);
  }
  EXPECT_GT(script.evicted(), 100U);
  const std::vector<Record> records = script.finish();
  EXPECT_EQ(records.size(), 240U);
  for (const Record& record : records) {
    EXPECT_EQ(record.ending, Ending::closed);
    EXPECT_NE(record.facts.rst_packet[0], 0U);
  }
}

TEST(TcpLimits, MemoryCountsDoubtfulSegments) {
  analyzer::stream::Limits limits;
  limits.memory = 200'000;
  Script script(limits);
  const std::string bytes(10'000, 'x');
  for (std::uint8_t host = 10; host < 60; ++host) {
    script.client.endpoint = endpoint(host, 1);
    script.send(script.next(script.client, script.server, "hello", {}));
  }
  EXPECT_EQ(script.evicted(), 0U);
  for (std::uint8_t host = 10; host < 60; ++host) {
    script.client.endpoint = endpoint(host, 1);
    TcpSegment beyond = script.make(script.client, script.server, bytes, {.ack = true});
    beyond.sequence += 3U << 20;
    script.send(beyond);
  }
  EXPECT_GT(script.evicted(), 20U);
}

TEST(TcpLimits, AnAttemptWithoutAnAnswerLeavesAfterFiveMinutes) {
  Script script;
  script.send(script.from_client("", {.syn = true}));
  script.wait(290 * second);
  script.tick();
  EXPECT_TRUE(script.ended().empty());
  script.wait(11 * second);
  script.tick();
  ASSERT_EQ(script.ended().size(), 1U);
  EXPECT_EQ(script.ended()[0].ending, Ending::abandoned);
}

TEST(TcpLimits, ASilentConnectionStaysOne) {
  Script script;
  script.handshake();
  script.wait(100'000 * second);
  script.tick();
  EXPECT_TRUE(script.ended().empty());
  script.send(script.from_client("hello"));
  const Record record = script.only();
  EXPECT_TRUE(record.facts.handshake);
  EXPECT_EQ(record.client().text, "hello");
}

TEST(TcpLimits, HoleIsGivenUpAtTheBudgetOfTheDirection) {
  analyzer::stream::Limits limits;
  limits.buffered_bytes_per_direction = 50'000;
  Script script(limits);
  open_gap(script, 60'000);
  const Record record = script.only();
  ASSERT_EQ(record.client().holes.size(), 1U);
  EXPECT_EQ(record.client().holes[0].kind, HoleKind::given_up);
  EXPECT_EQ(record.facts.bytes[0], 60'000U);
}

TEST(TcpLimits, OldestHoleIsGivenUpAtTheBudgetOfAll) {
  analyzer::stream::Limits limits;
  limits.buffered_bytes_total = 50'000;
  Script script(limits);
  script.client.endpoint = endpoint(11, 1);
  open_gap(script, 30'000);
  script.client.endpoint = endpoint(12, 1);
  open_gap(script, 30'000);
  const std::vector<Record> records = script.finish();
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].client().holes[0].kind, HoleKind::given_up);
  EXPECT_EQ(records[1].client().holes[0].kind, HoleKind::lost);
}

}  // namespace
}  // namespace script
