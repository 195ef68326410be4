// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Segments that contradict what a connection is known to be: strays leave no trace but a count, and
// what something else agrees with is believed.
#include <gtest/gtest.h>

#include "stream/tcp.hpp"
#include "tcp_script.hpp"

namespace script {
namespace {

constexpr std::uint32_t far = 0x3000'0000U;

// A stray of the client that lies `ahead`, in the midst of a conversation.
void send_stray(Script& script, std::uint32_t ahead, TcpFlags flags, std::string_view bytes = "") {
  TcpSegment stray = script.make(script.client, script.server, bytes, flags);
  stray.sequence += ahead;
  script.send(stray);
}

Record with_stray(std::uint32_t ahead, TcpFlags flags, std::string_view bytes = "") {
  Script script;
  script.handshake();
  script.send(script.from_client("request "));
  script.send(script.from_server("reply "));
  send_stray(script, ahead, flags, bytes);
  for (int i = 0; i < 3; ++i) {
    script.send(script.from_client("next "));
    script.send(script.from_server("answer "));
  }
  script.fins();
  return script.only();
}

TEST(TcpDoubts, StraysLeaveNoTraceButACount) {
  for (const auto& [ahead, flags, bytes] :
       std::vector<std::tuple<std::uint32_t, TcpFlags, std::string>>{
           {1U << 20, {.syn = true}, ""},
           {0U - 5'000, {.syn = true}, ""},
           {7'000'000, {.syn = true, .ack = true}, ""},
           {30'000, {.rst = true}, ""},
           {30'000, {.rst = true, .ack = true}, ""},
           {far, {.ack = true}, "stray"},
           {2'000'000, {.ack = true}, "stray"},
           {far, {.fin = true, .ack = true}, ""}}) {
    SCOPED_TRACE(ahead);
    const Record record = with_stray(ahead, flags, bytes);
    EXPECT_EQ(record.client().text, "request next next next ");
    EXPECT_EQ(record.server().text, "reply answer answer answer ");
    EXPECT_EQ(record.facts.out_of_window, 1U);
    EXPECT_FALSE(record.facts.rst_packet[0] != 0 || record.client().reset);
    EXPECT_TRUE(record.client().finished && record.server().finished);
    EXPECT_EQ(record.ending, Ending::closed);
  }
}

TEST(TcpDoubts, ACopyOfAStrayDoesNotAgreeWithIt) {
  Script script;
  script.handshake();
  for (int i = 0; i < 3; ++i) send_stray(script, far, {.ack = true}, "stray");
  script.send(script.from_client("request"));
  const Record record = script.only();
  EXPECT_EQ(record.client().text, "request");
  EXPECT_EQ(record.facts.out_of_window, 3U);
}

TEST(TcpDoubts, BytesBehindALargeGapAreBelievedWhereMoreFollow) {
  Script script;
  script.handshake();
  script.send(script.from_client("before "));
  script.client.sequence += 5'000'000;
  script.send(script.from_client("behind "));
  script.send(script.from_client("it"));
  const Record record = script.only();
  EXPECT_EQ(record.facts.missing_bytes[0], 5'000'000U);
  EXPECT_EQ(record.client().text.substr(5'000'007), "behind it");
  EXPECT_EQ(record.facts.out_of_window, 0U);
}

TEST(TcpDoubts, BytesBehindALargeGapAreBelievedWhereThePeerAcknowledgesThem) {
  Script script;
  script.handshake();
  script.send(script.from_client("before "));
  script.client.sequence += 5'000'000;
  script.send(script.from_client("behind"));
  script.send(script.from_server("reply"));
  const Record record = script.only();
  ASSERT_EQ(record.client().holes.size(), 1U);
  EXPECT_EQ(record.client().holes[0].kind, HoleKind::not_captured);
  EXPECT_EQ(record.client().text.substr(5'000'007), "behind");
  EXPECT_EQ(record.server().text, "reply");
}

TEST(TcpDoubts, TheWindowIsBelieved) {
  for (const std::uint8_t scale : {std::uint8_t{0}, std::uint8_t{7}}) {
    Script script;
    TcpSegment syn = script.from_client("", {.syn = true});
    script.send(syn);
    TcpSegment syn_ack = script.from_server("", {.syn = true, .ack = true});
    syn_ack.window_scale = scale;
    script.send(syn_ack);
    script.send(script.from_client("before "));
    TcpSegment window = script.from_server("");
    window.window = 0xffff;  // eight megabytes with the scale
    script.send(window);
    script.client.sequence += 5'000'000;
    script.send(script.from_client("behind"));
    const Record record = script.only();
    EXPECT_EQ(record.facts.missing_bytes[0], scale == 0 ? 0U : 5'000'000U);
    EXPECT_EQ(record.facts.out_of_window, scale == 0 ? 1U : 0U);
  }
}

TEST(TcpDoubts, AnAcknowledgementFarAheadHasToBeRepeated) {
  for (const bool is_repeated : {false, true}) {
    Script script;
    script.handshake();
    script.send(script.from_client("request"));
    script.server.acknowledgement += 5'000'000;
    script.send(script.make(script.server, script.client, "", {.ack = true}));
    script.server.acknowledgement += 1'000;
    if (is_repeated) script.send(script.make(script.server, script.client, "", {.ack = true}));
    EXPECT_EQ(script.only().facts.missing_bytes[0], is_repeated ? 5'001'000U : 0U);
  }
}

TEST(TcpDoubts, AResetBehindBytesThatWereNotCapturedIsBelievedAtTheEnd) {
  Script script;
  script.handshake();
  script.send(script.from_client("request"));
  script.from_client("not captured");
  script.send(script.from_client("", {.rst = true}));
  const Record record = script.only();
  EXPECT_EQ(record.client().text, "request------------");
  EXPECT_EQ(record.client().holes.at(0).kind, HoleKind::lost);
  EXPECT_TRUE(record.client().reset);
  EXPECT_EQ(record.facts.rst_packet[0], 5U);
  EXPECT_EQ(record.ending, Ending::closed);
}

TEST(TcpDoubts, AResetCapturedBeforeTheLastBytesIsBelieved) {
  Script script;
  script.handshake();
  const TcpSegment last = script.from_client("last words");
  script.send(script.from_client("", {.rst = true}));
  script.send(last);
  const Record record = script.only();
  EXPECT_EQ(record.client().text, "last words");
  EXPECT_TRUE(record.client().reset);
  EXPECT_EQ(record.facts.out_of_window, 0U);
}

TEST(TcpDoubts, AResetThatIsBelievedFreesThePorts) {
  Script script;
  script.handshake();
  script.from_client("not captured");
  script.send(script.from_client("", {.rst = true}));
  script.client.sequence += 900'000;
  script.server.sequence += 700'000;
  script.handshake();
  script.send(script.from_client("after"));
  const std::vector<Record> records = script.finish();
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].ending, Ending::closed);
  EXPECT_EQ(records[1].client().text, "after");
  EXPECT_TRUE(records[1].facts.handshake);
}

TEST(TcpDoubts, AResetBehindAFinThatWasNotCapturedLeavesNoHole) {
  Script script;
  script.handshake();
  script.send(script.from_client("request"));
  script.from_client("", {.fin = true, .ack = true});
  script.send(script.from_client("", {.rst = true}));
  const Record record = script.only();
  EXPECT_EQ(record.client().text, "request");
  EXPECT_TRUE(record.client().reset);
}

// What shows that a SYN is true: its answer, a refusal, or bytes with its numbers.
TEST(TcpDoubts, ASynInsideAConnectionIsBelievedOnceItIsAnswered) {
  enum { syn_ack, syn_ack_first, refusal, bytes, other_side };
  for (const int answer : {syn_ack, syn_ack_first, refusal, bytes, other_side}) {
    SCOPED_TRACE(answer);
    Script script;
    script.handshake();
    script.send(script.from_client("before"));
    script.client.sequence += 1U << 20;
    script.server.sequence += 700'000'000;
    const TcpSegment syn = script.from_client("", {.syn = true});
    const TcpSegment reply = script.from_server("", {.syn = true, .ack = true});
    if (answer == syn_ack_first) script.send(reply);
    script.send(syn);
    if (answer == syn_ack) script.send(reply);
    TcpSegment refused = script.make(script.server, script.client, "", {.rst = true, .ack = true});
    refused.sequence = 0;
    if (answer == refusal) script.send(refused);
    if (answer == other_side) script.send(script.from_server("greeting"));
    if (answer != refusal && answer != other_side) script.send(script.from_client("after"));
    const std::vector<Record> records = script.finish();
    ASSERT_EQ(records.size(), 2U);
    EXPECT_EQ(records[0].client().text, "before");
    EXPECT_EQ(records[0].facts.out_of_window, 0U);
    EXPECT_EQ(records[0].ending, Ending::replaced);
    EXPECT_EQ(records[1].facts.refused, answer == refusal);
    EXPECT_EQ(records[1].facts.syns, 1U);
    const bool is_heard = answer != refusal && answer != other_side;
    EXPECT_EQ(records[1].client().text, is_heard ? "after" : "");
    EXPECT_EQ(records[1].server().text, answer == other_side ? "greeting" : "");
  }
}

TEST(TcpDoubts, ASynThatIsTheLastWordIsAnAttemptOfItsOwn) {
  Script script;
  script.handshake();
  script.send(script.from_client("before"));
  script.client.sequence += 900'000;
  const TcpSegment syn = script.from_client("", {.syn = true});
  for (int i = 0; i < 3; ++i) script.send(syn);
  const std::vector<Record> records = script.finish();
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[1].facts.syns, 3U);
  EXPECT_FALSE(records[1].opened);
}

TEST(TcpDoubts, ASynOfAConnectionThatWasIdleForLongIsBelieved) {
  Script script;
  script.handshake();
  script.send(script.from_client("before"));
  script.wait(100 * second);
  script.client.sequence += 900'000;
  script.send(script.from_client("", {.syn = true}));
  EXPECT_EQ(script.ended().size(), 1U);
  script.send(script.from_client("after"));
  EXPECT_EQ(script.finish().size(), 2U);
}

// --- The start of a connection that was begun before the capture

TEST(TcpOpenStart, EarlierBytesComeFirst) {
  Script script;
  script.client.acknowledgement = script.server.sequence;
  std::vector<TcpSegment> sent;
  for (int i = 0; i < 6; ++i) {
    sent.push_back(script.from_client(letters(100, static_cast<unsigned>(i))));
    sent.push_back(script.from_server(letters(50, static_cast<unsigned>(i))));
  }
  std::reverse(sent.begin(), sent.end());
  for (const TcpSegment& segment : sent) script.send(segment);
  const Record record = script.only();
  const std::size_t server = record.facts.first == endpoint(2, 8'090) ? 0 : 1;
  for (const Heard& heard : record.heard) EXPECT_TRUE(heard.holes.empty() && heard.late.empty());
  std::string requests;
  for (unsigned i = 0; i < 6; ++i) requests += letters(100, i);
  EXPECT_TRUE(same(record.heard[1 - server].text, requests));
  EXPECT_EQ(record.heard[server].text.size(), 300U);
}

TEST(TcpOpenStart, BothDirectionsComeAsCaptured) {
  Script script;
  script.client.acknowledgement = script.server.sequence;
  for (int i = 0; i < 3; ++i) {
    script.send(script.from_client("request"));
    script.send(script.from_server("reply"));
  }
  EXPECT_EQ(script.only().told, (std::vector<std::uint64_t>{1, 2, 3, 4, 5, 6}));
}

TEST(TcpOpenStart, IsWaitedForOnlySoLong) {
  analyzer::stream::Limits limits;
  limits.acknowledged_hole_bytes = 1'000;
  for (const bool by_time : {false, true}) {
    Script script(limits);
    const TcpSegment late = script.from_client(letters(100));
    script.send(script.from_client(letters(by_time ? 10 : 1'000)));
    if (by_time) script.wait(4 * second);
    script.tick();
    script.send(late);
    script.send(late);
    script.send(script.from_client("more"));
    const Record record = script.only();
    EXPECT_EQ(record.client().text.substr(record.client().text.size() - 4), "more");
    ASSERT_EQ(record.client().late.size(), 1U);
    EXPECT_EQ(record.client().late[0].bytes, 100U);
    EXPECT_EQ(record.client().late[0].offset + 100, record.client().begin);
    EXPECT_EQ(record.facts.late_bytes[0], 100U);
    EXPECT_EQ(record.facts.retransmitted_bytes[0], 0U);
  }
}

TEST(TcpOpenStart, ASynEndsTheWait) {
  Script script;
  const TcpSegment syn = script.from_client("", {.syn = true});
  const TcpSegment syn_ack = script.from_server("", {.syn = true, .ack = true});
  const TcpSegment first = script.from_client("first ");
  script.send(script.from_client("second"));
  script.send(first);
  script.send(syn_ack);
  script.send(syn);
  script.send(script.from_server("reply"));
  const Record record = script.only();
  EXPECT_EQ(record.client().text, "first second");
  EXPECT_EQ(record.client().begin + 0, record.facts.begin[0]);
  EXPECT_EQ(record.server().text, "reply");
}

TEST(TcpOpenStart, AnOlderAcknowledgementShowsBytesThatWereNotCaptured) {
  Script script;
  script.server.acknowledgement = script.client.sequence;
  const TcpSegment older = script.from_server("one");
  script.from_client("lost");
  script.send(script.from_server("two"));
  script.send(older);
  script.send(script.from_client("next"));
  const Record record = script.only();
  EXPECT_EQ(record.heard[1].text, "----next");
  EXPECT_EQ(record.heard[1].holes.at(0).kind, HoleKind::not_captured);
}

}  // namespace
}  // namespace script
