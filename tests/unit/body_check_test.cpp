// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What the bytes of a request's body show once all of them passed by.
#include "decode/body_check.hpp"

#include <gtest/gtest.h>

#include "support/batches.hpp"
#include "support/iggy_frames.hpp"

namespace iggy::decode {
namespace {

using support::Buffer;

BodyFacts checked(const Buffer& body, std::size_t seen, unsigned operation = 160) {
  const Buffer frame = support::request({.operation = operation, .checksum = {1, 0}, .body = body});
  const Facts facts = facts_of(Bytes{frame}.first(256), Generation::v0_11);
  BodyCheck check;
  check.begin(facts, static_cast<std::uint32_t>(body.size()), {});
  check.add(Bytes{body}.first(seen));
  return check.end(facts);
}

TEST(BodyCheck, SendsThatReadToTheirEndAreRight) {
  const Buffer body(support::send_body(support::Batch{}));
  EXPECT_TRUE(checked(body, body.size()).is_right_send);
  EXPECT_FALSE(checked(body, body.size() - 1).is_right_send);
  EXPECT_FALSE(checked(body, body.size(), 128).is_right_send);
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{3}, std::size_t{10}, body.size() - 1}) {
    const Buffer shorter(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(checked(shorter, size).is_right_send) << size;
  }
  Buffer damaged = body;
  damaged.back() ^= std::byte{1};
  EXPECT_FALSE(checked(damaged, damaged.size()).is_right_send);
}

TEST(BodyCheck, StampsAreComparedWithTheBody) {
  const Buffer body = support::short_text("orders");
  EXPECT_TRUE(checked(body, body.size(), 128).is_stamp_wrong);
  EXPECT_EQ(checked(body, body.size(), 128).checksum, xxh3(body));
}

}  // namespace
}  // namespace iggy::decode
