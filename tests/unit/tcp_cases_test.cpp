// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The hard cases of TCP in captures: in each of them some known tool loses bytes or invents some.
//
// Cases of the layers below (offload, padding, checksums, cut records) come in here as the
// segments that those layers make of them.
#include <gtest/gtest.h>

#include "stream/tcp.hpp"
#include "tcp_script.hpp"

namespace script {
namespace {

// Three requests and replies of 1,000 bytes, as segments not yet sent.
struct Conversation {
  std::string requests = letters(3'000);
  std::string replies = letters(3'000, 11);
  std::vector<TcpSegment> segments;

  explicit Conversation(Script& script) {
    for (std::size_t i = 0; i < 3; ++i) {
      segments.push_back(script.from_client(std::string_view{requests}.substr(i * 1'000, 1'000)));
      segments.push_back(script.from_server(std::string_view{replies}.substr(i * 1'000, 1'000)));
    }
  }
};

void expect_whole(const Record& record, const Conversation& truth) {
  EXPECT_TRUE(same(record.client().text, truth.requests));
  EXPECT_TRUE(same(record.server().text, truth.replies));
  EXPECT_TRUE(record.client().holes.empty());
  EXPECT_TRUE(record.server().holes.empty());
}

TEST(TcpCases, CleanConversation) {
  Script script;
  script.handshake();
  const Conversation truth(script);
  for (const TcpSegment& segment : truth.segments) script.send(segment);
  script.fins();
  const Record record = script.only();
  expect_whole(record, truth);
  EXPECT_EQ(record.ending, Ending::closed);
  EXPECT_TRUE(record.facts.handshake);
  EXPECT_TRUE(record.facts.roles_known);
  EXPECT_EQ(record.facts.first, endpoint(1, 50'000));
  EXPECT_EQ(record.facts.syn_packet, 1U);
  EXPECT_EQ(record.facts.fin_packet[0], 10U);
  EXPECT_EQ(record.facts.fin_packet[1], 11U);
  EXPECT_EQ(record.facts.packets[0], 7U);
  EXPECT_TRUE(record.client().finished);
  EXPECT_FALSE(record.client().reset);
}

TEST(TcpCases, AdjacentSwap) {
  Script script;
  script.handshake();
  const std::string text = letters(3'000);
  const TcpSegment first = script.from_client(std::string_view{text}.substr(0, 1'000));
  const TcpSegment next = script.from_client(std::string_view{text}.substr(1'000, 1'000));
  script.send(next);
  script.send(first);
  script.send(script.from_client(std::string_view{text}.substr(2'000)));
  const Record record = script.only();
  EXPECT_TRUE(same(record.client().text, text));
  EXPECT_EQ(record.facts.retransmitted_bytes[0], 0U);
  // Each byte keeps the packet that brought it.
  ASSERT_EQ(record.client().origins.size(), 3U);
  EXPECT_EQ(record.client().origins[0].packet, 5U);
  EXPECT_EQ(record.client().origins[1].packet, 4U);
}

TEST(TcpCases, EveryPacketTwice) {
  Script script;
  for (int i = 0; i < 2; ++i)
    script.send(script.make(script.client, script.server, "", {.syn = true}));
  ++script.client.sequence;
  script.server.acknowledgement = script.client.sequence;
  script.client.acknowledgement = script.server.sequence;
  const Conversation truth(script);
  for (const TcpSegment& segment : truth.segments) {
    script.send(segment);
    script.send(segment);
  }
  const Record record = script.only();
  expect_whole(record, truth);
  EXPECT_EQ(record.facts.syns, 2U);
  EXPECT_EQ(record.facts.retransmitted_bytes[0], 3'000U);
}

TEST(TcpCases, SequenceNumbersWrap) {
  Script script;
  script.client.sequence = 0xffff'ff00U;
  script.server.sequence = 0xffff'ffffU;
  script.handshake();
  const Conversation truth(script);
  // Once in order, once with the segment across the wrap late.
  script.send(truth.segments[2]);
  script.send(truth.segments[0]);
  for (std::size_t i : {1U, 3U, 4U, 5U}) script.send(truth.segments[i]);
  script.fins();
  expect_whole(script.only(), truth);
}

TEST(TcpCases, LateRetransmissionIsCountedOnly) {
  Script script;
  script.handshake();
  const Conversation truth(script);
  for (const TcpSegment& segment : truth.segments) script.send(segment);
  script.wait(10 * second);
  script.send(truth.segments[0]);
  const Record record = script.only();
  expect_whole(record, truth);
  EXPECT_EQ(record.facts.retransmitted_bytes[0], 1'000U);
}

TEST(TcpCases, KeepAliveProbesAreNoData) {
  Script script;
  script.handshake();
  const Conversation truth(script);
  for (std::size_t i = 0; i < truth.segments.size(); ++i) {
    script.send(truth.segments[i]);
    TcpSegment probe = truth.segments[i];
    probe.sequence += probe.payload_length - 1;
    probe.payload = bytes_of("#").first(1);
    probe.payload_length = 1;
    script.send(probe);
    probe.payload = {};
    probe.payload_length = 0;
    script.send(probe);
  }
  const Record record = script.only();
  expect_whole(record, truth);
  EXPECT_EQ(record.facts.retransmitted_bytes[0], 0U);
}

TEST(TcpCases, ReplyCapturedBeforeItsRequest) {
  for (const bool with_handshake : {true, false}) {
    Script script;
    if (with_handshake) script.handshake();
    script.client.acknowledgement = script.server.sequence;
    const Conversation truth(script);
    for (const std::size_t i : {1U, 0U, 3U, 2U, 5U, 4U}) script.send(truth.segments[i]);
    const Record record = script.only();
    const bool swapped = record.facts.first == endpoint(2, 8'090);
    EXPECT_EQ(swapped, !with_handshake);
    const Heard& client = record.heard[swapped ? 1 : 0];
    const Heard& server = record.heard[swapped ? 0 : 1];
    EXPECT_EQ(client.text, truth.requests);
    EXPECT_EQ(server.text, truth.replies);
    // What the first reply acknowledges is the first request, whichever was captured first.
    EXPECT_EQ(server.origins[0].acknowledged, client.begin + 1'000);
    EXPECT_EQ(client.origins[0].acknowledged, server.begin);
    EXPECT_EQ(server.origins[2].acknowledged, client.begin + 3'000);
    EXPECT_EQ(record.facts.acknowledged[swapped ? 1 : 0], client.begin + 3'000);
    EXPECT_EQ(record.facts.acknowledged[swapped ? 0 : 1], server.begin + 2'000);
    EXPECT_EQ(client.begin == 0 && server.begin == 0, with_handshake);
  }
}

TEST(TcpCases, AcknowledgementCapturedBeforeItsData) {
  Script script;
  script.handshake();
  const std::string text = letters(1'000);
  const TcpSegment data = script.from_client(text);
  script.send(script.from_server(""));
  script.send(data);
  const Record record = script.only();
  EXPECT_TRUE(same(record.client().text, text));
  EXPECT_TRUE(record.client().holes.empty());
}

// Case 2: the reply is no reason to believe that the request will not come.
TEST(TcpCases, LateSegmentBehindTheReply) {
  Script script;
  script.handshake();
  const std::string text = letters(1'500);
  const TcpSegment early = script.from_client(std::string_view{text}.substr(0, 500));
  const TcpSegment late = script.from_client(std::string_view{text}.substr(500, 500));
  const TcpSegment last = script.from_client(std::string_view{text}.substr(1'000));
  script.send(early);
  script.send(last);
  script.send(script.from_server("reply"));
  script.send(late);
  const Record record = script.only();
  EXPECT_TRUE(same(record.client().text, text));
  EXPECT_EQ(record.server().text, "reply");
  EXPECT_TRUE(record.client().holes.empty());
}

// Case 3, at each place of the conversation.
TEST(TcpCases, SegmentNeverCapturedButAcknowledged) {
  Script script;
  script.handshake();
  const Conversation truth(script);
  for (const std::size_t i : {0U, 1U, 3U, 4U, 5U}) script.send(truth.segments[i]);
  script.fins();
  const Record record = script.only();
  EXPECT_EQ(record.client().text, truth.requests.substr(0, 1'000) + std::string(1'000, '-') +
                                      truth.requests.substr(2'000));
  ASSERT_EQ(record.client().holes.size(), 1U);
  EXPECT_EQ(record.client().holes[0].kind, HoleKind::not_captured);
  EXPECT_EQ(record.client().holes[0].offset, 1'000U);
  EXPECT_EQ(record.client().holes[0].found.packet, 7U);
  EXPECT_TRUE(same(record.server().text, truth.replies));
  EXPECT_TRUE(record.client().finished);
}

// Cases 4 and 5.
TEST(TcpCases, OneDirectionOnly) {
  Script script;
  script.send(script.from_client("", {.syn = true}));
  script.from_server("", {.syn = true, .ack = true});
  const Conversation truth(script);
  for (const std::size_t i : {0U, 2U, 4U}) script.send(truth.segments[i]);
  const Record record = script.only();
  EXPECT_TRUE(same(record.client().text, truth.requests));
  EXPECT_EQ(record.server().text, "");
  EXPECT_TRUE(record.server().holes.empty());
  // What the client said it had got, although none of it was captured.
  EXPECT_EQ(record.facts.acknowledged_unseen[1], 2'000U);
  EXPECT_EQ(*record.client().origins[2].acknowledged - *record.client().origins[0].acknowledged,
            2'000U);
  EXPECT_EQ(record.facts.acknowledged[1], record.client().origins[2].acknowledged);
}

TEST(TcpCases, OneDirectionOnlyWithAHole) {
  Script script;
  script.handshake();
  const std::string text = letters(4'000);
  for (std::size_t i = 0; i < 4; ++i) {
    const TcpSegment segment = script.next(script.client, script.server,
                                           std::string_view{text}.substr(i * 1'000, 1'000), {});
    if (i != 1) script.send(segment);
  }
  const Record record = script.only();
  EXPECT_EQ(record.client().text,
            text.substr(0, 1'000) + std::string(1'000, '-') + text.substr(2'000));
  ASSERT_EQ(record.client().holes.size(), 1U);
  EXPECT_EQ(record.client().holes[0].kind, HoleKind::lost);
}

// Cases 6 and 7.
TEST(TcpCases, NoHandshake) {
  Script script;
  script.client.sequence = 0xffff'fff0U;
  script.client.acknowledgement = script.server.sequence;
  const Conversation truth(script);
  for (const TcpSegment& segment : truth.segments) script.send(segment);
  const Record record = script.only();
  expect_whole(record, truth);
  EXPECT_FALSE(record.facts.handshake);
  EXPECT_FALSE(record.facts.roles_known);
  EXPECT_EQ(record.facts.first, endpoint(1, 50'000));
  EXPECT_EQ(record.ending, Ending::capture_ended);
}

// Case 8.
TEST(TcpCases, SnapLengthMakesHolesAtOnce) {
  Script script;
  script.handshake();
  const Conversation truth(script);
  for (TcpSegment segment : truth.segments) {
    segment.payload = segment.payload.first(42);
    script.send(segment);
  }
  const Record record = script.only();
  EXPECT_EQ(record.facts.bytes[0], 126U);
  EXPECT_EQ(record.facts.missing_bytes[0], 2'874U);
  ASSERT_EQ(record.client().holes.size(), 3U);
  EXPECT_EQ(record.client().holes[0].kind, HoleKind::snapped);
  EXPECT_EQ(record.client().holes[0].found.packet, 4U);
  EXPECT_EQ(record.client().text.substr(1'000, 42), truth.requests.substr(1'000, 42));
}

// Case 9.
TEST(TcpCases, PortsUsedAgainAfterFin) {
  Script script;
  script.handshake();
  const Conversation before(script);
  for (const TcpSegment& segment : before.segments) script.send(segment);
  script.fins();
  script.wait(97 * second);
  script.client.sequence += 900'000;
  script.server.sequence += 700'000;
  script.handshake();
  const Conversation after(script);
  for (const TcpSegment& segment : after.segments) script.send(segment);
  script.fins();
  const std::vector<Record> records = script.finish();
  ASSERT_EQ(records.size(), 2U);
  expect_whole(records[0], before);
  expect_whole(records[1], after);
  EXPECT_EQ(records[0].ending, Ending::closed);
}

// Cases 10 and 11.
TEST(TcpCases, PortsUsedAgainWithoutAnEnd) {
  for (const bool reset : {false, true}) {
    Script script;
    script.handshake();
    const Conversation before(script);
    for (const TcpSegment& segment : before.segments) script.send(segment);
    if (reset) script.send(script.from_client("", {.rst = true}));
    script.wait(2 * second);
    script.client.sequence += 900'000;
    script.server.sequence += 700'000;
    script.handshake();
    const Conversation after(script);
    for (const TcpSegment& segment : after.segments) script.send(segment);
    const std::vector<Record> records = script.finish();
    ASSERT_EQ(records.size(), 2U);
    expect_whole(records[0], before);
    expect_whole(records[1], after);
    EXPECT_EQ(records[0].ending, reset ? Ending::closed : Ending::replaced);
    EXPECT_EQ(records[0].client().finished, reset);
    EXPECT_EQ(records[0].client().reset, reset);
  }
}

// Case 12.
TEST(TcpCases, ResetFarOutsideOfTheWindow) {
  Script script;
  script.handshake();
  const Conversation truth(script);
  for (std::size_t i = 0; i < truth.segments.size(); ++i) {
    script.send(truth.segments[i]);
    TcpSegment stray = truth.segments[i];
    stray.payload = {};
    stray.payload_length = 0;
    stray.flags = {.rst = true};
    stray.sequence += i % 2 == 0 ? 100'000'000U : 0U - 100'000U;
    script.send(stray);
  }
  const Record record = script.only();
  expect_whole(record, truth);
  EXPECT_EQ(record.facts.out_of_window, 6U);
  EXPECT_EQ(record.facts.rst_packet[0], 0U);
  EXPECT_EQ(record.ending, Ending::capture_ended);
}

// Case 13.
TEST(TcpCases, FinCapturedBeforeTheLastData) {
  Script script;
  script.handshake();
  const TcpSegment data = script.from_client("the last words");
  const TcpSegment fin = script.from_client("", {.fin = true, .ack = true});
  script.send(fin);
  script.send(data);
  const Record record = script.only();
  EXPECT_EQ(record.client().text, "the last words");
  EXPECT_TRUE(record.client().finished);
  EXPECT_TRUE(record.client().holes.empty());
}

// Case 14.
TEST(TcpCases, SynAckCapturedBeforeSyn) {
  Script script;
  const TcpSegment syn = script.from_client("", {.syn = true});
  script.send(script.from_server("", {.syn = true, .ack = true}));
  script.send(syn);
  const Conversation truth(script);
  for (const TcpSegment& segment : truth.segments) script.send(segment);
  const Record record = script.only();
  expect_whole(record, truth);
  EXPECT_EQ(record.facts.first, endpoint(1, 50'000));
  EXPECT_TRUE(record.facts.handshake);
  EXPECT_TRUE(record.facts.roles_known);
  EXPECT_EQ(record.facts.packets[0], 4U);
}

// Case 15, also when the server takes only the SYN and the data is sent again.
TEST(TcpCases, DataInSyn) {
  for (const bool again : {false, true}) {
    Script script;
    const TcpSegment syn = script.from_client("early", {.syn = true});
    script.send(syn);
    script.send(script.from_server("", {.syn = true, .ack = true}));
    if (again) {
      TcpSegment repeated = syn;
      repeated.flags = {.ack = true};
      ++repeated.sequence;
      script.send(repeated);
    }
    script.send(script.from_client(" and late"));
    const Record record = script.only();
    EXPECT_EQ(record.client().text, "early and late");
    EXPECT_TRUE(record.client().holes.empty());
    EXPECT_EQ(record.facts.retransmitted_bytes[0], again ? 5U : 0U);
  }
}

// Case 16: segments larger than any packet; 18: short ones, trimmed already.
TEST(TcpCases, LargeAndShortSegments) {
  Script script;
  script.handshake();
  const std::string large = letters(200'000);
  script.send(script.from_client(large));
  script.send(script.from_client("short."));
  EXPECT_TRUE(same(script.only().client().text, large + "short."));
}

// Case 19.
TEST(TcpCases, SameBytesCutAnew) {
  Script script;
  script.handshake();
  const std::string text = letters(3'000);
  const std::uint32_t start = script.client.sequence;
  const auto cut = [&](std::size_t from, std::size_t size) {
    script.client.sequence = start + static_cast<std::uint32_t>(from);
    return script.from_client(std::string_view{text}.substr(from, size));
  };
  // Cut at every third of what comes before, below and above a hole.
  for (const auto& [from, size] : std::vector<std::pair<std::size_t, std::size_t>>{
           {0, 900}, {300, 900}, {1'500, 500}, {1'400, 1'000}, {1'900, 700}, {0, 3'000}})
    script.send(cut(from, size));
  const Record record = script.only();
  EXPECT_TRUE(same(record.client().text, text));
  EXPECT_TRUE(record.client().holes.empty());
  EXPECT_EQ(record.facts.overlaps_that_differ, 0U);
  // Sent: 900 + 900 + 500 + 1,000 + 700 + 3,000 bytes, for 3,000 of the stream.
  EXPECT_EQ(record.facts.retransmitted_bytes[0], 4'000U);
}

// Case 20.
TEST(TcpCases, OverlapWithOtherBytes) {
  Script script;
  script.handshake();
  const TcpSegment first = script.from_client("aaaa");
  TcpSegment above = script.from_client("bbbb");
  script.send(above);
  above.payload = bytes_of("bXXb");
  script.send(above);
  script.send(first);
  TcpSegment again = first;
  again.payload = bytes_of("YYYY");
  script.send(again);
  const Record record = script.only();
  EXPECT_EQ(record.client().text, "aaaabbbb");
  // One above a hole, one below what was delivered.
  EXPECT_EQ(record.facts.overlaps_that_differ, 2U);
  EXPECT_EQ(record.facts.retransmitted_bytes[0], 8U);
}

// Case 21: what comes before the cut is reported; 22: two files, one for each direction, joined.
TEST(TcpCases, DirectionsOneAfterTheOther) {
  Script script;
  script.send(script.from_client("", {.syn = true}));
  const TcpSegment syn_ack = script.from_server("", {.syn = true, .ack = true});
  const Conversation truth(script);
  for (const std::size_t i : {0U, 2U, 4U}) script.send(truth.segments[i]);
  script.send(syn_ack);
  for (const std::size_t i : {1U, 3U, 5U}) script.send(truth.segments[i]);
  expect_whole(script.only(), truth);
}

}  // namespace
}  // namespace script
