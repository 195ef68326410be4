// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The hashes of recent_segments.hpp: XXH3, since every byte of every capture passes here.
#include "stream/recent_segments.hpp"

#include <algorithm>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace analyzer::stream {
namespace {

std::uint32_t hash_of(Bytes bytes) {
  return static_cast<std::uint32_t>(XXH3_64bits(bytes.data(), bytes.size()));
}

}  // namespace

void RecentSegments::add(std::uint64_t position, Bytes bytes) {
  pieces_[next_ % pieces_.size()] = {position, static_cast<std::uint32_t>(bytes.size()),
                                     hash_of(bytes)};
  ++next_;
}

bool RecentSegments::differs(std::uint64_t position, Bytes bytes) const {
  return std::any_of(pieces_.begin(), pieces_.end(), [position, bytes](const Piece& piece) {
    if (piece.length == 0 || piece.position < position) return false;
    const std::uint64_t at = piece.position - position;
    if (at > bytes.size() || piece.length > bytes.size() - at) return false;
    return hash_of(bytes.subspan(at, piece.length)) != piece.hash;
  });
}

}  // namespace analyzer::stream
