// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// iggy-pcap frames: one line for each frame, for people or for machines.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "commands/commands.hpp"
#include "report/frame_json.hpp"
#include "report/frame_lines.hpp"
#include "report/words.hpp"

namespace analyzer::commands {

Exit frames(const FramesOptions& options) {
  std::optional<capture::Filter> filter = compile_filter(options.input);
  if (!filter) return Exit::usage;
  for (const std::string& field : options.fields) {
    if (report::is_frame_path(field)) continue;
    complain(fmt::format("--fields {}: frames have no such key (see schemas/frames.schema.json)",
                         report::printable(field)));
    return Exit::usage;
  }
  const std::set<std::string> fields(options.fields.begin(), options.fields.end());
  if (options.json && fields.size() != options.fields.size()) {
    complain("--fields: an object cannot hold the same key twice");
    return Exit::usage;
  }
  // Lines of text are summaries, which never hold any of it.
  const bool wants_all = options.show_secrets || options.show_payload || options.verify_checksums;
  if (wants_all && !options.json && options.fields.empty()) {
    complain("--show-secrets, --show-payload and --verify-checksums need --json or --fields");
    return Exit::usage;
  }
  if (options.max_payload && !options.show_payload) {
    complain("--max-payload needs --show-payload");
    return Exit::usage;
  }
  report::LineOptions lines;
  lines.json = options.json;
  lines.fields = options.fields;
  lines.limit = options.limit;
  lines.memory = options.input.memory();
  lines.show_secrets = options.show_secrets;
  lines.show_payload = options.show_payload;
  if (options.max_payload) lines.max_payload = *options.max_payload;
  lines.verify_checksums = options.verify_checksums;
  lines.is_stream = std::find(options.input.files.begin(), options.input.files.end(), "-") !=
                    options.input.files.end();

  report::FrameLines output(lines, [&lines](std::string_view line) {
    return put(line) && (!lines.is_stream || flush());
  });
  const RunSummary summary = run(
      options.input, *filter, output, [&output](std::int64_t time) { output.start_at(time); },
      [&output] { return output.is_done(); });
  const bool is_whole = complain_about(*filter) == 0;
  if (output.written_pending() != 0 && !lines.is_stream)
    complain(fmt::format("{} lines were written before their requests ended, to bound memory",
                         output.written_pending()));
  if (output.without_body() != 0)
    complain(fmt::format("{} whose body is left out: as JSON it would not fit into memory",
                         report::counted(output.without_body(), "line")));
  complain_about_memory(summary);
  if (!output.is_done()) complain_about_undecoded(summary);
  return judge_files(summary, is_whole ? Exit::done : Exit::read_in_part);
}

}  // namespace analyzer::commands
