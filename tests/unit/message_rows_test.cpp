// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Offsets and times of messages, as sinks learn of them while they are told of rows.
#include "decode/message_rows.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "iggy/bodies/messages.hpp"
#include "iggy/legacy/messages.hpp"
#include "support/batches.hpp"
#include "support/body_recorder.hpp"

namespace iggy::decode {
namespace {

using support::batch_bytes;
using Buffer = std::vector<std::byte>;

struct Seen {
  BatchRows batch;
  MessageRows message;
  Derived derived;
  std::string payload;
};

// What a sink of a tool does.
struct Sink : Check {
  void integer(const describe::Field& field, std::uint64_t value, Range) {
    reader.integer(field, value);
  }
  void wide(const describe::Field& field, U128 value, Range) { reader.wide(field, value); }
  void run(const describe::Field& field, Bytes bytes, Range) { reader.run(field, bytes); }
  bool enter(const describe::Field&, const describe::Layout& layout, std::uint32_t) {
    reader.enter(layout);
    return true;
  }
  void leave(const describe::Field&, const describe::Layout& layout, Range) {
    if (!reader.leave(layout)) return;
    const Bytes payload = reader.message().payload;
    seen.push_back({reader.batch(),
                    reader.message(),
                    reader.derived(),
                    {reinterpret_cast<const char*>(payload.data()), payload.size()}});
  }
  MessageReader reader;
  std::vector<Seen> seen;
};

std::vector<Seen> read(const describe::Layout& layout, const Buffer& body) {
  Sink sink;
  Walk walk(whole(body), sink);
  walk.read(layout);
  EXPECT_FALSE(sink.reader.is_in_batch());
  return sink.seen;
}

TEST(MessageRows, PolledMessagesHaveOffsetsAndTimes) {
  const Buffer first = batch_bytes({.messages = {{.payload = "a", .timestamp_delta = 3},
                                                 {.payload = "b", .id = 9, .offset_delta = 1}},
                                    .partition = 3,
                                    .base_offset = 100,
                                    .base_timestamp = 2'000,
                                    .origin_timestamp = 1'000});
  // A slice: the first messages of its batch are left out.
  const Buffer second = batch_bytes({.messages = {{.payload = "c", .offset_delta = 4}},
                                     .partition = 3,
                                     .base_offset = 102,
                                     .base_timestamp = 2'500,
                                     .origin_timestamp = 0});
  const std::vector<Seen> seen =
      read(bodies::message_poll_reply,
           support::joined({support::little().u32(3).u64(106).u32(3).buffer(), first, second}));
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_EQ(seen[0].derived.offset, 100U);
  EXPECT_EQ(seen[0].derived.origin_time, 1'003U);
  EXPECT_EQ(seen[0].derived.append_time, 2'000U);
  EXPECT_EQ(seen[0].batch.partition_id, 3U);
  EXPECT_EQ(seen[0].batch.message_count, 2U);
  EXPECT_EQ(seen[1].derived.offset, 101U);
  EXPECT_EQ(seen[1].derived.origin_time, 1'000U);
  EXPECT_EQ(seen[1].message.id, (U128{9, 0}));
  EXPECT_EQ(seen[1].message.index, 1U);
  EXPECT_EQ(seen[1].payload, "b");
  EXPECT_EQ(seen[2].derived.offset, 106U);
  EXPECT_EQ(seen[2].derived.origin_time, std::nullopt);
  EXPECT_EQ(seen[2].message.index, 0U);
}

TEST(MessageRows, ProducersDoNotKnowOffsets) {
  const std::vector<Seen> seen = read(bodies::message_send, support::send_body());
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].derived.offset, std::nullopt);
  EXPECT_EQ(seen[0].derived.append_time, std::nullopt);
  EXPECT_EQ(seen[0].derived.origin_time, 1'700'000'000'000'000U);
  EXPECT_TRUE(seen[0].message.is_whole);
}

// Servers take stamps of producers, and write theirs over them. The same batch is believed in a
// poll's reply.
TEST(MessageRows, StampsOfProducersAreNotBelieved) {
  const support::Batch stamped{.partition = 5, .base_offset = 77, .base_timestamp = 123};
  const std::vector<Seen> sent = read(bodies::message_send, support::send_body(stamped));
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].batch.base_offset, 77U);
  EXPECT_FALSE(sent[0].batch.is_stamped());
  EXPECT_EQ(sent[0].derived.offset, std::nullopt);
  EXPECT_EQ(sent[0].derived.append_time, std::nullopt);
  EXPECT_EQ(sent[0].derived.origin_time, 1'700'000'000'000'000U);
  const std::vector<Seen> polled = read(
      bodies::message_poll_reply,
      support::joined({support::little().u32(5).u64(77).u32(1).buffer(), batch_bytes(stamped)}));
  ASSERT_EQ(polled.size(), 1U);
  EXPECT_TRUE(polled[0].batch.is_stamped());
  EXPECT_EQ(polled[0].derived.offset, 77U);
  EXPECT_EQ(polled[0].derived.append_time, 123U);
}

TEST(MessageRows, StampsOfOlderProducersAreNotBelieved) {
  Buffer body = support::older_send_body(2);
  const std::size_t first = support::batch_in_send + 2 * std::size_t{16};
  support::put_number(body, first + 24, 77, 8);
  support::put_number(body, first + 32, 123, 8);
  const std::vector<Seen> sent = read(legacy::message_send, body);
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(sent[0].batch.base_offset, 77U);
  EXPECT_EQ(sent[0].batch.base_timestamp, 123U);
  EXPECT_EQ(sent[0].derived.offset, std::nullopt);
  EXPECT_EQ(sent[0].derived.append_time, std::nullopt);
  EXPECT_EQ(sent[0].derived.origin_time, 1'700'000'000'000'000U);
}

TEST(MessageRows, AMessageThatIsCutIsNotWhole) {
  Buffer body = support::send_body();
  body.pop_back();
  Sink sink;
  Walk walk(Window{body, static_cast<std::uint32_t>(body.size()) + 1}, sink);
  EXPECT_FALSE(walk.read(bodies::message_send));
  ASSERT_EQ(sink.seen.size(), 1U);
  EXPECT_FALSE(sink.seen[0].message.is_whole);
}

TEST(MessageRows, SumsThatDoNotFitAreNotTold) {
  EXPECT_EQ(moved(7, 3), 10U);
  EXPECT_EQ(moved(0xffffffffffffffff, 0), 0xffffffffffffffffU);
  EXPECT_EQ(moved(0xffffffffffffffff, 1), std::nullopt);
  EXPECT_EQ(moved(0xffffffff00000001, 0xffffffff), std::nullopt);
}

TEST(MessageRows, WhichLayoutsHoldBatches) {
  EXPECT_TRUE(is_batch(bodies::batch));
  EXPECT_FALSE(is_batch(bodies::message_frame));
  EXPECT_TRUE(holds_batches(bodies::message_send));
  EXPECT_TRUE(holds_batches(bodies::message_poll_reply_body));
  EXPECT_FALSE(holds_batches(bodies::message_poll));
  EXPECT_FALSE(holds_batches(bodies::message_send_reply_body));
}

// A reply's partition and count, then two messages "hi", of which the second was not stamped.
TEST(MessageRows, OlderMessagesSayAllByThemselves) {
  const std::string head =
      "03000000"
      "0900000000000000"
      "02000000";
  const auto message = [](const std::string& offset, const std::string& timestamp) {
    return "0000000000000000"
           "01000000000000000000000000000000" +
           offset + timestamp +
           "0700000000000000"
           "00000000"
           "02000000";
  };
  const std::string stamped = message("0800000000000000", "0900000000000000");
  const std::string fresh = message("0000000000000000", "0000000000000000");
  const std::string reserved = "0000000000000000";
  const Buffer of_64 =
      support::bytes_of_hex(head + stamped + reserved + "6869" + fresh + reserved + "6869");
  const Buffer of_56 = support::bytes_of_hex(head + stamped + "6869" + fresh + "6869");
  for (const auto& seen : {read(legacy::message_poll_reply_body, of_64),
                           read(legacy::message_poll_reply_56_body, of_56)}) {
    ASSERT_EQ(seen.size(), 2U);
    EXPECT_EQ(seen[0].derived.offset, 8U);
    EXPECT_EQ(seen[0].derived.append_time, 9U);
    EXPECT_EQ(seen[0].derived.origin_time, 7U);
    EXPECT_EQ(seen[0].batch.partition_id, 3U);
    EXPECT_EQ(seen[0].message.id.low, 1U);
    EXPECT_EQ(seen[0].payload, "hi");
    EXPECT_TRUE(seen[0].message.is_whole);
    EXPECT_EQ(seen[1].message.index, 1U);
    EXPECT_FALSE(seen[1].derived.offset.has_value());
    EXPECT_FALSE(seen[1].derived.append_time.has_value());
    EXPECT_EQ(seen[1].derived.origin_time, 7U);
  }
  EXPECT_TRUE(holds_batches(legacy::message_send));
  EXPECT_TRUE(holds_batches(legacy::message_poll_reply_body));
}

// No header, user headers in front of the payload, and in a send nothing that a server adds.
TEST(MessageRows, LooseMessagesSayAllByThemselves) {
  const std::string tail =
      "03000000"
      "616263"
      "02000000"
      "6869";
  const std::string id = "01000000000000000000000000000000";
  const Buffer sent = support::bytes_of_hex(
      "02016f0201690204"
      "01000000" +
      id + tail + id + tail);
  const std::vector<Seen> of_send = read(legacy::loose_message_send, sent);
  ASSERT_EQ(of_send.size(), 2U);
  EXPECT_EQ(of_send[1].message.index, 1U);
  EXPECT_EQ(of_send[1].message.id.low, 1U);
  EXPECT_EQ(of_send[1].payload, "hi");
  EXPECT_TRUE(of_send[1].message.is_whole);
  EXPECT_TRUE(of_send[1].batch.is_sent);
  EXPECT_FALSE(of_send[1].derived.offset.has_value());
  EXPECT_FALSE(of_send[1].derived.origin_time.has_value());

  const std::string head =
      "03000000"
      "0900000000000000"
      "01000000";
  const std::string stamp =
      "0800000000000000"
      "01"
      "0900000000000000";
  const Buffer polled = support::bytes_of_hex(head + stamp + id + "63000000" + tail);
  const std::vector<Seen> of_poll = read(legacy::loose_message_poll_reply_body, polled);
  ASSERT_EQ(of_poll.size(), 1U);
  EXPECT_EQ(of_poll[0].batch.partition_id, 3U);
  EXPECT_EQ(of_poll[0].derived.offset, 8U);
  EXPECT_EQ(of_poll[0].derived.append_time, 9U);
  EXPECT_FALSE(of_poll[0].derived.origin_time.has_value());
  EXPECT_EQ(of_poll[0].message.headers_row->name, "headers");
  EXPECT_EQ(of_poll[0].message.user_headers.size(), 3U);
  EXPECT_TRUE(of_poll[0].message.is_whole);
  EXPECT_TRUE(holds_batches(legacy::loose_message_send));
  EXPECT_TRUE(holds_batches(legacy::loose_message_poll_reply_body));
  EXPECT_FALSE(holds_headed_batches(legacy::loose_message_send));
}

}  // namespace
}  // namespace iggy::decode
