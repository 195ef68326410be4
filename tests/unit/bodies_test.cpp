// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Bodies with known values: each decodes to exactly these, and to a problem where it is cut or
// where a length lies.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "decode/walk.hpp"
#include "support/body_facts.hpp"
#include "support/walk_order.hpp"

namespace iggy::decode {
namespace {

using describe::Field;
using describe::Layout;
using support::body_vectors;
using support::BodyVector;
using Buffer = std::vector<std::byte>;

bool has_values(const BodyVector& vector) {
  return vector.plan.state == BodyState::decoded;
}

TEST(Bodies, DecodeToKnownValues) {
  EXPECT_EQ(body_vectors().size(), 209U + 45U);
  std::size_t empty = 0;
  for (const BodyVector& vector : body_vectors()) {
    SCOPED_TRACE(vector.id);
    if (vector.bytes.empty()) {
      ++empty;
      EXPECT_TRUE(vector.plan.state == BodyState::empty || vector.plan.state == BodyState::none);
      const auto text = vector.decoded.dump();
      EXPECT_TRUE(text == "{}" || text == R"({"empty":true})" || text == R"({"payload":{}})");
      continue;
    }
    ASSERT_TRUE(has_values(vector));
    support::BodyRecorder recorder;
    Walk walk(whole(vector.bytes), recorder);
    EXPECT_TRUE(walk.read(*vector.plan.layout));
    walk.finish();
    EXPECT_TRUE(recorder.problems.empty());
    EXPECT_EQ(recorder.body().dump(), vector.decoded.dump());
  }
  EXPECT_EQ(empty, 25U);
}

struct Walked {
  bool complete = false;
  int problems = 0;
  Problem last;
};

Walked walk_of(const Layout& layout, Window window) {
  support::WalkOrder order(window, 0);
  Walk walk(window, order);
  const bool complete = walk.read(layout);
  order.done(complete);
  EXPECT_EQ(order.broken_promise, nullptr);
  return {complete, order.problems, order.last};
}

// What the facts say is wrong with the bytes, and what the walk says.
using Problems = std::vector<support::oracle::Found>;

Problems expected_problems(const BodyVector& vector, Window window) {
  support::oracle::Reader reader(vector.generation, window);
  reader.read(vector.facts);
  return reader.problems;
}

Problems told_problems(const BodyVector& vector, Window window) {
  support::BodyRecorder recorder;
  Walk walk(window, recorder);
  walk.read(*vector.plan.layout);
  if (!walk.has_stopped()) walk.finish();
  Problems told;
  for (const Problem& problem : recorder.problems)
    told.push_back({problem.kind, problem.field == nullptr ? "" : std::string(problem.field->name),
                    problem.offset});
  return told;
}

// In a buffer of their own, so that a sanitizer sees a read behind them.
Buffer first_of(const Buffer& bytes, std::size_t length) {
  Buffer piece(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length));
  piece.shrink_to_fit();
  return piece;
}

TEST(Bodies, EveryPrefixIsCutOrShort) {
  std::size_t short_ones = 0;
  for (const BodyVector& vector : body_vectors()) {
    if (!has_values(vector)) continue;
    const Layout& layout = *vector.plan.layout;
    EXPECT_TRUE(expected_problems(vector, whole(vector.bytes)).empty()) << vector.id;
    for (std::size_t length = 0; length < vector.bytes.size(); ++length) {
      SCOPED_TRACE(vector.id + ", " + std::to_string(length));
      const Buffer piece = first_of(vector.bytes, length);
      const Window cut{piece, static_cast<std::uint32_t>(vector.bytes.size())};
      const Walked walked = walk_of(layout, cut);
      EXPECT_FALSE(walked.complete);
      EXPECT_EQ(walked.problems, 1);
      EXPECT_EQ(walked.last.kind, ProblemKind::cut_by_capture);
      EXPECT_EQ(told_problems(vector, cut), expected_problems(vector, cut));
      walk_of(layout, whole(piece));
      const Problems expected = expected_problems(vector, whole(piece));
      EXPECT_EQ(told_problems(vector, whole(piece)), expected);
      if (!expected.empty()) ++short_ones;
      // A list that ends with the body may end between two elements: nothing is wrong then.
      EXPECT_TRUE(expected.empty() || expected.back().kind == ProblemKind::too_short);
    }
  }
  EXPECT_GT(short_ones, 10'000U);
}

// Where the counts of a body lie.
struct Counts {
  struct Place {
    const Field* field;
    Range range;
  };
  void integer(const Field& field, std::uint64_t, Range range) {
    if (is_count(field)) places.push_back({&field, range});
  }
  void wide(const Field&, U128, Range) {}
  void run(const Field&, Bytes, Range) {}
  void list(const Field&, std::uint32_t) {}
  bool enter(const Field&, const Layout&, std::uint32_t) { return true; }
  void leave(const Field&, const Layout&, Range) {}
  void problem(const Problem&) {}
  std::vector<Place> places;
};

// Counts all that is told.
struct Work {
  void integer(const Field&, std::uint64_t, Range) { ++events; }
  void wide(const Field&, U128, Range) { ++events; }
  void run(const Field&, Bytes, Range) { ++events; }
  void list(const Field&, std::uint32_t) { ++events; }
  bool enter(const Field&, const Layout&, std::uint32_t) { return ++events != 0; }
  void leave(const Field&, const Layout&, Range) {}
  void problem(const Problem&) { ++events; }
  std::size_t events = 0;
};

// What may stand where a count does: nothing, the most, one more than all bytes that follow, and
// one more and one less than is right. As the count has room for.
std::set<std::uint64_t> lies_about(std::uint64_t right, Range range, std::size_t size) {
  const std::uint64_t most =
      range.length == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * range.length)) - 1;
  std::set<std::uint64_t> lies{0, most};
  for (const std::uint64_t lie : {size - range.offset - range.length + 1, right + 1, right - 1})
    if (lie <= most) lies.insert(lie);
  lies.erase(right);
  return lies;
}

TEST(Bodies, LyingCountsAreFound) {
  std::size_t lies = 0;
  std::size_t found = 0;
  for (const BodyVector& vector : body_vectors()) {
    if (!has_values(vector)) continue;
    Counts counts;
    Walk(whole(vector.bytes), counts).read(*vector.plan.layout);
    for (const auto& [field, range] : counts.places) {
      std::uint64_t right = 0;
      for (std::uint32_t i = range.length; i > 0; --i)
        right = right << 8 | std::to_integer<std::uint64_t>(vector.bytes[range.offset + i - 1]);
      for (const std::uint64_t lie : lies_about(right, range, vector.bytes.size())) {
        SCOPED_TRACE(vector.id + ' ' + std::string(field->name) + '=' + std::to_string(lie));
        Buffer bytes = first_of(vector.bytes, vector.bytes.size());
        for (std::uint32_t i = 0; i < range.length; ++i)
          bytes[range.offset + i] = static_cast<std::byte>(lie >> (8 * i));
        walk_of(*vector.plan.layout, whole(bytes));
        Work work;
        Walk(whole(bytes), work).read(*vector.plan.layout);
        EXPECT_LE(work.events, 64 + 4 * bytes.size());
        const Problems expected = expected_problems(vector, whole(bytes));
        EXPECT_EQ(told_problems(vector, whole(bytes)), expected);
        ++lies;
        if (!expected.empty()) ++found;
      }
    }
  }
  EXPECT_GT(lies, 2'000U);
  EXPECT_GT(found, 1'500U);
}

// The walk knows each number that the facts call a length or a count.
TEST(Bodies, CountsAreThoseOfTheFacts) {
  for (const BodyVector& vector : body_vectors()) {
    if (!has_values(vector)) continue;
    SCOPED_TRACE(vector.id);
    support::oracle::Reader reader(vector.generation, whole(vector.bytes));
    EXPECT_TRUE(reader.read(vector.facts));
    Counts counts;
    Walk(whole(vector.bytes), counts).read(*vector.plan.layout);
    for (const support::oracle::Place& place : reader.counts) {
      const auto is_there = [&place](const Counts::Place& one) {
        return one.field->name == place.field && one.range.offset == place.offset &&
               one.range.length == place.width;
      };
      EXPECT_TRUE(std::any_of(counts.places.begin(), counts.places.end(), is_there))
          << place.field << " at " << place.offset;
    }
  }
}

}  // namespace
}  // namespace iggy::decode
