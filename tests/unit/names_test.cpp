// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The catalogue of names: what is known as of when, what ends it, and its bounds.
#include "conversation/names.hpp"

#include <gtest/gtest.h>

#include <string>

namespace iggy::conversation {
namespace {

using Version = NameCatalogue::Version;

NameKey stream(std::uint32_t server, std::uint32_t number) {
  return {server, Thing::stream, 0, 0, number};
}
NameKey topic(std::uint32_t server, std::uint32_t stream, std::uint32_t number) {
  return {server, Thing::topic, stream, 0, number};
}
NameKey group(std::uint32_t server, std::uint32_t stream, std::uint32_t topic,
              std::uint32_t number) {
  return {server, Thing::consumer_group, stream, topic, number};
}

class Names : public testing::Test {
 protected:
  std::string_view name_of(const NameKey& key) const { return names.name_of(key, names.version()); }
  std::optional<std::uint32_t> number_of(const NameKey& key, std::string_view name) const {
    return names.number_of(key, name, names.version());
  }
  NameCatalogue names;
  std::uint32_t server = names.server("10.0.0.2:8090");
};

TEST_F(Names, AreThoseOfOneServer) {
  const std::uint32_t other = names.server("10.0.0.3:8090");
  EXPECT_NE(server, other);
  EXPECT_EQ(names.server("10.0.0.2:8090"), server);
  names.learn(stream(server, 1), "orders");
  EXPECT_EQ(name_of(stream(server, 1)), "orders");
  EXPECT_EQ(name_of(stream(other, 1)), "");
  EXPECT_EQ(number_of(stream(server, 0), "orders"), 1U);
  EXPECT_EQ(number_of(stream(other, 0), "orders"), std::nullopt);
}

TEST_F(Names, AreThoseOfOneStreamAndTopic) {
  names.learn(topic(server, 1, 7), "invoices");
  names.learn(group(server, 1, 7, 3), "billing");
  EXPECT_EQ(name_of(topic(server, 1, 7)), "invoices");
  EXPECT_EQ(name_of(topic(server, 2, 7)), "");
  EXPECT_EQ(name_of(group(server, 1, 7, 3)), "billing");
  EXPECT_EQ(name_of(group(server, 1, 8, 3)), "");
}

TEST_F(Names, AreAsOfTheTimeThatIsAskedFor) {
  const Version before = names.version();
  names.learn(stream(server, 1), "orders");
  const Version first = names.version();
  names.learn(stream(server, 1), "purchases");
  const Version renamed = names.version();
  names.forget(stream(server, 1));
  const Version gone = names.version();
  names.learn(stream(server, 1), "orders");
  EXPECT_EQ(names.name_of(stream(server, 1), before), "");
  EXPECT_EQ(names.name_of(stream(server, 1), first), "orders");
  EXPECT_EQ(names.name_of(stream(server, 1), renamed), "purchases");
  EXPECT_EQ(names.name_of(stream(server, 1), gone), "");
  EXPECT_EQ(name_of(stream(server, 1)), "orders");
  EXPECT_EQ(names.number_of(stream(server, 0), "orders", first), 1U);
  EXPECT_EQ(names.number_of(stream(server, 0), "orders", renamed), std::nullopt);
  EXPECT_EQ(names.number_of(stream(server, 0), "orders", gone), std::nullopt);
  EXPECT_EQ(number_of(stream(server, 0), "orders"), 1U);
}

TEST_F(Names, EndWithWhatTheyLieIn) {
  names.learn(stream(server, 1), "orders");
  names.learn(topic(server, 1, 7), "invoices");
  names.learn(group(server, 1, 7, 3), "billing");
  const Version all = names.version();
  names.forget(topic(server, 1, 7));
  EXPECT_EQ(name_of(stream(server, 1)), "orders");
  EXPECT_EQ(name_of(group(server, 1, 7, 3)), "");
  names.learn(topic(server, 1, 7), "receipts");
  EXPECT_EQ(name_of(group(server, 1, 7, 3)), "");
  names.forget(stream(server, 1));
  EXPECT_EQ(name_of(topic(server, 1, 7)), "");
  names.learn(stream(server, 1), "others");
  EXPECT_EQ(name_of(topic(server, 1, 7)), "");
  EXPECT_EQ(names.name_of(group(server, 1, 7, 3), all), "billing");
}

// A stream whose own name was never told may go as well.
TEST_F(Names, EndWithAStreamThatHasNoName) {
  names.learn(topic(server, 1, 7), "invoices");
  names.forget(stream(server, 1));
  EXPECT_EQ(name_of(topic(server, 1, 7)), "");
}

TEST_F(Names, ThatAreToldAgainChangeNothing) {
  names.learn(stream(server, 1), "orders");
  const Version first = names.version();
  names.learn(stream(server, 1), "orders");
  EXPECT_EQ(names.version(), first);
  names.forget(stream(server, 1));
  const Version gone = names.version();
  names.forget(stream(server, 1));
  EXPECT_EQ(names.version(), gone);
}

TEST_F(Names, MoveFromOneNumberToAnother) {
  names.learn(stream(server, 1), "orders");
  names.learn(stream(server, 1), "old-orders");
  names.learn(stream(server, 2), "orders");
  EXPECT_EQ(number_of(stream(server, 0), "orders"), 2U);
  EXPECT_EQ(number_of(stream(server, 0), "old-orders"), 1U);
}

// A reply that waited for an earlier one tells of the time of its own packet.
TEST_F(Names, StandWhereTheirPacketDoes) {
  names.learn(stream(server, 1), "purchases", 100);
  names.learn(stream(server, 1), "orders", 10);
  names.learn(stream(server, 2), "logs", 100);
  names.forget(stream(server, 2), 50);
  names.learn(stream(server, 3), "old", 10);
  names.forget(stream(server, 3), 50);
  const auto at = [this](std::uint32_t number, std::uint64_t packet) {
    return names.name_of(stream(server, number), names.version(packet));
  };
  EXPECT_EQ(at(1, 9), "");
  EXPECT_EQ(at(1, 10), "orders");
  EXPECT_EQ(at(1, 99), "orders");
  EXPECT_EQ(at(1, 200), "purchases");
  EXPECT_EQ(at(2, 99), "");
  EXPECT_EQ(at(2, 200), "logs");
  EXPECT_EQ(at(3, 49), "old");
  EXPECT_EQ(at(3, 200), "");
}

TEST_F(Names, AreOfOneThingAtATime) {
  names.learn(stream(server, 1), "orders");
  names.learn(stream(server, 2), "orders");
  EXPECT_EQ(name_of(stream(server, 1)), "");
  EXPECT_EQ(name_of(stream(server, 2)), "orders");
  names.learn(topic(server, 1, 7), "invoices");
  names.learn(topic(server, 2, 8), "invoices");
  EXPECT_EQ(name_of(topic(server, 1, 7)), "invoices");
}

TEST_F(Names, TellHowOftenTheyTurned) {
  const auto turns = [this] {
    return names.turns_of(stream(server, 0), "orders", names.version());
  };
  const auto ends = [this](const NameKey& key) { return names.ends_of(key, names.version()); };
  EXPECT_EQ(turns(), 0U);
  names.learn(stream(server, 1), "orders");
  const Version first = names.version();
  EXPECT_EQ(turns(), 0U);
  names.learn(stream(server, 1), "old-orders");
  EXPECT_EQ(turns(), 1U);
  EXPECT_EQ(ends(stream(server, 1)), 0U);
  names.learn(stream(server, 2), "orders");
  EXPECT_EQ(turns(), 2U);
  names.forget(stream(server, 2));
  EXPECT_EQ(turns(), 3U);
  EXPECT_EQ(ends(stream(server, 2)), 1U);
  EXPECT_EQ(ends(topic(server, 2, 7)), 1U);
  EXPECT_EQ(ends(topic(server, 1, 7)), 0U);
  EXPECT_EQ(names.turns_of(stream(server, 0), "orders", first), 0U);
}

// Of a thing that nobody knows the number of any may be gone; its name is of no known one.
TEST_F(Names, OutliveWhatHadAnotherName) {
  names.learn(stream(server, 1), "orders");
  names.forget_unplaced(server);
  EXPECT_EQ(name_of(stream(server, 1)), "orders");
  EXPECT_EQ(names.ends_of(stream(server, 1), names.version()), 1U);
  EXPECT_EQ(names.turns_of(stream(server, 0), "orders", names.version()), 1U);
  names.forget_any(server);
  EXPECT_EQ(name_of(stream(server, 1)), "");
  EXPECT_EQ(number_of(stream(server, 0), "orders"), std::nullopt);
  names.learn(stream(server, 1), "orders");
  EXPECT_EQ(name_of(stream(server, 1)), "orders");
}

// New things are dropped; a known one that changes unseen would be told wrong, so nothing is.
TEST_F(Names, AreBounded) {
  for (std::uint32_t i = 0; i < NameCatalogue::usual_changes; ++i)
    names.learn(stream(server, i), "s" + std::to_string(i));
  EXPECT_EQ(names.dropped(), 0U);
  names.learn(stream(server, NameCatalogue::usual_changes), "one-more");
  EXPECT_EQ(names.dropped(), 1U);
  EXPECT_EQ(name_of(stream(server, NameCatalogue::usual_changes)), "");
  EXPECT_EQ(name_of(stream(server, 5)), "s5");
  const Version last = names.version();
  names.learn(stream(server, 5), "renamed");
  EXPECT_EQ(names.dropped(), 2U);
  EXPECT_EQ(name_of(stream(server, 5)), "");
  EXPECT_EQ(name_of(stream(server, 6)), "");
  EXPECT_EQ(names.name_of(stream(server, 5), last), "s5");
}

TEST(NamesOfServers, AreBounded) {
  NameCatalogue names;
  for (std::size_t i = 0; i < NameCatalogue::server_limit; ++i)
    EXPECT_EQ(names.server(std::to_string(i)), i + 1);
  EXPECT_EQ(names.server("one more"), 0U);
  names.learn(stream(0, 1), "orders");
  EXPECT_EQ(names.name_of(stream(0, 1), names.version()), "");
}

}  // namespace
}  // namespace iggy::conversation
