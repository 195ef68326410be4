// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Packets of a capture one after the other: segments out of fragments, in and around tunnels, and
// what is counted of the rest.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>

#include "capture/layers.hpp"
#include "support/packet_builder.hpp"
#include "support/wrappings.hpp"

namespace analyzer::capture {
namespace {

using namespace support;

// Of TCP in an IPv4 packet without options.
void fill_in_checksum(Buffer& packet) {
  constexpr std::size_t header_bytes = 20;
  constexpr std::size_t at = header_bytes + 16;
  std::uint64_t sum = 6 + packet.size() - header_bytes;
  for (std::size_t i = 12; i < packet.size(); ++i)  // from the addresses on
    sum += std::to_integer<std::uint64_t>(packet[i]) << (i % 2 == 0 ? 8U : 0U);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16U);
  packet[at] = static_cast<std::byte>(~sum >> 8U);
  packet[at + 1] = static_cast<std::byte>(~sum);
}

class DecoderTest : public testing::Test {
 protected:
  Decoded decode(Bytes frame, std::uint16_t link_type = link_raw, std::size_t wire_length = 0) {
    Packet packet;
    packet.number = ++number;
    packet.time = 1'000'000'000;
    packet.link_type = link_type;
    packet.bytes = frame;
    packet.wire_length = static_cast<std::uint32_t>(std::max(wire_length, frame.size()));
    return decoder.decode(packet);
  }
  void expect_segment(const Decoded& decoded, const Tcp& wanted) const {
    const auto* segment = std::get_if<TcpSegment>(&decoded);
    ASSERT_NE(segment, nullptr);
    EXPECT_EQ(segment->packet, number);
    EXPECT_EQ(segment->from, wanted.from);
    EXPECT_EQ(segment->to, wanted.to);
    EXPECT_EQ(segment->payload_length, wanted.payload.size());
    EXPECT_TRUE(std::ranges::equal(segment->payload, wanted.payload));
  }
  // All but the last are held, which gives the segment.
  void expect_segment_of(const std::vector<Buffer>& frames, std::uint16_t link_type,
                         const Tcp& wanted) {
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const Decoded decoded = decode(frames[i], link_type);
      if (i + 1 < frames.size())
        ASSERT_TRUE(std::holds_alternative<Held>(decoded)) << i;
      else
        expect_segment(decoded, wanted);
    }
  }

  Decoder decoder;
  std::uint64_t number = 0;
};

TEST_F(DecoderTest, FragmentsInEveryWrapping) {
  std::mt19937 random(1);
  for (const Wrapping& wrapping : all_wrappings()) {
    for (const bool is_v6 : {false, true}) {
      SCOPED_TRACE(wrapping.name);
      const Tcp segment = example_segment(is_v6, 1'000);
      std::vector<Buffer> frames;
      for (const Buffer& piece :
           fragments_of(ip(segment), 8 + random() % 40 * 8, static_cast<unsigned>(number + 1)))
        frames.push_back(wrapping.wrap(piece));
      std::ranges::shuffle(frames, random);
      expect_segment_of(frames, wrapping.link_type, segment);
    }
  }
  EXPECT_TRUE(decoder.finish().by_reason.empty());
}

// A tunnel whose packets are fragments, which hold fragments.
TEST_F(DecoderTest, FragmentsOfFragments) {
  std::mt19937 random(2);
  for (unsigned round = 0; round < 50; ++round) {
    const Tcp segment = example_segment(round % 2 == 0, 3'000);
    std::vector<Buffer> frames;
    unsigned identification = 1'000 * (round + 1);
    for (const Buffer& inner : fragments_of(ip(segment), 1'000, identification))
      for (const Buffer& outer :
           fragments_of(wrap::vxlan(4789, 0x08, 0, ethernet(inner)), 400, ++identification))
        frames.push_back(ethernet(outer));
    std::ranges::shuffle(frames, random);
    expect_segment_of(frames, link_ethernet, segment);
  }
  EXPECT_TRUE(decoder.finish().by_reason.empty());
}

// Each fragment is captured on its way into the tunnel and in it.
TEST_F(DecoderTest, ATunnelKeepsItsFragmentsApart) {
  const Tcp segment = example_segment(false, 3'000);
  std::size_t segments = 0;
  for (const Buffer& piece : fragments_of(ip(segment), 1'000, 7)) {
    segments += std::holds_alternative<TcpSegment>(decode(piece)) ? 1U : 0U;
    const Decoded inside = decode(wrap::vxlan(4789, 0x08, 0, ethernet(piece)));
    segments += std::holds_alternative<TcpSegment>(inside) ? 1U : 0U;
  }
  EXPECT_EQ(segments, 2U);
}

TEST_F(DecoderTest, AnIpv6FragmentMayHaveExtensionsAround) {
  const Tcp segment = example_segment(true, 100);
  const Buffer body = wrap::behind(Writer().u8(6).u8(0).zeros(6).buffer(), tcp(segment));
  const auto piece = [&](std::size_t begin, std::size_t end, bool more) {
    return ipv6({.from = segment.from.address,
                 .to = segment.to.address,
                 .protocol = 60,  // destination options, which are a part of what is cut
                 .body = Buffer(body.begin() + static_cast<std::ptrdiff_t>(begin),
                                body.begin() + static_cast<std::ptrdiff_t>(end)),
                 .extensions = {
                     {.type = 0},
                     {.type = 44, .body = fragment_fields(static_cast<unsigned>(begin), more)}}});
  };
  EXPECT_TRUE(std::holds_alternative<Held>(decode(piece(40, body.size(), false))));
  expect_segment(decode(piece(0, 40, true)), segment);
}

TEST_F(DecoderTest, CutFragmentsLeaveAHole) {
  const Tcp segment = example_segment(false, 3'000);
  const std::vector<Buffer> pieces = fragments_of(ip(segment), 1'480, 7);
  ASSERT_EQ(pieces.size(), 3U);
  EXPECT_TRUE(std::holds_alternative<Held>(decode(pieces[2])));
  EXPECT_TRUE(std::holds_alternative<Held>(decode(cut(pieces[1], 120), link_raw, 1'500)));
  const Decoded decoded = decode(pieces[0]);
  const auto* whole = std::get_if<TcpSegment>(&decoded);
  ASSERT_NE(whole, nullptr);
  EXPECT_EQ(whole->payload_length, 3'000U);
  EXPECT_TRUE(std::ranges::equal(whole->payload, Bytes(segment.payload).first(1'560)));
}

// Each packet that is put together holds the last fragment of the next: an attempt to exhaust the
// stack.
TEST_F(DecoderTest, BoundsAChainOfFragments) {
  const Address from = ipv6_address({1, 0, 0, 0, 0, 0, 0, 1});
  const Address to = ipv6_address({1, 0, 0, 0, 0, 0, 0, 2});
  const auto fragment_header = [](unsigned next, unsigned offset, bool more, unsigned id) {
    return Writer().u8(next).u8(0).u16(offset | (more ? 1U : 0U)).u32(id).buffer();
  };
  constexpr unsigned count = 2'000;
  for (unsigned id = 1; id <= count; ++id) {
    // The first eight bytes of packet `id`: the header of the last fragment of the one before.
    const Buffer first =
        wrap::behind(fragment_header(44, 0, true, id), fragment_header(44, 8, false, id - 1));
    EXPECT_TRUE(std::holds_alternative<Held>(
        decode(ipv6({.from = from, .to = to, .protocol = 44, .body = first}))));
  }
  const Buffer last = wrap::behind(fragment_header(44, 8, false, count), Buffer(8));
  const Decoded decoded = decode(ipv6({.from = from, .to = to, .protocol = 44, .body = last}));
  const auto* skipped = std::get_if<Skipped>(&decoded);
  ASSERT_NE(skipped, nullptr);
  EXPECT_EQ(*skipped, Skipped::too_deep);
}

// Two packets with one number: of the first the front was lost, so the front of the second fits.
TEST_F(DecoderTest, AChecksumTellsFragmentsOfTwoPacketsApart) {
  for (const bool is_filled_in : {true, false}) {
    Tcp segment = example_segment(false, 3'000);
    const auto pieces = [&](unsigned seed) {
      segment.payload = counting_bytes(3'000, seed);
      Buffer packet = ip(segment);
      if (is_filled_in) fill_in_checksum(packet);
      return fragments_of(packet, 1'480, 7);
    };
    decoder = Decoder();
    for (const Buffer& piece : pieces(1)) decode(piece);
    const std::vector<Buffer> first = pieces(2);
    EXPECT_TRUE(std::holds_alternative<Held>(decode(first[1])));
    EXPECT_TRUE(std::holds_alternative<Held>(decode(first[2])));
    const std::vector<Buffer> second = pieces(3);
    EXPECT_EQ(std::holds_alternative<Held>(decode(second[0])), is_filled_in);
    EXPECT_TRUE(std::holds_alternative<Held>(decode(second[1])));
    if (is_filled_in) expect_segment(decode(second[2]), segment);
  }
}

TEST_F(DecoderTest, CountsByReasonAndLinkType) {
  const std::vector<Buffer> pieces = fragments_of(ip(example_segment(false, 3'000)), 1'000, 7);
  decode(pieces[0]);
  decode(pieces[1]);
  Buffer changed = pieces[1];
  changed[500] ^= std::byte{1};
  const std::vector<Buffer> others = fragments_of(ip(example_segment(false, 3'000)), 1'000, 8);
  decode(others[0]);
  decode(changed);  // contradicts the second: two packets are dropped, and this one waits
  decode(pieces[2]);
  decode(Buffer(10), 105);
  decode(Buffer(10), 105);
  decode(Buffer(10), 127);
  decode(ethernet(Buffer(28), 0x0806), link_ethernet);
  const SkippedPackets skipped = decoder.finish();
  const std::map<Skipped, std::uint64_t> reasons{{Skipped::other_protocol, 1},
                                                 {Skipped::fragment, 3},
                                                 {Skipped::fragment_overlap, 2},
                                                 {Skipped::unknown_link_type, 3}};
  EXPECT_EQ(skipped.by_reason, reasons);
  const std::map<std::uint16_t, std::uint64_t> link_types{{105, 2}, {127, 1}};
  EXPECT_EQ(skipped.unknown_link_types, link_types);
  EXPECT_EQ(skipped.fragmented_packets_given_up, 0U);
}

}  // namespace
}  // namespace analyzer::capture
