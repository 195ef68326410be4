// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Servers, nodes and users as 0.12 tells of them: replies to 10, 12, 13 and 31 to 33.
//
// Requests and the rest are those of 0.11. Source: core/binary_protocol/src/responses of crate
// 0.11.1-edge.8.
#pragma once

#include <array>
#include <cstdint>

#include "describe/field.hpp"
#include "iggy/bodies/encodings.hpp"
#include "iggy/bodies/reply.hpp"
#include "iggy/bodies/sessions.hpp"
#include "iggy/bodies/system.hpp"
#include "iggy/bodies/users.hpp"
#include "iggy/frame.hpp"
#include "iggy/v0_12/bodies/resources.hpp"

namespace iggy::v0_12 {

using describe::Field;
using describe::Layout;

// clang-format off

// 10; servers that announce 0.11.0 do not tell of files
inline constexpr auto stats_open_files_rows = std::to_array<Field>({
    describe::u64("open_files_count", "Files that the process has open"),
    describe::u64("open_files_limit", "Files that it may have open"),
});
inline constexpr Layout stats_open_files{"stats_open_files", "Open Files of Stats",
                                         stats_open_files_rows};
inline constexpr auto stats_reply_rows = joined(bodies::stats_reply_rows, std::to_array<Field>({
    describe::group("open_files", stats_open_files, "Files of the process; may be absent")
        .optional(),
}));
inline constexpr Layout stats_reply{"stats_reply", "Stats Reply of 0.12", stats_reply_rows,
    bodies::stats_reply.subject};
inline constexpr auto stats_reply_body_rows = bodies::with_payload(stats_reply);
inline constexpr Layout stats_reply_body{"reply_body", "Reply to stats of 0.12",
                                         stats_reply_body_rows};

// 12
inline constexpr auto cluster_node_rows = joined(std::to_array<Field>({
    describe::u8("replica_id", "The node's id, which is not its place in the list"),
}), bodies::cluster_node_rows);
inline constexpr Layout cluster_node{"cluster_node", "Cluster Node of 0.12", cluster_node_rows};
inline constexpr auto cluster_metadata_reply_rows = joined(
    bodies::cluster_rows, std::to_array<Field>({
    describe::repeat("nodes", cluster_node, "Nodes of the cluster"),
}));
inline constexpr Layout cluster_metadata_reply{
    "cluster_metadata_reply", "Cluster Metadata Reply of 0.12", cluster_metadata_reply_rows,
    bodies::cluster_metadata_reply.subject};
inline constexpr auto cluster_metadata_reply_body_rows =
    bodies::with_payload(cluster_metadata_reply);
inline constexpr Layout cluster_metadata_reply_body{
    "reply_body", "Reply to cluster.metadata of 0.12", cluster_metadata_reply_body_rows};

// 13; defaults of secret options are secret
inline constexpr std::uint8_t secret_flag = 4;
inline constexpr auto option_descriptor_rows = joined(
    bodies::option_kind_rows, std::to_array<Field>({
    describe::u8("flags", "1: updatable, 2: resettable, 4: secret, 8: read-only, 16: critical")
        .shown_as(describe::Shape::hex).selects(),
    describe::u32("default_length", "Bytes of the default").counts(),
    describe::data("default_value", "Value where none is given").having(secret_flag).secret(),
    describe::data("default_value", "Value where none is given").otherwise(),
}), bodies::option_text_rows);
inline constexpr Layout option_descriptor{"option_descriptor", "Option Descriptor of 0.12",
                                          option_descriptor_rows};
inline constexpr auto options_describe_reply_rows = std::to_array<Field>({
    describe::u32("count", "Options that follow").counts(),
    describe::repeat("entries", option_descriptor, "All options of the scope"),
});
inline constexpr Layout options_describe_reply{
    "options_describe_reply", "Options Describe Reply of 0.12", options_describe_reply_rows,
    bodies::options_describe_reply.subject};
inline constexpr auto options_describe_reply_body_rows =
    bodies::with_payload(options_describe_reply);
inline constexpr Layout options_describe_reply_body{
    "reply_body", "Reply to options.describe of 0.12", options_describe_reply_body_rows};

inline constexpr auto user_header_info_rows =
    joined(bodies::user_header_info_rows, derived_options_row);
inline constexpr Layout user_header_info{"user_header_info", "User Header of 0.12",
                                         user_header_info_rows};
inline constexpr auto user_details_rows = joined(std::to_array<Field>({
    describe::group("user", user_header_info, "The user"),
}), bodies::told_permissions_rows);
inline constexpr Layout user_details{"user_details", "User Details of 0.12", user_details_rows};

// 31
inline constexpr auto user_get_reply_rows = std::to_array<Field>({
    describe::group("details", user_details, "The user"),
});
inline constexpr Layout user_get_reply{
    "user_get_reply", "User Get Reply of 0.12", user_get_reply_rows,
    bodies::user_get_reply.subject};
inline constexpr auto user_get_reply_body_rows = bodies::with_payload(user_get_reply);
inline constexpr Layout user_get_reply_body{"reply_body", "Reply to user.get of 0.12",
                                            user_get_reply_body_rows};

// 32
inline constexpr auto user_list_reply_rows = std::to_array<Field>({
    describe::group("users", user_header_info, "All users").to_end(),
});
inline constexpr Layout user_list_reply{
    "user_list_reply", "User List Reply of 0.12", user_list_reply_rows,
    bodies::user_list_reply.subject};
inline constexpr auto user_list_reply_body_rows = bodies::with_payload(user_list_reply);
inline constexpr Layout user_list_reply_body{"reply_body", "Reply to user.list of 0.12",
                                             user_list_reply_body_rows};

// 33
inline constexpr auto user_create_reply_rows = std::to_array<Field>({
    describe::group("details", user_details, "The new user"),
});
inline constexpr Layout user_create_reply{
    "user_create_reply", "User Create Reply of 0.12", user_create_reply_rows,
    bodies::user_create_reply.subject};
inline constexpr auto user_create_reply_body_rows = bodies::with_result(user_create_reply);
inline constexpr Layout user_create_reply_body{"reply_body", "Reply to user.create of 0.12",
                                               user_create_reply_body_rows};

// clang-format on

}  // namespace iggy::v0_12
