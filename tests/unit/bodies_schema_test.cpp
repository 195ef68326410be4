// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Every field of every body of tests/data/payloads.json is a row of our tables, with the same type,
// order, condition and limit, and no row is besides.
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
    if (above.role != Role::count) continue;
    if (skip > 0) {
      --skip;
      continue;
    }
    std::string name(above.name);
    if (above.kind == Kind::group)
      for (const Field& inner : above.layout->fields)
        if (inner.role == Role::count && inner.name.ends_with("s_count"))
          name = std::string(above.name) + '.' + std::string(inner.name);
    names.push_back(name);
  }
  return names;
}

std::string selector_of(const Layout& layout, std::size_t at) {
  for (std::size_t i = at; i > 0; --i)
    if (layout.fields[i - 1].role == Role::selector) return std::string(layout.fields[i - 1].name);
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
  if (field.when == When::not_zero) fact["if"] = {selector_of(layout, at), "!=", 0};
  if (field.times == Times::counted) fact["repeat"]["count"] = take();
  if (field.times == Times::to_end) fact["repeat"]["until"] = "end";
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

void expect_names(const Json& wanted, const Field& row) {
  if (!wanted.contains("enum")) {
    const bool is_word = row.role == describe::Role::selector && !is_number(row);
    EXPECT_TRUE(row.names.empty() || is_truth(row) || is_word || row.name == "result");
    return;
  }
  const Json& values = support::body_facts()["enums"][wanted["enum"].get<std::string>()]["values"];
  Json names;
  for (const describe::Name& name : row.names) names[std::to_string(name.value)] = name.text;
  EXPECT_EQ(names.dump(), values.dump());
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
      if (row.name != rule["field"] || row.when != When::equal || row.wanted != rule["if"][2])
        continue;
      ++rows;
      EXPECT_EQ(wanted, (Limits{row.minimum, row.maximum}));
    }
    EXPECT_EQ(rows, 1U);
  }
}

// A value that is secret where a key says so: the schema has it once.
bool is_secret_case(const Field& row) {
  return row.privacy == describe::Privacy::secret && row.when == When::equal;
}

bool has_secret_case(const Layout& layout, std::string_view name) {
  return std::any_of(layout.fields.begin(), layout.fields.end(),
                     [name](const Field& row) { return row.name == name && is_secret_case(row); });
}

void expect_fields(const Json& type, const Layout& layout) {
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
    if (is_secret_case(row)) continue;
    const bool has_cases = has_secret_case(layout, name);
    if (row.when == When::otherwise && !has_cases) {
      EXPECT_TRUE(name == "raw" || ruled.contains(name));
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
    expect_names(wanted, row);
  }
  EXPECT_EQ(next, type["fields"].size()) << "fields without rows";
}

TEST(BodySchema, TypesAreOurs) {
  static const std::map<std::string, std::string> names{
      {"create_topic_request", "topic_create"},
      {"create_partitions_request", "partition_create"},
  };
  const Json& types = support::body_facts()["types"];
  EXPECT_EQ(types.size(), 42U);
  for (const auto& [name, type] : types.items()) {
    const auto other = names.find(name);
    expect_fields(type, support::layout_named(other == names.end() ? name : other->second));
  }
  for (const char* name : {"account_identifier", "account_name", "token_text"})
    expect_fields(types[name == std::string("account_identifier") ? "identifier" : "name"],
                  support::layout_named(name));
  expect_fields(support::body_facts()["result_section"], support::layout_named("result_section"));
}

TEST(BodySchema, RequestsAndReplies) {
  const Json& commands = support::body_facts()["commands"];
  EXPECT_EQ(commands.size(), 55U);
  EXPECT_EQ(std::size(v0_11::bodies), 55U);
  for (const Json& command : commands) {
    SCOPED_TRACE(command["name"].get<std::string>());
    const CommandBodies* const row = find_bodies(Generation::v0_11, command["code"]);
    ASSERT_NE(row, nullptr);
    expect_fields(command["request"], *row->request);
    const Layout& reply = *row->reply;
    const Json& fields = command["reply"]["fields"];
    const bool is_framed = command["reply"]["result_framed"] != "no";
    if (fields.empty() && !is_framed) {
      EXPECT_TRUE(reply.fields.empty());
      continue;
    }
    ASSERT_EQ(reply.fields.size(), is_framed ? 2U : 1U);
    EXPECT_EQ(reply.fields.front().name, is_framed ? "result" : "payload");
    EXPECT_EQ(reply.fields.back().name, "payload");
    expect_fields(command["reply"], *reply.fields.back().layout);
  }
}

TEST(BodySchema, ReplicatedBodies) {
  const Json& replicated = support::body_facts()["replicated_bodies"];
  EXPECT_EQ(replicated.size(), 16U);
  std::set<std::uint8_t> values;
  for (const Json& body : replicated) {
    SCOPED_TRACE(body["operation"].get<std::string>());
    const std::uint8_t operation = body["operation_value"];
    values.insert(operation);
    EXPECT_EQ(operation_name(Generation::v0_11, operation), body["operation"]);
    const Layout* const layout = replicated_body(Generation::v0_11, operation);
    ASSERT_NE(layout, nullptr);
    expect_fields(body, *layout);
  }
  for (const ReplicatedBody& row : v0_11::replicated_bodies)
    EXPECT_TRUE(values.contains(row.operation)) << int{row.operation};
}

// Layouts are listed by title: one whose title another has would be lost, and with it its fields.
TEST(BodySchema, EveryLayoutIsListed) {
  const std::set<const Layout*> listed(all_layouts().begin(), all_layouts().end());
  for (const CommandBodies& row : v0_11::bodies) {
    EXPECT_TRUE(listed.contains(row.request)) << row.request->title;
    EXPECT_TRUE(listed.contains(row.reply)) << row.reply->title;
  }
  for (const ReplicatedBody& row : v0_11::replicated_bodies)
    EXPECT_TRUE(listed.contains(row.layout)) << row.layout->title;
}

void collect(const Layout& layout, const std::string& above, describe::Privacy privacy,
             std::set<std::string>& paths) {
  for (const Field& field : layout.fields) {
    const std::string path = above + '.' + std::string(field.name);
    if (field.privacy == privacy && !is_secret_case(field)) paths.insert(path);
    if (field.kind == Kind::group) collect(*field.layout, path, privacy, paths);
  }
}

std::set<std::string> paths_of(describe::Privacy privacy) {
  std::set<std::string> paths;
  for (const CommandBodies& row : v0_11::bodies) {
    const std::string code = std::to_string(row.code);
    collect(*row.request, code + " request", privacy, paths);
    collect(*row.reply, code + " reply", privacy, paths);
  }
  for (const ReplicatedBody& row : v0_11::replicated_bodies)
    collect(*row.layout, std::to_string(row.operation) + " replicated", privacy, paths);
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
  EXPECT_TRUE(has_secret_case(bodies::option_pair, "value"));
  EXPECT_FALSE(has_secret_case(bodies::tlv_pair, "value"));
}

TEST(BodySchema, MarksSecretsAndPayloads) {
  const std::set<std::string> secrets{
      "33 request.password",       "37 request.current_password",
      "37 request.new_password",   "38 request.password",
      "40 request.password",       "42 reply.payload.token.value",
      "44 request.token.value",    "45 request.token",
      "146 replicated.token_hash",
  };
  EXPECT_EQ(paths_of(describe::Privacy::secret), secrets);
  const std::set<std::string> payloads{
      "11 reply.payload.archive",
      "100 reply.payload.batches.messages.payload",
      "101 request.batch.messages.payload",
      "104 reply.payload.batches.messages.payload",
      "160 replicated.batch.messages.payload",
  };
  EXPECT_EQ(paths_of(describe::Privacy::payload), payloads);
}

}  // namespace
}  // namespace iggy
