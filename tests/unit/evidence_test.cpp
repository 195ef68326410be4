// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What one frame says of the generation of its sender: each row of the tables that tell them apart.
#include <gtest/gtest.h>

#include "conversation/recognise.hpp"
#include "decode/checksum.hpp"
#include "iggy/registry.hpp"
#include "support/iggy_frames.hpp"

namespace iggy::conversation {
namespace {

using support::Buffer;
using support::FrameBuilder;

Evidence of(const Buffer& frame) {
  return evidence_of(Bytes{frame}.first(256), Bytes{frame}.subspan(256));
}
void expect(const Buffer& frame, Generation generation, Strength strength,
            const std::string& what = {}) {
  EXPECT_EQ(word_of(of(frame).generation), word_of(generation)) << what;
  EXPECT_EQ(of(frame).strength, strength) << what;
}
void expect_nothing(const Buffer& frame, const std::string& what = {}) {
  expect(frame, Generation::unknown, Strength::none, what);
}

// A Register with the namespace of v0 and va.
Buffer older_register(const Buffer& body) {
  return support::request_builder({.operation = 1, .number = 0, .session = 0, .body = body})
      .u64(184, support::metadata_group)
      .frame();
}

TEST(Evidence, RegisterByItsVersion) {
  const struct {
    Version version;
    Generation generation;
  } cases[] = {{make_version(0, 11, 0), Generation::v0_11},
               {make_version(0, 11, 1), Generation::v0_11},
               {make_version(0, 12, 0), Generation::v0_12},
               {make_version(0, 12, 2), Generation::v0_12}};
  for (const auto& each : cases)
    expect(support::login(support::password_body({.version = each.version})), each.generation,
           Strength::told);
}

TEST(Evidence, RegisterWithoutAUsableVersion) {
  expect_nothing(support::login({}));
  expect_nothing(support::login(support::password_body({.version = make_version(0, 99, 0)})));
  expect_nothing(support::login(support::password_body({.version = {0x8000'2c00}})));
  // A random identifier in the upper half is that of 0.12.
  expect(support::request({.operation = 1, .number = 0, .session = 0, .checksum = {1, 1}}),
         Generation::v0_12, Strength::hint);
}

TEST(Evidence, RegisterWithANamespace) {
  expect(older_register(support::password_body({.version = make_version(0, 10, 3)})),
         Generation::va, Strength::told);
  expect(older_register(support::legacy_login_body()), Generation::v0, Strength::told);
  expect(older_register({}), Generation::va, Strength::told);
}

TEST(Evidence, CodesOfOneGeneration) {
  for (const std::uint32_t code : {14U, 103U, 104U, 123U, 102U})
    expect(support::read(code), Generation::v0_11, Strength::hint, std::to_string(code));
  for (const std::uint32_t code : {15U, 17U, 105U, 106U, 107U, 108U, 109U})
    expect(support::read(code), Generation::v0_12, Strength::hint, std::to_string(code));
  for (const std::uint32_t code : {1U, 100U, 200U, 999U})
    expect_nothing(support::read(code), std::to_string(code));
}

TEST(Evidence, ReadsWithFieldsOf012) {
  for (const std::size_t at : {200U, 207U, 208U, 216U, 223U})
    expect(support::request_builder({.code = 100}).u8(at, 1).frame(), Generation::v0_12,
           Strength::header, std::to_string(at));
}

TEST(Evidence, ReadsOfOlderLayouts) {
  const auto read = [](std::size_t at, std::uint32_t code) {
    return support::request_builder({.code = 0, .session = 0}).u32(at, code).frame();
  };
  expect(read(204, 1), Generation::va, Strength::header);
  expect(read(200, 1), Generation::v0, Strength::header);
  expect_nothing(read(204, 999));
  expect_nothing(read(200, 999));
  expect_nothing(read(196, 0));
}

TEST(Evidence, BindNamesItsVersion) {
  const Buffer body = support::login_prefix({.version = make_version(0, 12, 0)});
  expect(support::request({.code = 15, .body = body}), Generation::v0_12, Strength::told);
}

TEST(Evidence, RequestsWithFieldsOf012) {
  for (const std::size_t at : {200U, 208U, 223U})
    expect(support::request_builder({.operation = 160}).u8(at, 1).frame(), Generation::v0_12,
           Strength::header);
  // A stamp of 0.11 has an empty upper half.
  expect(support::request({.operation = 128, .checksum = {7, 1}}), Generation::v0_12,
         Strength::header);
  expect_nothing(support::request({.operation = 128, .checksum = {7, 0}}));
  expect_nothing(support::request({.operation = 160, .checksum = {7, 1}}));
}

TEST(Evidence, StampsOf011AreChecksumsOfTheirBodies) {
  const Buffer body = support::short_text("orders");
  const std::uint64_t checksum = decode::xxh3(body);
  const auto stamped = [&body](unsigned operation, std::uint64_t stamp) {
    return support::request({.operation = operation, .checksum = {stamp, 0}, .body = body});
  };
  expect(stamped(128, checksum), Generation::v0_11, Strength::header);
  expect(stamped(3, checksum), Generation::v0_11, Strength::header);
  expect_nothing(stamped(128, checksum + 1));
  expect_nothing(stamped(160, checksum));
  // Nothing of a body that is not there to its end.
  const Buffer whole = stamped(128, checksum);
  EXPECT_EQ(evidence_of(Bytes{whole}.first(256), Bytes{body}.first(3)), Evidence{});
}

TEST(Evidence, OperationsOfOneGeneration) {
  expect(support::request({.operation = 150}), Generation::v0_12, Strength::hint);
  for (const unsigned operation : {129U, 131U, 133U, 135U, 142U})
    expect(support::request({.operation = operation}), Generation::v0_11, Strength::hint);
  for (const unsigned operation : {3U, 128U, 130U, 160U, 200U})
    expect_nothing(support::request({.operation = operation}));
}

TEST(Evidence, RequestsOfOlderLayouts) {
  // Metadata has no namespace, and its session where later ones have user and code.
  expect(support::request_builder({.operation = 128, .session = 0}).u64(192, 5).frame(),
         Generation::va, Strength::header);
  expect(support::request_builder({.operation = 3, .session = 0})
             .u64(184, support::metadata_group)
             .frame(),
         Generation::va, Strength::header);
  expect(support::request_builder({.operation = 160}).u64(192, 5).frame(), Generation::va,
         Strength::hint);
}

TEST(Evidence, Replies) {
  expect_nothing(support::pong(1));
  expect_nothing(support::reply({.status = 40}));
  expect(support::reply_builder({.operation = 128}).u8(220, 1).frame(), Generation::v0_12,
         Strength::header);
  // Older layouts have a status there, and no body behind one.
  expect(support::reply_builder({.operation = 160}).u64(224, 9).frame(), Generation::v0_12,
         Strength::hint);
  expect(support::reply_builder({.operation = 160, .body = support::success()}).u64(224, 9).frame(),
         Generation::v0_12, Strength::header);
  for (const unsigned operation : {72U, 73U, 74U})
    expect(support::reply({.operation = operation}), Generation::v0_12, Strength::header);
  expect(support::reply_builder({.operation = 3}).u64(216, support::metadata_group).frame(),
         Generation::va, Strength::header);
}

TEST(Evidence, LoginReplies) {
  const struct {
    Version version;
    Generation generation;
  } cases[] = {{make_version(0, 10, 3), Generation::va},
               {make_version(0, 11, 0), Generation::v0_11},
               {make_version(0, 12, 1), Generation::v0_12}};
  for (const auto& each : cases)
    expect(support::login_reply(each.version), each.generation, Strength::told);
  expect_nothing(support::reply({.operation = 1, .body = support::rejection(57)}));
  expect_nothing(support::login_reply(make_version(3, 0, 0)));
}

TEST(Evidence, Evictions) {
  const auto with_window = [](unsigned reason, Version version) {
    return support::eviction({.reason = reason, .highest = version, .lowest = version});
  };
  expect(with_window(14, make_version(0, 11, 0)), Generation::v0_11, Strength::told);
  expect(with_window(14, make_version(0, 12, 0)), Generation::v0_12, Strength::told);
  expect(with_window(14, make_version(0, 10, 2)), Generation::va, Strength::told);
  expect_nothing(with_window(14, {}));
  expect_nothing(with_window(9, make_version(0, 12, 0)));
}

TEST(Evidence, Prepares) {
  expect_nothing(support::prepare());
  for (const std::size_t at : {228U, 248U, 255U})
    for (const unsigned command : {6U, 19U})
      expect(FrameBuilder(command).u8(at, 1).frame(), Generation::v0_12, Strength::header);
}

TEST(Evidence, ReplicaCommands) {
  expect(FrameBuilder(26).frame(), Generation::v0_11, Strength::header);
  expect(FrameBuilder(26, Buffer(40)).frame(), Generation::v0_12, Strength::header);
  expect_nothing(FrameBuilder(30).frame());
  expect(FrameBuilder(30).u8(248, 1).frame(), Generation::v0_12, Strength::header);
  for (unsigned command = 31; command <= 36; ++command)
    expect(FrameBuilder(command).frame(), Generation::v0_12, Strength::header);
}

TEST(Evidence, IncarnationsOfPartitions) {
  const struct {
    unsigned command;
    std::size_t at;
  } places[] = {{9, 176},  {10, 136}, {11, 216}, {12, 152}, {17, 136}, {18, 168},
                {20, 160}, {21, 160}, {22, 152}, {23, 176}, {24, 168}, {25, 248}};
  for (const auto& place : places) {
    expect_nothing(FrameBuilder(place.command).frame());
    expect(FrameBuilder(place.command).u64(place.at, 5).frame(), Generation::v0_12,
           Strength::header, std::to_string(place.command));
  }
}

TEST(Evidence, OthersSayNothing) {
  for (const unsigned command : {0U, 1U, 4U, 37U, 255U})
    expect_nothing(FrameBuilder(command).u64(200, 1).frame());
  const Buffer shorter(support::cut(support::ping(), 255));
  EXPECT_EQ(evidence_of(shorter, {}).generation, Generation::unknown);
}

}  // namespace
}  // namespace iggy::conversation
