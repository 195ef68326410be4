// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// plugin/lane.hpp: frames out of the chunks that Wireshark hands over, in order and in disorder.
//
// The carrier below does to segments what Wireshark's TCP does: it puts together what the lane
// waits for, and knows nothing of frames. Later passes are only handed what a first pass completed,
// so whatever is found has to be found in such a chunk.
#include "plugin/lane.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "support/effort.hpp"
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
using support::FoundFrame;
using support::Recorder;
using support::request_of;
using support::Stream;

struct Segment {
  std::size_t at = 0;  // in the stream
  std::size_t length = 0;
  std::size_t captured = 0;
};

// Positions of a lane begin here.
constexpr std::uint64_t origin = std::uint64_t{1} << 32;

class Carrier {
 public:
  Carrier(const Buffer& stream, std::uint32_t first_sequence)
      : stream_(stream), first_(first_sequence) {
    lane_.state().allows_legacy = false;
  }

  void hand_over(const Segment& segment) {
    ++packet_;
    called_in_vain_ = false;
    Segment rest = segment;
    while (rest.length != 0) rest = hand_over_front(rest);
  }

  Lane& lane() { return lane_; }
  const Recorder& recorder() const { return recorder_; }
  // Every look at what a later pass is handed finds what the first one found.
  void check_later_pass() const {
    std::uint32_t packet = 0;
    std::size_t seen = 0;
    for (const Shown& shown : shown_) {
      if (shown.packet != packet) seen = 0;
      packet = shown.packet;
      const Taken again = lane_.take_again(packet, shown.reported, seen);
      EXPECT_EQ(again.is_ours, shown.is_ours);
      EXPECT_EQ(again.waits, shown.waits);
      ASSERT_EQ(again.pieces.size(), shown.pieces.size());
      for (std::size_t i = 0; i < shown.pieces.size(); ++i) {
        EXPECT_EQ(again.pieces[i].kind, shown.pieces[i].kind);
        EXPECT_EQ(again.pieces[i].length, shown.pieces[i].length);
        EXPECT_EQ(again.pieces[i].frame, shown.pieces[i].frame);
      }
    }
  }
  std::uint32_t packet() const { return packet_; }
  std::size_t longest_chunk() const { return longest_chunk_; }
  std::size_t calls() const { return calls_; }

 private:
  struct Shown {
    std::uint32_t packet = 0;
    std::uint32_t reported = 0;
    bool is_ours = false;
    bool waits = false;
    std::vector<Piece> pieces;
  };

  // What is being put together: bytes [begin, have) are there, and it is complete at `end`, or with
  // all of the segment that reaches beyond `have`.
  struct Pending {
    std::size_t begin = 0;
    std::size_t have = 0;
    std::size_t end = 0;
    bool any_end = false;
  };

  Segment hand_over_front(const Segment& segment) {
    const bool is_whole = segment.captured == segment.length;
    if (pending_ && is_whole && segment.at >= pending_->begin && segment.at < pending_->end)
      return segment.at == pending_->have ? put_together(segment) : Segment{};
    const Taken taken = give(segment, is_whole, false);
    if (taken.waits) pend(segment.at + taken.wait_from, segment.at + segment.length, taken);
    return {};
  }

  Segment put_together(const Segment& segment) {
    const std::size_t used =
        pending_->any_end ? segment.length : std::min(segment.length, pending_->end - segment.at);
    Segment rest{segment.at + used, segment.length - used, segment.length - used};
    pending_->have += used;
    if (pending_->have < pending_->end) return {};
    const std::size_t begin = pending_->begin;
    const std::size_t end = pending_->have;
    pending_.reset();
    const Taken taken = give({begin, end - begin, end - begin}, true, true);
    if (!taken.waits) return rest;
    const bool is_taken_back = begin + taken.wait_from <= segment.at;
    if (!is_taken_back) {
      // Later passes are handed the front alone.
      shown_.back().reported = taken.wait_from;
      shown_.back().waits = false;
    } else {
      shown_.pop_back();
      EXPECT_EQ(taken.wait_from, 0U) << "what was found in it is lost on later passes";
      EXPECT_TRUE(taken.pieces.empty());
      called_in_vain_ = true;
    }
    pend(begin + taken.wait_from, end, taken);
    if (taken.wait_for == 0 && rest.length != 0) {
      pending_->have += rest.length;
      pending_->end = pending_->have + 1;
      return {};
    }
    return rest;
  }

  void pend(std::size_t begin, std::size_t have, const Taken& taken) {
    pending_ = {begin, have, have + std::max<std::size_t>(taken.wait_for, 1), taken.wait_for == 0};
  }

  Taken give(const Segment& part, bool can_wait, bool is_put_together) {
    EXPECT_FALSE(called_in_vain_) << "on later passes the packet is not handed over";
    // A copy of its own, so that reads beyond it show.
    const Bytes bytes = Bytes(stream_).subspan(part.at, part.captured);
    const Buffer copy(bytes.begin(), bytes.end());
    Chunk chunk;
    chunk.captured = copy;
    chunk.reported = static_cast<std::uint32_t>(part.length);
    chunk.can_wait = can_wait;
    chunk.packet = packet_;
    chunk.has_sequence = true;
    chunk.sequence = first_ + static_cast<std::uint32_t>(part.at);
    chunk.is_put_together = is_put_together;
    chunk.begins_stream = part.at == 0;
    const Taken taken = lane_.take(chunk, acknowledged_, recorder_);
    ++calls_;
    longest_chunk_ = std::max(longest_chunk_, part.length);
    check(chunk, taken);
    shown_.push_back({packet_,
                      chunk.reported,
                      taken.is_ours,
                      taken.waits,
                      {taken.pieces.begin(), taken.pieces.end()}});
    return taken;
  }

  // Pieces lie one behind the other in the chunk, and what is waited for lies behind them.
  void check(const Chunk& chunk, const Taken& taken) {
    std::uint64_t length = 0;
    for (const Piece& piece : taken.pieces) {
      EXPECT_GT(piece.length, 0U);
      length += piece.length;
      const bool has_frame =
          piece.kind == PieceKind::frame || piece.kind == PieceKind::continuation;
      EXPECT_TRUE(!has_frame || piece.frame < recorder_.found.size());
    }
    EXPECT_LE(length, chunk.reported);
    if (!taken.waits) return;
    EXPECT_TRUE(chunk.can_wait);
    EXPECT_TRUE(taken.is_ours);
    EXPECT_LT(taken.wait_from, chunk.reported);
    EXPECT_EQ(taken.wait_from, length);
  }

  const Buffer& stream_;
  std::uint32_t first_;
  Lane lane_;
  SequenceSpace acknowledged_;
  Recorder recorder_;
  std::optional<Pending> pending_;
  std::uint32_t packet_ = 0;
  bool called_in_vain_ = false;
  std::vector<Shown> shown_;
  std::size_t longest_chunk_ = 0;
  std::size_t calls_ = 0;
};

using Random = std::minstd_rand;

std::size_t below(Random& random, std::size_t limit) {
  return random() % limit;
}

Stream random_stream(Random& random) {
  Stream stream;
  const std::size_t count = 3 + below(random, 20);
  for (std::size_t i = 0; i < count; ++i) {
    constexpr std::size_t bodies[] = {0, 0, 7, 60, 300, 1500, 9000};
    stream.add(request_of(bodies[below(random, std::size(bodies))], i + 1));
  }
  return stream;
}

std::vector<Segment> cut(const Buffer& bytes, Random& random, std::size_t most) {
  std::vector<Segment> segments;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t length = std::min(1 + below(random, most), bytes.size() - at);
    segments.push_back({at, length, length});
    at += length;
  }
  return segments;
}

std::size_t random_size(Random& random) {
  constexpr std::size_t sizes[] = {1, 9, 100, 255, 256, 257, 1448, 9000, 60000};
  return sizes[below(random, std::size(sizes))];
}

// Which packet brings a byte.
std::uint32_t packet_of(const std::vector<Segment>& segments, std::size_t place) {
  const auto found = std::find_if(segments.begin(), segments.end(), [place](const Segment& s) {
    return place >= s.at && place < s.at + s.length;
  });
  return static_cast<std::uint32_t>(found - segments.begin()) + 1;
}

TEST(Lane, FindsEveryFrameHoweverTheStreamIsCut) {
  for (unsigned round = 0; round < 400; ++round) {
    SCOPED_TRACE(round);
    Random random(round + 1);
    const Stream stream = random_stream(random);
    const auto segments = cut(stream.bytes, random, random_size(random));
    // Numbers that wrap around somewhere in the stream.
    Carrier carrier(stream.bytes, static_cast<std::uint32_t>(0U - below(random, 30000)));
    for (const Segment& segment : segments) carrier.hand_over(segment);
    std::vector<FoundFrame> expected;
    for (const auto& [begin, end] : stream.frames)
      expected.push_back({origin + begin, origin + end, packet_of(segments, begin),
                          packet_of(segments, end - 1), end - begin});
    // The packet that begins a frame is the one that told so, and that of the last byte is exact.
    const auto& found = carrier.recorder().found;
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_TRUE(found[i] == expected[i]) << i;
    EXPECT_TRUE(carrier.recorder().holes.empty());
    carrier.check_later_pass();
    if (HasFailure()) return;
  }
}

// Segments are lost, come again, in another order, in other pieces, and cut by the capture.
std::vector<Segment> trouble(std::vector<Segment> segments, Random& random) {
  std::vector<Segment> made;
  for (const Segment& segment : segments) {
    const std::size_t dice = below(random, 20);
    if (dice == 0) continue;
    made.push_back(segment);
    if (dice == 1) made.push_back(segment);
    if (dice == 2) {
      const std::size_t skip = below(random, segment.length);
      made.push_back({segment.at + skip, segment.length - skip, segment.length - skip});
    }
    if (dice == 3 && made.size() > 1) std::swap(made.back(), made[made.size() - 2]);
    if (dice == 4) made.push_back(made[below(random, made.size())]);
  }
  return made;
}

TEST(Lane, FindsNothingElseWhateverHappensToSegments) {
  std::size_t found = 0;
  std::size_t sent = 0;
  for (unsigned round = 0; round < support::rounds_of(1500U); ++round) {
    SCOPED_TRACE(round);
    Random random(round + 1);
    const Stream stream = random_stream(random);
    auto segments = trouble(cut(stream.bytes, random, random_size(random)), random);
    const bool is_snapped = round % 3 == 0;
    for (Segment& segment : segments)
      if (is_snapped) segment.captured = std::min<std::size_t>(segment.captured, 300);
    Carrier carrier(stream.bytes, static_cast<std::uint32_t>(0U - below(random, 30000)));
    for (const Segment& segment : segments) carrier.hand_over(segment);
    if (segments.empty()) continue;
    // Places count from the first byte that was seen.
    const std::uint64_t base = origin - segments.front().at;
    std::uint64_t last = 0;
    for (const FoundFrame& frame : carrier.recorder().found) {
      const std::pair<std::size_t, std::size_t> place{frame.begin - base, frame.end - base};
      EXPECT_TRUE(std::binary_search(stream.frames.begin(), stream.frames.end(), place));
      EXPECT_GE(frame.begin, last) << "frames do not overlap, and none is found twice";
      EXPECT_GE(frame.captured, 256U);
      last = frame.end;
    }
    carrier.check_later_pass();
    found += carrier.recorder().found.size();
    sent += stream.frames.size();
    if (HasFailure()) return;
  }
  EXPECT_GT(found, sent / 5);
}

// Random bytes instead of some frames; real ones are found behind them, in bounded work.
TEST(Lane, SearchesInLinearWork) {
  for (const std::size_t size : {7U, 100U, 255U, 1448U}) {
    SCOPED_TRACE(size);
    Random random(7);
    Stream stream;
    stream.add(request_of(100, 1));
    Buffer noise(100'000);
    for (std::byte& byte : noise) byte = static_cast<std::byte>(1 + below(random, 255));
    stream.bytes.insert(stream.bytes.end(), noise.begin(), noise.end());
    Carrier carrier(stream.bytes, 1);
    std::size_t segments = 0;
    for (std::size_t at = 0; at < stream.bytes.size(); at += size, ++segments) {
      const std::size_t length = std::min(size, stream.bytes.size() - at);
      carrier.hand_over({at, length, length});
    }
    EXPECT_EQ(carrier.recorder().found.size(), 1U);
    EXPECT_LE(carrier.calls(), segments + 2);
    EXPECT_LE(carrier.longest_chunk(), 2 * 256 + 2 * size);
  }
}

// A header has a segment of its own, and what it waits for is cut, or never comes.
TEST(Lane, AFrameThatIsAwaitedInVainIsFoundByItsHeader) {
  Stream stream;
  stream.add(request_of(1000, 1));
  stream.add(request_of(0, 2));
  const std::vector<Segment> cut{{0, 256, 256}, {256, 1000, 300}, {1256, 256, 256}};
  const std::vector<Segment> lost{{0, 256, 256}, {1256, 256, 256}};
  const std::vector<Segment> half{{0, 300, 300}, {700, 556, 300}, {1256, 256, 256}};
  for (const auto& segments : {cut, lost, half}) {
    Carrier carrier(stream.bytes, 1);
    for (const Segment& segment : segments) carrier.hand_over(segment);
    const Recorder& recorder = carrier.recorder();
    ASSERT_EQ(recorder.found.size(), 2U);
    EXPECT_EQ(recorder.found[0].begin, origin);
    EXPECT_EQ(recorder.found[0].end, origin + 1256);
    EXPECT_EQ(recorder.found[0].first_packet, 1U);
    EXPECT_EQ(recorder.found[0].captured, segments[0].length);
    EXPECT_EQ(recorder.found[1].begin, origin + 1256);
    EXPECT_EQ(recorder.ends.size(), segments.size() - 2);  // the cut packet has the last byte
    EXPECT_TRUE(recorder.holes.empty());
    EXPECT_FALSE(carrier.lane().misses_bytes());
    carrier.check_later_pass();
  }
}

TEST(Lane, KnowsThatItMissesBytes) {
  Stream stream;
  for (std::uint64_t number = 1; number <= 3; ++number) stream.add(request_of(44, number));
  Carrier whole(stream.bytes, 1);
  for (std::size_t at = 0; at < 900; at += 300) whole.hand_over({at, 300, 300});
  EXPECT_FALSE(whole.lane().misses_bytes());
  Carrier waiting(stream.bytes, 1);
  waiting.hand_over({0, 299, 299});
  EXPECT_TRUE(waiting.lane().misses_bytes());
  waiting.hand_over({299, 1, 1});
  EXPECT_FALSE(waiting.lane().misses_bytes());
  Carrier with_hole(stream.bytes, 1);
  for (std::size_t at = 0; at < 900; at += 600) with_hole.hand_over({at, 300, 300});
  EXPECT_TRUE(with_hole.lane().misses_bytes());
  Carrier cut(stream.bytes, 1);
  cut.hand_over({0, 600, 310});
  EXPECT_TRUE(cut.lane().misses_bytes());
}

}  // namespace
