// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Reads bodies by the facts about them (payloads*.json) and says what is wrong with them, and
// where.
//
// It shares neither tables nor walk with the decoder, so that tests can ask both about bytes that
// nobody has seen before: cut ones, and those whose lengths and counts lie. It keeps no values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "decode/problem.hpp"
#include "decode/window.hpp"
#include "iggy/generation.hpp"
#include "support/facts_files.hpp"

namespace support::oracle {

// `field op number`, as the facts write it.
struct Test {
  std::string field;
  std::string op;
  std::uint64_t number = 0;

  bool holds(std::uint64_t value) const {
    if (op == "==") return value == number;
    if (op == "!=") return value != number;
    if (op == ">=") return value >= number;
    if (op == "<=") return value <= number;
    throw std::invalid_argument(op);
  }
};
struct Assertion {
  std::optional<Test> when;
  Test what;
};

struct Struct;
struct Field {
  enum class Times { once, counted, to_end, optional, chained };

  std::string name;
  std::uint32_t width = 0;       // of numbers and of runs of a fixed size
  bool is_number = false;        //
  bool is_zero = false;          // reserved
  bool is_rest = false;          // all that is left
  std::string size;              // the field that says how long a run is
  const Struct* type = nullptr;  // of a nested struct
  std::optional<Test> when;
  Times times = Times::once;
  std::string count;  // the field that says how often, or whether again
  std::string within;
  std::uint64_t before_room = 0;
  bool has_slack = false;
  bool is_count = false;  // another field of the struct is as long as it says, or as often there
  std::vector<Test> must;
};
struct Struct {
  std::vector<Field> fields;
  std::vector<Assertion> assertions;
};

// The structs of a generation, made from its facts once.
class Structs {
 public:
  static const Structs& of(iggy::Generation generation) {
    static const Structs of_0_11(body_facts(iggy::Generation::v0_11));
    static const Structs of_0_12(body_facts(iggy::Generation::v0_12));
    return generation == iggy::Generation::v0_12 ? of_0_12 : of_0_11;
  }
  const Struct& named(const std::string& name) const { return *types_.at(name); }

  Struct made(const Json& facts) const {
    Struct type;
    fill(type, facts);
    return type;
  }

 private:
  explicit Structs(const Json& facts) : rules_(facts["rules"]) {
    for (const auto& [name, type] : facts["types"].items())
      types_[name] = std::make_unique<Struct>();
    for (const auto& [name, type] : facts["types"].items()) fill(*types_[name], type);
  }

  void fill(Struct& type, const Json& facts) const {
    for (const Json& field : facts["fields"]) type.fields.push_back(field_of(field));
    for (Field& field : type.fields)
      field.is_count =
          std::any_of(type.fields.begin(), type.fields.end(), [&field](const Field& other) {
            const bool counts = other.times == Field::Times::counted && other.count == field.name;
            return counts || other.size == field.name || other.within == field.name;
          });
    if (!facts.contains("assert")) return;
    for (const Json& rule : facts["assert"]) {
      Assertion assertion;
      if (rule.contains("if")) assertion.when = test_of(rule["if"]);
      assertion.what = {rule["field"], rule["op"], rule["value"]};
      type.assertions.push_back(std::move(assertion));
    }
  }

  static Test test_of(const Json& words) { return {words[0], words[1], words[2]}; }

  Field field_of(const Json& facts) const {
    static const std::map<std::string, std::uint32_t> numbers{
        {"u8", 1}, {"bool8", 1}, {"u16", 2}, {"u32", 4}, {"f32", 4}, {"u64", 8}, {"u128", 16}};
    Field field;
    field.name = facts["name"];
    const std::string type = facts["type"];
    if (const auto number = numbers.find(type); number != numbers.end()) {
      field.is_number = true;
      field.width = number->second;
    } else if (type != "bytes" && type != "utf8") {
      field.type = types_.at(type).get();
    }
    if (facts.contains("size")) {
      if (facts["size"].is_number()) field.width = facts["size"];
      if (facts["size"].is_string()) field.size = facts["size"];
    }
    field.is_rest = std::exchange(field.size, field.size == "rest" ? "" : field.size) == "rest";
    field.is_zero = facts.contains("zero");
    if (facts.contains("if")) field.when = test_of(facts["if"]);
    if (facts.contains("must"))
      for (const Json& must : facts["must"]) field.must.push_back({field.name, must[0], must[1]});
    if (facts.contains("within")) read_room(field, facts["within"]);
    field.has_slack = facts.contains("slack");
    if (facts.contains("repeat")) read_repeat(field, facts);
    return field;
  }

  static void read_room(Field& field, const Json& within) {
    field.within = within.is_array() ? within[0] : within;
    if (within.is_array()) field.before_room = static_cast<std::uint64_t>(-within[1].get<int>());
  }

  void read_repeat(Field& field, const Json& facts) const {
    const Json& repeat = facts["repeat"];
    std::string told = facts.contains("doc") ? facts["doc"].get<std::string>() : "";
    if (facts.contains("rules")) told += rules_[facts["rules"].get<std::string>()].dump();
    const bool once_at_most = told.find("at most one") != std::string::npos ||
                              told.find("zero or one value") != std::string::npos;
    field.times = once_at_most ? Field::Times::optional : Field::Times::to_end;
    if (repeat.contains("count")) {
      field.times = Field::Times::counted;
      field.count = repeat["count"];
    }
    if (repeat.contains("while")) {
      field.times = Field::Times::chained;
      field.count = repeat["while"];
    }
  }

  const Json& rules_;
  std::map<std::string, std::unique_ptr<Struct>> types_;
};

struct Found {
  iggy::decode::ProblemKind kind{};
  std::string field;
  std::uint32_t offset = 0;
  friend bool operator==(const Found&, const Found&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Found& found) {
    return out << word_of(found.kind) << " of " << found.field << " at " << found.offset;
  }
};

// Where a number lies that says how long or how often something else is.
struct Place {
  std::string field;
  std::uint32_t offset = 0;
  std::uint32_t width = 0;
};

class Reader {
 public:
  Reader(iggy::Generation generation, iggy::decode::Window window)
      : generation_(generation),
        bytes_(window.captured),
        captured_(static_cast<std::uint32_t>(window.captured.size())),
        end_(window.on_wire) {}

  // Reads the structs behind each other, to the end of the window. False where the bytes ended.
  bool read(const std::vector<Struct>& parts) {
    for (const Struct& part : parts) {
      Values values;
      if (!fields(part, values)) return false;
    }
    if (at_ < end_) tell(Kind::trailing, "");
    return true;
  }

  std::vector<Found> problems;
  std::vector<Place> counts;

 private:
  using Kind = iggy::decode::ProblemKind;
  using Values = std::vector<std::pair<std::string, std::uint64_t>>;

  static std::uint64_t value_of(const Values& values, std::string_view name) {
    const auto found = std::find_if(values.rbegin(), values.rend(),
                                    [name](const auto& value) { return value.first == name; });
    if (found == values.rend()) throw std::out_of_range(std::string(name));
    return found->second;
  }

  void tell(Kind kind, const std::string& field) { problems.push_back({kind, field, at_}); }
  std::uint32_t left() const { return at_ < end_ ? end_ - at_ : 0; }

  bool need(std::uint64_t bytes, const std::string& field) {
    const bool is_sent = bytes <= left() && at_ <= end_;
    if (is_sent && at_ + bytes <= captured_) return true;
    tell(is_sent ? Kind::cut_by_capture : Kind::too_short, field);
    return false;
  }

  bool fields(const Struct& type, Values& values) {
    bool asks_for_kind = false;
    bool is_known_kind = false;
    for (const Field& field : type.fields) {
      if (field.when) {
        asks_for_kind = asks_for_kind || field.when->op == "==";
        if (!field.when->holds(value_of(values, field.when->field))) continue;
        is_known_kind = true;
      }
      if (!(field.within.empty() ? all(type, field, values) : room(type, field, values)))
        return false;
    }
    // A kind that nobody knows keeps its bytes.
    const bool has_length = type.fields.size() > 1 && type.fields[1].name == "length";
    return !asks_for_kind || is_known_kind || !has_length || run(value_of(values, "length"), "raw");
  }

  bool room(const Struct& type, const Field& field, Values& values) {
    const std::uint64_t told = value_of(values, field.within);
    const std::uint64_t bytes = told < field.before_room ? 0 : told - field.before_room;
    if (bytes > left()) {
      tell(Kind::too_short, field.name);
      return false;
    }
    const std::uint32_t outer = std::exchange(end_, at_ + static_cast<std::uint32_t>(bytes));
    // The head of a record tells the size of all of it.
    const bool is_record = field.before_room != 0 && end_ <= captured_;
    const bool complete = all(type, field, values) ? leave(field) : is_record;
    if (is_record) at_ = end_;
    end_ = outer;
    return complete;
  }
  bool leave(const Field& field) {
    if (left() == 0) return true;
    if (!field.has_slack) tell(Kind::trailing, field.name);
    return run(left(), field.name);
  }

  bool all(const Struct& type, const Field& field, Values& values) {
    switch (field.times) {
      case Field::Times::once:
        return one(type, field, values);
      case Field::Times::counted: {
        const Struct* const older = older_elements(field, values);
        const std::uint64_t count = value_of(values, field.count);
        for (std::uint64_t i = 0; i < count; ++i)
          if (!(older == nullptr ? one(type, field, values) : nested(*older, field, values)))
            return false;
        return true;
      }
      case Field::Times::to_end:
        while (at_ < end_)
          if (!one(type, field, values)) return false;
        return true;
      case Field::Times::optional:
        return at_ >= end_ || one(type, field, values);
      case Field::Times::chained:
        do {
          if (!one(type, field, values)) return false;
        } while (value_of(values, field.name + '.' + field.count) != 0);
        return true;
    }
    return false;
  }

  // The first builds of 0.12 tell less of a partition, and nothing but the bytes says so.
  const Struct* older_elements(const Field& field, const Values& values) const {
    if (generation_ != iggy::Generation::v0_12) return nullptr;
    const Structs& structs = Structs::of(generation_);
    if (field.type != &structs.named("partition_info")) return nullptr;
    constexpr std::uint64_t size = 64;  // as the name of the struct says
    return left() == size * value_of(values, field.count) ? &structs.named("partition_info_64")
                                                          : nullptr;
  }

  bool one(const Struct& type, const Field& field, Values& values) {
    if (field.type != nullptr) return nested(*field.type, field, values);
    if (field.is_number) return number(type, field, values);
    if (field.is_zero) return reserved(field);
    if (field.is_rest) return run(left(), field.name);
    return run(field.size.empty() ? field.width : value_of(values, field.size), field.name);
  }

  bool nested(const Struct& type, const Field& field, Values& values) {
    Values inner;
    if (!fields(type, inner)) return false;
    for (const auto& [name, value] : inner) values.emplace_back(field.name + '.' + name, value);
    return true;
  }

  bool number(const Struct& type, const Field& field, Values& values) {
    if (!need(field.width, field.name)) return false;
    std::uint64_t value = 0;
    for (std::uint32_t i = std::min(field.width, 8U); i > 0; --i)
      value = value << 8 | std::to_integer<std::uint64_t>(bytes_[at_ + i - 1]);
    for (std::uint32_t i = 8; i < field.width; ++i)
      if (bytes_[at_ + i] != std::byte{0}) value = ~std::uint64_t{0};
    if (field.is_count) counts.push_back({field.name, at_, field.width});
    values.emplace_back(field.name, value);
    const bool is_legal = legal(type, field, values, value);
    if (!is_legal) tell(Kind::out_of_range, field.name);
    // What it counts cannot be found.
    if (!is_legal && field.is_count) return false;
    at_ += field.width;
    return true;
  }

  static bool legal(const Struct& type, const Field& field, const Values& values,
                    std::uint64_t value) {
    for (const Test& must : field.must)
      if (!must.holds(value)) return false;
    for (const Assertion& rule : type.assertions) {
      if (rule.what.field != field.name) continue;
      if (rule.when && !rule.when->holds(value_of(values, rule.when->field))) continue;
      if (!rule.what.holds(value)) return false;
    }
    return true;
  }

  bool run(std::uint64_t length, const std::string& field) {
    if (!need(length, field)) return false;
    at_ += static_cast<std::uint32_t>(length);
    return true;
  }

  bool reserved(const Field& field) {
    const std::uint32_t start = at_;
    if (!run(field.width, field.name)) return false;
    for (std::uint32_t i = start; i < at_; ++i)
      if (bytes_[i] != std::byte{0}) {
        problems.push_back({Kind::not_zero, field.name, i});
        break;
      }
    return true;
  }

  iggy::Generation generation_;
  iggy::decode::Bytes bytes_;
  std::uint32_t captured_;
  std::uint32_t end_;
  std::uint32_t at_ = 0;
};

}  // namespace support::oracle
