// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Messages of legacy servers as rows; those with headers are those of samples/legacy-session.pcap.
#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "support/iggy_frames.hpp"
#include "support/messages.hpp"

namespace support {
namespace {

using analyzer::report::MessageWay;

// Servers up to 0.4 have messages without headers.
TEST(LegacyMessages, OfServersWithoutMessageHeaders) {
  Messages messages;
  Talk talk(messages.scene());
  talk.client(legacy_request(38, legacy_login_body()));
  talk.server(legacy_reply(0, little().u32(1).buffer()));
  const Buffer topic = little().u8(2).bytes(short_text("o")).u8(2).bytes(short_text("t")).buffer();
  const Buffer tail = little().u32(0).u32(5).bytes(bytes_of(std::string_view("hello"))).buffer();
  talk.client(legacy_request(
      101, little().bytes(topic).u8(2).u8(4).u32(3).u64(7).u64(0).bytes(tail).buffer()));
  talk.server(legacy_reply());
  const Buffer strategy = little().u8(1).u64(0).u32(10).u8(0).buffer();
  talk.client(legacy_request(
      100, little().u8(1).u8(1).u8(4).u32(1).bytes(topic).u32(3).bytes(strategy).buffer()));
  LittleWriter answer;
  answer.u32(3).u64(4).u32(1);
  answer.u64(4).u8(1).u64(1'700'000'000'000'000).u64(7).u64(0).u32(99).bytes(tail);
  talk.server(legacy_reply(0, answer.buffer()));
  talk.close();
  const auto& rows = messages.finish();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].way, MessageWay::sent);
  EXPECT_EQ(rows[0].partition, 3U);
  EXPECT_EQ(rows[0].offset, std::nullopt);
  EXPECT_EQ(rows[1].way, MessageWay::polled);
  EXPECT_EQ(rows[1].partition, 3U);
  EXPECT_EQ(rows[1].offset, 4U);
  EXPECT_EQ(rows[1].append_time, 1'700'000'000'000'000U);
  for (const MessageRow& row : rows) {
    EXPECT_EQ(row.place->stream->text, "o");
    EXPECT_EQ(row.place->topic->text, "t");
    EXPECT_EQ(row.id.low, 7U);
    EXPECT_EQ(row.payload, "hello");
  }
  EXPECT_EQ(messages.losses().without_table, 0U);
}

}  // namespace
}  // namespace support
