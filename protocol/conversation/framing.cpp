// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The steps of framing.hpp, one function for each state.
#include "conversation/framing.hpp"

#include <algorithm>

#include "decode/checksum.hpp"
#include "decode/window.hpp"
#include "describe/proofs.hpp"
#include "iggy/v0_11/replication_headers.hpp"

namespace iggy::conversation {
namespace {

using decode::load;
using describe::offset_of;

constexpr std::size_t size_at = offset_of<std::uint32_t>(v0_11::prepare, "size");

constexpr std::uint32_t window_of(std::size_t bytes) {
  return static_cast<std::uint32_t>(std::min<std::size_t>(bytes, 0xffffffffU));
}

Cut need(std::uint32_t bytes) {
  return {CutKind::need, bytes};
}
Cut skip(std::size_t bytes) {
  return {CutKind::skip, window_of(bytes)};
}

Cut frame_of(Bytes header) {
  return {CutKind::frame, load<std::uint32_t>(header.data() + size_at)};
}

// Bytes that are not enough for a header: nothing more can be said of them once the stream ended.
Cut too_few(Bytes available, bool at_end, std::uint32_t wanted) {
  return at_end ? skip(available.size()) : need(wanted);
}

Cut cut_legacy(Bytes available, DirectionState& state, bool at_end) {
  if (available.size() < legacy_header_bytes)
    return too_few(available, at_end, legacy_header_bytes);
  const auto first = load<std::uint32_t>(available.data());
  const auto second = load<std::uint32_t>(available.data() + 4);
  const bool request = state.side == Side::client;
  const std::uint32_t body = request ? first : second;
  const bool possible =
      request ? first >= 4 && first <= max_frame_bytes + 4 &&
                    find_code(Generation::legacy, second) != nullptr
              : second <= max_frame_bytes && (first == 0 || !error_name(first).empty());
  if (possible) return {CutKind::frame, body + (request ? 4 : legacy_header_bytes)};
  lose_place(state);
  Cut lost = skip(1);
  lost.contradiction = Contradiction::impossible_legacy;
  return lost;
}

Contradiction contradiction_of(Bytes header) {
  const auto size = load<std::uint32_t>(header.data() + size_at);
  if (size < header_bytes) return Contradiction::size_too_small;
  return size > max_frame_bytes ? Contradiction::size_too_large : Contradiction::unknown_command;
}

Cut cut_frames(Bytes available, DirectionState& state, bool at_end) {
  if (available.size() < header_bytes) return too_few(available, at_end, header_bytes);
  if (is_possible_header(available)) return frame_of(available);
  const Contradiction why = contradiction_of(available);
  lose_place(state);
  Cut lost = skip(1);
  lost.contradiction = why;
  return lost;
}

// A Prepare found by searching may stand inside the body of a view change, whose entries are whole
// Prepare headers and may even follow each other by their sizes. It is believed once it has the
// body that it says, or the chain that it begins goes up the log, reaches a frame of another kind,
// or grows longer than any such body.
enum class Chain : std::uint8_t { broken, believed, undecided };
struct ChainTest {
  Chain verdict = Chain::broken;
  std::size_t needed = 0;  // undecided: bytes that have to be there
};

// How a Prepare and the one behind it hang together. The log goes up, and each names the identity
// of the one before it; the entries of a view change go down.
Chain test_link(const std::byte* first, const std::byte* second) {
  constexpr std::size_t op_at = offset_of<std::uint64_t>(v0_11::prepare, "op");
  constexpr std::size_t group_at = offset_of<std::uint64_t>(v0_11::prepare, "group");
  constexpr std::size_t parent_at = offset_of<decode::U128>(v0_11::prepare, "parent");
  if (load<std::uint64_t>(first + group_at) != load<std::uint64_t>(second + group_at))
    return Chain::undecided;
  const auto op = load<std::uint64_t>(first + op_at);
  const auto next_op = load<std::uint64_t>(second + op_at);
  if (next_op <= op) return Chain::broken;
  const bool is_child = decode::load_u128(first) == decode::load_u128(second + parent_at);
  return next_op == op + 1 && is_child ? Chain::believed : Chain::undecided;
}

ChainTest test_chain(Bytes available, std::size_t at, bool at_end) {
  constexpr std::size_t lookahead = std::size_t{1} << 20;
  constexpr std::size_t longest_checked = std::size_t{64} << 10;  // keeps the search linear
  constexpr std::size_t checksum_body_at = offset_of<decode::U128>(v0_11::prepare, "checksum_body");
  constexpr int longest_body = 128;  // entries; core/binary_protocol/src/consensus/header.rs
  std::size_t next = at;
  for (int links = 0; links <= longest_body; ++links) {
    const std::size_t size = load<std::uint32_t>(available.data() + next + size_at);
    // An entry of a view change has no body behind it.
    const bool is_whole =
        size > header_bytes && size <= longest_checked && next + size <= available.size();
    if (is_whole && decode::body_checksum_is_right(
                        decode::load_u128(available.data() + next + checksum_body_at),
                        available.subspan(next + header_bytes, size - header_bytes)))
      return {Chain::believed, 0};
    const std::size_t following = next + size;
    if (following + header_bytes > available.size()) {
      const bool hopeless = at_end || following + header_bytes - at > lookahead;
      return {hopeless ? Chain::broken : Chain::undecided, following + header_bytes};
    }
    const Strong strong = strong_test(available.subspan(following, header_bytes));
    if (strong == Strong::none) return {};
    if (strong != Strong::prepare) return {Chain::believed, 0};
    const Chain link = test_link(available.data() + next, available.data() + following);
    if (link != Chain::undecided) return {link, 0};
    next = following;
  }
  return {Chain::believed, 0};
}

// Legacy framing has nothing to find a frame by. A client's is believed where two frames follow
// each other; a server's where a reply ends with the bytes that are there, as it does where a
// client waits for each answer.
Cut cut_searching_legacy(Bytes available, DirectionState& state, bool at_end) {
  if (state.side == Side::server) {
    const bool is_reply =
        test_legacy_reply(available, true, at_end) == Legacy::yes &&
        load<std::uint32_t>(available.data() + 4) + legacy_header_bytes == available.size();
    if (!is_reply) return skip(available.size());
  } else {
    const LegacyTest legacy = test_legacy_request(available, false, at_end);
    if (legacy.verdict == Legacy::need_more) return need(window_of(legacy.needed));
    if (legacy.verdict == Legacy::no) return skip(1);
  }
  state.framing = Framing::legacy;
  return cut_legacy(available, state, at_end);
}

// Only a frame that vouches for itself ends the search.
Cut cut_searching(Bytes available, DirectionState& state, bool at_end) {
  if (state.was_legacy) return cut_searching_legacy(available, state, at_end);
  if (available.size() < header_bytes) return too_few(available, at_end, header_bytes);
  for (std::size_t at = next_candidate(available, 0); at < available.size();
       at = next_candidate(available, at + 1)) {
    const Bytes header = available.subspan(at, header_bytes);
    const Strong strong = strong_test(header);
    if (strong == Strong::none) continue;
    if (at > 0) return skip(at);  // then it is looked at again, from its own start
    if (strong == Strong::prepare) {
      const ChainTest chain = test_chain(available, at, at_end);
      if (chain.verdict == Chain::undecided) return need(window_of(chain.needed));
      if (chain.verdict == Chain::broken) continue;
    }
    state.framing = Framing::frames;
    return frame_of(header);
  }
  // The last 255 bytes may still begin a header.
  return skip(at_end ? available.size() : available.size() - (header_bytes - 1));
}

Cut decide_foreign(DirectionState& state, Foreign foreign) {
  state.framing = Framing::foreign;
  state.foreign = foreign;
  return {CutKind::foreign, 0};
}

// Legacy framing at the start of a direction; `need` when more bytes could prove it.
Cut try_legacy(Bytes available, DirectionState& state, bool at_end) {
  if (state.side != Side::server) {
    const LegacyTest request = test_legacy_request(available, state.known_start, at_end);
    if (request.verdict == Legacy::need_more) return need(window_of(request.needed));
    if (request.verdict == Legacy::yes) {
      state.framing = Framing::legacy;
      state.side = Side::client;
      return cut_legacy(available, state, at_end);
    }
  }
  if (state.side == Side::server && state.peer != Framing::undecided) {
    const Legacy reply = test_legacy_reply(available, state.peer == Framing::legacy, at_end);
    if (reply == Legacy::need_more) return need(legacy_header_bytes);
    if (reply == Legacy::yes) {
      state.framing = Framing::legacy;
      return cut_legacy(available, state, at_end);
    }
  }
  return skip(0);
}

Cut cut_undecided(Bytes available, DirectionState& state, bool at_end) {
  const Foreign foreign = recognise_foreign(available);
  if (foreign == Foreign::undecided && !at_end) return need(window_of(available.size() + 1));
  if (foreign != Foreign::none && foreign != Foreign::undecided)
    return decide_foreign(state, foreign);
  if (is_replica_preamble(available)) return {CutKind::preamble, preamble_bytes};
  if (available.size() >= header_bytes) {
    if (is_first_header(available)) {
      state.framing = Framing::frames;
      return frame_of(available);
    }
  } else if (state.peer != Framing::legacy &&
             decode::all_zero(available.first(std::min<std::size_t>(available.size(), 32)))) {
    // Requests, replies and evictions begin with 32 zero bytes, which no legacy frame does.
    return too_few(available, at_end, header_bytes);
  }
  const Cut legacy = state.allows_legacy ? try_legacy(available, state, at_end) : skip(0);
  if (legacy.kind != CutKind::skip || legacy.contradiction != Contradiction::none) return legacy;
  if (available.size() < header_bytes && !at_end && may_begin_header(available))
    return need(header_bytes);
  state.framing = Framing::searching;
  return cut_searching(available, state, at_end);
}

}  // namespace

Cut cut(Bytes available, DirectionState& state, bool at_end) {
  switch (state.framing) {
    case Framing::undecided:
      return cut_undecided(available, state, at_end);
    case Framing::frames:
      return cut_frames(available, state, at_end);
    case Framing::legacy:
      return cut_legacy(available, state, at_end);
    case Framing::searching:
      return cut_searching(available, state, at_end);
    case Framing::foreign:
      return {CutKind::foreign, window_of(available.size())};
  }
  return skip(available.size());
}

void inform_peer(DirectionState& peer, Framing framing, Side side, bool peer_has_frames) {
  peer.peer = framing;
  // What the peer sent could not be recognised without knowing this side; it is looked at anew.
  if (peer_has_frames || peer.framing != Framing::searching || framing != Framing::legacy) return;
  peer.framing = Framing::undecided;
  peer.side = side == Side::client ? Side::server : Side::client;
}

void lose_place(DirectionState& state) {
  if (state.framing == Framing::foreign) return;
  state.was_legacy = state.was_legacy || state.framing == Framing::legacy;
  state.known_start = false;
  state.framing = Framing::searching;
}

std::uint32_t header_length(Framing framing) {
  switch (framing) {
    case Framing::frames:
    case Framing::searching:
      return header_bytes;
    case Framing::legacy:
      return legacy_header_bytes;
    case Framing::undecided:
    case Framing::foreign:
      return 0;
  }
  return 0;
}

}  // namespace iggy::conversation
