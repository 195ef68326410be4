// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Batches that are right, each way to be wrong, and both in pieces of every size.
#include "decode/batch_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "support/batches.hpp"
#include "support/body_facts.hpp"

namespace iggy::decode {
namespace {

using support::Batch;
using support::batch_bytes;
using support::batch_in_send;
using support::body_vectors;
using support::BodyVector;
using support::put_number;
using support::send_body;
using Buffer = std::vector<std::byte>;

BatchVerdict in_pieces(const Buffer& body, std::size_t piece, bool may_have_producer = false) {
  SendChecker checker;
  checker.begin(static_cast<std::uint32_t>(body.size()), {may_have_producer, false});
  for (std::size_t at = 0; at < body.size(); at += piece)
    checker.add(Bytes{body}.subspan(at, std::min(piece, body.size() - at)));
  return checker.verdict();
}

bool operator==(const BatchVerdict& a, const BatchVerdict& b) {
  return a.fault == b.fault && a.message == b.message && a.offset == b.offset &&
         a.expected == b.expected && a.found == b.found;
}

// The verdict, which may not depend on how the bytes come.
BatchVerdict verdict_of(const Buffer& body, bool may_have_producer = false) {
  const BatchVerdict at_once = check_send(whole(body), may_have_producer);
  for (const std::size_t piece : {1U, 7U, 47U, 48U, 255U, 256U, 300U})
    EXPECT_TRUE(in_pieces(body, piece, may_have_producer) == at_once) << piece;
  return at_once;
}
std::string_view fault_of(const Buffer& body) {
  return word_of(verdict_of(body).fault);
}

Buffer three() {
  return send_body(Batch{.messages = {{.payload = "one"},
                                      {.payload = "", .id = 2, .offset_delta = 1},
                                      {.payload = std::string(700, 'x'),
                                       .id = 3,
                                       .offset_delta = 2,
                                       .headers = support::counting_bytes(12)}}});
}
constexpr std::size_t first_message = batch_in_send + 256;
constexpr std::size_t second_message = first_message + 48 + 3;

// Spoils a number of a send and makes the checksum of its batch right again.
Buffer with_number(Buffer body, std::size_t at, std::uint64_t value, std::size_t width) {
  put_number(body, at, value, width);
  const Buffer batch(body.begin() + batch_in_send, body.end());
  put_number(body, batch_in_send + 40, support::batch_checksum(batch), 8);
  return body;
}

TEST(BatchCheck, KnownBodiesAreRight) {
  std::size_t sends = 0;
  std::size_t others = 0;
  for (const BodyVector& vector : body_vectors()) {
    SCOPED_TRACE(vector.id);
    const bool may_have_producer = vector.id.starts_with("0.12 ");
    if (vector.id.find(" request message.send.") != std::string::npos) {
      ++sends;
      EXPECT_EQ(word_of(verdict_of(vector.bytes, may_have_producer).fault), "");
    } else if (vector.plan.state == BodyState::decoded) {
      others += vector.id.find(" reply message.poll") != std::string::npos ? 1U : 0U;
      const BatchVerdict verdict =
          check_batches(vector.plan, whole(vector.bytes), may_have_producer);
      EXPECT_EQ(word_of(verdict.fault), "");
    }
  }
  EXPECT_EQ(sends, 4U);
  EXPECT_GE(others, 5U);
}

TEST(BatchCheck, BuiltBodiesAreRight) {
  EXPECT_EQ(fault_of(send_body()), "");
  EXPECT_EQ(fault_of(three()), "");
}

TEST(BatchCheck, WorkedExample) {
  const Buffer frame = support::message_frames({{.payload = "second-payload", .id = 2}});
  EXPECT_EQ(support::number_at(frame, 0, 8), 0x9560b97240486bc5);
  const Buffer batch = batch_bytes({.messages = {{.payload = "second-payload", .id = 2}},
                                    .origin_timestamp = 0x00060a24181e4000});
  EXPECT_EQ(support::number_at(batch, 40, 8), 0x12d6c5a44fc1bb54);
}

// No byte of a batch can be changed without a fault, bytes of the checksum itself included.
TEST(BatchCheck, EveryBitCounts) {
  const Buffer right = three();
  for (std::size_t at = batch_in_send; at < right.size(); ++at) {
    Buffer wrong = right;
    wrong[at] ^= std::byte{1} << (at % 8);
    ASSERT_NE(check_send(whole(wrong), false).fault, BatchFault::none) << at;
    ASSERT_TRUE(is_dropped(check_send(whole(wrong), false).fault)) << at;
  }
}

TEST(BatchCheck, NoPrefixIsRightNorReadTooFar) {
  const Buffer body = three();
  for (std::size_t size = 0; size < body.size(); ++size) {
    const Buffer prefix(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_TRUE(is_dropped(verdict_of(prefix).fault)) << size;
  }
}

TEST(BatchCheck, CutBodiesHaveNoFault) {
  Buffer body = three();
  body.back() ^= std::byte{1};
  const auto size = static_cast<std::uint32_t>(body.size());
  EXPECT_EQ(check_send({Bytes{body}.first(100), size}, false).fault, BatchFault::none);
  EXPECT_NE(check_send(whole(body), false).fault, BatchFault::none);
}

TEST(BatchCheck, WrongBatchChecksum) {
  Buffer body = three();
  const std::uint64_t right = support::number_at(body, batch_in_send + 40, 8);
  put_number(body, batch_in_send + 40, right + 1, 8);
  const BatchVerdict verdict = verdict_of(body);
  EXPECT_EQ(verdict.fault, BatchFault::batch_checksum);
  EXPECT_EQ(verdict.expected, right);
  EXPECT_EQ(verdict.found, right + 1);
  EXPECT_EQ(verdict.offset, batch_in_send + 40);
}

TEST(BatchCheck, WrongMessageChecksum) {
  const Buffer right = three();
  Buffer body = right;
  body[second_message + 8] ^= std::byte{1};  // its id
  const BatchVerdict verdict = verdict_of(body);
  EXPECT_EQ(verdict.fault, BatchFault::message_checksum);
  EXPECT_EQ(verdict.message, 1U);
  EXPECT_EQ(verdict.offset, second_message);
  EXPECT_EQ(verdict.found, support::number_at(right, second_message, 8));
  EXPECT_NE(verdict.expected, verdict.found);
}

TEST(BatchCheck, EveryWrongChecksumIsTold) {
  Buffer body = three();
  for (const std::size_t at : {first_message + 48, second_message + 8, batch_in_send + 40})
    body[at] ^= std::byte{1};
  WrongChecksums wrong;
  const BatchVerdict first = check_send(whole(body), false, &wrong);
  ASSERT_EQ(wrong.count, 3U);
  EXPECT_TRUE(wrong.known[0] == first);
  EXPECT_EQ(first.fault, BatchFault::message_checksum);
  EXPECT_EQ(wrong.known[1].offset, second_message);
  EXPECT_EQ(wrong.known[1].message, 1U);
  EXPECT_EQ(wrong.known[2].fault, BatchFault::batch_checksum);
  EXPECT_EQ(wrong.known[2].offset, batch_in_send + 40);
  EXPECT_TRUE(verdict_of(body) == first);
}

TEST(BatchCheck, WrongChecksumsOfSeveralBatches) {
  Buffer body(16);
  support::put_number(body, 12, 2, 4);
  for (const unsigned place : {0U, 1U}) {
    Buffer batch = batch_bytes(Batch{});
    batch[place == 0 ? 40 : batch.size() - 1] ^= std::byte{1};
    body.insert(body.end(), batch.begin(), batch.end());
  }
  const auto reply = support::reply({.body = support::Buffer(body)});
  const Facts facts = facts_of(Bytes{reply}.first(256), Generation::v0_11);
  const BodyPlan plan = plan_body(facts, Generation::v0_11, 100, whole(body));
  WrongChecksums wrong;
  const BatchVerdict first = check_batches(plan, whole(body), false, &wrong);
  ASSERT_EQ(wrong.count, 2U);
  EXPECT_TRUE(wrong.known[0] == first);
  EXPECT_EQ(wrong.known[1].fault, BatchFault::message_checksum);
}

TEST(BatchCheck, WrongChecksumsAreCountedBeyondTheBound) {
  Batch many;
  many.messages.assign(WrongChecksums::most + 20, {});
  for (std::uint32_t i = 0; i < many.messages.size(); ++i) many.messages[i].offset_delta = i;
  Buffer body = send_body(many);
  for (std::size_t i = 0; i < many.messages.size(); ++i)
    body[first_message + i * (48 + many.messages[i].payload.size()) + 48] ^= std::byte{1};
  WrongChecksums wrong;
  check_send(whole(body), false, &wrong);
  EXPECT_EQ(wrong.count, WrongChecksums::most + 20);
  EXPECT_EQ(wrong.told().size(), std::size_t{WrongChecksums::most});
}

TEST(BatchCheck, WrongCounts) {
  const BatchVerdict batch = verdict_of(with_number(three(), batch_in_send + 48, 4, 4));
  EXPECT_EQ(batch.fault, BatchFault::message_count);
  EXPECT_EQ(batch.expected, 3U);
  EXPECT_EQ(batch.found, 4U);
  Buffer body = three();
  put_number(body, 18, 2, 4);
  const BatchVerdict metadata = verdict_of(body);
  EXPECT_EQ(metadata.fault, BatchFault::messages_count);
  EXPECT_EQ(metadata.expected, 3U);
  EXPECT_EQ(metadata.found, 2U);
  EXPECT_EQ(fault_of(send_body(Batch{.messages = {}})), "no_messages");
}

TEST(BatchCheck, WrongLengths) {
  EXPECT_EQ(fault_of(with_number(three(), batch_in_send + 32, 255, 8)), "batch_length");
  EXPECT_EQ(fault_of(with_number(three(), batch_in_send + 32, 1 << 30, 8)), "batch_length");
  EXPECT_EQ(fault_of(with_number(three(), batch_in_send + 32, ~std::uint64_t{0}, 8)),
            "batch_length");
  EXPECT_EQ(fault_of(with_number(three(), first_message + 36, 0xffffffff, 4)), "message_length");
  Buffer longer = three();
  longer.push_back(std::byte{0});
  EXPECT_EQ(verdict_of(longer).fault, BatchFault::trailing);
  EXPECT_EQ(verdict_of(longer).found, 1U);
}

TEST(BatchCheck, ReservedBytes) {
  const BatchVerdict header = verdict_of(with_number(three(), batch_in_send + 255, 7, 1));
  EXPECT_EQ(header.fault, BatchFault::reserved);
  EXPECT_EQ(header.offset, batch_in_send + 255);
  EXPECT_EQ(header.found, 7U);
  EXPECT_EQ(header.expected, 0U);
  // A producer sets the flag, where there are such.
  const Buffer flagged = with_number(three(), batch_in_send + 52, 2, 1);
  EXPECT_EQ(verdict_of(flagged, true).expected, 1U);
  EXPECT_EQ(verdict_of(flagged, false).expected, 0U);
  EXPECT_EQ(fault_of(with_number(three(), second_message + 47, 1, 1)), "message_reserved");
}

// Neither reserved bytes of a message nor a wrong count hide the checksums behind them.
TEST(BatchCheck, ChecksumsBehindOtherFaults) {
  Buffer body = with_number(three(), first_message + 47, 1, 1);
  body[second_message + 8] ^= std::byte{1};
  WrongChecksums wrong;
  EXPECT_EQ(check_send(whole(body), false, &wrong).fault, BatchFault::message_reserved);
  ASSERT_EQ(wrong.count, 2U);
  EXPECT_EQ(wrong.known[0].offset, first_message);  // its reserved bytes are under its checksum
  EXPECT_EQ(wrong.known[1].offset, second_message);

  Buffer counted = three();
  put_number(counted, batch_in_send + 48, 4, 4);
  WrongChecksums miscounted;
  EXPECT_EQ(check_send(whole(counted), false, &miscounted).fault, BatchFault::message_count);
  ASSERT_EQ(miscounted.count, 1U);
  EXPECT_EQ(miscounted.known[0].fault, BatchFault::batch_checksum);
}

TEST(BatchCheck, Metadata) {
  Buffer body = three();
  put_number(body, 0, 17, 4);
  EXPECT_EQ(fault_of(body), "metadata");
  put_number(body, 0, 0, 4);
  EXPECT_EQ(fault_of(body), "metadata");
  put_number(body, 0, 0xffffffff, 4);
  EXPECT_EQ(fault_of(body), "metadata");
  EXPECT_EQ(fault_of({}), "metadata");
}

// What sinks show beside each checksum.
TEST(BatchCheck, SingleChecksums) {
  const Buffer body = three();
  const Bytes message = Bytes{body}.subspan(first_message, second_message - first_message);
  EXPECT_EQ(message_checksum_of(message), support::number_at(body, first_message, 8));
  const auto stored = support::number_at(body, batch_in_send + 40, 8);
  EXPECT_EQ(batch_checksum_of(whole(body), batch_in_send, false), stored);

  Buffer wrong = body;
  put_number(wrong, batch_in_send + 40, stored + 1, 8);
  EXPECT_EQ(batch_checksum_of(whole(wrong), batch_in_send, false), stored);
  Buffer damaged = body;
  damaged[second_message - 1] ^= std::byte{1};
  EXPECT_EQ(batch_checksum_of(whole(damaged), batch_in_send, false), stored);
  Buffer miscounted = body;
  put_number(miscounted, batch_in_send + 48, 2, 4);
  const auto as_counted = batch_checksum_of(whole(miscounted), batch_in_send, false);
  ASSERT_TRUE(as_counted.has_value());
  EXPECT_NE(*as_counted, stored);
  const Bytes front = Bytes{body}.first(body.size() - 1);
  const Window cut{front, static_cast<std::uint32_t>(body.size())};
  EXPECT_EQ(batch_checksum_of(cut, batch_in_send, false), std::nullopt);
}

TEST(BatchCheck, OlderLayout) {
  for (const std::uint32_t count : {1U, 2U, 5U}) {
    Buffer body = support::older_send_body(count);
    EXPECT_EQ(fault_of(body), "older_layout") << count;
    body.push_back(std::byte{0});
    EXPECT_NE(fault_of(body), "older_layout") << count;
  }
}

TEST(BatchCheck, OddProducersAreNoReasonToDrop) {
  const BatchVerdict stamped = verdict_of(send_body(Batch{.base_timestamp = 5}));
  EXPECT_EQ(stamped.fault, BatchFault::stamped);
  EXPECT_EQ(stamped.offset, batch_in_send + 16);
  EXPECT_FALSE(is_dropped(stamped.fault));
  const BatchVerdict order = verdict_of(send_body(Batch{.messages = {{}, {.offset_delta = 2}}}));
  EXPECT_EQ(order.fault, BatchFault::message_order);
  EXPECT_EQ(order.message, 1U);
  EXPECT_EQ(order.found, 2U);
  // What servers drop counts more.
  Buffer body = send_body(Batch{.base_timestamp = 5});
  body.back() ^= std::byte{1};
  EXPECT_EQ(fault_of(body), "message_checksum");
}

// The batch of upstream's 0.12 whose producer numbers its messages.
Buffer producer_batch() {
  Buffer batch = batch_bytes();
  put_number(batch, 52, 1, 1);
  put_number(batch, 56, 0x1026700000, 8);
  put_number(batch, 64, 7, 2);
  put_number(batch, 68, 41, 4);
  put_number(batch, 40, support::batch_checksum(batch, true), 8);
  return batch;
}

TEST(BatchCheck, ProducerOf012) {
  const Buffer body = send_body(producer_batch());
  EXPECT_EQ(verdict_of(body, true).fault, BatchFault::none);
  EXPECT_EQ(verdict_of(body, false).fault, BatchFault::reserved);
  EXPECT_EQ(verdict_of(send_body(), true).fault, BatchFault::none);
  for (std::size_t at = batch_in_send; at < body.size(); ++at) {
    Buffer wrong = body;
    wrong[at] ^= std::byte{1} << (at % 8);
    ASSERT_TRUE(is_dropped(check_send(whole(wrong), true).fault)) << at;
  }
}

// Servers drop a send whose producer has larger numbers than they take.
TEST(BatchCheck, NumbersOfProducersAreBounded) {
  struct Number {
    std::size_t at;
    unsigned bytes;
    std::uint64_t most;
  };
  constexpr Number numbers[] = {
      {56, 8, 0x7fff'ffff'ffff'ffff}, {64, 2, 0x7fff}, {68, 4, 0x7fff'ffff}};
  for (const Number& number : numbers) {
    const auto with = [&number](std::uint64_t value) {
      Buffer batch = producer_batch();
      put_number(batch, number.at, value, number.bytes);
      put_number(batch, 40, support::batch_checksum(batch, true), 8);
      return verdict_of(send_body(batch), true);
    };
    EXPECT_EQ(with(number.most).fault, BatchFault::none);
    const BatchVerdict verdict = with(number.most + 1);
    EXPECT_EQ(verdict.fault, BatchFault::producer);
    EXPECT_EQ(verdict.offset, batch_in_send + number.at);
    EXPECT_EQ(verdict.expected, number.most);
    EXPECT_EQ(verdict.found, number.most + 1);
  }
}

TEST(BatchCheck, ProducerOf012AsUpstreamWritesIt) {
  // The vector "batch.producer" of protocol 0.12: two messages.
  const Buffer batch = support::bytes_of_hex(
      "0300000000000000e80300000000000000f0bd0109410600c0adae01094106006b01000000000000c6f3b0"
      "c6051044ef0200000001000000000070260100000000000000070000000000000000000000000000000000"
      "00000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
      "00000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
      "00000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
      "00000000000000000000000000000000000000000000000000000000000000000000000000000000004939"
      "8ef8abaae9bb01000000000000000000000000000000000000000000000000000000050000000000000000"
      "0000006669727374756a495673066eaa0200000000000000000000000000000001000000fa000000000000"
      "000600000000000000000000007365636f6e64");
  BatchChecker checker;
  checker.begin({.room = static_cast<std::uint32_t>(batch.size()), .may_have_producer = true});
  checker.add(batch);
  EXPECT_EQ(word_of(checker.verdict().fault), "");
  EXPECT_EQ(checker.message_count(), 2U);
}

// A poll's reply of partition 3 with these batches.
struct Polled {
  BodyPlan plan;
  Buffer body;
};
Polled polled(std::uint32_t count, const std::vector<Buffer>& batches) {
  Facts facts;
  facts.command = static_cast<std::uint8_t>(Command::Reply);
  facts.operation = operation::non_replicated;
  Polled made;
  made.body = support::little().u32(3).u64(99).u32(count).buffer();
  for (const Buffer& batch : batches) support::append(made.body, batch);
  made.plan = plan_body(facts, Generation::v0_11, 100, whole(made.body));
  return made;
}
BatchVerdict check(const Polled& polled) {
  return check_batches(polled.plan, whole(polled.body), false);
}

TEST(BatchCheck, FetchReplies) {
  const Buffer batch = batch_bytes({.partition = 3, .base_offset = 8, .base_timestamp = 5});
  const auto fetched = [&batch](std::uint32_t told) {
    Facts facts;
    facts.command = static_cast<std::uint8_t>(Command::Reply);
    facts.operation = operation::non_replicated;
    auto body = support::little();
    body.u32(2);
    for (const std::uint32_t length : {told, static_cast<std::uint32_t>(batch.size())})
      body.u32(3).u32(0).u64(9).u32(1).u64(1).u64(0).u64(1).u64(9).u32(length);
    const Buffer all = support::joined({body.buffer(), batch, batch});
    const BodyPlan plan = plan_body(facts, Generation::v0_12, 109, whole(all));
    return check_batches(plan, whole(all), true);
  };
  const auto length = static_cast<std::uint32_t>(batch.size());
  EXPECT_EQ(fetched(length).fault, BatchFault::none);
  for (const std::uint32_t told : {0U, length - 1, length + 1, 0xffffffffU}) {
    const BatchVerdict wrong = fetched(told);
    EXPECT_EQ(wrong.fault, BatchFault::records_length) << told;
    EXPECT_EQ(wrong.offset, 56U);
    EXPECT_EQ(wrong.expected, 2U * length);
    EXPECT_EQ(wrong.found, std::uint64_t{told} + length);
  }
}

TEST(BatchCheck, PollReplies) {
  const Buffer batch = batch_bytes({.partition = 3, .base_offset = 8, .base_timestamp = 5});
  EXPECT_EQ(check(polled(2, {batch, batch})).fault, BatchFault::none);
  EXPECT_EQ(check(polled(0, {})).fault, BatchFault::none);
  const BatchVerdict count = check(polled(3, {batch, batch}));
  EXPECT_EQ(count.fault, BatchFault::messages_count);
  EXPECT_EQ(count.expected, 2U);
  EXPECT_EQ(count.found, 3U);
  EXPECT_EQ(check(polled(1, {batch_bytes({.partition = 4})})).fault, BatchFault::partition);
  // The middle of a batch begins anywhere.
  const auto order_of = [](std::uint32_t first, std::uint32_t second) {
    const Buffer messages = batch_bytes(
        {.messages = {{.offset_delta = first}, {.offset_delta = second}}, .partition = 3});
    return check(polled(2, {messages}));
  };
  EXPECT_EQ(order_of(4, 5).fault, BatchFault::none);
  for (const std::uint32_t second : {0U, 3U, 4U, 6U}) {
    const BatchVerdict order = order_of(4, second);
    EXPECT_EQ(order.fault, BatchFault::message_order) << second;
    EXPECT_EQ(order.expected, 5U);
    EXPECT_EQ(order.found, second);
  }
  Buffer wrong = batch;
  wrong.back() ^= std::byte{1};
  const BatchVerdict checksum = check(polled(2, {batch, wrong}));
  EXPECT_EQ(checksum.fault, BatchFault::message_checksum);
  EXPECT_EQ(checksum.offset, 16 + batch.size() + 256);
}

// A slice keeps the deltas that its messages had.
TEST(BatchCheck, SlicesInPollReplies) {
  const Buffer slice =
      batch_bytes({.messages = {{.offset_delta = 4}, {.offset_delta = 5}}, .partition = 3});
  EXPECT_EQ(check(polled(2, {slice})).fault, BatchFault::none);
}

}  // namespace
}  // namespace iggy::decode
