// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Which frames besides logins tell secrets to everybody on the way.
#include <gtest/gtest.h>

#include "conversation/rules.hpp"
#include "iggy/registry.hpp"
#include "support/iggy_frames.hpp"

namespace iggy::conversation {
namespace {

TEST(Secrets, AreToldByTheirRows) {
  using support::little;
  const auto tells = [](const support::Buffer& frame, std::uint32_t code,
                        Generation generation = Generation::v0_11) {
    const decode::Bytes bytes{frame};
    return tells_secret(decode::facts_of(bytes.first(256), generation), generation, code,
                        decode::whole(bytes.subspan(256)));
  };
  const support::Buffer token = support::joined({support::success(), support::short_text("tok")});
  EXPECT_TRUE(tells(support::reply({.operation = 146, .body = token}), 42));
  EXPECT_FALSE(tells(support::reply({.operation = 146, .body = support::rejection(51)}), 42));
  const support::Buffer user = support::joined(
      {support::short_text("bob"), support::short_text("pw"), little().u8(1).u8(0).buffer()});
  EXPECT_TRUE(tells(support::request({.operation = 141, .body = user}), 33));
  // Logins are told of apart.
  EXPECT_FALSE(tells(support::login(support::password_body()), 40));
  EXPECT_FALSE(tells(support::request({.code = 1}), 1));
  const auto stream = [](std::string_view key) {
    return support::request(
        {.operation = 128,
         .body = support::joined({support::short_text("s"), little()
                                                                .u8(2)
                                                                .u32(key.size())
                                                                .bytes(support::bytes_of(key))
                                                                .u8(1)
                                                                .u32(2)
                                                                .u8(7)
                                                                .u8(0)
                                                                .buffer()})});
  };
  EXPECT_TRUE(tells(stream("encryption_key"), 202, Generation::v0_12));
  EXPECT_FALSE(tells(stream("name"), 202, Generation::v0_12));
}

}  // namespace
}  // namespace iggy::conversation
