// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What a walk tells, as text, and what is expected of one that ends early.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "decode/walk.hpp"
#include "support/body_recorder.hpp"
#include "support/walk_order.hpp"

namespace support {

using iggy::decode::Bytes;
using iggy::decode::Problem;
using iggy::decode::ProblemKind;
using iggy::decode::Range;
using iggy::decode::U128;
using iggy::decode::Walk;
using iggy::decode::Window;
using iggy::describe::Field;
using iggy::describe::Layout;

// All that a walk tells, as text, so that two walks can be compared.
class Transcript {
 public:
  explicit Transcript(int decline_from_depth = 1'000) : decline_from_depth_(decline_from_depth) {}

  void integer(const Field& field, std::uint64_t value, Range range) {
    values.push_back(std::string(field.name) + '=' + std::to_string(value) + at(range));
  }
  void wide(const Field& field, U128 value, Range range) {
    values.push_back(std::string(field.name) + '=' + decimal_of(value) + at(range));
  }
  void run(const Field& field, Bytes bytes, Range range) {
    values.push_back(std::string(field.name) + '=' + hex_of(bytes) + at(range));
  }
  void list(const Field&, std::uint32_t) {}
  bool enter(const Field& field, const Layout&, std::uint32_t offset) {
    values.push_back(std::string(field.name) + '{' + std::to_string(offset));
    if (depth_ >= decline_from_depth_) return false;
    ++depth_;
    return true;
  }
  void leave(const Field& field, const Layout&, Range range) {
    values.push_back(std::string(field.name) + '}' + at(range));
    --depth_;
  }
  void problem(const Problem& found) { problems.push_back(found); }

  std::vector<std::string> values;
  std::vector<Problem> problems;

 private:
  static std::string at(Range range) {
    return '@' + std::to_string(range.offset) + '+' + std::to_string(range.length);
  }
  int decline_from_depth_;
  int depth_ = 0;
};

inline void expect_one_problem(const Layout& layout, Window window, ProblemKind kind) {
  WalkOrder order(window, 0);
  Walk walk(window, order);
  const bool complete = walk.read(layout);
  EXPECT_FALSE(complete);
  order.done(complete);
  EXPECT_EQ(order.problems, 1);
  EXPECT_EQ(order.last.kind, kind);
  EXPECT_NE(order.last.field, nullptr);
  EXPECT_LE(order.last.offset, window.captured.size());
  EXPECT_EQ(order.broken_promise, nullptr);
}

inline Transcript transcript_of(const Layout& layout, const std::vector<std::byte>& bytes) {
  Transcript transcript;
  Walk walk(iggy::decode::whole(bytes), transcript);
  walk.read(layout);
  return transcript;
}

}  // namespace support
