// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Filter expressions over several link types, good and bad.
#include "capture/filter.hpp"

#include <gtest/gtest.h>

#include "support/packet_builder.hpp"

namespace analyzer::capture {
namespace {

using namespace support;

Buffer to_port(std::uint16_t port) {
  return ip(
      Tcp{.from = ipv4_endpoint(10, 0, 0, 1, 50'000), .to = ipv4_endpoint(10, 0, 0, 2, port)});
}

Packet packet_of(std::uint16_t link_type, const Buffer& frame) {
  return {.number = 1,
          .link_type = link_type,
          .bytes = frame,
          .wire_length = static_cast<std::uint32_t>(frame.size())};
}

TEST(Filter, MatchesOnEveryLinkType) {
  std::string error;
  auto filter = Filter::compile("tcp port 8090", error);
  ASSERT_TRUE(filter) << error;
  for (const std::uint16_t port : {std::uint16_t{8090}, std::uint16_t{8091}}) {
    const Buffer packet = to_port(port);
    const bool wanted = port == 8090;
    EXPECT_EQ(filter->matches(packet_of(link_ethernet, ethernet(packet))), wanted);
    for (const std::uint16_t raw : {link_raw, std::uint16_t{12}, std::uint16_t{14}}) {
      EXPECT_EQ(filter->matches(packet_of(raw, packet)), wanted);
    }
    EXPECT_EQ(filter->matches(packet_of(link_ipv4, packet)), wanted);
    EXPECT_EQ(filter->matches(packet_of(link_linux_cooked, linux_cooked(packet))), wanted);
    EXPECT_EQ(filter->matches(packet_of(link_linux_cooked_v2, linux_cooked_v2(packet))), wanted);
    const Buffer null_frame = loopback(packet, 2, std::endian::native);
    EXPECT_EQ(filter->matches(packet_of(link_null, null_frame)), wanted);
    const Buffer loop_frame = loopback(packet, 2, std::endian::big);
    EXPECT_EQ(filter->matches(packet_of(link_loop, loop_frame)), wanted);
  }
  EXPECT_TRUE(filter->refusals().empty());
}

TEST(Filter, AnEmptyExpressionMatchesEverything) {
  std::string error;
  auto filter = Filter::compile("", error);
  ASSERT_TRUE(filter) << error;
  EXPECT_TRUE(filter->matches(packet_of(link_ethernet, ethernet(to_port(1)))));
  EXPECT_TRUE(filter->matches(packet_of(link_ethernet, {})));
}

TEST(Filter, ABadExpressionSaysWhy) {
  for (const char* expression : {"tcp prot 8090", "((", "port 99999", "tcp and udp"}) {
    std::string error;
    EXPECT_FALSE(Filter::compile(expression, error)) << expression;
    EXPECT_FALSE(error.empty()) << expression;
  }
}

TEST(Filter, AnExpressionForOtherLinkTypesNeverMatchesHere) {
  std::string error;
  auto filter = Filter::compile("ether host 02:00:00:00:00:01", error);
  ASSERT_TRUE(filter) << error;
  const Buffer packet = to_port(8090);
  EXPECT_TRUE(filter->matches(packet_of(link_ethernet, ethernet(packet))));
  EXPECT_TRUE(filter->refusals().empty());
  EXPECT_FALSE(filter->matches(packet_of(link_raw, packet)));
  ASSERT_EQ(filter->refusals().size(), 1U);
  EXPECT_EQ(filter->refusals()[0].link_type, link_raw);
  EXPECT_FALSE(filter->refusals()[0].error.empty());
}

TEST(Filter, AnExpressionNeedNotFitEthernet) {
  std::string error;
  auto filter = Filter::compile("ifindex 1", error);
  ASSERT_TRUE(filter) << error;
  const Buffer packet = to_port(8090);
  EXPECT_TRUE(filter->matches(packet_of(link_linux_cooked_v2, linux_cooked_v2(packet))));
  EXPECT_FALSE(filter->matches(packet_of(link_ethernet, ethernet(packet))));
  EXPECT_EQ(filter->refusals().size(), 1U);
}

TEST(Filter, RefusesWhatOnlyALiveCaptureKnows) {
  std::string error;
  auto filter = Filter::compile("inbound", error);
  ASSERT_TRUE(filter) << error;  // cooked captures record the direction
  const Buffer packet = to_port(8090);
  EXPECT_TRUE(filter->matches(packet_of(link_linux_cooked, linux_cooked(packet))));
  EXPECT_FALSE(filter->matches(packet_of(link_ethernet, ethernet(packet))));
  EXPECT_EQ(filter->refusals().size(), 1U);
}

TEST(Filter, UsesBothLengths) {
  std::string error;
  auto filter = Filter::compile("greater 1000 and port 8090", error);
  ASSERT_TRUE(filter) << error;
  const Buffer frame = ethernet(to_port(8090));
  Packet packet = packet_of(link_ethernet, frame);
  EXPECT_FALSE(filter->matches(packet));
  packet.wire_length = 1'500;
  EXPECT_TRUE(filter->matches(packet));
  packet.bytes = packet.bytes.first(30);  // the ports are cut off
  EXPECT_FALSE(filter->matches(packet));
}

TEST(Filter, BoundsTheLinkTypesItCompilesFor) {
  std::string error;
  auto filter = Filter::compile("tcp port 8090", error);
  ASSERT_TRUE(filter) << error;
  const Buffer frame = ethernet(to_port(8090));
  for (unsigned link_type = 0; link_type < 1'000; ++link_type) {
    filter->matches(packet_of(static_cast<std::uint16_t>(link_type), frame));
  }
  EXPECT_LE(filter->refusals().size(), 64U);
}

}  // namespace
}  // namespace analyzer::capture
