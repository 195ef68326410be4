// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The HTTP upgrade and the frames of WebSocket, whole, in single bytes, and with holes.
#include "stream/websocket.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tcp_script.hpp"

namespace script {
namespace {

namespace websocket = analyzer::stream::websocket;
using websocket::MessageDecoder;
using websocket::Opcode;
using websocket::Problem;
using websocket::UpgradeHead;
using State = UpgradeHead::State;

UpgradeHead head_of(std::string_view text) {
  UpgradeHead head;
  head.feed(bytes_of(text));
  return head;
}

constexpr std::string_view request =
    "GET / HTTP/1.1\r\nHost: localhost\r\nuPgRaDe: WebSocket\r\nConnection: Upgrade\r\n\r\n";
constexpr std::string_view response =
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n";

TEST(WebSocketUpgrade, RequestAndResponse) {
  EXPECT_EQ(head_of(request).state(), State::upgrade_request);
  const UpgradeHead answer = head_of(response);
  EXPECT_EQ(answer.state(), State::switching);
  EXPECT_EQ(answer.status(), 101);
  EXPECT_TRUE(answer.is_websocket());
  EXPECT_FALSE(answer.has_extensions());
}

TEST(WebSocketUpgrade, TakesTheHeadOnly) {
  UpgradeHead head;
  const std::string text = std::string{response} + "frames";
  EXPECT_EQ(head.feed(bytes_of(text)), response.size());
  EXPECT_EQ(head.feed(bytes_of("more")), 0U);
  EXPECT_EQ(head.text(), response);
}

TEST(WebSocketUpgrade, ByteByByte) {
  UpgradeHead head;
  for (const char letter : request) {
    EXPECT_EQ(head.state(), State::reading);
    EXPECT_EQ(head.feed(bytes_of({&letter, 1})), 1U);
  }
  EXPECT_EQ(head.state(), State::upgrade_request);
}

TEST(WebSocketUpgrade, FoldsListsAndBareLineFeeds) {
  EXPECT_TRUE(head_of("GET / HTTP/1.1\nUpgrade: h2c,\n\t websocket \nX: y\n\n").is_websocket());
  EXPECT_TRUE(head_of("GET / HTTP/1.1\r\nUpgrade:\r\n websocket\r\n\r\n").is_websocket());
  EXPECT_FALSE(head_of("GET / HTTP/1.1\r\nUpgrade: websockets\r\n\r\n").is_websocket());
  EXPECT_FALSE(head_of("GET / HTTP/1.1\r\nX: Upgrade: websocket\r\n\r\n").is_websocket());
}

TEST(WebSocketUpgrade, OtherAnswers) {
  EXPECT_EQ(head_of("GET /x HTTP/1.1\r\n\r\n").state(), State::other_request);
  const UpgradeHead refused = head_of("HTTP/1.1 400 Bad Request\r\nUpgrade: websocket\r\n\r\n");
  EXPECT_EQ(refused.state(), State::other_response);
  EXPECT_EQ(refused.status(), 400);
  EXPECT_EQ(head_of("HTTP/1.1 101 x\r\nUpgrade: h2c\r\n\r\n").state(), State::other_response);
  EXPECT_EQ(head_of("HTTP/1.1\r\n\r\n").status(), 0);
}

TEST(WebSocketUpgrade, Extensions) {
  EXPECT_TRUE(head_of("HTTP/1.1 101 x\r\nUpgrade: websocket\r\n"
                      "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n")
                  .has_extensions());
}

TEST(WebSocketUpgrade, NotHttpGivesTheBytesBack) {
  UpgradeHead head;
  EXPECT_EQ(head.feed(bytes_of("GE")), 2U);
  EXPECT_EQ(head.feed(bytes_of("X more")), 0U);
  EXPECT_EQ(head.state(), State::not_http);
  EXPECT_EQ(head.text(), "GE");
  EXPECT_EQ(head_of("POST / HTTP/1.1\r\n").state(), State::not_http);
}

TEST(WebSocketUpgrade, IsBounded) {
  UpgradeHead head;
  const std::string text = "GET / HTTP/1.1\r\nX: " + std::string(100'000, 'y');
  EXPECT_EQ(head.feed(bytes_of(text)), UpgradeHead::longest);
  EXPECT_EQ(head.state(), State::too_long);
  UpgradeHead cut;
  cut.feed(bytes_of("GET / "));
  cut.hole();
  EXPECT_EQ(cut.state(), State::lost);
}

// Writes down what a decoder says, one word or text after another.
class Log : public websocket::MessageSink {
 public:
  std::string text;
  std::vector<Problem> problems;
  std::vector<std::uint64_t> packets;  // of each piece of payload
  std::size_t largest_piece = 0;

  void begin(const websocket::MessageStart& start, const Origin&) override {
    text += start.opcode == Opcode::text     ? "(text "
            : start.opcode == Opcode::binary ? "(binary "
                                             : "(continuation ";
  }
  void payload(Bytes bytes, const Origin& origin) override {
    text += text_of(bytes);
    packets.push_back(origin.packet);
    largest_piece = std::max(largest_piece, bytes.size());
  }
  void payload_hole(std::uint64_t bytes, HoleKind, const Origin&) override {
    text.append(bytes, '-');
  }
  void end(bool complete, const Origin&) override { text += complete ? ")" : "..."; }
  void control(const websocket::ControlFrame& frame, const Origin&) override {
    text += frame.opcode == Opcode::close  ? "[close"
            : frame.opcode == Opcode::ping ? "[ping"
                                           : "[pong";
    if (!frame.complete) text += " cut";
    if (frame.close_code) text += " " + std::to_string(*frame.close_code);
    const std::string payload = text_of(frame.payload);
    if (frame.opcode == Opcode::close) {
      if (!frame.close_reason.empty()) text += " " + std::string{frame.close_reason};
    } else if (!payload.empty()) {
      text += " " + payload;
    }
    text += "]";
  }
  void problem(Problem problem, const Origin&) override { problems.push_back(problem); }
  void lost(const Origin&) override { text += "LOST"; }
};

struct FrameOptions {
  bool final = true;
  bool masked = false;
  int length_form = 0;  // 0: the shortest; else 126 or 127
  unsigned reserved = 0;
};

std::string big_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = bytes - 1; i >= 0; --i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

std::string frame(unsigned opcode, std::string_view payload, FrameOptions options = {}) {
  std::string text;
  text += static_cast<char>((options.final ? 0x80U : 0U) | options.reserved << 4 | opcode);
  const std::string::size_type size = payload.size();
  int form = options.length_form;
  if (form == 0 && size > 125) form = size > 0xffff ? 127 : 126;
  const unsigned mask_bit = options.masked ? 0x80U : 0U;
  text += static_cast<char>(
      mask_bit | (form == 0 ? static_cast<unsigned>(size) : static_cast<unsigned>(form)));
  if (form == 126) text += big_endian(size, 2);
  if (form == 127) text += big_endian(size, 8);
  if (!options.masked) return text + std::string{payload};
  const std::string mask = "\x11\x22\x33\x44";
  text += mask;
  for (std::size_t i = 0; i < size; ++i) text += static_cast<char>(payload[i] ^ mask[i % 4]);
  return text;
}

// What the decoder says of `text`, which must not depend on how it is cut.
Log decoded(std::string_view text, bool from_client = false) {
  Log whole;
  MessageDecoder decoder(whole, from_client);
  decoder.data(bytes_of(text), {});
  for (const std::size_t step : {1U, 2U, 3U, 7U}) {
    Log cut;
    MessageDecoder again(cut, from_client);
    for (std::size_t at = 0; at < text.size(); at += step)
      again.data(bytes_of(text.substr(at, step)), {});
    EXPECT_EQ(cut.text, whole.text);
    EXPECT_EQ(cut.problems, whole.problems);
    EXPECT_EQ(again.between_messages(), decoder.between_messages());
  }
  return whole;
}

TEST(WebSocketMessages, LengthsOfEachForm) {
  for (const std::size_t size : {0U, 1U, 125U, 126U, 127U, 65'535U, 65'536U, 100'000U}) {
    for (const bool masked : {false, true}) {
      const std::string payload = letters(size);
      const Log log = decoded(frame(2, payload, {.masked = masked}), masked);
      EXPECT_TRUE(same(log.text, "(binary " + payload + ")"));
      EXPECT_TRUE(log.problems.empty());
    }
  }
}

TEST(WebSocketMessages, MaskedPayloadComesInSmallPieces) {
  Log log;
  MessageDecoder decoder(log, true);
  const std::string text = frame(2, letters(1'000'000), {.masked = true});
  decoder.data(bytes_of(text), {});
  EXPECT_LE(log.largest_piece, 16U * 1024);
}

TEST(WebSocketMessages, FragmentsWithControlFramesBetween) {
  const Log log = decoded(frame(1, "one ", {.final = false}) + frame(9, "are you there") +
                          frame(0, "two ", {.final = false}) + frame(10, "") + frame(0, "three"));
  EXPECT_EQ(log.text, "(text one [ping are you there]two [pong]three)");
  EXPECT_TRUE(log.problems.empty());
}

TEST(WebSocketMessages, CloseFrames) {
  EXPECT_EQ(decoded(frame(8, "")).text, "[close]");
  EXPECT_EQ(decoded(frame(8, "\x03\xe8")).text, "[close 1000]");
  EXPECT_EQ(decoded(frame(8, "\x03\xe9 bye", {.masked = true}), true).text, "[close 1001  bye]");
  const Log short_one = decoded(frame(8, "x"));
  EXPECT_EQ(short_one.text, "[close]");
  EXPECT_EQ(short_one.problems, std::vector{Problem::close_payload_of_one_byte});
}

TEST(WebSocketMessages, Problems) {
  const auto problems = [](const std::string& text, bool from_client = false) {
    return decoded(text, from_client).problems;
  };
  EXPECT_EQ(problems(frame(2, "x", {.reserved = 4})), std::vector{Problem::reserved_bits});
  EXPECT_EQ(problems(frame(3, "x")), std::vector{Problem::unknown_opcode});
  EXPECT_EQ(problems(frame(11, "x")), std::vector{Problem::unknown_opcode});
  EXPECT_EQ(problems(frame(2, "x"), true), std::vector{Problem::unmasked_client_frame});
  EXPECT_EQ(problems(frame(2, "x", {.masked = true})), std::vector{Problem::masked_server_frame});
  EXPECT_EQ(problems(frame(2, "x", {.length_form = 126})),
            std::vector{Problem::length_not_minimal});
  EXPECT_EQ(problems(frame(2, "x", {.length_form = 127})),
            std::vector{Problem::length_not_minimal});
  EXPECT_EQ(problems(frame(9, letters(126))), std::vector{Problem::control_frame_too_long});
  EXPECT_EQ(problems(frame(9, "x", {.final = false})),
            std::vector{Problem::fragmented_control_frame});
  EXPECT_EQ(problems(frame(0, "x")), std::vector{Problem::continuation_without_start});
}

TEST(WebSocketMessages, DecodingGoesOnBehindProblems) {
  EXPECT_EQ(decoded(frame(2, "one"), true).text, "(binary one)");
  EXPECT_EQ(decoded(frame(5, "skipped") + frame(9, letters(200)) + frame(2, "next")).text,
            "(binary next)");
  EXPECT_EQ(decoded(frame(0, "tail") + frame(2, "next")).text, "(continuation tail)(binary next)");
  const Log log = decoded(frame(1, "half", {.final = false}) + frame(2, "next"));
  EXPECT_EQ(log.text, "(text half...(binary next)");
  EXPECT_EQ(log.problems, std::vector{Problem::message_interrupted});
}

TEST(WebSocketMessages, LengthWithTheHighestBitLosesTheDirection) {
  Log log;
  MessageDecoder decoder(log, false);
  const std::string text = "\x82\x7f" + big_endian(std::uint64_t{1} << 63, 8) + "more";
  decoder.data(bytes_of(text), {});
  EXPECT_EQ(log.text, "LOST");
  EXPECT_EQ(log.problems, std::vector{Problem::length_too_large});
  EXPECT_EQ(decoder.undecoded_bytes(), 4U);
}

TEST(WebSocketMessages, HoleInsideAPayload) {
  for (std::size_t hole = 1; hole < 10; ++hole) {
    const std::string payload = letters(20);
    const std::string text =
        frame(2, payload, {.masked = true}) + frame(1, "next", {.masked = true});
    Log log;
    MessageDecoder decoder(log, true);
    decoder.data(bytes_of(text).first(6 + 5), {});
    decoder.hole(hole, HoleKind::not_captured, {});
    decoder.data(bytes_of(text).subspan(6 + 5 + hole), {});
    EXPECT_EQ(log.text, "(binary " + payload.substr(0, 5) + std::string(hole, '-') +
                            payload.substr(5 + hole) + ")(text next)");
  }
}

TEST(WebSocketMessages, HoleUpToTheEndOfAFrame) {
  const std::string text = frame(2, letters(20)) + frame(1, "next");
  Log log;
  MessageDecoder decoder(log, false);
  decoder.data(bytes_of(text).first(2 + 5), {});
  decoder.hole(15, HoleKind::snapped, {});
  decoder.data(bytes_of(text).subspan(22), {});
  EXPECT_EQ(log.text, "(binary " + letters(5) + std::string(15, '-') + ")(text next)");
}

TEST(WebSocketMessages, HoleOverAHeaderLosesTheDirection) {
  const std::string text = frame(2, letters(20), {.final = false});
  for (const std::size_t kept : {0U, 1U, 5U}) {
    Log log;
    MessageDecoder decoder(log, false);
    decoder.data(bytes_of(text).first(kept), {});
    decoder.hole(30, HoleKind::lost, {});
    decoder.hole(30, HoleKind::lost, {});
    decoder.data(bytes_of(text), {});
    EXPECT_TRUE(decoder.is_lost());
    EXPECT_EQ(log.text,
              kept < 2 ? "LOST" : "(binary " + letters(3) + std::string(17, '-') + "...LOST");
  }
}

TEST(WebSocketMessages, HoleInAControlFrame) {
  const std::string text = frame(8, "\x03\xe8 because") + frame(9, "next");
  Log log;
  MessageDecoder decoder(log, false);
  decoder.data(bytes_of(text).first(5), {});
  decoder.hole(3, HoleKind::lost, {});
  decoder.data(bytes_of(text).subspan(8), {});
  EXPECT_EQ(log.text, "[close cut][ping next]");
}

TEST(WebSocketMessages, EachPieceKeepsItsOrigin) {
  const std::string text = frame(2, letters(9), {.masked = true});
  Log log;
  MessageDecoder decoder(log, true);
  std::uint64_t packet = 0;
  for (std::size_t at = 0; at < text.size(); at += 5)
    decoder.data(bytes_of(text).subspan(at, std::min<std::size_t>(5, text.size() - at)),
                 {++packet, 0, std::nullopt});
  EXPECT_EQ(log.packets, (std::vector<std::uint64_t>{2, 3}));
}

}  // namespace
}  // namespace script
