// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Compares layouts of ours with the types of the facts about bodies (payloads*.json), field by
// field, and whatever a row nests with the type that its field names.
//
// What is compared is the layout that the row points at, never one that is looked up by its name:
// several have the same name. For tests of the tables only; it reads no bodies.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "describe/proofs.hpp"
#include "iggy/bodies/enums.hpp"
#include "support/body_cases.hpp"
#include "support/body_facts.hpp"

namespace support::schema {

namespace describe = iggy::describe;
namespace bodies = iggy::bodies;
using describe::Field;
using describe::Kind;
using describe::Layout;
using describe::Room;
using describe::Times;
using describe::When;
using iggy::Generation;

// The counts that a row takes, the nearest first: by name, with the group around it where there is
// one.
inline std::vector<std::string> counts_of(const Layout& layout, std::size_t at) {
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

inline std::string selector_of(const Layout& layout, std::size_t at) {
  for (std::size_t i = at; i > 0; --i)
    if (is_selector(layout.fields[i - 1])) return std::string(layout.fields[i - 1].name);
  return {};
}

// The name that the facts give to a layout of ours, where it is another.
inline std::string type_of_group(const Field& field) {
  // Two builds of 0.12 share the name, so that one filter finds both.
  if (field.when == When::exact) return std::string(field.layout->name) + "_64";
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

inline bool is_truth(const Field& field) {
  return field.names.data() == std::span<const describe::Name>(bodies::truth_values).data();
}

inline bool is_presence(const Field& field) {
  return field.names.data() == std::span<const describe::Name>(bodies::presence).data();
}

inline std::string type_of(const Field& field) {
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
inline Json fact_of(const Layout& layout, std::size_t at) {
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
inline Json comparable(const Json& field) {
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

inline void narrow(Limits& limits, const std::string& op, std::uint64_t number) {
  if (op == ">=" || op == "==") limits.least = number;
  if (op == "<=" || op == "==") limits.most = number;
  if (op == "!=") limits.least = number + 1;
  EXPECT_TRUE(op == ">=" || op == "<=" || op == "==" || (op == "!=" && number == 0)) << op;
}

inline void expect_limits(const Json& wanted, const Field& row) {
  Limits limits;
  if (wanted.contains("must"))
    for (const Json& rule : wanted["must"]) narrow(limits, rule[0], rule[1]);
  EXPECT_EQ(limits, (Limits{row.minimum, row.maximum}));
}

// All names of the enumeration; a row may have those of a newer generation as well.
inline void expect_names(Generation generation, const Json& wanted, const Field& row) {
  if (!wanted.contains("enum")) {
    const bool is_word = row.role == describe::Role::selector && !is_number(row);
    const bool is_error = row.name == "result" || row.name == "status";
    EXPECT_TRUE(row.names.empty() || is_truth(row) || is_presence(row) || is_word || is_error);
    return;
  }
  const std::string name = wanted["enum"];
  const Json& values = body_facts(generation)["enums"][name]["values"];
  const Json& newest = body_facts(Generation::v0_12)["enums"][name]["values"];
  std::size_t known = 0;
  for (const describe::Name& one : row.names) {
    const std::string value = std::to_string(one.value);
    EXPECT_EQ(newest[value], one.text);
    if (values.contains(value)) ++known;
  }
  EXPECT_EQ(known, values.size());
}

inline const Json& field_named(const Json& type, const std::string& name) {
  for (const Json& field : type["fields"])
    if (field["name"] == name) return field;
  throw std::out_of_range(name);
}

// Rules of a type that say which values a field has for a kind.
inline void expect_assertions(const Json& type, const Layout& layout) {
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

inline void expect_optional(Generation generation, const Json& wanted, const Field& row) {
  std::string text = wanted.contains("doc") ? wanted["doc"].get<std::string>() : "";
  if (wanted.contains("rules"))
    text += body_facts(generation)["rules"][wanted["rules"].get<std::string>()].dump();
  const bool is_one_at_most = text.find("at most one") != std::string::npos ||
                              text.find("zero or one value") != std::string::npos;
  EXPECT_EQ(row.times == Times::optional, is_one_at_most);
}

// Compares each layout with each type once, and keeps which it has seen.
class Comparison {
 public:
  explicit Comparison(Generation generation) : generation_(generation) {}

  void fields(const Json& type, const Layout& layout) {
    if (!compared_.emplace(&layout, &type).second) return;
    layouts_.insert(&layout);
    SCOPED_TRACE(std::string(layout.title));
    expect_assertions(type, layout);
    std::size_t next = 0;
    Seen seen;
    if (type.contains("assert"))
      for (const Json& rule : type["assert"]) seen.ruled.insert(rule["field"]);
    for (std::size_t i = 0; i < layout.fields.size(); ++i) {
      SCOPED_TRACE(std::string(layout.fields[i].name));
      nested(layout.fields[i]);
      if (!is_next(type, layout, layout.fields[i], seen)) continue;
      ASSERT_LT(next, type["fields"].size()) << "a row besides";
      row(type["fields"][next++], layout, i, seen);
    }
    EXPECT_EQ(next, type["fields"].size()) << "fields without rows";
  }

  // Every layout that was compared with some type.
  const std::set<const Layout*>& layouts() const { return layouts_; }

 private:
  struct Seen {
    std::set<std::string> ruled;  // fields with one row for each kind
    std::set<std::string> names;  // those of them that were compared
  };

  // What the row holds or may hold: by the type of the name that it has in the facts.
  void nested(const Field& row) {
    if (row.layout == nullptr) return;
    const Json& types = body_facts(generation_)["types"];
    const std::string name = type_of_group(row);
    // No type of its own: it stands in front of most replies.
    if (name == "result_section") return fields(body_facts(generation_)[name], *row.layout);
    ASSERT_TRUE(types.contains(name)) << name;
    fields(types[name], *row.layout);
  }

  // Whether the row is that of the next field, and not only another case of one.
  static bool is_next(const Json& type, const Layout& layout, const Field& row, Seen& seen) {
    const std::string name(row.name);
    if (is_case(layout, row)) return false;
    if (row.when == When::otherwise && !has_case(layout, name)) {
      EXPECT_TRUE(name == "raw" || seen.ruled.contains(name));
      if (name != "raw") expect_limits(field_named(type, name), row);
      return false;
    }
    return !seen.ruled.contains(name) || seen.names.insert(name).second;
  }

  void row(const Json& wanted, const Layout& layout, std::size_t at, const Seen& seen) const {
    const Field& row = layout.fields[at];
    const std::string name(row.name);
    Json fact = fact_of(layout, at);
    if (seen.ruled.contains(name) || has_case(layout, name))
      fact.erase("if");
    else
      expect_limits(wanted, row);
    EXPECT_EQ(fact, comparable(wanted));
    expect_names(generation_, wanted, row);
    if (is_list(row)) expect_optional(generation_, wanted, row);
  }

  Generation generation_;
  std::set<std::pair<const Layout*, const Json*>> compared_;
  std::set<const Layout*> layouts_;
};

}  // namespace support::schema
