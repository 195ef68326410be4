// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Fuzzes the cutting of one direction into frames: any bytes, in chunks and with holes that the
// input chooses.
//
// Four bytes of options come first, then the stream. What is checked is what the headers promise:
// progress, frames that lie where they say, and every byte accounted for once. Without holes the
// chunks must make no difference, once there is enough to recognise the stream.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "connection/frame_reader.hpp"
#include "support/require.hpp"

namespace {

using namespace analyzer::connection;
using fuzz::require;
using iggy::conversation::cut;
using iggy::conversation::Cut;
using iggy::conversation::CutKind;
using iggy::conversation::Side;

struct Options {
  DirectionState state;
  std::uint32_t wanted_body = 0;
  std::uint8_t chunk = 0;
  std::uint8_t hole = 0;

  static constexpr std::size_t bytes = 4;
  explicit Options(std::span<const std::uint8_t, bytes> from) {
    constexpr std::uint32_t wanted[] = {0, 4, 300, 64U << 20};
    constexpr Framing peers[] = {Framing::undecided, Framing::frames, Framing::legacy,
                                 Framing::searching};
    constexpr Side sides[] = {Side::unknown, Side::client, Side::server, Side::server};
    state.side = sides[from[0] & 3U];
    state.known_start = (from[0] & 4U) != 0;
    state.peer = peers[(from[0] >> 3U) & 3U];
    if ((from[0] & 32U) != 0) iggy::conversation::lose_place(state);
    state.was_legacy = (from[0] & 96U) == 96U;
    wanted_body = wanted[from[1] & 3U];
    chunk = from[2];
    hole = from[3];
  }
};

// A piece of the stream as it was delivered: captured bytes, or a hole.
struct Piece {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool is_hole = false;
};

class Log final : public FrameConsumer {
 public:
  std::string text;               // what was found, without packets
  std::uint64_t frame_bytes = 0;  // those that were captured
  std::uint64_t foreign_bytes = 0;
  std::uint64_t skipped_bytes = 0;

  Log(Bytes stream, const Options& options, const std::vector<Piece>& pieces)
      : stream_(stream), options_(options), pieces_(pieces) {}

  std::uint32_t wanted_body(const FrameReader&, Bytes header) override {
    require(header.size() == 256 || header.size() == 8, "a header has 256 or 8 bytes");
    return options_.wanted_body;
  }
  void frame(FrameReader&, const RawFrame& frame) override {
    const Place& place = frame.place;
    require(place.begin >= end_, "frames do not overlap and come in order");
    require(place.begin + frame.header.size() <= stream_.size(), "the header lies in the stream");
    require(std::ranges::equal(frame.header, stream_.subspan(place.begin, frame.header.size())),
            "the header is that of the stream");
    require(frame.size >= frame.header.size(), "a frame holds its header");
    require(frame.body.on_wire == frame.size - frame.header.size(), "the rest is its body");
    require(frame.captured >= frame.header.size() && frame.captured <= frame.size,
            "no more is captured than there is");
    require(place.end == place.begin + frame.size, "a frame ends where its size says");
    require(frame.body.captured.size() <= std::min(options_.wanted_body, frame.body.on_wire),
            "no more of the body is kept than was asked for");
    const std::size_t body_at = place.begin + frame.header.size();
    const std::size_t shown = frame.body.captured.size();
    require(body_at + shown <= stream_.size() &&
                std::ranges::equal(frame.body.captured, stream_.subspan(body_at, shown)),
            "the body is that of the stream");
    require(place.first_packet == packet_of(place.begin), "the first byte's packet is right");
    require(place.packet == packet_of(place.end - 1), "the last byte's packet is right");
    if (frame.captured == frame.size)
      require(shown == std::min(options_.wanted_body, frame.body.on_wire), "the body is whole");
    end_ = place.end;
    frame_bytes += frame.captured;
    text += 'f' + std::to_string(place.begin) + '+' + std::to_string(frame.size) + '/' +
            std::to_string(shown);
  }
  void found_place(FrameReader&, std::uint64_t begin, std::uint64_t end) override {
    require(begin <= end, "a frame does not end before it begins");
    text += 'p' + std::to_string(begin);
  }
  void skipped(FrameReader&, const Skipped& skipped) override {
    skipped_bytes += skipped.bytes;
    require(skipped.bytes != 0 && skipped.offset < stream_.size(), "passed bytes have a place");
  }
  void contradiction(FrameReader&, Contradiction why, const Source& source) override {
    text += 'c' + std::to_string(static_cast<int>(why)) + '@' + std::to_string(source.tcp_offset);
  }
  void foreign(FrameReader&, Bytes bytes, const Source& source) override {
    require(!bytes.empty(), "foreign bytes are bytes");
    require(source.tcp_offset + bytes.size() <= stream_.size(), "foreign bytes lie in the stream");
    require(std::ranges::equal(bytes, stream_.subspan(source.tcp_offset, bytes.size())),
            "foreign bytes are those of the stream");
    if (foreign_bytes == 0) text += 'x' + std::to_string(source.tcp_offset);
    foreign_bytes += bytes.size();
  }

 private:
  // Packets are numbered as the pieces, from 1.
  std::uint64_t packet_of(std::uint64_t offset) const {
    const auto behind =
        std::upper_bound(pieces_.begin(), pieces_.end(), offset,
                         [](std::uint64_t at, const Piece& piece) { return at < piece.end; });
    return static_cast<std::uint64_t>(behind - pieces_.begin()) + 1;
  }

  Bytes stream_;
  const Options& options_;
  const std::vector<Piece>& pieces_;
  std::uint64_t end_ = 0;
};

// What a stream is shows in so many bytes; with fewer the answer may depend on how many there are.
constexpr std::size_t enough_to_recognise = 2048;

// A first piece and chunks of up to `chunk` bytes. Each chunk whose number suits `hole` is missing.
struct Cutting {
  std::size_t first = 0;
  std::size_t chunk = 1;
  std::uint8_t hole = 0;
};

std::vector<Piece> pieces_of(std::size_t size, const Cutting& cutting) {
  std::vector<Piece> pieces;
  std::size_t end = 0;
  for (std::size_t at = 0; at < size; at = end) {
    const bool is_first = at == 0 && cutting.first != 0;
    end = std::min(at + (is_first ? cutting.first : cutting.chunk), size);
    const bool is_hole = cutting.hole != 0 && (pieces.size() * 7 + cutting.hole) % 16 == 0;
    pieces.push_back({at, end, is_hole});
  }
  return pieces;
}

struct Found {
  std::string text;
  // Replies of a legacy server that are out of step are found by where segments begin.
  bool by_segments = false;
};

Found read(Bytes stream, const Options& options, const Cutting& cutting) {
  const std::vector<Piece> pieces = pieces_of(stream.size(), cutting);
  Log log(stream, options, pieces);
  analyzer::capture::MemoryPool room(std::uint64_t{1} << 30);
  FrameReader reader(log, room);
  reader.state() = options.state;
  std::uint64_t captured = 0;
  std::uint64_t packet = 0;
  for (const Piece& piece : pieces) {
    ++packet;
    const Source source{packet, static_cast<std::int64_t>(packet), piece.begin, no_acknowledgement,
                        true};
    if (piece.is_hole) {
      reader.hole(piece.end - piece.begin, source);
      continue;
    }
    captured += piece.end - piece.begin;
    reader.data(stream.subspan(piece.begin, piece.end - piece.begin), source);
  }
  reader.finish();
  require(log.skipped_bytes <= reader.left_over_bytes(), "passed bytes are left over");
  const std::uint64_t preamble =
      captured - log.frame_bytes - log.foreign_bytes - reader.left_over_bytes();
  require(preamble % iggy::conversation::preamble_bytes == 0 &&
              (preamble != 0) == reader.has_preamble(),
          "every byte is in a frame, a preamble, another protocol, or left over");
  const DirectionState& state = reader.state();
  return {log.text + 'n' + std::to_string(reader.frames()) + 'l' +
              std::to_string(reader.left_over_bytes()),
          state.was_legacy && state.side == Side::server};
}

// Steps through the stream with all of it in sight, as a dissector does.
void step_through(Bytes stream, DirectionState state, bool at_end) {
  while (!stream.empty()) {
    const Cut next = cut(stream, state, at_end);
    std::size_t used = next.bytes;
    switch (next.kind) {
      case CutKind::need:
        require(!at_end && next.bytes > stream.size(), "more is needed than is there");
        return;
      case CutKind::foreign:
        require(state.framing == Framing::foreign, "another protocol is remembered");
        return;
      case CutKind::frame: {
        const std::size_t header = iggy::conversation::header_length(state.framing);
        require(header > 0 && header <= stream.size(), "the header lies in the window");
        require(next.bytes >= header, "a frame holds its header");
        used = std::min<std::size_t>(used, stream.size());
        break;
      }
      case CutKind::skip:
      case CutKind::preamble:
        require(used > 0 && used <= stream.size(), "there is progress");
        break;
    }
    stream = stream.subspan(used);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < Options::bytes) return 0;
  const Options options(std::span<const std::uint8_t, Options::bytes>(data, Options::bytes));
  const Bytes stream = std::as_bytes(std::span(data, size)).subspan(Options::bytes);
  step_through(stream, options.state, false);
  step_through(stream, options.state, true);
  const std::size_t chunk = std::size_t{options.chunk} + 1;
  const Found whole = read(stream, options, {size, chunk, 0});
  for (const std::size_t length : {chunk, chunk * 8}) {
    const Found other = read(stream, options, {enough_to_recognise, length, 0});
    const bool is_comparable = !whole.by_segments && !other.by_segments;
    require(!is_comparable || other.text == whole.text, "chunks make no difference");
  }
  read(stream, options, {0, chunk, options.hole});
  return 0;
}
