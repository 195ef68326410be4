// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Every field of every body of payloads.json and payloads-0.12.json in tests/data is a row of our
// tables, with the same type, order, condition and limit, and no row is besides.
//
// Only rows for kinds that nobody knows today are ours alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "describe/proofs.hpp"
#include "iggy/bodies/encodings.hpp"
#include "iggy/bodies/enums.hpp"
#include "iggy/layouts.hpp"
#include "iggy/registry.hpp"
#include "support/body_cases.hpp"
#include "support/body_facts.hpp"
#include "support/schema_comparison.hpp"

namespace iggy {
namespace {

using describe::Field;
using describe::Kind;
using describe::Layout;
using describe::When;
using support::Json;
using support::schema::Comparison;

const Layout& layout_of_type(Generation generation, const std::string& type) {
  if (type == "create_topic_request") return bodies::topic_create;
  if (type == "create_partitions_request") return bodies::partition_create;
  // Two builds of 0.12 share the name, so that one filter finds both.
  if (type == "partition_info_64") return v0_12::partition_info_64;
  if (type == "partition_info" && generation == Generation::v0_12) return v0_12::partition_info;
  // Options have the name of user headers, too, and stand in more bodies.
  if (type == "tlv_pair") return bodies::tlv_pair;
  return support::layout_named(generation, type);
}

void compare_types(Comparison& comparison, Generation generation) {
  const Json& types = support::body_facts(generation)["types"];
  EXPECT_EQ(types.size(), generation == Generation::v0_11 ? 42U : 96U);
  for (const auto& [name, type] : types.items())
    if (name != "topic_details_64")  // one layout chooses, by the bytes that are left
      comparison.fields(type, layout_of_type(generation, name));
  for (const char* name : {"account_identifier", "account_name", "token_text"})
    comparison.fields(types[name == std::string("account_identifier") ? "identifier" : "name"],
                      support::layout_named(generation, name));
  comparison.fields(support::body_facts(generation)["result_section"],
                    support::layout_named(generation, "result_section"));
}

TEST(BodySchema, TypesAreOurs) {
  for (const Generation generation : support::with_body_facts) {
    SCOPED_TRACE(std::string(word_of(generation)));
    Comparison comparison(generation);
    compare_types(comparison, generation);
    // Two layouts of one name: both are compared, that of user headers and that of options.
    EXPECT_TRUE(comparison.layouts().contains(&bodies::tlv_pair));
    EXPECT_TRUE(comparison.layouts().contains(&bodies::option_pair));
  }
  EXPECT_EQ(v0_12::topic_details.fields[1].when, When::exact);
  EXPECT_EQ(v0_12::topic_details.fields[1].layout, &v0_12::partition_info_64);
}

// What becomes of bytes behind the last field, where it does not take all of them.
void expect_trailing(const std::string& trailing, const Body& body) {
  if (describe::takes_the_rest(*body.layout)) {
    EXPECT_TRUE(trailing == "none" || trailing == "rejected");
    return;
  }
  EXPECT_EQ(trailing, body.behind == Behind::ignored ? "ignored" : "rejected");
}

void compare_commands(Comparison& comparison, Generation generation) {
  for (const Json& command : support::body_facts(generation)["commands"]) {
    SCOPED_TRACE(command["name"].get<std::string>());
    const CommandBodies* const row = find_bodies(generation, command["code"]);
    ASSERT_NE(row, nullptr);
    comparison.fields(command["request"], *row->request.layout);
    expect_trailing(command["request"]["trailing"], row->request);
    expect_trailing(command["reply"]["trailing"], row->reply);
    const Layout& reply = *row->reply.layout;
    const bool is_framed = command["reply"]["result_framed"] != "no";
    if (command["reply"]["fields"].empty() && !is_framed) {
      EXPECT_TRUE(reply.fields.empty());
      continue;
    }
    ASSERT_EQ(reply.fields.size(), is_framed ? 2U : 1U);
    EXPECT_EQ(reply.fields.front().name, is_framed ? "result" : "payload");
    EXPECT_EQ(reply.fields.back().name, "payload");
    if (is_framed)
      comparison.fields(support::body_facts(generation)["result_section"],
                        *reply.fields.front().layout);
    comparison.fields(command["reply"], *reply.fields.back().layout);
  }
}

TEST(BodySchema, RequestsAndReplies) {
  for (const Generation generation : support::with_body_facts) {
    SCOPED_TRACE(std::string(word_of(generation)));
    const Json& commands = support::body_facts(generation)["commands"];
    EXPECT_EQ(commands.size(), generation == Generation::v0_11 ? 55U : 53U);
    const std::size_t of_older_builds = generation == Generation::v0_11 ? 2 : 0;
    EXPECT_EQ(exchanges(generation).size(), commands.size() + of_older_builds);
    Comparison comparison(generation);
    compare_commands(comparison, generation);
  }
}

const BodyTables& tables_of(Generation generation) {
  for (const BodyTables& tables : body_tables)
    if (tables.generation == generation) return tables;
  throw std::out_of_range(std::string(word_of(generation)));
}

void compare_replicated(Comparison& comparison, Generation generation) {
  const std::set<int> unpublished{66, 68, 141, 144, 146, 147, 148, 149};  // of 0.12
  for (const Json& fact : support::body_facts(generation)["replicated_bodies"]) {
    SCOPED_TRACE(fact["operation"].get<std::string>());
    const std::uint8_t operation = fact["operation_value"];
    EXPECT_EQ(operation_name(generation, operation), fact["operation"]);
    const Body body = replicated_body(generation, operation);
    if (generation == Generation::v0_12 && unpublished.contains(operation)) {
      EXPECT_EQ(body.layout, nullptr);
      continue;
    }
    ASSERT_NE(body.layout, nullptr);
    comparison.fields(fact, *body.layout);
    // The last number of these is said to be the last of the body.
    const bool ends_in_number =
        generation == Generation::v0_12 && (operation == 161 || operation == 162);
    if (!ends_in_number) expect_trailing(fact["trailing"], body);
  }
}

TEST(BodySchema, ReplicatedBodies) {
  for (const Generation generation : support::with_body_facts) {
    SCOPED_TRACE(std::string(word_of(generation)));
    const Json& replicated = support::body_facts(generation)["replicated_bodies"];
    EXPECT_EQ(replicated.size(), generation == Generation::v0_11 ? 16U : 26U);
    Comparison comparison(generation);
    compare_replicated(comparison, generation);
    std::set<std::uint8_t> values;
    for (const Json& fact : replicated) values.insert(fact["operation_value"].get<std::uint8_t>());
    for (const ReplicatedBody& row : tables_of(generation).replicated)
      EXPECT_TRUE(values.contains(row.operation)) << int{row.operation};
  }
}

void collect_layouts(const Layout& layout, std::set<const Layout*>& found) {
  if (!found.insert(&layout).second) return;
  for (const Field& field : layout.fields)
    if (field.layout != nullptr) collect_layouts(*field.layout, found);
}

// No layout that a body is read with escapes the comparison, however it is named.
TEST(BodySchema, NoLayoutIsBesides) {
  for (const Generation generation : support::with_body_facts) {
    SCOPED_TRACE(std::string(word_of(generation)));
    Comparison comparison(generation);
    compare_types(comparison, generation);
    compare_commands(comparison, generation);
    compare_replicated(comparison, generation);
    std::set<const Layout*> used;
    for (const CommandBodies& row : tables_of(generation).commands) {
      collect_layouts(*row.request.layout, used);
      collect_layouts(*row.reply.layout, used);
    }
    for (const ReplicatedBody& row : tables_of(generation).replicated)
      collect_layouts(*row.body.layout, used);
    EXPECT_GT(used.size(), 100U);
    for (const Layout* const layout : used) {
      if (layout->fields.empty()) continue;
      // A payload, with a result or without one; compare_commands() has looked at both.
      const bool is_around = layout->fields.size() <= 2 && layout->fields.back().name == "payload";
      EXPECT_TRUE(is_around || comparison.layouts().contains(layout)) << layout->title;
    }
  }
}

// Layouts are listed by title: one whose title another has would be lost, and with it its fields.
TEST(BodySchema, EveryLayoutIsListed) {
  const std::set<const Layout*> listed(all_layouts().begin(), all_layouts().end());
  const auto expect_listed = [&listed](const Body& body) {
    EXPECT_TRUE(listed.contains(body.layout)) << body.layout->title;
  };
  for (const BodyTables& tables : body_tables) {
    for (const CommandBodies& row : tables.commands) {
      expect_listed(row.request);
      expect_listed(row.reply);
    }
    for (const ReplicatedBody& row : tables.replicated) expect_listed(row.body);
    for (const ControlBody& row : tables.control) expect_listed(row.body);
  }
}

// What a record or an item holds, by the names that the facts give to the types.
TEST(BodySchema, ChangesByKindAndGroup) {
  const Json& enums = support::body_facts(Generation::v0_12)["enums"];
  const auto types_of = [](const auto& table) {
    std::map<std::string, std::string> types;
    for (const v0_12::ChangeBody& row : table)
      types[std::to_string(row.number)] = std::string(row.layout->name);
    return types;
  };
  EXPECT_EQ(
      types_of(v0_12::change_bodies),
      (enums["metadata_body_type_by_kind"]["values"].get<std::map<std::string, std::string>>()));
  EXPECT_EQ(
      types_of(v0_12::item_bodies),
      (enums["metadata_item_type_by_group"]["values"].get<std::map<std::string, std::string>>()));
}

void collect(const Layout& layout, const std::string& above, describe::Privacy privacy,
             std::set<std::string>& paths) {
  for (const Field& field : layout.fields) {
    const std::string path = above + '.' + std::string(field.name);
    if (field.privacy == privacy && !support::is_secret_case(field)) paths.insert(path);
    if (field.kind == Kind::group) collect(*field.layout, path, privacy, paths);
  }
}

std::set<std::string> paths_of(Generation generation, describe::Privacy privacy) {
  std::set<std::string> paths;
  const BodyTables& tables = tables_of(generation);
  for (const CommandBodies& row : tables.commands) {
    const std::string code = std::to_string(row.code);
    collect(*row.request.layout, code + " request", privacy, paths);
    collect(*row.reply.layout, code + " reply", privacy, paths);
  }
  for (const ReplicatedBody& row : tables.replicated)
    collect(*row.body.layout, std::to_string(row.operation) + " replicated", privacy, paths);
  for (const ControlBody& row : tables.control)
    collect(*row.body.layout, std::string(command_name(static_cast<std::uint8_t>(row.command))),
            privacy, paths);
  return paths;
}

// Every list of options in a body masks the values of secret ones.
TEST(BodySchema, OptionsAreThoseOfTheCatalogue) {
  std::size_t lists = 0;
  for (const Layout* const layout : all_layouts())
    for (const Field& field : layout->fields) {
      if (field.name != "options" || !is_list(field)) continue;
      ++lists;
      EXPECT_EQ(field.layout, &bodies::option_pair) << layout->title;
    }
  EXPECT_GE(lists, 7U);
  EXPECT_TRUE(support::has_case(bodies::option_pair, "value"));
  EXPECT_FALSE(support::has_case(bodies::tlv_pair, "value"));
}

TEST(BodySchema, MarksSecretsAndPayloads) {
  const std::set<std::string> secrets{
      "33 request.password",       "37 request.current_password",
      "37 request.new_password",   "38 request.password",
      "40 request.password",       "42 reply.payload.token.value",
      "44 request.token.value",    "45 request.token",
      "146 replicated.token_hash",
  };
  EXPECT_EQ(paths_of(Generation::v0_11, describe::Privacy::secret), secrets);
  const std::set<std::string> payloads{
      "11 reply.payload.archive",
      "100 reply.payload.batches.messages.payload",
      "101 request.batch.messages.payload",
      "104 reply.payload.batches.messages.payload",
      "160 replicated.batch.messages.payload",
  };
  EXPECT_EQ(paths_of(Generation::v0_11, describe::Privacy::payload), payloads);
}

TEST(BodySchema, MarksSecretsAndPayloadsOf012) {
  const std::set<std::string> secrets{
      "15 request.bind_secret",
      "33 request.password",
      "37 request.current_password",
      "37 request.new_password",
      "38 request.password",
      "40 request.bind_secret",
      "40 request.password",
      "42 reply.payload.token.value",
      "44 request.token.value",
      "45 request.bind_secret",
      "45 request.token",
      "1 replicated.register.bind_verifier",
      "75 replicated.entries.wrap_set.ciphertext",
      "ForwardRegister.register.bind_verifier",
  };
  EXPECT_EQ(paths_of(Generation::v0_12, describe::Privacy::secret), secrets);
  const std::set<std::string> payloads{
      "11 reply.payload.archive",
      "100 reply.payload.batches.messages.payload",
      "101 request.batch.messages.payload",
      "106 reply.payload.batches.messages.payload",
      "109 reply.payload.records.messages.payload",
      "160 replicated.batch.messages.payload",
  };
  EXPECT_EQ(paths_of(Generation::v0_12, describe::Privacy::payload), payloads);
}

}  // namespace
}  // namespace iggy
