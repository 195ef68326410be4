// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Compares every header table with the facts in tests/data, field by field.
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "describe/proofs.hpp"
#include "iggy/layouts.hpp"
#include "support/test_data.hpp"

namespace iggy {
namespace {

using describe::Field;
using describe::Kind;
using describe::Layout;
using nlohmann::json;

json facts(const std::string& file) {
  std::ifstream in(support::test_data(file));
  EXPECT_TRUE(in) << file;
  return json::parse(in);
}

bool is_type(const Field& field, const std::string& type) {
  switch (field.kind) {
    case Kind::u8:
      return type == "u8" || type == "u8 enum";
    case Kind::u16:
      return type == "u16 LE";
    case Kind::u32:
      return type == "u32 LE";
    case Kind::u64:
      return type == "u64 LE";
    case Kind::u128:
      return type == "u128 LE";
    case Kind::zero:
    case Kind::bytes:
      return type == "bytes";
    default:
      return false;
  }
}

void compare(const Layout& layout, const json& frame) {
  SCOPED_TRACE(frame["name"].get<std::string>());
  const json& rows = frame["fields"];
  ASSERT_EQ(layout.fields.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Field& field = layout.fields[i];
    SCOPED_TRACE(std::string(field.name));
    EXPECT_EQ(field.name, rows[i]["name"].get<std::string>());
    EXPECT_EQ(field.offset, rows[i]["offset"].get<int>());
    EXPECT_EQ(field.width, rows[i]["size"].get<int>());
    const std::string type = rows[i]["type"];
    EXPECT_TRUE(is_type(field, type)) << type;
    EXPECT_TRUE(type != "u8 enum" || !field.names.empty());
  }
}

void compare_all(Generation generation, const std::string& file, std::size_t frames) {
  const json all = facts(file);
  ASSERT_EQ(all.size(), frames);
  for (const json& frame : all) {
    const auto command = frame["command"].get<std::uint8_t>();
    EXPECT_EQ(command_name(command), frame["name"].get<std::string>());
    const Layout* const layout = header_layout(generation, command);
    ASSERT_NE(layout, nullptr) << frame["name"];
    compare(*layout, frame);
  }
}

TEST(Headers, OfProtocol011) {
  compare_all(Generation::v0_11, "headers.json", 30);
}

TEST(Headers, OfProtocol012) {
  compare_all(Generation::v0_12, "headers-0.12.json", 37);
}

// Upstream's RepairPrepare is a Prepare, RepairDone and RangeEvicted are one struct.
TEST(Headers, ShareWhatUpstreamShares) {
  for (const Generation generation : {Generation::v0_11, Generation::v0_12}) {
    EXPECT_EQ(header_layout(generation, 6), header_layout(generation, 19));
    EXPECT_EQ(header_layout(generation, 20), header_layout(generation, 21));
    for (const std::uint8_t command : std::initializer_list<std::uint8_t>{1, 2, 3, 4})
      EXPECT_EQ(header_layout(generation, 0), header_layout(generation, command));
  }
}

// What did not change between the two is one table. The handshake's reserved bytes did change:
// 0.12 writes something there, though nobody says what.
TEST(Headers, OfBothAreOneTableWhereNothingChanged) {
  std::map<int, json> older;
  for (const json& frame : facts("headers.json")) older[frame["command"]] = frame["fields"];
  for (const json& frame : facts("headers-0.12.json")) {
    const auto command = frame["command"].get<std::uint8_t>();
    const bool handshake = command >= 14 && command <= 16;
    const bool same = older.contains(command) && older[command] == frame["fields"] && !handshake;
    EXPECT_EQ(same, header_layout(Generation::v0_11, command) ==
                        header_layout(Generation::v0_12, command))
        << frame["name"];
  }
}

TEST(Headers, HandshakeOf012HoldsNothingToBeZero) {
  for (const std::uint8_t command : std::initializer_list<std::uint8_t>{14, 15, 16}) {
    const Layout& layout = *header_layout(Generation::v0_12, command);
    EXPECT_EQ(layout.fields.back().kind, Kind::bytes) << layout.name;
    EXPECT_EQ(header_layout(Generation::v0_11, command)->fields.back().kind, Kind::zero);
  }
}

TEST(Headers, HeartbeatCameWith0111) {
  const Layout* const layout = header_layout(Generation::v0_11, 30);
  ASSERT_NE(layout, nullptr);
  EXPECT_EQ(layout->fields.back().kind, Kind::zero);
  EXPECT_EQ(layout->fields.back().offset, 129);
  for (std::uint8_t command = 31; command != 0; ++command)
    EXPECT_EQ(header_layout(Generation::v0_11, command), nullptr) << int{command};
}

TEST(Headers, AreMissingWhereAGenerationHasNone) {
  for (int command = 0; command < 256; ++command) {
    const auto byte = static_cast<std::uint8_t>(command);
    EXPECT_EQ(header_layout(Generation::unknown, byte), nullptr);
    EXPECT_EQ(header_layout(Generation::legacy, byte), nullptr);
    EXPECT_EQ(header_layout(Generation::v0_12, byte) == nullptr, command > highest_command);
    const bool client_plane = command == 5 || command == 8 || command == 13;
    EXPECT_EQ(header_layout(Generation::v0, byte) != nullptr, client_plane) << command;
    EXPECT_EQ(header_layout(Generation::va, byte) != nullptr, client_plane) << command;
  }
}

using Places = std::map<std::string, std::pair<int, int>>;

Places places(const Layout& layout, int from) {
  Places found;
  for (const Field& field : layout.fields)
    if (field.offset >= from) found[std::string(field.name)] = {field.offset, field.width};
  return found;
}

// The bytes in which the generations before 0.11 differ from it.
TEST(Headers, OfOlderGenerations) {
  EXPECT_EQ(places(older::v0_request, 184), (Places{{"namespace", {184, 8}},
                                                    {"session", {192, 8}},
                                                    {"code", {200, 4}},
                                                    {"reserved", {204, 52}}}));
  EXPECT_EQ(places(older::va_request, 184), (Places{{"namespace", {184, 8}},
                                                    {"session", {192, 8}},
                                                    {"user_id", {200, 4}},
                                                    {"code", {204, 4}},
                                                    {"reserved", {208, 48}}}));
  EXPECT_EQ(places(older::v0_reply, 216),
            (Places{{"namespace", {216, 8}}, {"reserved", {224, 32}}}));
  EXPECT_EQ(places(older::va_reply, 216),
            (Places{{"namespace", {216, 8}}, {"status", {224, 4}}, {"reserved", {228, 28}}}));
  EXPECT_EQ(places(older::v0_eviction, 144),
            (Places{{"reserved", {144, 111}}, {"reason", {255, 1}}}));
  EXPECT_EQ(header_layout(Generation::va, 13), header_layout(Generation::v0_11, 13));
}

TEST(Headers, OfLegacyFraming) {
  EXPECT_EQ(places(legacy::request, 0), (Places{{"length", {0, 4}}, {"code", {4, 4}}}));
  EXPECT_EQ(places(legacy::reply, 0), (Places{{"status", {0, 4}}, {"length", {4, 4}}}));
}

// Ids of clients and users name somebody, in whichever header they stand; nothing is secret.
TEST(Headers, NameNobodyUnmarked) {
  for (const Layout* const layout : all_layouts()) {
    if (layout->fields.empty() || layout->fields.front().name != "checksum") continue;
    if (layout->fields.front().offset != 0) continue;
    for (const Field& field : layout->fields) {
      const bool names = field.name == "client" || field.name == "user_id";
      EXPECT_EQ(field.privacy, names ? describe::Privacy::identity : describe::Privacy::open)
          << layout->name << '.' << field.name;
    }
  }
}

}  // namespace
}  // namespace iggy
