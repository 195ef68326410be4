// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Bodies of the 8-byte framing, byte for byte: each is read by the layout of its release, and by
// none where anything speaks against it.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "decode/body.hpp"
#include "iggy/legacy/bodies.hpp"
#include "iggy/registry.hpp"
#include "support/body_facts.hpp"
#include "support/body_recorder.hpp"
#include "support/iggy_frames.hpp"

namespace iggy::decode {
namespace {

using describe::Layout;
using support::Json;
using Buffer = std::vector<std::byte>;

BodyPlan plan_of(std::uint32_t code, bool is_request, Window body) {
  const Buffer frame = is_request ? support::legacy_request(code, Buffer(body.on_wire))
                                  : support::legacy_reply(0, Buffer(body.on_wire));
  return plan_body(legacy_facts_of(Bytes{frame}.first(8), is_request), Generation::legacy, code,
                   body);
}

struct Case {
  std::uint32_t code;
  bool is_request;
  std::string_view hex;
  const Layout* layout;
  std::string_view told;
};

// One message "hello" of a producer, and what a server hands out, each in the three forms.
#define ZEROS_8 "0000000000000000"
#define HEAD_56                           \
  ZEROS_8 ZEROS_8 ZEROS_8 ZEROS_8 ZEROS_8 \
      "0700000000000000"                  \
      "00000000"                          \
      "05000000"
#define TARGET   \
  "02016f"       \
  "010401000000" \
  "020402000000"

const Case cases[] = {
    {202, true, "066f7264657273", &legacy::stream_create,
     R"({"name":{"length":6,"value":"orders"}})"},
    {202, false, "01000000" ZEROS_8 "00000000" ZEROS_8 ZEROS_8 "016f",
     &legacy::stream_create_reply_body,
     R"({"payload":{"details":{"stream":{"id":1,"created_at":"0","topics_count":0,)"
     R"("size_bytes":"0","messages_count":"0","name":{"length":1,"value":"o"}},"topics":[]}}})"},
    {204, true, "0104010000000170", &legacy::stream_update,
     R"({"stream_id":{"kind":1,"length":4,"id":1},"name":{"length":1,"value":"p"}})"},
    {302, true,
     "02016f"
     "03000000"
     "01" ZEROS_8 "ffffffffffffffff"
     "02"
     "0174",
     &legacy::topic_create,
     R"({"stream_id":{"kind":2,"length":1,"text":"o"},"partitions_count":3,)"
     R"("compression_algorithm":1,"message_expiry":"0","max_topic_size":"18446744073709551615",)"
     R"("replication_factor":2,"name":{"length":1,"value":"t"}})"},
    {301, false, "02000000" ZEROS_8 "00000000" ZEROS_8 "01" ZEROS_8 "01" ZEROS_8 ZEROS_8 "0174",
     &legacy::topic_list_reply_body,
     R"({"payload":{"topics":[{"id":2,"created_at":"0","partitions_count":0,)"
     R"("message_expiry":"0","compression_algorithm":1,"max_topic_size":"0",)"
     R"("replication_factor":1,"size_bytes":"0","messages_count":"0",)"
     R"("name":{"length":1,"value":"t"}}]}})"},
    {121, true,
     "01"
     "010401000000"
     "02016f"
     "020174"
     "0102000000"
     "0300000000000000",
     &legacy::consumer_offset_store,
     R"({"consumer":{"kind":1,"id":{"kind":1,"length":4,"id":1}},)"
     R"("stream_id":{"kind":2,"length":1,"text":"o"},"topic_id":{"kind":2,"length":1,"text":"t"},)"
     R"("partition":{"flag":1,"partition_id":2},"offset":"3"})"},
    {33, false,
     "01000000" ZEROS_8 "01"
     "0161"
     "00000000",
     &legacy::user_create_reply_body,
     R"({"payload":{"details":{"user":{"id":1,"created_at":"0","status":1,)"
     R"("username":{"length":1,"value":"a"}},"has_permissions":0,"padding":"000000"}}})"},
    {101, true,
     "13000000" TARGET "01000000"
     "0000000045000000" ZEROS_8 HEAD_56 ZEROS_8 "68656c6c6f",
     &legacy::message_send, ""},
    {101, true,
     "13000000" TARGET "01000000"
     "000000003d000000" ZEROS_8 HEAD_56 "68656c6c6f",
     &legacy::message_send_56, ""},
    {101, true,
     TARGET ZEROS_8 ZEROS_8 "00000000"
                            "05000000"
                            "68656c6c6f",
     &legacy::loose_message_send, ""},
    {100, true,
     "01"
     "010401000000"
     "02016f"
     "020174"
     "0102000000"
     "050000000000000000"
     "0a000000"
     "01",
     &legacy::message_poll, ""},
    {100, true,
     "01"
     "010401000000"
     "02016f"
     "020174"
     "02000000"
     "050000000000000000"
     "0a000000"
     "01",
     &legacy::flagless_message_poll,
     R"({"consumer":{"kind":1,"id":{"kind":1,"length":4,"id":1}},)"
     R"("stream_id":{"kind":2,"length":1,"text":"o"},"topic_id":{"kind":2,"length":1,"text":"t"},)"
     R"("partition_id":2,"strategy":{"kind":5,"value":"0"},"count":10,"auto_commit":1})"},
    {100, false,
     "02000000"
     "0900000000000000"
     "01000000" HEAD_56 ZEROS_8 "68656c6c6f",
     &legacy::message_poll_reply_body, ""},
    {100, false,
     "02000000"
     "0900000000000000"
     "01000000" HEAD_56 "68656c6c6f",
     &legacy::message_poll_reply_56_body, ""},
    {100, false,
     "02000000"
     "0900000000000000"
     "01000000"
     "0400000000000000"
     "01" ZEROS_8 ZEROS_8 ZEROS_8 "07000000"
     "00000000"
     "05000000"
     "68656c6c6f",
     &legacy::loose_message_poll_reply_body, ""},
};

TEST(LegacyBodies, AreThoseOfTheirRelease) {
  for (const Case& one : cases) {
    SCOPED_TRACE(one.layout->title);
    const Buffer bytes = support::bytes_of_hex(std::string(one.hex));
    const BodyPlan plan = plan_of(one.code, one.is_request, whole(bytes));
    ASSERT_EQ(plan.state, BodyState::decoded);
    EXPECT_EQ(plan.layout->title, one.layout->title);
    support::BodyRecorder recorder;
    read_body(plan, whole(bytes), false, recorder);
    EXPECT_TRUE(recorder.problems.empty());
    if (!one.told.empty()) {
      EXPECT_EQ(recorder.body().dump(), one.told);
    }
  }
}

// As sent, one byte less or more is another body, which no table knows; only lists may end early.
TEST(LegacyBodies, FitExactlyOrNotAtAll) {
  for (const Case& one : cases) {
    SCOPED_TRACE(one.layout->title);
    Buffer bytes = support::bytes_of_hex(std::string(one.hex));
    for (std::size_t length = 1; length < bytes.size(); ++length) {
      const Window front = whole(Bytes{bytes}.first(length));
      const BodyPlan plan = plan_of(one.code, one.is_request, front);
      if (plan.state == BodyState::decoded) {
        support::BodyRecorder recorder;
        read_body(plan, front, false, recorder);
        EXPECT_TRUE(recorder.problems.empty());
        // The front of one message may be another in an older form.
        EXPECT_TRUE(plan.layout != one.layout || describe::takes_the_rest(*plan.layout)) << length;
      } else {
        EXPECT_EQ(plan.state, BodyState::undecoded);
        EXPECT_EQ(plan.layout, nullptr);
      }
    }
    bytes.push_back(std::byte{0x7f});
    EXPECT_EQ(plan_of(one.code, one.is_request, whole(bytes)).state, BodyState::undecoded);
  }
}

TEST(LegacyBodies, OfCutFramesAreReadAsFarAsTheyGo) {
  const Buffer bytes = support::bytes_of_hex(std::string(cases[7].hex));
  for (std::size_t length = 1; length < bytes.size(); ++length) {
    const Window cut{Bytes{bytes}.first(length), static_cast<std::uint32_t>(bytes.size())};
    EXPECT_EQ(plan_of(101, true, cut).layout, &legacy::message_send) << length;
  }
}

TEST(LegacyBodies, LyingLengthsFitNothing) {
  const auto state = [](std::uint32_t code, bool is_request, std::string_view hex) {
    const Buffer bytes = support::bytes_of_hex(std::string(hex));
    return plan_of(code, is_request, whole(bytes)).state;
  };
  EXPECT_EQ(state(202, true, "ff6f7264657273"), BodyState::undecoded);
  EXPECT_EQ(state(203, true, "0104010000"), BodyState::undecoded);
  EXPECT_EQ(state(203, true,
                  "010501000000"
                  "00"),
            BodyState::undecoded);
  EXPECT_EQ(state(203, true,
                  "0904"
                  "01000000"),
            BodyState::undecoded);  // a kind that is not known
  EXPECT_EQ(state(203, true, "010401000000"), BodyState::decoded);
  EXPECT_EQ(state(100, false, "02000000" ZEROS_8 "ffffffff" HEAD_56 ZEROS_8 "68656c6c6f"),
            BodyState::undecoded);
  EXPECT_EQ(state(100, false, "02000000" ZEROS_8 "00000000"), BodyState::decoded);
  EXPECT_EQ(state(101, true, "ffffffff" TARGET "01000000"), BodyState::undecoded);
  // A number in front of the name, as older releases had it: no name holds zeros.
  EXPECT_EQ(state(202, true,
                  "0a000000"
                  "066f7264657273"),
            BodyState::undecoded);
}

// Whatever the bytes are, a password and a token are never told.
TEST(LegacyBodies, KeepSecrets) {
  const std::string secret = "61732d7365637265742d61732d6974";  // "as-secret-as-it"
  const struct {
    std::uint32_t code;
    bool is_request;
    std::string hex;
  } bodies[] = {
      {33, true,
       "05616c696365"
       "0f" +
           secret + "0100"},
      {37, true,
       "010401000000"
       "0f" +
           secret + "0f" + secret},
      {42, false, "0f" + secret},
  };
  for (const auto& one : bodies) {
    const Buffer bytes = support::bytes_of_hex(one.hex);
    SCOPED_TRACE(one.code);
    const BodyPlan good = plan_of(one.code, one.is_request, whole(bytes));
    EXPECT_EQ(good.state, BodyState::decoded);
    EXPECT_TRUE(good.is_secret);
    EXPECT_TRUE(holds_secret(*good.layout));
    for (std::size_t length = 1; length < bytes.size(); ++length) {
      const Bytes front = Bytes{bytes}.first(length);
      const BodyPlan cut =
          plan_of(one.code, one.is_request, {front, static_cast<std::uint32_t>(bytes.size())});
      EXPECT_EQ(cut.layout, nullptr);
      EXPECT_TRUE(cut.is_secret);
      const BodyPlan shorter = plan_of(one.code, one.is_request, whole(front));
      EXPECT_EQ(shorter.layout, nullptr) << length;
      EXPECT_TRUE(shorter.is_secret);
    }
  }
}

TEST(LegacyBodies, EveryCommandHasSome) {
  for (const Exchange& exchange : exchanges(Generation::legacy))
    EXPECT_FALSE(every_bodies(Generation::legacy, exchange.code).empty()) << exchange.name;
  EXPECT_EQ(every_bodies(Generation::legacy, 100).size(), 3U);
  EXPECT_EQ(every_bodies(Generation::legacy, 605).size(), 1U);
  EXPECT_TRUE(every_bodies(Generation::legacy, 606).empty());
  EXPECT_TRUE(every_bodies(Generation::unknown, 100).empty());
}

}  // namespace
}  // namespace iggy::decode
