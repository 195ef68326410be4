// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The report for people: findings first, then the tables. Decides nothing.
#include "report/report_text.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "capture/address.hpp"
#include "report/report_holes.hpp"
#include "report/table.hpp"
#include "report/words.hpp"

namespace analyzer::report {
namespace {

constexpr std::size_t evidence_shown = 5;
constexpr std::size_t packets_shown = 6;
constexpr std::size_t servers_shown = 5;

bool is_tls(const ConnectionSummary& connection) {
  return connection.transport == connection::Transport::tls;
}
bool is_quic(const ConnectionSummary& connection) {
  return connection.transport == connection::Transport::quic;
}

std::string base_name(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

// "2026-11-29 18:00:39.181 UTC".
std::string utc(std::int64_t nanoseconds) {
  constexpr std::int64_t second = 1'000'000'000;
  std::int64_t seconds = nanoseconds / second;
  std::int64_t rest = nanoseconds % second;
  if (rest < 0) {
    rest += second;
    --seconds;
  }
  // What fmt can print; a damaged time stamp may lie outside.
  constexpr std::int64_t latest = 253'402'300'799;    // the end of the year 9999
  constexpr std::int64_t earliest = -62'135'596'800;  // the beginning of the year 1
  if (seconds < earliest || seconds > latest) return fmt::format("{} s", seconds);
  return fmt::format("{:%Y-%m-%d %H:%M:%S}.{:03} UTC",
                     fmt::gmtime(static_cast<std::time_t>(seconds)), rest / 1'000'000);
}

// A folder of rotated files has thousands.
constexpr std::size_t files_told = 4;
constexpr std::size_t file_problems_told = 20;

std::string names_of(const std::vector<FileSummary>& files) {
  std::string names;
  const std::size_t told = files.size() == files_told + 1 ? files.size() : files_told;
  for (std::size_t i = 0; i < std::min(files.size(), told); ++i)
    names += (names.empty() ? "" : ", ") + printable(base_name(files[i].name));
  if (files.size() > told)
    names += fmt::format(" and {}", counted(files.size() - told, "more file"));
  return names;
}

std::string headline(const Model& model) {
  std::string line = fmt::format("{}: {}", names_of(model.files), counted(model.packets, "packet"));
  if (model.packets != 0) {
    const auto span = static_cast<std::uint64_t>(model.last_time - model.first_time) / 1000;
    line += fmt::format(", {} from {}", duration_text(span), utc(model.first_time));
  }
  line += fmt::format(", {}", counted(model.connection_count, "connection"));
  if (model.iggy_connection_count < model.connection_count)
    line += fmt::format(" ({} of them with Iggy frames)", model.iggy_connection_count);
  if (model.empty_connection_count != 0)
    line += fmt::format(" and {} without data", model.empty_connection_count);
  line += fmt::format(", {}\n", counted(model.frames, "Iggy frame"));
  if (!model.filter.empty())
    line += fmt::format("Only packets that match \"{}\".\n", printable(model.filter));
  if (model.files.size() > 1) line += "Packets are numbered as in the files merged by time.\n";
  return line;
}

std::string skipped_files(const Model& model, std::size_t width) {
  if (model.skipped_files.empty()) return {};
  std::string list;
  const std::size_t told = std::min(model.skipped_files.size(), file_problems_told);
  for (std::size_t i = 0; i < told; ++i) {
    const capture::SkippedFile& file = model.skipped_files[i];
    list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", printable(file.name), file.reason);
  }
  const std::string more =
      model.skipped_files.size() > told
          ? fmt::format(" and {}", counted(model.skipped_files.size() - told, "more file"))
          : "";
  return wrapped(fmt::format("Not read: {}{}.", list, more), width, 2, 0);
}

std::string joined_files(const Model& model, std::size_t width) {
  std::string text;
  std::size_t told = 0;
  for (const FileSummary& file : model.files) {
    if (file.joined_files == 0 || ++told > file_problems_told) continue;
    text += wrapped(fmt::format("{} holds {} captures one after the other, as cat joins them: each "
                                "is read as the continuation of the one before.",
                                printable(file.name), file.joined_files + 1),
                    width, 2, 0);
  }
  return text;
}

std::string secrets_in_files(const Model& model, std::size_t width) {
  std::string text;
  std::size_t told = 0;
  for (const FileSummary& file : model.files) {
    if (file.secrets == 0 || ++told > file_problems_told) continue;
    text += wrapped(fmt::format("{} carries secrets ({}, {}): who has the file can decrypt what it "
                                "holds. They are not used yet.",
                                printable(file.name), counted(file.secrets, "block"),
                                counted(file.secrets_bytes, "byte")),
                    width, 2, 0);
  }
  return text;
}

std::string file_problems(const Model& model, std::size_t width) {
  std::string text;
  std::size_t told = 0;
  for (const FileSummary& file : model.files) {
    if (file.problem.status == capture::Status::end || ++told > file_problems_told) continue;
    const std::string name = printable(file.name);
    const std::string line =
        file.problem.status == capture::Status::unreadable
            ? fmt::format("{} could not be read: {}.", name, file.problem.reason)
            : fmt::format(
                  "{} was read in part: {} (at byte {}). The report covers what stands "
                  "before.",
                  name, file.problem.reason, file.problem.offset);
    text += wrapped(line, width, 2, 0);
  }
  if (told > file_problems_told)
    text += fmt::format("{} could not be read whole.\n",
                        counted(told - file_problems_told, "more file"));
  return text + joined_files(model, width) + skipped_files(model, width) +
         secrets_in_files(model, width);
}

std::string_view colour_of(Severity severity) {
  switch (severity) {
    case Severity::critical:
      return "\x1b[1;31m";
    case Severity::error:
      return "\x1b[31m";
    case Severity::warning:
      return "\x1b[33m";
    case Severity::info:
      break;
  }
  return "\x1b[36m";
}

std::string upper(std::string_view text) {
  std::string changed(text);
  std::transform(changed.begin(), changed.end(), changed.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return changed;
}

// "packets 4, 6, ...".
std::string packets_text(const std::vector<std::uint64_t>& packets) {
  if (packets.empty()) return {};
  std::string text = packets.size() == 1 ? "packet " : "packets ";
  const std::size_t shown = std::min(packets.size(), packets_shown);
  for (std::size_t i = 0; i < shown; ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", packets[i]);
  if (shown < packets.size()) text += ", ...";
  return text;
}

// The evidence with its packets, which stand at the end of its sentence.
std::string evidence_text(const Evidence& evidence) {
  std::string packets = packets_text(evidence.packets);
  if (evidence.count > 1)
    packets = fmt::format("{}{}{}{}", evidence.is_first_of_many ? "the first of " : "",
                          evidence.is_first_of_many ? counted(evidence.count, "such case")
                                                    : counted(evidence.count, "time"),
                          packets.empty() ? "" : ", ", packets);
  std::string text = evidence.text;
  if (!packets.empty()) {
    const bool has_stop = text.ends_with('.');
    if (has_stop) text.pop_back();
    text += fmt::format(" ({}){}", packets, has_stop ? "." : "");
  }
  return evidence.detail.empty() ? text : text + " " + evidence.detail;
}

// What is advised, each once: evidence that has the same advice stands together above it.
std::vector<std::string> advice_of(std::span<const Evidence> evidence) {
  std::vector<std::string> advice;
  for (const Evidence& shown : evidence)
    if (std::find(advice.begin(), advice.end(), shown.advice) == advice.end())
      advice.push_back(shown.advice);
  return advice;
}

std::string finding_text(const Finding& finding, const TextOptions& options) {
  const auto& kind = kind_of(finding.id);
  const std::string count = counted(finding.count, kind.unit);
  const std::string severity = upper(word_of(finding.severity));
  const std::size_t fixed = 10 + display_width(kind.word) + display_width(count);
  const std::size_t blanks = options.width > fixed + 2 ? options.width - fixed : 2;
  std::string text = options.colour
                         ? fmt::format("{}{:<10}\x1b[0m", colour_of(finding.severity), severity)
                         : fmt::format("{:<10}", severity);
  text += fmt::format("{}{}{}\n", kind.word, std::string(blanks, ' '), count);
  const auto shown =
      std::span(finding.evidence).first(std::min(finding.evidence.size(), evidence_shown));
  for (const std::string& advice : advice_of(shown)) {
    for (const Evidence& evidence : shown)
      if (evidence.advice == advice) text += wrapped(evidence_text(evidence), options.width, 2, 2);
    if (!advice.empty()) text += wrapped("Advice: " + advice + ".", options.width, 4, 2);
  }
  const std::uint64_t more = finding.evidence.size() - shown.size() + finding.dropped_evidence;
  if (more != 0) text += fmt::format("  ... and {} more (--json lists them)\n", more);
  return text;
}

// One line for all that is only worth knowing.
std::string infos_text(const Model& model, std::size_t width) {
  std::string list;
  for (const Finding& finding : model.findings) {
    if (finding.severity != Severity::info) continue;
    const auto& kind = kind_of(finding.id);
    list += fmt::format("{}{} ({}", list.empty() ? "" : ", ", kind.word,
                        counted(finding.count, kind.unit));
    list += finding.packets.empty() ? ")" : fmt::format(", packet {})", finding.packets.front());
  }
  return list.empty() ? list : wrapped("info      " + list + "; --all explains", width, 10, 0);
}

// What may hide something wrong: "the outcome of 2 of 9 requests is unknown". Empty: nothing. What
// a snap length cut is not missed, since heads of frames are judged without it.
std::string unread_text(const Model& model, std::uint64_t requests, std::uint64_t unknown) {
  std::uint64_t missing = 0;
  for (const auto& [kind, bytes] : model.undecoded.hole_bytes)
    if (kind != stream::HoleKind::snapped) missing += bytes;
  std::string text;
  const auto add = [&text](std::uint64_t count, const std::string& what) {
    if (count != 0) text += (text.empty() ? "" : ", ") + what;
  };
  add(unknown,
      fmt::format("the outcome of {} of {} is unknown", unknown, counted(requests, "request")));
  add(model.undecoded.left_over_bytes,
      fmt::format("{} where no frame was found", counted(model.undecoded.left_over_bytes, "byte")));
  add(missing, fmt::format("{} missing", counted(missing, "byte")));
  return text;
}

std::string no_verdict_text(const Model& model) {
  const Undecoded& undecoded = model.undecoded;
  if (model.frames == 0) {
    if (undecoded.encrypted_connections + undecoded.quic_connections != 0)
      return "No Iggy frame could be read: what may be Iggy is encrypted.";
    const bool no_data = model.connection_count == 0 && model.empty_connection_count != 0;
    return no_data ? "No Iggy frame was found: no connection has data in the capture."
                   : "No Iggy frame was found.";
  }
  std::uint64_t requests = 0;
  std::uint64_t failed = 0;
  std::uint64_t unknown = 0;
  for (const auto& [name, operation] : model.operations)
    for (const auto& [outcome, count] : operation.outcomes) {
      requests += count;
      if (outcome.is_failure()) failed += count;
      if (outcome.kind == connection::OutcomeKind::unknown) unknown += count;
    }
  const std::string unread = unread_text(model, requests, unknown);
  if (failed == 0 && unread.empty()) return "Nothing wrong was found.";
  std::string text = "No fault that this version knows was found";
  if (!unread.empty()) text += fmt::format(" in what could be read ({})", unread);
  if (failed == 0) return text + ".";
  return text + fmt::format("; {} of {} requests failed, see Operations.", failed, requests);
}

// "127.0.0.1:8090 (x 4), 10.0.0.7:443": the servers of connections that fit.
template <class Fits>
std::string servers_of(const Model& model, Fits fits) {
  std::map<capture::Endpoint, std::uint64_t> servers;
  for (const ConnectionSummary& connection : model.connections)
    if (fits(connection)) ++servers[connection.server];
  std::string text;
  std::size_t shown = 0;
  for (const auto& [server, count] : servers) {
    if (++shown > servers_shown) return text + ", ...";
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", to_string(server),
                        count > 1 ? fmt::format(" (x {})", count) : std::string());
  }
  return text;
}

// "requests given up", from the key of JSON.
std::string limit_text(std::string key) {
  std::replace(key.begin(), key.end(), '_', ' ');
  return key;
}

// " (10.0.0.1:50000 > 10.0.0.2:8090 x 3, ...)": the Iggy connections with something to count.
template <class Count>
std::string places_of(const Model& model, Count count) {
  std::string text;
  std::size_t shown = 0;
  for (const ConnectionSummary& connection : model.connections) {
    const std::uint64_t number = count(connection.tcp);
    if (number == 0 || connection.frames_from_client + connection.frames_from_server == 0) continue;
    if (++shown > servers_shown) return text + ", ...)";
    text += fmt::format("{}{} > {} x {}", text.empty() ? " (" : ", ", to_string(connection.client),
                        to_string(connection.server), number);
  }
  return text.empty() ? text : text + ")";
}

// Connections that nothing was read of, each kind in a sentence.
std::vector<std::string> unread_connections(const Model& model) {
  const Undecoded& undecoded = model.undecoded;
  std::vector<std::string> lines;
  const auto say = [&lines](std::string line) { lines.push_back(std::move(line)); };
  if (undecoded.encrypted_connections != 0)
    say(fmt::format("{} encrypted with TLS ({} bytes) to {}: not decrypted.",
                    counted(undecoded.encrypted_connections, "connection"),
                    undecoded.encrypted_bytes, servers_of(model, is_tls)));
  if (undecoded.quic_packets != 0)
    say(fmt::format("{} over QUIC ({}) to {}: encrypted, not decrypted.",
                    counted(undecoded.quic_connections, "connection"),
                    counted(undecoded.quic_packets, "packet"), servers_of(model, is_quic)));
  if (undecoded.other_connections != 0)
    say(fmt::format("{} of other protocols.", counted(undecoded.other_connections, "connection")));
  if (undecoded.untold_connections != 0)
    say(
        fmt::format("{} of which nobody can tell what it carries: bytes are cut or missing where "
                    "frames would begin.",
                    counted(undecoded.untold_connections, "connection")));
  return lines;
}

// What could not be decoded, and why; each line is a whole sentence.
std::string undecoded_text(const Model& model, std::size_t width) {
  const Undecoded& undecoded = model.undecoded;
  std::vector<std::string> lines;
  const auto say = [&lines](std::string line) { lines.push_back(std::move(line)); };
  for (std::string& sentence : unread_connections(model)) say(std::move(sentence));
  for (std::string& sentence : hole_sentences(model)) say(std::move(sentence));
  if (undecoded.one_sided_connections != 0)
    say(fmt::format("{} of which only one direction is in the capture: nothing pairs there.",
                    counted(undecoded.one_sided_connections, "Iggy connection")));
  if (undecoded.begun_before_capture != 0)
    say(fmt::format("{} without a TCP handshake in the capture.",
                    counted(undecoded.begun_before_capture, "Iggy connection")));
  if (undecoded.contradictions != 0)
    say(fmt::format("{} where the next frame made no sense (size or command).",
                    counted(undecoded.contradictions, "place")));
  if (undecoded.overlaps_that_differ != 0)
    say(fmt::format(
        "{} of TCP data with other bytes than the first copy; the first one counts{}.",
        counted(undecoded.overlaps_that_differ, "overlap"),
        places_of(model, [](const stream::TcpFacts& tcp) { return tcp.overlaps_that_differ; })));
  if (undecoded.segments_out_of_window != 0)
    say(fmt::format(
        "{} far outside the window: ignored{}.",
        counted(undecoded.segments_out_of_window, "segment"),
        places_of(model, [](const stream::TcpFacts& tcp) { return tcp.out_of_window; })));
  if (undecoded.clock_steps != 0)
    say(fmt::format("{} of the capture's clock, backwards.",
                    counted(undecoded.clock_steps, "step")));
  if (undecoded.suspect_latencies != 0)
    say(fmt::format("{} whose time is not told: the clock stepped back or a packet has no time.",
                    counted(undecoded.suspect_latencies, "answer")));
  if (undecoded.left_over_bytes != 0)
    say(fmt::format("{} bytes of Iggy connections belong to no frame.", undecoded.left_over_bytes));
  if (undecoded.cut_bodies != 0)
    say(fmt::format("{} with a body that is cut by the capture.",
                    counted(undecoded.cut_bodies, "frame")));
  if (undecoded.broken_bodies != 0)
    say(fmt::format("{} with a body that does not fit, as it was sent ({}).",
                    counted(undecoded.broken_bodies, "frame"),
                    packets_text(undecoded.packets_with_broken_bodies)));
  if (undecoded.bodies_without_tables != 0)
    say(
        fmt::format("{} with a body that this version does not decode; headers, pairing and "
                    "results do not need it ({}).",
                    counted(undecoded.bodies_without_tables, "frame"),
                    packets_text(undecoded.packets_without_tables)));
  for (const auto& [reason, count] : undecoded.packets)
    if (count != 0)
      say(fmt::format("{}: {}{}.", counted(count, "packet"), sentence_of(reason),
                      reason == capture::Skipped::unknown_link_type
                          ? link_types_text(undecoded.unknown_link_types)
                          : std::string()));
  for (const auto& [limit, count] : model.limits)
    say(fmt::format("Left out or given up: {} ({}).", limit_text(limit), count));
  if (lines.empty())
    return model.frames != 0 && !model.was_read_in_part()
               ? "Everything else: every byte is part of a frame, no packet lost.\n"
               : "";
  std::string text = "Not decoded\n";
  for (const std::string& line : lines) text += wrapped(line, width, 4, 2);
  return text;
}

}  // namespace

std::string to_text(const Model& model, const TextOptions& options) {
  std::string text = headline(model) + file_problems(model, options.width) + "\n";
  bool has_verdict = false;
  for (const Finding& finding : model.findings) {
    const bool is_info = finding.severity == Severity::info;
    if (is_info && !options.explains_info) continue;
    text += finding_text(finding, options) + "\n";
    has_verdict = has_verdict || !is_info;
  }
  const std::string infos =
      options.explains_info ? std::string() : infos_text(model, options.width);
  if (!infos.empty()) text += infos + "\n";
  if (!has_verdict) text += wrapped(no_verdict_text(model), options.width, 0, 0) + "\n";
  for (const std::string& table :
       {clients_text(model, options.width), servers_text(model, options.width),
        replicas_text(model, options.width), operations_text(model, options.width),
        tcp_text(model, options.width), empty_connections_text(model, options.width)})
    if (!table.empty()) text += table + "\n";
  return text + undecoded_text(model, options.width);
}

}  // namespace analyzer::report
