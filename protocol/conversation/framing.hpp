// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Cuts the byte stream of one direction into frames, and finds the next frame after a hole.
//
// A pure step over a trivially copyable state: `cut(bytes, state)` says what the first bytes are,
// and the caller consumes them. The analyzer pushes bytes through it, Wireshark's dissector pulls.
// It never looks at bodies (a caller may skip them) and never pairs anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "conversation/recognise.hpp"
#include "decode/window.hpp"
#include "iggy/generation.hpp"

namespace iggy::conversation {

enum class Framing : std::uint8_t {
  undecided,  // nothing recognised yet; `known_start` tells whether a frame begins here
  frames,     // a 256-byte header comes next
  legacy,     // an 8-byte header comes next
  searching,  // after a hole or a contradiction: only strong tests find the next frame
  foreign,    // another protocol; nothing is searched
};

// Who wrote the direction, as far as it is known.
enum class Side : std::uint8_t { unknown, client, server };

struct DirectionState {
  Framing framing = Framing::undecided;
  Side side = Side::unknown;
  bool known_start = false;  // undecided: the stream begins here, its SYN was captured
  // How the other direction is framed: replies of legacy servers are only believed where a client
  // that they may answer is known.
  Framing peer = Framing::undecided;
  bool allows_legacy = true;  // undecided: legacy framing may stand here
  bool was_legacy = false;    // searching: the direction spoke legacy framing before
  Foreign foreign = Foreign::none;
};
static_assert(std::is_trivially_copyable_v<DirectionState>);

enum class CutKind : std::uint8_t {
  need,      // fewer bytes than it takes to tell; `bytes` is how many there have to be
  frame,     // a frame of `bytes` bytes, header included; its header is in the window
  skip,      // `bytes` bytes belong to no frame
  preamble,  // the 8-byte preamble of a 0.12 replica link
  foreign,   // the direction speaks another protocol, named in the state; so do all later bytes
};

// Why a direction that was in step no longer is.
enum class Contradiction : std::uint8_t {
  none,
  size_too_small,
  size_too_large,
  unknown_command,
  impossible_legacy
};

struct Cut {
  CutKind kind = CutKind::need;
  // What CutKind says of it. Of foreign it promises nothing: the first such cut has 0 here, later
  // ones all that is there, and the caller may drop the direction as a whole.
  std::uint32_t bytes = 0;
  Contradiction contradiction = Contradiction::none;
};

// What stands at the start of `available`, the contiguous bytes from the current position on.
// `at_end`: no more bytes will ever follow. Never returns a frame whose header is not whole, and
// always makes progress when `at_end` is set.
Cut cut(Bytes available, DirectionState& state, bool at_end);

// A frame of `side` was found in one direction: what its framing tells of the other one.
// `peer_has_frames`: frames were found there before.
void inform_peer(DirectionState& peer, Framing framing, Side side, bool peer_has_frames);

// A hole swallowed bytes in which a frame may begin, or the caller lost its place otherwise.
void lose_place(DirectionState& state);

// Bytes of a header of this framing; 0 where none can come.
std::uint32_t header_length(Framing framing);

}  // namespace iggy::conversation
