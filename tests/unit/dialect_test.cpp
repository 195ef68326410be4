// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Builds that announce one version: which are known, and which failures their differences explain.
#include "conversation/dialect.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "iggy/exchanges.hpp"
#include "iggy/options.hpp"

namespace iggy::conversation {
namespace {

SessionState between(Train client, Train server) {
  SessionState session;
  session.client_train = client;
  session.server_train = server;
  return session;
}

Asked asked(std::uint32_t code) {
  Asked request;
  request.code = code;
  return request;
}

bool shows(std::uint32_t code, Outcome outcome, const SessionState& session) {
  return difference_shown(asked(code), outcome, session).has_value();
}

// What the difference is said to be; empty where none is shown.
std::string_view lacking(std::uint32_t code, Outcome outcome, const SessionState& session) {
  const auto shown = difference_shown(asked(code), outcome, session);
  return shown ? shown->what : std::string_view();
}

std::uint32_t bit_of(std::string_view key) {
  return 1U << (find_option(key) - std::begin(option_list::options));
}

constexpr Outcome not_read{OutcomeKind::status, 3};
constexpr Outcome not_found{OutcomeKind::status, 20};
constexpr Outcome unknown_key{OutcomeKind::status, 4041};
constexpr Outcome silent{OutcomeKind::unanswered, 0};
constexpr Outcome done{OutcomeKind::ok, 0};

std::optional<Train> of_0_11_0(std::string_view sdk, std::string_view version) {
  return train_of(sdk, version, version_0_11_0);
}

TEST(Trains, AreToldByTheStringsOfABuild) {
  EXPECT_EQ(of_0_11_0("server", "0.9.0-edge.5"), Train::v0_11_0_edge_4);
  EXPECT_EQ(of_0_11_0("rust-sdk", "0.11.0-edge.4"), Train::v0_11_0_edge_4);
  EXPECT_EQ(of_0_11_0("node-sdk", "0.10.0-edge.4"), Train::v0_11_0_edge_4);
  EXPECT_EQ(of_0_11_0("go-sdk", "0.9.0-edge.4"), Train::v0_11_0_edge_4);
  EXPECT_EQ(of_0_11_0("server", "0.9.0"), of_0_11_0("rust-sdk", "0.11.0"));
  EXPECT_EQ(of_0_11_0("java-sdk", "0.9.0-SNAPSHOT"), std::nullopt);
  EXPECT_EQ(of_0_11_0("raw-client", "0.11.0"), std::nullopt);
  EXPECT_EQ(of_0_11_0("server", "0.9.0-edge.6"), std::nullopt);
  EXPECT_EQ(version_in(Train::v0_11_0_edge_4, "rust-sdk"), "0.11.0-edge.4");
  EXPECT_EQ(version_in(Train::v0_11_0_edge_7, "server"), "");
}

TEST(Trains, AreNotToldWhereTheNumberIsAnothers) {
  EXPECT_EQ(train_of("rust-sdk", "0.11.1-edge.4", version_0_12_0), Train::v0_12_0_second);
  EXPECT_EQ(train_of("rust-sdk", "0.11.1-edge.4", make_version(0, 12, 1)), std::nullopt);
  EXPECT_EQ(train_of("rust-sdk", "0.11.0", version_0_11_1), std::nullopt);
}

TEST(Trains, AnnounceTheirNumber) {
  EXPECT_EQ(number_of(Train::v0_11_0_edge_1), version_0_11_0);
  EXPECT_EQ(number_of(Train::v0_11_0), version_0_11_0);
  EXPECT_EQ(number_of(Train::v0_11_1_edge_1), version_0_11_1);
  EXPECT_EQ(number_of(Train::v0_12_0_third), version_0_12_0);
  EXPECT_EQ(number_of(Train::v0_12_1), make_version(0, 12, 1));
  EXPECT_EQ(number_of(Train::v0_12_2_first), make_version(0, 12, 2));
  EXPECT_EQ(number_of(Train::newest), make_version(0, 12, 2));
  EXPECT_TRUE(tells_train_of_servers(version_0_11_0));
  EXPECT_FALSE(tells_train_of_servers(version_0_12_0));
}

TEST(Trains, ABuildIsListedOnce) {
  std::set<std::pair<std::string_view, std::string_view>> builds;
  for (const Build& build : build_list::builds)
    EXPECT_TRUE(builds.insert({build.sdk, build.version}).second) << build.version;
}

TEST(Difference, NeedsTwoKnownTrains) {
  const SessionState differ = between(Train::v0_11_0_edge_3, Train::v0_11_0_edge_4);
  EXPECT_TRUE(shows(101, silent, differ));
  EXPECT_FALSE(shows(101, silent, between(Train::v0_11_0_edge_4, Train::v0_11_0_edge_4)));
  SessionState unknown = differ;
  unknown.server_train.reset();
  EXPECT_FALSE(shows(101, silent, unknown));
  unknown = differ;
  unknown.client_train.reset();
  EXPECT_FALSE(shows(101, silent, unknown));
}

TEST(Difference, LiesBetweenTheBuildsOrIsNone) {
  // Builds of edge.4 and the release send messages alike.
  EXPECT_FALSE(shows(101, silent, between(Train::v0_11_0_edge_4, Train::v0_11_0)));
  EXPECT_TRUE(shows(101, silent, between(Train::v0_11_0, Train::v0_11_0_edge_3)));
  EXPECT_FALSE(shows(100, silent, between(Train::v0_11_0, Train::v0_11_0_edge_3)));
  EXPECT_FALSE(shows(101, done, between(Train::v0_11_0_edge_3, Train::v0_11_0_edge_4)));
}

TEST(Difference, OfBodiesIsShownByTheStatus) {
  const SessionState options = between(Train::v0_11_0_edge_2, Train::v0_11_0_edge_3);
  for (const std::uint32_t code : {202U, 204U, 302U, 304U, 33U, 35U})
    EXPECT_EQ(lacking(code, not_read, options),
              "options at the end of bodies that create and update")
        << code;
  for (const std::uint32_t code : {203U, 205U, 303U, 305U, 402U, 403U})
    EXPECT_EQ(lacking(code, not_read, options),
              "the rules for bodies of changes that came with the options of creations and updates")
        << code;
  // Of users, only creations and updates are of other bodies.
  for (const std::uint32_t code : {34U, 36U, 37U, 201U, 301U, 503U, 602U})
    EXPECT_FALSE(shows(code, not_read, options)) << code;
  EXPECT_FALSE(shows(302, not_found, options));
  EXPECT_FALSE(shows(203, not_read, between(Train::v0_11_0_edge_3, Train::v0_11_0_edge_4)));
  const SessionState level = between(Train::v0_11_0_edge_3, Train::v0_11_0_edge_4);
  EXPECT_TRUE(shows(121, not_found, level));
  EXPECT_TRUE(shows(122, not_read, level));
  // A newer client writes one byte more, which is read over.
  EXPECT_FALSE(shows(121, not_found, between(Train::v0_11_0_edge_4, Train::v0_11_0_edge_3)));
}

TEST(Difference, IsNotShownByWhatIsDone) {
  for (const std::uint32_t code : {33U, 101U, 121U, 302U})
    EXPECT_FALSE(shows(code, done, between(Train::v0_11_0_edge_2, Train::v0_11_0))) << code;
}

TEST(Difference, OfCommandsIsOfNewerClients) {
  for (const std::uint32_t code : {14U, 103U, 104U, 123U}) {
    EXPECT_TRUE(shows(code, not_read, between(Train::v0_11_0, Train::v0_11_0_edge_4)));
    EXPECT_FALSE(shows(code, not_read, between(Train::v0_11_0_edge_4, Train::v0_11_0)));
  }
}

// Servers of 0.12 do not tell their build.
SessionState unlisted(Train client, Version server) {
  SessionState session;
  session.client_train = client;
  session.server_number = server;
  return session;
}

TEST(Difference, OfCommandsIsToldByTheAnswerWhereServersTellNoBuild) {
  const auto lacks = [](std::uint32_t code, Train client, Outcome outcome = not_read) {
    const auto shown = difference_shown(asked(code), outcome, unlisted(client, number_of(client)));
    return shown && shown->lacking == Side::server && shown->is_command && shown->is_inferred;
  };
  EXPECT_TRUE(lacks(17, Train::v0_12_0_second));
  EXPECT_TRUE(lacks(17, Train::v0_12_0_third));
  for (const std::uint32_t code : {106U, 107U}) EXPECT_TRUE(lacks(code, Train::v0_12_0_third));
  // The client's own build does not have it: an application's doing.
  EXPECT_FALSE(lacks(17, Train::v0_12_0_first));
  EXPECT_FALSE(lacks(106, Train::v0_12_0_second));
  // All builds of the number have it, and its body was not read.
  EXPECT_FALSE(lacks(17, Train::v0_12_1));
  EXPECT_FALSE(lacks(109, Train::v0_12_2_first));
  EXPECT_FALSE(lacks(105, Train::v0_12_0_third));
  EXPECT_FALSE(lacks(17, Train::v0_12_0_third, not_found));
  EXPECT_FALSE(lacks(17, Train::v0_12_0_third, done));
  // Versions of servers that speak 0.11.0 tell their build: one that is not listed is no evidence.
  EXPECT_FALSE(lacks(103, Train::v0_11_0));
  // The server announces another number, or none.
  EXPECT_FALSE(shows(17, not_read, unlisted(Train::v0_12_0_third, {})));
  EXPECT_FALSE(shows(17, not_read, unlisted(Train::v0_12_0_third, make_version(0, 12, 1))));
}

TEST(Difference, OfCommandsIsDisprovenByWhatTheServerDid) {
  SessionState session = unlisted(Train::v0_12_0_third, version_0_12_0);
  EXPECT_TRUE(shows(106, not_read, session));
  session.server_shown = Train::v0_12_0_second;
  EXPECT_TRUE(shows(106, not_read, session));
  EXPECT_FALSE(shows(17, not_read, session));
  session.server_shown = Train::v0_12_0_third;
  EXPECT_FALSE(shows(106, not_read, session));
  session.server_shown = {};
  Asked request = asked(106);
  request.may_be_served = false;
  EXPECT_FALSE(difference_shown(request, not_read, session));
}

TEST(Difference, NamesTheOptionsThatTheServerLacks) {
  const SessionState session = between(Train::v0_11_0, Train::v0_11_0_edge_4);
  Asked request = asked(302);
  EXPECT_FALSE(difference_shown(request, unknown_key, session));
  request.options = bit_of("segment_size");
  EXPECT_FALSE(difference_shown(request, unknown_key, session));
  request.options |= bit_of("durability");
  const auto shown = difference_shown(request, unknown_key, session);
  ASSERT_TRUE(shown);
  EXPECT_EQ(shown->options, bit_of("durability"));
  EXPECT_FALSE(difference_shown(request, {OutcomeKind::status, 4042}, session));
  request.options = bit_of("enforce_fsync");
  EXPECT_TRUE(
      difference_shown(request, unknown_key, between(Train::v0_11_0_edge_4, Train::v0_11_0)));
  // The client's own build does not have it either: an application's doing.
  EXPECT_FALSE(
      difference_shown(request, unknown_key, between(Train::v0_11_0_edge_8, Train::v0_11_0)));
}

TEST(Differences, OffsetsWithALevelHadCommandsOfTheirOwn) {
  const SessionState newer = between(Train::v0_11_0_edge_3, Train::v0_11_0);
  for (const std::uint32_t code :
       {command_code("consumer_offset.store.v2"), command_code("consumer_offset.delete.v2")}) {
    EXPECT_EQ(lacking(code, silent, newer).substr(0, 13), "offset writes");
    EXPECT_FALSE(shows(code, done, newer));
    EXPECT_FALSE(shows(code, silent, between(Train::v0_11_0_edge_3, Train::v0_11_0_edge_2)));
  }
  // Others may be silent for other reasons.
  EXPECT_FALSE(shows(command_code("consumer_offset.store"), silent, newer));
}

}  // namespace
}  // namespace iggy::conversation
