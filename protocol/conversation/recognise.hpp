// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Is this Iggy at all, and which generation of it: tests on the bytes of one frame or first bytes.
//
// Pure functions over bytes. The strong tests stand at any place of a stream, also after a hole;
// the weak one only where a frame is known to begin. Nothing here remembers a connection.
#pragma once

#include <cstddef>
#include <cstdint>

#include "decode/window.hpp"
#include "iggy/frame.hpp"
#include "iggy/generation.hpp"
#include "iggy/registry.hpp"

namespace iggy::conversation {

using decode::Bytes;

// The sizes of frame.hpp, as numbers that sizes of frames are reckoned in.
inline constexpr std::uint32_t header_bytes = header_size;
inline constexpr std::uint32_t legacy_header_bytes = legacy_header_size;
// message_bus.max_message_size; larger frames close the connection. Source:
// core/server/config.toml.
inline constexpr std::uint32_t max_frame_bytes = 64U << 20;

// What a header that passes a strong test is. Prepares are apart: the bodies of view changes hold
// whole Prepare headers that pass, so after a hole one of them proves nothing yet.
enum class Strong : std::uint8_t { none, request, reply, eviction, replica, prepare };

// The strong tests, on the 256 bytes of a header. About 120 zero bytes at known places, or a seal.
// Commands 0 to 4 never pass: they have nothing that could vouch for them.
Strong strong_test(Bytes header);

// Whether the first bytes of a segment are Iggy on whatever port: a strong test passes, or they are
// the Hello that opens a replica link, with more than 100 zero bytes at known places, or the
// preamble of one, at least its magic, with nothing behind it that could not follow it. A Prepare
// among them need not begin a frame, but nobody else writes one.
bool vouches_for_itself(Bytes first);

// Whether 256 bytes can be a header where a frame begins: command known, size legal.
bool is_possible_header(Bytes header);

// Whether 256 bytes at the start of a stream look like a header; stricter than is_possible_header,
// since the stream may be anything.
bool is_first_header(Bytes header);

// Whether bytes at the start of a stream, fewer than a header, may be the front of one, or of the
// preamble of a replica link. Text and most other protocols show that they are not after 16 bytes.
bool may_begin_header(Bytes first);

// The first place in `bytes` at or behind `from` where a header may stand that a strong test would
// accept, judged by its zero run alone; bytes.size() when there is none. Needs 256 bytes behind it.
std::size_t next_candidate(Bytes bytes, std::size_t from);

// Protocols that are named instead of searched for Iggy.
enum class Foreign : std::uint8_t {
  none,
  http,       // a request or a response
  tls,        // a TLS record
  proxy,      // PROXY protocol, version 1 or 2
  undecided,  // too few bytes to tell
};
Foreign recognise_foreign(Bytes first);

// The 8-byte placement preamble of a replica link of 0.12. Source: documentation of server 0.10.0.
inline constexpr std::uint32_t preamble_bytes = 8;
bool is_replica_preamble(Bytes first);

// Whether bytes are legacy framing.
enum class Legacy : std::uint8_t { no, yes, need_more };
struct LegacyTest {
  Legacy verdict = Legacy::no;
  std::size_t needed = 0;  // of need_more: how many bytes there have to be
};
// `known_start`: a frame begins at bytes[0], so a single ping or login is enough; elsewhere two
// frames have to follow each other. `at_end`: no more bytes will come.
LegacyTest test_legacy_request(Bytes bytes, bool known_start, bool at_end);
// Whether bytes from a server can be legacy replies; only meaningful where the client is known. To
// a client of another framing such a server says status 3 with length 0 and nothing else.
Legacy test_legacy_reply(Bytes bytes, bool client_is_legacy, bool at_end);

// How much a sign is worth, the weakest first. Whatever is stronger overrules it; of two that are
// alike the first counts.
enum class Strength : std::uint8_t {
  none,
  hint,    // a number that one generation alone has, or a place that another may use otherwise
  shape,   // the body of an answer, which reads by the tables of one generation alone
  header,  // fields of a header that one generation alone has
  told,    // a version that a side tells, or the framing itself
};

// What one frame says of the generation of its sender's connection.
struct Evidence {
  Generation generation = Generation::unknown;  // unknown: the frame says nothing
  Strength strength = Strength::none;

  constexpr bool is_certain() const { return strength >= Strength::shape; }
  constexpr bool operator==(const Evidence&) const = default;
};
// `header` has 256 bytes; `body` is what follows it, as far as it is there.
Evidence evidence_of(Bytes header, Bytes body);

}  // namespace iggy::conversation
