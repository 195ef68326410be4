// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Connections without data, from segments to the rows of the report.
#include "report/empty_connections.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "connection/follower.hpp"
#include "report/report_json.hpp"
#include "report/report_text.hpp"
#include "report/statistics.hpp"
#include "stream/tcp.hpp"

namespace analyzer::report {
namespace {

using capture::Endpoint;
using capture::TcpFlags;
using capture::TcpSegment;

constexpr TcpFlags syn{.syn = true};
constexpr TcpFlags syn_ack{.syn = true, .ack = true};
constexpr TcpFlags ack{.ack = true};
constexpr TcpFlags rst{.rst = true};
constexpr TcpFlags rst_ack{.rst = true, .ack = true};
constexpr TcpFlags fin_ack{.fin = true, .ack = true};

Endpoint endpoint(std::uint8_t host, std::uint16_t port) {
  Endpoint made{{}, port};
  made.address.is_v4 = true;
  made.address.octets = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, host};
  return made;
}

// What a report says of segments without bytes between clients and one server.
class EmptyConnectionsTest : public testing::Test {
 protected:
  void sent(std::uint16_t client, bool by_client, TcpFlags flags, std::uint32_t sequence,
            std::uint32_t acknowledgement = 0) {
    const Endpoint a = endpoint(1, client);
    const Endpoint b = endpoint(2, server_port);
    TcpSegment segment;
    segment.packet = ++packets_;
    segment.time = static_cast<std::int64_t>(packets_) * 1'000'000;
    segment.from = by_client ? a : b;
    segment.to = by_client ? b : a;
    segment.sequence = sequence;
    segment.acknowledgement = acknowledgement;
    segment.flags = flags;
    segment.window = 65'535;
    tracker_.segment(segment);
  }
  void opened(std::uint16_t client) {
    sent(client, true, syn, 1'000);
    sent(client, false, syn_ack, 5'000, 1'001);
    sent(client, true, ack, 1'001, 5'001);
  }
  Model finish() {
    tracker_.finish();
    return statistics_.finish();
  }
  std::vector<std::pair<std::string_view, std::uint64_t>> states() {
    std::vector<std::pair<std::string_view, std::uint64_t>> found;
    for (const EmptyConnections& row : finish().empty_connections)
      found.emplace_back(row.state, row.count);
    return found;
  }

  std::uint16_t server_port = 8090;

 private:
  Statistics statistics_{{}};
  connection::Follower follower_{statistics_};
  stream::Tracker tracker_{follower_, {}};
  std::uint64_t packets_ = 0;
};

using Rows = std::vector<std::pair<std::string_view, std::uint64_t>>;

TEST_F(EmptyConnectionsTest, ConnectsThatNobodyAnswered) {
  for (std::uint16_t client = 40'000; client < 40'003; ++client)
    for (int copy = 0; copy < 3; ++copy) sent(client, true, syn, 1'000);
  const Model model = finish();
  EXPECT_EQ(model.empty_connection_count, 3);
  ASSERT_EQ(model.empty_connections.size(), 1);
  const EmptyConnections& row = model.empty_connections[0];
  EXPECT_EQ(row.server, endpoint(2, 8090));
  EXPECT_EQ(row.state, "S0");
  EXPECT_EQ(row.count, 3);
  EXPECT_EQ(row.syns, 9);
  EXPECT_EQ(row.first.first_packet, 1);
  EXPECT_EQ(row.first.first, endpoint(1, 40'000));
  const std::string text = to_text(model, {});
  EXPECT_NE(text.find("10.0.0.2:8090  S0               3             1  10.0.0.1:40000  the SYN "
                      "was not answered"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("0 connections and 3 without data"), std::string::npos) << text;
}

TEST_F(EmptyConnectionsTest, WhoResetIsTold) {
  opened(1);
  sent(1, false, rst, 5'001);
  opened(2);
  sent(2, true, rst, 1'001);
  sent(3, true, syn, 1'000);
  sent(3, false, rst_ack, 0, 1'001);
  const Model model = finish();
  ASSERT_EQ(model.empty_connections.size(), 3);
  EXPECT_EQ(model.empty_connections[0].state, "RSTR");
  EXPECT_EQ(model.empty_connections[0].resets[1], 1);
  EXPECT_EQ(model.empty_connections[0].resets[0], 0);
  EXPECT_EQ(model.empty_connections[1].state, "RSTO");
  EXPECT_EQ(model.empty_connections[1].resets[0], 1);
  EXPECT_EQ(model.empty_connections[2].state, "REJ");
  EXPECT_EQ(model.empty_connections[2].resets[1], 1);
}

TEST_F(EmptyConnectionsTest, MostConnectionsFirst) {
  opened(1);
  sent(2, true, syn, 1'000);
  sent(3, true, syn, 1'000);
  EXPECT_EQ(states(), (Rows{{"S0", 2}, {"S1", 1}}));
}

TEST_F(EmptyConnectionsTest, OpenedAndClosed) {
  opened(1);
  sent(1, true, fin_ack, 1'001, 5'001);
  sent(1, false, fin_ack, 5'001, 1'002);
  EXPECT_EQ(states(), (Rows{{"SF", 1}}));
}

TEST_F(EmptyConnectionsTest, NobodyKnowsWhoDialed) {
  sent(1, true, ack, 1'000, 5'000);
  sent(1, false, ack, 5'000, 1'000);
  const Model model = finish();
  ASSERT_EQ(model.empty_connections.size(), 1);
  EXPECT_EQ(model.empty_connections[0].server, std::nullopt);
  const std::string text = to_text(model, {160});
  EXPECT_NE(text.find("unknown  OTH              1             1  10.0.0.1:1 - 10.0.0.2:8090  "
                      "no whole handshake in the capture"),
            std::string::npos)
      << text;
}

// A capture of acknowledgements alone: that no byte was sent would be wrong.
TEST_F(EmptyConnectionsTest, BytesThatWereAcknowledged) {
  sent(1, true, ack, 1'000, 5'000);
  sent(1, true, ack, 1'000, 5'700);
  const Model model = finish();
  ASSERT_EQ(model.empty_connections.size(), 1);
  EXPECT_EQ(model.empty_connections[0].acknowledged_unseen, 700);
  EXPECT_NE(to_text(model, {160}).find("700 bytes were acknowledged"), std::string::npos)
      << to_text(model, {});
}

// A scan of all ports of a host.
TEST_F(EmptyConnectionsTest, RowsAreBounded) {
  for (server_port = 1; server_port <= 1'500; ++server_port) sent(40'000, true, syn, 1'000);
  const Model model = finish();
  EXPECT_EQ(model.empty_connection_count, 1'500);
  EXPECT_EQ(model.empty_connections.size(), 1'000);
  EXPECT_EQ(model.limits.at("empty_connections_not_listed"), 500);
  EXPECT_NE(to_text(model, {}).find("... and 980 more rows"), std::string::npos);
}

}  // namespace
}  // namespace analyzer::report
