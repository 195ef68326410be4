// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// plugin/lane.hpp, chunk by chunk: retransmissions, segments from elsewhere, packets that hold more
// than one chunk; and the places that sequence numbers have.
#include <gtest/gtest.h>

#include <cstring>
#include <iterator>

#include "support/lane_recorder.hpp"

namespace {

using iggy::decode::Bytes;
using plugin::Chunk;
using plugin::Lane;
using plugin::Piece;
using plugin::PieceKind;
using plugin::SequenceSpace;
using plugin::Taken;
using support::Buffer;
using support::Recorder;
using support::request_of;
using support::Stream;

TEST(Lane, ARetransmissionWhileAFrameIsAwaitedIsNoPartOfAnother) {
  // A preamble alone comes before: no frame is known yet that the bytes could continue.
  Stream stream;
  stream.bytes = Buffer(8);
  std::memcpy(stream.bytes.data(), "IGRL\1", 5);
  stream.add(request_of(500, 1));
  for (const std::size_t first : {100U, 300U}) {
    Recorder recorder;
    SequenceSpace other;
    Lane lane;
    for (std::uint32_t packet = 1; packet <= 2; ++packet) {
      Chunk chunk;
      chunk.captured = Bytes(stream.bytes).first(first);
      chunk.reported = static_cast<std::uint32_t>(first);
      chunk.can_wait = chunk.has_sequence = chunk.begins_stream = true;
      chunk.packet = packet;
      chunk.sequence = 1;
      const Taken taken = lane.take(chunk, other, recorder);
      for (const Piece& piece : taken.pieces) EXPECT_NE(piece.kind, PieceKind::continuation);
    }
  }
}

TEST(Lane, RetransmissionsBehindAFrameThatIsAwaitedContinueNothing) {
  Stream stream;
  stream.add(request_of(0, 1));
  stream.add(request_of(500, 2));
  Lane lane;
  Recorder recorder;
  SequenceSpace other;
  Chunk chunk;
  chunk.captured = Bytes(stream.bytes).first(400);
  chunk.reported = 400;
  chunk.can_wait = chunk.has_sequence = chunk.begins_stream = true;
  chunk.packet = 1;
  EXPECT_TRUE(lane.take(chunk, other, recorder).waits);
  chunk.packet = 2;
  const Taken again = lane.take(chunk, other, recorder);
  ASSERT_FALSE(again.pieces.empty());
  EXPECT_EQ(again.pieces[0].kind, PieceKind::no_frame);
  EXPECT_EQ(recorder.found.size(), 1U);
}

TEST(Lane, GoesOnBehindASegmentFromElsewhere) {
  // One segment has a number far ahead, or the whole stream goes on with other numbers.
  for (const std::uint32_t jump : {1U << 30, 0x7fffffffU, 0x80000000U, 0xc0000000U}) {
    SCOPED_TRACE(jump);
    const Buffer frame = request_of(10, 1);
    Lane lane;
    Recorder recorder;
    SequenceSpace other;
    const std::uint32_t numbers[] = {1, 267, 267 + jump, 533, 799, 1065};
    for (std::uint32_t packet = 1; packet <= std::size(numbers); ++packet) {
      Chunk chunk;
      chunk.captured = frame;
      chunk.reported = static_cast<std::uint32_t>(frame.size());
      chunk.can_wait = chunk.has_sequence = true;
      chunk.packet = packet;
      chunk.sequence = numbers[packet - 1];
      chunk.acknowledgement = packet * 0x7fffffffU;
      lane.take(chunk, other, recorder);
    }
    EXPECT_EQ(recorder.found.size(), std::size(numbers));
    EXPECT_FALSE(recorder.holes.empty());
  }
}

TEST(Lane, AChunkOfOthersIsCountedWhereOursFollowsInTheSamePacket) {
  const Buffer frame = request_of(10, 1);
  const Buffer noise(300, std::byte{0x77});
  Lane lane;
  lane.state().allows_legacy = false;
  Recorder recorder;
  SequenceSpace other;
  const auto give = [&](Bytes bytes) {
    Chunk chunk;
    chunk.captured = bytes;
    chunk.reported = static_cast<std::uint32_t>(bytes.size());
    chunk.packet = 5;
    return lane.take(chunk, other, recorder);
  };
  EXPECT_FALSE(give(noise).is_ours);
  EXPECT_EQ(give(frame).pieces.size(), 1U);
  for (int look = 0; look < 2; ++look) {
    std::size_t seen = 0;
    EXPECT_FALSE(lane.take_again(5, 300, seen).is_ours);
    const Taken again = lane.take_again(5, 266, seen);
    ASSERT_EQ(again.pieces.size(), 1U);
    EXPECT_EQ(again.pieces[0].kind, PieceKind::frame);
    EXPECT_FALSE(lane.take_again(5, 266, seen).is_ours);
  }
  // A later pass may leave out the first chunk, or bring one that nobody saw.
  for (const std::uint32_t other_length : {0U, 299U}) {
    std::size_t seen = 0;
    EXPECT_FALSE(lane.take_again(5, other_length, seen).is_ours);
    EXPECT_EQ(lane.take_again(5, 266, seen).pieces.size(), 1U);
  }
}

TEST(SequenceSpace, WrapsAroundBothWays) {
  SequenceSpace space;
  const std::uint64_t start = space.position(0xfffffff0U);
  EXPECT_EQ(space.position(0x10), start + 0x20);
  EXPECT_EQ(space.position(0xfffffff8U), start + 8);
  EXPECT_EQ(space.position_of_acknowledged(0x20), start + 0x30);
}

TEST(SequenceSpace, AcknowledgementsDoNotMoveIt) {
  SequenceSpace space;
  const std::uint64_t start = space.position(1000);
  for (std::uint32_t i = 1; i < 9; ++i) space.position_of_acknowledged(1000 + i * 0x7fffffffU);
  EXPECT_EQ(space.position(1001), start + 1);
}

}  // namespace
