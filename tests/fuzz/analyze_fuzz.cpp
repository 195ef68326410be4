// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Fuzzes the whole program: any bytes as a capture file, through every layer into every output.
//
// What the outputs say is not judged here, only that JSON is JSON, that lines are lines, and that
// counts add up.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "report/duplicates.hpp"
#include "report/frame_lines.hpp"
#include "report/message_lines.hpp"
#include "report/message_text.hpp"
#include "report/report_json.hpp"
#include "report/report_text.hpp"
#include "report/statistics.hpp"
#include "support/json_check.hpp"
#include "support/pipeline.hpp"
#include "support/require.hpp"

namespace {

using analyzer::capture::Bytes;
using fuzz::require;
namespace report = analyzer::report;

void require_line(std::string_view line) {
  require(!line.empty() && line.find('\n') == line.size() - 1, "a line ends with its only newline");
}

void require_json_line(std::string_view line) {
  require_line(line);
  line.remove_suffix(1);
  require(support::JsonCheck(line).is_one_value(), "a JSON line is well-formed");
}

std::uint64_t analyze(Bytes file) {
  report::Statistics statistics({}, true);
  support::run(file, statistics, statistics.model(), [] { return false; });
  const report::Model model = statistics.finish();
  std::uint64_t by_command = 0;
  for (const auto& [command, count] : model.by_command) by_command += count;
  require(by_command == model.frames, "every frame counts for one command");
  require(model.connections.size() <= model.connection_count, "listed connections are counted");
  require_json_line(report::to_json(model));
  const std::string text = report::to_text(model, {});
  require(!text.empty(), "there is a report");
  require(report::to_text(model, {60, true}).size() >= text.size() / 2, "narrow text is whole");
  return model.frames;
}

std::uint64_t list_frames(Bytes file, const report::LineOptions& options) {
  std::uint64_t lines = 0;
  report::FrameLines output(options, [&](std::string_view line) {
    if (options.json)
      require_json_line(line);
    else
      require_line(line);
    ++lines;
    return true;
  });
  report::Model model;
  support::run(file, output, model, [&output] { return output.is_done(); });
  return lines;
}

void list_messages(Bytes file, bool json) {
  report::MessageOptions options;
  options.json = json;
  options.ways.insert(report::MessageWay::replicated);
  report::Duplicates duplicates;
  report::MessageLines output(options, [&](const report::MessageRow& row) {
    const report::MessageNotes notes{duplicates.look(row), {}};
    if (json)
      require_json_line(to_json(row, notes, options));
    else
      require_line(to_text(row, notes, options, 0));
    return true;
  });
  report::Model model;
  support::run(file, output, model, [&output] { return output.is_done(); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes file = std::as_bytes(std::span(data, size));
  const std::uint64_t frames = analyze(file);
  require(list_frames(file, {}) == frames, "one line of text for each frame");
  report::LineOptions options;
  options.json = true;
  require(list_frames(file, options) == frames, "one line of JSON for each frame");
  options.show_secrets = true;
  options.show_payload = true;
  options.verify_checksums = true;
  options.is_stream = true;
  require(list_frames(file, options) == frames, "one line for each frame of a stream");
  options.json = false;
  options.fields = {"packet", "header.request", "body.result.count", "outcome", "nothing"};
  require(list_frames(file, options) == frames, "one line of fields for each frame");
  list_messages(file, false);
  list_messages(file, true);
  return 0;
}
