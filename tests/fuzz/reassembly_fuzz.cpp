// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Fuzzes the reassembly of one connection against a model: any cuts of two known streams, in any
// order, snapped, repeated or missing, with any acknowledgements.
//
// The model keeps what is known of each byte, so that it can say which bytes must come out, which
// are missing and why. It knows nothing of how the tracker works. Hostile segments that no sane
// peer sends are the business of stream_fuzz.cpp.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stream/tcp.hpp"
#include "support/require.hpp"

namespace {

using namespace analyzer::stream;
using fuzz::require;

constexpr std::size_t stream_bytes = 4'096;
constexpr std::array<std::uint32_t, 2> first_numbers = {0U - 2'000U, 70'000U};

// Neighbours differ, and so do the two sides.
std::byte byte_at(std::size_t side, std::size_t place) {
  return static_cast<std::byte>(place * 7 + place / 256 + side * 91);
}

enum class Fate : std::uint8_t { unseen, captured, snapped };

struct Model {
  std::array<Fate, stream_bytes> fates{};
  std::size_t acknowledged = 0;
  std::size_t end = 0;  // behind the last byte that a segment told of
  bool has_fin = false;

  // A tail that nobody showed is missing where the peer acknowledged it, and a single number more
  // may be a FIN.
  std::size_t length() const { return !has_fin && acknowledged > end + 1 ? acknowledged : end; }
  HoleKind kind(std::size_t place) const {
    if (fates[place] == Fate::snapped) return HoleKind::snapped;
    return place < acknowledged ? HoleKind::not_captured : HoleKind::lost;
  }
};

using Models = std::array<Model, 2>;

struct Told {
  std::array<std::vector<Hole>, 2> holes;
  std::array<std::uint64_t, 2> next{};
};

class Sink final : public ByteSink {
 public:
  explicit Sink(Told& told) : told_(told) {}
  void data(Direction from, std::uint64_t offset, Bytes bytes, const Origin&) override {
    std::uint64_t& next = told_.next[index(from)];
    require(offset == next, "bytes follow each other");
    for (const std::byte byte : bytes)
      require(byte == byte_at(index(from), next++), "bytes are those that were sent");
  }
  void hole(Direction from, const Hole& hole) override {
    std::uint64_t& next = told_.next[index(from)];
    require(hole.offset == next && hole.bytes != 0, "a hole stands where bytes end");
    next += hole.bytes;
    told_.holes[index(from)].push_back(hole);
  }
  void late(Direction, const Hole&) override { require(false, "a SYN tells where bytes begin"); }
  void finished(Direction, bool, const Origin&) override {}

 private:
  Told& told_;
};

class Listener final : public Observer {
 public:
  Told told;
  std::unique_ptr<ByteSink> open(const TcpFacts&) override { return std::make_unique<Sink>(told); }
  void ended(const TcpFacts&, Ending, ByteSink*) override {}
};

class Script {
 public:
  Script(Tracker& tracker, Models& models) : tracker_(tracker), models_(models) {
    for (std::size_t side = 0; side < 2; ++side)
      for (std::size_t i = 0; i < stream_bytes; ++i) streams_[side][i] = byte_at(side, i);
    send(0, -1, 0, 0, {.syn = true}, 0);
    send(1, -1, 0, 0, {.syn = true, .ack = true}, 0);
  }

  static constexpr std::size_t record_size = 6;
  // Side, place, length, how much of it was captured, what it acknowledges.
  void take(std::span<const std::uint8_t, record_size> record) {
    const std::size_t side = record[0] & 1U;
    Model& model = models_[side];
    Model& peer = models_[1 - side];
    const std::size_t at = (record[1] | (record[2] & 15U) << 8U) % stream_bytes;
    // A byte alone may be a keep-alive probe.
    const std::size_t length = std::min<std::size_t>(2 + record[3], stream_bytes - at);
    if (length < 2) return;
    const bool is_cut = (record[0] & 2U) != 0;
    const std::size_t captured = is_cut ? std::min<std::size_t>(record[4], length) : length;
    // What was cut is not followed across other pieces, so that it counts only where it is clear.
    const auto begin = model.fates.begin() + static_cast<std::ptrdiff_t>(at);
    const bool is_clear = std::all_of(begin, begin + static_cast<std::ptrdiff_t>(length),
                                      [](Fate fate) { return fate == Fate::unseen; });
    if (captured < length && !is_clear) return;
    peer.acknowledged = std::max<std::size_t>(peer.acknowledged, record[5] * std::size_t{16});
    for (std::size_t i = 0; i < length; ++i) {
      Fate& fate = model.fates[at + i];
      if (fate == Fate::unseen) fate = i < captured ? Fate::captured : Fate::snapped;
    }
    model.end = std::max(model.end, at + length);
    send(side, static_cast<std::int64_t>(at), length, captured, {.ack = true}, peer.acknowledged);
  }
  void fin(std::size_t side) {
    models_[side].has_fin = true;
    send(side, static_cast<std::int64_t>(models_[side].end), 0, 0, {.fin = true, .ack = true},
         models_[1 - side].acknowledged);
  }

 private:
  void send(std::size_t side, std::int64_t at, std::size_t length, std::size_t captured,
            analyzer::capture::TcpFlags flags, std::size_t acknowledged) {
    TcpSegment segment;
    segment.packet = ++packet_;
    segment.from.port = static_cast<std::uint16_t>(1 + side);
    segment.to.port = static_cast<std::uint16_t>(2 - side);
    segment.sequence = first_numbers[side] + static_cast<std::uint32_t>(at);
    segment.acknowledgement = first_numbers[1 - side] + static_cast<std::uint32_t>(acknowledged);
    segment.flags = flags;
    const std::size_t place = at < 0 ? 0 : static_cast<std::size_t>(at);
    segment.payload = Bytes(streams_[side]).subspan(place).first(captured);
    segment.payload_length = static_cast<std::uint32_t>(length);
    tracker_.segment(segment);
  }

  Tracker& tracker_;
  Models& models_;
  std::array<std::array<std::byte, stream_bytes>, 2> streams_{};
  std::uint64_t packet_ = 0;
};

void compare(const Model& model, const std::vector<Hole>& holes, std::uint64_t length) {
  require(length == model.length(), "the stream is as long as the capture tells");
  std::array<bool, stream_bytes> missing{};
  for (const Hole& hole : holes) {
    for (std::uint64_t place = hole.offset; place < hole.offset + hole.bytes; ++place) {
      require(hole.kind == model.kind(place), "a hole says why its bytes are missing");
      missing[place] = true;
    }
  }
  for (std::size_t place = 0; place < model.length(); ++place)
    require(missing[place] != (model.fates[place] == Fate::captured),
            "bytes are missing that were not captured, and no others");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  Models models;
  Listener listener;
  Limits limits;
  limits.acknowledged_hole_bytes = ~std::uint64_t{0};
  Tracker tracker(listener, limits);
  Script script(tracker, models);
  std::span<const std::uint8_t> rest(data + 1, size - 1);
  for (; rest.size() >= Script::record_size; rest = rest.subspan(Script::record_size))
    script.take(rest.first<Script::record_size>());
  for (const std::size_t side : {std::size_t{0}, std::size_t{1}})
    if ((data[0] >> side & 1U) != 0) script.fin(side);
  tracker.finish();
  for (std::size_t side = 0; side < 2; ++side)
    compare(models[side], listener.told.holes[side], listener.told.next[side]);
  return 0;
}
