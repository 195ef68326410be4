// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// One direction alone: places of sequence numbers, overlaps, and the cost of disorder; then,
// through the tracker, what shows a hole and when it is declared.
#include "stream/orderer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "tcp_script.hpp"

namespace script {
namespace {

using analyzer::stream::Orderer;

class Collected : public Orderer::Output {
 public:
  std::string text;
  std::uint64_t begin = 0;  // the first offset
  std::vector<Hole> holes;
  std::vector<Hole> late_ones;
  int ends = 0;

  void data(std::uint64_t offset, Bytes bytes, const Origin&) override {
    if (text.empty()) begin = offset;
    EXPECT_EQ(offset, begin + text.size());
    text += text_of(bytes);
  }
  void hole(const Hole& hole) override {
    if (text.empty()) begin = hole.offset;
    EXPECT_EQ(hole.offset, begin + text.size());
    text.append(hole.bytes, '-');
    holes.push_back(hole);
  }
  void late(const Hole& hole) override { late_ones.push_back(hole); }
  bool precedes(const Origin&) const override { return false; }
  bool keeps_end() const override { return false; }
  void finished(bool, const Origin&) override { ++ends; }
};

struct Direct {
  Orderer orderer;
  Collected out;
  std::uint32_t start;

  explicit Direct(std::uint32_t at, bool firm = true) : start(at) { orderer.start(at, firm); }
  void at(std::uint32_t offset, std::string_view text, std::uint32_t length = 0) {
    const auto size = std::max(length, static_cast<std::uint32_t>(text.size()));
    orderer.segment({orderer.position(start + offset), bytes_of(text), size, {}, 0}, out);
  }
};

TEST(Orderer, PositionsFollowTheStreamThroughManyWraps) {
  Orderer orderer;
  orderer.start(5, true);
  std::uint64_t truth = orderer.position(5);
  for (int i = 0; i < 20; ++i) {
    truth += 0x3000'0000U;
    const std::uint64_t position = orderer.position(static_cast<std::uint32_t>(truth));
    EXPECT_EQ(position, truth);
    orderer.acknowledge(position, {}, 0);
  }
  EXPECT_EQ(orderer.offset(truth), 20 * std::uint64_t{0x3000'0000U});
  EXPECT_EQ(orderer.position(static_cast<std::uint32_t>(truth) - 100), truth - 100);
}

TEST(Orderer, InOrderBytesAreNotCopied) {
  class SamePlace : public Collected {
   public:
    const std::byte* place = nullptr;
    void data(std::uint64_t, Bytes bytes, const Origin&) override { place = bytes.data(); }
  } out;
  Orderer orderer;
  orderer.start(0, true);
  const std::string text = "in order";
  orderer.segment({orderer.position(0), bytes_of(text), 8, {}, 0}, out);
  EXPECT_EQ(out.place, bytes_of(text).data());
  EXPECT_EQ(orderer.buffered(), 0U);
}

TEST(Orderer, FirstCopyWinsPieceByPiece) {
  Direct direct(100);
  direct.at(4, "bb");
  direct.at(8, "dd");
  direct.at(2, "XXXXXXXXXX");  // fills 2 to 4, 6 to 8 and 10 to 12
  direct.at(0, "aaaaaaaa");
  EXPECT_EQ(direct.out.text, "aaXXbbXXddXX");
  EXPECT_EQ(direct.orderer.counts().overlaps_that_differ, 5U);
  EXPECT_EQ(direct.orderer.buffered(), 0U);
}

TEST(Orderer, SnappedPieceAboveAHoleStaysAHole) {
  Direct direct(100);
  direct.at(4, "bb", 6);
  direct.at(0, "aaaa");
  direct.at(10, "cc");
  EXPECT_EQ(direct.out.text, "aaaabb----cc");
  ASSERT_EQ(direct.out.holes.size(), 1U);
  EXPECT_EQ(direct.out.holes[0].kind, HoleKind::snapped);
}

TEST(Orderer, NothingButALengthWasCaptured) {
  Direct direct(100);
  direct.at(10, "", 10);
  direct.at(0, "", 10);
  direct.at(20, "end");
  EXPECT_EQ(direct.out.text, std::string(20, '-') + "end");
}

TEST(Orderer, LengthsClaimedWithoutBytesDoNotWalkOverPieces) {
  Direct direct(100);
  for (std::uint32_t i = 0; i < 20'000; ++i) direct.at(10 + i * 4, "ab");
  const auto before = std::chrono::steady_clock::now();
  for (std::uint32_t i = 0; i < 20'000; ++i) direct.at(5, "x", 1'000'000);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - before;
  EXPECT_LT(spent.count(), 1.0);
}

TEST(Orderer, EndIsTheFirstOne) {
  Direct direct(100);
  direct.at(0, "abc");
  EXPECT_TRUE(direct.orderer.end(direct.orderer.position(103), false, {}, 0, direct.out));
  EXPECT_TRUE(direct.orderer.end(direct.orderer.position(103), false, {}, 0, direct.out));
  EXPECT_FALSE(direct.orderer.end(direct.orderer.position(107), false, {}, 0, direct.out));
  direct.at(2, "cde");
  EXPECT_EQ(direct.out.text, "abc");
  EXPECT_EQ(direct.out.ends, 1);
  EXPECT_EQ(direct.orderer.counts().outside, 1U);
}

TEST(Orderer, BytesAcrossTheEndAreCutThere) {
  Direct direct(100);
  EXPECT_TRUE(direct.orderer.end(direct.orderer.position(103), false, {}, 0, direct.out));
  direct.at(0, "abcdef");
  direct.at(3, "def");
  EXPECT_EQ(direct.out.text, "abc");
  EXPECT_EQ(direct.out.ends, 1);
  EXPECT_EQ(direct.orderer.counts().outside, 2U);
}

TEST(Orderer, BytesPastAFinProveItWrong) {
  Direct direct(100);
  direct.at(8, "later");
  EXPECT_FALSE(direct.orderer.end(direct.orderer.position(104), false, {}, 0, direct.out));
  direct.at(0, "earlier.");
  EXPECT_EQ(direct.out.text, "earlier.later");
  EXPECT_EQ(direct.out.ends, 0);
}

TEST(Orderer, BytesBelowAStartThatIsNotFirm) {
  Direct inferred(100, false);
  inferred.at(0U - 4, "abcd");
  inferred.at(0, "efgh");
  EXPECT_EQ(inferred.out.text, "abcdefgh");
  Direct firm(100, true);
  firm.at(0U - 4, "abcd");
  firm.at(0, "efgh");
  EXPECT_EQ(firm.out.text, "efgh");
  EXPECT_EQ(firm.out.begin, 0U);
}

TEST(Orderer, OffsetsOnceGivenOutStayTrue) {
  Direct direct(100, false);
  const std::uint64_t start = direct.orderer.offset(direct.orderer.position(100));
  const std::uint64_t later = direct.orderer.offset(direct.orderer.position(150));
  EXPECT_EQ(start, Orderer::soft_start);
  EXPECT_EQ(later, start + 50);
  direct.at(0U - 4, "abcd");  // below the start
  EXPECT_EQ(direct.out.begin, start - 4);
  EXPECT_EQ(direct.orderer.offset(direct.orderer.position(150)), later);
  // A SYN captured late, before any byte.
  Direct late(100, false);
  late.orderer.start(40, true);
  late.at(0U - 60, "abcd");
  EXPECT_EQ(late.out.begin, start - 60);
}

TEST(Orderer, BytesFarFromWhatWasAcknowledgedLieAboveIt) {
  for (const std::uint32_t first : {0x7000'0000U, 0U - 0x200'0000U}) {
    Direct direct(100, false);
    direct.orderer.acknowledge(direct.orderer.position(1'000'100), {}, 0);
    const std::uint64_t given = direct.orderer.offset(direct.orderer.acknowledged());
    EXPECT_TRUE(direct.orderer.begin(100 + first));
    direct.at(first, "bytes");
    EXPECT_EQ(direct.out.text, "bytes");
    EXPECT_GE(direct.out.begin, given);
  }
}

TEST(Orderer, EndLeavesTheClockOfAnAcknowledgedHole) {
  Direct direct(100);
  direct.at(10, "0123456789");
  direct.orderer.acknowledge(direct.orderer.position(120), {}, 0);
  EXPECT_TRUE(direct.orderer.end(direct.orderer.position(120), false, {}, 40, direct.out));
  EXPECT_EQ(direct.orderer.due({1'000, 50}), 50);
  direct.orderer.declare_due({1'000, 50}, 0, 50, direct.out);
  EXPECT_EQ(direct.out.text, "----------0123456789");
  EXPECT_EQ(direct.out.ends, 1);
}

TEST(Orderer, EachHoleHasAClockOfItsOwn) {
  Direct direct(100);
  direct.at(10, "0123456789");
  direct.at(30, "0123456789");
  direct.orderer.acknowledge(direct.orderer.position(120), {}, 10);
  direct.orderer.acknowledge(direct.orderer.position(140), {}, 30);
  direct.orderer.declare_due({1'000, 50}, 0, 60, direct.out);
  EXPECT_EQ(direct.out.holes.size(), 1U);
  EXPECT_EQ(direct.orderer.due({1'000, 50}), 80);
}

TEST(Orderer, EndThatAloneShowsAHoleHasAClockOfItsOwn) {
  Direct direct(100);
  direct.orderer.acknowledge(direct.orderer.position(110), {}, 0);
  EXPECT_TRUE(direct.orderer.end(direct.orderer.position(110), false, {}, 40, direct.out));
  EXPECT_EQ(direct.orderer.due({1'000, 50}), 90);
}

TEST(Orderer, SettlingGoesPieceByPiece) {
  Direct direct(100);
  for (const std::uint32_t offset : {10U, 12U, 20U})
    direct.orderer.segment(
        {direct.orderer.position(100 + offset), bytes_of("ab"), 2, {offset, 0, {}}, 0}, direct.out);
  EXPECT_TRUE(direct.orderer.end(direct.orderer.position(122), false, {30, 0, {}}, 0, direct.out));
  std::vector<std::uint64_t> places;
  while (const std::optional<std::uint64_t> place = direct.orderer.unsettled(true)) {
    places.push_back(*place / 2);
    direct.orderer.settle_next(direct.out);
  }
  EXPECT_EQ(places, (std::vector<std::uint64_t>{10, 12, 20, 30}));
  EXPECT_EQ(direct.out.text, "----------abab------ab");
  EXPECT_EQ(direct.out.ends, 1);
}

TEST(Orderer, DeclareDueTakesEveryHoleThatWaitedForLongEnough) {
  Direct direct(100);
  for (std::uint32_t i = 1; i < 10; i += 2) direct.at(i * 10, "0123456789");
  direct.orderer.acknowledge(direct.orderer.position(165), {}, 0);
  direct.orderer.declare_due({1'000, 50}, 0, 49, direct.out);
  EXPECT_TRUE(direct.out.holes.empty());
  direct.orderer.declare_due({1'000, 50}, 0, 50, direct.out);
  EXPECT_EQ(direct.out.holes.size(), 3U);  // the fourth one ends above the acknowledgement
  EXPECT_FALSE(direct.orderer.due({1'000, 50}).has_value());
}

TEST(TcpHoles, AcknowledgedHoleIsDeclaredAfterLaterBytes) {
  analyzer::stream::Limits limits;
  limits.acknowledged_hole_bytes = 5'000;
  Script script(limits);
  open_gap(script, 4'000);
  script.server.acknowledgement = script.client.sequence;
  script.send(script.from_server("a reply"));
  script.send(script.from_client(letters(999)));
  script.send(script.from_client(letters(1)));
  script.send(script.from_client(letters(10)));
  const Record record = script.only();
  ASSERT_EQ(record.client().holes.size(), 1U);
  EXPECT_EQ(record.client().holes[0].kind, HoleKind::not_captured);
  EXPECT_EQ(record.client().holes[0].found.packet, 4U);
  // Declared by the last but one segment: the last one comes in order.
  EXPECT_EQ(record.client().origins.size(), 7U);
}

TEST(TcpHoles, AcknowledgedHoleIsDeclaredAfterCaptureTime) {
  Script script;
  open_gap(script, 1'000);
  script.server.acknowledgement = script.client.sequence;
  script.send(script.from_server(""));
  script.wait(2 * second);
  script.tick();
  TcpSegment late = script.make(script.client, script.server, letters(100), {.ack = true});
  late.sequence = 1'001;
  script.send(late);
  EXPECT_TRUE(script.only().client().holes.empty());

  Script patient;
  open_gap(patient, 1'000);
  patient.server.acknowledgement = patient.client.sequence;
  patient.send(patient.from_server(""));
  patient.wait(4 * second);
  patient.tick();
  late.from = patient.client.endpoint;
  patient.send(late);
  const Record record = patient.only();
  ASSERT_EQ(record.client().holes.size(), 1U);
  EXPECT_EQ(record.client().holes[0].kind, HoleKind::not_captured);
  // Too late: it is counted and not delivered.
  EXPECT_EQ(record.facts.retransmitted_bytes[0], 100U);
}

TEST(TcpHoles, AcknowledgementMuchLaterThanTheBytesLeavesTimeForTheData) {
  Script script;
  open_gap(script, 1'000);
  script.wait(100 * second);
  script.server.acknowledgement = script.client.sequence;
  script.send(script.from_server(""));
  TcpSegment late = script.make(script.client, script.server, letters(100), {.ack = true});
  late.sequence = 1'001;
  script.send(late);
  EXPECT_TRUE(script.only().client().holes.empty());
}

TEST(TcpHoles, HoleOfAResetConnectionIsDeclaredSoon) {
  Script script;
  open_gap(script, 1'000);
  script.send(script.from_server("", {.rst = true}));
  script.wait(4 * second);
  script.tick();
  script.send(script.from_client("x"));
  const Record record = script.only();
  ASSERT_EQ(record.client().holes.size(), 1U);
  EXPECT_EQ(record.client().holes[0].kind, HoleKind::lost);
  EXPECT_EQ(record.client().origins.size(), 2U);
}

TEST(TcpHoles, FinDoesNotDelayAnAcknowledgedHole) {
  Script script;
  open_gap(script, 1'000);
  script.server.acknowledgement = script.client.sequence;
  script.send(script.from_server("reply"));
  script.wait(2 * second);
  script.send(script.from_client("", {.fin = true, .ack = true}));
  script.wait(second);
  const std::uint64_t last = script.packet();
  script.send(script.from_server("more"));
  const Record record = script.only();
  EXPECT_EQ(record.client().holes[0].kind, HoleKind::not_captured);
  // Hole and bytes of the client before the reply that acknowledges them, and its FIN before what
  // the server sends afterwards.
  EXPECT_EQ(record.told, (std::vector<std::uint64_t>{4, 4, 5, 6, last + 1}));
}

TEST(TcpHoles, AcknowledgementOfAResetShowsAHole) {
  Script script;
  script.handshake();
  script.send(script.from_server("captured"));
  script.from_server("not captured");
  script.send(script.from_client("", {.rst = true, .ack = true}));
  const Record record = script.only();
  EXPECT_EQ(record.server().text, "captured------------");
  EXPECT_EQ(record.server().holes[0].kind, HoleKind::not_captured);
  EXPECT_EQ(record.server().holes[0].found.packet, 5U);
  EXPECT_EQ(record.facts.acknowledged[1], 20U);
  EXPECT_TRUE(record.client().reset);
}

TEST(TcpHoles, AcknowledgementOfAResetThatIsFarAwayIsIgnored) {
  for (const std::uint32_t away : {0x1000'0000U, 0U - 0x1000'0000U}) {
    Script script;
    script.handshake();
    script.send(script.from_server("captured"));
    script.client.acknowledgement += away;
    script.send(script.from_client("", {.rst = true, .ack = true}));
    const Record record = script.only();
    EXPECT_EQ(record.server().text, "captured");
    EXPECT_TRUE(record.client().reset);
  }
}

TEST(TcpHoles, AcknowledgementPastTheLastByte) {
  Script script;
  script.handshake();
  script.send(script.from_server("captured"));
  script.from_server("not captured");
  script.send(script.from_client("next request"));
  const Record record = script.only();
  EXPECT_EQ(record.server().text, "captured------------");
  ASSERT_EQ(record.server().holes.size(), 1U);
  EXPECT_EQ(record.server().holes[0].kind, HoleKind::not_captured);
  EXPECT_EQ(record.server().holes[0].found.packet, 5U);
}

TEST(TcpHoles, AcknowledgementOfAFinThatWasNotCaptured) {
  Script script;
  script.handshake();
  script.send(script.from_server("captured"));
  script.from_server("", {.fin = true, .ack = true});
  script.send(script.from_client("next"));
  EXPECT_TRUE(script.only().server().holes.empty());
}

TEST(TcpHoles, FinPastTheLastByte) {
  for (const bool acknowledged : {false, true}) {
    Script script;
    script.handshake();
    script.send(script.from_client("captured"));
    script.from_client("missing");
    script.send(script.from_client("", {.fin = true, .ack = true}));
    if (acknowledged) script.send(script.from_server(""));
    const Record record = script.only();
    EXPECT_EQ(record.client().text, "captured-------");
    EXPECT_TRUE(record.client().finished);
    EXPECT_EQ(record.client().holes[0].kind,
              acknowledged ? HoleKind::not_captured : HoleKind::lost);
    EXPECT_EQ(record.client().holes[0].found.packet, 5U);
  }
}

TEST(TcpHoles, PartlyAcknowledgedHoleIsTwo) {
  Script script;
  script.handshake();
  script.from_client(letters(60));
  const std::uint32_t seen_by_server = script.client.sequence;
  script.from_client(letters(40));
  script.send(script.from_client("behind"));
  script.server.acknowledgement = seen_by_server;
  script.send(script.from_server(""));
  const Record record = script.only();
  ASSERT_EQ(record.client().holes.size(), 2U);
  EXPECT_EQ(record.client().holes[0].kind, HoleKind::not_captured);
  EXPECT_EQ(record.client().holes[0].bytes, 60U);
  EXPECT_EQ(record.client().holes[1].kind, HoleKind::lost);
  EXPECT_EQ(record.client().holes[1].bytes, 40U);
}

TEST(TcpHoles, AcknowledgementsThatMakeNoSenseAreIgnored) {
  Script script;
  script.handshake();
  script.send(script.from_server("reply"));
  TcpSegment wild = script.from_client("request");
  wild.acknowledgement += 0x5000'0000U;
  script.send(wild);
  const Record record = script.only();
  EXPECT_TRUE(record.server().holes.empty());
  EXPECT_FALSE(record.client().origins[0].acknowledged.has_value());
}

// The hole that only an acknowledgement shows comes before the bytes that came with it.
TEST(TcpHoles, AcknowledgedTailComesBeforeTheAnswer) {
  Script script;
  script.handshake();
  script.send(script.from_client("one"));
  script.from_server(letters(100));
  script.from_client("two");
  script.send(script.next(script.server, script.client, "reply to two", {.ack = true}));
  const Record record = script.only();
  EXPECT_EQ(record.client().text, "one---");
  ASSERT_EQ(record.told.size(), 4U);
  EXPECT_EQ(record.client().holes[0].found.packet, 5U);
  EXPECT_TRUE(record.client().holes[0].offset == 3 && record.server().holes.size() == 1);
}

// `count` segments above a hole, in the order of `places`.
double seconds_for(const std::vector<std::uint32_t>& places) {
  const std::string text = letters(100);
  Direct direct(0xffff'0000U);
  const auto before = std::chrono::steady_clock::now();
  for (const std::uint32_t place : places) direct.at(100 + place * 100, text);
  direct.at(0, text);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - before;
  EXPECT_EQ(direct.out.text.size(), (places.size() + 1) * 100);
  EXPECT_TRUE(direct.out.holes.empty());
  return spent.count();
}

TEST(Orderer, ManySegmentsAboveAHoleInAnyOrder) {
  std::vector<std::uint32_t> places(40'000);
  for (std::uint32_t i = 0; i < places.size(); ++i) places[i] = i;
  const double rising = seconds_for(places);
  std::reverse(places.begin(), places.end());
  const double falling = seconds_for(places);
  std::shuffle(places.begin(), places.end(), std::minstd_rand{1});
  const double random = seconds_for(places);
  RecordProperty("rising", std::to_string(rising));
  RecordProperty("falling", std::to_string(falling));
  RecordProperty("random", std::to_string(random));
  // A quadratic path takes many seconds; sanitizers and busy machines get room.
  EXPECT_LT(rising + falling + random, 3.0);
}

}  // namespace
}  // namespace script
