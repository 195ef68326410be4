// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// From packets of every link layer to segments: lengths exact under every cut, nothing read outside
// of the packet whatever it holds.
#include "capture/layers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "support/packet_builder.hpp"

namespace analyzer::capture {
namespace {

using namespace support;

const Endpoint client_v4 = ipv4_endpoint(10, 0, 0, 1, 50'000);
const Endpoint server_v4 = ipv4_endpoint(10, 0, 0, 2, 8090);
const Endpoint client_v6 = ipv6_endpoint({0xfe80, 0, 0, 0, 0, 0, 0, 1}, 50'000);
const Endpoint server_v6 = ipv6_endpoint({0xfe80, 0, 0, 0, 0, 0, 0, 2}, 8090);

Tcp segment_v4(std::size_t payload_bytes = 100) {
  return {.from = client_v4,
          .to = server_v4,
          .sequence = 0xfffffff0,
          .acknowledgement = 0x01020304,
          .payload = counting_bytes(payload_bytes)};
}

Tcp segment_v6(std::size_t payload_bytes = 100) {
  Tcp segment = segment_v4(payload_bytes);
  segment.from = client_v6;
  segment.to = server_v6;
  return segment;
}

Decoded decode_frame(std::uint16_t link_type, Bytes frame, std::size_t wire_length = 0) {
  Packet packet;
  packet.number = 7;
  packet.time = 123'456'789;
  packet.link_type = link_type;
  packet.bytes = frame;
  packet.wire_length = static_cast<std::uint32_t>(std::max(wire_length, frame.size()));
  return decode(packet);
}

bool same(Bytes a, Bytes b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

void expect_segment(const Decoded& decoded, const Tcp& wanted) {
  const auto* segment = std::get_if<TcpSegment>(&decoded);
  ASSERT_NE(segment, nullptr);
  EXPECT_EQ(segment->packet, 7U);
  EXPECT_EQ(segment->time, 123'456'789);
  EXPECT_EQ(segment->from, wanted.from);
  EXPECT_EQ(segment->to, wanted.to);
  EXPECT_EQ(segment->sequence, wanted.sequence);
  EXPECT_EQ(segment->acknowledgement, wanted.acknowledgement);
  EXPECT_EQ(segment->flags.fin, wanted.flags.fin);
  EXPECT_EQ(segment->flags.syn, wanted.flags.syn);
  EXPECT_EQ(segment->flags.rst, wanted.flags.rst);
  EXPECT_EQ(segment->flags.ack, wanted.flags.ack);
  EXPECT_EQ(segment->payload_length, wanted.payload.size());
  EXPECT_TRUE(same(segment->payload, wanted.payload));
}

void expect_skipped(const Decoded& decoded, Skipped wanted) {
  const auto* skipped = std::get_if<Skipped>(&decoded);
  ASSERT_NE(skipped, nullptr);
  EXPECT_EQ(*skipped, wanted);
}

// --- Link layers

TEST(Layers, EveryLinkTypeGivesTheSameSegment) {
  for (const Tcp& segment : {segment_v4(), segment_v6()}) {
    const Buffer packet = ip(segment);
    expect_segment(decode_frame(link_ethernet, ethernet(packet)), segment);
    expect_segment(decode_frame(link_linux_cooked, linux_cooked(packet)), segment);
    expect_segment(decode_frame(link_linux_cooked_v2, linux_cooked_v2(packet)), segment);
    for (const std::uint16_t raw : {link_raw, std::uint16_t{12}, std::uint16_t{14}}) {
      expect_segment(decode_frame(raw, packet), segment);
    }
  }
  expect_segment(decode_frame(link_ipv4, ip(segment_v4())), segment_v4());
  expect_segment(decode_frame(link_ipv6, ip(segment_v6())), segment_v6());
  expect_skipped(decode_frame(link_ipv4, ip(segment_v6())), Skipped::malformed);
  expect_skipped(decode_frame(link_ipv6, ip(segment_v4())), Skipped::malformed);
}

TEST(Layers, LoopbackFamiliesComeInEitherOrder) {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    for (const std::uint16_t link_type : {link_null, link_loop}) {
      const Buffer v4 = loopback(ip(segment_v4()), 2, order);
      expect_segment(decode_frame(link_type, v4), segment_v4());
      for (const unsigned family : {10U, 24U, 28U, 30U}) {
        const Buffer v6 = loopback(ip(segment_v6()), family, order);
        expect_segment(decode_frame(link_type, v6), segment_v6());
      }
      const Buffer other = loopback(ip(segment_v4()), 7, order);
      expect_skipped(decode_frame(link_type, other), Skipped::other_protocol);
    }
  }
}

TEST(Layers, StepsOverVlanTags) {
  const Buffer packet = ip(segment_v4());
  for (const auto& tags :
       std::vector<std::vector<unsigned>>{{0x8100}, {0x88a8, 0x8100}, {0x9100, 0x8100, 0x8100}}) {
    expect_segment(decode_frame(link_ethernet, ethernet(packet, ether_type_ipv4, tags)),
                   segment_v4());
  }
  // With the frame and IP.
  const std::vector<unsigned> most(maximum_layers - 2, 0x8100);
  const std::vector<unsigned> too_many(maximum_layers - 1, 0x8100);
  expect_segment(decode_frame(link_ethernet, ethernet(packet, ether_type_ipv4, most)),
                 segment_v4());
  expect_skipped(decode_frame(link_ethernet, ethernet(packet, ether_type_ipv4, too_many)),
                 Skipped::too_deep);
}

TEST(Layers, NamesWhatIsNotDecoded) {
  expect_skipped(decode_frame(147, ip(segment_v4())), Skipped::unknown_link_type);
  expect_skipped(decode_frame(link_ethernet, ethernet(Buffer(28), 0x0806)),
                 Skipped::other_protocol);
  expect_skipped(decode_frame(link_raw, ipv4({.from = client_v4.address,
                                              .to = server_v4.address,
                                              .protocol = 1,
                                              .body = Buffer(8)})),
                 Skipped::other_protocol);
  expect_skipped(decode_frame(link_raw, Buffer(40)), Skipped::malformed);
  expect_skipped(decode_frame(link_ethernet, {}), Skipped::malformed);
}

// --- IP

TEST(Layers, CutsEthernetPaddingOff) {
  for (const Tcp& segment : {segment_v4(3), segment_v4(0), segment_v6(3)}) {
    const Buffer frame = Writer().bytes(ethernet(ip(segment))).zeros(20).buffer();
    expect_segment(decode_frame(link_ethernet, frame), segment);
  }
}

TEST(Layers, ALengthOfZeroReachesToTheEndOfTheFrame) {
  const Tcp v4 = segment_v4(5'000);
  expect_segment(
      decode_frame(
          link_raw,
          ipv4({.from = v4.from.address, .to = v4.to.address, .body = tcp(v4), .total_length = 0})),
      v4);
  const Tcp v6 = segment_v6(70'000);
  const Buffer jumbo =
      ipv6({.from = v6.from.address, .to = v6.to.address, .body = tcp(v6), .payload_length = 0});
  expect_segment(decode_frame(link_raw, jumbo), v6);
  const Decoded decoded = decode_frame(link_raw, cut(jumbo, 100), jumbo.size());
  EXPECT_EQ(std::get<TcpSegment>(decoded).payload_length, 70'000U);
  EXPECT_EQ(std::get<TcpSegment>(decoded).payload.size(), 40U);
}

TEST(Layers, BelievesAnIpLengthAboveTheFrame) {
  // As after a tool that cut the packet and wrote the captured length as the wire length.
  const Buffer frame = cut(ethernet(ip(segment_v4(1'000))), 400);
  const Decoded decoded = decode_frame(link_ethernet, frame, 400);
  EXPECT_EQ(std::get<TcpSegment>(decoded).payload_length, 1'000U);
  EXPECT_EQ(std::get<TcpSegment>(decoded).payload.size(), 400U - 54);
}

TEST(Layers, StepsOverIpv4Options) {
  const Tcp segment = segment_v4();
  expect_segment(decode_frame(link_raw, ipv4({.from = segment.from.address,
                                              .to = segment.to.address,
                                              .body = tcp(segment),
                                              .options = Buffer(40)})),
                 segment);
}

TEST(Layers, RefusesContradictingIpv4Lengths) {
  const Tcp segment = segment_v4();
  Ipv4 packet{.from = segment.from.address, .to = segment.to.address, .body = tcp(segment)};
  packet.header_words = 4;
  expect_skipped(decode_frame(link_raw, ipv4(packet)), Skipped::malformed);
  packet.header_words = {};
  packet.total_length = 19;
  expect_skipped(decode_frame(link_raw, ipv4(packet)), Skipped::malformed);
  packet.total_length = 39;  // one byte less than the headers
  expect_skipped(decode_frame(link_raw, ipv4(packet)), Skipped::malformed);
  packet.total_length = {};
  packet.version = 5;
  expect_skipped(decode_frame(link_ethernet, ethernet(ipv4(packet), ether_type_ipv4)),
                 Skipped::malformed);
}

TEST(Layers, NamesIpv4Fragments) {
  Ipv4 packet{.from = client_v4.address, .to = server_v4.address, .body = tcp(segment_v4())};
  packet.more_fragments = true;
  expect_skipped(decode_frame(link_raw, ipv4(packet)), Skipped::fragment);
  packet.more_fragments = false;
  packet.fragment_offset_bytes = 1'480;
  expect_skipped(decode_frame(link_raw, ipv4(packet)), Skipped::fragment);
}

TEST(Layers, StepsOverIpv6Extensions) {
  const Tcp segment = segment_v6();
  const std::vector<Ipv6Extension> extensions{{.type = 0},
                                              {.type = 60, .body = Buffer(14)},
                                              {.type = 43, .body = Buffer(22)},
                                              {.type = 44, .body = fragment_fields(0, false)},
                                              {.type = 51, .body = Buffer(22)}};
  const Buffer packet = ipv6({.from = segment.from.address,
                              .to = segment.to.address,
                              .body = tcp(segment),
                              .extensions = extensions});
  expect_segment(decode_frame(link_raw, packet), segment);
}

TEST(Layers, NamesIpv6Fragments) {
  for (const auto& fields : {fragment_fields(0, true), fragment_fields(8, false)}) {
    expect_skipped(decode_frame(link_raw, ipv6({.from = client_v6.address,
                                                .to = server_v6.address,
                                                .body = tcp(segment_v6()),
                                                .extensions = {{.type = 44, .body = fields}}})),
                   Skipped::fragment);
  }
}

TEST(Layers, BoundsTheChainOfIpv6Extensions) {
  const Tcp segment = segment_v6();
  Ipv6 packet{.from = client_v6.address, .to = server_v6.address, .body = tcp(segment)};
  packet.extensions.assign(16, {.type = 60});
  expect_segment(decode_frame(link_raw, ipv6(packet)), segment);
  packet.extensions.assign(17, {.type = 60});
  expect_skipped(decode_frame(link_raw, ipv6(packet)), Skipped::malformed);
}

TEST(Layers, AnIpv6ExtensionMayNotReachPastItsPacket) {
  const Ipv6 packet{.from = client_v6.address,
                    .to = server_v6.address,
                    .extensions = {{.type = 60, .body = bytes_of({1, 4, 0, 0, 0, 0})}}};
  Buffer bytes = ipv6(packet);
  bytes[41] = std::byte{2};  // 24 bytes, 8 are there
  expect_skipped(decode_frame(link_raw, bytes), Skipped::malformed);
}

// --- TCP and UDP

TEST(Layers, ReadsEveryFlag) {
  for (unsigned bits = 0; bits < 16; ++bits) {
    Tcp segment = segment_v4();
    segment.flags = {.fin = (bits & 1) != 0,
                     .syn = (bits & 2) != 0,
                     .rst = (bits & 4) != 0,
                     .ack = (bits & 8) != 0};
    expect_segment(decode_frame(link_raw, ip(segment)), segment);
  }
}

TEST(Layers, StepsOverTcpOptions) {
  Tcp segment = segment_v4();
  segment.options = Buffer(40);
  expect_segment(decode_frame(link_raw, ip(segment)), segment);
}

TEST(Layers, RefusesContradictingTcpOffsets) {
  Tcp segment = segment_v4(10);
  segment.data_offset_words = 4;
  expect_skipped(decode_frame(link_raw, ip(segment)), Skipped::malformed);
  segment.data_offset_words = 8;  // two bytes past the end
  expect_skipped(decode_frame(link_raw, ip(segment)), Skipped::malformed);
}

TEST(Layers, ReadsUdp) {
  for (const auto& [from, to] :
       {std::pair(client_v4, server_v4), std::pair(client_v6, server_v6)}) {
    const Udp datagram{.from = from, .to = to, .payload = counting_bytes(33)};
    const Buffer frame = Writer().bytes(ethernet(ip(datagram))).zeros(9).buffer();
    const Decoded decoded = decode_frame(link_ethernet, frame);
    const auto* seen = std::get_if<UdpDatagram>(&decoded);
    ASSERT_NE(seen, nullptr);
    EXPECT_EQ(seen->packet, 7U);
    EXPECT_EQ(seen->time, 123'456'789);
    EXPECT_EQ(seen->from, from);
    EXPECT_EQ(seen->to, to);
    EXPECT_EQ(seen->payload_length, 33U);
    EXPECT_TRUE(same(seen->payload, datagram.payload));
  }
}

TEST(Layers, ChecksTheUdpLength) {
  Udp datagram{.from = client_v4, .to = server_v4, .payload = counting_bytes(33)};
  datagram.length = 7;
  expect_skipped(decode_frame(link_raw, ip(datagram)), Skipped::malformed);
  datagram.length = 42;
  expect_skipped(decode_frame(link_raw, ip(datagram)), Skipped::malformed);
  datagram.length = 20;
  EXPECT_EQ(std::get<UdpDatagram>(decode_frame(link_raw, ip(datagram))).payload_length, 12U);
  datagram.length = 0;
  EXPECT_EQ(std::get<UdpDatagram>(decode_frame(link_raw, ip(datagram))).payload_length, 33U);
}

// --- Cuts and noise

// A copy of exactly the captured bytes, so that the address sanitizer sees every byte too far.
Decoded decode_copy(std::uint16_t link_type, Bytes frame, std::size_t wire_length) {
  const auto copy = std::make_unique<std::byte[]>(frame.size());
  std::copy(frame.begin(), frame.end(), copy.get());
  Decoded decoded = decode_frame(link_type, Bytes(copy.get(), frame.size()), wire_length);
  if (auto* segment = std::get_if<TcpSegment>(&decoded)) {
    EXPECT_LE(segment->payload.size(), segment->payload_length);
    EXPECT_TRUE(segment->payload.empty() ||
                segment->payload.data() + segment->payload.size() <= copy.get() + frame.size());
    segment->payload = {};
  }
  return decoded;
}

TEST(Layers, EveryCutGivesHeadersCutOrTheFullLength) {
  struct Case {
    std::uint16_t link_type;
    Buffer frame;
    std::size_t payload_bytes;
    std::size_t option_bytes = 0;  // of TCP, which may be cut
  };
  Tcp options = segment_v4(50);
  options.options = Buffer(12);
  const Buffer extended = ipv6({.from = client_v6.address,
                                .to = server_v6.address,
                                .body = tcp(segment_v6(50)),
                                .extensions = {{.type = 60}}});
  const std::vector<Case> cases{
      {link_ethernet, ethernet(ip(options), ether_type_ipv4, {0x88a8, 0x8100}), 50, 12},
      {link_ethernet, ethernet(extended), 50},
      {link_linux_cooked, linux_cooked(ip(segment_v4(50))), 50},
      {link_linux_cooked_v2, linux_cooked_v2(ip(segment_v6(50))), 50},
      {link_null, loopback(ip(segment_v4(50)), 2, std::endian::little), 50},
      {link_raw, ip(segment_v6(50)), 50}};
  for (const Case& one : cases) {
    for (std::size_t kept = 0; kept <= one.frame.size(); ++kept) {
      const Bytes bytes = Bytes(one.frame).first(kept);
      const Decoded decoded = decode_copy(one.link_type, bytes, one.frame.size());
      if (kept + one.payload_bytes + one.option_bytes < one.frame.size()) {
        expect_skipped(decoded, Skipped::headers_cut);
      } else {
        ASSERT_TRUE(std::holds_alternative<TcpSegment>(decoded)) << kept;
        EXPECT_EQ(std::get<TcpSegment>(decoded).payload_length, one.payload_bytes);
        const Decoded in_place = decode_frame(one.link_type, bytes, one.frame.size());
        EXPECT_EQ(std::get<TcpSegment>(in_place).payload.size(),
                  std::max(kept + one.payload_bytes, one.frame.size()) - one.frame.size());
      }
    }
  }
}

TEST(Layers, SurvivesChangedAndRandomBytes) {
  std::mt19937 random(1);
  const Buffer good = ethernet(ip(segment_v6(50)), ether_type_ipv6, {0x8100});
  const std::vector<std::uint16_t> link_types{0, 1, 12, 101, 108, 113, 228, 229, 276};
  for (int round = 0; round < 20'000; ++round) {
    Buffer frame = good;
    if (round % 2 == 0) frame = Buffer(random() % 120);
    for (std::byte& byte : frame) {
      if (round % 2 == 0 || random() % 16 == 0) byte = static_cast<std::byte>(random() & 0xff);
    }
    decode_copy(link_types[random() % link_types.size()], frame, random() % 200);
  }
}

}  // namespace
}  // namespace analyzer::capture
