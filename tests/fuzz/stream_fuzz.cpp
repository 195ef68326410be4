// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Fuzzes the tracker of TCP connections: each input is a list of segments between four hosts.
//
// Every payload byte is the low byte of its own sequence number, so that the sink can tell a byte
// delivered twice, out of order or at the wrong offset. It knows no rule of TCP beside the
// promises of stream/tcp.hpp.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "stream/tcp.hpp"

namespace {

using namespace analyzer::stream;

void require(bool promise) {
  if (!promise) std::abort();
}

class Sink final : public ByteSink {
 public:
  void data(Direction from, std::uint64_t offset, Bytes bytes, const Origin& origin) override {
    Side& side = at(from);
    require(!bytes.empty() && !side.finished && offset == side.next(offset));
    require(origin.packet != 0);
    for (const std::byte byte : bytes) {
      const auto value = std::to_integer<std::uint8_t>(byte);
      const auto expected = static_cast<std::uint8_t>(side.first + side.length);
      if (side.bytes == 0) side.first = static_cast<std::uint8_t>(value - side.length);
      require(side.bytes == 0 || value == expected);
      ++side.length;
      ++side.bytes;
    }
  }
  void hole(Direction from, const Hole& hole) override {
    Side& side = at(from);
    require(hole.bytes > 0 && !side.finished && hole.offset == side.next(hole.offset));
    side.length += hole.bytes;
    ++side.holes;
  }
  void late(Direction from, const Hole& hole) override {
    const Side& side = at(from);
    require(hole.bytes > 0);
    require(side.length == 0 || hole.offset + hole.bytes <= side.begin);
  }
  void finished(Direction from, bool, const Origin&) override {
    require(!at(from).finished);
    at(from).finished = true;
  }
  void check(const TcpFacts& facts) const {
    for (std::size_t i = 0; i < 2; ++i) {
      require(facts.bytes[i] == sides_[i].bytes && facts.holes[i] == sides_[i].holes);
      if (sides_[i].length == 0 && facts.acknowledged_unseen[i] == 0) continue;
      // A direction that was acknowledged is so from its first byte on.
      require(facts.acknowledged[i] >= sides_[i].begin);
      require(facts.acknowledged_unseen[i] <= facts.acknowledged[i]);
      require(facts.bytes[i] + facts.missing_bytes[i] == sides_[i].length);
    }
  }

 private:
  struct Side {
    std::uint64_t begin = 0;  // the first offset
    std::uint64_t length = 0;
    std::uint64_t bytes = 0;
    std::uint32_t holes = 0;
    std::uint8_t first = 0;
    bool finished = false;

    // Where the stream goes on; it may begin anywhere.
    std::uint64_t next(std::uint64_t first_offset) {
      if (length == 0) begin = first_offset;
      return begin + length;
    }
  };
  Side& at(Direction from) { return sides_[static_cast<std::size_t>(from)]; }

  std::array<Side, 2> sides_;
};

class CountingObserver final : public Observer {
 public:
  std::uint64_t packets = 0;
  std::uint64_t out_of_window = 0;
  std::uint64_t open_sinks = 0;

  std::unique_ptr<ByteSink> open(const TcpFacts& facts) override {
    require(facts.packets[0] + facts.packets[1] > 0);
    ++open_sinks;
    return std::make_unique<Sink>();
  }
  void ended(const TcpFacts& facts, Ending, ByteSink* sink) override {
    packets += facts.packets[0] + facts.packets[1];
    out_of_window += facts.out_of_window;
    if (sink == nullptr) {
      require(facts.bytes[0] + facts.bytes[1] == 0 && facts.holes[0] + facts.holes[1] == 0);
      return;
    }
    --open_sinks;
    dynamic_cast<Sink&>(*sink).check(facts);
  }
};

// Nine bytes of input for each segment; numbers move by steps that reach from one byte to far
// outside of any window.
constexpr std::size_t record_size = 9;

class Segments {
 public:
  explicit Segments(Tracker& tracker) : tracker_(tracker) {
    for (std::size_t i = 0; i < payload_.size(); ++i) payload_[i] = static_cast<std::byte>(i);
  }

  void send(std::span<const std::uint8_t, record_size> record) {
    const unsigned pair = record[0] & 3U;
    const bool reply = (record[0] & 4U) != 0;
    const std::uint32_t place = (std::uint32_t{record[1]} | std::uint32_t{record[2]} << 8)
                                << step(record[3] & 15U);
    TcpSegment segment;
    segment.packet = ++packet_;
    time_ += std::int64_t{static_cast<std::int8_t>(record[4])} * 100'000'000;
    segment.time = time_;
    segment.from.port = static_cast<std::uint16_t>(reply ? pair + 100 : pair);
    segment.to.port = static_cast<std::uint16_t>(reply ? pair : pair + 100);
    segment.sequence = 0U - 500U + place;
    segment.acknowledgement =
        0U - 500U +
        ((std::uint32_t{record[5]} | std::uint32_t{record[6]} << 8) << step(record[3] >> 4U));
    segment.flags = {.fin = (record[0] & 8U) != 0,
                     .syn = (record[0] & 16U) != 0,
                     .rst = (record[0] & 32U) != 0,
                     .ack = (record[0] & 64U) != 0};
    const std::size_t length = (record[0] & 128U) != 0 ? record[7] : 0;
    const auto first = static_cast<std::uint8_t>(segment.sequence + (segment.flags.syn ? 1 : 0));
    segment.payload = Bytes(payload_).subspan(first, length);
    segment.payload_length = static_cast<std::uint32_t>(length);
    if ((record[8] & 128U) != 0) segment.payload_length += record[8] & 127U;
    if (record[8] == 127) segment.payload_length = ~std::uint32_t{0};
    tracker_.segment(segment);
  }
  std::uint64_t sent() const { return packet_; }

 private:
  static unsigned step(unsigned choice) { return choice < 8 ? 0 : (choice - 7) * 2; }

  Tracker& tracker_;
  std::array<std::byte, 512> payload_{};
  std::uint64_t packet_ = 0;
  std::int64_t time_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  Limits limits;
  limits.buffered_bytes_per_direction = data[0] * std::uint64_t{16};
  limits.buffered_bytes_total = data[1] * std::uint64_t{32};
  limits.acknowledged_hole_bytes = data[2] * std::uint64_t{4};
  limits.acknowledged_hole_time = std::int64_t{1'000'000'000};
  limits.connections = 1 + data[3] % 4U;
  CountingObserver observer;
  Tracker tracker(observer, limits);
  Segments segments(tracker);
  std::span<const std::uint8_t> rest(data + 4, size - 4);
  for (; rest.size() >= record_size; rest = rest.subspan(record_size))
    segments.send(rest.first<record_size>());
  tracker.finish();
  // Segments that nothing agreed with are no packets of their connection, but they are counted.
  require(observer.packets <= segments.sent());
  require(observer.packets + observer.out_of_window >= segments.sent());
  require(observer.open_sinks == 0);
  return 0;
}
