// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The tables of the text report: clients, servers, links between replicas, operations.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "capture/address.hpp"
#include "iggy/registry.hpp"
#include "report/report_text.hpp"
#include "report/table.hpp"
#include "report/words.hpp"

namespace analyzer::report {

using connection::LoginRecord;
using connection::OutcomeKind;
using connection::word_of;

namespace {

// So many alike clients become one row.
constexpr std::size_t fold_from = 3;
constexpr std::size_t rows_shown = 60;

std::string dash_if_empty(std::string text) {
  if (text.empty()) text = "-";
  return text;
}

std::string time_text(std::uint64_t microseconds, bool known) {
  return known ? duration_text(microseconds) : std::string("-");
}

std::string outcome_text(const LoginRecord& login) {
  switch (login.outcome.kind) {
    case OutcomeKind::ok:
      return "ok";
    case OutcomeKind::status:
    case OutcomeKind::result:
      return "refused " + word_of(login.outcome);
    default:
      return word_of(login.outcome);
  }
}

// How the last login of a connection ended.
std::string login_text(const ConnectionSummary& connection) {
  if (connection.logins.empty()) return connection.generation == Generation::unknown ? "-" : "none";
  std::string last = outcome_text(connection.logins.back());
  const std::size_t count = connection.logins.size();
  if (count == 1) return last;
  const auto failed =
      std::count_if(connection.logins.begin(), connection.logins.end(),
                    [](const LoginRecord& login) { return login.outcome.is_failure(); });
  return failed == 0 ? fmt::format("{} ({} logins)", last, count)
                     : fmt::format("{} ({} of {} failed)", last, failed, count);
}

std::string sdk_text(const ConnectionSummary& connection) {
  if (connection.logins.empty()) {
    if (connection.generation == Generation::unknown) return "-";
    return "unknown";
  }
  const LoginRecord& login = connection.logins.back();
  std::string text = printable(login.sdk);
  if (!login.sdk_version.empty()) text += (text.empty() ? "" : " ") + printable(login.sdk_version);
  return text.empty() ? "unknown" : text;
}

std::string protocol_text(const ConnectionSummary& connection) {
  if (!connection.logins.empty() && connection.logins.back().has_version)
    return to_text(connection.logins.back().version);
  const std::string_view generation = word_of(connection.generation);
  if (generation.empty()) return "-";
  return fmt::format("{}{}", generation, connection.generation_inferred ? " (*)" : "");
}

struct ClientRow {
  std::string address;  // with the port
  std::string host;
  std::string sdk;
  std::string protocol;
  std::string user;
  std::string session;
  std::string login;
  std::optional<std::uint64_t> took;  // microseconds
  std::uint64_t requests = 0;
  std::uint64_t failed = 0;
  std::size_t alike = 1;
};

ClientRow row_of(const ConnectionSummary& connection) {
  ClientRow row;
  row.address = to_string(connection.client);
  row.host = to_string(connection.client.address);
  row.sdk = sdk_text(connection);
  row.protocol = protocol_text(connection);
  row.login = login_text(connection);
  row.session = "-";
  if (!connection.logins.empty()) {
    const LoginRecord& login = connection.logins.back();
    row.user = printable(login.user);
    if (login.user.empty() && login.kind == iggy::decode::LoginKind::token) row.user = "(token)";
    if (login.has_reply && login.session != 0) row.session = std::to_string(login.session);
    if (login.answer_packet != 0 && login.answer_time >= login.request_time)
      row.took = static_cast<std::uint64_t>(login.answer_time - login.request_time) / 1000;
  }
  row.user = dash_if_empty(row.user);
  row.requests = connection.requests;
  row.failed = connection.failed;
  return row;
}

// Alike clients in one row, in the order of the capture.
std::vector<ClientRow> folded(std::vector<ClientRow> rows) {
  std::map<std::string, std::size_t> counts;
  const auto key_text = [](const ClientRow& row) {
    return fmt::format("{}\n{}\n{}\n{}\n{}", row.host, row.sdk, row.protocol, row.user, row.login);
  };
  for (const ClientRow& row : rows) ++counts[key_text(row)];
  std::map<std::string, std::size_t> place;
  std::vector<ClientRow> result;
  for (ClientRow& row : rows) {
    const std::string key = key_text(row);
    if (counts[key] < fold_from) {
      result.push_back(std::move(row));
      continue;
    }
    const auto known = place.find(key);
    if (known != place.end()) {
      ClientRow& first = result[known->second];
      ++first.alike;
      first.requests += row.requests;
      first.failed += row.failed;
      continue;
    }
    place.emplace(key, result.size());
    row.address = fmt::format("{} (x {})", row.host, counts[key]);
    row.session = "...";
    row.took.reset();
    result.push_back(std::move(row));
  }
  return result;
}

bool is_client_connection(const ConnectionSummary& connection) {
  return connection.plane == Plane::client &&
         connection.frames_from_client + connection.frames_from_server > 0;
}

struct ServerRow {
  std::set<std::string> versions;
  std::set<std::string> protocols;
  std::set<std::string> accepts;
  bool protocol_is_inferred = false;
  bool accepts_is_inferred = false;
  std::uint64_t connections = 0;
  std::uint64_t refused = 0;
};

std::string joined(const std::set<std::string>& texts, bool inferred) {
  std::string text;
  for (const std::string& one : texts) text += (text.empty() ? "" : ", ") + one;
  if (text.empty()) return "unknown";
  return inferred ? text + " (*)" : text;
}

void learn_from_login(ServerRow& row, const LoginRecord& login) {
  const bool is_temporary = login.outcome.kind == OutcomeKind::result ||
                            (login.outcome.kind == OutcomeKind::status &&
                             (login.outcome.number == iggy::status::transient_not_committed ||
                              login.outcome.number == iggy::status::transient_not_accepted));
  if (login.outcome.is_failure() && login.outcome.kind != OutcomeKind::unanswered && !is_temporary)
    ++row.refused;
  if (!login.has_reply) return;
  if (!login.server_version.empty()) row.versions.insert(printable(login.server_version));
  if (login.server_version_number.packed != 0)
    row.protocols.insert(to_text(login.server_version_number));
}

ServerRow server_row(const std::vector<const ConnectionSummary*>& connections) {
  ServerRow row;
  std::set<std::string> announced;  // windows; two where the server was upgraded meanwhile
  for (const ConnectionSummary* connection : connections) {
    ++row.connections;
    for (const LoginRecord& login : connection->logins) {
      learn_from_login(row, login);
      if (login.has_reply && login.server_version_number.packed != 0)
        announced.insert(to_text(iggy::window_of(login.server_version_number)));
    }
    for (const connection::EvictionRecord& eviction : connection->evictions)
      if (eviction.reason == iggy::reason::incompatible_protocol)
        row.accepts.insert(to_text(eviction.window));
  }
  // What a server accepts follows from what it announces; only an eviction says it.
  if (row.accepts.empty()) {
    row.accepts_is_inferred = !announced.empty();
    row.accepts = std::move(announced);
  }
  if (!row.protocols.empty()) return row;
  for (const ConnectionSummary* connection : connections) {
    const std::string_view generation = word_of(connection->server_generation);
    if (generation.empty()) continue;
    row.protocols.insert(std::string(generation));
    row.protocol_is_inferred =
        row.protocol_is_inferred || connection->server_generation != Generation::legacy;
  }
  return row;
}

// "12 (1012 StreamNameAlreadyExists), 1 (status 41 Unauthorized), 3 unanswered".
std::string failures_text(const OperationSummary& operation) {
  std::string text;
  for (const auto& [outcome, count] : operation.outcomes) {
    if (outcome.kind == OutcomeKind::ok) continue;
    std::string what;
    switch (outcome.kind) {
      case OutcomeKind::status:
        what = fmt::format("(status {})", error_text(outcome.number));
        break;
      case OutcomeKind::result:
        what = fmt::format("({})", error_text(outcome.number));
        break;
      case OutcomeKind::evicted:
        what = fmt::format("(evicted {})", reason_text(static_cast<std::uint8_t>(outcome.number)));
        break;
      default:
        what = word_of(outcome);
        break;
    }
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  }
  if (operation.undone != 0)
    text += fmt::format("{}{} (ok, nothing was done)", text.empty() ? "" : ", ", operation.undone);
  return text;
}

}  // namespace

std::string clients_text(const Model& model, std::size_t width) {
  using Align = Table::Align;
  std::vector<ClientRow> rows;
  for (const ConnectionSummary& connection : model.connections)
    if (is_client_connection(connection)) rows.push_back(row_of(connection));
  if (rows.empty()) return {};
  const std::size_t addresses = rows.size();
  rows = folded(std::move(rows));
  const std::size_t shown = std::min(rows.size(), rows_shown);
  Table table({{"address"},
               {"SDK"},
               {"protocol"},
               {"user"},
               {"session", Align::right, true},
               {"login"},
               {"requests", Align::right},
               {"failed", Align::right}});
  for (std::size_t i = 0; i < shown; ++i) {
    const ClientRow& row = rows[i];
    const std::string login =
        row.took ? fmt::format("{}, {}", row.login, duration_text(*row.took)) : row.login;
    table.add({row.address, row.sdk, row.protocol, row.user, row.session, login,
               std::to_string(row.requests), std::to_string(row.failed)});
  }
  std::string title = "Clients";
  if (rows.size() < addresses) title += fmt::format(" ({} connections, folded)", addresses);
  std::string text = title + "\n" + table.render(width);
  if (shown < rows.size()) text += fmt::format("  ... and {} more\n", rows.size() - shown);
  if (text.find("(*)") != std::string::npos)
    text += "  (*) inferred: the connection shows no version\n";
  return text;
}

std::string servers_text(const Model& model, std::size_t width) {
  using Align = Table::Align;
  std::map<capture::Endpoint, std::vector<const ConnectionSummary*>> servers;
  for (const ConnectionSummary& connection : model.connections)
    if (is_client_connection(connection)) servers[connection.server].push_back(&connection);
  if (servers.empty()) return {};
  Table table({{"address"},
               {"version"},
               {"protocol"},
               {"accepts"},
               {"connections", Align::right},
               {"logins refused", Align::right}});
  std::size_t rows = 0;
  for (const auto& [endpoint, connections] : servers) {
    if (++rows > rows_shown) break;
    const ServerRow row = server_row(connections);
    table.add({to_string(endpoint), joined(row.versions, false),
               joined(row.protocols, row.protocol_is_inferred && !row.protocols.empty()),
               joined(row.accepts, row.accepts_is_inferred), std::to_string(row.connections),
               std::to_string(row.refused)});
  }
  std::string text = "Servers\n" + table.render(width);
  if (servers.size() > rows_shown)
    text += fmt::format("  ... and {} more\n", servers.size() - rows_shown);
  if (text.find("(*)") != std::string::npos)
    text += "  (*) inferred from its answers, not told by the server\n";
  return text;
}

std::string replicas_text(const Model& model, std::size_t width) {
  using Align = Table::Align;
  Table table({{"dialer"},
               {"acceptor"},
               {"generation"},
               {"frames out", Align::right},
               {"frames back", Align::right}});
  std::size_t links = 0;
  for (const ConnectionSummary& connection : model.connections) {
    if (connection.plane != Plane::replica) continue;
    if (++links > rows_shown) continue;
    table.add({to_string(connection.client), to_string(connection.server),
               std::string(word_of(connection.generation)),
               std::to_string(connection.frames_from_client),
               std::to_string(connection.frames_from_server)});
  }
  if (links == 0) return {};
  std::string text = "Links between replicas\n" + table.render(width);
  if (links > rows_shown) text += fmt::format("  ... and {} more\n", links - rows_shown);
  return text;
}

std::string operations_text(const Model& model, std::size_t width) {
  using Align = Table::Align;
  if (model.operations.empty()) return {};
  Table table({{"operation"},
               {"requests", Align::right},
               {"ok", Align::right},
               {"p50", Align::right},
               {"p99", Align::right},
               {"max", Align::right},
               {"otherwise"}});
  for (const auto& [name, operation] : model.operations) {
    std::uint64_t requests = 0;
    std::uint64_t ok = 0;
    for (const auto& [outcome, count] : operation.outcomes) {
      requests += count;
      if (outcome.kind == OutcomeKind::ok) ok += count;
    }
    const Histogram& latency = operation.latency;
    // Percentiles of a handful of samples say nothing that the longest one does not.
    const bool has_percentiles = latency.count() > 1;
    table.add({name, std::to_string(requests), std::to_string(ok - operation.undone),
               time_text(latency.percentile(0.50), has_percentiles),
               time_text(latency.percentile(0.99), has_percentiles),
               time_text(latency.largest(), latency.count() > 0), failures_text(operation)});
  }
  return "Operations\n" + table.render(width);
}

}  // namespace analyzer::report
