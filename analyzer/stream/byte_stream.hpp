// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What a byte stream looks like to those who read it: ordered bytes, named holes, an end.
//
// These are the words that TCP, WebSocket and everything above share. Nothing here knows how the
// bytes were put in order or what they mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "capture/packet.hpp"

namespace analyzer::stream {

using capture::Bytes;

// Who sends. `first` is the side that dialed: the sender of the SYN, the receiver of a SYN-ACK,
// else the sender of the first captured segment.
enum class Direction : std::uint8_t { first_to_second, second_to_first };

constexpr Direction other(Direction direction) {
  return direction == Direction::first_to_second ? Direction::second_to_first
                                                 : Direction::first_to_second;
}

// Its place in arrays of two.
constexpr std::size_t index(Direction direction) {
  return static_cast<std::size_t>(direction);
}

// Where bytes come from.
struct Origin {
  std::uint64_t packet = 0;
  std::int64_t time = 0;  // nanoseconds since the Unix epoch
  // The offset in the other direction up to which its sender had acknowledged bytes, without the
  // FIN; nothing where the segment has no acknowledgement or one that makes no sense.
  std::optional<std::uint64_t> acknowledged;
};

enum class HoleKind : std::uint8_t {
  snapped,       // cut by the snap length
  not_captured,  // the peer acknowledged it, so it was on the wire
  lost,          // nobody acknowledged it: lost on the wire, or the capture ends
  given_up,      // a limit of ours was reached
  late,          // captured, but below the first byte that was told
};

struct Hole {
  std::uint64_t offset = 0;  // see ByteSink
  std::uint64_t bytes = 0;   // 0 < bytes
  HoleKind kind{};
  // The packet that showed it: the one behind the hole, or, of a hole past the last byte, the FIN
  // or the peer's acknowledgement (which then says nothing about the other direction).
  Origin found;
};

// Takes the bytes of one connection. Offsets count the bytes of a direction, holes included, from
// its first data byte (after the SYN). Where the SYN is missing or came late they count from some
// place before the first byte known at the time, so that what turns up earlier has an offset too.
// That place never moves: the offsets of a direction can always be compared with each other.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  // In order and contiguous with what came before in this direction. `offset` is that of bytes[0].
  virtual void data(Direction from, std::uint64_t offset, Bytes bytes, const Origin& origin) = 0;
  virtual void hole(Direction from, const Hole& hole) = 0;
  // Bytes from before the first one told, which turned up too late to come first. They are not
  // handed on; only where no SYN says where the stream begins.
  virtual void late(Direction from, const Hole& hole) = 0;
  // A FIN or RST of that side, in order behind its last byte; `reset` tells which.
  virtual void finished(Direction from, bool reset, const Origin& origin) = 0;
  // Bytes of memory that are kept for the connection, about.
  virtual std::uint64_t memory() const { return 0; }
};

}  // namespace analyzer::stream
