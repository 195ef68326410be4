// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Bodies as JSON: kinds and formats, secrets masked, lists and groups in their places.
#include "report/json_sink.hpp"

#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>
#include <span>

#include "decode/walk.hpp"
#include "iggy/bodies/encodings.hpp"
#include "iggy/login.hpp"
#include "iggy/v0_12/bodies/system.hpp"
#include "support/encoder.hpp"
#include "support/iggy_frames.hpp"

namespace analyzer::report {
namespace {

using iggy::decode::Problem;
using iggy::decode::Walk;
using iggy::describe::Field;
using iggy::describe::Layout;
using Json = nlohmann::ordered_json;
using support::Buffer;

std::string told(const Layout& layout, const Buffer& body, bool show_secrets = false,
                 std::vector<Problem>* problems = nullptr) {
  JsonWriter json;
  std::vector<Problem> found;
  JsonSink sink(json, found, {.secrets = show_secrets});
  json.begin_object();
  Walk walk(iggy::decode::whole(body), sink);
  walk.read(layout);
  sink.finish();
  json.end_object();
  if (problems != nullptr) *problems = found;
  EXPECT_TRUE(Json::accept(json.json())) << json.json();
  return json.take();
}

constexpr auto kind_rows = std::to_array<Field>({
    iggy::describe::u8("one", "m"),
    iggy::describe::u16("two", "m"),
    iggy::describe::u32("four", "m"),
    iggy::describe::u64("eight", "m"),
    iggy::describe::u128("sixteen", "m"),
    iggy::describe::bytes(2, "opaque", "m"),
    iggy::describe::u8("length", "m").counts(),
    iggy::describe::text("text", "m"),
    iggy::describe::rest("rest", "m"),
});
constexpr Layout kinds{"kinds", "Kinds", kind_rows};

TEST(JsonSink, FormatsByType) {
  const Buffer body = support::little()
                          .u8(200)
                          .u8(1)
                          .u8(2)
                          .u32(70'000)
                          .u64(5)
                          .u64(1)
                          .u64(1)
                          .bytes(support::bytes_of({0xab, 0}))
                          .bytes(support::short_text("h\"i"))
                          .u8(9)
                          .buffer();
  EXPECT_EQ(told(kinds, body),
            R"({"one":200,"two":513,"four":70000,"eight":"5","sixteen":"18446744073709551617",)"
            R"("opaque":"ab00","length":3,"text":"h\"i","rest":"09"})");
}

TEST(JsonSink, SecretsAreMasked) {
  const Buffer body = support::password_body(
      {.version = iggy::version_0_12_0, .password = "very-secret", .secret = true});
  const std::string safe = told(iggy::login::login_register_with_secret, body);
  const Json parsed = Json::parse(safe);
  EXPECT_EQ(parsed["password"], "***");
  EXPECT_EQ(parsed["bind_secret"], "***");
  EXPECT_EQ(parsed["username"]["value"], "iggy");
  EXPECT_EQ(safe.find("very-secret"), std::string::npos);
  const Json shown = Json::parse(told(iggy::login::login_register_with_secret, body, true));
  EXPECT_EQ(shown["password"], "very-secret");
  EXPECT_EQ(shown["bind_secret"].get<std::string>().size(), 64U);
}

TEST(JsonSink, DefaultsOfSecretOptionsAreMasked) {
  const auto told_default = [](unsigned flags, bool show_secrets) {
    const Json entry{{"key", {{"value", "encryption_key"}}},
                     {"kind", 1},
                     {"flags", flags},
                     {"default_value", "00112233"},
                     {"description", "d"}};
    const iggy::describe::Layout& layout = iggy::v0_12::options_describe_reply;
    const Buffer body = support::Encoder::encode(layout, {{"entries", {entry}}});
    return Json::parse(told(layout, body, show_secrets))["entries"][0]["default_value"];
  };
  EXPECT_EQ(told_default(4, false), "***");
  EXPECT_EQ(told_default(20, false), "***");
  EXPECT_EQ(told_default(20, true), "00112233");
  EXPECT_EQ(told_default(16, false), "00112233");
}

TEST(JsonSink, SecretNumbersAreMaskedToo) {
  static constexpr auto rows = std::to_array<Field>({
      iggy::describe::u32("pin", "m").secret(),
      iggy::describe::u128("key", "m").secret(),
  });
  static constexpr Layout layout{"pins", "Pins", rows};
  EXPECT_EQ(told(layout, Buffer(20)), R"({"pin":"***","key":"***"})");
}

// What holds messages and secrets alike is shown to who asks for both, and of it the front.
TEST(JsonSink, SecretPayloadNeedsBothFlags) {
  static constexpr auto rows =
      std::to_array<Field>({iggy::describe::rest("all", "m").secret_payload()});
  static constexpr Layout layout{"archive", "Archive", rows};
  const Buffer body(5, std::byte{7});
  const auto shown = [&body](Shown shows) {
    JsonWriter json;
    std::vector<Problem> found;
    JsonSink sink(json, found, shows);
    json.begin_object();
    Walk(iggy::decode::whole(body), sink).read(layout);
    sink.finish();
    json.end_object();
    return json.take();
  };
  EXPECT_EQ(shown({}), R"({"all":"***"})");
  EXPECT_EQ(shown({.secrets = true}), R"({"all":"***"})");
  EXPECT_EQ(shown({.payload = true}), R"({"all":"***"})");
  EXPECT_EQ(shown({.secrets = true, .payload = true}), R"({"all":"0707070707"})");
  EXPECT_EQ(shown({.secrets = true, .payload = true, .max_payload = 2}), R"({"all":"0707"})");
}

TEST(JsonSink, Lists) {
  const Layout& layout = iggy::login::rejection;
  EXPECT_EQ(told(layout, support::success()), R"({"result":{"count":0,"entries":[]}})");
  EXPECT_EQ(told(layout, support::rejection(7)),
            R"({"result":{"count":1,"entries":[{"index":0,"result":7}]}})");
  const Buffer two = support::little().u32(2).u32(0).u32(7).u32(1).u32(8).buffer();
  EXPECT_EQ(told(layout, two),
            R"({"result":{"count":2,"entries":[{"index":0,"result":7},{"index":1,"result":8}]}})");
}

TEST(JsonSink, RowsBehindAList) {
  static constexpr auto element_rows = std::to_array<Field>({iggy::describe::u8("value", "m")});
  static constexpr Layout element{"element", "Element", element_rows};
  static constexpr auto rows = std::to_array<Field>({
      iggy::describe::u8("count", "m").counts(),
      iggy::describe::repeat("first", element, "m"),
      iggy::describe::u8("second_count", "m").counts(),
      iggy::describe::repeat("second", element, "m"),
      iggy::describe::u8("last", "m"),
  });
  static constexpr Layout layout{"lists", "Lists", rows};
  EXPECT_EQ(told(layout, support::bytes_of({1, 5, 0, 9})),
            R"({"count":1,"first":[{"value":5}],"second_count":0,"second":[],"last":9})");
}

TEST(JsonSink, ListsOfNumbersAndFloats) {
  static constexpr auto rows = std::to_array<Field>({
      iggy::describe::u8("count", "m").counts(),
      iggy::describe::u16("numbers", "m").counted(),
      iggy::describe::f32("ratio", "m"),
      iggy::describe::u8("rest", "m").to_end(),
  });
  static constexpr Layout layout{"numbers", "Numbers", rows};
  EXPECT_EQ(told(layout, support::bytes_of({2, 1, 0, 2, 0, 0, 0, 0xc0, 0x3f, 9})),
            R"({"count":2,"numbers":[1,2],"ratio":1.5,"rest":[9]})");
  EXPECT_EQ(told(layout, support::bytes_of({0, 0, 0, 0xc0, 0x7f})),
            R"({"count":0,"numbers":[],"ratio":"NaN","rest":[]})");
  EXPECT_EQ(told(layout, support::bytes_of({0, 0xff, 0xff, 0x7f, 0xff})),
            R"({"count":0,"numbers":[],"ratio":-3.4028235e+38,"rest":[]})");
}

// Payloads come out for who asks for them, and leave no key for others.
TEST(JsonSink, PayloadsOnlyWhenAsked) {
  static constexpr auto rows = std::to_array<Field>({
      iggy::describe::u8("length", "m").counts(),
      iggy::describe::data("payload", "m").payload(),
  });
  static constexpr Layout layout{"message", "Message", rows};
  const Buffer body = support::bytes_of({2, 0xde, 0xad});
  EXPECT_EQ(told(layout, body), R"({"length":2})");
  JsonWriter json;
  std::vector<Problem> problems;
  JsonSink sink(json, problems, {.payload = true});
  json.begin_object();
  Walk(iggy::decode::whole(body), sink).read(layout);
  json.end_object();
  EXPECT_EQ(json.json(), R"({"length":2,"payload":"dead"})");
}

// A body that ends anywhere still gives whole JSON, with what there is and a problem.
TEST(JsonSink, CutAnywhere) {
  const Buffer two = support::little().u32(2).u32(0).u32(7).u32(1).u32(8).buffer();
  for (const Buffer& body : {two, support::login_reply_body(), support::rejection(9)}) {
    for (std::size_t size = 0; size < body.size(); ++size) {
      std::vector<Problem> problems;
      const Buffer piece(support::cut(body, size));
      told(size % 2 == 0 ? iggy::login::rejection : iggy::login::register_reply, piece, false,
           &problems);
      if (size < 4) {
        EXPECT_FALSE(problems.empty()) << size;
      }
    }
  }
}

// The key of an option says whether its value is a secret; user headers have no such keys.
TEST(JsonSink, ValuesOfSecretOptionsAreMasked) {
  const auto hex = [](std::string_view text) {
    return support::hex_of(std::as_bytes(std::span(text)));
  };
  const Json secret{{"key_kind", 2},
                    {"key", hex("encryption_key")},
                    {"value_kind", 1},
                    {"value", hex("top-secret-key")}};
  const Json open{{"key_kind", 2}, {"key", hex("name")}, {"value_kind", 2}, {"value", hex("a")}};
  const Layout& options = iggy::bodies::options_block;
  const Buffer body = support::Encoder::encode(options, {{"pairs", {secret, open}}});
  const Json safe = Json::parse(told(options, body));
  EXPECT_EQ(safe["pairs"][0]["key"], hex("encryption_key"));
  EXPECT_EQ(safe["pairs"][0]["value"], "***");
  EXPECT_EQ(safe["pairs"][1]["value"], hex("a"));
  EXPECT_EQ(Json::parse(told(options, body, true))["pairs"][0]["value"], hex("top-secret-key"));
  EXPECT_EQ(Json::parse(told(iggy::bodies::user_headers, body))["pairs"][0]["value"],
            hex("top-secret-key"));
}

}  // namespace
}  // namespace analyzer::report
