// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The catalogue of options: which builds know which keys, and which values stay hidden.
#include "iggy/options.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "iggy/bodies/header_kinds.hpp"

namespace iggy {
namespace {

std::set<std::string_view> keys_of(std::uint8_t scope, Train train) {
  std::set<std::string_view> keys;
  for (const Option& option : option_list::options)
    if ((option.scopes & scope) != 0 && option.is_known_to(train)) keys.insert(option.key);
  return keys;
}

TEST(Options, KeysAreUniqueAndKindsAreKnown) {
  std::set<std::string_view> keys;
  for (const Option& option : option_list::options) {
    EXPECT_TRUE(keys.insert(option.key).second) << option.key;
    EXPECT_NE(bodies::find_header_kind(option.kind), nullptr) << option.key;
    EXPECT_NE(option.scopes, 0) << option.key;
    EXPECT_LE(option.since, option.until) << option.key;
    EXPECT_FALSE(option.meaning.empty()) << option.key;
    EXPECT_EQ(find_option(option.key), &option);
  }
  EXPECT_EQ(find_option("no_such_key"), nullptr);
  EXPECT_EQ(find_option(""), nullptr);
}

TEST(Options, TopicsByBuild) {
  EXPECT_TRUE(keys_of(option_scope::topic, Train::v0_11_0_edge_2).empty());
  const auto edge = keys_of(option_scope::topic, Train::v0_11_0_edge_7);
  EXPECT_EQ(edge.size(), 8U);
  EXPECT_TRUE(edge.contains("enforce_fsync"));
  const auto release = keys_of(option_scope::topic, Train::v0_11_0);
  EXPECT_EQ(release.size(), 9U);
  EXPECT_FALSE(release.contains("enforce_fsync"));
  EXPECT_TRUE(release.contains("durability") && release.contains("consumer_offset_durability"));
  EXPECT_FALSE(keys_of(option_scope::topic, Train::v0_12_1).contains("replication_factor"));
  EXPECT_TRUE(keys_of(option_scope::topic, Train::v0_12_2_first).contains("replication_factor"));
}

TEST(Options, StreamsAndUsersHaveNoneBefore0_12) {
  EXPECT_TRUE(keys_of(option_scope::stream, Train::v0_11_0).empty());
  EXPECT_TRUE(keys_of(option_scope::user, Train::v0_11_0).empty());
  EXPECT_TRUE(keys_of(option_scope::stream, Train::v0_12_0_first).contains("encryption_key"));
}

TEST(Options, OneValueIsSecret) {
  std::set<std::string_view> secrets;
  for (const Option& option : option_list::options)
    if (option.is_secret) secrets.insert(option.key);
  EXPECT_EQ(secrets, std::set<std::string_view>{"encryption_key"});
}

}  // namespace
}  // namespace iggy
