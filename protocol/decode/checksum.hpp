// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The checksums of frames. All are XXH3-64 with seed 0, written as a number of 16 bytes whose upper
// half is zero; they find damage, not forgery.
//
// Nothing here decides which rule a frame is under: see is_sealed in iggy/registry.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "decode/window.hpp"

namespace iggy::decode {

// XXH3-64 with seed 0.
std::uint64_t xxh3(Bytes bytes);

// The same of bytes that come in pieces. Copies share nothing.
class Xxh3 {
 public:
  // Forgets what was added; has to be called before the first piece.
  void begin();
  void add(Bytes bytes);
  std::uint64_t value() const;

 private:
  // What the library keeps, whose type its users need not see.
  static constexpr std::size_t state_bytes = 576;
  static constexpr std::size_t state_alignment = 64;
  alignas(state_alignment) std::array<std::byte, state_bytes> state_{};
};

// Whether `checksum` is that of header bytes 16 to 256, as control frames between replicas seal
// themselves. `header` has 256 bytes. Zero is no exception: only builds before the seal wrote it.
// Source: core/binary_protocol/src/consensus/header.rs.
bool seal_is_right(Bytes header);

// Whether `checksum` is the identity of a Prepare or RepairPrepare of 256 bytes: that of the header
// with its checksum and view taken as zero and its command as Prepare, so that copies in later
// views keep it. Zero, for entries of old logs, is not right and not damage: ask for it first.
bool identity_is_right(Bytes header);

// Whether a stored checksum of a body is its XXH3-64. Whether zero means "none" depends on the
// frame: for Prepares of the metadata group it does, for DoViewChange and StartView it does not.
bool body_checksum_is_right(U128 stored, Bytes body);

}  // namespace iggy::decode
