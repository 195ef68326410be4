// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Names of the numbers that bodies carry.
//
// Source: core/common/src/types and core/binary_protocol/src/primitives.
#pragma once

#include <string_view>

#include "describe/field.hpp"

namespace iggy::bodies {

// clang-format off

// A byte that means true, and one that stands in front of what may be absent. Which test it gets
// from its readers is told with each row.
inline constexpr describe::Name truth_values[] = {{0, "false"}, {1, "true"}};
inline constexpr describe::Name presence[] = {{0, "absent"}, {1, "present"}};

inline constexpr describe::Name identifier_kinds[] = {{1, "numeric"}, {2, "string"}};
inline constexpr describe::Name consumer_kinds[] = {
    {1, "consumer"},
    {2, "consumer group"},
    {3, "external group"},  // from 0.12 on; managed outside of Iggy
};
inline constexpr describe::Name partitioning_kinds[] = {
    {1, "balanced"},
    {2, "partition id"},
    {3, "messages key"},
};
inline constexpr describe::Name polling_kinds[] = {
    {1, "offset"},
    {2, "timestamp"},
    {3, "first"},
    {4, "last"},
    {5, "next"},
};
inline constexpr describe::Name ack_levels[] = {{0, "no ack"}, {1, "quorum"}};

inline constexpr describe::Name options_scopes[] = {{1, "topic"}, {2, "stream"}, {3, "user"}};
inline constexpr describe::Name snapshot_compressions[] = {
    {1, "stored"},
    {2, "deflated"},
    {3, "bzip2"},
    {4, "zstd"},
    {5, "lzma"},
    {6, "xz"},
};
inline constexpr describe::Name snapshot_types[] = {
    {  1, "filesystem overview"},
    {  2, "process list"},
    {  3, "resource usage"},
    {  4, "test"},
    {  5, "server logs"},
    {  6, "server config"},
    {100, "all"},
};
inline constexpr describe::Name user_statuses[] = {{1, "active"}, {2, "inactive"}};
inline constexpr describe::Name compression_algorithms[] = {{1, "none"}, {2, "gzip"}};
inline constexpr describe::Name transports[] = {
    {1, "TCP"},
    {2, "QUIC"},
    {3, "HTTP"},
    {4, "WebSocket"},
};
inline constexpr describe::Name node_roles[] = {{0, "leader"}, {1, "follower"}};
inline constexpr describe::Name node_statuses[] = {
    {0, "healthy"},
    {1, "starting"},
    {2, "stopping"},
    {3, "unreachable"},
    {4, "maintenance"},
};
// What is copied to a replica that is too far behind.
inline constexpr describe::Name artifact_kinds[] = {
    {0, "METADATA_SNAPSHOT"},
    {1, "CLIENT_TABLE"},
    {2, "SEGMENT_LOG"},
    {3, "CONSUMER_OFFSETS"},
};

// clang-format on

// Every value but 0 means true.
constexpr describe::Field truth(std::string_view name, std::string_view meaning) {
  return describe::u8(name, meaning).named(truth_values, "true");
}
// Every value but 0 means that it follows; and only 1 does.
constexpr describe::Field unless_zero(std::string_view name, std::string_view meaning) {
  return describe::u8(name, meaning).named(presence, "present");
}
constexpr describe::Field only_one(std::string_view name, std::string_view meaning) {
  return describe::u8(name, meaning).named(presence, "absent");
}

}  // namespace iggy::bodies
