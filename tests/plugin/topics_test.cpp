// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Topics are named as the wire names them, each once, and patterns fit as users mean them.
#include "plugin/topics.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "decode/body.hpp"
#include "iggy/registry.hpp"
#include "support/batches.hpp"

namespace plugin {
namespace {

using iggy::Generation;
using iggy::decode::Facts;

Facts prepare_of(std::uint64_t group) {
  Facts facts;
  facts.command = static_cast<std::uint8_t>(iggy::Command::Prepare);
  facts.operation = iggy::operation::send_messages;
  facts.group = group;
  return facts;
}

TEST(Topics, OfASend) {
  Topics topics;
  Facts facts;
  facts.command = static_cast<std::uint8_t>(iggy::Command::Request);
  facts.operation = iggy::operation::send_messages;
  const auto body = support::send_body();
  const auto code = iggy::decode::code_of_request(facts, Generation::v0_11, {});
  const std::uint32_t index =
      topics.of_request(facts, Generation::v0_11, code, iggy::decode::whole(body));
  ASSERT_NE(index, Topics::none);
  const Topic& topic = topics.at(index);
  EXPECT_EQ(topic.name.find('/') + 1, topic.topic_at);
  EXPECT_EQ(topics.of_request(facts, Generation::v0_11, code, iggy::decode::whole(body)), index);
  // What was cut in front of the names names nothing.
  const iggy::decode::Bytes front = iggy::decode::Bytes{body}.first(6);
  EXPECT_EQ(topics.of_request(facts, Generation::v0_11, code,
                              {front, static_cast<std::uint32_t>(body.size())}),
            Topics::none);
}

TEST(Topics, OfAGroup) {
  Topics topics;
  const std::uint32_t index = topics.of_prepare(prepare_of((7ULL << 32) | (0xabcULL << 20) | 5));
  EXPECT_EQ(topics.at(index).name, "7/2748");
  EXPECT_EQ(topics.at(index).topic_at, 2U);
  EXPECT_EQ(topics.of_prepare(prepare_of((7ULL << 32) | (0xabcULL << 20) | 6)), index);
  Facts other = prepare_of(0);
  other.operation = iggy::operation::logout;
  EXPECT_EQ(topics.of_prepare(other), Topics::none);
}

TEST(Topics, AreBounded) {
  Topics topics;
  std::uint32_t last = 0;
  for (std::uint64_t stream = 0; stream < 30'000; ++stream)
    last = topics.of_prepare(prepare_of(stream << 32));
  EXPECT_EQ(last, Topics::none);
  EXPECT_NE(topics.of_prepare(prepare_of(0)), Topics::none);
}

TEST(Topics, Patterns) {
  EXPECT_TRUE(fits_pattern("orders/invoices", "orders/invoices"));
  EXPECT_FALSE(fits_pattern("orders", "orders/invoices"));
  EXPECT_FALSE(fits_pattern("Orders/*", "orders/invoices"));
  EXPECT_TRUE(fits_pattern("orders/*", "orders/"));
  EXPECT_TRUE(fits_pattern("*/in*s", "orders/invoices"));
  EXPECT_TRUE(fits_pattern("**a*b**", "xaayb"));
  EXPECT_FALSE(fits_pattern("*a*b", "xaaybc"));
  EXPECT_TRUE(fits_pattern("*", ""));
  EXPECT_TRUE(fits_pattern("", ""));
  EXPECT_FALSE(fits_pattern("", "x"));
  // One that tries every star anew would never come back.
  std::string stars;
  for (int i = 0; i < 100; ++i) stars += "a*";
  EXPECT_FALSE(fits_pattern(stars + "b", std::string(510, 'a')));
}

}  // namespace
}  // namespace plugin
