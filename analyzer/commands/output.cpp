// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Standard output and error, and how a run is judged by its files.
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "commands/commands.hpp"
#include "report/words.hpp"

namespace analyzer::commands {
namespace {

constexpr std::size_t narrowest = 60;
constexpr std::size_t widest = 160;

std::size_t width_from_environment() {
  const char* columns = std::getenv("COLUMNS");
  return columns == nullptr ? 0 : std::strtoul(columns, nullptr, 10);
}

// After a write that failed: a reader that has seen enough is no fault, so this gives false.
bool is_read_no_more() {
  if (errno != EPIPE) throw OutputError{errno};
  return false;
}

}  // namespace

Terminal standard_output() {
  Terminal terminal;
  const bool is_terminal = isatty(STDOUT_FILENO) == 1;
  std::size_t width = width_from_environment();
  winsize size{};
  if (width == 0 && is_terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
    width = size.ws_col;
  if (width != 0) terminal.width = std::clamp(width, narrowest, widest);
  const char* no_colour = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool is_dumb = term == nullptr || std::string_view(term) == "dumb";
  terminal.colour = is_terminal && !is_dumb && (no_colour == nullptr || *no_colour == '\0');
  return terminal;
}

bool put(std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() || is_read_no_more();
}

bool flush() {
  return std::fflush(stdout) == 0 || is_read_no_more();
}

Exit with_output(const std::function<Exit()>& command) {
  try {
    const Exit exit = command();
    flush();
    return exit;
  } catch (const OutputError& failure) {
    complain(fmt::format("standard output: {}", std::strerror(failure.error)));
    return Exit::usage;
  }
}

void complain(std::string_view message) {
  const std::string line = fmt::format("iggy-pcap: {}\n", message);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

std::optional<capture::Filter> compile_filter(const Input& input) {
  std::string error;
  std::optional<capture::Filter> filter = capture::Filter::compile(input.filter, error);
  if (!filter) complain(fmt::format("-f '{}': {}", input.filter, error));
  return filter;
}

std::size_t complain_about(const capture::Filter& filter) {
  const std::vector<capture::Filter::Refusal> refusals = filter.refusals();
  for (const capture::Filter::Refusal& refusal : refusals)
    complain(fmt::format("-f does not apply to link type {}, whose packets were all left out: {}",
                         refusal.link_type, refusal.error));
  return refusals.size();
}

void complain_about_memory(const RunSummary& summary) {
  const auto say = [](std::uint64_t count, std::string_view singular, std::string_view what) {
    if (count != 0) complain(fmt::format("{} {}", report::counted(count, singular), what));
  };
  say(summary.evicted_connections, "connection",
      "given up to stay below --memory-limit: what came later stands as another one");
  say(summary.dropped_bodies, "frame",
      "whose body was not kept whole to stay below --memory-limit");
}

void complain_about_undecoded(const RunSummary& summary) {
  const connection::ContentCounts& contents = summary.contents;
  const auto say = [](std::uint64_t count, std::string_view singular, std::string_view what) {
    if (count != 0) complain(fmt::format("{} {}", report::counted(count, singular), what));
  };
  for (const auto& [reason, count] : summary.skipped.by_reason)
    say(count, "packet",
        fmt::format("not decoded: {}{}", report::sentence_of(reason),
                    reason == capture::Skipped::unknown_link_type
                        ? report::link_types_text(summary.skipped.unknown_link_types)
                        : std::string()));
  say(contents.encrypted, "connection", "not decrypted: TLS");
  say(summary.quic.size() + summary.quic_flows_not_listed, "connection", "not decrypted: QUIC");
  say(contents.untold, "connection",
      "not told apart: bytes are cut or missing where frames would begin");
  say(contents.hiding_holes, "hole", "in which more frames may have begun: analyze lists them");
  if (contents.frames != 0 || summary.packets == 0) return;
  std::string line = fmt::format("no Iggy frame in {}", report::counted(summary.packets, "packet"));
  if (contents.other != 0)
    line += fmt::format(", {} of other protocols", report::counted(contents.other, "connection"));
  if (contents.empty != 0)
    line += fmt::format(", {} without data", report::counted(contents.empty, "connection"));
  complain(line);
}

Exit judge_files(const RunSummary& summary, Exit otherwise) {
  constexpr std::size_t most_told = 20;
  for (std::size_t i = 0; i < std::min(summary.skipped_files.size(), most_told); ++i)
    complain(fmt::format("{}: skipped: {}", report::printable(summary.skipped_files[i].name),
                         summary.skipped_files[i].reason));
  if (summary.skipped_files.size() > most_told)
    complain(fmt::format("{} more files were skipped", summary.skipped_files.size() - most_told));
  std::size_t wrong = 0;
  for (const report::FileSummary& file : summary.files) {
    if (file.problem.status == capture::Status::end) continue;
    if (++wrong > most_told) continue;
    const std::string name = report::printable(file.name);
    complain(file.problem.offset == 0
                 ? fmt::format("{}: {}", name, file.problem.reason)
                 : fmt::format("{}, byte {}: {}", name, file.problem.offset, file.problem.reason));
  }
  if (wrong == 0) return otherwise;
  if (wrong > most_told) complain(fmt::format("{} more files are not whole", wrong - most_told));
  // A file that is cut before its first packet is one that was read in part all the same.
  const bool any_part =
      std::any_of(summary.files.begin(), summary.files.end(), [](const report::FileSummary& file) {
        return file.packets != 0 || file.problem.status == capture::Status::truncated;
      });
  return any_part ? Exit::read_in_part : Exit::unreadable;
}

}  // namespace analyzer::commands
