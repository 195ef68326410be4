// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// A sink of the walk that writes what rows mean, beside the object that holds their values: names
// of numbers, times, versions, user headers and options.
//
// Its members have the places of the rows that they explain; elements of lists are members named by
// their numbers from 0 on, so that those without a meaning cost nothing. A masked value stays
// masked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "decode/problem.hpp"
#include "decode/typed_value.hpp"
#include "decode/window.hpp"
#include "describe/field.hpp"
#include "iggy/options.hpp"
#include "report/json_sink.hpp"
#include "report/json_writer.hpp"

namespace analyzer::report {

class DecodedSink {
 public:
  // Writes members into the object that the caller has begun: one named `region`, where there is
  // anything to say.
  DecodedSink(JsonWriter& json, std::string_view region, Shown shows)
      : json_(json), shows_(shows), open_{Level{.name = region}} {}
  // Members of that object itself, for rows that are told one by one.
  DecodedSink(JsonWriter& json, Shown shows) : json_(json), shows_(shows) {}

  void integer(const iggy::describe::Field& field, std::uint64_t value, iggy::decode::Range range);
  void wide(const iggy::describe::Field& field, iggy::decode::U128 value,
            iggy::decode::Range range);
  void run(const iggy::describe::Field& field, iggy::decode::Bytes bytes,
           iggy::decode::Range range);
  void list(const iggy::describe::Field& field, std::uint32_t at);
  bool enter(const iggy::describe::Field& field, const iggy::describe::Layout& layout,
             std::uint32_t at);
  void leave(const iggy::describe::Field& field, const iggy::describe::Layout& layout,
             iggy::decode::Range range);
  void problem(const iggy::decode::Problem&) {}

  // Closes what is open.
  void finish();

 private:
  // A container around what comes next. It is only written once there is something in it.
  struct Level {
    std::string_view name;
    std::uint64_t number = 0;  // of an element, which has no name
    std::uint64_t elements = 0;
    bool is_element = false;
    bool is_list = false;
    bool is_array = false;  // of pairs
    bool is_begun = false;
  };
  // A key that waits for its value, as JSON.
  struct Key {
    std::string json;
    bool is_text = false;
    std::string kind;
    const iggy::Option* option = nullptr;
  };

  // Takes note that a value of the row stands here; `member` begins what it means.
  void pass(const iggy::describe::Field& field);
  JsonWriter& member(const iggy::describe::Field& field);
  void write_key(const Level& level);
  void begin_levels();
  void close_list();
  void close();
  void typed(const iggy::describe::Field& field, const iggy::decode::TypedValue& value);
  void write_pair(const iggy::describe::Field& field, const iggy::decode::TypedValue& value);

  JsonWriter& json_;
  Shown shows_;
  std::vector<Level> open_;
  std::string_view alias_;  // of the next list: what it is in
  iggy::decode::NextKind kinds_;
  bool is_in_pair_ = false;
  std::optional<Key> key_;
};

}  // namespace analyzer::report
