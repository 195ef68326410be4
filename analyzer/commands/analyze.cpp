// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// iggy-pcap analyze: who talked to whom, what failed, why, and what to do.
#include <fmt/format.h>

#include <optional>
#include <set>

#include "commands/commands.hpp"
#include "report/report_json.hpp"
#include "report/report_text.hpp"
#include "report/statistics.hpp"

namespace analyzer::commands {

using report::Severity;

namespace {

std::optional<Severity> severity_of(std::string_view word) {
  for (const Severity severity :
       {Severity::info, Severity::warning, Severity::error, Severity::critical})
    if (word == iggy::conversation::word_of(severity)) return severity;
  return std::nullopt;
}

// QUIC conversations stand in the list of connections, named as what they are: encrypted.
void add_quic(report::Model& model, const std::vector<QuicFlow>& flows) {
  for (const QuicFlow& flow : flows) {
    report::ConnectionSummary connection;
    connection.id = model.connection_count++;
    connection.client = flow.client;
    connection.server = flow.server;
    connection.transport = connection::Transport::quic;
    connection.tcp.first = flow.client;
    connection.tcp.second = flow.server;
    connection.tcp.first_packet = flow.first_packet;
    model.connections.push_back(connection);
    ++model.undecoded.quic_connections;
    model.undecoded.quic_packets += flow.packets;
  }
}

void add_run(report::Model& model, const RunSummary& summary) {
  model.files = summary.files;
  model.skipped_files = summary.skipped_files;
  model.packets = summary.packets;
  model.first_time = summary.first_time;
  model.last_time = summary.last_time;
  model.undecoded.packets = summary.skipped.by_reason;
  model.undecoded.unknown_link_types = summary.skipped.unknown_link_types;
  const auto limit = [&model](const char* name, std::uint64_t count) {
    if (count != 0) model.limits[name] += count;
  };
  limit("files_opened_late", summary.late_files);
  limit("quic_connections_not_listed", summary.quic_flows_not_listed);
  limit("fragmented_packets_given_up", summary.skipped.fragmented_packets_given_up);
  limit("clients_not_remembered", summary.dropped_clients);
  limit("names_not_remembered", summary.dropped_names);
  limit("bodies_not_kept", summary.dropped_bodies);
  limit("connections_given_up", summary.evicted_connections);
}

}  // namespace

Exit analyze(const AnalyzeOptions& options) {
  std::optional<Severity> fail_on;
  if (!options.fail_on.empty() && options.fail_on != "none") {
    fail_on = severity_of(options.fail_on);
    if (!fail_on) {
      complain(fmt::format("--fail-on {}: not one of none, info, warning, error, critical",
                           options.fail_on));
      return Exit::usage;
    }
  }
  std::optional<capture::Filter> filter = compile_filter(options.input);
  if (!filter) return Exit::usage;

  report::Statistics statistics({options.ports.begin(), options.ports.end()},
                                options.verify_checksums, options.input.memory());
  const RunSummary summary = run(
      options.input, *filter, statistics, [](std::int64_t) {}, [] { return false; });
  add_run(statistics.model(), summary);
  statistics.clock(summary.time_order);
  statistics.model().filter = options.input.filter;
  const std::size_t refusals = complain_about(*filter);
  if (refusals != 0) statistics.model().limits["link_types_without_filter"] = refusals;
  report::Model model = statistics.finish();
  add_quic(model, summary.quic);

  const Exit files = judge_files(summary, refusals == 0 ? Exit::done : Exit::read_in_part);
  if (files == Exit::unreadable) return files;
  const Terminal terminal = standard_output();
  put(options.json ? to_json(model)
                   : to_text(model, {terminal.width, terminal.colour, options.all}));
  const bool is_bad = fail_on && model.worst() && *model.worst() >= *fail_on;
  return files != Exit::done ? files : is_bad ? Exit::findings : Exit::done;
}

}  // namespace analyzer::commands
