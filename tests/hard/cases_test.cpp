// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The hard cases of TCP in captures, each from a file to the report: frames are those that were
// said, or what is missing of them is named byte for byte.
//
// tcp_cases_test.cpp has the same cases for the stream layer alone.
#include <gtest/gtest.h>

#include <string>

#include "hard/capture.hpp"
#include "hard/run.hpp"

namespace support::hard {
namespace {

const Conversation& talk() {
  static const Conversation conversation = usual_conversation();
  return conversation;
}

std::size_t nth(const Plan& plan, std::size_t side, std::size_t n) {
  return plan.with_payload(side).at(n);
}

// Holes of the report that are not bytes passed over behind another one.
std::size_t missing(const Seen& seen) {
  std::size_t count = 0;
  for (const analyzer::report::HoleSummary& hole : seen.model.holes) count += hole.kind ? 1U : 0U;
  return count;
}

// Nothing is missing, and nothing is said to be.
void expect_whole(const Plan& plan) {
  const Seen seen = expect_truth(plan);
  const Truth truth = truth_of(plan);
  for (const std::size_t side : {client, server}) {
    EXPECT_TRUE(truth[side].holes.empty());
    EXPECT_EQ(truth[side].shown.size(), truth[side].sent.size());
  }
  EXPECT_EQ(seen.outcomes, (std::map<std::string, std::uint64_t>{{"ok", truth[0].sent.size()}}));
  EXPECT_TRUE(seen.model.holes.empty());
  EXPECT_EQ(seen.text.find("hole"), std::string::npos);
}

// --- 1: nothing is missing

TEST(HardCases, Clean) {
  expect_whole(plan(talk()));
}

TEST(HardCases, AdjacentSwap) {
  for (std::size_t i = 3; i + 4 < plan(talk()).packets.size(); ++i) {
    SCOPED_TRACE(i);
    Plan made = plan(talk());
    swap_with_next(made, i);
    expect_whole(made);
  }
}

TEST(HardCases, EveryPacketTwice) {
  Plan made = plan(talk());
  for (std::size_t i = 0; i < made.packets.size(); i += 2) repeat(made, i, 0);
  expect_whole(made);
}

TEST(HardCases, EveryPacketWithAndWithoutTag) {
  Plan made = plan(talk());
  for (std::size_t i = 0; i < made.packets.size(); i += 2) {
    repeat(made, i, 0);
    made.packets[i].has_tag = true;
  }
  expect_whole(made);
}

TEST(HardCases, SequenceNumbersWrap) {
  for (const std::uint32_t before : {0U, 1U, 300U, 3'000U}) {
    Plan made = plan(talk());
    made.isn = {0U - 1U - before, 0U - 1U - before / 2};
    swap_with_next(made, nth(made, client, 1));
    expect_whole(made);
  }
}

TEST(HardCases, LateRetransmission) {
  Plan made = plan(talk());
  send_again(made, client, 0, 600, made.packets.size() - 4);
  send_again(made, server, 300, 900, made.packets.size() - 4);
  wait(made, made.packets.size() - 5, 9 * second);
  expect_whole(made);
}

TEST(HardCases, KeepAliveProbes) {
  Plan made = plan(talk());
  const std::size_t at = nth(made, server, 2);
  const std::int64_t sent = made.packets[nth(made, client, 1)].end();
  send_again(made, client, sent - 1, sent, at, true);
  send_again(made, server, made.packets[at].end() - 1, made.packets[at].end(), at);
  expect_whole(made);
}

TEST(HardCases, ReplyCapturedBeforeItsRequest) {
  Plan made = plan(talk(), {.segment = 4'000, .acknowledgements = false});
  for (std::size_t i = 3; i + 4 < made.packets.size(); i += 2) swap_with_next(made, i);
  expect_whole(made);
}

TEST(HardCases, AcknowledgementCapturedBeforeItsData) {
  Plan made = plan(talk(), {.segment = 4'000});
  for (std::size_t i = 3; i + 4 < made.packets.size(); i += 2) swap_with_next(made, i);
  expect_whole(made);
}

// --- 2

TEST(HardCases, LateSegmentBehindTheReply) {
  for (std::size_t n = 0; n < plan(talk()).with_payload(client).size(); ++n) {
    for (const std::size_t by : {2U, 5U, 40U}) {
      Plan made = plan(talk());
      delay(made, nth(made, client, n), by);
      expect_whole(made);
    }
  }
}

// --- 3, 5

TEST(HardCases, SegmentNeverCaptured) {
  for (const std::size_t side : {client, server}) {
    for (std::size_t n = 0; n < plan(talk()).with_payload(side).size(); ++n) {
      SCOPED_TRACE(n);
      Plan made = plan(talk());
      const std::uint64_t size = made.packets[nth(made, side, n)].payload.size();
      drop(made, nth(made, side, n));
      const Seen seen = expect_truth(made);
      ASSERT_EQ(missing(seen), 1U);
      for (const analyzer::report::HoleSummary& hole : seen.model.holes)
        EXPECT_TRUE(!hole.kind ||
                    (hole.kind == analyzer::stream::HoleKind::not_captured && hole.bytes == size));
      EXPECT_NE(seen.text.find(std::to_string(size) + " bytes on the wire but not in the capture"),
                std::string::npos);
      EXPECT_EQ(seen.findings("request-never-answered"), 0U);
    }
  }
}

// --- 4, 5

TEST(HardCases, OneDirectionOnly) {
  for (const std::size_t side : {client, server}) {
    for (const bool has_hole : {false, true}) {
      Plan made = plan(talk());
      keep_side(made, side);
      if (has_hole) drop(made, nth(made, side, 3));
      const Seen seen = expect_truth(made);
      EXPECT_EQ(seen.model.undecoded.one_sided_connections, 1U);
      EXPECT_EQ(missing(seen), has_hole ? 1U : 0U);
      for (const analyzer::report::HoleSummary& hole : seen.model.holes)
        EXPECT_TRUE(!hole.kind || hole.kind == analyzer::stream::HoleKind::lost);
      EXPECT_EQ(seen.findings("request-never-answered"), 0U);
    }
  }
}

// --- 6, 7

TEST(HardCases, NoHandshake) {
  const Seen seen = expect_truth(plan(talk(), {.handshake = false}));
  EXPECT_EQ(seen.model.undecoded.begun_before_capture, 1U);
  EXPECT_EQ(seen.outcomes.size(), 1U);
}

// The first packets of a capture without a handshake, in any order.
TEST(HardCases, StartsInDisorder) {
  for (std::size_t first = 3; first < 14; ++first) {
    for (const std::size_t by : {1U, 2U, 5U, 12U}) {
      SCOPED_TRACE(std::to_string(first) + " late by " + std::to_string(by));
      Plan made = plan(talk());
      keep_from(made, first);
      delay(made, 0, by);
      const Seen seen = expect_truth(made);
      EXPECT_EQ(seen.findings("request-never-answered"), 0U);
      for (const SeenSide& side : seen.connections.at(0).sides) EXPECT_EQ(side.late, 0U);
    }
  }
}

// Too late to come first, so that it can only be named.
TEST(HardCases, FirstPacketComesMuchTooLate) {
  Plan made = plan(talk(), {.acknowledgements = false});
  keep_from(made, made.with_payload(server).front());
  const std::uint64_t size = made.packets.front().payload.size();
  wait(made, 6, 10 * second);
  delay(made, 0, 8);
  const Seen seen = run(to_pcap(made));
  ASSERT_EQ(seen.connections.size(), 1U);
  const SeenConnection& connection = seen.connections[0];
  EXPECT_EQ(connection.sides[connection.direction_of(talk(), server)].late, size);
  EXPECT_EQ(seen.findings("request-never-answered"), 0U);
  EXPECT_NE(seen.json.find("\"late\""), std::string::npos);
  EXPECT_NE(seen.text.find("too late to be put in front"), std::string::npos);
}

TEST(HardCases, StartsAnywhere) {
  const std::size_t packets = plan(talk()).packets.size();
  for (std::size_t first = 4; first + 12 < packets; ++first) {
    SCOPED_TRACE(first);
    Plan made = plan(talk());
    keep_from(made, first);
    const Seen seen = expect_truth(made);
    EXPECT_EQ(seen.model.undecoded.begun_before_capture, 1U);
    EXPECT_EQ(seen.findings("request-never-answered"), 0U);
  }
}

// --- 8

TEST(HardCases, SnapLengths) {
  for (const std::uint32_t length : {54U, 96U, 309U, 310U, 400U, 1'000U}) {
    SCOPED_TRACE(length);
    Plan made = plan(talk());
    snap(made, length);
    const Seen seen = expect_truth(made);
    EXPECT_EQ(seen.findings("request-never-answered"), 0U);
  }
}

// --- 9, 10, 11

TEST(HardCases, PortsUsedAgain) {
  for (const bool has_fin : {true, false}) {
    for (const bool has_reset : {false, true}) {
      const Conversation next = usual_conversation(4, 900, 7);
      Plan before = plan(talk(), {.fins = has_fin});
      if (has_reset) {
        const Planned last = before.packets.back();
        before.packets.push_back({.side = last.side,
                                  .flags = {.rst = true},
                                  .at = last.end(),
                                  .time = last.time + millisecond});
      }
      Plan after = plan(next);
      after.isn = {700'000'000, 12};
      const Seen seen = run(to_pcap({&before, &after}, has_fin ? 97 * second : 2 * second));
      ASSERT_EQ(seen.connections.size(), 2U);
      expect_truth(seen.connections[0], before);
      expect_truth(seen.connections[1], after);
      EXPECT_EQ(seen.connections[0].ending, has_fin || has_reset
                                                ? analyzer::stream::Ending::closed
                                                : analyzer::stream::Ending::replaced);
      EXPECT_EQ(seen.outcomes.size(), 1U);
    }
  }
}

// --- 12

TEST(HardCases, ResetFarOutsideOfTheWindow) {
  Plan made = plan(talk());
  const Planned one = made.packets[9];
  for (const std::int32_t far : {500'000'000, -500'000'000, 3'000'000}) {
    Planned stray{.side = one.side, .flags = {.rst = true}, .at = one.at, .time = one.time};
    stray.stray = far;
    made.packets.insert(made.packets.begin() + 10, stray);
  }
  const Seen seen = expect_truth(made);
  EXPECT_EQ(seen.outcomes.size(), 1U);
  EXPECT_EQ(seen.model.undecoded.segments_out_of_window, 3U);
  EXPECT_NE(seen.text.find("3 segments far outside the window: ignored (10.0.0."),
            std::string::npos);
}

// A blind attacker's segments, or those of another connection: each kind at each place.
TEST(HardCases, StraySegmentsInsideTheConnection) {
  const TcpFlags ack{.ack = true};
  const TcpFlags rst{.rst = true};
  const TcpFlags syn{.syn = true};
  const TcpFlags syn_ack{.syn = true, .ack = true};
  const TcpFlags fin{.fin = true, .ack = true};
  struct Stray {
    TcpFlags flags;
    std::int32_t ahead;
    std::size_t bytes;
  };
  for (const Stray& kind : {Stray{rst, 30'000, 0}, Stray{syn, 1 << 20, 0}, Stray{syn, -70'000, 0},
                            Stray{syn_ack, 1 << 20, 0}, Stray{ack, 805'306'368, 100},
                            Stray{ack, 2'000'000, 300}, Stray{fin, 805'306'368, 0},
                            Stray{ack, -805'306'368, 100}, Stray{ack, 1'900'000'000, 100}}) {
    for (const std::size_t side : {client, server}) {
      for (std::size_t at = 3; at + 8 < plan(talk()).packets.size(); at += 3) {
        SCOPED_TRACE(std::to_string(kind.ahead) + " at " + std::to_string(at));
        Plan made = plan(talk());
        Planned stray{.side = side, .flags = kind.flags, .at = 500, .time = made.packets[at].time};
        stray.payload.resize(kind.bytes);
        stray.stray = kind.ahead;
        made.packets.insert(made.packets.begin() + static_cast<std::ptrdiff_t>(at), stray);
        const Seen seen = expect_truth(made);
        EXPECT_EQ(seen.outcomes.size(), 1U);
        EXPECT_EQ(seen.model.undecoded.segments_out_of_window, 1U);
        EXPECT_TRUE(seen.model.holes.empty());
      }
    }
  }
}

// --- 13

TEST(HardCases, FinCapturedBeforeTheLastData) {
  Plan made = plan(talk(), {.acknowledgements = false});
  delay(made, made.with_payload(server).back(), 2);
  expect_whole(made);
}

// --- 14

TEST(HardCases, SynAckCapturedBeforeSyn) {
  Plan made = plan(talk());
  swap_with_next(made, 0);
  expect_whole(made);
  EXPECT_TRUE(run(to_pcap(made)).connections[0].facts.handshake);
}

// --- 15

TEST(HardCases, DataInSyn) {
  Plan made = plan(talk());
  made.packets[0].payload = made.packets[3].payload;
  drop(made, 3);
  expect_whole(made);
}

// --- 16

TEST(HardCases, SegmentationOffloadWithoutLength) {
  const Conversation large = usual_conversation(5, 90'000);
  Plan made = plan(large, {.segment = 70'000});
  for (Planned& packet : made.packets) packet.without_length = packet.payload.size() > 1'460;
  expect_whole(made);
}

// --- 17, 18

TEST(HardCases, BadChecksumsAndPadding) {
  Plan made = plan(talk(), {.segment = 5});
  for (Planned& packet : made.packets) packet.has_bad_checksum = true;
  expect_whole(made);
}

// --- 19, 20

TEST(HardCases, SameBytesCutAnew) {
  Plan made = plan(talk(), {.segment = 500});
  for (std::size_t n = 2; n < 12; n += 3) {
    const std::size_t at = nth(made, client, n);
    const Planned sent = made.packets[at];
    send_again(made, client, sent.begin() - 300, sent.end(), at);
    send_again(made, client, sent.begin() + 100, sent.end() - 100, at);
    if (n % 2 == 0) swap_with_next(made, at);
  }
  const Seen seen = run(to_pcap(made));
  expect_whole(made);
  EXPECT_EQ(seen.model.undecoded.overlaps_that_differ, 0U);
}

TEST(HardCases, OverlapWithOtherBytes) {
  for (const bool is_late : {false, true}) {
    Plan made = plan(talk());
    const std::size_t at = nth(made, client, 4);
    const Planned sent = made.packets[at];
    send_again(made, client, sent.begin(), sent.end(), at, true);
    if (is_late) delay(made, nth(made, client, 3), 4);
    const Seen seen = expect_truth(made);
    EXPECT_EQ(seen.model.undecoded.overlaps_that_differ, 1U);
    EXPECT_NE(seen.text.find("1 overlap of TCP data with other bytes than the first copy"),
              std::string::npos);
  }
}

// --- 21

TEST(HardCases, LastPacketCutOff) {
  const Plan made = plan(talk());
  Buffer file = to_pcap(made);
  file.resize(file.size() - 10);
  const Seen seen = run(file);
  EXPECT_TRUE(seen.model.was_read_in_part());
  Plan before = made;
  before.packets.pop_back();
  ASSERT_EQ(seen.connections.size(), 1U);
  expect_truth(seen.connections[0], before);
  EXPECT_NE(seen.text.find("was read in part"), std::string::npos);
}

// --- 22

TEST(HardCases, OneFileForEachDirection) {
  const Plan made = plan(talk());
  Plan requests = made;
  Plan replies = made;
  keep_side(requests, client);
  keep_side(replies, server);
  const Seen seen = run({to_pcap(requests), to_pcap(replies)});
  ASSERT_EQ(seen.connections.size(), 1U);
  expect_truth(seen.connections[0], made);
  EXPECT_EQ(seen.outcomes.size(), 1U);
}

// The clock of the capture steps back and on again.
TEST(HardCases, ClockSteps) {
  for (const std::int64_t step : {-3 * second, 3'600 * second, -3'600 * second}) {
    Plan made = plan(talk());
    for (std::size_t i = 8; i < 14; ++i) made.packets[i].time += step;
    expect_whole(made);
  }
}

}  // namespace
}  // namespace support::hard
