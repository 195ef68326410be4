// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Packed versions, and who lets whom in: every published server against every published client.
#include "iggy/version.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>

namespace iggy {
namespace {

TEST(Version, IsPackedAsUpstreamPacksIt) {
  EXPECT_EQ(make_version(0, 10, 2).packed, 10242U);
  EXPECT_EQ(make_version(0, 10, 3).packed, 10243U);
  EXPECT_EQ(make_version(0, 11, 0).packed, 11264U);
  EXPECT_EQ(make_version(0, 11, 1).packed, 0x2c01U);
  EXPECT_EQ(make_version(0, 12, 2).packed, 0x3002U);
  const Version version = make_version(1, 1023, 7);
  EXPECT_EQ(version.major(), 1U);
  EXPECT_EQ(version.minor(), 1023U);
  EXPECT_EQ(version.patch(), 7U);
  EXPECT_EQ(version.stray_bits(), 0U);
  EXPECT_EQ(Version{0x80000000}.stray_bits(), 2U);
  EXPECT_EQ(Version{0x40000000}.stray_bits(), 1U);
}

// What each server accepts, as the range of packed numbers.
struct Server {
  Version announced;
  std::uint32_t lowest;
  std::uint32_t highest;
};
constexpr Server servers[] = {
    {{10242}, 10240, 11263}, {{10243}, 10240, 11263}, {{11264}, 11264, 12287},
    {{11265}, 11264, 12287}, {{12288}, 12288, 12288}, {{12289}, 12289, 12289},
    {{12290}, 12290, 12290},
};

TEST(Version, GatesOfAllPublishedServers) {
  for (const Server& server : servers) {
    const VersionWindow window = window_of(server.announced);
    for (std::uint32_t client = 0; client < 16384; ++client) {
      const GateVerdict wanted = client < server.lowest    ? GateVerdict::too_old
                                 : client > server.highest ? GateVerdict::too_new
                                                           : GateVerdict::accepted;
      ASSERT_EQ(gate(window, Version{client}), wanted)
          << "server " << server.announced.packed << ", client " << client;
    }
  }
}

TEST(Version, WindowsThatServersName) {
  EXPECT_EQ(window_of({10242}).lowest.packed, 10240U);
  EXPECT_EQ(window_of({10243}).lowest.packed, 10240U);
  EXPECT_EQ(window_of({11265}).lowest.packed, 11264U);
  EXPECT_EQ(window_of({12289}).lowest.packed, 12289U);
  for (const Server& server : servers)
    EXPECT_EQ(window_of(server.announced).highest, server.announced);
}

// max = min = 11264 lets 0.11.1 in, max = min = 12290 lets nothing in but itself.
TEST(Version, SameWindowOtherRule) {
  EXPECT_EQ(gate({{11264}, {11264}}, {11265}), GateVerdict::accepted);
  EXPECT_EQ(gate({{11264}, {11264}}, make_version(0, 11, 1023)), GateVerdict::accepted);
  EXPECT_EQ(gate({{12290}, {12290}}, {12291}), GateVerdict::too_new);
  EXPECT_EQ(gate({{12290}, {12290}}, {12289}), GateVerdict::too_old);
}

TEST(Version, WindowsFromOneOnGoByMajor) {
  const VersionWindow window = window_of(make_version(1, 2, 3));
  EXPECT_EQ(gate(window, make_version(1, 0, 0)), GateVerdict::accepted);
  EXPECT_EQ(gate(window, make_version(1, 900, 900)), GateVerdict::accepted);
  EXPECT_EQ(gate(window, make_version(0, 12, 2)), GateVerdict::too_old);
  EXPECT_EQ(gate(window, make_version(2, 0, 0)), GateVerdict::too_new);
}

TEST(Version, ConsistencyOfEvictionWindows) {
  EXPECT_TRUE(window_is_consistent(14, {{11264}, {11264}}));
  EXPECT_TRUE(window_is_consistent(14, {{11264}, {11265}}));
  EXPECT_TRUE(window_is_consistent(14, {{1}, {1}}));
  EXPECT_FALSE(window_is_consistent(14, {{0}, {0}}));
  EXPECT_FALSE(window_is_consistent(14, {{0}, {11264}}));
  EXPECT_FALSE(window_is_consistent(14, {{11265}, {11264}}));
  EXPECT_FALSE(window_is_consistent(14, {{11264}, {0x40000000}}));
  for (int reason = 0; reason < 256; ++reason) {
    if (reason == 14) continue;
    const auto byte = static_cast<std::uint8_t>(reason);
    EXPECT_TRUE(window_is_consistent(byte, {{0}, {0}}));
    EXPECT_FALSE(window_is_consistent(byte, {{11264}, {11264}}));
    EXPECT_FALSE(window_is_consistent(byte, {{0}, {11264}}));
  }
}

}  // namespace
}  // namespace iggy
