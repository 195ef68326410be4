// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The tables of connections whose TCP segments tell of trouble on the way, and of those without
// data. The words are Wireshark's and Zeek's; other connections have no row.
#include <fmt/format.h>

#include <algorithm>

#include "capture/address.hpp"
#include "report/report_text.hpp"
#include "report/table.hpp"
#include "report/words.hpp"

namespace analyzer::report {
namespace {

constexpr std::size_t rows_shown = 20;

// What a side shows of trouble, in segments.
std::uint64_t trouble_of(const stream::SegmentCounts& counts) {
  return std::uint64_t{counts.retransmission} + counts.out_of_order + counts.duplicate_capture +
         counts.lost_segment + counts.ack_lost_segment + counts.zero_window;
}

std::uint64_t trouble_of(const stream::TcpFacts& tcp) {
  return trouble_of(tcp.segments[0]) + trouble_of(tcp.segments[1]);
}

// A side that reset the connection in place of ending it.
bool has_aborted(const stream::TcpFacts& tcp, std::size_t side) {
  return tcp.rst_packet[side] != 0 && tcp.fin_packet[0] == 0 && tcp.fin_packet[1] == 0;
}

bool has_trouble(const ConnectionSummary& connection) {
  const stream::TcpFacts& tcp = connection.tcp;
  return connection.transport != connection::Transport::quic &&
         (trouble_of(tcp) != 0 || has_aborted(tcp, 0) || has_aborted(tcp, 1));
}

// "3 / 0": of the client, of the server; "-" where there is none.
std::string both(std::uint64_t client, std::uint64_t server) {
  return client + server == 0 ? "-" : fmt::format("{} / {}", client, server);
}

std::string resets_text(const stream::TcpFacts& tcp, std::size_t client) {
  const bool by_client = tcp.rst_packet[client] != 0;
  const bool by_server = tcp.rst_packet[1 - client] != 0;
  return by_client && by_server ? "both" : by_client ? "client" : by_server ? "server" : "-";
}

std::vector<std::string> row_of(const ConnectionSummary& connection) {
  const stream::TcpFacts& tcp = connection.tcp;
  const std::size_t client = connection.client == tcp.first ? 0 : 1;
  const stream::SegmentCounts& sent = tcp.segments[client];
  const stream::SegmentCounts& back = tcp.segments[1 - client];
  return {fmt::format("{} > {}", to_string(connection.client), to_string(connection.server)),
          std::string(state_of(tcp)),
          tcp.initial_rtt ? duration_text(*tcp.initial_rtt) : "-",
          both(sent.retransmission, back.retransmission),
          both(sent.out_of_order, back.out_of_order),
          both(sent.lost_segment, back.lost_segment),
          both(sent.ack_lost_segment, back.ack_lost_segment),
          both(sent.duplicate_capture, back.duplicate_capture),
          both(sent.zero_window, back.zero_window),
          resets_text(tcp, client)};
}

std::string what_was_seen(const EmptyConnections& row) {
  std::string text(words_of_empty(row.state));
  if (row.acknowledged_unseen != 0)
    text += fmt::format("; {} were acknowledged and are not in the capture",
                        counted(row.acknowledged_unseen, "byte"));
  if (row.out_of_window != 0)
    text +=
        fmt::format("; {} far outside the window: ignored", counted(row.out_of_window, "segment"));
  return text;
}

}  // namespace

std::string tcp_text(const Model& model, std::size_t width) {
  using Align = Table::Align;
  std::vector<const ConnectionSummary*> troubled;
  for (const ConnectionSummary& connection : model.connections)
    if (has_trouble(connection)) troubled.push_back(&connection);
  if (troubled.empty()) return {};
  std::stable_sort(troubled.begin(), troubled.end(),
                   [](const ConnectionSummary* a, const ConnectionSummary* b) {
                     return trouble_of(a->tcp) > trouble_of(b->tcp);
                   });
  Table table({{"client > server"},
               {"state"},
               {"handshake", Align::right, true},
               {"retransmission", Align::right, true},
               {"out of order", Align::right, true},
               {"lost segment", Align::right, true},
               {"ack lost", Align::right, true},
               {"captured twice", Align::right, true},
               {"zero window", Align::right, true},
               {"reset by"}});
  const std::size_t shown = std::min(troubled.size(), rows_shown);
  for (std::size_t i = 0; i < shown; ++i) table.add(row_of(*troubled[i]));
  std::string text = "TCP (segments of client / server)\n" + table.render(width);
  if (shown < troubled.size())
    text += fmt::format("  ... and {} more (--json lists them)\n", troubled.size() - shown);
  return text;
}

std::string empty_connections_text(const Model& model, std::size_t width) {
  using Align = Table::Align;
  if (model.empty_connections.empty()) return {};
  Table table({{"server"},
               {"state"},
               {"connections", Align::right},
               {"first packet", Align::right},
               {"first client"},
               {"what was seen"}});
  const std::size_t shown = std::min(model.empty_connections.size(), rows_shown);
  for (std::size_t i = 0; i < shown; ++i) {
    const EmptyConnections& row = model.empty_connections[i];
    const std::string client = to_string(row.first.first);
    table.add({row.server ? to_string(*row.server) : "unknown", std::string(row.state),
               std::to_string(row.count), std::to_string(row.first.first_packet),
               row.server ? client : fmt::format("{} - {}", client, to_string(row.first.second)),
               what_was_seen(row)});
  }
  std::string text = "Connections without data in the capture\n" + table.render(width);
  if (shown < model.empty_connections.size())
    text += fmt::format("  ... and {} more rows (--json lists them)\n",
                        model.empty_connections.size() - shown);
  return text;
}

}  // namespace analyzer::report
