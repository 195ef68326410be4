// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Segments inside of every link layer, tag and tunnel: whole, cut at every byte, nested too deep,
// and what only looks like a tunnel.
#include "support/wrappings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "capture/layers.hpp"
#include "support/packet_builder.hpp"

namespace analyzer::capture {
namespace {

using namespace support;

constexpr std::size_t payload_bytes = 200;

Packet packet_of(std::uint16_t link_type, Bytes frame, std::size_t wire_length = 0) {
  Packet packet;
  packet.number = 7;
  packet.link_type = link_type;
  packet.bytes = frame;
  packet.wire_length = static_cast<std::uint32_t>(std::max(wire_length, frame.size()));
  return packet;
}

bool is_skipped(const Decoded& decoded, Skipped reason) {
  const auto* skipped = std::get_if<Skipped>(&decoded);
  return skipped != nullptr && *skipped == reason;
}

// Calls with each wrapping and version of IP.
template <class Call>
void for_each_frame(const Call& call) {
  for (const Wrapping& wrapping : all_wrappings()) {
    for (const bool is_v6 : {false, true}) {
      SCOPED_TRACE(wrapping.name + (is_v6 ? " with IPv6" : " with IPv4"));
      const Tcp segment = example_segment(is_v6, payload_bytes);
      call(wrapping, segment, wrapping.wrap(ip(segment)));
    }
  }
}

TEST(Wrappings, EachGivesTheSegment) {
  for_each_frame([](const Wrapping& wrapping, const Tcp& wanted, Buffer frame) {
    frame.resize(frame.size() + 9);  // as Ethernet fills up short frames
    const Decoded decoded = decode(packet_of(wrapping.link_type, frame));
    const auto* segment = std::get_if<TcpSegment>(&decoded);
    ASSERT_NE(segment, nullptr);
    EXPECT_EQ(segment->packet, 7U);
    EXPECT_EQ(segment->from, wanted.from);
    EXPECT_EQ(segment->to, wanted.to);
    EXPECT_EQ(segment->sequence, wanted.sequence);
    EXPECT_EQ(segment->payload_length, payload_bytes);
    EXPECT_TRUE(std::ranges::equal(segment->payload, wanted.payload));
  });
}

// The bytes are copied to memory of exactly their size, so that a sanitizer sees one too far.
TEST(Wrappings, EveryCutGivesHeadersCutOrTheFullLength) {
  for_each_frame([](const Wrapping& wrapping, const Tcp& wanted, const Buffer& frame) {
    const auto found = std::ranges::search(frame, wanted.payload);
    const auto headers = static_cast<std::size_t>(found.begin() - frame.begin());
    for (std::size_t kept = 0; kept <= frame.size(); ++kept) {
      SCOPED_TRACE(kept);
      const auto copy = std::make_unique<std::byte[]>(kept);
      std::copy_n(frame.begin(), kept, copy.get());
      const Decoded decoded =
          decode(packet_of(wrapping.link_type, Bytes(copy.get(), kept), frame.size()));
      if (kept >= headers) {
        const auto* segment = std::get_if<TcpSegment>(&decoded);
        ASSERT_NE(segment, nullptr);
        EXPECT_EQ(segment->payload_length, payload_bytes);
        EXPECT_EQ(segment->payload.size(), std::min(kept - headers, payload_bytes));
      } else if (!std::holds_alternative<UdpDatagram>(decoded) || !wrapping.hides_in_datagram) {
        EXPECT_TRUE(is_skipped(decoded, Skipped::headers_cut));
      }
    }
  });
}

TEST(Wrappings, SurvivesChangedBytes) {
  std::mt19937 random(1);
  for_each_frame([&random](const Wrapping& wrapping, const Tcp&, const Buffer& frame) {
    for (int round = 0; round < 300; ++round) {
      const std::size_t kept = random() % 4 == 0 ? random() % (frame.size() + 1) : frame.size();
      const auto copy = std::make_unique<std::byte[]>(kept);
      for (std::size_t i = 0; i < kept; ++i)
        copy[i] = random() % 32 == 0 ? static_cast<std::byte>(random() & 0xff) : frame[i];
      const Packet packet = packet_of(wrapping.link_type, Bytes(copy.get(), kept), frame.size());
      const Decoded decoded = decode(packet);
      if (const auto* segment = std::get_if<TcpSegment>(&decoded)) {
        EXPECT_LE(segment->payload.size(), segment->payload_length);
        EXPECT_LE(segment->payload.data() + segment->payload.size(), copy.get() + kept);
      }
    }
  });
}

TEST(Wrappings, BoundsTunnelsInTunnels) {
  using Step = std::function<Buffer(const Buffer&)>;
  const std::vector<Step> steps{
      [](const Buffer& p) { return wrap::in_ipv4(4, p); },
      [](const Buffer& p) { return wrap::gre(0, 0x0800, p); },
      [](const Buffer& p) { return wrap::vxlan(4789, 0x08, 0, ethernet(p)); },
      [](const Buffer& p) { return wrap::gre(0, 0x8847, wrap::behind(wrap::labels(1), p)); }};
  for (const Step& step : steps) {
    Buffer packet = ip(example_segment(false, payload_bytes));
    for (unsigned depth = 1; depth <= 40; ++depth) {
      SCOPED_TRACE(depth);
      const Decoded decoded = decode(packet_of(link_raw, packet));
      if (depth <= maximum_layers / 3) {
        EXPECT_TRUE(std::holds_alternative<TcpSegment>(decoded));
      } else if (depth > maximum_layers) {
        EXPECT_TRUE(is_skipped(decoded, Skipped::too_deep));
      }
      packet = step(packet);
    }
  }
}

// --- What only looks like a tunnel

void expect_datagram(std::uint16_t port, const Buffer& payload) {
  const Buffer packet = wrap::in_udp(port, payload);
  const Decoded decoded = decode(packet_of(link_raw, packet));
  const auto* datagram = std::get_if<UdpDatagram>(&decoded);
  ASSERT_NE(datagram, nullptr);
  EXPECT_EQ(datagram->to.port, port);
  EXPECT_EQ(datagram->payload_length, payload.size());
  EXPECT_TRUE(std::ranges::equal(datagram->payload, payload));
}

TEST(Wrappings, APortIsOnlyAGuess) {
  std::mt19937 random(2);
  for (const std::uint16_t port : std::vector<std::uint16_t>{2152, 4789, 4790, 6081, 8472}) {
    SCOPED_TRACE(port);
    const Buffer initial = bytes_of({0xc3, 0, 0, 0, 1, 8, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0});
    expect_datagram(port, initial);
    expect_datagram(port, {});
    expect_datagram(port, Buffer(100));
    expect_datagram(port, bytes_of("GET / HTTP/1.1\r\n"));
    for (int round = 0; round < 2'000; ++round) {
      Buffer noise(random() % 100);
      for (std::byte& byte : noise) byte = static_cast<std::byte>(random() & 0xff);
      expect_datagram(port, noise);
    }
  }
}

TEST(Wrappings, ATunnelWithoutTcpStaysADatagram) {
  const Buffer arp = ethernet(Buffer(28), 0x0806);
  for (const Buffer& tunnel :
       {wrap::vxlan(4789, 0x08, 0, arp), wrap::geneve(0, 0x6558, arp),
        wrap::gtp(false, wrap::in_ipv4(1, Buffer(8))), wrap::vxlan(4790, 0x0c, 9, Buffer(40))})
    EXPECT_TRUE(std::holds_alternative<UdpDatagram>(decode(packet_of(link_raw, tunnel))));
}

TEST(Wrappings, TheSourcePortIsNoTunnel) {
  const Buffer inner = ethernet(ip(example_segment(false, payload_bytes)));
  const Buffer vxlan = Writer().u32(0x08000000).u32(0x100).bytes(inner).buffer();
  const Udp reply{.from = ipv4_endpoint(192, 0, 2, 1, 4789),
                  .to = ipv4_endpoint(192, 0, 2, 2, 40'000),
                  .payload = vxlan};
  EXPECT_TRUE(std::holds_alternative<UdpDatagram>(decode(packet_of(link_raw, ip(reply)))));
}

TEST(Wrappings, NamesWhatIsNotDecoded) {
  const auto other = [](std::uint16_t link_type, const Buffer& frame) {
    return is_skipped(decode(packet_of(link_type, frame)), Skipped::other_protocol);
  };
  EXPECT_TRUE(other(link_ethernet, ethernet(bytes_of({0x42, 0x42, 3, 0, 0}), 5)));  // STP
  EXPECT_TRUE(other(link_ethernet, ethernet(bytes_of({0x11, 9, 0, 1, 0, 0}), 0x8864)));
  EXPECT_TRUE(other(9, bytes_of({0xff, 3, 0xc0, 0x21, 1, 1, 0, 4})));  // LCP
  EXPECT_TRUE(other(9, bytes_of({0x2d, 0, 0, 0})));                    // compressed by Van Jacobson
  EXPECT_TRUE(other(239, bytes_of({2, 0, 0, 0})));
  EXPECT_TRUE(other(link_raw, wrap::gre(2, 0x0800, Buffer(40))));
  EXPECT_TRUE(other(link_raw, wrap::in_ipv4(50, Buffer(40))));  // encrypted
  // The service access point of IP.
  const Buffer llc = wrap::behind(bytes_of({6, 6, 3}), ip(example_segment(false, payload_bytes)));
  EXPECT_TRUE(std::holds_alternative<TcpSegment>(
      decode(packet_of(link_ethernet, ethernet(llc, static_cast<unsigned>(llc.size()))))));
}

// And a length has no place but in a frame.
TEST(Wrappings, BetweenLengthsAndTypesStandsNothing) {
  const Buffer packet = ip(example_segment(false, payload_bytes));
  const Buffer llc = wrap::behind(bytes_of({6, 6, 3}), packet);
  EXPECT_TRUE(
      std::holds_alternative<TcpSegment>(decode(packet_of(link_ethernet, ethernet(llc, 1'500)))));
  const auto is_nothing = [](std::uint16_t link_type, const Buffer& frame) {
    return is_skipped(decode(packet_of(link_type, frame)), Skipped::other_protocol);
  };
  for (const unsigned type : {60U, 1'500U, 1'501U, 0x5ffU, 0x600U}) {
    SCOPED_TRACE(type);
    const Buffer two = Writer().u16(type).buffer();
    EXPECT_TRUE(type <= 1'500 || is_nothing(link_ethernet, ethernet(llc, type)));
    const Buffer snap = wrap::behind(wrap::behind(bytes_of({0xaa, 0xaa, 3, 0, 0, 0}), two), llc);
    EXPECT_TRUE(is_nothing(link_ethernet, ethernet(snap, static_cast<unsigned>(snap.size()))));
    Buffer cooked = linux_cooked(packet);
    std::ranges::copy(two, cooked.begin() + 14);
    EXPECT_TRUE(is_nothing(link_linux_cooked, cooked));
    const Buffer cisco = wrap::behind(wrap::behind(bytes_of({0x0f, 0}), two), llc);
    EXPECT_TRUE(is_nothing(104, cisco));
    EXPECT_TRUE(is_nothing(link_raw, wrap::gre(0, type, llc)));
  }
}

}  // namespace
}  // namespace analyzer::capture
