// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// A message as a line and as an object: payloads in each form, ids, headers, and what is unknown.
#include "report/message_text.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "describe/proofs.hpp"
#include "iggy/bodies/batches.hpp"
#include "iggy/older/messages.hpp"
#include "support/packet_builder.hpp"

namespace analyzer::report {
namespace {

using Json = nlohmann::json;

MessageRow row_with(std::string payload) {
  MessageRow row;
  row.packet = 7;
  row.client = support::ipv4_endpoint(10, 0, 0, 1, 50'000);
  row.server = support::ipv4_endpoint(10, 0, 0, 2, 8090);
  row.payload_size = static_cast<std::uint32_t>(payload.size());
  row.payload = std::move(payload);
  return row;
}

Json json_of(const MessageRow& row, const MessageOptions& options = {}) {
  const std::string line = to_json(row, {}, options);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  return Json::parse(line);
}

TEST(MessageText, UnknownIsNull) {
  const Json json = json_of(row_with("x"));
  for (const char* key :
       {"stream", "topic", "partition", "offset", "origin_timestamp", "append_timestamp",
        "partitioning", "key", "uuid", "outcome", "duplicate_of", "duplicate_by", "file"})
    EXPECT_TRUE(json.at(key).is_null()) << key;
  EXPECT_EQ(json["id"], "0");
  EXPECT_NE(to_text(row_with("x"), {}, {}, 0).find("?/?[?] offset ?"), std::string::npos);
}

TEST(MessageText, FormOfAPayloadIsFoundOrChosen) {
  const auto format = [](const std::string& payload, PayloadFormat wanted) {
    MessageOptions options;
    options.payload = wanted;
    return json_of(row_with(payload), options)["payload_format"];
  };
  using enum PayloadFormat;
  EXPECT_EQ(format("plain", automatic), "text");
  EXPECT_EQ(format("two\nlines", automatic), "text");
  EXPECT_EQ(format("{\"a\": 1}", automatic), "json");
  EXPECT_EQ(format("12", automatic), "text");
  EXPECT_EQ(format("12", json), "json");
  EXPECT_EQ(format("{no", json), "text");
  EXPECT_EQ(format("\x01\xff", automatic), "hex");
  EXPECT_EQ(format("\x01\xff", json), "hex");
  EXPECT_EQ(format("\x01\xff", text), "text");
  EXPECT_EQ(format("plain", hex), "hex");
  EXPECT_EQ(format("", automatic), "text");
}

// Keys were texts alone before they had kinds; the messages of today cannot have such.
TEST(MessageText, UserHeadersOfOlderMessages) {
  const std::string_view bytes{
      "\5\0\0\0trace\2\5\0\0\0value"
      "\1\0\0\0n\x0b\4\0\0\0\7\0\0\0",
      33};
  MessageRow row = row_with("x");
  row.user_headers = bytes;
  row.user_headers_size = static_cast<std::uint32_t>(bytes.size());
  static constexpr const auto* loose = &row_of(iggy::older::loose_message, "headers");
  static constexpr const auto* today = &row_of(iggy::bodies::message_frame, "user_headers");
  row.headers_row = loose;
  const Json json = json_of(row);
  EXPECT_EQ(json["user_headers_are_read"], true);
  EXPECT_EQ(
      json["user_headers"].dump(),
      R"([{"key":"trace","kind":"string","value":"value"},{"key":"n","kind":"uint32","value":7}])");
  EXPECT_NE(to_text(row, {}, {}, 0).find("{trace=value, n=7}"), std::string::npos);
  row.headers_row = today;
  EXPECT_EQ(json_of(row)["user_headers_are_read"], false);
  EXPECT_EQ(json_of(row)["user_headers"].size(), 0U);
}

TEST(MessageText, JsonIsAValueAndNotAText) {
  const Json json = json_of(row_with("{ \"a\":\n[1, \"two\"] }"));
  EXPECT_EQ(json["payload"]["a"][1], "two");
}

TEST(MessageText, LongPayloadsAreCut) {
  MessageOptions options;
  options.max_payload = 5;
  Json json = json_of(row_with("{\"a\":1}"), options);
  EXPECT_EQ(json["payload"], "{\"a\":");
  EXPECT_EQ(json["payload_is_cut"], true);
  EXPECT_EQ(json["payload_size"], 7);
  // Not inside a character.
  json = json_of(row_with("abcd\xc3\xa9xyz"), options);
  EXPECT_EQ(json["payload"], "abcd");
  EXPECT_EQ(json["payload_format"], "text");
  options.max_payload = 0;
  EXPECT_TRUE(json_of(row_with("abc"), options)["payload"].is_null());
  EXPECT_EQ(to_text(row_with("abc"), {}, options, 0).find("abc"), std::string::npos);
}

TEST(MessageText, NothingOfAPayloadReachesATerminal) {
  MessageOptions options;
  options.payload = PayloadFormat::text;
  const std::string line = to_text(row_with("\x1b[31m\r\n\xff"), {}, options, 0);
  EXPECT_NE(line.find("\\x1b[31m\\x0d\\x0a\\xff"), std::string::npos);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
}

TEST(MessageText, Uuids) {
  MessageRow row = row_with("x");
  row.id = {0x7746554433221100, 0xffeeddccbbaa9988};
  const std::string uuid = "00112233-4455-4677-8899-aabbccddeeff";
  EXPECT_EQ(json_of(row)["uuid"], uuid);
  EXPECT_NE(to_text(row, {}, {}, 0).find("id " + uuid), std::string::npos);
  row.id = {258, 0};
  EXPECT_NE(to_text(row, {}, {}, 0).find("id 258"), std::string::npos);
}

TEST(MessageText, UserHeaders) {
  MessageRow row = row_with("x");
  // "trace": int32 42
  const std::string bytes("\x02\x05\x00\x00\x00trace\x06\x04\x00\x00\x00\x2a\x00\x00\x00", 19);
  row.user_headers = bytes;
  row.user_headers_size = 19;
  Json json = json_of(row);
  EXPECT_EQ(json["user_headers"][0]["key"], "trace");
  EXPECT_EQ(json["user_headers"][0]["value"], 42);
  EXPECT_EQ(json["user_headers_are_read"], true);
  EXPECT_NE(to_text(row, {}, {}, 0).find("{trace=42}"), std::string::npos);
  row.user_headers.back() = '\x01';
  row.user_headers[5 + 5] = '\x00';  // no kind
  json = json_of(row);
  EXPECT_EQ(json["user_headers"], Json::array());
  EXPECT_EQ(json["user_headers_are_read"], false);
  EXPECT_NE(to_text(row, {}, {}, 0).find("19 bytes of user headers"), std::string::npos);
}

TEST(MessageText, Place) {
  MessageRow row = row_with("x");
  auto place = std::make_shared<MessagePlace>();
  place->stream = Identifier{false,
                             "or\x1b"
                             "ders"};
  place->topic = Identifier{true, "2"};
  place->partitioning = std::uint8_t{3};
  place->key = "k1";
  row.place = place;
  row.partition = 4;
  row.offset = 0xffffffffffffffff;
  const Json json = json_of(row);
  EXPECT_EQ(json["topic"], 2);
  EXPECT_EQ(json["partition"], 4);
  EXPECT_EQ(json["offset"], "18446744073709551615");
  EXPECT_EQ(json["key"], "6b31");
  const std::string line = to_text(row, {}, {}, 0);
  EXPECT_NE(line.find("\"or\\x1bders\"/2[4] offset 18446744073709551615"), std::string::npos);
  EXPECT_NE(line.find("key k1"), std::string::npos);
}

TEST(MessageText, TellsWhenAMessageWasMadeAndStored) {
  MessageRow row = row_with("x");
  EXPECT_EQ(to_text(row, {}, {}, 0).find("stored"), std::string::npos);
  row.origin_time = 1'700'000'000'000'001;
  row.append_time = 1'700'000'001'000'000;
  const std::string line = to_text(row, {}, {}, 0);
  EXPECT_NE(line.find("made 2023-11-14T22:13:20.000001Z  stored 2023-11-14T22:13:21.000000Z"),
            std::string::npos)
      << line;
}

}  // namespace
}  // namespace analyzer::report
