// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// A real capture in any wrapping, or in fragments in any order, gives the frames that it gives
// without.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "real_captures.hpp"
#include "report/frame_lines.hpp"
#include "support/wrappings.hpp"

namespace property {
namespace {

std::string lines_of(const Capture& capture) {
  std::string text;
  analyzer::report::LineOptions options;
  options.json = true;
  analyzer::report::FrameLines lines(options, [&text](std::string_view line) {
    text += line;
    return true;
  });
  follow(capture, whole_order(capture), lines);
  return text;
}

// The captures, small enough to read them a hundred times, without their link layer.
std::vector<Capture> ip_captures() {
  std::vector<Capture> captures;
  for (const Capture& real : real_captures()) {
    if (real.packets.size() > 1'000 || real.packets.front().packet.link_type != 1) continue;
    Capture& capture = captures.emplace_back(real);
    for (KeptPacket& kept : capture.packets) {
      // Ethernet without tags, as loopback gives it.
      const std::size_t padding = kept.packet.wire_length - kept.bytes.size();
      kept.bytes.erase(kept.bytes.begin(), kept.bytes.begin() + 14);
      kept.packet.link_type = support::link_raw;
      kept.packet.wire_length = static_cast<std::uint32_t>(kept.bytes.size() + padding);
    }
  }
  return captures;
}

class WrappedProperty : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    captures = ip_captures();
    lines.clear();
    for (const Capture& capture : captures) lines.push_back(lines_of(capture));
  }
  void SetUp() override { ASSERT_GE(captures.size(), 3U); }

  static std::vector<Capture> captures;
  static std::vector<std::string> lines;
};

std::vector<Capture> WrappedProperty::captures;
std::vector<std::string> WrappedProperty::lines;

KeptPacket framed(const KeptPacket& kept, const support::Wrapping& wrapping, Bytes ip_packet) {
  KeptPacket wrapped{kept.packet, wrapping.wrap(ip_packet)};
  wrapped.packet.link_type = wrapping.link_type;
  wrapped.packet.wire_length = static_cast<std::uint32_t>(wrapped.bytes.size());
  return wrapped;
}

TEST_F(WrappedProperty, EveryWrappingGivesTheSameFrames) {
  for (const support::Wrapping& wrapping : support::all_wrappings()) {
    for (std::size_t i = 0; i < captures.size(); ++i) {
      SCOPED_TRACE(wrapping.name + " " + captures[i].name);
      Capture wrapped;
      for (const KeptPacket& kept : captures[i].packets)
        wrapped.packets.push_back(framed(kept, wrapping, kept.bytes));
      EXPECT_TRUE(lines_of(wrapped) == lines[i]);
    }
  }
}

// All wrappings in one capture, as where it was taken on all interfaces at once; and each packet
// twice, in two of them.
TEST_F(WrappedProperty, MixedWrappingsAreOneConnection) {
  const std::vector<support::Wrapping> wrappings = support::all_wrappings();
  std::mt19937 random(1);
  for (std::size_t i = 0; i < captures.size(); ++i) {
    SCOPED_TRACE(captures[i].name);
    Capture wrapped;
    for (const KeptPacket& kept : captures[i].packets)
      for (int copy = 0; copy < 2; ++copy)
        wrapped.packets.push_back(framed(kept, wrappings[random() % wrappings.size()], kept.bytes));
    EXPECT_TRUE(lines_of(wrapped) == lines[i]);
  }
}

// The number of a packet is that of its last fragment; here all have it.
TEST_F(WrappedProperty, FragmentsInAnyOrderGiveTheSameFrames) {
  const std::vector<support::Wrapping> wrappings = support::all_wrappings();
  for (unsigned seed = 1; seed <= 5; ++seed) {
    std::mt19937 random(seed);
    for (std::size_t i = 0; i < captures.size(); ++i) {
      if (captures[i].name.find("snap") != std::string::npos) continue;  // cut already
      SCOPED_TRACE(captures[i].name + " seed " + std::to_string(seed));
      Capture wrapped;
      unsigned identification = 0;
      for (const KeptPacket& kept : captures[i].packets) {
        const support::Wrapping& wrapping = wrappings[random() % wrappings.size()];
        const std::size_t piece_bytes =
            std::max<std::size_t>(8 + random() % 100 * 8, kept.bytes.size() / 250 / 8 * 8 + 8);
        auto pieces = support::fragments_of(kept.bytes, piece_bytes, ++identification);
        if (random() % 4 == 0) pieces.push_back(pieces[random() % pieces.size()]);
        std::ranges::shuffle(pieces, random);
        for (const support::Buffer& piece : pieces)
          wrapped.packets.push_back(framed(kept, wrapping, piece));
      }
      EXPECT_TRUE(lines_of(wrapped) == lines[i]);
    }
  }
}

}  // namespace
}  // namespace property
