// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What rows mean, as JSON: names, times, versions, user headers and options; and what is never
// told.
#include "report/decoded_sink.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "decode/walk.hpp"
#include "iggy/bodies/batches.hpp"
#include "iggy/bodies/permissions.hpp"
#include "iggy/bodies/streams.hpp"
#include "iggy/bodies/system.hpp"
#include "iggy/bodies/topics.hpp"
#include "iggy/bodies/users.hpp"
#include "iggy/login.hpp"
#include "support/encoder.hpp"

namespace analyzer::report {
namespace {

using iggy::describe::Field;
using iggy::describe::Layout;
using Json = nlohmann::ordered_json;
using support::Buffer;

std::string told(const Layout& layout, const Buffer& body, Shown shows = {}) {
  JsonWriter json;
  json.begin_object();
  DecodedSink sink(json, "body", shows);
  iggy::decode::Walk walk(iggy::decode::whole(body), sink);
  walk.read(layout);
  sink.finish();
  json.end_object();
  EXPECT_TRUE(Json::accept(json.json())) << json.json();
  return json.take();
}

std::string hex(std::string_view text) {
  return support::hex_of(std::as_bytes(std::span(text)));
}

Json pair(std::string_view key, int kind, const std::string& value) {
  return {{"key_kind", 2}, {"key", hex(key)}, {"value_kind", kind}, {"value", value}};
}

std::string told_of_options(const Json& options, Shown shows = {}) {
  return told(iggy::bodies::options_block,
              support::Encoder::encode(iggy::bodies::options_block, {{"pairs", options}}), shows);
}

constexpr iggy::describe::Name colours[] = {{1, "red"}, {2, "green"}};
constexpr auto meaning_rows = std::to_array<Field>({
    iggy::describe::u8("colour", "m").named(colours),
    iggy::describe::u64("when", "m").shown_as(iggy::describe::Shape::microseconds),
    iggy::describe::u32("version", "m").shown_as(iggy::describe::Shape::version),
    iggy::describe::u8("count", "m").counts(),
    iggy::describe::u8("colours", "m").counted().named(colours),
});
constexpr Layout meanings{"meanings", "Meanings", meaning_rows};

TEST(DecodedSink, NamesTimesAndVersions) {
  const Json values{
      {"colour", 2}, {"when", "1764448327123456"}, {"version", 11264}, {"colours", {1, 9, 2}}};
  EXPECT_EQ(told(meanings, support::Encoder::encode(meanings, values)),
            R"({"body":{"colour":"green","when":"2025-11-29T20:32:07.123456Z",)"
            R"("version":"0.11.0","colours":{"0":"red","2":"green"}}})");
}

// A flag that is read as yes unless it is 0, and one that only 1 sets.
TEST(DecodedSink, FlagsThatAreNeitherZeroNorOne) {
  Buffer global(11, std::byte{2});
  global[10] = std::byte{0};
  const std::string told_global = told(iggy::bodies::permissions, global);
  EXPECT_NE(told_global.find(R"("read_streams":"true")"), std::string::npos) << told_global;
  EXPECT_NE(told_global.find(R"("has_streams":"absent")"), std::string::npos) << told_global;
  const auto first_of = [](const Layout& layout, std::uint8_t flag) {
    Buffer body(5);
    body[0] = std::byte{flag};
    return told(layout, body);
  };
  static constexpr auto asked = std::to_array<Field>({iggy::bodies::asked_permissions_rows[0]});
  static constexpr Layout asks{"asks", "Asks", asked};
  static constexpr auto answered = std::to_array<Field>({iggy::bodies::told_permissions_rows[0]});
  static constexpr Layout answers{"answers", "Answers", answered};
  EXPECT_EQ(first_of(asks, 1), R"({"body":{"has_permissions":"present"}})");
  EXPECT_EQ(first_of(asks, 2), R"({"body":{"has_permissions":"absent"}})");
  EXPECT_EQ(first_of(answers, 2), R"({"body":{"has_permissions":"present"}})");
  EXPECT_EQ(first_of(iggy::bodies::optional_partition_id, 7), R"({"body":{"flag":"absent"}})");
}

TEST(DecodedSink, SaysNothingWhereNothingIsMeant) {
  const Json values{{"colour", 3}, {"when", "0"}, {"version", 0}, {"colours", {7}}};
  EXPECT_EQ(told(meanings, support::Encoder::encode(meanings, values)), "{}");
  EXPECT_EQ(told_of_options(Json::array()), "{}");
}

TEST(DecodedSink, OptionsWithTheirUnits) {
  EXPECT_EQ(
      told_of_options(
          {pair("segment_size", 12, "0000004000000000"),
           pair("message_expiry", 12, "ffffffffffffffff"), pair("preallocate_segments", 3, "01"),
           pair("messages_required_to_save", 11, "00040000"),
           pair("durability", 2, hex("persisted")), pair("of_another_time", 200, "ab")}),
      R"({"body":{"pairs":[)"
      R"({"key":"segment_size","value":"1073741824","kind":"uint64","unit":"bytes"},)"
      R"({"key":"message_expiry","value":"18446744073709551615","kind":"uint64",)"
      R"("means":"never"},)"
      R"({"key":"preallocate_segments","value":true,"kind":"bool"},)"
      R"({"key":"messages_required_to_save","value":1024,"kind":"uint32"},)"
      R"({"key":"durability","value":"persisted","kind":"string"},)"
      R"({"key":"of_another_time","value":"ab","kind":200}]}})");
}

TEST(DecodedSink, ValuesThatDoNotFitTheirKind) {
  EXPECT_EQ(told_of_options({pair("segment_size", 12, "00"), pair("name", 2, "ff")}),
            R"({"body":{"pairs":[{"key":"segment_size","value":"00","kind":"uint64","fits":false},)"
            R"({"key":"name","value":"ff","kind":"string","fits":false}]}})");
}

TEST(DecodedSink, RealNumbersStayJson) {
  EXPECT_EQ(told_of_options({pair("a", 14, "0000c03f"), pair("b", 15, "000000000000f07f"),
                             pair("c", 4, "ff"), pair("d", 7, "ffffffffffffffff")}),
            R"({"body":{"pairs":[{"key":"a","value":1.5,"kind":"float32"},)"
            R"({"key":"b","value":"Infinity","kind":"float64"},)"
            R"({"key":"c","value":-1,"kind":"int8"},)"
            R"({"key":"d","value":"-1","kind":"int64"}]}})");
}

TEST(DecodedSink, SecretsAreMasked) {
  const Json options{pair("name", 2, hex("vault")),
                     pair("encryption_key", 1, hex("top-secret-key")),
                     pair("encryption_key_source", 2, hex("stream"))};
  const std::string safe = told_of_options(options);
  EXPECT_EQ(safe, R"({"body":{"pairs":[{"key":"name","value":"vault","kind":"string"},)"
                  R"({"key":"encryption_key","value":"***","kind":"raw"},)"
                  R"({"key":"encryption_key_source","value":"stream","kind":"string"}]}})");
  EXPECT_EQ(told_of_options(options, {.payload = true}), safe);
  EXPECT_NE(told_of_options(options, {.secrets = true}).find(hex("top-secret-key")),
            std::string::npos);
}

// Every prefix of a body is JSON without the secret, wherever the capture ends.
TEST(DecodedSink, SecretsAreMaskedInEveryPrefix) {
  const Buffer body = support::Encoder::encode(
      iggy::bodies::stream_create,
      {{"name", {{"value", "vault"}}},
       {"options", {pair("encryption_key", 2, hex("top-secret-key")), pair("x", 2, hex("y"))}}});
  for (std::size_t size = 0; size <= body.size(); ++size) {
    const Buffer piece(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(size));
    const std::string safe = told(iggy::bodies::stream_create, piece);
    EXPECT_EQ(safe.find("top-secret-key"), std::string::npos) << safe;
    EXPECT_EQ(safe.find(hex("top-secret-key")), std::string::npos) << safe;
  }
}

std::string told_of_message(const std::string& headers) {
  const Json message{{"payload", hex("a-payload")}, {"user_headers", headers}};
  return told(iggy::bodies::batch,
              support::Encoder::encode(
                  iggy::bodies::batch,
                  {{"message_count", 3}, {"messages", {Json::object(), message, Json::object()}}}));
}

TEST(DecodedSink, UserHeadersOfMessages) {
  EXPECT_EQ(told_of_message("02010000006b"
                            "0c080000000500000000000000"),
            R"({"body":{"messages":{"1":{"user_headers":[)"
            R"({"key":"k","value":"5","kind":"uint64"}]}}}})");
  // A key of another kind, and no meaning of an option's key.
  EXPECT_EQ(told_of_message("06040000002a000000"
                            "c8020000006f70"),
            R"({"body":{"messages":{"1":{"user_headers":[)"
            R"({"key":42,"key_kind":"int32","value":"6f70","kind":200}]}}}})");
  EXPECT_EQ(told_of_message("020c000000" + hex("segment_size") + "0c080000000500000000000000"),
            R"({"body":{"messages":{"1":{"user_headers":[)"
            R"({"key":"segment_size","value":"5","kind":"uint64"}]}}}})");
}

TEST(DecodedSink, IdsThatAreUuids) {
  const auto of_id = [](const std::string& id) {
    return told(iggy::bodies::message_frame,
                support::Encoder::encode(iggy::bodies::message_frame, {{"id", id}}));
  };
  EXPECT_EQ(of_id("9"), "{}");
  EXPECT_EQ(of_id("340193404210632335760499358505080328448"),
            R"({"body":{"id":"00112233-4455-4677-8899-aabbccddeeff"}})");
}

TEST(DecodedSink, CiphertextIsNoUserHeaders) {
  EXPECT_EQ(told_of_message("02010000006b0c0800000005000000000000"), "{}");
  EXPECT_EQ(told_of_message("00112233445566778899aabbccddeeff"), "{}");
}

TEST(DecodedSink, DefaultsOfOptions) {
  const Json entry{{"key", {{"value", "segment_size"}}},
                   {"kind", 12},
                   {"default_value", "0000004000000000"},
                   {"description", "d"}};
  EXPECT_EQ(
      told(iggy::bodies::options_describe_reply,
           support::Encoder::encode(iggy::bodies::options_describe_reply, {{"entries", {entry}}})),
      R"({"body":{"entries":{"0":{"kind":"uint64",)"
      R"("default_value":{"value":"1073741824","kind":"uint64"}}}}})");
}

}  // namespace
}  // namespace analyzer::report
