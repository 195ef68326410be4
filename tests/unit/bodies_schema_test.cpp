// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Every field of every body of payloads.json and payloads-0.12.json in tests/data is a row of our
// tables, with the same type, order, condition and limit, and no row is besides.
//
// Only rows for kinds that nobody knows today are ours alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "describe/proofs.hpp"
#include "iggy/bodies/encodings.hpp"
#include "iggy/bodies/enums.hpp"
#include "iggy/layouts.hpp"
#include "iggy/registry.hpp"
#include "support/body_cases.hpp"
#include "support/body_facts.hpp"

namespace iggy {
namespace {

using describe::Field;
using describe::Kind;
using describe::Layout;
using describe::Role;
using describe::Room;
using describe::Times;
using describe::When;
using support::Json;

// The counts that a row takes, the nearest first: by name, with the group around it where there is
// one.
std::vector<std::string> counts_of(const Layout& layout, std::size_t at) {
  std::vector<std::string> names;
  const Field& field = layout.fields[at];
  const int wanted = describe::counts_taken(field);
  int skip = 0;
  for (std::size_t i = at; i > 0 && static_cast<int>(names.size()) < wanted; --i) {
    const Field& above = layout.fields[i - 1];
    if (!describe::stands_with(above, field)) continue;
    skip += describe::counts_taken(above);
    if (!is_count(above)) continue;
    if (skip > 0) {
      --skip;
      continue;
    }
    std::string name(above.name);
    if (above.kind == Kind::group)
      for (const Field& inner : above.layout->fields)
        if (is_count(inner) && inner.name.ends_with("s_count"))
          name = std::string(above.name) + '.' + std::string(inner.name);
    names.push_back(name);
  }
  return names;
}

std::string selector_of(const Layout& layout, std::size_t at) {
  for (std::size_t i = at; i > 0; --i)
    if (is_selector(layout.fields[i - 1])) return std::string(layout.fields[i - 1].name);
  return {};
}

// The name that the facts give to a layout of ours, where it is another.
std::string type_of_group(const Field& field) {
  static const std::map<std::string_view, std::string> others{
      {"account_identifier", "identifier"},
      {"account_name", "name"},
      {"token_text", "name"},
      {"topic_create", "create_topic_request"},
      {"partition_create", "create_partitions_request"},
      {"optional_user", "optional_u32"},
      {"optional_account_name", "optional_name"},
  };
  const auto found = others.find(field.layout->name);
  return found == others.end() ? std::string(field.layout->name) : found->second;
}

bool is_truth(const Field& field) {
  return field.names.data() == std::span<const describe::Name>(bodies::truth_values).data();
}

std::string type_of(const Field& field) {
  switch (field.kind) {
    case Kind::u8:
      return is_truth(field) ? "bool8" : "u8";
    case Kind::u16:
      return "u16";
    case Kind::u32:
      return "u32";
    case Kind::u64:
      return "u64";
    case Kind::u128:
      return "u128";
    case Kind::f32:
      return "f32";
    case Kind::zero:
    case Kind::bytes:
    case Kind::rest:
      return "bytes";
    case Kind::text:
      return "utf8";
    case Kind::group:
      return type_of_group(field);
  }
  return {};
}

// A row of ours, told in the words of the facts.
Json fact_of(const Layout& layout, std::size_t at) {
  const Field& field = layout.fields[at];
  std::vector<std::string> counts = counts_of(layout, at);
  const auto take = [&counts] {
    const std::string name = counts.empty() ? std::string() : counts.front();
    if (!counts.empty()) counts.erase(counts.begin());
    return name;
  };
  Json fact;
  fact["name"] = field.name;
  fact["type"] = type_of(field);
  const bool is_run = field.kind == Kind::bytes || field.kind == Kind::text;
  if (field.kind == Kind::rest) fact["size"] = "rest";
  if (field.kind == Kind::zero) {
    fact["size"] = field.width;
    fact["zero"] = true;
  }
  if (is_run && field.width != 0) fact["size"] = field.width;
  if (is_run && field.width == 0) fact["size"] = take();
  if (field.when == When::equal) fact["if"] = {selector_of(layout, at), "==", field.wanted};
  if (field.when == When::unequal) fact["if"] = {selector_of(layout, at), "!=", field.wanted};
  EXPECT_NE(field.when, When::having) << field.name;  // the facts have no word for it
  if (field.times == Times::counted) fact["repeat"]["count"] = take();
  if (field.times == Times::to_end || field.times == Times::optional)
    fact["repeat"]["until"] = "end";
  if (field.times == Times::chained) fact["repeat"]["while"] = field.layout->fields.back().name;
  if (field.room != Room::open && field.before_room == 0) fact["within"] = take();
  if (field.room != Room::open && field.before_room != 0)
    fact["within"] = {take(), -int{field.before_room}};
  if (field.room == Room::slack) fact["slack"] = true;
  EXPECT_TRUE(counts.empty()) << field.name;
  return fact;
}

// Only what the rows can say; limits and names are compared apart.
Json comparable(const Json& field) {
  Json fact;
  for (const char* key : {"name", "type", "size", "zero", "if", "repeat", "within", "slack"})
    if (field.contains(key)) fact[key] = field[key];
  return fact;
}

struct Limits {
  std::uint64_t least = 0;
  std::uint64_t most = ~std::uint64_t{0};
  friend bool operator==(const Limits&, const Limits&) = default;
};

void narrow(Limits& limits, const std::string& op, std::uint64_t number) {
  if (op == ">=" || op == "==") limits.least = number;
  if (op == "<=" || op == "==") limits.most = number;
  if (op == "!=") limits.least = number + 1;  // only of 0
}

void expect_limits(const Json& wanted, const Field& row) {
  Limits limits;
  if (wanted.contains("must"))
    for (const Json& rule : wanted["must"]) narrow(limits, rule[0], rule[1]);
  EXPECT_EQ(limits, (Limits{row.minimum, row.maximum}));
}

// All names of the enumeration; a row may have those of a newer generation as well.
void expect_names(Generation generation, const Json& wanted, const Field& row) {
  if (!wanted.contains("enum")) {
    const bool is_word = row.role == describe::Role::selector && !is_number(row);
    const bool is_error = row.name == "result" || row.name == "status";
    EXPECT_TRUE(row.names.empty() || is_truth(row) || is_word || is_error);
    return;
  }
  const std::string name = wanted["enum"];
  const Json& values = support::body_facts(generation)["enums"][name]["values"];
  const Json& newest = support::body_facts(Generation::v0_12)["enums"][name]["values"];
  std::size_t known = 0;
  for (const describe::Name& one : row.names) {
    const std::string value = std::to_string(one.value);
    EXPECT_EQ(newest[value], one.text);
    if (values.contains(value)) ++known;
  }
  EXPECT_EQ(known, values.size());
}

const Json& field_named(const Json& type, const std::string& name) {
  for (const Json& field : type["fields"])
    if (field["name"] == name) return field;
  throw std::out_of_range(name);
}

// Rules of a type that say which values a field has for a kind.
void expect_assertions(const Json& type, const Layout& layout) {
  if (!type.contains("assert")) return;
  for (const Json& rule : type["assert"]) {
    SCOPED_TRACE(rule.dump());
    Limits wanted;
    narrow(wanted, rule["op"], rule["value"]);
    std::size_t rows = 0;
    for (const Field& row : layout.fields) {
      const When when = rule["if"][1] == "==" ? When::equal : When::unequal;
      if (row.name != rule["field"] || row.when != when || row.wanted != rule["if"][2]) continue;
      ++rows;
      EXPECT_EQ(wanted, (Limits{row.minimum, row.maximum}));
    }
    EXPECT_EQ(rows, 1U);
  }
}

void expect_optional(Generation generation, const Json& wanted, const Field& row) {
  std::string text = wanted.contains("doc") ? wanted["doc"].get<std::string>() : "";
  if (wanted.contains("rules"))
    text += support::body_facts(generation)["rules"][wanted["rules"].get<std::string>()].dump();
  EXPECT_EQ(row.times == Times::optional, text.find("at most one") != std::string::npos);
}

void expect_fields(Generation generation, const Json& type, const Layout& layout) {
  SCOPED_TRACE(std::string(layout.title));
  std::set<std::string> ruled;  // fields with one row for each kind
  if (type.contains("assert"))
    for (const Json& rule : type["assert"]) ruled.insert(rule["field"]);
  expect_assertions(type, layout);
  std::size_t next = 0;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < layout.fields.size(); ++i) {
    const Field& row = layout.fields[i];
    const std::string name(row.name);
    SCOPED_TRACE(name);
    if (support::is_case(layout, row)) continue;
    const bool has_cases = support::has_case(layout, name);
    if (row.when == When::otherwise && !has_cases) {
      EXPECT_TRUE(name == "raw" || ruled.contains(name));
      if (name != "raw") expect_limits(field_named(type, name), row);
      continue;
    }
    if (ruled.contains(name) && !seen.insert(name).second) continue;
    ASSERT_LT(next, type["fields"].size()) << "a row besides";
    const Json& wanted = type["fields"][next++];
    Json fact = fact_of(layout, i);
    if (ruled.contains(name) || has_cases)
      fact.erase("if");
    else
      expect_limits(wanted, row);
    EXPECT_EQ(fact, comparable(wanted));
    expect_names(generation, wanted, row);
    if (is_list(row)) expect_optional(generation, wanted, row);
  }
  EXPECT_EQ(next, type["fields"].size()) << "fields without rows";
}

const Layout& layout_of_type(Generation generation, const std::string& type) {
  if (type == "create_topic_request") return bodies::topic_create;
  if (type == "create_partitions_request") return bodies::partition_create;
  // Two builds of 0.12 share the name, so that one filter finds both.
  if (type == "partition_info_64") return v0_12::partition_info_64;
  if (type == "partition_info" && generation == Generation::v0_12) return v0_12::partition_info;
  return support::layout_named(generation, type);
}

TEST(BodySchema, TypesAreOurs) {
  for (const Generation generation : support::with_body_facts) {
    SCOPED_TRACE(std::string(word_of(generation)));
    const Json& types = support::body_facts(generation)["types"];
    EXPECT_EQ(types.size(), generation == Generation::v0_11 ? 42U : 96U);
    for (const auto& [name, type] : types.items())
      if (name != "topic_details_64")  // one layout chooses, by the bytes that are left
        expect_fields(generation, type, layout_of_type(generation, name));
    for (const char* name : {"account_identifier", "account_name", "token_text"})
      expect_fields(generation,
                    types[name == std::string("account_identifier") ? "identifier" : "name"],
                    support::layout_named(generation, name));
    expect_fields(generation, support::body_facts(generation)["result_section"],
                  support::layout_named(generation, "result_section"));
  }
  const Json& types = support::body_facts(Generation::v0_12)["types"];
  expect_fields(Generation::v0_12, types["optional_u32"], v0_12::optional_user);
  expect_fields(Generation::v0_12, types["optional_name"], v0_12::optional_account_name);
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

TEST(BodySchema, RequestsAndReplies) {
  for (const Generation generation : support::with_body_facts) {
    SCOPED_TRACE(std::string(word_of(generation)));
    const Json& commands = support::body_facts(generation)["commands"];
    EXPECT_EQ(commands.size(), generation == Generation::v0_11 ? 55U : 53U);
    EXPECT_EQ(exchanges(generation).size(), commands.size());
    for (const Json& command : commands) {
      SCOPED_TRACE(command["name"].get<std::string>());
      const CommandBodies* const row = find_bodies(generation, command["code"]);
      ASSERT_NE(row, nullptr);
      expect_fields(generation, command["request"], *row->request.layout);
      expect_trailing(command["request"]["trailing"], row->request);
      expect_trailing(command["reply"]["trailing"], row->reply);
      const Layout& reply = *row->reply.layout;
      const Json& fields = command["reply"]["fields"];
      const bool is_framed = command["reply"]["result_framed"] != "no";
      if (fields.empty() && !is_framed) {
        EXPECT_TRUE(reply.fields.empty());
        continue;
      }
      ASSERT_EQ(reply.fields.size(), is_framed ? 2U : 1U);
      EXPECT_EQ(reply.fields.front().name, is_framed ? "result" : "payload");
      EXPECT_EQ(reply.fields.back().name, "payload");
      expect_fields(generation, command["reply"], *reply.fields.back().layout);
    }
  }
}

const BodyTables& tables_of(Generation generation) {
  for (const BodyTables& tables : body_tables)
    if (tables.generation == generation) return tables;
  throw std::out_of_range(std::string(word_of(generation)));
}

TEST(BodySchema, ReplicatedBodies) {
  const std::set<int> unpublished{66, 68, 141, 144, 146, 147, 148, 149};  // of 0.12
  for (const Generation generation : support::with_body_facts) {
    SCOPED_TRACE(std::string(word_of(generation)));
    const Json& replicated = support::body_facts(generation)["replicated_bodies"];
    EXPECT_EQ(replicated.size(), generation == Generation::v0_11 ? 16U : 26U);
    std::set<std::uint8_t> values;
    for (const Json& fact : replicated) {
      SCOPED_TRACE(fact["operation"].get<std::string>());
      const std::uint8_t operation = fact["operation_value"];
      values.insert(operation);
      EXPECT_EQ(operation_name(generation, operation), fact["operation"]);
      const Body body = replicated_body(generation, operation);
      if (generation == Generation::v0_12 && unpublished.contains(operation)) {
        EXPECT_EQ(body.layout, nullptr);
        continue;
      }
      ASSERT_NE(body.layout, nullptr);
      expect_fields(generation, fact, *body.layout);
      // The last number of these is said to be the last of the body.
      const bool ends_in_number =
          generation == Generation::v0_12 && (operation == 161 || operation == 162);
      if (!ends_in_number) expect_trailing(fact["trailing"], body);
    }
    for (const ReplicatedBody& row : tables_of(generation).replicated)
      EXPECT_TRUE(values.contains(row.operation)) << int{row.operation};
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
