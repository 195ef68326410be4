// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The fields that steer everything else, of each header and generation.
#include "decode/facts.hpp"

#include <gtest/gtest.h>

#include "support/iggy_frames.hpp"

namespace iggy::decode {
namespace {

using support::Buffer;

Facts of(const Buffer& frame, Generation generation = Generation::v0_11) {
  return facts_of(Bytes{frame}.first(256), generation);
}

TEST(Facts, OfARequest) {
  const Facts facts = of(support::request({.code = 100,
                                           .number = 9,
                                           .session = 77,
                                           .client = support::second_client,
                                           .checksum = {3, 4},
                                           .body = Buffer(10)}));
  EXPECT_TRUE(facts.is_request());
  EXPECT_FALSE(facts.is_reply());
  EXPECT_TRUE(facts.is(Command::Request));
  EXPECT_EQ(facts.size, 266U);
  EXPECT_EQ(facts.operation, 2);
  EXPECT_EQ(facts.code, 100U);
  EXPECT_EQ(facts.request, 9U);
  EXPECT_EQ(facts.session, 77U);
  EXPECT_EQ(facts.client, support::second_client);
  EXPECT_EQ(facts.request_checksum, (U128{3, 4}));
  EXPECT_EQ(command_name_of(facts), "Request");
}

TEST(Facts, OnlyOperationTwoHasACode) {
  EXPECT_EQ(of(support::request({.operation = 128, .code = 100})).code, 0U);
}

TEST(Facts, RequestsOfOlderLayouts) {
  const Buffer va = support::request_builder({.code = 7, .session = 9})
                        .u64(192, 55)
                        .u32(200, 8)
                        .u32(204, 100)
                        .frame();
  EXPECT_EQ(of(va, Generation::va).session, 55U);
  EXPECT_EQ(of(va, Generation::va).code, 100U);
  EXPECT_EQ(of(va, Generation::v0).session, 55U);
  EXPECT_EQ(of(va, Generation::v0).code, 8U);
  EXPECT_EQ(of(va, Generation::v0_12).session, 9U);
}

TEST(Facts, OfAReply) {
  const Buffer reply =
      support::reply_builder({.operation = 64, .number = 9, .status = 40}).u64(176, 33).frame();
  const Facts facts = of(reply);
  EXPECT_TRUE(facts.is_reply());
  EXPECT_EQ(facts.operation, 64);
  EXPECT_EQ(facts.request, 9U);
  EXPECT_EQ(facts.status, 40U);
  EXPECT_EQ(facts.op, 33U);
  EXPECT_EQ(facts.client, support::first_client);
}

TEST(Facts, StatusOfOlderReplies) {
  const Buffer reply = support::reply_builder({.status = 40}).u32(224, 41).frame();
  EXPECT_EQ(of(reply, Generation::va).status, 41U);
  EXPECT_EQ(of(reply, Generation::v0).status, 0U);
}

TEST(Facts, OfAnEviction) {
  const Facts facts = of(support::eviction(
      {.reason = 14, .highest = make_version(0, 11, 1), .lowest = version_0_11_0}));
  EXPECT_EQ(facts.reason, 14);
  EXPECT_EQ(facts.window.highest, make_version(0, 11, 1));
  EXPECT_EQ(facts.window.lowest, version_0_11_0);
  EXPECT_EQ(facts.client, support::transport_client);
  EXPECT_FALSE(facts.is_reply() || facts.is_request());
}

TEST(Facts, OfReplicaFrames) {
  for (const unsigned command : {6U, 19U}) {
    const Facts prepare =
        of(support::prepare_builder({.op = 12, .operation = 130, .command = command}).frame());
    EXPECT_EQ(prepare.op, 12U);
    EXPECT_EQ(prepare.operation, 130);
    EXPECT_EQ(prepare.group, support::metadata_group);
    EXPECT_EQ(prepare.client, support::first_client);
    EXPECT_EQ(prepare.request, 1U);
    EXPECT_EQ(prepare.view, 1U);
    EXPECT_EQ(prepare.replica, 1);
  }
}

// Whichever header has a row for its group.
TEST(Facts, GroupOfEveryReplicaFrame) {
  for (const Generation generation : {Generation::v0_11, Generation::v0_12}) {
    std::size_t named = 0;
    for (unsigned command = 0; command <= highest_command; ++command) {
      const describe::Layout* const layout =
          header_layout(generation, static_cast<std::uint8_t>(command));
      if (layout == nullptr) continue;
      support::FrameBuilder builder(command);
      std::uint64_t wanted = 0;
      for (const describe::Field& row : layout->fields)
        if (row.name == "group")
          builder.u64(row.offset, wanted = support::metadata_group + command);
      const Buffer frame = builder.frame();
      EXPECT_EQ(facts_of(frame, generation).group, wanted) << command;
      named += wanted == 0 ? 0U : 1U;
    }
    EXPECT_GE(named, 15U);
  }
}

TEST(Facts, OfLegacyFrames) {
  const Facts request =
      legacy_facts_of(Bytes{support::legacy_request(38, Buffer(20))}.first(8), true);
  EXPECT_TRUE(request.is_request());
  EXPECT_EQ(request.size, 28U);
  EXPECT_EQ(request.code, 38U);
  EXPECT_EQ(request.operation, 2);
  EXPECT_EQ(command_name_of(request), "LegacyRequest");
  const Facts reply = legacy_facts_of(Bytes{support::legacy_reply(42, Buffer(5))}.first(8), false);
  EXPECT_TRUE(reply.is_reply());
  EXPECT_EQ(reply.size, 13U);
  EXPECT_EQ(reply.status, 42U);
  EXPECT_EQ(command_name_of(reply), "LegacyReply");
  // A legacy frame has no command byte that could be taken for one.
  EXPECT_FALSE(request.is(Command::Reserved));
}

TEST(Facts, UnknownCommandHasNoName) {
  EXPECT_EQ(command_name_of(of(support::FrameBuilder(200).frame())), "");
}

TEST(HeaderLayoutOf, ANewerCommandIsShownAsThatOfItsGeneration) {
  Facts facts;
  facts.command = static_cast<std::uint8_t>(Command::Request);
  EXPECT_EQ(header_layout_of(facts, Generation::va).title, "Request of 0.10.2");
  EXPECT_EQ(header_layout_of(facts, Generation::v0_11).title, "Request");
  facts.command = static_cast<std::uint8_t>(Command::SegmentDelete);
  EXPECT_EQ(&header_layout_of(facts, Generation::va),
            header_layout(Generation::v0_12, facts.command));
  facts.command = highest_command + 1;
  EXPECT_EQ(&header_layout_of(facts, Generation::v0_11), header_layout(Generation::v0_11, 0));
  facts.form = Form::legacy_request;
  EXPECT_EQ(header_layout_of(facts, Generation::unknown).name, "legacy_request");
  facts.form = Form::legacy_reply;
  EXPECT_EQ(header_layout_of(facts, Generation::unknown).name, "legacy_reply");
}

}  // namespace
}  // namespace iggy::decode
