// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The rules that need a whole connection, and those that need the whole capture because they ask
// what else the same endpoint speaks.
#include <fmt/format.h>

#include <algorithm>

#include "capture/address.hpp"
#include "conversation/rules.hpp"
#include "iggy/exchanges.hpp"
#include "report/advice.hpp"
#include "report/diagnosis.hpp"
#include "report/words.hpp"

namespace analyzer::report {

using connection::Connection;
using connection::LoginRecord;
using connection::OutcomeKind;
using connection::Side;
using iggy::conversation::Foreign;
using iggy::conversation::silence;

namespace {

constexpr std::size_t candidate_limit = 10'000;
// A server that closes because it cannot read what it got does so at once.
constexpr std::int64_t at_once = 1'000'000'000;
constexpr std::int64_t refusal_window = std::int64_t{30} * 1'000'000'000;
constexpr std::int64_t replica_refusal_span = std::int64_t{15} * 1'000'000'000;
constexpr std::size_t refusals_in_window = 3;

const LoginRecord* first_login(const Connection& connection) {
  return connection.logins().empty() ? nullptr : &connection.logins().front();
}

bool server_was_heard(const Connection& connection) {
  return connection.tcp().packets[index(connection.direction_of(Side::server))] != 0;
}

bool has_unanswered_login(const Connection& connection) {
  const auto& logins = connection.logins();
  return std::any_of(logins.begin(), logins.end(), [](const LoginRecord& login) {
    return login.outcome.kind == OutcomeKind::unanswered;
  });
}

bool has_answered_login(const Connection& connection) {
  const auto& logins = connection.logins();
  return std::any_of(logins.begin(), logins.end(),
                     [](const LoginRecord& login) { return login.outcome.is_answered(); });
}

std::string_view protocol_name(Foreign protocol) {
  switch (protocol) {
    case Foreign::http:
      return "HTTP";
    case Foreign::tls:
      return "TLS";
    case Foreign::proxy:
      return "the PROXY protocol";
    case Foreign::none:
    case Foreign::undecided:
      break;
  }
  return "another protocol";
}

constexpr std::string_view train_advice =
    "for server 0.9.0 that is rust-sdk 0.11.0 (Python, CLI and connectors with it), node-sdk "
    "0.10.0, "
    "go-sdk, csharp-sdk or java-sdk 0.9.0";

// What the body of a command that is no login carries.
std::string_view secret_name(std::uint32_t code) {
  switch (code) {
    case iggy::code::session_bind:
      return "the secret with which connections join a session";
    case iggy::command_code("user.create"):
    case iggy::command_code("user.password"):
      return "passwords";
    case iggy::command_code("personal_access_token.create"):
      return "the new token";
    case iggy::command_code("stream.create"):
      return "the key that encrypts the stream";
    default:
      return "a secret";
  }
}

}  // namespace

void Diagnosis::ended(const Connection& connection) {
  endpoints_.connection(connection);
  const auto found = memories_.find(connection.id());
  const Memory memory = found == memories_.end() ? Memory{} : found->second;
  if (found != memories_.end()) memories_.erase(found);
  end_retries(connection, memory);
  judge_unasked(connection);
  judge_framings(connection, memory);
  judge_unanswered(connection, memory);
  disprove_stops(memory);
  judge_missing_login(connection, memory);
  judge_tls(connection);
  judge_loss(connection);
  judge_foreign(connection, memory);
}

void Diagnosis::without_bytes(const stream::TcpFacts& facts) {
  if (facts.handshake) endpoints_.accepted(facts.second);
  if (facts.refused) endpoints_.refused(facts);
}

Diagnosis::Candidate Diagnosis::candidate_of(const Connection& connection,
                                             const Memory& memory) const {
  Candidate candidate;
  candidate.client = connection.client();
  candidate.server = connection.server();
  candidate.client_text = client_text(connection, first_login(connection));
  candidate.alike = alike_text(connection, first_login(connection));
  candidate.websocket = connection.websocket();
  candidate.client_foreign = connection.foreign(Side::client);
  candidate.server_foreign = connection.foreign(Side::server);
  candidate.speaks_frames = connection.frames_from(Side::client) > 0;
  candidate.server_was_silent =
      connection.payload_bytes(Side::server) == 0 && server_was_heard(connection);
  candidate.is_acknowledged = connection.is_acknowledged(1);
  candidate.answers_as_legacy = connection.generation(Side::server) == Generation::legacy;
  candidate.memory = memory;
  candidate.asked_at =
      memory.first_request != 0 ? memory.first_request_time : connection.tcp().first_time;
  const auto& by_server = connection.finish(Side::server);
  const auto& by_client = connection.finish(Side::client);
  candidate.closed_by_server = by_server && (!by_client || by_server->time <= by_client->time);
  candidate.is_over = by_server || by_client;
  if (candidate.is_over)
    candidate.waited =
        (candidate.closed_by_server ? by_server : by_client)->time - candidate.asked_at;
  candidate.closed_at_once = candidate.closed_by_server && connection.tcp().handshake &&
                             by_server->time - candidate.asked_at <= at_once;
  candidate.packets = {memory.first_request, candidate.closed_by_server ? by_server->packet : 0};
  return candidate;
}

// Client and server that do not speak the same framing or header layout.
void Diagnosis::judge_framings(const Connection& connection, const Memory& memory) {
  const Generation client = connection.generation(Side::client);
  const Generation server = connection.generation(Side::server);
  if (client == Generation::unknown || connection.plane() != Plane::client) return;

  if (iggy::conversation::is_vsr_client_on_legacy_server(client, server)) {
    list_.add(FindingId::vsr_client_on_legacy_server,
              alike_text(connection, first_login(connection)),
              {fmt::format("{} sends 256-byte headers to {}, which answers status 3 with length 0, "
                           "as a server of the 0.8 line with its 8-byte framing does.",
                           client_text(connection, first_login(connection)),
                           to_string(connection.server())),
               "",
               {memory.first_request, memory.first_answer},
               "upgrade the server to 0.9.0, or pin the SDK to its last stable release with the "
               "8-byte framing (Rust 0.10.0; Python, Node, Go, Java and C# 0.8.0)"});
    return;
  }
  const bool is_silent = server == Generation::unknown &&
                         connection.payload_bytes(Side::server) == 0 &&
                         server_was_heard(connection);
  const bool is_newer_server = iggy::has_current_layout(server);
  // A request that was done shows that both understand each other.
  const bool is_dropped = is_newer_server ? !memory.answered && !has_answered_login(connection)
                                          : is_silent && has_unanswered_login(connection);
  if (iggy::has_older_layout(client) && is_dropped) {
    list_.add(
        FindingId::edge1_layout_client, alike_text(connection, first_login(connection)),
        {fmt::format("{} writes the header layout of a pre-release ({}) to {}, which drops its "
                     "login without an answer.",
                     client_text(connection, first_login(connection)), word_of(client),
                     to_string(connection.server())),
         "",
         {memory.first_request},
         fmt::format("move the SDK to the release train of the server; {}", train_advice)});
    return;
  }
  if (!is_silent) return;
  Candidate candidate = candidate_of(connection, memory);
  candidate.id = client == Generation::legacy ? FindingId::legacy_client_on_vsr_server
                                              : FindingId::vsr_client_on_legacy_server;
  add_candidate(std::move(candidate));
}

void Diagnosis::judge_unanswered(const Connection& connection, const Memory& memory) {
  // A server that never said a word is a candidate, which the whole capture decides.
  if (iggy::conversation::explain_silence(connection.generation(Side::client),
                                          connection.generation(Side::server)))
    return;
  add_unanswered(connection.server(), client_text(connection, first_login(connection)),
                 alike_text(connection, first_login(connection)), memory);
}

void Diagnosis::add_unanswered(const capture::Endpoint& server, const std::string& client,
                               const std::string& alike_key, const Memory& memory) {
  if (memory.unanswered_count == 0) return;
  std::string names;
  for (const auto& [name, count] : memory.unanswered_names)
    names += fmt::format("{}{}{}", names.empty() ? "" : ", ", name,
                         count > 1 ? fmt::format(" (x {})", count) : std::string());
  list_.add(
      FindingId::request_never_answered, fmt::format("{} {}", alike_key, names),
      {fmt::format("{} never answered {} of {}.", to_string(server), names, client), "",
       memory.unanswered,
       fmt::format("collect the server's log of that time: every silent drop leaves a warning "
                   "there; compare the releases of client and server{}",
                   memory.has_producer
                       ? "; a batch among them names its producer: builds before that of "
                         "rust-sdk 0.11.1-edge.8 drop it"
                       : ""),
       memory.unanswered_count});
}

void Diagnosis::judge_missing_login(const Connection& connection, const Memory& memory) {
  if (connection.plane() != Plane::client || memory.served == 0) return;
  if (!connection.logins().empty() || connection.dropped_logins() != 0) return;
  if (!iggy::has_frame_header(connection.generation(Side::client))) return;
  list_.add(FindingId::login_not_captured, to_string(connection.server()),
            {fmt::format("{} was served by {} without a login in the capture: it logged in before "
                         "the capture began, or the login was lost.",
                         to_string(connection.client()), to_string(connection.server())),
             "",
             {memory.first_request, memory.served},
             "to see SDK and versions, capture from before the client connects"});
}

// Whatever a frame shows to everybody on the way.
void Diagnosis::judge_secret(const Connection& connection, const connection::Frame& frame) {
  if (connection.transport() == connection::Transport::tls || connection.plane() != Plane::client)
    return;
  const auto login = iggy::decode::login_of(frame.facts, frame.generation, frame.raw.body);
  const bool is_login = login && iggy::conversation::tells_credentials(login->kind);
  if (!is_login &&
      !iggy::conversation::tells_secret(frame.facts, frame.dialect(), frame.code, frame.raw.body))
    return;
  const std::string server = to_string(connection.server());
  const std::string what = is_login
                               ? fmt::format("Logins at {} carry their password or token", server)
                               : fmt::format("{} {} at {} carry {}",
                                             frame.facts.is_request() ? "Requests" : "Replies to",
                                             frame.name, server, secret_name(frame.code));
  list_.add(FindingId::credentials_in_clear, what,
            {fmt::format("{} in clear.", what),
             "",
             {frame.raw.place.packet},
             "enable TLS in the server ([tcp.tls]) and in the clients, and change the passwords, "
             "tokens and keys that crossed a network"});
}

// Another protocol on an endpoint that may be Iggy's, or Iggy on another protocol's.
void Diagnosis::judge_foreign(const Connection& connection, const Memory& memory) {
  Candidate candidate = candidate_of(connection, memory);
  const bool has_foreign =
      candidate.client_foreign != Foreign::none || candidate.server_foreign != Foreign::none;
  // A replica link of 0.12 may go on with TLS behind its preamble.
  if (!has_foreign || connection.has_preamble(Side::client)) return;
  // Both sides speak the same other protocol: nothing is wrong between them, unless the user says
  // that Iggy should be there.
  if (candidate.client_foreign == candidate.server_foreign &&
      !endpoints_.is_named(connection.server().port))
    return;
  candidate.id = FindingId::wrong_protocol_on_port;
  candidate.packets = {memory.first_request, connection.foreign_packet(Side::client),
                       connection.foreign_packet(Side::server)};
  add_candidate(std::move(candidate));
}

void Diagnosis::add_candidate(Candidate candidate) {
  if (candidates_.size() >= candidate_limit)
    ++dropped_candidates_;
  else
    candidates_.push_back(std::move(candidate));
}

std::vector<Finding> Diagnosis::finish(std::int64_t last_time) {
  for (const Candidate& candidate : candidates_) decide(candidate, last_time);
  decide_refused();
  decide_stops();
  return list_.take();
}

void Diagnosis::decide(const Candidate& candidate, std::int64_t last_time) {
  const EndpointFacts endpoint = endpoints_.facts(candidate.server);
  const std::int64_t waited = candidate.is_over ? candidate.waited : last_time - candidate.asked_at;
  switch (candidate.id) {
    case FindingId::legacy_client_on_vsr_server:
      decide_legacy_client(candidate, endpoint, waited);
      break;
    case FindingId::vsr_client_on_legacy_server:
      decide_closed_at_once(candidate, endpoint);
      break;
    default:
      decide_wrong_protocol(candidate, endpoint, waited);
      break;
  }
}

void Diagnosis::decide_legacy_client(const Candidate& candidate, const EndpointFacts& endpoint,
                                     std::int64_t waited) {
  if (endpoint.speaks_legacy) {
    add_unanswered(candidate.server, candidate.client_text, candidate.alike, candidate.memory);
    return;
  }
  const bool closed_websocket =
      candidate.websocket.server_close_packet != 0 && !candidate.websocket.server_close_has_code;
  const bool was_left_waiting = candidate.is_acknowledged && !candidate.closed_by_server &&
                                (endpoint.speaks_frames || waited >= silence);
  if (!was_left_waiting && !closed_websocket) return;
  const std::string server = to_string(candidate.server);
  list_.add(
      FindingId::legacy_client_on_vsr_server, candidate.alike,
      {fmt::format("{} speaks the 8-byte framing of SDKs before 0.11 to {}, {}.",
                   candidate.client_text, server,
                   closed_websocket ? "which closed the WebSocket without a code"
                                    : "which acknowledged it and never answered: it waits "
                                      "for the rest of a 256-byte header"),
       endpoint.speaks_frames ? "Other clients speak 256-byte headers with the same server." : "",
       candidate.packets,
       fmt::format("upgrade the SDK to the release train of the server; {}", train_advice)});
}

// A good first frame, and the server closes without a byte: what listens there expects TLS, a
// WebSocket upgrade or the 8-byte framing of servers before 0.8.
void Diagnosis::decide_closed_at_once(const Candidate& candidate, const EndpointFacts& endpoint) {
  if (!candidate.closed_at_once || endpoint.speaks_frames) {
    add_unanswered(candidate.server, candidate.client_text, candidate.alike, candidate.memory);
    return;
  }
  const std::string server = to_string(candidate.server);
  const bool is_websocket_port = candidate.server.port == 8092 || candidate.server.port == 8093;
  if (endpoint.speaks_tls || endpoint.speaks_websocket || is_websocket_port) {
    const std::string_view expected = endpoint.speaks_tls ? "TLS" : "WebSocket";
    list_.add(
        FindingId::wrong_protocol_on_port, candidate.alike,
        {fmt::format("{} sends plain Iggy frames to {}, which expects {} and closes without a "
                     "byte.",
                     candidate.client_text, server, expected),
         "", candidate.packets,
         endpoint.speaks_tls ? "enable TLS in the client, or use the plain port"
                             : "use the TCP port (8090 by default), or the WebSocket "
                               "transport of the SDK"});
    return;
  }
  list_.add(FindingId::vsr_client_on_legacy_server, candidate.alike,
            {fmt::format("{} sends 256-byte headers to {}, which closes at once without a byte, as "
                         "servers before 0.8 do.",
                         candidate.client_text, server),
             "A listener for TLS or WebSocket does the same.", candidate.packets,
             "find out what listens there; upgrade a server of the 8-byte framing to 0.9.0, or pin "
             "the SDK to its last stable release with that framing (Rust 0.10.0; others 0.8.0)"});
}

void Diagnosis::decide_wrong_protocol(const Candidate& candidate, const EndpointFacts& endpoint,
                                      std::int64_t waited) {
  const std::string server = to_string(candidate.server);
  if (candidate.speaks_frames) {
    if (candidate.server_foreign == Foreign::none) return;
    list_.add(FindingId::wrong_protocol_on_port, candidate.alike,
              {fmt::format("{} sends Iggy frames to {}, which answers with {}.",
                           candidate.client_text, server, protocol_name(candidate.server_foreign)),
               "", candidate.packets,
               "use the port of the binary protocol: TCP 8090 by default, WebSocket 8092, HTTP is "
               "3000"});
    return;
  }
  if (candidate.client_foreign == Foreign::none) return;
  if (candidate.client_foreign == candidate.server_foreign) {
    list_.add(FindingId::wrong_protocol_on_port, candidate.alike,
              {fmt::format("{} and {} speak {} with each other on a port that is named as Iggy's.",
                           candidate.client_text, server, protocol_name(candidate.client_foreign)),
               "", candidate.packets, "find out what listens there, or name another port"});
    return;
  }
  // No answer, because the server closed or stayed silent; a capture that just ends proves nothing.
  const bool is_refused = candidate.closed_by_server || waited >= silence;
  if (!candidate.answers_as_legacy && !(candidate.server_was_silent && is_refused)) return;
  const bool is_iggy = endpoint.speaks_frames || endpoint.speaks_legacy ||
                       candidate.answers_as_legacy ||
                       endpoints_.is_client_port(candidate.server.port);
  const bool is_upgrade = candidate.websocket.upgrade_packet != 0;
  if (!is_iggy || (candidate.client_foreign == Foreign::tls && endpoint.speaks_tls) ||
      (is_upgrade && endpoint.speaks_websocket))
    return;
  const std::string_view what =
      is_upgrade ? "a WebSocket upgrade" : protocol_name(candidate.client_foreign);
  list_.add(FindingId::wrong_protocol_on_port, fmt::format("{} {}", candidate.alike, what),
            {fmt::format("{} sends {} to {}, {}.", candidate.client_text, what, server,
                         candidate.answers_as_legacy
                             ? "whose server reads it as the 8-byte framing and answers status 3"
                         : endpoint.speaks_frames
                             ? "which speaks plain Iggy frames with others, and gets no answer"
                             : "a port of the binary protocol, and gets no answer"),
             "", candidate.packets,
             "use the right port and scheme: TCP 8090, WebSocket 8092, HTTP 3000 by default; TLS "
             "only where the server has it enabled"});
}

void Diagnosis::decide_refused() {
  for (const auto& [endpoint, refusal] : endpoints_.refusals()) {
    bool is_burst = false;
    for (std::size_t i = 0; i + refusals_in_window <= refusal.times.size(); ++i)
      is_burst = is_burst ||
                 refusal.times[i + refusals_in_window - 1] - refusal.times[i] <= refusal_window;
    const bool is_unreachable = !endpoints_.facts(endpoint).accepted;
    if (!is_burst && !is_unreachable) continue;
    // Nodes that start dial each other before the peer listens.
    if (endpoints_.is_replica_port(endpoint) &&
        refusal.last_time - refusal.first_time < replica_refusal_span)
      continue;
    const std::string server = to_string(endpoint);
    list_.add(FindingId::connection_refused, server,
              {fmt::format("{} refused {} (RST to the SYN){}.", server,
                           counted(refusal.count, "connection"),
                           is_unreachable ? "; none was accepted in the capture" : ""),
               "", refusal.packets,
               "check that the server runs and listens on this address: the default of every "
               "transport is 127.0.0.1; publish the port of a container",
               refusal.count});
  }
}

}  // namespace analyzer::report
