// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What servers take of the commands that not all builds know: each rule at its bounds.
#include "conversation/served.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "iggy/registry.hpp"
#include "support/batches.hpp"
#include "support/iggy_frames.hpp"

namespace iggy::conversation {
namespace {

using support::Buffer;
using support::little;

constexpr std::uint64_t second = 1'000'000;

bool takes(std::uint32_t code, const Buffer& body) {
  const Buffer frame = support::request({.code = code, .body = body});
  const decode::Facts facts = decode::facts_of(decode::Bytes{frame}.first(256), Generation::v0_12);
  const decode::Window window = decode::whole(body);
  return is_served(decode::plan_body(facts, Generation::v0_12, code, window), code, window);
}

// Consumer, stream and topic.
Buffer target(std::uint64_t kind) {
  return little().u8(kind).u8(1).u8(4).u32(1).u8(1).u8(4).u32(1).u8(1).u8(4).u32(1).buffer();
}

struct Poll {
  std::uint64_t consumer = 1;
  std::uint64_t count = 10;
  std::uint64_t wait = 5 * second;
  std::uint64_t min_count = 1;
  std::uint64_t max_bytes = 344;
  std::uint64_t timeout = 6 * second;
};
bool takes(const Poll& poll) {
  const Buffer partition = little().u8(1).u32(0).buffer();
  return takes(106, little()
                        .bytes(target(poll.consumer))
                        .bytes(partition)
                        .u8(5)
                        .u64(0)
                        .u32(poll.count)
                        .u8(0)
                        .u64(poll.wait)
                        .u32(poll.min_count)
                        .u32(poll.max_bytes)
                        .u64(poll.timeout)
                        .buffer());
}

TEST(Served, PollsThatWait) {
  EXPECT_TRUE(takes(Poll{}));
  EXPECT_FALSE(takes(Poll{.consumer = 3}));
  EXPECT_FALSE(takes(Poll{.min_count = 0}));
  EXPECT_TRUE(takes(Poll{.min_count = 10}));
  EXPECT_FALSE(takes(Poll{.min_count = 11}));
  EXPECT_FALSE(takes(Poll{.max_bytes = 343}));
  EXPECT_TRUE(takes(Poll{.wait = 600 * second, .timeout = 630 * second}));
  EXPECT_FALSE(takes(Poll{.wait = 600 * second + 1, .timeout = 630 * second}));
  EXPECT_FALSE(takes(Poll{.timeout = 630 * second + 1}));
  EXPECT_FALSE(takes(Poll{.timeout = 6 * second - 1}));
  EXPECT_TRUE(takes(Poll{.wait = 0, .timeout = 1}));
  EXPECT_FALSE(takes(Poll{.wait = 0, .timeout = 0}));
  EXPECT_FALSE(takes(Poll{.wait = std::numeric_limits<std::uint64_t>::max()}));
}

struct FetchOf {
  std::uint64_t partition = 1;
  std::uint64_t strategy = 5;
  std::uint64_t max_bytes = 344;
};
struct Fetch {
  std::uint64_t wait = 0;
  std::uint64_t timeout = second;
  std::uint64_t min_count = 1;
  std::vector<FetchOf> targets = {{}, {.partition = 2, .strategy = 1}};
};
bool takes(const Fetch& fetch) {
  support::LittleWriter body;
  body.bytes(target(1)).u64(fetch.wait).u64(fetch.timeout).u32(fetch.min_count).u32(10).u32(1000);
  body.u8(0).u32(fetch.targets.size());
  for (const FetchOf& of : fetch.targets)
    body.u32(of.partition).u8(of.strategy).u64(0).u32(of.max_bytes).u64(1).u64(0);
  return takes(109, body.buffer());
}

TEST(Served, Fetches) {
  EXPECT_TRUE(takes(Fetch{}));
  EXPECT_FALSE(takes(Fetch{.timeout = second - 1}));  // also where it does not wait
  EXPECT_FALSE(takes(Fetch{.min_count = 11}));
  EXPECT_FALSE(takes(Fetch{.targets = {{}, {}}}));
  EXPECT_FALSE(takes(Fetch{.targets = {{.strategy = 2}}}));
  EXPECT_FALSE(takes(Fetch{.targets = {{.max_bytes = 343}}}));
  EXPECT_TRUE(takes(Fetch{.targets = {{.max_bytes = 1000}}}));
  EXPECT_FALSE(takes(Fetch{.targets = {{.max_bytes = 1001}}}));
}

TEST(Served, Waits) {
  const auto takes_wait = [](std::uint64_t wait, std::uint64_t strategy, std::uint64_t partition) {
    support::LittleWriter body;
    body.bytes(target(1)).u64(wait).u64(wait + second).u32(2);
    body.u32(1).u8(5).u64(0).u32(partition).u8(strategy).u64(0);
    return takes(107, body.buffer());
  };
  EXPECT_TRUE(takes_wait(600 * second, 5, 2));
  EXPECT_FALSE(takes_wait(600 * second + 1, 5, 2));
  EXPECT_FALSE(takes_wait(second, 3, 2));
  EXPECT_FALSE(takes_wait(second, 5, 1));
}

struct Changes {
  std::uint64_t start = 0;
  std::uint64_t op = 0;
  std::vector<std::uint64_t> since = {};
  std::vector<std::uint64_t> until = {};
  std::uint64_t limit = 1;
  std::vector<std::uint64_t> groups = {};
};
bool takes(const Changes& changes) {
  support::LittleWriter body;
  body.u8(changes.start).u64(0).u64(0).u64(changes.op).u64(0).u64(0).u32(0);
  for (const auto& time : {changes.since, changes.until}) {
    body.u8(time.size());
    for (const std::uint64_t value : time) body.u64(value);
  }
  body.u32(changes.limit).u8(changes.groups.size());
  for (const std::uint64_t group : changes.groups) body.u8(group);
  return takes(17, body.u8(0).u8(0).buffer());
}

TEST(Served, Changes) {
  EXPECT_TRUE(takes(Changes{}));
  EXPECT_FALSE(takes(Changes{.limit = 0}));
  EXPECT_TRUE(takes(Changes{.limit = 1000}));
  EXPECT_FALSE(takes(Changes{.limit = 1001}));
  EXPECT_FALSE(takes(Changes{.op = 7}));
  EXPECT_TRUE(takes(Changes{.start = 2, .op = 7}));
  EXPECT_TRUE(takes(Changes{.since = {5}, .until = {5}}));
  EXPECT_FALSE(takes(Changes{.since = {6}, .until = {5}}));
  EXPECT_FALSE(takes(Changes{.start = 1, .since = {5}}));
  EXPECT_TRUE(takes(Changes{.groups = {5}}));
  EXPECT_FALSE(takes(Changes{.start = 3, .groups = {5}}));
  EXPECT_TRUE(takes(Changes{.start = 3, .groups = {1, 2, 4, 5}}));
  EXPECT_TRUE(takes(Changes{.start = 3}));
}

}  // namespace
}  // namespace iggy::conversation
