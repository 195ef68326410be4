// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Servers and clients: commands 10 to 22.
//
// Source: core/binary_protocol/src/requests/system and
// core/binary_protocol/src/responses/system.
#pragma once

#include <array>

#include "describe/field.hpp"
#include "iggy/bodies/enums.hpp"
#include "iggy/bodies/header_kinds.hpp"
#include "iggy/bodies/reply.hpp"
#include "iggy/bodies/sessions.hpp"
#include "iggy/login.hpp"

namespace iggy::bodies {

using describe::Field;
using describe::Layout;
using describe::Shape;
using describe::Thing;

// clang-format off

inline constexpr auto cache_metric_rows = std::to_array<Field>({
    describe::u32("stream_id", "The stream").identifies(Thing::stream),
    describe::u32("topic_id", "The topic").identifies(Thing::topic),
    describe::u32("partition_id", "The partition"),
    describe::u64("hits", "Reads from the cache"),
    describe::u64("misses", "Reads past the cache"),
    describe::f32("hit_ratio", "Share of the hits"),
});
inline constexpr Layout cache_metric{"cache_metric", "Cache Metric", cache_metric_rows};

// 10, whose request is empty
inline constexpr auto stats_reply_rows = std::to_array<Field>({
    describe::u32("process_id", "Process of the server"),
    describe::f32("cpu_usage", "Of the process, in percent"),
    describe::f32("total_cpu_usage", "Of the host, in percent"),
    describe::u64("memory_usage", "Bytes of the process"),
    describe::u64("total_memory", "Bytes of the host"),
    describe::u64("available_memory", "Bytes that the host has left"),
    describe::u64("run_time", "Microseconds since the start")
        .shown_as(Shape::duration),
    describe::u64("start_time", "When the server started").shown_as(Shape::microseconds),
    describe::u64("read_bytes", "Bytes read from disk"),
    describe::u64("written_bytes", "Bytes written to disk"),
    describe::u64("messages_size_bytes", "Bytes of all messages"),
    describe::u32("streams_count", "Streams"),
    describe::u32("topics_count", "Topics"),
    describe::u32("partitions_count", "Partitions"),
    describe::u32("segments_count", "Segments"),
    describe::u64("messages_count", "Messages"),
    describe::u32("clients_count", "Clients"),
    describe::u32("consumer_groups_count", "Consumer groups"),
    describe::u32("hostname_length", "Bytes of the text").counts(),
    describe::text("hostname", "Name of the host"),
    describe::u32("os_name_length", "Bytes of the text").counts(),
    describe::text("os_name", "Operating system"),
    describe::u32("os_version_length", "Bytes of the text").counts(),
    describe::text("os_version", "Version of the operating system"),
    describe::u32("kernel_version_length", "Bytes of the text").counts(),
    describe::text("kernel_version", "Version of the kernel"),
    describe::u32("iggy_server_version_length", "Bytes of the text").counts(),
    describe::text("iggy_server_version", "Version of the server program"),
    describe::u32("iggy_server_semver", "9000 is 0.9.0; 0: not told"),
    describe::u32("cache_metrics_count", "Cache metrics that follow").counts(),
    describe::repeat("cache_metrics", cache_metric, "How well caches do"),
    describe::u32("threads_count", "Threads of the process"),
    describe::u64("free_disk_space", "Bytes that the disk has left"),
    describe::u64("total_disk_space", "Bytes of the disk"),
});
inline constexpr Layout stats_reply{"stats_reply", "Stats Reply", stats_reply_rows,
    "server {iggy_server_version}, {streams_count|stream}, {topics_count|topic}, "
    "{messages_count|message}, {clients_count|client}"};
inline constexpr auto stats_reply_body_rows = with_payload(stats_reply);
inline constexpr Layout stats_reply_body{"reply_body", "Reply to stats", stats_reply_body_rows};

// 11
inline constexpr auto snapshot_rows = std::to_array<Field>({
    describe::u8("compression", "How the archive is packed").named(snapshot_compressions),
    describe::u8("types_count", "Types that follow").counts(),
    describe::u8("snapshot_types", "What is asked for").named(bodies::snapshot_types).counted(),
});
inline constexpr Layout snapshot{"snapshot", "Snapshot", snapshot_rows,
    "{compression}: {snapshot_types}"};
inline constexpr auto snapshot_reply_rows = std::to_array<Field>({
    describe::rest("archive", "A ZIP file").payload(),
});
inline constexpr Layout snapshot_reply{"snapshot_reply", "Snapshot Reply", snapshot_reply_rows};
inline constexpr auto snapshot_reply_body_rows = with_payload(snapshot_reply);
inline constexpr Layout snapshot_reply_body{"reply_body", "Reply to snapshot",
                                            snapshot_reply_body_rows};

// 12, whose request is empty
inline constexpr auto cluster_rows = std::to_array<Field>({
    describe::u32("name_length", "Bytes of the name").counts(),
    describe::text("name", "Name of the cluster"),
    describe::u32("nodes_count", "Nodes that follow").counts(),
});
inline constexpr auto cluster_metadata_reply_rows = joined(cluster_rows, std::to_array<Field>({
    describe::repeat("nodes", cluster_node, "Nodes of the cluster"),
}));
inline constexpr Layout cluster_metadata_reply{
    "cluster_metadata_reply", "Cluster Metadata Reply", cluster_metadata_reply_rows,
    "{name}, {nodes_count|node}"};
inline constexpr auto cluster_metadata_reply_body_rows = with_payload(cluster_metadata_reply);
inline constexpr Layout cluster_metadata_reply_body{"reply_body", "Reply to cluster.metadata",
                                                    cluster_metadata_reply_body_rows};

inline constexpr auto option_kind_rows = std::to_array<Field>({
    describe::group("key", login::name, "Key of the option"),
    describe::u8("kind", "What its value is").named(header_kinds).tells_kind(),
});
inline constexpr auto option_default_rows = std::to_array<Field>({
    describe::u32("default_length", "Bytes of the default").counts(),
    describe::data("default_value", "Value where none is given"),
});
inline constexpr auto option_text_rows = std::to_array<Field>({
    describe::u32("description_length", "Bytes of the description").counts(),
    describe::text("description", "What it does"),
});
inline constexpr auto option_descriptor_rows = joined(option_kind_rows, option_default_rows,
                                                     option_text_rows);
inline constexpr Layout option_descriptor{"option_descriptor", "Option Descriptor",
                                          option_descriptor_rows};

// 13
inline constexpr auto options_describe_rows = std::to_array<Field>({
    describe::u8("scope", "What the options are of").named(options_scopes),
});
inline constexpr Layout options_describe{
    "options_describe", "Options Describe", options_describe_rows, "{scope}"};
inline constexpr auto options_describe_reply_rows = std::to_array<Field>({
    describe::u32("count", "Options that follow").counts(),
    describe::repeat("entries", option_descriptor, "All options of the scope"),
});
inline constexpr Layout options_describe_reply{
    "options_describe_reply", "Options Describe Reply", options_describe_reply_rows,
    "{count|option}: {entries.key}"};
inline constexpr auto options_describe_reply_body_rows = with_payload(options_describe_reply);
inline constexpr Layout options_describe_reply_body{"reply_body", "Reply to options.describe",
                                                    options_describe_reply_body_rows};

// In a list the count is told and no groups follow.
inline constexpr auto client_info_rows = std::to_array<Field>({
    describe::u32("client_id", "Low half of the server's id of the connection").identity(),
    describe::u32("user_id", "Who is logged in; all ones: nobody").identity()
        .shown_as(describe::Shape::or_none),
    describe::u8("transport", "How it is connected").named(transports),
    describe::u32("address_length", "Bytes of the address").counts(),
    describe::text("address", "Address and port").identity(),
    describe::u32("consumer_groups_count", "Groups that it is in").counts(),
});
inline constexpr Layout client_info{"client_info", "Client Info", client_info_rows};

inline constexpr auto client_group_rows = std::to_array<Field>({
    describe::u32("stream_id", "The stream").identifies(Thing::stream),
    describe::u32("topic_id", "The topic").identifies(Thing::topic),
    describe::u32("group_id", "The consumer group").identifies(Thing::consumer_group),
});
inline constexpr Layout client_group{"client_group", "Client Group", client_group_rows};

inline constexpr auto client_details_rows = std::to_array<Field>({
    describe::group("client", client_info, "The client").counts(),
    describe::repeat("consumer_groups", client_group, "Groups that it is in"),
});
inline constexpr Layout client_details{"client_details", "Client Details", client_details_rows};

// 20, whose request is empty
inline constexpr auto me_reply_rows = std::to_array<Field>({
    describe::group("details", client_details, "The connection that asks"),
});
inline constexpr Layout me_reply{"me_reply", "Me Reply", me_reply_rows,
    "client {details.client.client_id}, user {details.client.user_id}, "
    "{details.client.transport} {details.client.address}"};
inline constexpr auto me_reply_body_rows = with_payload(me_reply);
inline constexpr Layout me_reply_body{"reply_body", "Reply to me", me_reply_body_rows};

// 21
inline constexpr auto client_get_rows = std::to_array<Field>({
    describe::u32("client_id", "The client, as a list of them names it").identity(),
});
inline constexpr Layout client_get{"client_get", "Client Get", client_get_rows, "{client_id}"};
inline constexpr auto client_get_reply_rows = std::to_array<Field>({
    describe::group("details", client_details, "The client"),
});
inline constexpr Layout client_get_reply{
    "client_get_reply", "Client Get Reply", client_get_reply_rows,
    "client {details.client.client_id}, user {details.client.user_id}, "
    "{details.client.transport} {details.client.address}"};
inline constexpr auto client_get_reply_body_rows = with_payload(client_get_reply);
inline constexpr Layout client_get_reply_body{"reply_body", "Reply to client.get",
                                              client_get_reply_body_rows};

// 22, whose request is empty
inline constexpr auto client_list_reply_rows = std::to_array<Field>({
    describe::group("clients", client_info, "All clients").to_end(),
});
inline constexpr Layout client_list_reply{
    "client_list_reply", "Client List Reply", client_list_reply_rows, "{clients.address}"};
inline constexpr auto client_list_reply_body_rows = with_payload(client_list_reply);
inline constexpr Layout client_list_reply_body{"reply_body", "Reply to client.list",
                                               client_list_reply_body_rows};

// clang-format on

}  // namespace iggy::bodies
