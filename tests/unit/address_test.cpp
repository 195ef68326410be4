// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The text form of addresses; the IPv6 cases are those of RFC 5952.
#include "capture/address.hpp"

#include <gtest/gtest.h>

#include "support/packet_builder.hpp"

namespace analyzer::capture {
namespace {

using support::ipv4_address;
using support::ipv4_endpoint;
using support::ipv6_address;
using support::ipv6_endpoint;

TEST(Address, WritesIpv4WithDots) {
  EXPECT_EQ(to_string(ipv4_address(127, 0, 0, 1)), "127.0.0.1");
  EXPECT_EQ(to_string(ipv4_address(255, 255, 255, 255)), "255.255.255.255");
  EXPECT_EQ(to_string(ipv4_address(0, 0, 0, 0)), "0.0.0.0");
}

TEST(Address, ShortensTheFirstLongestRunOfZeros) {
  EXPECT_EQ(to_string(ipv6_address({0, 0, 0, 0, 0, 0, 0, 0})), "::");
  EXPECT_EQ(to_string(ipv6_address({0, 0, 0, 0, 0, 0, 0, 1})), "::1");
  EXPECT_EQ(to_string(ipv6_address({0xfe80, 0, 0, 0, 0, 0, 0, 0})), "fe80::");
  EXPECT_EQ(to_string(ipv6_address({0x2001, 0xdb8, 0, 0, 1, 0, 0, 1})), "2001:db8::1:0:0:1");
  EXPECT_EQ(to_string(ipv6_address({0x2001, 0, 0, 1, 0, 0, 0, 1})), "2001:0:0:1::1");
  EXPECT_EQ(to_string(ipv6_address({0, 0, 1, 2, 3, 4, 0, 0})), "::1:2:3:4:0:0");
}

TEST(Address, KeepsASingleZeroGroup) {
  EXPECT_EQ(to_string(ipv6_address({0x2001, 0xdb8, 0, 1, 1, 1, 1, 1})), "2001:db8:0:1:1:1:1:1");
  EXPECT_EQ(to_string(ipv6_address({0, 2, 3, 4, 5, 6, 7, 8})), "0:2:3:4:5:6:7:8");
  EXPECT_EQ(to_string(ipv6_address({1, 2, 3, 4, 5, 6, 7, 0})), "1:2:3:4:5:6:7:0");
}

TEST(Address, WritesIpv6InLowerCaseWithoutLeadingZeros) {
  EXPECT_EQ(to_string(ipv6_address({0xABCD, 0xEF, 1, 2, 3, 4, 5, 0x10})), "abcd:ef:1:2:3:4:5:10");
}

TEST(Address, ShowsAMappedAddressThatCameInIpv6) {
  EXPECT_EQ(to_string(ipv6_address({0, 0, 0, 0, 0, 0xffff, 0x7f00, 1})), "::ffff:127.0.0.1");
  EXPECT_EQ(to_string(ipv6_address({0, 0, 0, 0, 0, 0xffff, 0, 0})), "::ffff:0.0.0.0");
}

TEST(Address, WritesEndpoints) {
  EXPECT_EQ(to_string(ipv4_endpoint(127, 0, 0, 1, 8090)), "127.0.0.1:8090");
  EXPECT_EQ(to_string(ipv6_endpoint({0, 0, 0, 0, 0, 0, 0, 1}, 8090)), "[::1]:8090");
  EXPECT_EQ(to_string(ipv4_endpoint(10, 0, 0, 1, 0)), "10.0.0.1:0");
  EXPECT_EQ(to_string(ipv4_endpoint(10, 0, 0, 1, 65535)), "10.0.0.1:65535");
}

}  // namespace
}  // namespace analyzer::capture
