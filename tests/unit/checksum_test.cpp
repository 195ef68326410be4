// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Checksums against vectors that were computed apart from this code, from the definitions alone.
#include "decode/checksum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace iggy::decode {
namespace {

constexpr std::uint64_t empty_hash = 0x2d06800538d394c2;
constexpr U128 cluster{0xb8ba2787c805bb21, 0x462da7e87bc20e8d};
constexpr std::uint64_t metadata_group = 0x8000000000000000;

class Header {
 public:
  Header(std::uint8_t command, std::uint32_t size) {
    u128(32, cluster);
    u32(48, size);
    u8(60, command);
  }
  Header& u8(std::size_t at, std::uint8_t value) { return put(at, value, 1); }
  Header& u32(std::size_t at, std::uint32_t value) { return put(at, value, 4); }
  Header& u64(std::size_t at, std::uint64_t value) { return put(at, value, 8); }
  Header& u128(std::size_t at, U128 value) {
    return put(at, value.low, 8).put(at + 8, value.high, 8);
  }
  Header& hash(std::uint64_t value) { return u128(0, {value, 0}); }
  Bytes bytes() const { return bytes_; }

 private:
  Header& put(std::size_t at, std::uint64_t value, std::size_t width) {
    for (std::size_t i = 0; i < width; ++i)
      bytes_[at + i] = static_cast<std::byte>(value >> (8 * i));
    return *this;
  }
  std::array<std::byte, 256> bytes_{};
};

Header prepare_of_register() {
  return Header(6, 256)
      .u128(16, {empty_hash, 0})
      .u32(52, 1)
      .u8(61, 1)
      .u128(128, {0x8899aabbccddeeff, 0x0011223344556677})
      .u64(176, 5)
      .u64(184, 4)
      .u64(192, 1700000000000000)
      .u8(208, 1)
      .u64(216, metadata_group)
      .u32(224, 1);
}
constexpr std::uint64_t prepare_identity = 0x4ab71a2d2035807f;

TEST(Checksum, OfPlainBytes) {
  EXPECT_EQ(xxh3({}), empty_hash);
  constexpr std::string_view text = "payload";
  EXPECT_EQ(xxh3(std::as_bytes(std::span(text))), 0x32fe61f05b2d8d7bU);
}

TEST(Checksum, SealOfACommit) {
  Header commit = Header(9, 256).u32(52, 3).u64(144, 7).u64(152, 42).u64(168, metadata_group);
  EXPECT_FALSE(seal_is_right(commit.bytes()));
  EXPECT_TRUE(seal_is_right(commit.hash(0x04a1d12329cb7fe0).bytes()));
}

TEST(Checksum, SealOfAPrepareOk) {
  Header ok = Header(7, 256)
                  .u32(52, 1)
                  .u8(61, 2)
                  .u128(144, {prepare_identity, 0})
                  .u64(160, 5)
                  .u64(168, 4)
                  .u64(176, 1700000000000000)
                  .u8(192, 1)
                  .u64(200, metadata_group);
  EXPECT_TRUE(seal_is_right(ok.hash(0xad8e4d0a8448a373).bytes()));
}

TEST(Checksum, SealCoversEveryByteBehindIt) {
  Header sealed = Header(9, 256).u32(52, 3).u64(144, 7).u64(152, 42).u64(168, metadata_group);
  sealed.hash(0x04a1d12329cb7fe0);
  std::vector<std::byte> bytes(sealed.bytes().begin(), sealed.bytes().end());
  for (std::byte& byte : bytes) {
    byte ^= std::byte{1};
    EXPECT_FALSE(seal_is_right(bytes));
    byte ^= std::byte{1};
  }
  EXPECT_TRUE(seal_is_right(bytes));
  EXPECT_FALSE(seal_is_right(Bytes(bytes).first(255)));
}

TEST(Checksum, IdentityOfAPrepare) {
  Header prepare = prepare_of_register();
  EXPECT_FALSE(identity_is_right(prepare.bytes()));
  EXPECT_TRUE(identity_is_right(prepare.hash(prepare_identity).bytes()));
  EXPECT_FALSE(identity_is_right(prepare.bytes().first(255)));
}

// A copy in a later view and a RepairPrepare keep the identity; nothing else may change.
TEST(Checksum, IdentityOutlivesViewAndRepair) {
  Header repaired = prepare_of_register().hash(prepare_identity).u32(52, 9).u8(60, 19);
  EXPECT_TRUE(identity_is_right(repaired.bytes()));
  EXPECT_FALSE(identity_is_right(Header(repaired).hash(0x233be4d03dc41efb).bytes()));
  EXPECT_FALSE(identity_is_right(Header(repaired).u8(61, 2).bytes()));
  EXPECT_FALSE(identity_is_right(Header(repaired).u8(8, 1).bytes())) << "upper half is zero";
  EXPECT_FALSE(identity_is_right(Header(repaired).u8(255, 1).bytes()));
}

// The body holds a hole of the log, which is written as a blank header, and the Prepare above.
TEST(Checksum, SealAndBodyOfADoViewChange) {
  std::array<std::byte, 512> body{};
  body[60] = std::byte{6};
  body[176] = std::byte{6};
  const Header entry = prepare_of_register().hash(prepare_identity);
  std::copy(entry.bytes().begin(), entry.bytes().end(), body.begin() + 256);
  EXPECT_TRUE(body_checksum_is_right({0xed1af73b55ab1183, 0}, body));

  Header change = Header(11, 768)
                      .u128(16, {0xed1af73b55ab1183, 0})
                      .u32(52, 2)
                      .u8(61, 2)
                      .u64(128, 6)
                      .u64(136, 5)
                      .u64(144, metadata_group)
                      .u32(152, 1)
                      .u128(224, {1, 0})
                      .u128(240, {2, 0});
  EXPECT_TRUE(seal_is_right(change.hash(0x02d8c9cf68171660).bytes()));
}

TEST(Checksum, OfBodies) {
  EXPECT_TRUE(body_checksum_is_right({empty_hash, 0}, {}));
  EXPECT_FALSE(body_checksum_is_right({}, {}));
  EXPECT_FALSE(body_checksum_is_right({empty_hash, 1}, {}));
}

}  // namespace
}  // namespace iggy::decode
