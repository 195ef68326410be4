// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// A sink of the walk that writes each row as a member of a JSON object, under the row's own name.
//
// Rows that the tables mark secret come out as "***" unless secrets are asked for, and rows of
// payload do not come out unless payloads are. A list is an array, also when it is empty.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "decode/problem.hpp"
#include "decode/window.hpp"
#include "describe/field.hpp"
#include "report/json_writer.hpp"

namespace analyzer::report {

inline constexpr std::string_view masked = "***";

// What is shown only to who asks for it.
struct Shown {
  bool secrets = false;
  bool payload = false;
  std::uint32_t max_payload = 0xffffffff;  // bytes of each
  bool verdicts = false;                   // whether batches of messages hold
  bool bodies = true;                      // of frames
};

// As much of a payload as is shown.
iggy::decode::Bytes front_of(iggy::decode::Bytes payload, Shown shows);

class JsonSink {
 public:
  // Writes into the object that the caller has begun. `problems` gets what is wrong.
  JsonSink(JsonWriter& json, std::vector<iggy::decode::Problem>& problems, Shown shows)
      : json_(json), problems_(problems), shows_(shows) {}

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
  void problem(const iggy::decode::Problem& problem) { problems_.push_back(problem); }

  // Closes what is open in the outermost layout; the caller ends the object.
  void finish();

 private:
  // Begins a value; false when its place is already taken or stays empty.
  bool begin(const iggy::describe::Field& field);
  void member(const iggy::describe::Field& field);

  JsonWriter& json_;
  std::vector<iggy::decode::Problem>& problems_;
  Shown shows_;
  std::vector<bool> has_open_list_{false};  // of each layout that is open
};

}  // namespace analyzer::report
