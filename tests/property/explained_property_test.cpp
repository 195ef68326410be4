// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Every byte of every frame of the real captures belongs to a row, or to a problem that says why
// not. The only others are the bodies that no table describes, and these are counted by command.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "decode/body.hpp"
#include "iggy/registry.hpp"
#include "real_captures.hpp"

namespace property {
namespace {

using analyzer::connection::Connection;
using analyzer::connection::Frame;
using analyzer::connection::Side;
using iggy::decode::BodyPlan;
using iggy::decode::BodyState;
using iggy::decode::Problem;
using iggy::decode::Range;
using iggy::decode::Walk;
using iggy::decode::Window;
using iggy::describe::Field;
using iggy::describe::Layout;

// Sums the bytes that rows claim, and finds where a problem begins that gives up the rest.
struct Claimed {
  void integer(const Field&, std::uint64_t, Range range) { bytes += range.length; }
  void wide(const Field&, iggy::decode::U128, Range range) { bytes += range.length; }
  void run(const Field&, iggy::decode::Bytes, Range range) { bytes += range.length; }
  void list(const Field&, std::uint32_t) {}
  bool enter(const Field&, const Layout&, std::uint32_t) { return true; }
  void leave(const Field&, const Layout&, Range) {}
  void problem(const Problem& problem) {
    ++problems;
    last = problem;
  }
  std::uint64_t bytes = 0;
  std::size_t problems = 0;
  Problem last;
};

class Explained final : public analyzer::connection::FrameObserver {
 public:
  std::uint32_t wanted_body(const iggy::decode::Facts&) const override {
    return iggy::conversation::max_frame_bytes;
  }
  void frame(const Connection&, const Frame& frame) override {
    ++frames;
    header(frame);
    body(frame);
  }

  std::size_t frames = 0;
  std::uint64_t described = 0;                       // bytes of bodies with a row
  std::map<std::string, std::uint64_t> undescribed;  // bytes of bodies by command

 private:
  void header(const Frame& frame) {
    Claimed claimed;
    const Layout& layout = header_layout_of(frame.facts, frame.generation);
    Walk(iggy::decode::whole(frame.raw.header), claimed).read(layout);
    EXPECT_EQ(claimed.bytes, frame.raw.header.size()) << frame.raw.place.packet;
  }

  void body(const Frame& frame) {
    const Window window = frame.raw.body;
    if (window.on_wire == 0 || window.captured.size() < window.on_wire) return;
    const BodyPlan plan = plan_body(frame.facts, frame.generation, frame.code, window);
    if (plan.layout == nullptr) {
      undescribed[name_of(frame)] += window.on_wire;
      return;
    }
    Claimed claimed;
    read_body(plan, window, true, claimed);
    described += claimed.bytes;
    if (claimed.bytes == window.on_wire) return;
    EXPECT_TRUE(names_rest(claimed, window))
        << "packet " << frame.raw.place.packet << ", " << window.on_wire - claimed.bytes
        << " bytes of " << name_of(frame);
  }

  // Whether the last problem stands where the rows end, or tells of all bytes behind them.
  static bool names_rest(const Claimed& claimed, Window window) {
    using iggy::decode::ProblemKind;
    if (claimed.problems == 0) return false;
    const Problem& last = claimed.last;
    const bool is_behind = last.kind == ProblemKind::trailing || last.kind == ProblemKind::ignored;
    if (is_behind) return claimed.bytes + last.available == window.on_wire;
    return last.kind == ProblemKind::malformed || claimed.bytes >= last.offset;
  }

  static std::string name_of(const Frame& frame) {
    std::string name(iggy::decode::command_name_of(frame.facts));
    if (frame.facts.is_request() || frame.facts.is_reply())
      name += frame.name.empty() ? " of an unknown command" : " " + std::string(frame.name);
    return name;
  }
};

// What a body may hold that no table describes.
bool may_be_undescribed(const std::string& name) {
  static const char* const known[] = {
      "Request of an unknown command",
      "Reply of an unknown command",
      "DoViewChange",
      "StartView",
      "StateTransferTarget",
      "StateChunk",
  };
  return std::find(std::begin(known), std::end(known), name) != std::end(known);
}

class ExplainedTest : public testing::TestWithParam<std::size_t> {};

TEST_P(ExplainedTest, EveryByteHasARowOrAProblem) {
  const Capture& capture = real_captures()[GetParam()];
  Explained explained;
  follow(capture, whole_order(capture), explained);
  EXPECT_TRUE(explained.frames > 0 || capture.name.find("tls") != std::string::npos);
  for (const auto& [name, bytes] : explained.undescribed)
    EXPECT_TRUE(may_be_undescribed(name)) << bytes << " bytes of " << name;
}

TEST(Explained, BodiesAreLookedAt) {
  std::uint64_t described = 0;
  for (const Capture& capture : real_captures()) {
    Explained explained;
    follow(capture, whole_order(capture), explained);
    described += explained.described;
  }
  EXPECT_GT(described, 1'000'000U);
}

INSTANTIATE_TEST_SUITE_P(RealCaptures, ExplainedTest,
                         testing::Range<std::size_t>(0, real_captures().size()),
                         [](const auto& param) {
                           return test_name(real_captures()[param.param].name);
                         });

}  // namespace
}  // namespace property
