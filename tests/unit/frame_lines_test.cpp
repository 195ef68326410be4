// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Lines of frames: their order, what is filled in later, and the bounds of a stream.
#include "report/frame_lines.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "iggy/registry.hpp"
#include "support/batches.hpp"
#include "support/encoder.hpp"
#include "support/iggy_frames.hpp"
#include "support/iggy_scene.hpp"

namespace support {
namespace {

using analyzer::report::FrameLines;
using analyzer::report::LineOptions;
using Json = nlohmann::ordered_json;

class Lines {
 public:
  explicit Lines(LineOptions options)
      : lines_(std::move(options), [this](std::string_view line) {
          EXPECT_TRUE(line.ends_with('\n'));
          line.remove_suffix(1);
          EXPECT_EQ(line.find('\n'), std::string_view::npos);
          texts.emplace_back(line);
          return is_read;
        }) {
    lines_.start_at(scene.now());
  }
  void finish() { scene.finish(); }
  Json json(std::size_t i) const { return Json::parse(texts.at(i)); }
  FrameLines& lines() { return lines_; }

  std::vector<std::string> texts;
  bool is_read = true;

 private:
  FrameLines lines_;

 public:
  Scene scene{lines_};
};

LineOptions json_lines() {
  LineOptions options;
  options.json = true;
  return options;
}
LineOptions stream_lines() {
  LineOptions options = json_lines();
  options.is_stream = true;
  return options;
}

TEST(FrameLines, RequestGetsItsOutcomeAndAnswerItsRequest) {
  Lines lines(json_lines());
  Talk talk(lines.scene);
  const auto asked = talk.client(ping(1));
  lines.scene.wait(7 * Scene::millisecond);
  const auto answered = talk.server(pong(1));
  lines.finish();
  ASSERT_EQ(lines.texts.size(), 2U);
  const Json request = lines.json(0);
  EXPECT_EQ(request["packet"], asked);
  EXPECT_EQ(request["command"], "Request");
  EXPECT_EQ(request["name"], "ping");
  EXPECT_EQ(request["from"], "client");
  EXPECT_EQ(request["client"], "10.0.0.1:50000");
  EXPECT_EQ(request["outcome"], "ok");
  EXPECT_EQ(request["answer_packet"], answered);
  EXPECT_EQ(request["latency_us"], 8'000);
  EXPECT_EQ(request["header"]["request"], "1");
  const Json answer = lines.json(1);
  EXPECT_EQ(answer["request_packet"], asked);
  EXPECT_EQ(answer["from"], "server");
  EXPECT_FALSE(answer.contains("outcome"));
}

TEST(FrameLines, OrderIsThatOfTheLastPacket) {
  Lines lines(json_lines());
  Talk talk(lines.scene);
  const Buffer big = request({.operation = 160, .number = 1, .body = counting_bytes(400)});
  talk.client(Buffer(big.begin(), big.begin() + 300));
  talk.server(eviction({.reason = 13}));
  talk.client(Buffer(big.begin() + 300, big.end()));
  lines.finish();
  ASSERT_EQ(lines.texts.size(), 2U);
  EXPECT_EQ(lines.json(0)["command"], "Eviction");
  EXPECT_EQ(lines.json(1)["command"], "Request");
  EXPECT_LT(lines.json(1)["first_packet"], lines.json(0)["packet"]);
}

TEST(FrameLines, StalledDirectionIsSortedIn) {
  Lines lines(json_lines());
  Talk talk(lines.scene);
  talk.client(ping(1));
  talk.lose_client(256);
  talk.client(ping(3));
  talk.server(pong(1));
  talk.server(pong(3));
  lines.scene.wait(4 * Scene::second);
  talk.close();
  lines.finish();
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < lines.texts.size(); ++i) {
    EXPECT_GT(lines.json(i)["packet"], last);
    last = lines.json(i)["packet"];
  }
  EXPECT_EQ(lines.texts.size(), 4U);
}

TEST(FrameLines, OutcomesAtTheEnd) {
  Lines lines(json_lines());
  Talk talk(lines.scene);
  talk.client(login(password_body()));
  talk.server(login_reply());
  talk.client(request({.operation = 160, .number = 1}));
  talk.client(read(100, 2));
  talk.client(ping(3));
  talk.server(pong(3));
  lines.finish();
  EXPECT_EQ(lines.json(2)["outcome"], "pending");
  EXPECT_EQ(lines.json(3)["outcome"], "unanswered");
  EXPECT_EQ(lines.json(4)["outcome"], "ok");
  EXPECT_FALSE(lines.json(2).contains("answer_packet"));
}

TEST(FrameLines, SecretsAreMaskedUnlessAsked) {
  for (const bool show : {false, true}) {
    LineOptions options = json_lines();
    options.show_secrets = show;
    Lines lines(options);
    Talk talk(lines.scene);
    talk.client(login(password_body()));
    talk.client(login(token_body(), second_client));
    lines.finish();
    for (const std::string& text : lines.texts) {
      const bool shows =
          text.find("a-password") != std::string::npos || text.find("a-token") != std::string::npos;
      EXPECT_EQ(shows, show) << text;
    }
  }
}

TEST(FrameLines, TextLinesShowNoSecret) {
  Lines lines({});
  Talk talk(lines.scene);
  talk.client(login(password_body()));
  talk.server(login_reply());
  talk.client(login(token_body()));
  lines.finish();
  ASSERT_EQ(lines.texts.size(), 3U);
  EXPECT_NE(lines.texts[0].find("\"iggy\" rust-sdk 0.11.0"), std::string::npos);
  EXPECT_NE(lines.texts[1].find("session 5"), std::string::npos);
  for (const std::string& text : lines.texts) {
    EXPECT_EQ(text.find("a-password"), std::string::npos);
    EXPECT_EQ(text.find("a-token"), std::string::npos);
  }
}

TEST(FrameLines, PayloadOnlyWhenAsked) {
  for (const bool show : {false, true}) {
    LineOptions options = json_lines();
    options.show_payload = show;
    Lines lines(options);
    Talk talk(lines.scene);
    const auto body = nlohmann::ordered_json::parse(
        R"({"metadata": {"stream_id": {"kind": 1}, "topic_id": {"kind": 1},
                         "partitioning": {"kind": 1}},
            "batch": {"messages": [{"payload": "dead"}]}})");
    const auto* const bodies = iggy::find_bodies(iggy::Generation::v0_11, 101);
    talk.client(request(
        {.operation = 160, .body = support::Encoder::encode(*bodies->request.layout, body)}));
    lines.finish();
    EXPECT_EQ(lines.texts[0].find("dead") != std::string::npos, show);
  }
}

TEST(FrameLines, PayloadOnlyAsFarAsAskedFor) {
  LineOptions options = json_lines();
  options.show_payload = true;
  options.show_secrets = true;  // which a body that nobody knows may hold
  options.max_payload = 3;
  Lines lines(options);
  Talk talk(lines.scene);
  talk.client(request({.operation = 160,
                       .body = support::send_body(support::batch_bytes(
                           {.messages = {{.payload = "abcdef"}, {.payload = "xy"}}}))}));
  talk.client(request({.code = 999, .number = 2, .body = support::bytes_of("unknown")}));
  lines.finish();
  const auto shown = nlohmann::json::parse(lines.texts.at(0));
  const auto& messages = shown["body"]["batch"]["messages"];
  EXPECT_EQ(messages[0]["payload"], "616263");
  EXPECT_EQ(messages[0]["payload_length"], 6);
  EXPECT_EQ(messages[1]["payload"], "7879");
  EXPECT_EQ(nlohmann::json::parse(lines.texts.at(1))["body_bytes"], "756e6b");
}

TEST(FrameLines, Limit) {
  LineOptions options = json_lines();
  options.limit = 2;
  Lines lines(options);
  Talk talk(lines.scene);
  for (std::uint64_t i = 1; i <= 5; ++i) talk.client(ping(i));
  EXPECT_FALSE(lines.lines().is_done());
  lines.finish();
  EXPECT_EQ(lines.texts.size(), 2U);
  EXPECT_TRUE(lines.lines().is_done());
}

TEST(FrameLines, StopsWhenNobodyReads) {
  Lines lines(stream_lines());
  lines.is_read = false;
  Talk talk(lines.scene);
  talk.server(pong(1));
  talk.server(pong(2));
  lines.finish();
  EXPECT_EQ(lines.texts.size(), 1U);
  EXPECT_TRUE(lines.lines().is_done());
}

TEST(FrameLines, FieldsAsText) {
  LineOptions options;
  options.fields = {"packet", "name", "header.request", "outcome", "nothing"};
  Lines lines(options);
  Talk talk(lines.scene);
  talk.client(ping(8));
  talk.server(pong(8));
  lines.finish();
  EXPECT_EQ(lines.texts.at(0), "4\tping\t8\tok\t");
}

TEST(FrameLines, FieldsAsJson) {
  LineOptions options = json_lines();
  options.fields = {"header.request", "name", "nothing"};
  Lines lines(options);
  Talk talk(lines.scene);
  talk.client(ping(8));
  lines.finish();
  EXPECT_EQ(lines.texts.at(0), R"({"header.request":"8","name":"ping"})");
}

TEST(FrameLines, StreamWritesAsSoonAsItIsFinal) {
  Lines lines(stream_lines());
  Talk talk(lines.scene);
  talk.client(ping(1));
  EXPECT_TRUE(lines.texts.empty());
  talk.server(pong(1));
  EXPECT_EQ(lines.texts.size(), 2U);
}

TEST(FrameLines, StreamWaitsThirtySeconds) {
  Lines lines(stream_lines());
  Talk talk(lines.scene);
  talk.client(read(100, 1));
  lines.scene.wait(29 * Scene::second);
  talk.client(ping(2));
  EXPECT_TRUE(lines.texts.empty());
  lines.scene.wait(2 * Scene::second);
  talk.client(ping(3));
  ASSERT_EQ(lines.texts.size(), 1U);
  EXPECT_EQ(lines.json(0)["outcome"], "unanswered");
  lines.finish();
  EXPECT_EQ(lines.texts.size(), 3U);
}

TEST(FrameLines, FileWaitsForever) {
  Lines lines(json_lines());
  Talk talk(lines.scene);
  talk.client(read(100, 1));
  lines.scene.wait(300 * Scene::second);
  const auto answered = talk.server(reply({.number = 1}));
  lines.finish();
  EXPECT_EQ(lines.json(0)["answer_packet"], answered);
}

}  // namespace
}  // namespace support
