// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What bodies are built from: identifiers, consumers, partitioning, polling strategies, options and
// user headers.
//
// A kind that is not known keeps its number, its length and its bytes. Source:
// core/binary_protocol/src/primitives.
#pragma once

#include <array>
#include <cstddef>

#include "describe/field.hpp"
#include "iggy/bodies/enums.hpp"
#include "iggy/bodies/header_kinds.hpp"
#include "iggy/frame.hpp"
#include "iggy/options.hpp"

namespace iggy::bodies {

using describe::Field;
using describe::Layout;
using describe::Thing;

// clang-format off

// Of a stream, a topic, a group or a consumer.
inline constexpr auto identifier_rows = std::to_array<Field>({
    describe::u8("kind", "How the thing is named").named(identifier_kinds).selects(),
    describe::u8("length", "Bytes that follow").on(1).at_least(4).at_most(4).counts(),
    describe::u32("id", "The number, which may be 0").on(1),
    describe::u8("length", "Bytes that follow").on(2).at_least(1).counts(),
    describe::text("text", "The name").on(2),
    describe::u8("length", "Bytes that follow").otherwise().counts(),
    describe::data("raw", "Bytes of a kind that is not known").otherwise(),
});
inline constexpr Layout identifier{
    "identifier", "Identifier", identifier_rows, "{id}{text}raw {raw}"};

// Of a user: who reads it may not be the one who may know the names of people.
inline constexpr auto account_identifier_rows = std::to_array<Field>({
    describe::u8("kind", "How the user is named").named(identifier_kinds).selects(),
    describe::u8("length", "Bytes that follow").on(1).at_least(4).at_most(4).counts(),
    describe::u32("id", "The number, which may be 0").on(1).identity(),
    describe::u8("length", "Bytes that follow").on(2).at_least(1).counts(),
    describe::text("text", "The name").on(2).identity(),
    describe::u8("length", "Bytes that follow").otherwise().counts(),
    describe::data("raw", "Bytes of a kind that is not known").otherwise().identity(),
});
inline constexpr Layout account_identifier{
    "account_identifier", "Account Identifier", account_identifier_rows, "\"{text}\"{id}raw {raw}"};

inline constexpr auto consumer_rows = std::to_array<Field>({
    describe::u8("kind", "Whether it reads alone").named(consumer_kinds).selects(),
    describe::group("id", identifier, "The group that it is in")
        .on(2).identifies(Thing::consumer_group),
    describe::group("id", identifier, "The consumer, or its group outside of Iggy").otherwise(),
});
inline constexpr Layout consumer{"consumer", "Consumer", consumer_rows, "{kind} {id}"};

inline constexpr auto partitioning_rows = std::to_array<Field>({
    describe::u8("kind", "Who chooses the partition, and how").named(partitioning_kinds).selects(),
    describe::u8("length", "Bytes that follow").on(1).at_most(0).counts(),
    describe::u8("length", "Bytes that follow").on(2).at_least(4).at_most(4).counts(),
    describe::u32("partition_id", "The partition").on(2),
    describe::u8("length", "Bytes that follow").on(3).at_least(1).counts(),
    describe::data("key", "What is hashed to find the partition").on(3),
    describe::u8("length", "Bytes that follow").otherwise().counts(),
    describe::data("raw", "Bytes of a kind that is not known").otherwise(),
});
inline constexpr Layout partitioning{"partitioning", "Partitioning", partitioning_rows,
    "[{partition_id}] key {key}"};

inline constexpr auto polling_strategy_rows = std::to_array<Field>({
    describe::u8("kind", "Where reading begins").named(polling_kinds),
    describe::u64("value", "Offset, or microseconds since the epoch; no meaning for others")
        .meant_on(1, 2),
});
inline constexpr Layout polling_strategy{
    "polling_strategy", "Polling Strategy", polling_strategy_rows, "{kind} {value}"};

// Both rows always stand there.
inline constexpr auto optional_partition_id_rows = std::to_array<Field>({
    only_one("flag", "1: the partition counts; anything else: none is named"),
    describe::u32("partition_id", "The partition; 0 where none is named").meant_on(1, 1),
});
inline constexpr Layout optional_partition_id{
    "optional_partition_id", "Optional Partition ID", optional_partition_id_rows, "{partition_id}"};

// A key with its value, in user headers.
inline constexpr auto key_rows = std::to_array<Field>({
    describe::u8("key_kind", "What the key is; 2 in options")
        .at_least(1).named(header_kinds).tells_kind(),
    describe::u32("key_length", "Bytes of the key").at_least(1).at_most(255).counts(),
});
inline constexpr auto value_rows = std::to_array<Field>({
    describe::u8("value_kind", "What the value is").at_least(1).named(header_kinds).tells_kind(),
    describe::u32("value_length", "Bytes of the value").at_least(1).at_most(255).counts(),
});
inline constexpr auto tlv_pair_rows = joined(key_rows, std::to_array<Field>({
    describe::data("key", "The key"),
}), value_rows, std::to_array<Field>({
    describe::data("value", "The value"),
}));
inline constexpr Layout tlv_pair{"tlv_pair", "Key and Value", tlv_pair_rows};

// The same in options, whose keys are known words. Values of some keys are secret, and that of one
// is what the thing is called from then on.
inline constexpr std::uint8_t name_option = find_option("name")->number();
inline constexpr auto secret_option_values = [] {
  std::array<Field, secret_option_count> rows{};
  std::size_t at = 0;
  for (const Option& option : option_list::options)
    if (option.is_secret)
      rows[at++] = describe::data("value", option.meaning).on(option.number()).secret();
  return rows;
}();
inline constexpr auto option_pair_rows = joined(key_rows, std::to_array<Field>({
    describe::data("key", "The key").named(option_keys).selects(),
}), value_rows, secret_option_values, std::to_array<Field>({
    describe::data("value", find_option("name")->meaning)
        .on(name_option).identifies(Thing::named_last),
    describe::data("value", "The value").otherwise(),
}));
inline constexpr Layout option_pair{"tlv_pair", "Option", option_pair_rows, "{key}={value}"};

// Options as requests end with them.
inline constexpr auto option_rows = std::to_array<Field>({
    describe::group("options", option_pair,
                    "Options, to the end of the body; absent ones stay as is").to_end(),
});
// The same and user headers as blocks of their own.
inline constexpr auto options_block_rows = std::to_array<Field>({
    describe::group("pairs", option_pair, "Options").to_end(),
});
inline constexpr Layout options_block{"options_block", "Options Block", options_block_rows};

inline constexpr auto user_headers_rows = std::to_array<Field>({
    describe::group("pairs", tlv_pair, "Headers").to_end(),
});
inline constexpr Layout user_headers{"user_headers", "User Headers", user_headers_rows};

// Options behind their length, where other rows follow.
inline constexpr auto prefixed_options_rows = std::to_array<Field>({
    describe::u32("options_length", "Bytes of the options").counts(),
    describe::group("options", option_pair, "What is set").to_end().in_room(),
});
inline constexpr Layout prefixed_options{"prefixed_options", "Prefixed Options",
                                         prefixed_options_rows};

// clang-format on

}  // namespace iggy::bodies
