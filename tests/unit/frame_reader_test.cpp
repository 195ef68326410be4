// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Frames and their places, however a stream is cut into segments and wherever bytes are missing.
#include "connection/frame_reader.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/iggy_frames.hpp"

namespace analyzer::connection {
namespace {

using iggy::conversation::Side;
using support::Buffer;
using support::joined;

struct Found {
  Buffer header;
  Buffer body;
  std::uint32_t body_on_wire = 0;
  std::uint32_t size = 0;
  std::uint32_t captured = 0;
  Place place;
};

using Places = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // offset, bytes

class Consumer final : public FrameConsumer {
 public:
  std::uint32_t wanted_body(const FrameReader&, Bytes header) override {
    EXPECT_EQ(header.size(), 256U);
    return wanted;
  }
  bool begin_body(FrameReader&, Bytes, std::uint32_t size) override {
    shown.clear();
    shown_size = size;
    return shows;
  }
  void body(FrameReader&, Bytes piece) override { support::append(shown, piece); }
  void frame(FrameReader&, const RawFrame& raw) override {
    EXPECT_LE(raw.body.captured.size(), raw.body.on_wire);
    frames.push_back({Buffer(raw.header.begin(), raw.header.end()),
                      Buffer(raw.body.captured.begin(), raw.body.captured.end()), raw.body.on_wire,
                      raw.size, raw.captured, raw.place});
  }
  void found_place(FrameReader&, std::uint64_t begin, std::uint64_t end) override {
    EXPECT_LE(begin, end);
    found_at.push_back(end);
  }
  void skipped(FrameReader&, const Skipped& skipped) override {
    skipped_at.emplace_back(skipped.offset, skipped.bytes);
  }
  void contradiction(FrameReader&, Contradiction why, const Source& source) override {
    contradictions.emplace_back(why, source.packet);
  }
  void foreign(FrameReader&, Bytes bytes, const Source&) override {
    support::append(foreign_bytes, bytes);
  }

  std::uint32_t wanted = 1U << 20;
  bool shows = false;  // bodies as they come
  Buffer shown;
  std::uint32_t shown_size = 0;
  std::vector<Found> frames;
  std::vector<std::uint64_t> found_at;
  Places skipped_at;
  std::vector<std::pair<Contradiction, std::uint64_t>> contradictions;
  Buffer foreign_bytes;
};

const Buffer login_frame = support::login(support::password_body());
const Buffer ping_frame = support::ping(3);
const Buffer send_frame =
    support::request({.operation = 160, .body = support::counting_bytes(700)});

class FrameReaderTest : public testing::Test {
 protected:
  FrameReaderTest() {
    reader.state().side = Side::client;
    reader.state().known_start = true;
  }
  // Each piece is a packet of its own; packets are numbered from 1 and acknowledge 100 times that.
  void give(Bytes bytes) {
    ++packet;
    reader.data(bytes, source());
    at += bytes.size();
  }
  bool lose(std::uint64_t bytes) {
    ++packet;  // the one that shows the hole
    const bool hides = reader.hole(bytes, source());
    --packet;
    at += bytes;
    return hides;
  }
  Source source() const {
    return {packet, static_cast<std::int64_t>(packet) * 1'000, at, packet * 100, true};
  }

  Consumer consumer;
  analyzer::capture::MemoryPool room{std::uint64_t{1} << 30};
  FrameReader reader{consumer, room};
  std::uint64_t packet = 0;
  std::uint64_t at = 0;
};

TEST_F(FrameReaderTest, ShowsABodyAsItComesWhateverIsKept) {
  consumer.shows = true;
  for (const std::uint32_t wanted : {0U, 10U, 1U << 20}) {
    consumer.wanted = wanted;
    for (const std::size_t piece : {1U, 100U, 256U, 300U, 5'000U}) {
      for (std::size_t begin = 0; begin < send_frame.size(); begin += piece)
        give(Bytes{send_frame}.subspan(begin, std::min(piece, send_frame.size() - begin)));
      EXPECT_EQ(consumer.shown, support::counting_bytes(700)) << piece;
      EXPECT_EQ(consumer.shown_size, 700U);
    }
  }
}

TEST_F(FrameReaderTest, ShowsNothingOfABodyBehindAHole) {
  consumer.shows = true;
  give(Bytes{send_frame}.first(300));
  lose(100);
  give(Bytes{send_frame}.subspan(400));
  EXPECT_EQ(consumer.frames.size(), 1U);
  EXPECT_EQ(consumer.shown.size(), 44U);
}

TEST_F(FrameReaderTest, ShowsNoBodyToWhoDidNotAsk) {
  give(send_frame);
  EXPECT_TRUE(consumer.shown.empty());
}

TEST_F(FrameReaderTest, OneFrameOnePacket) {
  give(send_frame);
  ASSERT_EQ(consumer.frames.size(), 1U);
  const Found& frame = consumer.frames[0];
  EXPECT_EQ(joined({frame.header, frame.body}), send_frame);
  EXPECT_EQ(frame.size, 956U);
  EXPECT_EQ(frame.captured, 956U);
  EXPECT_EQ(frame.place.first_packet, 1U);
  EXPECT_EQ(frame.place.packet, 1U);
  EXPECT_EQ(frame.place.begin, 0U);
  EXPECT_EQ(frame.place.end, 956U);
  EXPECT_EQ(frame.place.acknowledged, 100U);
  EXPECT_EQ(reader.frames(), 1U);
  EXPECT_EQ(reader.left_over_bytes(), 0U);
}

// The same stream in pieces of every size: same frames, and each place is that of its own bytes.
TEST_F(FrameReaderTest, EveryPieceSize) {
  const std::vector<Buffer> sent = {login_frame, ping_frame, ping_frame, send_frame, ping_frame};
  Buffer stream;
  for (const Buffer& frame : sent) support::append(stream, frame);
  for (std::size_t piece = 1; piece <= stream.size(); piece += piece < 300 ? 1 : 97) {
    Consumer heard;
    FrameReader cut(heard, room);
    cut.state() = reader.state();
    for (std::size_t from = 0; from < stream.size(); from += piece) {
      const std::size_t count = std::min(piece, stream.size() - from);
      const Buffer exact(stream.begin() + static_cast<std::ptrdiff_t>(from),
                         stream.begin() + static_cast<std::ptrdiff_t>(from + count));
      const std::uint64_t number = from / piece + 1;
      cut.data(exact, {number, static_cast<std::int64_t>(number), from, number * 10, true});
    }
    ASSERT_EQ(heard.frames.size(), sent.size()) << "in pieces of " << piece;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < sent.size(); ++i) {
      const Found& frame = heard.frames[i];
      const std::size_t end = begin + sent[i].size();
      ASSERT_EQ(joined({frame.header, frame.body}), sent[i]) << "in pieces of " << piece;
      ASSERT_EQ(frame.place.begin, begin);
      ASSERT_EQ(frame.place.end, end);
      ASSERT_EQ(frame.place.first_packet, begin / piece + 1);
      ASSERT_EQ(frame.place.packet, (end - 1) / piece + 1);
      ASSERT_EQ(frame.place.first_time, static_cast<std::int64_t>(begin / piece + 1));
      ASSERT_EQ(frame.place.time, static_cast<std::int64_t>((end - 1) / piece + 1));
      ASSERT_EQ(frame.place.first_acknowledged, (begin / piece + 1) * 10);
      ASSERT_EQ(frame.place.acknowledged, ((end - 1) / piece + 1) * 10);
      begin = end;
    }
    EXPECT_EQ(cut.left_over_bytes(), 0U);
    EXPECT_TRUE(heard.found_at.empty());
  }
}

TEST_F(FrameReaderTest, KeepsAsMuchOfABodyAsIsWanted) {
  for (const std::uint32_t wanted : {0U, 1U, 100U, 699U, 700U, 5'000U}) {
    for (const std::size_t piece : {std::size_t{956}, std::size_t{300}, std::size_t{11}}) {
      Consumer heard;
      heard.wanted = wanted;
      FrameReader some(heard, room);
      some.state() = reader.state();
      for (std::size_t from = 0; from < send_frame.size(); from += piece)
        some.data(Bytes{send_frame}.subspan(from, std::min(piece, send_frame.size() - from)), {});
      ASSERT_EQ(heard.frames.size(), 1U);
      const std::size_t kept = std::min<std::size_t>(wanted, 700);
      EXPECT_EQ(heard.frames[0].body, support::cut(support::counting_bytes(700), kept));
      EXPECT_EQ(heard.frames[0].body_on_wire, 700U);
      EXPECT_EQ(heard.frames[0].captured, 956U);
    }
  }
}

TEST_F(FrameReaderTest, HoleInsideABody) {
  give(Bytes{send_frame}.first(300));
  EXPECT_FALSE(lose(200));
  give(Bytes{send_frame}.subspan(500));
  give(ping_frame);
  ASSERT_EQ(consumer.frames.size(), 2U);
  EXPECT_EQ(consumer.frames[0].body, support::cut(support::counting_bytes(700), 44));
  EXPECT_EQ(consumer.frames[0].captured, 756U);
  EXPECT_EQ(consumer.frames[0].size, 956U);
  EXPECT_EQ(consumer.frames[0].place.packet, 2U);
  EXPECT_TRUE(consumer.found_at.empty());
  EXPECT_EQ(consumer.frames[1].place.begin, 956U);
}

TEST_F(FrameReaderTest, HoleToTheEndOfABody) {
  give(Bytes{send_frame}.first(300));
  EXPECT_FALSE(lose(656));
  ASSERT_EQ(consumer.frames.size(), 1U);
  EXPECT_EQ(consumer.frames[0].captured, 300U);
  EXPECT_EQ(consumer.frames[0].place.packet, 2U);
  EXPECT_EQ(consumer.frames[0].place.end, 956U);
  give(ping_frame);
  EXPECT_EQ(consumer.frames.size(), 2U);
}

// What the packet behind a hole acknowledges was not known when the lost bytes were sent: a request
// that took it over would look as if it were sent after a hole of the server's.
TEST_F(FrameReaderTest, HoleAtTheEndOfABodyKeepsTheLastAcknowledgement) {
  give(Bytes{send_frame}.first(300));
  lose(656);
  ASSERT_EQ(consumer.frames.size(), 1U);
  EXPECT_EQ(consumer.frames[0].place.acknowledged, 100U);
}

TEST_F(FrameReaderTest, HoleAcrossTheEndOfABody) {
  give(Bytes{send_frame}.first(300));
  EXPECT_TRUE(lose(656 + 100));  // and the first bytes of the next frame
  ASSERT_EQ(consumer.frames.size(), 1U);
  EXPECT_EQ(consumer.frames[0].captured, 300U);
  EXPECT_EQ(consumer.frames[0].place.end, 956U);
  give(Bytes{ping_frame}.subspan(100));
  give(ping_frame);
  ASSERT_EQ(consumer.frames.size(), 2U);
  EXPECT_EQ(consumer.frames[1].header, ping_frame);
  EXPECT_EQ(consumer.found_at, std::vector<std::uint64_t>{956 + 256});
  EXPECT_EQ(consumer.frames[1].place.begin, 956U + 256);
  EXPECT_EQ(reader.left_over_bytes(), 156U);
  const Places skipped{{1'056, 156}};
  EXPECT_EQ(consumer.skipped_at, skipped);
}

TEST_F(FrameReaderTest, HoleInAHeader) {
  give(login_frame);
  give(Bytes{ping_frame}.first(100));
  EXPECT_TRUE(lose(50));
  give(Bytes{ping_frame}.subspan(150));
  give(ping_frame);
  ASSERT_EQ(consumer.frames.size(), 2U);
  EXPECT_EQ(consumer.frames[1].place.packet, 4U);
  EXPECT_EQ(reader.left_over_bytes(), 206U);
  const Places skipped{{login_frame.size(), 100}, {login_frame.size() + 150, 106}};
  EXPECT_EQ(consumer.skipped_at, skipped);
  EXPECT_EQ(consumer.found_at, std::vector<std::uint64_t>{login_frame.size() + 256});
}

TEST_F(FrameReaderTest, HoleBetweenFrames) {
  give(login_frame);
  EXPECT_TRUE(lose(512));
  EXPECT_FALSE(reader.has_unread_bytes());
  give(ping_frame);
  ASSERT_EQ(consumer.frames.size(), 2U);
  EXPECT_EQ(consumer.frames[1].place.begin, login_frame.size() + 512);
  EXPECT_EQ(consumer.found_at, std::vector<std::uint64_t>{login_frame.size() + 512});
  EXPECT_EQ(reader.left_over_bytes(), 0U);
}

TEST_F(FrameReaderTest, LeftOverAtTheEnd) {
  give(login_frame);
  give(Bytes{ping_frame}.first(255));
  EXPECT_EQ(reader.left_over_bytes(), 255U);
  reader.finish();
  EXPECT_EQ(reader.left_over_bytes(), 255U);
  EXPECT_TRUE(reader.has_unread_bytes());
  EXPECT_EQ(consumer.frames.size(), 1U);
}

TEST_F(FrameReaderTest, FrameThatNeverEndsIsLeftOver) {
  give(Bytes{send_frame}.first(955));
  reader.finish();
  EXPECT_TRUE(consumer.frames.empty());
  EXPECT_EQ(reader.left_over_bytes(), 955U);
}

TEST_F(FrameReaderTest, ContradictionNamesItsPacket) {
  Buffer broken = ping_frame;
  support::put_number(broken, 60, 77, 1);
  give(login_frame);
  give(joined({broken, ping_frame}));
  ASSERT_EQ(consumer.contradictions.size(), 1U);
  EXPECT_EQ(consumer.contradictions[0],
            std::pair(Contradiction::unknown_command, std::uint64_t{2}));
  EXPECT_EQ(consumer.frames.size(), 2U);
  EXPECT_EQ(reader.left_over_bytes(), 256U);
}

TEST_F(FrameReaderTest, ForeignBytesAreHandedOverWhole) {
  const Buffer text = support::bytes_of("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  for (const std::byte byte : text) give(Bytes{&byte, 1});
  EXPECT_EQ(consumer.foreign_bytes, text);
  EXPECT_EQ(reader.left_over_bytes(), 0U);
}

TEST_F(FrameReaderTest, LoseForgetsTheFrameAtHand) {
  give(Bytes{send_frame}.first(400));
  reader.lose();
  give(ping_frame);
  ASSERT_EQ(consumer.frames.size(), 1U);
  EXPECT_EQ(consumer.frames[0].header, ping_frame);
  EXPECT_EQ(reader.left_over_bytes(), 400U);
}

TEST_F(FrameReaderTest, InexactPiecesStandAtTheirOffset) {
  Source source{1, 1, 5'000, 100, false};
  reader.data(Bytes{login_frame}.first(100), source);
  source.packet = 2;
  source.tcp_offset = 5'200;
  reader.data(Bytes{login_frame}.subspan(100), source);
  ASSERT_EQ(consumer.frames.size(), 1U);
  EXPECT_EQ(consumer.frames[0].place.begin, 5'000U);
  EXPECT_EQ(consumer.frames[0].place.end, 5'201U);
}

TEST_F(FrameReaderTest, PreambleOfAReplicaLink) {
  give(joined({support::bytes_of({'I', 'G', 'R', 'L', 1, 0, 0, 0}), support::replica_hello()}));
  EXPECT_TRUE(reader.has_preamble());
  ASSERT_EQ(consumer.frames.size(), 1U);
  EXPECT_EQ(consumer.frames[0].place.begin, 8U);
  EXPECT_EQ(reader.left_over_bytes(), 0U);
}

// A body that has no room ends where it is, and the frame says so; what comes behind is found.
TEST(FrameReaderMemory, BodiesEndWhereThePoolHasNoRoom) {
  const Buffer frame = support::request({.operation = 160, .body = support::counting_bytes(9'000)});
  Consumer consumer;
  analyzer::capture::MemoryPool small(4'000);
  {
    FrameReader reader(consumer, small);
    reader.state().side = Side::client;
    reader.state().known_start = true;
    for (int round = 0; round < 2; ++round)
      for (std::size_t at = 0; at < frame.size(); at += 1'000)
        reader.data(Bytes(frame).subspan(at, std::min<std::size_t>(1'000, frame.size() - at)), {});
    EXPECT_EQ(reader.frames(), 2U);
    EXPECT_LE(small.used(), 4'000U);
  }
  EXPECT_EQ(small.used(), 0U);
}

}  // namespace
}  // namespace analyzer::connection
