// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Bodies of StateTransferTarget and StateChunk: what there is to copy, and pieces of it.
//
// What is copied is not described: its forms are those of files, not of the wire.
// Source: core/server_common/src/state_manifest.rs and
// core/binary_protocol/src/consensus/header.rs.
#pragma once

#include <array>

#include "describe/field.hpp"
#include "iggy/bodies/enums.hpp"

namespace iggy::bodies {

using describe::Field;
using describe::Layout;
using describe::Shape;

// clang-format off

inline constexpr auto state_manifest_entry_rows = std::to_array<Field>({
    describe::u8("kind", "What the artifact holds").named(artifact_kinds),
    describe::u64("frontier", "Op that it reaches to; of a SEGMENT_LOG its first offset"),
    describe::u64("len", "Bytes of the artifact"),
    describe::u64("checksum", "XXH3-64 of the artifact").shown_as(Shape::hex),
});
inline constexpr Layout state_manifest_entry{
    "state_manifest_entry", "State Manifest Entry", state_manifest_entry_rows,
    "{kind} at {frontier} ({len|byte})"};
inline constexpr std::uint64_t state_manifest_entry_bytes =
    describe::fixed_size(state_manifest_entry);

inline constexpr describe::Name state_manifest_magics[] = {{1, "ISM1"}};
inline constexpr auto state_manifest_rows = std::to_array<Field>({
    describe::text(4, "magic", "ISM1").named(state_manifest_magics).selects(),
    describe::u32("count", "Entries that follow").at_most(65536).on(1).counts(),
    describe::u8("entry_len", "Bytes of each; what is behind its rows nobody reads")
        .at_least(state_manifest_entry_bytes).on(1).counts(),
    describe::group("entries", state_manifest_entry, "Artifacts, in the order they are copied")
        .in_slack_room_each().on(1),
    describe::u64("trailer_hash", "XXH3-64 of the manifest up to here")
        .shown_as(Shape::hex).on(1),
    describe::rest("body", "Of another magic").otherwise(),
});
inline constexpr Layout state_manifest{"state_manifest", "State Manifest", state_manifest_rows,
    "{entries}"};

// Snapshots and client tables hold hashes of passwords and tokens, segments hold messages.
inline constexpr auto state_piece_rows = std::to_array<Field>({
    describe::rest("artifact_bytes", "A piece of the artifact").secret_payload(),
});
inline constexpr Layout state_piece{"state_piece", "Piece of an Artifact", state_piece_rows};

// clang-format on

}  // namespace iggy::bodies
