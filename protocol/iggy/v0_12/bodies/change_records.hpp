// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What has changed and what is there, by kind and by group: records and items of command 17.
//
// Source: core/binary_protocol/src/metadata_changes of crate 0.11.1-edge.8.
#pragma once

#include <array>
#include <cstdint>

#include "describe/field.hpp"
#include "iggy/bodies/encodings.hpp"
#include "iggy/bodies/permissions.hpp"
#include "iggy/frame.hpp"
#include "iggy/login.hpp"

namespace iggy::v0_12 {

using describe::Field;
using describe::Layout;
using describe::Shape;
using describe::Thing;

// clang-format off

inline constexpr describe::Name metadata_groups[] = {
    {1, "streams"},
    {2, "topics"},
    {3, "partitions"},
    {4, "consumer groups"},
    {5, "consumer group members"},
    {6, "users"},
    {7, "personal access tokens"},
    {8, "sessions"},
};
inline constexpr describe::Name metadata_kinds[] = {
    { 1, "stream created"},
    { 2, "stream updated"},
    { 3, "stream deleted"},
    {10, "topic created"},
    {11, "topic updated"},
    {12, "topic deleted"},
    {20, "partitions changed"},
    {30, "consumer group created"},
    {31, "consumer group deleted"},
    {40, "consumer group member joined"},
    {41, "consumer group member left"},
    {42, "consumer group partition handed over"},
    {50, "user created"},
    {51, "user updated"},
    {52, "user deleted"},
    {53, "user password changed"},
    {54, "user permissions updated"},
    {60, "personal access token created"},
    {61, "personal access token deleted"},
    {70, "session registered"},
    {71, "session closed"},
};
inline constexpr describe::Name change_options_states[] = {{0, "readable"}, {1, "unreadable"}};
inline constexpr describe::Name member_left_reasons[] = {{0, "left"}, {1, "session ended"}};
inline constexpr describe::Name token_deleted_reasons[] = {{0, "deleted"}, {1, "expired"}};
inline constexpr describe::Name session_closed_reasons[] = {
    {0, "logout"},
    {1, "expired"},
    {2, "revoked"},
};
inline constexpr describe::Name permissions_updated_reasons[] = {
    {0, "updated"},
    {1, "resource deleted"},
};

// Values behind a flag that says whether they are there.
inline constexpr auto flag_row = std::to_array<Field>({
    describe::u8("flag", "Whether the value follows").at_most(1).named(bodies::presence).selects(),
});
inline constexpr auto optional_u64_rows = joined(flag_row, std::to_array<Field>({
    describe::u64("value", "The value").on(1),
}));
inline constexpr Layout optional_u64{"optional_u64", "Optional Number of 64 Bits",
                                     optional_u64_rows};
inline constexpr auto optional_u32_rows = joined(flag_row, std::to_array<Field>({
    describe::u32("value", "The value").on(1),
}));
inline constexpr Layout optional_u32{"optional_u32", "Optional Number of 32 Bits",
                                     optional_u32_rows};
inline constexpr auto optional_user_rows = joined(flag_row, std::to_array<Field>({
    describe::u32("value", "The user").on(1).identity(),
}));
inline constexpr Layout optional_user{"optional_user", "Optional User", optional_user_rows};

// Things by their id and the log position that made them, so that an id can be used again.
inline constexpr auto mc_stream_key_rows = std::to_array<Field>({
    describe::u32("stream_id", "The stream").identifies(Thing::stream),
    describe::u64("stream_created_op", "Metadata op that created it"),
});
inline constexpr Layout mc_stream_key{"mc_stream_key", "Stream Key", mc_stream_key_rows};
inline constexpr auto mc_topic_key_rows = std::to_array<Field>({
    describe::group("stream", mc_stream_key, "The stream"),
    describe::u32("topic_id", "The topic").identifies(Thing::topic),
    describe::u64("topic_created_op", "Metadata op that created it"),
});
inline constexpr Layout mc_topic_key{"mc_topic_key", "Topic Key", mc_topic_key_rows};
inline constexpr auto mc_user_key_rows = std::to_array<Field>({
    describe::u32("user_id", "The user").identity(),
    describe::u64("user_created_at", "When it was created").shown_as(Shape::microseconds),
});
inline constexpr Layout mc_user_key{"mc_user_key", "User Key", mc_user_key_rows};

inline constexpr auto mc_options_rows = std::to_array<Field>({
    describe::u8("state", "Whether the options follow").named(change_options_states).selects(),
    describe::group("explicit", bodies::prefixed_options, "What clients have set").on(0),
    describe::group("derived", bodies::prefixed_options, "What the server has filled in").on(0),
});
inline constexpr Layout mc_options{"mc_options", "Options of a Change", mc_options_rows};
inline constexpr auto mc_permissions_rows = joined(flag_row, std::to_array<Field>({
    describe::group("permissions", bodies::permissions, "What the user may do").on(1),
}));
inline constexpr Layout mc_permissions{"mc_permissions", "Permissions of a Change",
                                       mc_permissions_rows};
inline constexpr auto mc_ids_rows = std::to_array<Field>({
    describe::u32("count", "Numbers that follow").counts(),
    describe::u32("ids", "Partitions, in order").counted(),
});
inline constexpr Layout mc_ids{"mc_ids", "Partitions of a Change", mc_ids_rows};

// What several of them begin or end with.
inline constexpr auto stream_key_row = std::to_array<Field>({
    describe::group("key", mc_stream_key, "The stream"),
});
inline constexpr auto topic_key_row = std::to_array<Field>({
    describe::group("key", mc_topic_key, "The topic"),
});
inline constexpr auto of_topic_row = std::to_array<Field>({
    describe::group("topic", mc_topic_key, "The topic"),
});
inline constexpr auto created_rows = std::to_array<Field>({
    describe::u64("created_at", "When it was created").shown_as(Shape::microseconds),
    describe::group("name", login::name, "Its name").identifies(Thing::named_last),
});
inline constexpr auto partitions_count_row = std::to_array<Field>({
    describe::u32("partitions_count", "Partitions of the topic"),
});
inline constexpr auto mc_options_row = std::to_array<Field>({
    describe::group("options", mc_options, "Its options"),
});
inline constexpr auto requested_op_row = std::to_array<Field>({
    describe::group("requested_op", optional_u64, "Metadata op that asked for it, where earlier"),
});
inline constexpr auto group_rows = joined(of_topic_row, std::to_array<Field>({
    describe::u32("group_id", "The consumer group").identifies(Thing::consumer_group),
}));
inline constexpr auto group_name_rows = joined(group_rows, std::to_array<Field>({
    describe::group("name", login::name, "Its name").identifies(Thing::named_last),
}));
inline constexpr auto groups_count_row = std::to_array<Field>({
    describe::u32("consumer_groups_count", "Consumer groups of the topic"),
});
inline constexpr auto member_rows = joined(group_rows, std::to_array<Field>({
    describe::u32("member_id", "Place in the group"),
    describe::u128("client_id", "Client that is the member").identity().shown_as(Shape::hex),
}));
inline constexpr auto members_count_row = std::to_array<Field>({
    describe::u32("members_count", "Members of the group"),
});
inline constexpr auto member_partitions_row = std::to_array<Field>({
    describe::group("partitions", mc_ids, "Partitions of the member"),
});
inline constexpr auto account_rows = std::to_array<Field>({
    describe::group("key", mc_user_key, "The user"),
    describe::group("username", login::account_name, "The user's name"),
});
inline constexpr auto account_permissions_row = std::to_array<Field>({
    describe::group("permissions", mc_permissions, "What the user may do"),
});
inline constexpr auto of_user_row = std::to_array<Field>({
    describe::group("user", mc_user_key, "The user"),
});
inline constexpr auto token_name_rows = joined(of_user_row, std::to_array<Field>({
    describe::group("name", login::name, "Name of the token"),
}));

inline constexpr auto mc_stream_rows = joined(stream_key_row, created_rows, mc_options_row);
inline constexpr Layout mc_stream{"mc_stream", "Stream of a Change", mc_stream_rows};
inline constexpr auto mc_stream_deleted_rows =
    joined(stream_key_row, created_rows, requested_op_row);
inline constexpr Layout mc_stream_deleted{"mc_stream_deleted", "Deleted Stream",
                                          mc_stream_deleted_rows};
inline constexpr auto mc_topic_rows =
    joined(topic_key_row, created_rows, partitions_count_row, mc_options_row);
inline constexpr Layout mc_topic{"mc_topic", "Topic of a Change", mc_topic_rows};
inline constexpr auto mc_topic_item_rows = joined(topic_key_row, created_rows, mc_options_row);
inline constexpr Layout mc_topic_item{"mc_topic_item", "Topic Item", mc_topic_item_rows};
inline constexpr auto mc_topic_deleted_rows = joined(topic_key_row, created_rows, requested_op_row);
inline constexpr Layout mc_topic_deleted{"mc_topic_deleted", "Deleted Topic",
                                         mc_topic_deleted_rows};
inline constexpr auto mc_partitions_changed_rows = joined(
    of_topic_row, partitions_count_row, std::to_array<Field>({
    describe::group("removed", mc_ids, "Partitions that are gone"),
}), requested_op_row);
inline constexpr Layout mc_partitions_changed{"mc_partitions_changed", "Changed Partitions",
                                              mc_partitions_changed_rows};
inline constexpr auto mc_partitions_item_rows = joined(of_topic_row, partitions_count_row);
inline constexpr Layout mc_partitions_item{"mc_partitions_item", "Partitions Item",
                                           mc_partitions_item_rows};
inline constexpr auto mc_group_created_rows = joined(group_name_rows, groups_count_row);
inline constexpr Layout mc_group_created{"mc_group_created", "Created Consumer Group",
                                         mc_group_created_rows};
inline constexpr auto mc_group_deleted_rows =
    joined(group_name_rows, groups_count_row, requested_op_row);
inline constexpr Layout mc_group_deleted{"mc_group_deleted", "Deleted Consumer Group",
                                         mc_group_deleted_rows};
inline constexpr Layout mc_group_item{"mc_group_item", "Consumer Group Item", group_name_rows};
inline constexpr auto mc_member_joined_rows =
    joined(member_rows, members_count_row, member_partitions_row);
inline constexpr Layout mc_member_joined{"mc_member_joined", "Member That Joined",
                                         mc_member_joined_rows};
inline constexpr auto mc_member_left_rows = joined(
    member_rows, members_count_row, std::to_array<Field>({
    describe::u8("reason", "Why").named(member_left_reasons),
}));
inline constexpr Layout mc_member_left{"mc_member_left", "Member That Left", mc_member_left_rows};
inline constexpr auto mc_handed_over_rows = joined(group_rows, std::to_array<Field>({
    describe::u32("partition_id", "The partition"),
    describe::group("member_id", optional_u32, "Who reads it now; absent where nobody is left"),
}));
inline constexpr Layout mc_handed_over{"mc_handed_over", "Handed Over Partition",
                                       mc_handed_over_rows};
inline constexpr auto mc_member_item_rows = joined(member_rows, member_partitions_row);
inline constexpr Layout mc_member_item{"mc_member_item", "Member Item", mc_member_item_rows};
inline constexpr auto mc_user_rows = joined(account_rows, std::to_array<Field>({
    describe::u8("status", "Whether the user may log in").named(bodies::user_statuses),
}), account_permissions_row, mc_options_row);
inline constexpr Layout mc_user{"mc_user", "User of a Change", mc_user_rows};
inline constexpr Layout mc_user_identity{"mc_user_identity", "Identity of a User", account_rows};
inline constexpr auto mc_user_permissions_rows = joined(
    account_rows, account_permissions_row, std::to_array<Field>({
    describe::u8("reason", "Why").named(permissions_updated_reasons),
}));
inline constexpr Layout mc_user_permissions{"mc_user_permissions", "Changed Permissions",
                                            mc_user_permissions_rows};
inline constexpr auto mc_token_rows = joined(token_name_rows, std::to_array<Field>({
    describe::u64("expiry", "When it ends; 0: never").shown_as(Shape::microseconds),
}));
inline constexpr Layout mc_token{"mc_token", "Token of a Change", mc_token_rows};
inline constexpr auto mc_token_deleted_rows = joined(token_name_rows, std::to_array<Field>({
    describe::u8("reason", "Why").named(token_deleted_reasons),
}));
inline constexpr Layout mc_token_deleted{"mc_token_deleted", "Deleted Token",
                                         mc_token_deleted_rows};
inline constexpr auto mc_session_rows = joined(of_user_row, std::to_array<Field>({
    describe::u128("client_id", "Client of the session").identity().shown_as(Shape::hex),
    describe::u64("session", "The session"),
}));
inline constexpr Layout mc_session{"mc_session", "Session of a Change", mc_session_rows};
inline constexpr auto mc_session_closed_rows = joined(mc_session_rows, std::to_array<Field>({
    describe::u8("reason", "Why").named(session_closed_reasons),
}));
inline constexpr Layout mc_session_closed{"mc_session_closed", "Closed Session",
                                          mc_session_closed_rows};

// What a record of a kind, or an item of a group, holds. Items tell what things are called now;
// records tell what they were called once.
struct ChangeBody {
  std::uint8_t number = 0;
  const Layout* layout = nullptr;
  Thing named = Thing::none;
};
inline constexpr auto change_bodies = std::to_array<ChangeBody>({
    { 1, &mc_stream},
    { 2, &mc_stream},
    { 3, &mc_stream_deleted},
    {10, &mc_topic},
    {11, &mc_topic},
    {12, &mc_topic_deleted},
    {20, &mc_partitions_changed},
    {30, &mc_group_created},
    {31, &mc_group_deleted},
    {40, &mc_member_joined},
    {41, &mc_member_left},
    {42, &mc_handed_over},
    {50, &mc_user},
    {51, &mc_user},
    {52, &mc_user_identity},
    {53, &mc_user_identity},
    {54, &mc_user_permissions},
    {60, &mc_token},
    {61, &mc_token_deleted},
    {70, &mc_session},
    {71, &mc_session_closed},
});
inline constexpr auto item_bodies = std::to_array<ChangeBody>({
    {1, &mc_stream, Thing::stream},
    {2, &mc_topic_item, Thing::topic},
    {3, &mc_partitions_item},
    {4, &mc_group_item, Thing::consumer_group},
    {5, &mc_member_item},
    {6, &mc_user},
    {7, &mc_token},
    {8, &mc_session},
});

// clang-format on

}  // namespace iggy::v0_12
