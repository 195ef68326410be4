// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What the encoder of tests writes is what the walk reads, for every command of every generation
// that has tables of bodies.
#include "support/encoder.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "decode/body.hpp"
#include "iggy/layouts.hpp"
#include "iggy/registry.hpp"
#include "support/body_facts.hpp"
#include "support/json_holds.hpp"
#include "support/some_values.hpp"

namespace support {
namespace {

using iggy::Generation;
using iggy::decode::BodyState;
using iggy::describe::Field;
using iggy::describe::Layout;
using iggy::describe::Role;

// Takes the counts out of a body's JSON, so that the encoder has to find them. Those that nothing
// takes stay, since only the body knows them.
class Stripped {
 public:
  static Json of(const Layout& layout, const Json& values) {
    Json made = values;
    for (const Field& field : layout.fields) {
      const std::string name(field.name);
      if (!made.contains(name)) continue;
      if (field.role == Role::count && is_number(field)) made.erase(name);
      if (field.kind != iggy::describe::Kind::group) continue;
      if (!is_list(field)) {
        made[name] = of(*field.layout, made[name]);
        continue;
      }
      for (Json& element : made[name]) element = of(*field.layout, element);
    }
    return made;
  }
};

struct Told {
  Json body;
  bool is_clean = false;
};
Told told_of(const Layout& layout, const Buffer& bytes) {
  BodyRecorder recorder;
  iggy::decode::Walk walk(iggy::decode::whole(bytes), recorder);
  const bool complete = walk.read(layout);
  walk.finish();
  return {recorder.body(), complete && recorder.problems.empty()};
}

TEST(Encoder, WritesTheBytesOfEveryKnownBody) {
  for (const BodyVector& vector : body_vectors()) {
    if (vector.plan.state != BodyState::decoded) continue;
    SCOPED_TRACE(vector.id);
    EXPECT_EQ(hex_of(Encoder::encode(*vector.plan.layout, vector.decoded)), hex_of(vector.bytes));
  }
}

TEST(Encoder, FindsTheCounts) {
  std::size_t compared = 0;
  for (const BodyVector& vector : body_vectors()) {
    if (vector.plan.state != BodyState::decoded) continue;
    SCOPED_TRACE(vector.id);
    const Layout& layout = *vector.plan.layout;
    const Buffer bytes = Encoder::encode(layout, Stripped::of(layout, vector.decoded));
    EXPECT_EQ(bytes.size(), vector.bytes.size());
    const Told told = told_of(layout, bytes);
    EXPECT_TRUE(told.is_clean);
    EXPECT_TRUE(holds(told.body, Stripped::of(layout, vector.decoded)));
    ++compared;
  }
  EXPECT_GT(compared, 150U);
}

void expect_round_trip(const Layout& layout, SomeValues& some) {
  const Json values = some.of(layout);
  const Buffer bytes = Encoder::encode(layout, values);
  const Told told = told_of(layout, bytes);
  EXPECT_TRUE(told.is_clean) << values.dump();
  EXPECT_TRUE(holds(told.body, values)) << values.dump() << "\n" << told.body.dump();
  EXPECT_EQ(hex_of(Encoder::encode(layout, told.body)), hex_of(bytes));
}

constexpr Generation with_bodies[] = {Generation::legacy, Generation::v0_11, Generation::v0_12};
constexpr Generation with_headers[] = {Generation::v0_11, Generation::v0_12};
constexpr int rounds = 20;

TEST(Encoder, RoundTripsEveryBodyOfEveryCommand) {
  SomeValues some(1);
  for (const Generation generation : with_bodies) {
    std::size_t commands = 0;
    for (const iggy::Exchange& exchange : iggy::exchanges(generation)) {
      const auto every = iggy::every_bodies(generation, exchange.code);
      commands += every.empty() ? 0U : 1U;
      for (const iggy::CommandBodies& bodies : every) {
        for (int i = 0; i < rounds; ++i) {
          SCOPED_TRACE(exchange.name);
          expect_round_trip(*bodies.request.layout, some);
          expect_round_trip(*bodies.reply.layout, some);
        }
      }
    }
    EXPECT_EQ(commands, iggy::exchanges(generation).size());
  }
}

TEST(Encoder, RoundTripsBodiesOfOlderBuilds) {
  SomeValues some(7);
  for (const iggy::BodyTables& tables : iggy::body_tables) {
    for (const iggy::OlderBodies& older : tables.older) {
      for (int i = 0; i < rounds; ++i) {
        for (const iggy::CommandBodies& row : older.commands) {
          SCOPED_TRACE(row.code);
          expect_round_trip(*row.request.layout, some);
          expect_round_trip(*row.reply.layout, some);
        }
        for (const iggy::ReplicatedBody& row : older.replicated)
          expect_round_trip(*row.body.layout, some);
      }
    }
  }
}

TEST(Encoder, RoundTripsWhatReplicasSend) {
  SomeValues some(2);
  std::size_t bodies = 0;
  for (const Generation generation : with_headers) {
    for (unsigned operation = 0; operation < 256; ++operation) {
      const Layout* const layout =
          iggy::replicated_body(generation, static_cast<std::uint8_t>(operation)).layout;
      if (layout == nullptr) continue;
      SCOPED_TRACE(operation);
      ++bodies;
      for (int i = 0; i < rounds; ++i) expect_round_trip(*layout, some);
    }
  }
  EXPECT_GE(bodies, 60U);
}

TEST(Encoder, RoundTripsWhatControlFramesCarry) {
  SomeValues some(5);
  std::size_t bodies = 0;
  for (const iggy::BodyTables& tables : iggy::body_tables) {
    for (const iggy::ControlBody& row : tables.control) {
      SCOPED_TRACE(row.body.layout->title);
      ++bodies;
      for (int i = 0; i < rounds; ++i) expect_round_trip(*row.body.layout, some);
    }
  }
  EXPECT_GE(bodies, 15U);
}

TEST(Encoder, RoundTripsEveryHeader) {
  SomeValues some(3);
  for (const Generation generation : with_headers) {
    for (unsigned command = 0; command <= iggy::highest_command; ++command) {
      const Layout* const layout =
          iggy::header_layout(generation, static_cast<std::uint8_t>(command));
      if (layout == nullptr) continue;
      SCOPED_TRACE(command);
      for (int i = 0; i < rounds; ++i) {
        const Json values = some.of(*layout);
        const Buffer bytes = Encoder::encode(*layout, values);
        EXPECT_EQ(bytes.size(), 256U);
        EXPECT_TRUE(holds(told_of(*layout, bytes).body, values));
      }
    }
  }
}

}  // namespace
}  // namespace support
