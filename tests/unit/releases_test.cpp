// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Releases by SDK and protocol version.
#include "iggy/releases.hpp"

#include <gtest/gtest.h>

namespace iggy {
namespace {

TEST(Releases, OfSdksAndServers) {
  EXPECT_EQ(releases_of("rust-sdk", version_0_11_0), "rust-sdk 0.11.0");
  EXPECT_EQ(releases_of("rust-sdk", make_version(0, 12, 2)), "rust-sdk 0.11.1-edge.7 to edge.9");
  EXPECT_EQ(releases_of("node-sdk", version_0_11_0), "node-sdk 0.10.0");
  EXPECT_EQ(releases_of("server", version_0_11_0), "server 0.9.0");
  EXPECT_EQ(releases_of("server", version_0_12_0), "server 0.10.0");
}

TEST(Releases, NothingIsInvented) {
  EXPECT_EQ(releases_of("node-sdk", version_0_12_0), "");
  EXPECT_EQ(releases_of("rust-sdk", make_version(0, 12, 3)), "");
  EXPECT_EQ(releases_of("rust-sdk", {}), "");
  EXPECT_EQ(releases_of("Rust-SDK", version_0_11_0), "");
  EXPECT_EQ(releases_of("", version_0_11_0), "");
}

}  // namespace
}  // namespace iggy
