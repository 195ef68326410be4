// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The first 128 bytes, which every 256-byte header of every generation shares, and the words that
// complete them to a header.
//
// What a row means in one command only (the view of a Prepare, the cluster of a Hello) is not
// repeated here; the reference says it. Upstream's reader and writer of these rows is
// core/binary_protocol/src/consensus/header.rs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "describe/field.hpp"
#include "describe/proofs.hpp"
#include "iggy/enums.hpp"

namespace iggy {

inline constexpr std::uint16_t header_size = 256;
// The header of the framing before it, which shares nothing with this one (legacy.hpp).
inline constexpr std::uint16_t legacy_header_size = 8;

// The consensus group of metadata; every other group is a partition's packed number.
inline constexpr std::uint64_t metadata_group = std::uint64_t{1} << 63;

// clang-format off
inline constexpr auto frame_rows = std::to_array<describe::Field>({
    describe::u128( 0, "checksum", "Frame seal or prepare identity, by command; zero from clients")
        .shown_as(describe::Shape::hex),
    describe::u128(16, "checksum_body", "XXH3-64 of the body where the command has one, else zero")
        .shown_as(describe::Shape::hex),
    describe::u128(32, "cluster", "Cluster id of the sender; zero from SDKs")
        .shown_as(describe::Shape::hex),
    describe::u32( 48, "size", "Length of the whole frame, header included, in bytes"),
    describe::u32( 52, "view", "View number of the sender; not every command sets it"),
    describe::u32( 56, "release", "Kept for release gating; zero today"),
    describe::u8(  60, "command", "Which header this is").named(command_names),
    describe::u8(  61, "replica", "Replica that built the frame; zero from SDKs"),
    describe::zero(62, 128, "reserved_frame", "Zero from every sender"),
});
// clang-format on

// One array out of several, in order.
template <std::size_t... Sizes>
consteval auto joined(const std::array<describe::Field, Sizes>&... parts) {
  std::array<describe::Field, (Sizes + ...)> rows{};
  std::size_t at = 0;
  const auto append = [&rows, &at](const auto& part) {
    for (const describe::Field& row : part) rows[at++] = row;
  };
  (append(parts), ...);
  return rows;
}

// The rows without the last ones of them.
template <std::size_t Fewer, std::size_t Size>
consteval auto without_last(const std::array<describe::Field, Size>& rows) {
  static_assert(Fewer < Size);
  std::array<describe::Field, Size - Fewer> kept{};
  for (std::size_t i = 0; i < kept.size(); ++i) kept[i] = rows[i];
  return kept;
}

// The rows of a header in a body, where each begins at the end of the one above.
template <std::size_t Size>
consteval auto following(std::array<describe::Field, Size> rows) {
  for (describe::Field& row : rows) row.offset = describe::next;
  return rows;
}

// A header: the common rows and, behind them, those of its command.
template <std::size_t... Sizes>
consteval auto with_frame(const std::array<describe::Field, Sizes>&... parts) {
  return joined(frame_rows, parts...);
}

// Every byte of the header has exactly one row, and no name stands twice.
consteval bool is_header(const describe::Layout& layout) {
  return covers(layout, 0, header_size) && names_are_unique(layout);
}

// Rows that several commands have, each at its own place.
constexpr describe::Field reserved(std::uint16_t from, std::uint16_t to) {
  return describe::zero(from, to, "reserved", "Zero from every sender");
}
constexpr describe::Field operation_padding(std::uint16_t from) {
  return describe::zero(from, static_cast<std::uint16_t>(from + 7), "operation_padding",
                        "Zero from every sender");
}
constexpr describe::Field consensus_group(std::uint16_t at) {
  return describe::u64(at, "group", "Consensus group: bit 63 alone is metadata, else a partition")
      .shown_as(describe::Shape::hex);
}
// What the group of a partition packs.
struct PartitionGroup {
  std::uint64_t stream = 0;
  std::uint64_t topic = 0;
  std::uint64_t partition = 0;
};
constexpr PartitionGroup partition_of(std::uint64_t group) {
  return {group >> 32, (group >> 20) & 0xfff, group & 0xfffff};
}
constexpr describe::Field correlation_nonce(std::uint16_t at) {
  return describe::u128(at, "nonce", "Ties an answer to its question; chosen by who asks")
      .shown_as(describe::Shape::hex);
}

}  // namespace iggy
