// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Batches of 0.12, whose header may name the producer that numbers its messages.
//
// Up to the first build of 0.12.2 these bytes are reserved, which reads as a batch without a
// producer. Messages are those of 0.11. Source: core/binary_protocol/src/batch.rs.
#pragma once

#include <array>

#include "describe/field.hpp"
#include "iggy/bodies/batches.hpp"
#include "iggy/frame.hpp"

namespace iggy::v0_12 {

using describe::Field;
using describe::Layout;

// clang-format off

inline constexpr describe::Name producer_flags[] = {{0, "no producer"}, {1, "producer present"}};

inline constexpr auto batch_rows = joined(bodies::batch_head_rows, std::to_array<Field>({
    describe::u8("producer_flags", "Whether a producer numbers the messages")
        .named(v0_12::producer_flags).selects(),
    describe::zero(3, "producer_padding", "Zero from every sender"),
    describe::u64("producer_id", "Zero without a producer").on(0).at_most(0),
    describe::u64("producer_id", "The producer: its session and a running number")
        .otherwise().at_most(0x7fff'ffff'ffff'ffff),
    describe::u16("producer_epoch", "Zero without a producer").on(0).at_most(0),
    describe::u16("producer_epoch", "Grows when the producer starts anew")
        .otherwise().at_most(0x7fff),
    describe::zero(2, "producer_padding2", "Zero from every sender"),
    describe::u32("base_sequence", "Zero without a producer").on(0).at_most(0),
    describe::u32("base_sequence", "The producer's number of the first message")
        .otherwise().at_most(0x7fff'ffff),
    describe::zero(184, "reserved", "Zero from every sender"),
}), bodies::batch_message_rows);
inline constexpr Layout batch{"batch", "Batch of 0.12", batch_rows};

// clang-format on

}  // namespace iggy::v0_12
