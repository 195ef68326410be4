// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// How fast one direction is cut into frames when it comes in segments of 1,460 bytes.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "connection/frame_reader.hpp"
#include "support/frame_builder.hpp"

namespace {

using namespace analyzer::connection;

constexpr std::size_t segment_bytes = 1460;
constexpr std::size_t stream_bytes = std::size_t{8} << 20;

// Keeps of each body what a connection keeps of a reply.
class Count final : public FrameConsumer {
 public:
  explicit Count(std::uint32_t wanted) : wanted_(wanted) {}
  std::uint64_t frames = 0;
  std::uint64_t bytes = 0;
  std::uint32_t wanted_body(const FrameReader&, Bytes) override { return wanted_; }
  void frame(FrameReader&, const RawFrame& frame) override {
    ++frames;
    bytes += frame.body.captured.size();
  }
  void found_place(FrameReader&, std::uint64_t, std::uint64_t) override {}
  void skipped(FrameReader&, const analyzer::connection::Skipped&) override {}
  void contradiction(FrameReader&, Contradiction, const Source&) override {}
  void foreign(FrameReader&, Bytes, const Source&) override {}

 private:
  std::uint32_t wanted_;
};

// Requests of smallest to largest bytes, one after the other.
std::vector<std::byte> stream_of(std::uint32_t smallest, std::uint32_t largest) {
  std::vector<std::byte> stream;
  std::uint64_t number = 0;
  std::uint32_t size = smallest;
  while (stream.size() + largest <= stream_bytes) {
    const support::Frame frame =
        support::request({.operation = 160, .number = ++number, .size = size});
    stream.insert(stream.end(), frame.begin(), frame.end());
    size = size + 8 > largest ? smallest : size + 8;
  }
  return stream;
}

void cut_frames(benchmark::State& state, std::uint32_t smallest, std::uint32_t largest,
                std::uint32_t wanted) {
  const std::vector<std::byte> stream = stream_of(smallest, largest);
  std::uint64_t frames = 0;
  for (auto _ : state) {
    Count count(wanted);
    analyzer::capture::MemoryPool room(std::uint64_t{1} << 30);
    FrameReader reader(count, room);
    reader.state().known_start = true;
    std::uint64_t packet = 0;
    for (std::size_t at = 0; at < stream.size(); at += segment_bytes) {
      const Bytes segment = Bytes(stream).subspan(at, std::min(segment_bytes, stream.size() - at));
      reader.data(segment, {++packet, 0, at, 0, true});
    }
    reader.finish();
    frames += count.frames;
    benchmark::DoNotOptimize(count.bytes);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(stream.size()));
  state.counters["frames"] =
      benchmark::Counter(static_cast<double>(frames), benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(cut_frames, 64_KiB_frames, 65'536, 65'536, 0);
BENCHMARK_CAPTURE(cut_frames, 256_to_600_bytes, 256, 600, 0);
BENCHMARK_CAPTURE(cut_frames, 256_to_600_bytes_with_bodies, 256, 600, 8192);

}  // namespace
