// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What bodies say of the generation: every body with known values, whole and cut, says its own or
// nothing.
#include "conversation/shapes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "iggy/exchanges.hpp"
#include "iggy/operations.hpp"
#include "support/batches.hpp"
#include "support/body_facts.hpp"
#include "support/iggy_frames.hpp"

namespace iggy::conversation {
namespace {

using decode::Window;
using support::Buffer;
using support::Json;

constexpr std::uint32_t poll = command_code("message.poll");

struct Case {
  std::string id;
  std::uint32_t code = 0;
  Buffer frame;
  bool is_reply = false;

  Window body(std::size_t captured) const {
    const Bytes all = Bytes{frame}.subspan(256);
    return {all.first(std::min(captured, all.size())), static_cast<std::uint32_t>(all.size())};
  }
  Evidence shape(std::size_t captured) const {
    const decode::Facts facts = decode::facts_of(Bytes{frame}.first(256), Generation::v0_11);
    return is_reply ? shape_of_reply(facts, code, body(captured))
                    : shape_of_send(facts, body(captured));
  }
};

std::vector<Case> cases_of(const std::string& file, Generation generation) {
  std::vector<Case> cases;
  const Json vectors = support::facts_from(file);
  for (const Json& vector : vectors["vectors"]) {
    if (vector["kind"] != "request" && vector["kind"] != "reply") continue;
    const Json& command = support::command_named(generation, vector["command"]);
    Case one;
    one.id = vector["id"];
    one.code = command["code"];
    one.is_reply = vector["kind"] == "reply";
    const Buffer body(support::bytes_of_hex(vector["hex"].get<std::string>()));
    one.frame = one.is_reply
                    ? support::reply({.operation = command["reply_operations"][0], .body = body})
                    : support::request({.operation = command["request_operation"], .body = body});
    cases.push_back(std::move(one));
  }
  return cases;
}

// Those that say something when they are whole.
std::set<std::string> telling(const std::string& file, Generation generation) {
  std::set<std::string> found;
  for (const Case& one : cases_of(file, generation)) {
    for (std::size_t captured = 0; captured < one.frame.size() - 256; ++captured) {
      const Evidence cut = one.shape(captured);
      EXPECT_TRUE(cut == Evidence{} || cut.generation == generation)
          << one.id << " of which " << captured << " bytes are there";
    }
    const Evidence whole = one.shape(one.frame.size());
    if (whole == Evidence{}) continue;
    EXPECT_EQ(whole, (Evidence{generation, Strength::shape})) << one.id;
    found.insert(one.id);
  }
  return found;
}

TEST(Shapes, BodiesOf011SayNothingElse) {
  const std::set<std::string> found = telling("payload-vectors.json", Generation::v0_11);
  for (const char* id : {"message.poll", "message.poll.empty", "message.poll.resync", "topic.get",
                         "topic.list", "topic.create", "stream.get", "stream.list"})
    EXPECT_TRUE(found.contains(id)) << id;
  // Files that are told of came with 0.11.1.
  EXPECT_FALSE(found.contains("stats"));
}

TEST(Shapes, BodiesOf012SayNothingElse) {
  const std::set<std::string> found = telling("payload-vectors-0.12.json", Generation::v0_12);
  for (const char* id :
       {"message.poll.empty", "message.poll.one_batch", "message.fetch.two_sections", "topic.get",
        "stream.get", "cluster.metadata", "options.describe", "partition.route",
        "message.send.producer"})
    EXPECT_TRUE(found.contains(id)) << id;
}

// The flag of a producer is a reserved byte in 0.11, whose checksum does not count it.
TEST(Shapes, ChecksumsOfSendsDecide) {
  const auto shape = [](const Buffer& batch) {
    const Buffer frame = support::request(
        {.operation = operation::send_messages, .body = support::send_body(batch)});
    const decode::Facts facts = decode::facts_of(Bytes{frame}.first(256), Generation::v0_11);
    const Bytes body = Bytes{frame}.subspan(256);
    return shape_of_send(facts, {body, static_cast<std::uint32_t>(body.size())});
  };
  Buffer batch = support::batch_bytes();
  EXPECT_EQ(shape(batch), Evidence{});
  support::put_number(batch, 52, 1, 1);
  EXPECT_EQ(shape(batch), (Evidence{Generation::v0_11, Strength::shape}));
  support::put_number(batch, 40, support::batch_checksum(batch, true), 8);
  EXPECT_EQ(shape(batch), (Evidence{Generation::v0_12, Strength::shape}));
  // It says nothing more than the rows where it is neither's.
  support::put_number(batch, 40, 7, 8);
  EXPECT_EQ(shape(batch), (Evidence{Generation::v0_12, Strength::shape}));
}

// Servers take names with a zero in them, so one speaks for no other generation.
TEST(Shapes, ZerosInNamesSayNothing) {
  for (Case one : cases_of("payload-vectors.json", Generation::v0_11)) {
    const bool is_meant = one.id == "stream.get" || one.id == "topic.get";
    if (!one.is_reply || !is_meant) continue;
    ASSERT_EQ(one.shape(one.frame.size()).generation, Generation::v0_11) << one.id;
    const std::string_view name = one.id == "stream.get" ? "orders" : "t";
    const Bytes bytes = Bytes{one.frame}.subspan(256);
    const auto sought = support::bytes_of(name);
    const auto at = std::search(bytes.begin(), bytes.end(), sought.begin(), sought.end());
    ASSERT_NE(at, bytes.end());
    one.frame[256 + static_cast<std::size_t>(at - bytes.begin())] = std::byte{};
    EXPECT_NE(one.shape(one.frame.size()).generation, Generation::v0_12) << one.id;
  }
}

TEST(Shapes, EmptyPollsTellByTheirLength) {
  const auto shape = [](std::uint32_t bytes, std::uint32_t captured) {
    const Buffer frame = support::reply({.body = Buffer(bytes)});
    const decode::Facts facts = decode::facts_of(Bytes{frame}.first(256), Generation::v0_11);
    return shape_of_reply(facts, poll, {Bytes{frame}.subspan(256, captured), bytes}).generation;
  };
  for (const std::uint32_t captured : {0U, 16U}) {
    EXPECT_EQ(shape(16, captured), Generation::v0_11);
    EXPECT_EQ(shape(40, captured), Generation::v0_12);
    EXPECT_EQ(shape(500, captured), Generation::unknown);
  }
  EXPECT_EQ(shape(40, 40), Generation::v0_12);
  for (const std::uint32_t bytes : {15U, 17U, 39U, 41U, 271U, 295U})
    EXPECT_EQ(shape(bytes, bytes), Generation::unknown) << bytes;
}

// The header of a batch of 0.12 stands where one of 0.11 has zeros.
TEST(Shapes, ReservedBytesOfACutBatchCount) {
  int seen = 0;
  for (const Case& one : cases_of("payload-vectors-0.12.json", Generation::v0_12)) {
    if (one.id != "message.poll.one_batch") continue;
    ++seen;
    EXPECT_EQ(one.shape(60), Evidence{});
    EXPECT_EQ(one.shape(256), (Evidence{Generation::v0_12, Strength::shape}));
  }
  EXPECT_EQ(seen, 1);
}

TEST(Shapes, NothingOfRefusalsAndOfUnknownCommands) {
  const Buffer body(40);
  const auto shape = [&body](std::uint32_t status, std::uint32_t code) {
    const Buffer frame = support::reply({.status = status, .body = body});
    const decode::Facts facts = decode::facts_of(Bytes{frame}.first(256), Generation::v0_11);
    return shape_of_reply(facts, code, decode::whole(body));
  };
  EXPECT_EQ(shape(0, poll).generation, Generation::v0_12);
  EXPECT_EQ(shape(3, poll), Evidence{});
  EXPECT_EQ(shape(0, 0), Evidence{});
  EXPECT_EQ(shape(0, 999), Evidence{});
}

}  // namespace
}  // namespace iggy::conversation
