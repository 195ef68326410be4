// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What segments show of the path, counted as Wireshark counts.
#include "stream/segment_analysis.hpp"

#include <gtest/gtest.h>

#include "tcp_script.hpp"

namespace script {
namespace {

using analyzer::stream::SegmentCounts;

// A connection after its handshake, with a way to send a segment of the client a second time.
class SegmentAnalysis : public testing::Test {
 protected:
  SegmentAnalysis() {
    script.send(script.from_client("", {.syn = true}));
    script.send(script.from_server("", {.syn = true, .ack = true}));
    send(script.from_client(""));
  }
  TcpSegment data(std::uint16_t ip_id = 0, std::size_t bytes = 100) {
    TcpSegment made = script.from_client(letters(bytes));
    made.window = 1'000;
    made.ip_id = ip_id;
    return made;
  }
  void send(TcpSegment segment) {
    if (segment.window == 0) segment.window = 1'000;
    script.send(segment);
  }
  SegmentCounts client() { return script.only().facts.segments[0]; }
  SegmentCounts server() { return script.only().facts.segments[1]; }

  Script script;
};

TEST_F(SegmentAnalysis, CountsNothingWhereAllIsWell) {
  for (int i = 0; i < 10; ++i) send(data());
  send(script.from_server(letters(50)));
  const SegmentCounts counts = client();
  EXPECT_EQ(counts.data, 10U);
  EXPECT_EQ(counts.retransmission + counts.out_of_order + counts.duplicate_capture +
                counts.lost_segment + counts.ack_lost_segment + counts.zero_window +
                counts.keep_alive + counts.reset,
            0U);
}

// Some systems ask a receiver without room by the next byte, which it drops.
TEST_F(SegmentAnalysis, TheByteThatAsksForRoomComesAgainWithTheOthers) {
  for (const bool has_room : {false, true}) {
    Script talk;
    talk.handshake();
    TcpSegment told = talk.from_server("");
    told.window = has_room ? 1'000 : 0;
    TcpSegment whole = talk.from_client(letters(100));
    whole.window = 1'000;
    TcpSegment probe = whole;
    probe.payload = probe.payload.first(1);
    probe.payload_length = 1;
    for (int i = 0; i < 2; ++i) {
      talk.send(told);
      talk.wait(second);
      talk.send(probe);
    }
    told.window = 1'000;
    talk.send(told);
    talk.send(whole);
    const SegmentCounts counts = talk.only().facts.segments[0];
    EXPECT_EQ(counts.sent_again, has_room ? 1U : 0U);
    EXPECT_EQ(counts.retransmission, has_room ? 1U : 0U);
  }
}

TEST_F(SegmentAnalysis, BytesThatCameBeforeAreARetransmission) {
  const TcpSegment first = data(7);
  send(first);
  send(data(8));
  TcpSegment again = first;
  again.ip_id = 9;
  script.wait(second);
  send(again);
  const SegmentCounts counts = client();
  EXPECT_EQ(counts.data, 3U);
  EXPECT_EQ(counts.retransmission, 1U);
  EXPECT_EQ(counts.sent_again, 1U);
  EXPECT_EQ(counts.first_sent_again, script.packet());
}

TEST_F(SegmentAnalysis, TheSamePacketTwiceIsADuplicateOfTheCapture) {
  const TcpSegment first = data(7);
  send(first);
  send(data(8));
  send(first);
  const SegmentCounts counts = client();
  EXPECT_EQ(counts.data, 2U);
  EXPECT_EQ(counts.duplicate_capture, 1U);
  EXPECT_EQ(counts.retransmission, 0U);
}

TEST_F(SegmentAnalysis, WithoutAnIdentificationOnlyAnImmediateCopyIsADuplicate) {
  const TcpSegment first = data();
  send(first);
  send(first);  // a millisecond later
  EXPECT_EQ(client().duplicate_capture, 1U);
}

TEST_F(SegmentAnalysis, WithoutAnIdentificationALateCopyIsARetransmission) {
  const TcpSegment first = data();
  send(first);
  script.wait(200 * millisecond);
  send(first);
  const SegmentCounts counts = client();
  EXPECT_EQ(counts.duplicate_capture, 0U);
  EXPECT_EQ(counts.retransmission, 1U);
}

TEST_F(SegmentAnalysis, AGapThatIsFilledWithinARoundTripIsOutOfOrder) {
  const TcpSegment first = data();
  const TcpSegment next = data();
  send(next);
  send(first);
  const SegmentCounts counts = client();
  EXPECT_EQ(counts.lost_segment, 1U);
  EXPECT_EQ(counts.out_of_order, 1U);
  EXPECT_EQ(counts.retransmission, 0U);
}

TEST_F(SegmentAnalysis, AGapThatIsFilledLaterIsARetransmission) {
  const TcpSegment first = data();
  send(data());
  script.wait(200 * millisecond);
  send(first);
  const SegmentCounts counts = client();
  EXPECT_EQ(counts.out_of_order, 0U);
  EXPECT_EQ(counts.retransmission, 1U);
  EXPECT_EQ(counts.sent_again, 0U);  // the capture may have mixed it up
}

TEST_F(SegmentAnalysis, AGapThatOnlyAFinShowsIsALostSegment) {
  send(data());
  data();
  send(script.from_client("", {.fin = true, .ack = true}));
  EXPECT_EQ(client().lost_segment, 1U);
}

TEST_F(SegmentAnalysis, KeepAliveProbesAreNoRetransmission) {
  send(data());
  TcpSegment probe = script.make(script.client, script.server, "", {.ack = true});
  --probe.sequence;
  send(probe);
  probe.payload = bytes_of("x");
  probe.payload_length = 1;
  send(probe);
  const SegmentCounts counts = client();
  EXPECT_EQ(counts.keep_alive, 2U);
  EXPECT_EQ(counts.retransmission, 0U);
}

TEST_F(SegmentAnalysis, AnAcknowledgementOfUnseenBytesIsCountedOnce) {
  send(data());
  data();  // not captured
  send(script.from_server(""));
  send(script.from_server(""));
  EXPECT_EQ(server().ack_lost_segment, 1U);
}

TEST_F(SegmentAnalysis, AnAcknowledgementOfAnUnseenFinIsNone) {
  send(data());
  ++script.server.acknowledgement;
  send(script.from_server(""));
  EXPECT_EQ(server().ack_lost_segment, 0U);
}

// The SYN tells where its bytes begin.
TEST_F(SegmentAnalysis, TheFirstSegmentsWereNotCaptured) {
  data();
  send(script.from_server(letters(10)));
  data();
  send(script.from_server(letters(10)));
  EXPECT_EQ(server().ack_lost_segment, 2U);
}

TEST_F(SegmentAnalysis, NothingIsUnseenWhereADirectionWasNotCaptured) {
  Script talk;
  talk.from_client("", {.syn = true});
  talk.send(talk.from_server("", {.syn = true, .ack = true}));
  for (int i = 0; i < 2; ++i) {
    talk.from_client(letters(100));
    talk.send(talk.from_server(letters(10)));
  }
  EXPECT_EQ(talk.only().facts.segments[1].ack_lost_segment, 0U);
}

TEST_F(SegmentAnalysis, CountsAReceiverWithoutRoom) {
  send(data());
  script.send(script.from_server(""));  // a window of 0
  EXPECT_EQ(server().zero_window, 1U);
}

TEST_F(SegmentAnalysis, CountsAReceiverWithoutRoomBeforeTheFirstBytes) {
  script.send(script.from_server(""));
  send(data());
  EXPECT_EQ(server().zero_window, 1U);
}

TEST_F(SegmentAnalysis, NumbersMayWrap) {
  Script wrapping;
  wrapping.client.sequence = 0xffff'ffff - 50;
  wrapping.handshake();
  for (int i = 0; i < 3; ++i) {
    TcpSegment made = wrapping.from_client(letters(100));
    made.window = 1;
    wrapping.send(made);
  }
  const SegmentCounts counts = wrapping.only().facts.segments[0];
  EXPECT_EQ(counts.data, 3U);
  EXPECT_EQ(counts.lost_segment + counts.retransmission, 0U);
}

TEST_F(SegmentAnalysis, TellsHowLongTheHandshakeAndTheFirstBytesTook) {
  send(data());
  send(script.from_server(letters(10)));
  const TcpFacts facts = script.only().facts;
  EXPECT_EQ(facts.initial_rtt, 2'000U);  // three packets, a millisecond apart
  ASSERT_TRUE(facts.first_byte[0] && facts.first_byte[1]);
  EXPECT_EQ(*facts.first_byte[0] - facts.first_time, 3 * millisecond);
  EXPECT_EQ(*facts.first_byte[1] - facts.first_time, 4 * millisecond);
}

}  // namespace
}  // namespace script
