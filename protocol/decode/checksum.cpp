// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// XXH3-64 over parts of frames. The hash itself is Debian's header-only xxhash, seen by this file
// alone.
#include "decode/checksum.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "describe/proofs.hpp"
#include "iggy/frame.hpp"
#include "iggy/registry.hpp"
#include "iggy/v0_11/client_headers.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace iggy::decode {

namespace {

using describe::offset_of;

constexpr std::size_t checksum_size = sizeof(U128);
constexpr std::size_t view_at = offset_of<std::uint32_t>(v0_11::generic, "view");
constexpr std::size_t command_at = offset_of<std::uint8_t>(v0_11::generic, "command");
constexpr auto prepare = static_cast<std::byte>(Command::Prepare);

bool is_hash(U128 stored, std::uint64_t hash) {
  return stored == U128{hash, 0};
}

}  // namespace

std::uint64_t xxh3(Bytes bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

// The library's state has no constructor, so the bytes that are set aside for it are one.
void Xxh3::begin() {
  static_assert(sizeof(XXH3_state_t) == state_bytes && alignof(XXH3_state_t) == state_alignment);
  XXH3_64bits_reset(reinterpret_cast<XXH3_state_t*>(state_.data()));
}

void Xxh3::add(Bytes bytes) {
  XXH3_64bits_update(reinterpret_cast<XXH3_state_t*>(state_.data()), bytes.data(), bytes.size());
}

std::uint64_t Xxh3::value() const {
  return XXH3_64bits_digest(reinterpret_cast<const XXH3_state_t*>(state_.data()));
}

bool seal_is_right(Bytes header) {
  if (header.size() != header_size) return false;
  return is_hash(load_u128(header.data()), xxh3(header.subspan(checksum_size)));
}

bool identity_is_right(Bytes header) {
  if (header.size() != header_size) return false;
  std::array<std::byte, header_size> image{};
  std::copy(header.begin(), header.end(), image.begin());
  std::fill_n(image.begin(), checksum_size, std::byte{0});
  std::fill_n(image.begin() + view_at, sizeof(std::uint32_t), std::byte{0});
  image[command_at] = prepare;
  return is_hash(load_u128(header.data()), xxh3(image));
}

bool body_checksum_is_right(U128 stored, Bytes body) {
  return is_hash(stored, xxh3(body));
}

}  // namespace iggy::decode
