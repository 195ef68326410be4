// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What tells requests about one thing from those about another, and bodies that can be read.
#include "conversation/target.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "iggy/exchanges.hpp"
#include "support/batches.hpp"
#include "support/iggy_frames.hpp"

namespace iggy::conversation {
namespace {

using support::Buffer;
using support::bytes_of;
using support::joined;
using support::little;
using support::short_text;

Buffer named(std::string_view text) {
  return little().u8(2).u8(text.size()).bytes(bytes_of(text)).buffer();
}
Buffer numbered(std::uint32_t number) {
  return little().u8(1).u8(4).u32(number).buffer();
}
Buffer partition(std::uint32_t id) {
  return little().u8(1).u32(id).buffer();
}

decode::Facts facts_for(std::uint32_t code, unsigned operation = 2) {
  const Buffer frame = support::request({.operation = operation, .code = code});
  return decode::facts_of(decode::Bytes{frame}.first(256), Generation::v0_11);
}

std::uint64_t target(std::uint32_t code, const Buffer& body) {
  return target_of(facts_for(code, find_code(Generation::v0_11, code)->operation),
                   Generation::v0_11, code, decode::whole(body));
}

TEST(Target, IsWhatABodyNames) {
  const auto join = [](std::string_view stream, std::string_view group) {
    return target(604, joined({named(stream), named("t"), named(group)}));
  };
  EXPECT_EQ(join("o", "g"), join("o", "g"));
  std::set<std::uint64_t> all = {join("o", "g0"),   join("o", "g1"),    join("a b", "g0"),
                                 join("a c", "g0"), join("x[1]", "g0"), join("x[2]", "g0")};
  EXPECT_EQ(all.size(), 6U);
  EXPECT_NE(target(200, named("1")), target(200, numbered(1)));
  EXPECT_NE(target(202, short_text("my stream 0")), target(202, short_text("my stream 1")));
}

TEST(Target, IsNotWhatItCountsAndMeasures) {
  const auto store = [](std::uint32_t id, std::uint64_t offset, std::string_view consumer) {
    return target(121, joined({little().u8(1).buffer(), named(consumer), named("o"), named("t"),
                               partition(id), little().u64(offset).u8(0).buffer()}));
  };
  EXPECT_EQ(store(0, 5, "c"), store(3, 9, "c"));
  EXPECT_NE(store(0, 5, "c"), store(0, 5, "d"));
  const auto create = [](std::uint32_t count, std::string_view name) {
    return target(302, joined({named("o"), little().u32(count).buffer(), short_text(name)}));
  };
  EXPECT_EQ(create(1, "t"), create(3, "t"));
  EXPECT_NE(create(1, "t"), create(1, "u"));
  EXPECT_EQ(target(101, support::send_body({.messages = {{.payload = "a"}}})),
            target(101, support::send_body({.messages = {{.payload = "b"}, {.payload = "c"}}})));
}

TEST(Target, OfNothingIsNone) {
  EXPECT_EQ(target(1, {}), 0U);
  EXPECT_EQ(target(200, {}), 0U);
}

bool is_read(std::uint32_t code, const Buffer& body, Generation generation = Generation::v0_11) {
  return can_be_read(facts_for(code), generation, code, decode::whole(body));
}

TEST(Readable, IsWhatHasAllItsRows) {
  EXPECT_TRUE(is_read(21, little().u32(1).buffer()));
  EXPECT_TRUE(is_read(21, little().u32(1).u8(0).buffer()));  // nobody looks behind it
  EXPECT_FALSE(is_read(21, little().u8(1).u8(0).buffer()));
  EXPECT_FALSE(is_read(21, {}));
  EXPECT_TRUE(is_read(1, {}));
  const Buffer group = joined({named("o"), named("t"), named("g")});
  EXPECT_TRUE(is_read(606, group));
  Buffer odd = group;
  odd[0] = std::byte{9};  // the kind of an identifier
  EXPECT_FALSE(is_read(606, odd));
  EXPECT_FALSE(is_read(606, joined({named("o"), named("t")})));
}

TEST(Readable, IsWhatTheCaptureCut) {
  const Buffer front = named("o");
  EXPECT_TRUE(can_be_read(facts_for(606), Generation::v0_11, 606, {front, 40}));
}

TEST(Readable, IsAnyBodyOfTheOlderFraming) {
  decode::Facts facts = facts_for(21);
  facts.form = decode::Form::legacy_request;
  EXPECT_TRUE(can_be_read(facts, Generation::legacy, 21, decode::whole({})));
}

TEST(Truncation, TellsItsOffset) {
  const Buffer body = joined({named("o"), named("t"), little().u32(0).u64(41).buffer()});
  const auto told = [&body](unsigned operation, std::size_t captured) {
    return truncated_to(
        facts_for(0, operation), Generation::v0_11,
        {decode::Bytes{body}.first(captured), static_cast<std::uint32_t>(body.size())});
  };
  EXPECT_EQ(told(68, body.size()), 41U);
  EXPECT_EQ(told(68, body.size() - 1), std::nullopt);
  EXPECT_EQ(told(137, body.size()), std::nullopt);
}

bool stops(const Buffer& frame, Generation generation = Generation::v0_11) {
  const decode::Bytes header = decode::Bytes{frame}.first(256);
  return stops_servers(decode::facts_of(header, generation), generation,
                       decode::whole(decode::Bytes{frame}.subspan(256)));
}
Buffer asked(unsigned operation, const Buffer& body) {
  return support::request({.operation = operation, .body = body});
}
Buffer handed_on(unsigned operation, const Buffer& body) {
  return support::prepare({.operation = operation, .body = body});
}

TEST(Stopping, IsDoneByBodiesThatAreCommittedUnread) {
  const Buffer odd = {std::byte{0xff}};
  for (unsigned operation = 1; operation < 170; ++operation) {
    const std::set<unsigned> both = {68, 130, 131, 134, 135, 139, 140, 143, 145};
    const bool is_in_prepares = operation == 64 || operation == 65;
    EXPECT_EQ(stops(asked(operation, odd)), both.contains(operation)) << operation;
    EXPECT_EQ(stops(handed_on(operation, odd)), both.contains(operation) || is_in_prepares)
        << operation;
    EXPECT_FALSE(stops(support::reply({.operation = operation, .body = odd}))) << operation;
    EXPECT_FALSE(stops(asked(operation, odd), Generation::v0_12)) << operation;
  }
}

TEST(Stopping, NeedsABodyThatCannotBeRead) {
  const Buffer topic = joined({named("o"), named("t")});
  for (std::size_t size = 0; size < topic.size(); ++size) {
    const Buffer front(topic.begin(), topic.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_TRUE(stops(asked(134, front))) << size;
    const Buffer frame = asked(134, front);
    const decode::Facts facts =
        decode::facts_of(decode::Bytes{frame}.first(256), Generation::v0_11);
    EXPECT_FALSE(stops_servers(facts, Generation::v0_11, {front, 40})) << size;
  }
  EXPECT_FALSE(stops(asked(134, topic)));
  EXPECT_FALSE(stops(asked(134, joined({topic, {std::byte{1}}}))));  // nobody looks behind it
  EXPECT_FALSE(stops(asked(130, numbered(1))));
  EXPECT_TRUE(stops(asked(130, little().u8(1).u8(2).u8(1).u8(0).buffer())));
  EXPECT_TRUE(stops(asked(130, little().u8(9).u8(4).u32(1).buffer())));
  EXPECT_TRUE(stops(asked(130, named("\xe9"))));
  EXPECT_FALSE(stops(asked(130, named("\xc3\xa9"))));
}

// Without a login the sender may be of any build.
TEST(Stopping, IsDoneByNoBodyOfAnOlderBuild) {
  const Buffer older = joined(
      {little().u8(1).u8(4).u32(1).u32(0).u8(1).u64(0).u64(0).u8(1).buffer(), short_text("t")});
  const auto size = static_cast<std::uint32_t>(older.size());
  const Buffer body = joined({little().u32(size).buffer(), older, little().u32(0).u32(0).buffer()});
  EXPECT_FALSE(stops(handed_on(64, body)));
  const Buffer frame = handed_on(64, body);
  const decode::Bytes bytes{frame};
  const decode::Facts facts = decode::facts_of(bytes.first(256), Generation::v0_11);
  const decode::Window window = decode::whole(bytes.subspan(256));
  EXPECT_TRUE(stops_servers(facts, {Generation::v0_11, Train::v0_11_0}, window));
  EXPECT_FALSE(stops_servers(facts, {Generation::v0_11, Train::v0_11_0_edge_1}, window));
}

TEST(Offsets, AreOfGroupsOrNot) {
  const auto told = [](std::uint32_t code, unsigned kind) {
    const Buffer body = joined({little().u8(kind).buffer(), named("c"), named("o"), named("t"),
                                partition(0), little().u64(9).u8(1).buffer()});
    return is_offset_of_group(facts_for(code, find_code(Generation::v0_11, code)->operation),
                              Generation::v0_11, code, decode::whole(body));
  };
  for (const std::uint32_t code : {121U, 122U, command_code("consumer_offset.store.v2"),
                                   command_code("consumer_offset.delete.v2")}) {
    EXPECT_TRUE(told(code, 2));
    EXPECT_FALSE(told(code, 1));
  }
  EXPECT_FALSE(told(120, 2));
}

TEST(Polls, CommitOrDoNot) {
  const auto told = [](unsigned flag) {
    const Buffer body = joined({little().u8(1).buffer(), named("c"), named("o"), named("t"),
                                partition(0), little().u8(5).u64(0).u32(10).u8(flag).buffer()});
    return is_committing(facts_for(103), Generation::v0_11, 103, decode::whole(body));
  };
  EXPECT_EQ(told(0), false);
  EXPECT_EQ(told(1), true);
  EXPECT_EQ(is_committing(facts_for(103), Generation::v0_11, 103, decode::whole({})), std::nullopt);
}

}  // namespace
}  // namespace iggy::conversation
