// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The table of connections against a plain map, and the order of use.
#include "stream/flow_table.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "tcp_script.hpp"

namespace script {
namespace {

using analyzer::stream::ConnectionId;
using analyzer::stream::FlowTable;
using analyzer::stream::no_connection;
using analyzer::stream::RecencyList;

Endpoint numbered(std::uint32_t number) {
  return endpoint(static_cast<std::uint8_t>(number % 200), static_cast<std::uint16_t>(number));
}

TEST(FlowTable, FindsBothDirections) {
  FlowTable table(1);
  const ConnectionId id = table.add(numbered(1), numbered(2));
  table.add(numbered(3), numbered(4));
  EXPECT_EQ(table.find(numbered(1), numbered(2)).id, id);
  EXPECT_EQ(table.find(numbered(2), numbered(1)).id, id);
  EXPECT_EQ(table.find(numbered(2), numbered(1)).from, Direction::second_to_first);
  EXPECT_EQ(table.find(numbered(1), numbered(4)).id, no_connection);
}

TEST(FlowTable, SameNumbersInIPv4AndIPv6AreApart) {
  FlowTable table(1);
  Endpoint six = numbered(1);
  six.address.is_v4 = false;
  table.add(numbered(1), numbered(2));
  EXPECT_EQ(table.find(six, numbered(2)).id, no_connection);
}

// Whatever bits of an address are combined with those of a port: nothing cancels out.
TEST(FlowTable, NoPatternOfEndpointsCollides) {
  for (std::size_t octet = 0; octet + 1 < 16; ++octet) {
    FlowTable table(octet);
    std::set<std::uint32_t> hashes;
    for (std::uint32_t port = 0; port < 2'000; ++port) {
      for (const std::uint32_t pattern : {port, port * 2, 65'535 - port}) {
        Endpoint from = endpoint(1, static_cast<std::uint16_t>(port));
        from.address.octets[octet] = static_cast<std::uint8_t>(pattern & 0xffU);
        from.address.octets[octet + 1] = static_cast<std::uint8_t>(pattern >> 8U);
        if (table.find(from, numbered(9'999)).id == no_connection) table.add(from, numbered(9'999));
        hashes.insert(table[table.find(from, numbered(9'999)).id].hash);
      }
    }
    EXPECT_GT(hashes.size() + 10, table.size()) << "octets " << octet << " and " << octet + 1;
  }
}

TEST(FlowTable, AgreesWithAMapThroughManyChanges) {
  FlowTable table(42);
  std::map<std::uint32_t, ConnectionId> truth;
  std::minstd_rand random(7);
  for (int i = 0; i < 60'000; ++i) {
    const auto number = static_cast<std::uint32_t>(random() % 3'000);
    const auto found = table.find(numbered(number), numbered(9'999));
    const auto known = truth.find(number);
    ASSERT_EQ(found.id, known == truth.end() ? no_connection : known->second);
    if (known == truth.end()) {
      truth[number] = table.add(numbered(number), numbered(9'999));
    } else if (random() % 2 == 0) {
      table.remove(known->second);
      truth.erase(known);
    }
    ASSERT_EQ(table.size(), truth.size());
  }
  EXPECT_EQ(table.by_first_packet().size(), truth.size());
}

TEST(FlowTable, ConnectionsStaySmall) {
  // With two slots of the table; a scan of a million ports must fit into 256 MB.
  EXPECT_LE(sizeof(analyzer::stream::Connection) + 2 * 2 * 8, 250U);
}

TEST(RecencyList, KeepsTheOrderOfUse) {
  FlowTable table(1);
  RecencyList list(table);
  std::vector<ConnectionId> ids;
  for (std::uint32_t i = 0; i < 4; ++i) {
    ids.push_back(table.add(numbered(i), numbered(9)));
    list.add(ids.back());
  }
  list.touch(ids[0]);
  list.touch(ids[2]);
  list.remove(ids[3]);
  std::vector<ConnectionId> order;
  while (!list.empty()) {
    order.push_back(list.oldest());
    list.remove(list.oldest());
  }
  EXPECT_EQ(order, (std::vector<ConnectionId>{ids[1], ids[0], ids[2]}));
  EXPECT_EQ(list.size(), 0U);
}

}  // namespace
}  // namespace script
