// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Nodes of the cluster, and sessions that other connections borrow: command 14, and what the
// routing commands tell.
//
// Source: core/binary_protocol/src/requests/consumer_session and
// core/binary_protocol/src/responses/system.
#pragma once

#include <array>

#include "describe/field.hpp"
#include "iggy/bodies/enums.hpp"

namespace iggy::bodies {

using describe::Field;
using describe::Layout;
using describe::Shape;

// clang-format off

inline constexpr auto cluster_node_rows = std::to_array<Field>({
    describe::u32("name_length", "Bytes of the name").counts(),
    describe::text("name", "Name of the node"),
    describe::u32("ip_length", "Bytes of the address").counts(),
    describe::text("ip", "IP address or host name"),
    describe::u16("tcp_port", "0: off"),
    describe::u16("quic_port", "0: off"),
    describe::u16("http_port", "0: off"),
    describe::u16("websocket_port", "0: off"),
    describe::u8("role", "Whether it leads").named(node_roles),
    describe::u8("status", "How it is").named(node_statuses),
});
inline constexpr Layout cluster_node{"cluster_node", "Cluster Node", cluster_node_rows};

inline constexpr auto consumer_session_rows = std::to_array<Field>({
    describe::u128("client_id", "Client of the connection that is in the group")
        .identity().shown_as(Shape::hex),
    describe::u64("session", "Session of that client"),
    describe::u64("metadata_watermark", "Metadata op that the node must have applied"),
});
inline constexpr Layout consumer_session{"consumer_session", "Consumer Session",
                                         consumer_session_rows};

// 14
inline constexpr auto consumer_session_attach_rows = std::to_array<Field>({
    describe::group("consumer_session", consumer_session, "Session to borrow"),
});
inline constexpr Layout consumer_session_attach{
    "consumer_session_attach", "Consumer Session Attach", consumer_session_attach_rows,
    "session {consumer_session.session}"};

// What 103 and 123 are answered with.
inline constexpr auto routing_rows = std::to_array<Field>({
    describe::group("consumer_session", consumer_session, "Session of the connection that asks"),
    describe::group("primary", cluster_node, "Node that leads the partition"),
});
inline constexpr Layout routing{"routing", "Routing", routing_rows, "to node {primary.name}"};

// clang-format on

}  // namespace iggy::bodies
