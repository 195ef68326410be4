// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Frames behind WebSocket, and connections that carry something else.
#include "connection/transport.hpp"

#include <gtest/gtest.h>

#include "support/frame_log.hpp"
#include "support/iggy_frames.hpp"
#include "support/iggy_scene.hpp"

namespace support {
namespace {

using connection::Transport;
using iggy::conversation::Foreign;

const Buffer upgrade =
    bytes_of("GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n");
const Buffer agreed = bytes_of("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n");

// One WebSocket frame. Clients mask.
Buffer wrapped(unsigned first_byte, const Buffer& payload, bool masked) {
  Buffer made;
  put_number(made, 0, first_byte, 1);
  const unsigned mask_bit = masked ? 0x80 : 0;
  if (payload.size() < 126) {
    put_number(made, 1, mask_bit | payload.size(), 1);
  } else {
    put_number(made, 1, mask_bit | 126, 1);
    put_number(made, 2, payload.size() >> 8, 1);
    put_number(made, 3, payload.size() & 0xff, 1);
  }
  const Buffer mask = masked ? bytes_of({0x11, 0x22, 0x33, 0x44}) : Buffer{};
  append(made, mask);
  Buffer body = payload;
  for (std::size_t i = 0; masked && i < body.size(); ++i) body[i] ^= mask[i % 4];
  append(made, body);
  return made;
}
Buffer from_client(const Buffer& payload, unsigned first_byte = 0x82) {
  return wrapped(first_byte, payload, true);
}
Buffer from_server(const Buffer& payload, unsigned first_byte = 0x82) {
  return wrapped(first_byte, payload, false);
}

class TransportTest : public testing::Test {
 protected:
  Talk upgraded() {
    Talk talk(scene);
    talk.client(upgrade);
    talk.server(agreed);
    return talk;
  }
  const FrameLog::Connected& only() {
    scene.finish();
    EXPECT_EQ(log.connections.size(), 1U);
    return log.connections.at(0);
  }
  FrameLog log;
  Scene scene{log};
};

TEST_F(TransportTest, WebSocketSession) {
  Talk talk = upgraded();
  const auto asked = talk.client(from_client(login(password_body())));
  const auto answered = talk.server(from_server(login_reply()));
  talk.close();
  EXPECT_EQ(only().transport, Transport::websocket);
  EXPECT_EQ(log.answer_to(asked), answered);
  EXPECT_EQ(only().websocket.response_status, 101);
  EXPECT_EQ(only().client_foreign, Foreign::none);
  EXPECT_EQ(only().left_over, 0U);
}

TEST_F(TransportTest, SeveralMessagesInOneSegment) {
  Talk talk = upgraded();
  talk.client(joined({from_client(ping(1)), from_client(read(100, 2)), from_client(ping(3))}));
  scene.finish();
  EXPECT_EQ(log.frames.size(), 3U);
}

TEST_F(TransportTest, FragmentedMessage) {
  Talk talk = upgraded();
  const Buffer frame = login(password_body());
  const Buffer front(frame.begin(), frame.begin() + 100);
  const Buffer rest(frame.begin() + 100, frame.end());
  talk.client(from_client(front, 0x02));
  talk.client(from_client(bytes_of("hi"), 0x89));  // a ping in between
  const auto last = talk.client(from_client(rest, 0x80));
  scene.finish();
  ASSERT_EQ(log.frames.size(), 1U);
  EXPECT_EQ(log.frames[0].packet, last);
}

TEST_F(TransportTest, FrameAcrossMessagesAndMessageAcrossFrames) {
  Talk talk = upgraded();
  const Buffer two = joined({ping(1), ping(2)});
  talk.client(from_client(Buffer(two.begin(), two.begin() + 300)));
  talk.client(from_client(Buffer(two.begin() + 300, two.end())));
  scene.finish();
  EXPECT_EQ(log.frames.size(), 2U);
}

TEST_F(TransportTest, ByteByByte) {
  Talk talk(scene);
  for (const std::byte byte : joined({upgrade, from_client(ping(1))})) talk.client({byte});
  for (const std::byte byte : joined({agreed, from_server(pong(1))})) talk.server({byte});
  EXPECT_EQ(only().transport, Transport::websocket);
  EXPECT_EQ(log.frames.size(), 2U);
}

TEST_F(TransportTest, UpgradeInPieces) {
  Talk talk(scene);
  const Buffer wire = joined({upgrade, from_client(ping(1))});
  for (std::size_t at = 0; at < wire.size(); at += 5)
    talk.client(Buffer(wire.begin() + static_cast<std::ptrdiff_t>(at),
                       wire.begin() + static_cast<std::ptrdiff_t>(std::min(at + 5, wire.size()))));
  EXPECT_EQ(only().transport, Transport::websocket);
  EXPECT_EQ(log.frames.size(), 1U);
}

TEST_F(TransportTest, UpgradeBeforeTheCaptureBegan) {
  Talk talk(scene, usual_client(), usual_server());
  const auto asked = talk.client(from_client(ping(1)));
  const auto answered = talk.server(from_server(pong(1)));
  EXPECT_EQ(only().transport, Transport::websocket);
  EXPECT_EQ(log.answer_to(asked), answered);
}

TEST_F(TransportTest, MessageInTheSegmentOfTheUpgrade) {
  Talk talk(scene);
  talk.client(upgrade);
  talk.server(joined({agreed, from_server(eviction({.reason = 13}))}));
  scene.finish();
  EXPECT_EQ(log.frames.size(), 1U);
}

TEST_F(TransportTest, TextMessagesCarryNoFrames) {
  Talk talk = upgraded();
  talk.client(from_client(ping(1), 0x81));
  talk.client(from_client(ping(2)));
  scene.finish();
  ASSERT_EQ(log.frames.size(), 1U);
}

TEST_F(TransportTest, HoleInsideAMessage) {
  Talk talk = upgraded();
  const Buffer wire = from_client(request({.operation = 160, .body = counting_bytes(900)}));
  talk.client(Buffer(wire.begin(), wire.begin() + 500));
  talk.lose_client(200);
  talk.client(Buffer(wire.begin() + 700, wire.end()));
  talk.client(from_client(ping(2)));
  talk.server_ack();
  scene.wait(4 * Scene::second);
  talk.server_ack();
  scene.finish();
  EXPECT_EQ(log.frames.size(), 2U);
  EXPECT_EQ(log.holes, 1U);
  EXPECT_EQ(log.hiding_holes, 0U);
}

TEST_F(TransportTest, HoleOverAMessageHeadLosesTheServer) {
  Talk talk = upgraded();
  const auto asked = talk.client(from_client(ping(1)));
  talk.lose_server(260);
  talk.client(from_client(ping(2)));
  talk.server(from_server(pong(2)));
  talk.close();
  scene.finish();
  EXPECT_EQ(log.outcome_of(asked), "unknown");
  EXPECT_GE(log.hiding_holes, 1U);
}

TEST_F(TransportTest, ServerClosesWithoutACode) {
  Talk talk = upgraded();
  talk.client(from_client(legacy_request(1)));
  const auto closed = talk.server(from_server({}, 0x88));
  EXPECT_EQ(only().websocket.server_close_packet, closed);
  EXPECT_FALSE(only().websocket.server_close_has_code);
}

TEST_F(TransportTest, ServerClosesWithACode) {
  Talk talk = upgraded();
  talk.server(from_server(bytes_of({3, 232}), 0x88));
  EXPECT_TRUE(only().websocket.server_close_has_code);
}

TEST_F(TransportTest, RefusedUpgrade) {
  Talk talk(scene);
  talk.client(upgrade);
  talk.server(bytes_of("HTTP/1.1 400 Bad Request\r\n\r\nno"));
  EXPECT_EQ(only().websocket.response_status, 400);
  EXPECT_EQ(only().client_foreign, Foreign::http);
  EXPECT_TRUE(log.frames.empty());
}

TEST_F(TransportTest, Tls) {
  Talk talk(scene);
  talk.client(joined({bytes_of({0x16, 3, 1, 0, 60}), counting_bytes(60)}));
  talk.server(joined({bytes_of({0x16, 3, 3, 0, 50}), counting_bytes(50)}));
  EXPECT_EQ(only().transport, Transport::tls);
  EXPECT_EQ(only().client_foreign, Foreign::tls);
  EXPECT_EQ(only().server_foreign, Foreign::tls);
  EXPECT_EQ(only().left_over, 120U);
}

TEST_F(TransportTest, PlainHttp) {
  Talk talk(scene);
  const Buffer question = bytes_of("GET / HTTP/1.1\r\n\r\n");
  const Buffer answer = bytes_of("HTTP/1.1 200 OK\r\n\r\nbody");
  talk.client(question);
  talk.server(answer);
  EXPECT_EQ(only().client_foreign, Foreign::http);
  EXPECT_EQ(only().server_foreign, Foreign::http);
  EXPECT_EQ(only().left_over, question.size() + answer.size());
  EXPECT_TRUE(log.frames.empty());
}

TEST(TransportWords, AreStable) {
  EXPECT_EQ(word_of(Transport::tcp), "tcp");
  EXPECT_EQ(word_of(Transport::websocket), "websocket");
  EXPECT_EQ(word_of(Transport::tls), "tls");
  EXPECT_EQ(word_of(Transport::quic), "quic");
}

}  // namespace
}  // namespace support
