// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Messages of a capture: where they went, what their offsets are, and what is not known.
#include "report/message_lines.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "support/batches.hpp"
#include "support/iggy_frames.hpp"
#include "support/messages.hpp"

namespace support {
namespace {

using analyzer::report::MessageWay;
using analyzer::report::WantedName;

Talk logged_in(Messages& messages) {
  Talk talk(messages.scene());
  talk.client(login(password_body()));
  talk.server(login_reply());
  return talk;
}

Buffer send(const Buffer& body, std::uint64_t number = 1) {
  return request({.operation = 160, .number = number, .body = body});
}
Buffer confirmed(std::uint32_t partition, std::uint64_t base_offset, std::uint64_t number = 1) {
  return reply({.operation = 160,
                .number = number,
                .body = little().u32(1).u32(1).u32(2).u32(partition).u64(base_offset).buffer()});
}
Batch two() {
  return {.messages = {{.payload = "one", .id = 7, .timestamp_delta = 5},
                       {.payload = "two", .id = 8, .offset_delta = 1}}};
}

// Asks for messages of topic "invoices" in stream 1.
Buffer poll(std::uint64_t number = 1) {
  return request({.code = 100,
                  .number = number,
                  .body = little()
                              .u8(1)
                              .u8(1)
                              .u8(4)
                              .u32(1)  // consumer 1
                              .u8(1)
                              .u8(4)
                              .u32(1)  // stream 1
                              .u8(2)
                              .bytes(short_text("invoices"))
                              .u8(1)
                              .u32(3)  // partition 3
                              .u8(3)
                              .u64(0)  // from the first one
                              .u32(10)
                              .u8(0)
                              .buffer()});
}
Buffer polled(const std::vector<Batch>& batches, std::uint64_t number = 1) {
  std::uint32_t count = 0;
  Buffer body;
  for (const Batch& batch : batches) {
    count += static_cast<std::uint32_t>(batch.messages.size());
    append(body, batch_bytes(batch));
  }
  return reply(
      {.number = number, .body = joined({little().u32(3).u64(99).u32(count).buffer(), body})});
}
Batch stored() {
  return {.messages = {{.payload = "a", .id = 1, .offset_delta = 4}},
          .partition = 3,
          .base_offset = 40,
          .base_timestamp = 2'000'000};
}

TEST(MessageLines, SentMessagesGetTheirOffsetsFromTheReply) {
  Messages messages;
  Talk talk = logged_in(messages);
  const auto packet = talk.client(send(send_body(two())));
  Buffer answer = confirmed(6, 100);
  put_number(answer, 192, 1'700'000'000'000'777, 8);  // timestamp
  talk.server(answer);
  talk.close();
  const auto& rows = messages.finish();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].packet, packet);
  EXPECT_EQ(rows[0].way, MessageWay::sent);
  EXPECT_EQ(rows[0].payload, "one");
  EXPECT_EQ(rows[0].id.low, 7U);
  EXPECT_EQ(rows[0].place->stream->text, "1");
  EXPECT_TRUE(rows[0].place->stream->is_number);
  EXPECT_EQ(rows[0].place->topic->text, "2");
  EXPECT_EQ(rows[0].partition, 6U);
  EXPECT_EQ(rows[0].offset, 100U);
  EXPECT_EQ(rows[0].origin_time, 1'700'000'000'000'005U);
  EXPECT_EQ(rows[0].append_time, 1'700'000'000'000'777U);
  EXPECT_EQ(rows[0].outcome->kind, analyzer::connection::OutcomeKind::ok);
  EXPECT_EQ(rows[1].offset, 101U);
  EXPECT_EQ(messages.losses().written_early, 0U);
}

TEST(MessageLines, AnEmptyReplyConfirmsNothing) {
  Messages messages;
  Talk talk = logged_in(messages);
  talk.client(send(send_body(two())));
  talk.server(confirmed(6, 100));
  talk.client(send(send_body(two()), 2));
  talk.server(reply({.operation = 160, .number = 2}));
  talk.client(send(send_body(two()), 3));
  talk.server(reply({.operation = 160, .number = 3, .status = 20}));
  talk.close();
  const auto& rows = messages.finish();
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows[0].is_confirmed, true);
  EXPECT_EQ(rows[2].is_confirmed, false);
  EXPECT_EQ(rows[4].is_confirmed, std::nullopt);
}

// What a server says of stream 1 "orders" and its topic 2 "bills".
void tell_names(Talk& talk) {
  talk.client(request({.code = 200, .number = 90, .body = little().u8(1).u8(4).u32(1).buffer()}));
  LittleWriter told;
  told.u32(1).u64(0).u32(1).u64(0).u64(0).bytes(short_text("orders")).u32(0);
  told.u32(2).u64(0).u32(1).u64(0).u8(1).u64(0).u64(0).u64(0).bytes(short_text("bills"));
  talk.server(reply({.number = 90, .body = told.u32(0).u32(0).buffer()}));
}

// Two messages by numbers, then their names, then two more.
void send_around_names(Messages& messages) {
  Talk talk = logged_in(messages);
  talk.client(send(send_body(two())));
  talk.server(confirmed(6, 100));
  tell_names(talk);
  talk.client(send(send_body(two()), 2));
  talk.server(confirmed(6, 102, 2));
  talk.close();
}

TEST(MessageLines, NumbersHaveTheNamesThatRepliesTold) {
  for (const char* const wanted : {"bills", "2"}) {
    Messages messages({.topic = WantedName{wanted}});
    send_around_names(messages);
    const auto& rows = messages.finish();
    const bool by_number = wanted == std::string("2");
    ASSERT_EQ(rows.size(), by_number ? 4U : 2U);
    EXPECT_EQ(rows[0].place->topic->name, by_number ? "" : "bills");
    EXPECT_EQ(rows.back().place->stream->name, "orders");
    EXPECT_EQ(rows.back().place->topic->name, "bills");
    EXPECT_EQ(rows.back().place->topic->text, "2");
  }
}

TEST(MessageLines, WithoutAConfirmationTheOffsetIsNotKnown) {
  for (const Buffer& answer :
       {reply({.operation = 160}), reply({.operation = 160, .body = little().u32(0).buffer()}),
        reply({.operation = 160, .status = 20})}) {
    Messages messages;
    Talk talk = logged_in(messages);
    talk.client(send(send_body(two())));
    talk.server(answer);
    talk.close();
    ASSERT_EQ(messages.finish().size(), 2U);
    EXPECT_EQ(messages.rows[0].offset, std::nullopt);
    EXPECT_EQ(messages.rows[0].partition, std::nullopt);
  }
}

// What a producer says of partition, offset and time of storing is not shown, nor filtered by.
TEST(MessageLines, StampsOfProducersAreNotBelieved) {
  Batch stamped = two();
  stamped.partition = 5;
  stamped.base_offset = 77;
  stamped.base_timestamp = 123;
  const auto rows_of = [&](const MessageOptions& options) {
    Messages messages(options);
    Talk talk = logged_in(messages);
    talk.client(send(send_body(stamped), 1));
    talk.server(confirmed(6, 100, 1));
    talk.client(send(send_body(stamped), 2));
    talk.server(reply({.operation = 160, .number = 2}));
    talk.close();
    return messages.finish();
  };
  const std::vector<MessageRow> rows = rows_of({});
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[1].partition, 6U);
  EXPECT_EQ(rows[1].offset, 101U);
  EXPECT_EQ(rows[1].append_time, std::nullopt);
  EXPECT_EQ(rows[2].partition, std::nullopt);
  EXPECT_EQ(rows[2].offset, std::nullopt);
  EXPECT_EQ(rows[2].append_time, std::nullopt);
  EXPECT_EQ(rows[2].origin_time, 1'700'000'000'000'005U);
  EXPECT_EQ(rows_of({.offsets = {{77, 78}}}).size(), 0U);
  EXPECT_EQ(rows_of({.partition = 5}).size(), 0U);
}

// Where a poll reads from is remembered for its reply alone.
TEST(MessageLines, PollsAreNotRememberedWherePolledMessagesAreNotWanted) {
  for (const bool wanted : {false, true}) {
    Messages messages({.ways = {wanted ? MessageWay::polled : MessageWay::sent}});
    // One connection has at most 1024 requests that wait.
    for (unsigned port = 50'000; port < 50'100; ++port) {
      Talk talk(messages.scene(), port);
      talk.client(login(password_body()));
      talk.server(login_reply());
      for (std::uint64_t number = 1; number <= 1'010; ++number) talk.client(poll(number));
    }
    EXPECT_EQ(messages.losses().places_not_kept, wanted ? 1'000U : 0U);
    messages.finish();
  }
}

TEST(MessageLines, PolledMessagesKnowTheirPlace) {
  Messages messages;
  Talk talk = logged_in(messages);
  talk.client(poll());
  const auto packet = talk.server(polled({stored(), stored()}));
  talk.close();
  const auto& rows = messages.finish();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].packet, packet);
  EXPECT_EQ(rows[0].way, MessageWay::polled);
  EXPECT_EQ(rows[0].place->stream->text, "1");
  EXPECT_EQ(rows[0].place->topic->text, "invoices");
  EXPECT_FALSE(rows[0].place->topic->is_number);
  EXPECT_EQ(rows[0].partition, 3U);
  EXPECT_EQ(rows[0].offset, 44U);
  EXPECT_EQ(rows[0].append_time, 2'000'000U);
}

TEST(MessageLines, OrderIsThatOfThePacketsWhateverWaits) {
  Messages messages;
  Talk talk = logged_in(messages);
  talk.client(send(send_body(two()), 1));
  talk.client(poll(2));
  talk.server(polled({stored()}, 2));
  talk.server(confirmed(1, 5, 1));
  talk.close();
  const auto& rows = messages.finish();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].offset, 5U);
  EXPECT_EQ(rows[1].offset, 6U);
  EXPECT_EQ(rows[2].way, MessageWay::polled);
}

// In partition 3, as the batch says too.
Buffer replicated(std::uint64_t stream, std::uint64_t topic, const Batch& batch) {
  return prepare_builder({.operation = 160, .body = batch_bytes(batch)})
      .u64(216, stream << 32 | topic << 20 | 3)
      .identify()
      .frame();
}

TEST(MessageLines, ReplicatedMessagesOnlyWhereTheyAreAskedFor) {
  for (const bool asked : {false, true}) {
    MessageOptions options;
    if (asked) options.ways.insert(MessageWay::replicated);
    Messages messages(options);
    Talk talk(messages.scene());
    talk.client(replica_hello());
    talk.client(replicated(7, 3, stored()));
    talk.close();
    ASSERT_EQ(messages.finish().size(), asked ? 1U : 0U);
    if (!asked) continue;
    EXPECT_EQ(messages.rows[0].way, MessageWay::replicated);
    EXPECT_EQ(messages.rows[0].offset, 44U);
    ASSERT_NE(messages.rows[0].place, nullptr);
    EXPECT_EQ(messages.rows[0].place->stream->text, "7");
    EXPECT_EQ(messages.rows[0].place->topic->text, "3");
    EXPECT_EQ(messages.rows[0].partition, 3U);
  }
}

TEST(MessageLines, ReplicatedMessagesAreFoundByTheGroupOfTheirHeader) {
  const auto count = [](const MessageOptions& wanted) {
    MessageOptions options = wanted;
    options.ways = {MessageWay::replicated};
    Messages messages(options);
    Talk talk(messages.scene());
    talk.client(replica_hello());
    talk.client(replicated(7, 3, stored()));
    talk.client(replicated(8, 3, stored()));
    talk.close();
    return messages.finish().size();
  };
  EXPECT_EQ(count({}), 2U);
  EXPECT_EQ(count({.stream = WantedName{"7"}}), 1U);
  EXPECT_EQ(count({.stream = WantedName{"9"}}), 0U);
  EXPECT_EQ(count({.topic = WantedName{"3"}}), 2U);
  EXPECT_EQ(count({.stream = WantedName{"8"}, .partition = 4}), 0U);
}

TEST(MessageLines, Filters) {
  const auto count = [](const MessageOptions& options) {
    Messages messages(options);
    Talk talk = logged_in(messages);
    talk.client(send(send_body(two()), 1));
    talk.server(confirmed(6, 100, 1));
    talk.client(poll(2));
    talk.server(polled({stored()}, 2));
    talk.close();
    return messages.finish().size();
  };
  EXPECT_EQ(count({}), 3U);
  EXPECT_EQ(count({.stream = WantedName{"1"}}), 3U);
  EXPECT_EQ(count({.topic = WantedName{"2"}}), 2U);
  EXPECT_EQ(count({.topic = WantedName{"invoices"}}), 1U);
  EXPECT_EQ(count({.topic = WantedName{"other"}}), 0U);
  EXPECT_EQ(count({.topic = WantedName{"2", true}}), 0U);
  EXPECT_EQ(count({.topic = WantedName{"invoices", true}}), 1U);
  EXPECT_EQ(count({.partition = 6}), 2U);
  EXPECT_EQ(count({.partition = 7}), 0U);
  EXPECT_EQ(count({.offsets = {{101, 200}}}), 1U);
  EXPECT_EQ(count({.offsets = {{44, 100}}}), 2U);
  EXPECT_EQ(count({.ways = {MessageWay::polled}}), 1U);
  EXPECT_EQ(count({.limit = 2}), 2U);
}

// A number as lines show it with its name is that of no other name, and of no text.
TEST(MessageLines, NumbersAreAskedForWithTheirNames) {
  const auto count = [](const WantedName& topic) {
    Messages messages({.topic = topic});
    send_around_names(messages);
    return messages.finish().size();
  };
  EXPECT_EQ(count({"bills", true, "2"}), 2U);
  EXPECT_EQ(count({"bills", true, "3"}), 0U);
  EXPECT_EQ(count({"invoices", true, "2"}), 0U);
  EXPECT_EQ(count({"2(bills)", true}), 0U);
}

// The reply to a send tells the numbers of what it named.
TEST(MessageLines, TopicsHaveTheNumbersThatRepliesTold) {
  Messages messages;
  Talk talk = logged_in(messages);
  talk.client(send(send_body(two())));
  talk.server(confirmed(6, 100));
  talk.client(poll(2));  // a topic that nobody told the number of
  talk.server(polled({stored()}, 2));
  talk.close();
  const auto& rows = messages.finish();
  ASSERT_EQ(rows.size(), 3U);
  ASSERT_TRUE(rows[0].topic);
  EXPECT_EQ(rows[0].topic->stream, 1U);
  EXPECT_EQ(rows[0].topic->topic, 2U);
  EXPECT_EQ(rows[0].topic->ends, 0U);
  EXPECT_FALSE(rows[2].topic);
}

// Builds of 0.11.0 up to edge.3 have no batches.
TEST(MessageLines, OlderMessagesOfEarlyBuilds) {
  Messages messages;
  Talk talk = logged_in(messages);
  talk.client(send(older_send_body(2)));
  const Buffer confirmation = little().u32(1).u32(1).u32(2).u32(3).u64(30).buffer();
  talk.server(reply({.operation = 160, .body = confirmation}));
  talk.client(poll(2));
  Buffer message(64);
  put_number(message, 8, 7, 8);
  put_number(message, 24, 40, 8);
  put_number(message, 32, 2'000'000, 8);
  put_number(message, 52, 1, 4);
  message.push_back(std::byte{'a'});
  talk.server(reply({.number = 2, .body = little().u32(3).u64(99).u32(1).bytes(message).buffer()}));
  talk.close();
  const auto& rows = messages.finish();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[1].payload, "older");
  EXPECT_EQ(rows[1].id.low, 2U);
  EXPECT_EQ(rows[1].place->topic->text, "2");
  // Producers write no offsets: those of a send follow each other.
  EXPECT_EQ(rows[0].offset, 30U);
  EXPECT_EQ(rows[1].offset, 31U);
  EXPECT_EQ(rows[2].payload, "a");
  EXPECT_EQ(rows[2].partition, 3U);
  EXPECT_EQ(rows[2].offset, 40U);
  EXPECT_EQ(rows[2].append_time, 2'000'000U);
  EXPECT_EQ(messages.losses().unreadable, 0U);
}

TEST(MessageLines, WhatIsMissingIsCounted) {
  Messages messages;
  Talk talk = logged_in(messages);
  const Buffer frame = send(send_body(two()));
  talk.client({frame.begin(), frame.end() - 30});
  talk.lose_client(30);
  talk.server(confirmed(6, 100));
  talk.server(polled({stored()}, 9));  // nobody asked
  Buffer lying = send_body(two());
  put_number(lying, batch_in_send + 256 + 36, 0xfffffff0, 4);  // bytes of the first payload
  talk.client(send(lying, 2));
  talk.close();
  const auto& rows = messages.finish();
  ASSERT_EQ(rows.size(), 1U);  // the second one is not whole
  EXPECT_EQ(rows[0].payload, "one");
  EXPECT_EQ(messages.losses().cut_bodies, 1U);
  EXPECT_EQ(messages.losses().without_request, 1U);
  EXPECT_EQ(messages.losses().unreadable, 1U);
}

TEST(MessageLines, PayloadsAreKeptAsFarAsTheyAreWanted) {
  for (const bool keeps : {false, true}) {
    MessageOptions options;
    options.max_payload = 10;
    options.keeps_payloads = keeps;
    Messages messages(options);
    Talk talk = logged_in(messages);
    talk.client(send(send_body(Batch{.messages = {{.payload = std::string(5'000, 'x')}}})));
    talk.close();
    ASSERT_EQ(messages.finish().size(), 1U);
    EXPECT_EQ(messages.rows[0].payload.size(), keeps ? 5'000U : 10U);
    EXPECT_EQ(messages.rows[0].payload_size, 5'000U);
  }
}

// Memory is bounded: what waits longer is written without its offset, and that is said.
TEST(MessageLines, WaitingIsBounded) {
  MessageOptions options;
  options.keeps_payloads = true;
  Messages messages(options);
  Talk talk = logged_in(messages);
  const std::string large(1U << 20, 'x');
  for (std::uint64_t number = 1; number <= 80; ++number)
    talk.client(send(send_body(Batch{.messages = {{.payload = large}}}), number));
  const std::size_t before_end = messages.rows.size();
  EXPECT_GE(before_end, 10U);
  EXPECT_LE(before_end, 20U);
  EXPECT_EQ(messages.losses().written_early, before_end);
  talk.close();
  EXPECT_EQ(messages.finish().size(), 80U);
}

// No front of a capture shows more than it holds, nor what it does not.
TEST(MessageLines, EveryPrefixOfAConversation) {
  const Buffer frame = send(send_body(two()));
  for (std::size_t size = 0; size <= frame.size(); ++size) {
    Messages messages;
    Talk talk = logged_in(messages);
    talk.client({frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(size)});
    talk.close();
    const std::size_t expected = size == frame.size() ? 2U : 0U;
    ASSERT_EQ(messages.finish().size(), expected) << size;
  }
}

TEST(MessageLines, CountsThatLie) {
  for (const std::size_t at : {0U, 18U, 22U + 32U, 22U + 48U, 22U + 256U + 32U, 22U + 256U + 36U}) {
    Buffer body = send_body(two());
    put_number(body, at, 0xfffffff0, 4);
    Messages messages;
    Talk talk = logged_in(messages);
    talk.client(send(body));
    talk.client(poll(2));
    Buffer answer = polled({stored()}, 2);
    put_number(answer, 256 + 12, 0xffffffff, 4);
    put_number(answer, 256 + 16 + 48, 0xffffffff, 4);
    talk.server(answer);
    talk.close();
    EXPECT_LE(messages.finish().size(), 3U) << at;
  }
}

}  // namespace
}  // namespace support
