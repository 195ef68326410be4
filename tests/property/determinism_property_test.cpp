// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The same bytes in give the same bytes out: the report and the lines of every real capture, made
// twice, with other work in between so that memory is laid out differently.
#include <gtest/gtest.h>

#include <string>

#include "real_captures.hpp"
#include "report/frame_lines.hpp"
#include "report/report_json.hpp"
#include "report/report_text.hpp"
#include "report/statistics.hpp"

namespace property {
namespace {

struct Output {
  std::string json;
  std::string text;
  std::string lines;
  friend bool operator==(const Output&, const Output&) = default;
};

Output output_of(const Capture& capture) {
  analyzer::report::Statistics statistics({});
  follow(capture, whole_order(capture), statistics);
  statistics.model().packets = capture.packets.size();
  statistics.model().first_time = capture.packets.front().packet.time;
  statistics.model().last_time = capture.packets.back().packet.time;
  const analyzer::report::Model model = statistics.finish();
  Output output;
  output.json = to_json(model);
  output.text = to_text(model, {});
  analyzer::report::LineOptions options;
  options.json = true;
  analyzer::report::FrameLines lines(options, [&output](std::string_view line) {
    output.lines += line;
    return true;
  });
  follow(capture, whole_order(capture), lines);
  return output;
}

TEST(DeterminismProperty, SameBytesSameOutput) {
  std::vector<Output> first;
  for (const Capture& capture : real_captures()) first.push_back(output_of(capture));
  for (std::size_t i = real_captures().size(); i-- > 0;) {
    SCOPED_TRACE(real_captures()[i].name);
    const Output second = output_of(real_captures()[i]);
    EXPECT_EQ(second.json, first[i].json);
    EXPECT_EQ(second.text, first[i].text);
    EXPECT_EQ(second.lines, first[i].lines);
    EXPECT_FALSE(second.json.empty());
  }
}

// Two captures never look alike, so that the test above compares something.
TEST(DeterminismProperty, OtherBytesOtherOutput) {
  for (std::size_t i = 1; i < real_captures().size(); ++i)
    EXPECT_FALSE(output_of(real_captures()[i]) == output_of(real_captures()[i - 1]));
}

}  // namespace
}  // namespace property
