// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// iggy-pcap messages: one line for each message that was sent or polled.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>

#include "commands/commands.hpp"
#include "commands/payload_files.hpp"
#include "conversation/line.hpp"
#include "report/duplicates.hpp"
#include "report/message_lines.hpp"
#include "report/message_text.hpp"
#include "report/words.hpp"

namespace analyzer::commands {

using report::MessageOptions;
using report::MessageWay;
using report::PayloadFormat;

namespace {

using Offsets = std::pair<std::uint64_t, std::uint64_t>;

bool read_number(std::string_view text, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// "5", "5..9", "5.." and "..9".
std::optional<Offsets> read_offsets(std::string_view text) {
  Offsets offsets{0, std::numeric_limits<std::uint64_t>::max()};
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    if (!read_number(text, offsets.first)) return std::nullopt;
    offsets.second = offsets.first;
    return offsets;
  }
  const std::string_view from = text.substr(0, dots);
  const std::string_view to = text.substr(dots + 2);
  if (from.empty() && to.empty()) return std::nullopt;
  if (!from.empty() && !read_number(from, offsets.first)) return std::nullopt;
  if (!to.empty() && !read_number(to, offsets.second)) return std::nullopt;
  if (offsets.first > offsets.second) return std::nullopt;
  return offsets;
}

std::optional<PayloadFormat> read_format(std::string_view word) {
  if (word == "auto") return PayloadFormat::automatic;
  if (word == "text") return PayloadFormat::text;
  if (word == "json") return PayloadFormat::json;
  if (word == "hex") return PayloadFormat::hex;
  return std::nullopt;
}

// "7(orders)": a number with its name behind it, as lines show the two. A name that itself is such
// stands in quotes there.
struct Numbered {
  std::string_view number;
  std::string_view name;
};
std::optional<Numbered> read_numbered(std::string_view typed) {
  const std::size_t open = typed.find('(');
  if (open == std::string_view::npos || !typed.ends_with(')')) return std::nullopt;
  const Numbered read{typed.substr(0, open), typed.substr(open + 1, typed.size() - open - 2)};
  std::uint64_t number = 0;
  const bool is_number = read_number(read.number, number);
  iggy::conversation::Line line;
  const bool is_shown =
      read.name.starts_with('"') || line.add_from_wire(read.name).text() == read.name;
  return is_number && is_shown ? std::optional(read) : std::nullopt;
}

// A name as it was typed, or as lines show it; false where it is neither, which is told.
bool read_name(std::string_view option, const std::optional<std::string>& typed,
               std::optional<report::WantedName>& wanted) {
  if (!typed) return true;
  if (typed->empty()) {
    complain(fmt::format("{}: nothing has an empty name", option));
    return false;
  }
  wanted = report::WantedName{*typed, false};
  std::string_view name = *typed;
  if (const std::optional<Numbered> numbered = read_numbered(name)) {
    name = numbered->name;
    wanted = report::WantedName{std::string(name), true, std::string(numbered->number)};
  }
  if (!name.starts_with('"')) return true;
  const std::optional<std::string> bare = report::from_quotes(name);
  if (bare) {
    wanted->text = *bare;
    wanted->is_name = true;
    return true;
  }
  complain(fmt::format("{} {}: {}", option, report::printable(*typed),
                       name.ends_with("...") ? "a line has cut this name; --json has all of it"
                                             : "not a name in quotes as a line shows it"));
  return false;
}

// What was typed; nothing where it is wrong, which is told.
std::optional<MessageOptions> read_options(const MessagesOptions& typed) {
  MessageOptions options;
  options.memory = typed.input.memory();
  options.json = typed.json;
  options.limit = typed.limit;
  // As JSON, in each form that it takes on the way there, a payload may be eight times as long.
  options.max_payload = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(typed.max_payload, options.memory.lines() / 8));
  options.keeps_payloads = typed.out.has_value();
  options.is_stream =
      std::find(typed.input.files.begin(), typed.input.files.end(), "-") != typed.input.files.end();
  if (!read_name("--stream", typed.stream, options.stream)) return std::nullopt;
  if (!read_name("--topic", typed.topic, options.topic)) return std::nullopt;
  options.partition = typed.partition;
  if (typed.partition > std::numeric_limits<std::uint32_t>::max()) {
    complain(fmt::format("--partition {}: partitions have numbers of 32 bits", *typed.partition));
    return std::nullopt;
  }
  const std::optional<PayloadFormat> format = read_format(typed.payload);
  if (!format) {
    complain(fmt::format("--payload {}: not one of auto, text, json, hex",
                         report::printable(typed.payload)));
    return std::nullopt;
  }
  options.payload = *format;
  if (typed.offsets) {
    options.offsets = read_offsets(*typed.offsets);
    if (!options.offsets) {
      complain(fmt::format("--offset {}: neither a number nor a range such as 5..9, 5.. or ..9",
                           report::printable(*typed.offsets)));
      return std::nullopt;
    }
  }
  if (!typed.directions.empty()) options.ways.clear();
  for (const std::string& word : typed.directions) {
    bool is_known = false;
    for (const MessageWay way : {MessageWay::sent, MessageWay::polled, MessageWay::replicated}) {
      if (word != word_of(way)) continue;
      options.ways.insert(way);
      is_known = true;
    }
    if (is_known) continue;
    complain(fmt::format("--direction {}: not one of sent, polled, replicated",
                         report::printable(word)));
    return std::nullopt;
  }
  return options;
}

void complain_about(const report::MessageLosses& losses) {
  const auto say = [](std::uint64_t count, std::string_view singular, std::string_view what) {
    if (count != 0) complain(fmt::format("{} {}", report::counted(count, singular), what));
  };
  say(losses.cut_bodies, "frame", "not captured whole: messages behind the cut are not shown");
  say(losses.unreadable, "frame",
      "with a body that breaks off as it was sent: messages behind that are not shown");
  say(losses.without_table, "frame", "with messages in a layout that is not decoded");
  say(losses.without_request, "answer",
      "without a request in the capture, which may be of polls: their messages are not shown");
  say(losses.written_early, "message",
      "written before the reply that tells the offset, to bound memory or because the capture "
      "ended");
  say(losses.places_not_kept, "poll", "not remembered, to bound memory");
}

}  // namespace

Exit messages(const MessagesOptions& typed) {
  const std::optional<MessageOptions> options = read_options(typed);
  if (!options) return Exit::usage;
  std::optional<capture::Filter> filter = compile_filter(typed.input);
  if (!filter) return Exit::usage;
  PayloadFiles files;
  if (typed.out && !files.open(*typed.out)) {
    complain(fmt::format("--out {}: {}", report::printable(*typed.out), files.problem()));
    return Exit::usage;
  }

  std::int64_t start = 0;
  report::Duplicates duplicates(typed.input.memory());
  report::MessageLines lines(*options, [&](const report::MessageRow& row) {
    report::MessageNotes notes;
    notes.duplicate = duplicates.look(row);
    if (files.is_open()) notes.file = files.write(row);
    const std::string line =
        options->json ? to_json(row, notes, *options) : to_text(row, notes, *options, start);
    return files.problem().empty() && put(line) && (!options->is_stream || flush());
  });
  const RunSummary summary = run(
      typed.input, *filter, lines, [&start](std::int64_t time) { start = time; },
      [&lines] { return lines.is_done(); });
  const bool is_whole = commands::complain_about(*filter) == 0;
  if (!lines.is_done()) complain_about(lines.losses());
  complain_about_memory(summary);
  if (!lines.is_done()) complain_about_undecoded(summary);
  if (duplicates.not_remembered() != 0)
    complain(fmt::format("{} not remembered: duplicates of them are not marked",
                         report::counted(duplicates.not_remembered(), "message")));
  if (files.not_written() != 0)
    complain(fmt::format("--out: {} not written, to bound their number",
                         report::counted(files.not_written(), "file")));
  if (files.is_open() && !files.problem().empty()) {
    complain(fmt::format("--out {}", report::printable(files.problem())));
    return Exit::usage;
  }
  return judge_files(summary, is_whole ? Exit::done : Exit::read_in_part);
}

}  // namespace analyzer::commands
