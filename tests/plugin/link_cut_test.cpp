// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What a connection remembers of frames that were cut or lost in part, and of sends by their
// replies.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "link_scene.hpp"
#include "support/batches.hpp"
#include "support/iggy_frames.hpp"

namespace plugin {
namespace {

using support::Buffer;

// A capture that keeps so many bytes of each packet.
class CutLinkTest : public LinkTest {
 protected:
  void send_cut(std::size_t lane, const Buffer& bytes, std::size_t kept) {
    Chunk chunk = next_chunk(lane, bytes);
    chunk.captured = chunk.captured.first(std::min(kept, bytes.size()));
    chunk.can_wait = kept >= bytes.size();
    take(lane, chunk);
  }
};

TEST_F(CutLinkTest, AFrameEndsInThePacketOfItsLastByte) {
  const Buffer whole = support::request({.operation = 160, .body = Buffer(1000)});
  const Buffer front(whole.begin(), whole.begin() + 700);
  const Buffer back(whole.begin() + 700, whole.end());
  send_cut(client, front, 400);
  EXPECT_EQ(link.frame(0).packet, 1U);
  EXPECT_FALSE(link.frame(0).is_ended);
  send_cut(client, back, 600);
  EXPECT_EQ(link.frame(0).packet, 2U);
  EXPECT_TRUE(link.frame(0).is_ended);
  answer(support::reply({.operation = 160}));
  EXPECT_EQ(link.latency(link.frame(1)), std::optional(millisecond));
  EXPECT_EQ(link.peer_packet(link.frame(1)), 2U);
}

TEST_F(CutLinkTest, APacketHasItsTimeHoweverItIsCut) {
  send_cut(client, support::request({.operation = 160, .body = Buffer(1000)}), 400);
  answer(support::reply({.operation = 160}));
  EXPECT_TRUE(link.frame(0).is_ended);
  EXPECT_EQ(link.frame(1).peer, std::optional<std::size_t>(0));
  EXPECT_EQ(link.latency(link.frame(1)), std::optional(millisecond));
}

// The first packet that is cut shows that more will be: up to it what is missing is waited for.
TEST_F(CutLinkTest, ARequestIsKnownByAHeaderInAPacketOfItsOwn) {
  const Buffer whole = support::request({.operation = 160, .body = Buffer(1000)});
  const Buffer header(whole.begin(), whole.begin() + 256);
  const Buffer body(whole.begin() + 256, whole.end());
  for (const std::size_t frame : {0U, 2U}) {
    send_cut(client, header, 256);
    send_cut(client, body, 100);
    answer(support::reply({.operation = 160}));
    EXPECT_EQ(link.frame(frame).header_packet, packet - 2);
    EXPECT_EQ(link.frame(frame).packet, packet - 1);
    EXPECT_EQ(link.frame(frame + 1).peer, std::optional(frame));
    EXPECT_EQ(link.latency(link.frame(frame + 1)), std::optional(millisecond));
  }
}

TEST_F(CutLinkTest, WithoutALastByteThereIsNoLatency) {
  const Buffer whole = support::request({.operation = 160, .body = Buffer(1000)});
  send(client, Buffer(whole.begin(), whole.begin() + 256));
  next[client] += 1000;  // a packet is lost
  ask(support::read(200, 2));
  answer(support::reply({.operation = 160}));
  EXPECT_FALSE(link.frame(0).is_ended);
  EXPECT_EQ(link.frame(2).peer, std::optional<std::size_t>(0));
  EXPECT_EQ(link.latency(link.frame(2)), std::nullopt);
  EXPECT_FALSE(link.frame(2).may_miss_request);
}

TEST_F(CutLinkTest, ARequestMayBeAmongBytesThatNobodyLookedAt) {
  answer(support::reply({.number = 1}));
  EXPECT_FALSE(link.frame(0).may_miss_request);
  send_cut(client, support::read(200, 2), 200);
  answer(support::reply({.number = 2}));
  EXPECT_TRUE(link.frame(1).may_miss_request);
  EXPECT_EQ(link.frame(1).peer, std::nullopt);
}

TEST_F(LinkTest, AReplyTellsWhereTheMessagesOfASendAre) {
  const support::Batch batch;
  const auto confirmed = [](std::uint32_t count) {
    auto body = support::little();
    body.u32(count);
    for (std::uint32_t i = 0; i < count; ++i) body.u32(1).u32(2).u32(3).u64(77);
    return body.buffer();
  };
  const Buffer bodies[] = {confirmed(1), confirmed(0), confirmed(2), {}};
  std::size_t frame = 0;
  for (const Buffer& body : bodies) {
    ask(support::request({.operation = 160, .body = support::send_body(batch)}));
    answer(support::reply({.operation = 160, .body = body}));
    const bool is_told = frame == 0;
    ASSERT_EQ(link.frame(frame).confirmation.has_value(), is_told);
    if (is_told) {
      EXPECT_EQ(link.frame(frame).confirmation->base_offset, 77U);
    }
    frame += 2;
  }
  Buffer broken = confirmed(1);
  broken.resize(broken.size() - 4);
  ask(support::request({.operation = 160, .body = support::send_body(batch)}));
  answer(support::reply({.operation = 160, .body = broken}));
  EXPECT_FALSE(link.frame(frame).confirmation);
}

}  // namespace
}  // namespace plugin
