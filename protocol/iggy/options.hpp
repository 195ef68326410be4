// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The options that streams, topics and users have: which builds know a key, what its value is, and
// who may see it.
//
// A key that is not listed is no error, it keeps its value; a newer peer may know it.
// Source: core/binary_protocol and core/common of upstream, and the reply to options.describe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "describe/field.hpp"
#include "iggy/trains.hpp"

namespace iggy {

enum class OptionUnit : std::uint8_t { none, bytes, microseconds };

// The stable word for a unit; empty for none.
constexpr std::string_view word_of(OptionUnit unit) {
  switch (unit) {
    case OptionUnit::none:
      return {};
    case OptionUnit::bytes:
      return "bytes";
    case OptionUnit::microseconds:
      return "microseconds";
  }
  return {};
}

// What an option is of, as bits: two scopes share some keys.
namespace option_scope {
inline constexpr std::uint8_t topic = 1;
inline constexpr std::uint8_t stream = 2;
inline constexpr std::uint8_t user = 4;
inline constexpr std::uint8_t all = topic | stream | user;
}  // namespace option_scope

struct Option {
  std::string_view key;
  std::uint8_t scopes = 0;  // option_scope
  std::uint8_t kind = 0;    // the canonical one; requests may also send text
  OptionUnit unit = OptionUnit::none;
  Train since{};
  Train until = Train::newest;
  bool is_secret = false;
  std::string_view zero;  // what 0 stands for; empty: the number
  std::string_view most;  // what 2^64-1 stands for; likewise
  std::string_view meaning;

  // Of rows that hold a key: what option_keys calls it, from 1 on.
  constexpr std::uint8_t number() const;
  constexpr bool is_known_to(Train train) const { return since <= train && train <= until; }
};

namespace option_list {

using enum OptionUnit;
inline constexpr std::uint8_t topic = option_scope::topic;
inline constexpr std::uint8_t stream = option_scope::stream;
inline constexpr std::uint8_t user = option_scope::user;
// Canonical kinds, by their numbers in header_kinds.
inline constexpr std::uint8_t raw = 1;
inline constexpr std::uint8_t text = 2;
inline constexpr std::uint8_t truth = 3;
inline constexpr std::uint8_t u32 = 11;
inline constexpr std::uint8_t u64 = 12;
// The first builds that have options, that ask for durability, and those of 0.12.
inline constexpr Train first = Train::v0_11_0_edge_3;
inline constexpr Train fsync_last = Train::v0_11_0_edge_7;
inline constexpr Train durable = Train::v0_11_0_edge_8;
inline constexpr Train v0_12 = Train::v0_12_0_first;
inline constexpr Train replicas = Train::v0_12_2_first;
inline constexpr Train newest = Train::newest;

// clang-format off
inline constexpr Option options[] = {
    {"compression_algorithm", topic, text, none, first, newest, false, "", "",
     "none or gzip; stored, and nothing on the wire is compressed"},
    {"message_expiry", topic, u64, microseconds, first, newest, false, "default", "never",
     "How long messages are kept"},
    {"max_topic_size", topic, u64, bytes, first, newest, false, "default", "unlimited",
     "How large the topic may grow"},
    {"segment_size", topic, u64, bytes, first, newest, false, "default", "",
     "Size of the files of a partition"},
    {"enforce_fsync", topic, truth, none, first, fsync_last, false, "", "",
     "Whether messages are on stable storage before they are answered"},
    {"durability", topic, text, none, durable, newest, false, "", "",
     "replicated, or persisted: also on stable storage"},
    {"consumer_offset_durability", topic, text, none, durable, newest, false, "", "",
     "The same of consumer offsets"},
    {"messages_required_to_save", topic, u32, none, first, newest, false, "", "",
     "Messages after which a partition is saved"},
    {"size_of_messages_required_to_save", topic, u64, bytes, first, newest, false, "default", "",
     "Size of messages after which a partition is saved"},
    {"preallocate_segments", topic, truth, none, first, newest, false, "", "",
     "Whether the files of a partition get their full size at once"},
    {"partition_resize_policy", topic, text, none, v0_12, newest, false, "", "",
     "mutable, or fixed: partitions are neither added nor deleted"},
    {"replication_factor", topic, u32, none, replicas, newest, false, "", "",
     "Nodes that keep each partition"},
    {"name", topic | stream, text, none, v0_12, newest, false, "", "", "Its name from now on"},
    {"username", user, text, none, v0_12, newest, false, "", "", "Its name from now on"},
    {"status", user, text, none, v0_12, newest, false, "", "", "active or inactive"},
    {"encryption_key", stream, raw, none, v0_12, newest, true, "", "",
     "What messages are encrypted with at rest; 32 bytes, or base64 of them"},
    {"encryption_key_wrapped", stream, raw, none, v0_12, newest, false, "", "",
     "The same, encrypted with another key; between replicas"},
    {"encryption_key_source", stream, text, none, v0_12, newest, false, "", "",
     "Whose key it is: stream, server or none"},
    {"encryption_key_fingerprint", stream, text, none, v0_12, newest, false, "", "",
     "Which key it is"},
    {"encryption_kek_fingerprint", stream, text, none, v0_12, newest, false, "", "",
     "Which key encrypts the key"},
    {"critical_keys", option_scope::all, text, none, v0_12, newest, false, "", "",
     "Options that a server has to understand; between replicas"},
};
// clang-format on

}  // namespace option_list

inline constexpr auto option_keys = [] {
  std::array<describe::Name, std::size(option_list::options)> names{};
  for (std::size_t i = 0; i < names.size(); ++i)
    names[i] = {static_cast<std::uint32_t>(i + 1), option_list::options[i].key};
  return names;
}();

inline constexpr std::size_t secret_option_count = [] {
  std::size_t count = 0;
  for (const Option& option : option_list::options)
    if (option.is_secret) ++count;
  return count;
}();

// Null where the key is not known to any build.
constexpr const Option* find_option(std::string_view key) {
  for (const Option& option : option_list::options)
    if (option.key == key) return &option;
  return nullptr;
}
// The option that a row holds the key of; null where the row holds no keys of options.
constexpr const Option* option_of(const describe::Field& row, std::string_view key) {
  return row.names.data() == option_keys.data() ? find_option(key) : nullptr;
}

constexpr std::uint8_t Option::number() const {
  return static_cast<std::uint8_t>(describe::value_of(option_keys, key));
}

}  // namespace iggy
