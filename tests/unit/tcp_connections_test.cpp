// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Connections as the tracker sees them: roles, ends, ports used again and waiting.
#include <gtest/gtest.h>

#include "stream/tcp.hpp"
#include "tcp_script.hpp"

namespace script {
namespace {

TEST(TcpRoles, SynCapturedBehindTheFirstAcknowledgement) {
  Script script;
  const TcpSegment syn = script.from_client("", {.syn = true});
  script.from_server("", {.syn = true, .ack = true});
  // The server's window update comes first: it looks like the dialer until the SYN is seen.
  script.send(script.from_server(""));
  script.send(syn);
  script.send(script.from_client("request"));
  const Record record = script.only();
  EXPECT_EQ(record.facts.first, endpoint(1, 50'000));
  EXPECT_EQ(record.client().text, "request");
  EXPECT_EQ(record.facts.packets[1], 1U);
  EXPECT_EQ(record.opened_facts.first, endpoint(1, 50'000));
}

TEST(TcpRoles, StayOnceTheSinkIsOpen) {
  Script script;
  const TcpSegment syn = script.from_client("", {.syn = true});
  script.server.sequence += 1;
  script.send(script.from_server("reply"));
  script.wait(4 * second);
  script.tick();
  script.send(syn);
  script.send(script.from_client("request"));
  const Record record = script.only();
  EXPECT_EQ(record.facts.first, endpoint(2, 8'090));
  EXPECT_FALSE(record.facts.roles_known);
  EXPECT_EQ(record.heard[0].text, "reply");
  EXPECT_EQ(record.heard[1].text, "request");
  // The SYN came when offsets had been given out.
  EXPECT_EQ(record.heard[0].origins[0].acknowledged, record.heard[1].begin);
}

TEST(TcpRoles, LateSynGivesTheStart) {
  Script script;
  const TcpSegment syn = script.from_client("", {.syn = true});
  const TcpSegment first = script.from_client("first ");
  const TcpSegment next = script.from_client("next");
  script.send(script.from_server(""));  // acknowledges all of it
  script.send(syn);
  script.send(first);
  script.send(next);
  const Record record = script.only();
  EXPECT_EQ(record.facts.syns, 1U);
  EXPECT_EQ(record.client().text, "first next");
  EXPECT_TRUE(record.client().holes.empty());
}

TEST(TcpConnections, RefusedSyn) {
  Script script;
  script.send(script.from_client("", {.syn = true}));
  TcpSegment refusal = script.from_server("", {.rst = true, .ack = true});
  refusal.sequence = 0;
  script.send(refusal);
  const Record record = script.only();
  EXPECT_TRUE(record.facts.refused);
  EXPECT_FALSE(record.opened);
  EXPECT_EQ(record.ending, Ending::closed);
  EXPECT_EQ(record.facts.rst_packet[1], 2U);
}

TEST(TcpConnections, ResetOfAnAcceptedConnectionIsNoRefusal) {
  Script script;
  script.handshake();
  script.send(script.from_server("", {.rst = true, .ack = true}));
  EXPECT_FALSE(script.only().facts.refused);
}

TEST(TcpConnections, RepeatedSynIsTheSameConnection) {
  Script script;
  const TcpSegment syn = script.from_client("", {.syn = true});
  for (int i = 0; i < 3; ++i) script.send(syn);
  const Record record = script.only();
  EXPECT_EQ(record.facts.syns, 3U);
  EXPECT_EQ(record.facts.syn_packet, 1U);
  EXPECT_EQ(record.ending, Ending::capture_ended);
}

TEST(TcpConnections, EachAnswerToASynMayHaveANumberOfItsOwn) {
  Script script;
  const TcpSegment syn = script.from_client("", {.syn = true});
  script.send(syn);
  const TcpSegment answer = script.from_server("", {.syn = true, .ack = true});
  script.send(answer);
  TcpSegment other_answer = answer;
  other_answer.sequence += 77'777'777;
  script.send(other_answer);
  script.send(script.from_client("request"));
  EXPECT_EQ(script.only().client().text, "request");
}

TEST(TcpConnections, LateSegmentsOfAClosedConnectionAreItsOwn) {
  Script script;
  script.handshake();
  const TcpSegment request = script.from_client("request");
  script.send(request);
  script.fins();
  script.wait(5 * second);
  script.send(request);
  script.wait(54 * second);
  script.tick();
  EXPECT_TRUE(script.ended().empty());
  script.wait(2 * second);
  script.tick();
  ASSERT_EQ(script.ended().size(), 1U);
  EXPECT_EQ(script.ended()[0].ending, Ending::closed);
  EXPECT_EQ(script.only().facts.retransmitted_bytes[0], 7U);
}

TEST(TcpConnections, SegmentsFarAwayAreIgnoredUntilTheyInsist) {
  Script script;
  script.handshake();
  script.send(script.from_client("before"));
  script.client.sequence += 0x6000'0000U;
  for (int i = 0; i < 10; ++i) script.send(script.from_client("x"));
  const std::vector<Record> records = script.finish();
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].ending, Ending::replaced);
  EXPECT_EQ(records[0].client().text, "before");
  EXPECT_EQ(records[0].facts.out_of_window, 7U);
  EXPECT_EQ(records[1].client().text, "xxx");
}

// Whatever the distance of the numbers: after a long silence both of them lie elsewhere.
TEST(TcpConnections, PortsUsedAgainAfterALongSilence) {
  for (const std::uint32_t jump :
       {0x0020'0000U, 0x1000'0000U, 0x3fff'0000U, 0xc001'0000U, 0xf000'0000U, 0xffd0'0000U}) {
    SCOPED_TRACE(jump);
    Script script;
    script.handshake();
    script.send(script.from_client(letters(10)));
    script.send(script.from_server(letters(10)));
    script.wait(70 * second);
    script.client.sequence += jump;
    script.server.sequence -= jump;
    script.client.acknowledgement = script.server.sequence;
    script.server.acknowledgement = script.client.sequence;
    script.send(script.from_client("again"));
    script.send(script.from_server("and again"));
    const std::vector<Record> records = script.finish();
    ASSERT_EQ(records.size(), 2U);
    for (const Record& record : records) {
      EXPECT_TRUE(record.client().holes.empty());
      EXPECT_TRUE(record.server().holes.empty());
    }
    EXPECT_EQ(records[1].client().text, "again");
    EXPECT_EQ(records[1].server().text, "and again");
  }
}

// What a capture loses in one direction only moves the other one little.
TEST(TcpConnections, LossDuringALongSilenceIsAHole) {
  Script script;
  script.handshake();
  script.send(script.from_client(letters(10)));
  script.send(script.from_server(letters(10)));
  script.wait(70 * second);
  script.client.sequence += 0x0020'0000U;
  script.server.acknowledgement = script.client.sequence;
  for (int i = 0; i < 4; ++i) script.send(script.from_client(letters(100)));
  script.send(script.from_server("reply"));
  const Record record = script.only();
  ASSERT_EQ(record.client().holes.size(), 1U);
  EXPECT_EQ(record.client().holes[0].bytes, 0x0020'0000U);
}

TEST(TcpConnections, PortsUsedAgainWithoutASyn) {
  for (const bool closed : {false, true}) {
    Script script;
    script.handshake();
    script.send(script.from_client("before"));
    if (closed) script.fins();
    script.wait(closed ? second : 100 * second);
    script.client.sequence += 0x6000'0000U;
    script.server.sequence += 0x6000'0000U;
    script.client.acknowledgement = script.server.sequence;
    script.send(script.from_client("after"));
    script.send(script.from_server("reply"));
    const std::vector<Record> records = script.finish();
    ASSERT_EQ(records.size(), 2U);
    EXPECT_EQ(records[1].client().text, "after");
    EXPECT_EQ(records[1].server().text, "reply");
    EXPECT_FALSE(records[1].facts.roles_known);
  }
}

TEST(TcpConnections, BytesPastTheEndOfAClosedConnectionAreAnother) {
  Script script;
  script.handshake();
  script.send(script.from_client("before"));
  script.fins();
  script.client.sequence += 65'536;  // what Linux adds when it uses the ports of TIME-WAIT again
  script.send(script.from_client("after"));
  const std::vector<Record> records = script.finish();
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[1].client().text, "after");
}

// Numbers below the SYN, as a random start gives them in half of the cases.
TEST(TcpConnections, NumbersBelowTheSynAreAnotherConnection) {
  for (const bool reset : {false, true}) {
    Script script;
    script.client.sequence = script.server.sequence = 500'000'000;
    script.handshake();
    script.send(script.from_client("before"));
    if (reset) {
      script.send(script.from_client("", {.rst = true}));
    } else {
      script.fins();
    }
    script.client.sequence -= 100'000'000;
    script.server.sequence -= 100'000'000;
    script.client.acknowledgement = script.server.sequence;
    script.send(script.from_client("after"));
    script.send(script.from_server("reply"));
    const std::vector<Record> records = script.finish();
    ASSERT_EQ(records.size(), 2U);
    EXPECT_EQ(records[0].client().text, "before");
    EXPECT_EQ(records[1].client().text, "after");
    EXPECT_EQ(records[1].server().text, "reply");
  }
}

TEST(TcpConnections, NumbersBelowTheSynOfALiveConnectionHaveToInsist) {
  Script script;
  script.client.sequence = 500'000'000;
  script.handshake();
  script.send(script.from_client("before"));
  TcpSegment stray = script.make(script.client, script.server, "x", {.ack = true});
  stray.sequence -= 100'000'000;
  for (int i = 0; i < 7; ++i) script.send(stray);
  script.send(script.from_client(" and after"));
  for (int i = 0; i < 8; ++i) script.send(stray);
  const std::vector<Record> records = script.finish();
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].client().text, "before and after");
  EXPECT_EQ(records[0].facts.out_of_window, 14U);
  EXPECT_EQ(records[0].facts.retransmitted_bytes[0], 0U);
  EXPECT_EQ(records[1].client().text, "x");
}

// The last segment of a handshake whose SYNs were not captured.
TEST(TcpConnections, AcknowledgementPastBothEndsIsAnother) {
  Script script;
  script.handshake();
  script.send(script.from_client("before"));
  script.fins();
  script.send(script.make(script.client, script.server, "", {.ack = true}));
  EXPECT_TRUE(script.ended().empty());
  script.client.sequence += 12'345'678;
  script.server.sequence += 87'654'321;
  script.client.acknowledgement = script.server.sequence;
  script.send(script.from_client(""));
  EXPECT_EQ(script.ended().size(), 1U);
  script.send(script.from_client("after"));
  const std::vector<Record> records = script.finish();
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[1].client().text, "after");
  EXPECT_EQ(records[1].facts.packets[0], 2U);
}

TEST(TcpConnections, BytesFarPastTheResetOfThePeerAreAnother) {
  Script script;
  script.handshake();
  script.send(script.from_server("before"));
  script.send(script.from_client("", {.rst = true, .ack = true}));
  script.send(script.from_server(" in flight"));
  script.server.sequence += 12'345'678;
  script.send(script.from_server("after"));
  const std::vector<Record> records = script.finish();
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].server().text, "before in flight");
  EXPECT_TRUE(records[0].server().holes.empty());
  EXPECT_EQ(records[1].client().text, "after");
}

TEST(TcpConnections, LateSegmentsOfAnyKindOpenNoConnection) {
  for (const bool reset : {false, true}) {
    Script script;
    std::vector<TcpSegment> sent;
    const auto send = [&](const TcpSegment& segment) {
      sent.push_back(segment);
      script.send(segment);
    };
    script.handshake();
    send(script.from_client("request"));
    send(script.from_server("reply"));
    if (reset) send(script.from_server("", {.rst = true, .ack = true}));
    if (!reset) send(script.from_client("", {.fin = true, .ack = true}));
    if (!reset) send(script.from_server("", {.fin = true, .ack = true}));
    send(script.from_client(""));
    for (TcpSegment segment : std::vector<TcpSegment>(sent)) {
      send(segment);
      --segment.sequence;  // a keep-alive probe
      segment.flags.fin = false;
      send(segment);
    }
    EXPECT_EQ(script.only().client().text, "request");
  }
}

TEST(TcpConnections, ResetEndsBothButBytesOnTheirWayAreDelivered) {
  Script script;
  script.handshake();
  script.send(script.from_client("request"));
  script.send(script.from_client("", {.rst = true, .ack = true}));
  script.send(script.from_server("in flight"));
  const Record record = script.only();
  EXPECT_TRUE(record.client().finished);
  EXPECT_TRUE(record.client().reset);
  EXPECT_EQ(record.server().text, "in flight");
  EXPECT_FALSE(record.server().finished);
  EXPECT_EQ(record.ending, Ending::closed);
}

TEST(TcpConnections, EndWithoutBytesIsToldOnceThereAreSome) {
  Script script;
  script.handshake();
  script.send(script.from_client("", {.fin = true, .ack = true}));
  script.send(script.from_server("greeting"));
  const Record record = script.only();
  EXPECT_TRUE(record.client().finished);
  EXPECT_EQ(record.server().text, "greeting");
}

TEST(TcpConnections, NothingIsOpenedWithoutBytes) {
  Script script;
  script.handshake();
  script.fins();
  const Record record = script.only();
  EXPECT_FALSE(record.opened);
  EXPECT_EQ(record.ending, Ending::closed);
}

TEST(TcpConnections, FinishEndsInOrderOfTheFirstPacket) {
  Script script;
  for (std::uint8_t host = 20; host > 10; --host) {
    script.client.endpoint = endpoint(host, 1);
    script.send(script.from_client("hello", {}));
  }
  script.client.endpoint = endpoint(20, 1);
  script.send(script.from_client("again", {}));
  const std::vector<Record> records = script.finish();
  ASSERT_EQ(records.size(), 10U);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(records[i].facts.first_packet, i + 1);
}

TEST(TcpOrigins, AcknowledgedCountsLikeOffsets) {
  Script script;
  script.handshake();
  script.send(script.from_client("12345"));
  script.send(script.from_server("reply"));
  script.send(script.from_server("", {.fin = true, .ack = true}));
  script.send(script.from_client("6"));
  const Record record = script.only();
  EXPECT_EQ(record.client().origins[0].acknowledged, 0U);
  EXPECT_EQ(record.server().origins[0].acknowledged, 5U);
  EXPECT_EQ(record.client().origins[1].acknowledged, 5U);  // without the FIN
  EXPECT_EQ(record.server().origins[0].packet, 5U);
}

TEST(TcpOrigins, FirstAcknowledgementNamesTheStart) {
  Script script;
  script.client.acknowledgement = script.server.sequence;
  script.send(script.from_client("request"));
  script.from_server(letters(10));  // in flight as the capture began, and never seen
  script.send(script.from_server("reply"));
  script.send(script.from_client("more"));
  const Record record = script.only();
  EXPECT_EQ(record.client().origins[0].acknowledged, record.server().begin);
  EXPECT_EQ(record.server().text, "----------reply");
  EXPECT_EQ(record.client().origins[1].acknowledged, record.server().begin + 15);
}

TEST(TcpOrigins, AcknowledgementFarFromTheFirstByteIsNoStart) {
  Script script;
  script.client.acknowledgement = 7;
  script.server.sequence = 0x7000'0000U;
  script.send(script.from_client("request"));
  script.send(script.from_server("reply"));
  const Record record = script.only();
  EXPECT_EQ(record.server().text, "reply");
  EXPECT_TRUE(record.server().holes.empty());
  EXPECT_LE(record.client().origins[0].acknowledged, record.server().begin);
}

// Two requests and two replies, of each of which the first part is missing.
void holes_in_both_directions(Script& script) {
  script.handshake();
  for (int i = 0; i < 2; ++i) {
    script.from_client(letters(100));
    script.send(script.next(script.client, script.server, "request", {.ack = true}));
    script.from_server(letters(100));
    script.send(script.next(script.server, script.client, "reply", {.ack = true}));
  }
}

TEST(TcpOrder, WhatIsLeftAtTheEndComesAsCaptured) {
  const std::vector<std::uint64_t> pieces = {4, 4, 5, 5, 6, 6, 7, 7};
  Script script;
  holes_in_both_directions(script);
  EXPECT_EQ(script.only().told, pieces);

  // No direction is settled before the other after a RST either.
  Script reset;
  holes_in_both_directions(reset);
  reset.send(reset.from_server("", {.rst = true}));
  reset.wait(4 * second);
  reset.tick();
  std::vector<std::uint64_t> with_reset = pieces;
  with_reset.push_back(8);
  EXPECT_EQ(reset.only().told, with_reset);
}

TEST(TcpOrder, WhatIsDueAtOneTimeComesAsCaptured) {
  Script script;
  script.handshake();
  for (int i = 0; i < 2; ++i) {
    script.from_client(letters(100));
    script.send(script.from_client("request"));
    script.from_server(letters(100));
    script.send(script.from_server("reply"));
  }
  script.send(script.from_client(""));
  script.wait(4 * second);
  script.tick();
  const Record record = script.only();
  EXPECT_EQ(record.told, (std::vector<std::uint64_t>{4, 4, 5, 5, 6, 6, 7, 7}));
  EXPECT_EQ(record.server().holes[1].kind, HoleKind::not_captured);
}

TEST(TcpClock, SteppingBackBreaksNothing) {
  Script script;
  open_gap(script, 1'000);
  script.server.acknowledgement = script.client.sequence;
  script.wait(-3'600 * second);
  script.send(script.from_server("reply"));
  script.wait(2 * second);
  script.tick();
  script.wait(-10 * second);
  script.send(script.from_client("more"));
  script.fins();
  const Record record = script.only();
  EXPECT_EQ(record.facts.missing_bytes[0], 100U);
  EXPECT_EQ(record.facts.bytes[0], 1'004U);
}

TEST(TcpClock, WildTimesBreakNothing) {
  Script script;
  open_gap(script, 1'000);
  TcpSegment wild = script.from_server("a");
  analyzer::stream::Limits limits;
  limits.acknowledged_hole_time = std::numeric_limits<std::int64_t>::max();
  Recorder recorder;
  analyzer::stream::Tracker tracker(recorder, limits);
  for (const std::int64_t time : {std::numeric_limits<std::int64_t>::min(),
                                  std::numeric_limits<std::int64_t>::max(), std::int64_t{0}}) {
    wild.time = time;
    ++wild.packet;
    wild.sequence += 2;
    tracker.segment(wild);
  }
  wild.flags = {.rst = true};
  tracker.segment(wild);
  tracker.finish();
  ASSERT_EQ(recorder.ended_connections.size(), 1U);
}

}  // namespace
}  // namespace script
