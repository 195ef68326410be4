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
#include "describe/proofs.hpp"
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

// A list that ends with the body may end between two elements, and elements of one size look like a
// whole list where their number fits the bytes.
bool may_end_early(const Layout& layout) {
  if (describe::takes_the_rest(layout)) return true;
  return std::any_of(layout.fields.begin(), layout.fields.end(), [](const Field& field) {
    return field.when == describe::When::exact ||
           (describe::nests_layout(field) && may_end_early(*field.layout));
  });
}

TEST(Bodies, EveryPrefixIsCutOrShort) {
  for (const BodyVector& vector : body_vectors()) {
    if (!has_values(vector)) continue;
    const Layout& layout = *vector.plan.layout;
    for (std::size_t length = 0; length < vector.bytes.size(); ++length) {
      SCOPED_TRACE(vector.id + ", " + std::to_string(length));
      const Buffer piece(vector.bytes.begin(),
                         vector.bytes.begin() + static_cast<std::ptrdiff_t>(length));
      const Walked cut = walk_of(layout, {piece, static_cast<std::uint32_t>(vector.bytes.size())});
      EXPECT_FALSE(cut.complete);
      EXPECT_EQ(cut.last.kind, ProblemKind::cut_by_capture);
      const Walked sent = walk_of(layout, whole(piece));
      if (sent.complete && may_end_early(layout)) continue;
      EXPECT_FALSE(sent.complete);
      EXPECT_EQ(sent.problems, 1);
      EXPECT_EQ(sent.last.kind, ProblemKind::too_short);
      EXPECT_LE(sent.last.offset, length);
    }
  }
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
  void problem(const Problem& problem) {
    ++events;
    problems.push_back(problem);
  }
  std::size_t events = 0;
  std::vector<Problem> problems;
};

// Counts that entries of a list tell and that nothing follows.
bool is_only_told(const Field& field) {
  static const std::set<std::string_view> names{"topics_count", "partitions_count", "members_count",
                                                "consumer_groups_count"};
  return names.contains(field.name);
}

TEST(Bodies, LyingCountsAreFound) {
  std::size_t lies = 0;
  for (const BodyVector& vector : body_vectors()) {
    if (!has_values(vector)) continue;
    Counts counts;
    Walk(whole(vector.bytes), counts).read(*vector.plan.layout);
    for (const auto& [field, range] : counts.places) {
      const std::uint64_t rest = vector.bytes.size() - range.offset - range.length;
      for (const std::uint64_t lie : {std::uint64_t{0}, ~std::uint64_t{0}, rest + 1}) {
        SCOPED_TRACE(vector.id + ' ' + std::string(field->name) + '=' + std::to_string(lie));
        Buffer bytes = vector.bytes;
        for (std::uint32_t i = 0; i < range.length; ++i)
          bytes[range.offset + i] = static_cast<std::byte>(lie >> (8 * i));
        walk_of(*vector.plan.layout, whole(bytes));
        Work work;
        Walk walk(whole(bytes), work);
        if (walk.read(*vector.plan.layout)) walk.finish();
        EXPECT_LE(work.events, 64 + 4 * bytes.size());
        const std::uint64_t written =
            range.length == 8 ? lie : lie & ((std::uint64_t{1} << (8 * range.length)) - 1);
        if (written <= rest || is_only_told(*field)) continue;
        ++lies;
        ASSERT_FALSE(work.problems.empty());
        const Problem& first = work.problems.front();
        // The length of a batch counts its header too, so that it may take what follows the batch.
        EXPECT_TRUE(first.kind == ProblemKind::too_short ||
                    first.kind == ProblemKind::out_of_range ||
                    (first.kind == ProblemKind::trailing && field->name == "batch_length"))
            << word_of(first.kind);
        EXPECT_GE(first.offset, range.offset);
        if (first.field == field) {
          EXPECT_EQ(first.offset, range.offset);
        }
      }
    }
  }
  EXPECT_GT(lies, 400U);
}

}  // namespace
}  // namespace iggy::decode
