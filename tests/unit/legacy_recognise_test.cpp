// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The tests for the 8-byte framing, which nothing but fitting bodies and chained frames vouch for.
#include <gtest/gtest.h>

#include <initializer_list>

#include "conversation/recognise.hpp"
#include "support/iggy_frames.hpp"

namespace iggy::conversation {
namespace {

using support::Buffer;
using support::joined;
using support::legacy_login_body;
using support::legacy_reply;
using support::legacy_request;
using support::short_text;

Legacy at_start(const Buffer& bytes, bool at_end = false) {
  return test_legacy_request(bytes, true, at_end).verdict;
}
Legacy in_the_middle(const Buffer& bytes, bool at_end = false) {
  return test_legacy_request(bytes, false, at_end).verdict;
}

TEST(LegacyRequest, NamesItselfAtTheStart) {
  EXPECT_EQ(at_start(legacy_request(1)), Legacy::yes);
  EXPECT_EQ(at_start(legacy_request(38, legacy_login_body())), Legacy::yes);
  EXPECT_EQ(at_start(legacy_request(44, short_text("a-token"))), Legacy::yes);
  EXPECT_EQ(at_start(legacy_request(10)), Legacy::need_more);
  EXPECT_EQ(at_start(legacy_request(10), true), Legacy::no);
}

TEST(LegacyRequest, TwoFramesElsewhere) {
  const Buffer ping = legacy_request(1);
  EXPECT_EQ(in_the_middle(ping), Legacy::need_more);
  EXPECT_EQ(in_the_middle(ping, true), Legacy::no);
  EXPECT_EQ(in_the_middle(joined({ping, ping})), Legacy::yes);
  EXPECT_EQ(in_the_middle(joined({ping, support::bytes_of({9, 9, 9, 9, 9, 9, 9, 9})})), Legacy::no);
}

TEST(LegacyRequest, WhatFollowsHasToFit) {
  const Buffer noise = support::bytes_of({9, 9, 9, 9, 9, 9, 9, 9});
  EXPECT_EQ(at_start(joined({legacy_request(1), noise})), Legacy::no);
  EXPECT_EQ(at_start(joined({legacy_request(1), legacy_request(20)})), Legacy::yes);
}

TEST(LegacyRequest, EveryPrefixOfALogin) {
  const Buffer login = legacy_request(38, legacy_login_body());
  for (std::size_t size = 0; size < login.size(); ++size) {
    const Buffer piece(support::cut(login, size));
    EXPECT_EQ(at_start(piece), Legacy::need_more) << size;
    EXPECT_GT(test_legacy_request(piece, true, false).needed, size);
    EXPECT_LE(test_legacy_request(piece, true, false).needed, login.size());
    EXPECT_EQ(at_start(piece, true), Legacy::no) << size;
  }
}

TEST(LegacyRequest, LengthsAndCodes) {
  const auto head = [](std::uint64_t length, std::uint64_t code) {
    return at_start(support::little().u32(length).u32(code).buffer());
  };
  EXPECT_EQ(head(4, 1), Legacy::yes);
  EXPECT_EQ(head(3, 1), Legacy::no);
  EXPECT_EQ(head(0, 0), Legacy::no);
  EXPECT_EQ(head(4, 999), Legacy::no);
  EXPECT_EQ(head((64U << 20) + 5, 1), Legacy::no);
  EXPECT_EQ(head(5, 1), Legacy::need_more);
}

// A body fits its code when a ping may follow it.
bool fits(std::uint32_t code, const Buffer& body) {
  return in_the_middle(joined({legacy_request(code, body), legacy_request(1)})) == Legacy::yes;
}

TEST(LegacyRequest, EmptyCommandsHaveNoBody) {
  for (const std::uint32_t code : {1U, 10U, 12U, 20U, 22U, 32U, 39U, 41U, 201U}) {
    EXPECT_TRUE(fits(code, {})) << code;
    EXPECT_FALSE(fits(code, {std::byte{1}})) << code;
  }
}

TEST(LegacyRequest, LoginBodies) {
  const Buffer plain = joined({short_text("u"), short_text("p")});
  EXPECT_TRUE(fits(38, plain));
  EXPECT_TRUE(fits(38, legacy_login_body()));
  EXPECT_FALSE(fits(38, joined({plain, {std::byte{1}}})));
  EXPECT_FALSE(fits(38, joined({plain, support::long_text("0.6.0")})));
  EXPECT_FALSE(fits(38, joined({short_text(""), short_text("p")})));
  EXPECT_FALSE(fits(38, joined({short_text("u"), short_text("")})));
  EXPECT_FALSE(fits(38, joined({short_text(std::string(101, 'u')), short_text("p")})));
  EXPECT_TRUE(fits(38, joined({short_text(std::string(100, 'u')), short_text("p")})));
  EXPECT_FALSE(fits(38, {}));
}

TEST(LegacyRequest, TokenBodies) {
  EXPECT_TRUE(fits(44, short_text("token")));
  EXPECT_FALSE(fits(44, joined({short_text("token"), {std::byte{0}}})));
  EXPECT_FALSE(fits(44, {std::byte{0}}));
  EXPECT_FALSE(fits(44, {}));
}

TEST(LegacyRequest, ClientIds) {
  EXPECT_TRUE(fits(21, Buffer(4)));
  EXPECT_FALSE(fits(21, Buffer(5)));
  EXPECT_FALSE(fits(21, Buffer(3)));
}

TEST(LegacyRequest, Identifiers) {
  const Buffer by_number = support::bytes_of({1, 4, 7, 0, 0, 0});
  const Buffer by_name = support::bytes_of({2, 3, 'a', 'b', 'c'});
  for (const std::uint32_t code : {200U, 203U, 300U, 305U, 402U, 403U, 600U, 605U}) {
    EXPECT_TRUE(fits(code, by_number)) << code;
    EXPECT_TRUE(fits(code, by_name)) << code;
    EXPECT_FALSE(fits(code, support::bytes_of({1, 5, 7, 0, 0, 0, 0}))) << code;
    EXPECT_FALSE(fits(code, support::bytes_of({2, 9, 'a', 'b'}))) << code;
    EXPECT_FALSE(fits(code, support::bytes_of({3, 4, 7, 0, 0, 0}))) << code;
    EXPECT_FALSE(fits(code, {})) << code;
  }
  EXPECT_TRUE(fits(100, joined({support::bytes_of({1}), by_number})));  // a consumer
  EXPECT_TRUE(fits(120, joined({support::bytes_of({2}), by_name})));
}

TEST(LegacyReply, OfAServerWithALegacyClient) {
  const auto says = [](const Buffer& bytes, bool at_end = false) {
    return test_legacy_reply(bytes, true, at_end);
  };
  EXPECT_EQ(says(legacy_reply()), Legacy::yes);
  EXPECT_EQ(says(legacy_reply(0, Buffer(40))), Legacy::yes);
  EXPECT_EQ(says(legacy_reply(42)), Legacy::yes);
  EXPECT_EQ(says(legacy_reply(42, Buffer(10))), Legacy::yes);  // a text, up to 0.4.61
  EXPECT_EQ(says(legacy_reply(42, Buffer(3))), Legacy::no);
  EXPECT_EQ(says(support::little().u32(0).u32((64U << 20) + 1).buffer()), Legacy::no);
  EXPECT_EQ(says(support::little().u32(777'777).u32(0).buffer()), Legacy::no);
  for (std::size_t size = 0; size < 8; ++size) {
    const Buffer piece(support::cut(legacy_reply(), size));
    EXPECT_EQ(says(piece), Legacy::need_more);
    EXPECT_EQ(says(piece, true), Legacy::no);
  }
}

TEST(LegacyReply, ToAClientOfAnotherFraming) {
  EXPECT_EQ(test_legacy_reply(legacy_reply(3), false, false), Legacy::yes);
  EXPECT_EQ(test_legacy_reply(legacy_reply(0), false, false), Legacy::no);
  EXPECT_EQ(test_legacy_reply(legacy_reply(42), false, false), Legacy::no);
  EXPECT_EQ(test_legacy_reply(legacy_reply(3, Buffer(8)), false, false), Legacy::no);
}

}  // namespace
}  // namespace iggy::conversation
