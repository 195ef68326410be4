// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Which messages count as seen before, and which do not.
#include "report/duplicates.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "support/packet_builder.hpp"

namespace analyzer::report {
namespace {

MessageRow in(MessageRow row, const char* topic, bool is_number = false) {
  auto place = std::make_shared<MessagePlace>();
  place->stream = Identifier{false, "stream"};
  place->topic = Identifier{is_number, topic};
  row.place = place;
  return row;
}

MessageRow row_of(std::uint64_t packet, std::uint64_t id) {
  MessageRow row;
  row.packet = packet;
  row.id = {id, 0};
  row.server = support::ipv4_endpoint(10, 0, 0, 2, 8090);
  return in(row, "topic");
}

MessageRow at(MessageRow row, std::uint64_t offset, const char* topic = "topic") {
  row = in(row, topic);
  row.partition = 1;
  row.offset = offset;
  return row;
}

TEST(Duplicates, SameIdTheSameWay) {
  Duplicates seen;
  EXPECT_FALSE(seen.look(row_of(1, 7)));
  EXPECT_FALSE(seen.look(row_of(2, 8)));
  EXPECT_EQ(seen.look(row_of(3, 7))->packet, 1U);
  EXPECT_EQ(seen.look(row_of(4, 7))->by, "id");
  MessageRow polled = row_of(5, 7);
  polled.way = MessageWay::polled;
  EXPECT_FALSE(seen.look(polled));
}

TEST(Duplicates, AConsumerReadsForItself) {
  const auto polled = [](std::uint64_t packet, unsigned kind, const char* consumer,
                         bool by_number) {
    MessageRow row = at(row_of(packet, packet), 4);
    MessagePlace place = *row.place;
    place.consumer_kind = static_cast<std::uint8_t>(kind);
    place.consumer = Identifier{by_number, consumer};
    row.place = std::make_shared<MessagePlace>(place);
    row.way = MessageWay::polled;
    row.id = {7, 0};
    return row;
  };
  Duplicates seen;
  EXPECT_FALSE(seen.look(polled(1, 1, "7", true)));
  EXPECT_FALSE(seen.look(polled(2, 1, "7", false)));
  EXPECT_FALSE(seen.look(polled(3, 2, "7", true)));
  EXPECT_FALSE(seen.look(polled(4, 1, "8", true)));
  EXPECT_EQ(seen.look(polled(5, 2, "7", true))->packet, 3U);
  EXPECT_EQ(seen.look(polled(6, 1, "8", true))->packet, 4U);
}

TEST(Duplicates, ReplicasHandOn) {
  const auto replicated = [](std::uint64_t packet, std::uint16_t client_port, bool from_client) {
    MessageRow row = at(row_of(packet, 7), 4);
    row.way = MessageWay::replicated;
    row.client = support::ipv4_endpoint(10, 0, 0, 1, client_port);
    row.is_from_client = from_client;
    return row;
  };
  Duplicates seen;
  EXPECT_FALSE(seen.look(replicated(1, 50'000, true)));
  EXPECT_FALSE(seen.look(replicated(2, 50'001, true)));
  EXPECT_FALSE(seen.look(replicated(3, 50'000, false)));
  EXPECT_EQ(seen.look(replicated(4, 50'000, true))->packet, 1U);
}

TEST(Duplicates, IdsAreThoseOfATopic) {
  Duplicates seen;
  EXPECT_FALSE(seen.look(in(row_of(1, 7), "orders")));
  EXPECT_FALSE(seen.look(in(row_of(2, 7), "invoices")));
  EXPECT_FALSE(seen.look(in(row_of(3, 7), "1")));
  EXPECT_FALSE(seen.look(in(row_of(4, 7), "1", true)));
  // A client that lost one server sends to the next.
  MessageRow elsewhere = in(row_of(5, 7), "orders");
  elsewhere.server.port = 8091;
  EXPECT_EQ(seen.look(elsewhere)->packet, 1U);
  MessageRow unknown = row_of(6, 7);
  unknown.place = nullptr;
  EXPECT_FALSE(seen.look(unknown));
}

TEST(Duplicates, AllThatIsKnownHasToBeTheSame) {
  Duplicates seen;
  MessageRow first = row_of(1, 7);
  first.origin_time = 1'000;
  first.payload_size = 5;
  EXPECT_FALSE(seen.look(first));
  MessageRow other = first;
  other.packet = 2;
  other.payload_size = 6;
  EXPECT_FALSE(seen.look(other));
  other = first;
  other.origin_time = 2'000;
  EXPECT_FALSE(seen.look(other));
  other.origin_time = std::nullopt;
  EXPECT_TRUE(seen.look(other));
}

TEST(Duplicates, APlaceThatIsUsedAgainHoldsAnother) {
  Duplicates seen;
  EXPECT_FALSE(seen.look(at(row_of(1, 5), 0)));
  EXPECT_FALSE(seen.look(at(row_of(2, 6), 0)));  // the log was purged
  EXPECT_EQ(seen.look(at(row_of(3, 6), 0))->packet, 2U);
  MessageRow polled = at(row_of(4, 0), 0);
  polled.way = MessageWay::polled;
  polled.append_time = 10;
  EXPECT_FALSE(seen.look(polled));
  polled.append_time = 20;
  EXPECT_FALSE(seen.look(polled));
}

TEST(Duplicates, NoIdIsNone) {
  Duplicates seen;
  EXPECT_FALSE(seen.look(row_of(1, 0)));
  EXPECT_FALSE(seen.look(row_of(2, 0)));
}

TEST(Duplicates, SamePlaceInAPartition) {
  Duplicates seen;
  EXPECT_FALSE(seen.look(at(row_of(1, 0), 5)));
  EXPECT_FALSE(seen.look(at(row_of(2, 0), 6)));
  EXPECT_FALSE(seen.look(at(row_of(3, 0), 5, "other")));
  EXPECT_EQ(seen.look(at(row_of(4, 0), 5))->packet, 1U);
  EXPECT_EQ(seen.look(at(row_of(5, 0), 5))->by, "offset");
  MessageRow elsewhere = at(row_of(6, 0), 5);
  elsewhere.server.port = 8091;
  EXPECT_FALSE(seen.look(elsewhere));
}

MessageRow numbered(MessageRow row, std::uint64_t ends = 0) {
  row.topic = TopicNumber{1, 2, ends};
  return row;
}
// By its numbers on the wire.
MessageRow by_number(MessageRow row, std::uint64_t ends = 0) {
  auto place = std::make_shared<MessagePlace>();
  place->stream = Identifier{true, "1"};
  place->topic = Identifier{true, "2"};
  place->turns = {ends, ends};
  row.place = place;
  return numbered(row, ends);
}

TEST(Duplicates, ATopicMayBeNamedAndNumbered) {
  for (const bool is_numbered_first : {false, true}) {
    Duplicates seen;
    const auto row = [&](std::uint64_t packet, bool is_first) {
      const MessageRow one = at(row_of(packet, 0), 5);
      return is_first == is_numbered_first ? by_number(one) : numbered(one);
    };
    EXPECT_FALSE(seen.look(row(1, true)));
    EXPECT_EQ(seen.look(row(2, false))->packet, 1U);
    EXPECT_EQ(seen.look(numbered(row_of(3, 7))), std::nullopt);
    EXPECT_EQ(seen.look(by_number(row_of(4, 7)))->by, "id");
  }
}

// What came before the numbers were known is found by the name alone, and by the number from there.
TEST(Duplicates, WhatIsKnownLaterIsNoOtherTopic) {
  Duplicates seen;
  EXPECT_FALSE(seen.look(at(row_of(1, 0), 5)));
  EXPECT_FALSE(seen.look(by_number(at(row_of(2, 0), 5))));
  EXPECT_EQ(seen.look(numbered(at(row_of(3, 0), 5)))->packet, 2U);
  EXPECT_EQ(seen.look(at(row_of(4, 0), 5))->packet, 1U);
  EXPECT_FALSE(seen.look(at(row_of(5, 0), 6)));
  EXPECT_EQ(seen.look(numbered(at(row_of(6, 0), 6)))->packet, 5U);
  EXPECT_EQ(seen.look(by_number(at(row_of(7, 0), 6)))->packet, 5U);
}

TEST(Duplicates, NumbersAndNamesThatTurnedAreOfAnother) {
  Duplicates seen;
  EXPECT_FALSE(seen.look(by_number(at(row_of(1, 7), 5))));
  EXPECT_FALSE(seen.look(by_number(at(row_of(2, 7), 5), 1)));
  EXPECT_EQ(seen.look(by_number(at(row_of(3, 7), 5), 1))->packet, 2U);
  EXPECT_FALSE(seen.look(at(row_of(4, 8), 6)));
  MessageRow turned = at(row_of(5, 8), 6);
  auto place = std::make_shared<MessagePlace>(*turned.place);
  place->turns = {2, 0};
  turned.place = place;
  EXPECT_FALSE(seen.look(turned));
}

TEST(Duplicates, MemoryIsBounded) {
  Duplicates seen;
  for (std::uint64_t id = 1; id <= 300'010; ++id) ASSERT_FALSE(seen.look(row_of(id, id)));
  EXPECT_EQ(seen.not_remembered(), 10U);
  EXPECT_TRUE(seen.look(row_of(1, 300'000)));
  EXPECT_FALSE(seen.look(row_of(1, 300'005)));
}

}  // namespace
}  // namespace analyzer::report
