// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// How long one header takes: walked row by row, and read at the places that analyze needs.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>

#include "decode/facts.hpp"
#include "decode/walk.hpp"
#include "iggy/registry.hpp"
#include "support/frame_builder.hpp"

namespace {

using namespace iggy::decode;
using iggy::describe::Field;
using iggy::describe::Layout;

// The least that a sink can do with what it is told.
struct Count {
  std::uint64_t values = 0;
  std::uint64_t sum = 0;
  void integer(const Field&, std::uint64_t value, Range) {
    ++values;
    sum += value;
  }
  void wide(const Field&, U128 value, Range) {
    ++values;
    sum += value.low;
  }
  void run(const Field&, Bytes bytes, Range) {
    ++values;
    sum += bytes.size();
  }
  void list(const Field&, std::uint32_t) {}
  bool enter(const Field&, const Layout&, std::uint32_t) { return true; }
  void leave(const Field&, const Layout&, Range) {}
  void problem(const Problem&) { ++values; }
};

support::Frame header_of(iggy::Command command) {
  if (command == iggy::Command::Request) return support::request({.operation = 160, .number = 7});
  if (command == iggy::Command::Reply) return support::reply({.operation = 160, .number = 7});
  return support::frame(command, iggy::header_size);
}

void walk_header(benchmark::State& state, iggy::Command command) {
  const support::Frame header = header_of(command);
  const auto byte = static_cast<std::uint8_t>(command);
  for (auto _ : state) {
    const Layout* layout = iggy::header_layout(iggy::Generation::v0_11, byte);
    Count count;
    Walk walk(whole(header), count);
    benchmark::DoNotOptimize(walk.read(*layout));
    benchmark::DoNotOptimize(count);
  }
}

void read_facts(benchmark::State& state, iggy::Command command) {
  const support::Frame header = header_of(command);
  for (auto _ : state) {
    Facts facts = facts_of(header, iggy::Generation::v0_11);
    benchmark::DoNotOptimize(facts);
  }
}

BENCHMARK_CAPTURE(walk_header, request, iggy::Command::Request);
BENCHMARK_CAPTURE(walk_header, reply, iggy::Command::Reply);
BENCHMARK_CAPTURE(walk_header, prepare, iggy::Command::Prepare);
BENCHMARK_CAPTURE(read_facts, request, iggy::Command::Request);
BENCHMARK_CAPTURE(read_facts, reply, iggy::Command::Reply);
BENCHMARK_CAPTURE(read_facts, prepare, iggy::Command::Prepare);

}  // namespace
