// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Every byte of every frame of the real captures belongs to a row, and nothing is wrong with any,
// but for the frames that the truths mark: there a problem names the bytes that no row has.
//
// marked.txt beside the captures lists them; tests/golden/truths.py holds it against the truths.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

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
using iggy::decode::ProblemKind;
using iggy::decode::Range;
using iggy::decode::Walk;
using iggy::decode::Window;
using iggy::describe::Field;
using iggy::describe::Layout;

// What a truth says of a body that is not as it should be.
enum class Mark { none, bad, unknown };

// The marked frames by what tells them apart, as a line of the list does.
std::map<std::string, Mark> marked_frames(const std::string& capture) {
  std::ifstream in(support::test_data("captures/marked.txt"));
  EXPECT_TRUE(in);
  std::map<std::string, Mark> marks;
  for (std::string line; std::getline(in, line);) {
    const std::size_t end = line.rfind(' ');
    if (!line.starts_with(capture + ' ')) continue;
    const Mark mark = line.substr(end + 1) == "bad" ? Mark::bad : Mark::unknown;
    EXPECT_TRUE(marks.emplace(line.substr(0, end), mark).second) << line;
  }
  return marks;
}

// Sums the bytes that rows claim, and keeps what is wrong with them.
struct Claimed {
  void integer(const Field&, std::uint64_t, Range range) { bytes += range.length; }
  void wide(const Field&, iggy::decode::U128, Range range) { bytes += range.length; }
  void run(const Field&, iggy::decode::Bytes, Range range) { bytes += range.length; }
  void list(const Field&, std::uint32_t) {}
  bool enter(const Field&, const Layout&, std::uint32_t) { return true; }
  void leave(const Field&, const Layout&, Range) {}
  void problem(const Problem& problem) { problems.push_back(problem); }

  std::uint64_t bytes = 0;
  std::vector<Problem> problems;
};

class Explained final : public analyzer::connection::FrameObserver {
 public:
  explicit Explained(const std::string& capture)
      : capture_(capture), marks_(marked_frames(capture)) {}

  std::uint32_t wanted_body(const iggy::decode::Facts&) const override {
    return iggy::conversation::max_frame_bytes;
  }
  void frame(const Connection&, const Frame& frame) override {
    ++frames;
    const std::string line = line_of(frame);
    SCOPED_TRACE(line + ' ' + std::string(frame.name));
    header(frame);
    const auto found = marks_.find(line);
    const Mark mark = found == marks_.end() ? Mark::none : found->second;
    if (found != marks_.end()) marks_.erase(found);
    body(frame, mark);
  }

  // Marked frames that did not come, or came only once where two are marked.
  const std::map<std::string, Mark>& unseen() const { return marks_; }

  std::size_t frames = 0;
  std::uint64_t described = 0;  // bytes of bodies with a row
  std::uint64_t cut = 0;        // bodies that the capture cut

 private:
  std::string line_of(const Frame& frame) const {
    std::ostringstream line;
    line << capture_ << ' ' << frame.raw.place.packet << ' '
         << (frame.from == Side::client ? "client" : "server") << ' '
         << iggy::decode::command_name_of(frame.facts) << ' ' << frame.raw.size;
    return line.str();
  }

  static void header(const Frame& frame) {
    Claimed claimed;
    const Layout& layout = header_layout_of(frame.facts, frame.generation);
    Walk(iggy::decode::whole(frame.raw.header), claimed).read(layout);
    EXPECT_EQ(claimed.bytes, frame.raw.header.size());
    EXPECT_TRUE(claimed.problems.empty());
  }

  void body(const Frame& frame, Mark mark) {
    const Window window = frame.raw.body;
    const BodyPlan plan = plan_body(frame.facts, frame.dialect(), frame.code, window);
    Claimed claimed;
    read_body(plan, window, true, claimed);
    described += claimed.bytes;
    if (mark == Mark::bad) return expect_named(claimed, window);
    if (mark == Mark::unknown) return expect_untouched(plan, claimed);
    if (window.captured.size() < window.on_wire) return expect_cut(plan, claimed, window);
    ASSERT_TRUE(window.on_wire == 0 || plan.layout != nullptr);
    std::uint64_t told = claimed.bytes;
    for (const Problem& problem : claimed.problems) {
      // Who receives them does not look at them, which is told.
      EXPECT_EQ(problem.kind, ProblemKind::ignored) << word_of(problem.kind);
      EXPECT_EQ(problem.offset, claimed.bytes);
      told += problem.available;
    }
    EXPECT_EQ(told, window.on_wire);
  }

  // Every byte up to the problem has a row, and the problem tells of those behind it.
  static void expect_named(const Claimed& claimed, Window window) {
    ASSERT_FALSE(claimed.problems.empty());
    const Problem& last = claimed.problems.back();
    EXPECT_TRUE(last.kind == ProblemKind::too_short || last.kind == ProblemKind::out_of_range)
        << word_of(last.kind);
    EXPECT_GE(claimed.bytes, last.offset);
    EXPECT_LE(claimed.bytes, window.on_wire);
    if (last.kind == ProblemKind::too_short) {
      EXPECT_EQ(claimed.bytes, last.offset);
      EXPECT_EQ(last.offset + last.available, window.on_wire);
      EXPECT_GT(last.needed, last.available);
    }
  }

  // Nothing is guessed of a body that nobody knows.
  static void expect_untouched(const BodyPlan& plan, const Claimed& claimed) {
    EXPECT_EQ(plan.layout, nullptr);
    EXPECT_TRUE(claimed.problems.empty());
  }

  // Every byte that was captured has a row, but those of the row that is cut.
  void expect_cut(const BodyPlan& plan, const Claimed& claimed, Window window) {
    ++cut;
    if (plan.layout == nullptr) {
      EXPECT_TRUE(plan.is_secret);
      return;
    }
    if (plan.state == BodyState::partly) return;
    ASSERT_EQ(claimed.problems.size(), 1U);
    const Problem& problem = claimed.problems.front();
    EXPECT_EQ(problem.kind, ProblemKind::cut_by_capture) << word_of(problem.kind);
    EXPECT_EQ(problem.offset, claimed.bytes);
    EXPECT_EQ(problem.offset + problem.available, window.captured.size());
  }

  std::string capture_;
  std::map<std::string, Mark> marks_;
};

class ExplainedTest : public testing::TestWithParam<std::size_t> {};

TEST_P(ExplainedTest, EveryByteHasARowOrAMarkAndAProblem) {
  const Capture& capture = real_captures()[GetParam()];
  Explained explained(capture.name);
  follow(capture, whole_order(capture), explained);
  EXPECT_TRUE(explained.frames > 0 || capture.name.find("tls") != std::string::npos);
  for (const auto& [line, mark] : explained.unseen()) ADD_FAILURE() << line << " did not come";
  EXPECT_EQ(explained.cut > 0, capture.name.find("snap400") != std::string::npos);
}

TEST(Explained, BodiesAreLookedAt) {
  std::uint64_t described = 0;
  for (const Capture& capture : real_captures()) {
    Explained explained(capture.name);
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
