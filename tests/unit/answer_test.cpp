// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What findings need of bodies: read at its rows, and nothing where the body does not say it.
#include "conversation/answer.hpp"

#include <gtest/gtest.h>

#include "iggy/options.hpp"
#include "support/batches.hpp"
#include "support/iggy_frames.hpp"

namespace iggy::conversation {
namespace {

using support::Buffer;
using support::little;
using support::short_text;

struct Split {
  explicit Split(const Buffer& frame)
      : bytes(frame),
        facts(decode::facts_of(decode::Bytes{bytes}.first(256), Generation::v0_11)),
        body(decode::whole(decode::Bytes{bytes}.subspan(256))) {}
  Buffer bytes;
  decode::Facts facts;
  decode::Window body;
};

AnswerFacts told_by(const Buffer& frame, std::uint32_t code) {
  const Split split(frame);
  return answer_facts_of(split.facts, Generation::v0_11, code, split.body);
}

Buffer option(std::string_view key) {
  const Buffer text = support::bytes_of(key);
  return little().u8(2).u32(text.size()).bytes(text).u8(3).u32(1).u8(1).buffer();
}

OptionKeys keys_of(const Buffer& frame, std::uint32_t code) {
  const Split split(frame);
  OptionKeys keys = option_keys_of(split.facts, Generation::v0_11, code, split.body);
  static std::string kept;  // outlives the frame
  kept = keys.unknown;
  keys.unknown = kept;
  return keys;
}

TEST(AnswerFacts, AnEmptyAnswerIsOneWithoutAnError) {
  EXPECT_TRUE(told_by(support::reply({}), 200).is_empty);
  EXPECT_FALSE(told_by(support::reply({.status = 1009}), 200).is_empty);
  EXPECT_FALSE(told_by(support::reply({.body = support::counting_bytes(8)}), 200).is_empty);
  EXPECT_FALSE(told_by(support::eviction({.reason = 1}), 200).is_empty);
}

TEST(SentBatches, AreToldApartByNumberPlaceAndMessages) {
  const auto batch_of = [](std::uint64_t number, const Buffer& body, std::size_t captured) {
    const Split split(support::request({.operation = 160, .number = number, .body = body}));
    return batch_sent(split.facts, Generation::v0_11, 101,
                      {split.body.captured.first(captured), split.body.on_wire});
  };
  const Buffer body = support::send_body(support::batch_bytes());
  const auto sent = batch_of(1, body, body.size());
  ASSERT_TRUE(sent);
  EXPECT_EQ(batch_of(1, body, body.size()), sent);
  EXPECT_EQ(batch_of(1, body, support::batch_in_send + 48), sent);
  EXPECT_EQ(batch_of(1, body, support::batch_in_send + 47), std::nullopt);
  EXPECT_NE(batch_of(2, body, body.size()), sent);
  const Buffer other = support::send_body(support::batch_bytes({.messages = {{.payload = "x"}}}));
  const auto changed = batch_of(1, other, other.size());
  ASSERT_TRUE(changed);
  EXPECT_NE(changed, sent);
  EXPECT_EQ(changed->place, sent->place);
  Buffer elsewhere = body;
  elsewhere[9] = std::byte{9};  // in the identifier of the stream
  const auto moved = batch_of(1, elsewhere, elsewhere.size());
  ASSERT_TRUE(moved);
  EXPECT_NE(moved->place, sent->place);
}

TEST(Groups, AreToldApartByWhatTheRequestNames) {
  const Buffer first = support::counting_bytes(18);
  Buffer second = first;
  second.back() = std::byte{0xff};
  const auto group = group_asked_for(606, decode::whole(first));
  ASSERT_TRUE(group);
  EXPECT_EQ(group_asked_for(606, decode::whole(first)), group);
  EXPECT_EQ(group_asked_for(605, decode::whole(first)), group);
  EXPECT_NE(group_asked_for(606, decode::whole(second)), group);
  // Other commands name more or less than a group; and a part of a name is none.
  EXPECT_EQ(group_asked_for(100, decode::whole(first)), std::nullopt);
  EXPECT_EQ(group_asked_for(606, {decode::Bytes{first}.first(17), 18}), std::nullopt);
}

TEST(AnswerFacts, AnAssignmentTellsItsPartitions) {
  const Buffer two = little().u64(1).u32(2).u32(0).u32(1).buffer();
  EXPECT_EQ(told_by(support::reply({.body = two}), 606).assigned, 2U);
  const Buffer none = little().u64(3).u32(0).buffer();
  EXPECT_EQ(told_by(support::reply({.body = none}), 606).assigned, 0U);
  // Of another command the same bytes say nothing of it; nor do they when some are missing.
  EXPECT_EQ(told_by(support::reply({.body = none}), 100).assigned, std::nullopt);
  const Buffer cut = little().u64(3).u32(2).u32(0).buffer();
  EXPECT_EQ(told_by(support::reply({.body = cut}), 606).assigned, std::nullopt);
}

TEST(AnswerFacts, AGroupTellsItsMembersAndThePartitionsOfItsTopic) {
  const Buffer group = little()
                           .u32(0)
                           .u32(2)
                           .u32(3)
                           .bytes(short_text("billing"))
                           .bytes(little().u32(0).u32(1).u32(0).buffer())
                           .bytes(little().u32(1).u32(1).u32(1).buffer())
                           .bytes(little().u32(2).u32(0).buffer())
                           .buffer();
  const AnswerFacts told = told_by(support::reply({.body = group}), 600);
  EXPECT_EQ(told.members, 3U);
  EXPECT_EQ(told.partitions, 2U);
}

TEST(AnswerFacts, ALoginReplyTellsTheBuild) {
  EXPECT_EQ(told_by(support::login_reply(), 40).train, train_of("server", "0.9.0", version_0_11_0));
}

TEST(SendsNothing, IsALegacySendThatCountsNone) {
  const auto says_so = [](std::uint32_t count, std::uint32_t code) {
    const Buffer target = little().u8(1).u8(4).u32(1).u8(1).u8(4).u32(1).u8(1).u8(0).buffer();
    const Buffer body = little().u32(18).bytes(target).u32(count).buffer();
    const Buffer frame = support::legacy_request(code, body);
    const decode::Facts facts = decode::legacy_facts_of(decode::Bytes{frame}.first(8), true);
    return sends_nothing(facts, Generation::legacy, code, decode::whole(body));
  };
  EXPECT_TRUE(says_so(0, 101));
  EXPECT_FALSE(says_so(1, 101));
  EXPECT_FALSE(says_so(0, 100));
}

// Servers refuse what is outside of these, as they do what they do not know.
TEST(Readable, IsWhatServersTake) {
  const auto is_served = [](std::uint32_t limit) {
    const Buffer body = little().bytes(Buffer(1 + 44 + 2)).u32(limit).bytes(Buffer(1 + 2)).buffer();
    const Split split(support::request({.code = 17, .body = body}));
    return may_be_served(split.facts, Generation::v0_12, 17, split.body);
  };
  EXPECT_FALSE(is_served(0));
  EXPECT_TRUE(is_served(1));
  EXPECT_TRUE(is_served(1000));
  EXPECT_FALSE(is_served(1001));
  // Of other commands nothing is asked.
  const Split other(support::request({.code = 200, .body = Buffer(1)}));
  EXPECT_TRUE(may_be_served(other.facts, Generation::v0_12, 200, other.body));
}

TEST(OptionKeys, AreThoseBehindTheOtherRows) {
  const Buffer front = little().u8(1).u8(4).u32(1).u32(3).bytes(short_text("invoices")).buffer();
  const Buffer body =
      support::joined({front, option("durability"), option("no_such_option"), option("nor_this")});
  const OptionKeys keys = keys_of(support::request({.operation = 132, .body = body}), 302);
  EXPECT_EQ(keys.known, 1U << (find_option("durability") - std::begin(option_list::options)));
  EXPECT_EQ(keys.unknown, "no_such_option");
  const OptionKeys none = keys_of(support::request({.operation = 132, .body = front}), 302);
  EXPECT_EQ(none.known, 0U);
  EXPECT_EQ(none.unknown, "");
  // Other commands have none, whatever their bytes.
  EXPECT_EQ(keys_of(support::request({.operation = 134, .body = body}), 303).known, 0U);
}

TEST(OptionKeys, OfABodyWithASecretAreNotQuoted) {
  const Buffer body = support::joined({short_text("alice"), short_text("a-password"),
                                       little().u8(1).u8(0).buffer(), option("no_such_option")});
  EXPECT_EQ(keys_of(support::request({.operation = 141, .body = body}), 33).unknown, "");
}

}  // namespace
}  // namespace iggy::conversation
