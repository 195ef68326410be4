// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Headers between client and server that protocol 0.12 changed: Request and Reply.
//
// Both keep every row of 0.11 and fill bytes that were reserved. Eviction is that of 0.11. Source:
// core/binary_protocol/src/consensus/header.rs of the crates from 0.11.1-edge.2 on.
#pragma once

#include <array>

#include "describe/field.hpp"
#include "iggy/exchanges.hpp"
#include "iggy/frame.hpp"
#include "iggy/v0_11/client_headers.hpp"

namespace iggy::v0_12 {

using describe::Field;
using describe::Layout;

// clang-format off

inline constexpr auto request_rows = with_frame(v0_11::request_head, v0_11::request_session,
                                                std::to_array<Field>({
    describe::u32( 196, "code", "Command code of a NonReplicated request, else zero")
        .named(v0_12_code_names),
    describe::u64( 200, "partition_incarnation", "Metadata op that created the target partition"),
    describe::u64( 208, "owner_generation", "Which owner of the group partition asks; 0: unknown"),
    describe::u64( 216, "minimum_metadata_op", "Metadata op that the node must have applied"),
    describe::zero(224, 256, "reserved_tail", "Zero from clients"),
}));
inline constexpr Layout request{"request", "Request of 0.12", request_rows};
static_assert(is_header(request));

inline constexpr auto reply_rows = with_frame(v0_11::reply_head, v0_11::reply_status,
                                              std::to_array<Field>({
    describe::bytes(220, 224, "reserved", "First byte 1 if the result is committed, else zero"),
    describe::u64(  224, "partition_incarnation", "That of the Prepare if committed, else an echo"),
    describe::zero( 232, 256, "reserved_tail", "Zero from every sender"),
}));
inline constexpr Layout reply{"reply", "Reply of 0.12", reply_rows};
static_assert(is_header(reply));

// clang-format on

}  // namespace iggy::v0_12
