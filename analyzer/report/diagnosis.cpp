// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The rules that a frame or a pair of request and answer decides. Those that need a whole
// connection or the whole capture stand in diagnosis_connections.cpp.
#include "report/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "capture/address.hpp"
#include "iggy/registry.hpp"
#include "report/advice.hpp"
#include "report/words.hpp"

namespace analyzer::report {

using connection::AnswerPlace;
using connection::Connection;
using connection::LoginRecord;
using connection::OutcomeKind;
using connection::Request;
using connection::Side;
using iggy::Command;
namespace reason = iggy::reason;
namespace status = iggy::status;
using iggy::decode::LoginKind;

namespace {

constexpr std::uint32_t poll_primary_code = 104;
// A client that closes sooner did not wait for its answer.
constexpr std::int64_t least_patience = std::int64_t{500} * 1'000'000;

const LoginRecord* last_login(const Connection& connection) {
  return connection.logins().empty() ? nullptr : &connection.logins().back();
}

std::string server_of(const Connection& connection) {
  return to_string(connection.server());
}

std::string time_between(std::int64_t from, std::int64_t to) {
  return duration_text(to > from ? static_cast<std::uint64_t>(to - from) / 1000 : 0);
}

// The client writes an older header layout than the server reads.
bool is_older_layout(const Connection& connection) {
  return iggy::has_older_layout(connection.generation(Side::client)) &&
         !iggy::has_older_layout(connection.generation(Side::server));
}

}  // namespace

void Diagnosis::frame(const Connection& connection, const connection::Frame& frame) {
  if (frame.from == Side::client) {
    Memory& memory = memories_[connection.id()];
    if (memory.first_request == 0) {
      memory.first_request = frame.raw.place.packet;
      memory.first_request_time = frame.raw.place.time;
    }
    return;
  }
  if (frame.facts.is_reply()) {
    Memory& memory = memories_[connection.id()];
    if (memory.first_answer == 0) memory.first_answer = frame.raw.place.packet;
  }
  if (frame.facts.is(Command::Eviction)) eviction(connection, frame);
}

void Diagnosis::eviction(const Connection& connection, const connection::Frame& frame) {
  const std::uint8_t reason = frame.facts.reason;
  const std::uint64_t packet = frame.raw.place.packet;
  const std::string server = server_of(connection);
  const bool has_no_window = connection.generation(Side::server) == Generation::v0;
  if (!has_no_window && !iggy::window_is_consistent(reason, frame.facts.window)) {
    list_.add(FindingId::version_window_inconsistent, fmt::format("{} {}", server, reason),
              {fmt::format("{} sent an eviction with reason {} and the window {} to {}.", server,
                           reason_text(reason), to_text(frame.facts.window.lowest),
                           to_text(frame.facts.window.highest)),
               "",
               {packet},
               "reason 14 needs a window whose lowest version is not above its highest, any other "
               "reason needs none; report the server build"});
  }
  if (reason == iggy::reason::stale_client) {
    const std::string client = client_text(connection, last_login(connection));
    list_.add(FindingId::stale_client_evicted, client,
              {fmt::format("{} was evicted by {}: no request for longer than the server allows a "
                           "consumer group member.",
                           client, server),
               "",
               {packet},
               "enable the heartbeat of the SDK (5 s), do not block the client's thread, or raise "
               "[heartbeat] interval of the server"});
  }
}

// A request that was not captured was refused all the same. Which evictions answer none is known
// when the connection is over: a request may be delivered behind its answer.
void Diagnosis::judge_unasked(const Connection& connection) {
  for (const connection::EvictionRecord& eviction : connection.evictions()) {
    if (!eviction.is_unasked) continue;
    LoginRecord unseen;
    unseen.answer_packet = eviction.packet;
    const Outcome outcome{OutcomeKind::evicted, eviction.reason};
    if (eviction.reason == reason::incompatible_protocol)
      version_rejected(connection, unseen, outcome);
    if (eviction.reason == reason::invalid_credentials ||
        eviction.reason == reason::invalid_token || eviction.reason == reason::user_inactive)
      credentials_refused(connection, unseen, outcome);
    if (eviction.reason == reason::malformed_login)
      login_malformed(connection, unseen, "a login that is not in the capture");
    if (eviction.reason == reason::session_too_low)
      session_lost(connection, "a request that is not in the capture", outcome, {eviction.packet});
  }
}

void Diagnosis::resolved(const Connection& connection, const Request& request,
                         const Outcome& outcome, const std::optional<AnswerPlace>& answer) {
  if (request.login)
    login_resolved(connection, request, outcome, connection.logins()[*request.login]);
  if (outcome.kind == OutcomeKind::unanswered) remember_unanswered(connection, request);
  if (!answer) return;
  if (outcome.kind == OutcomeKind::ok || outcome.kind == OutcomeKind::result) {
    Memory& memory = memories_[connection.id()];
    if (needs_login(request) && memory.served == 0) memory.served = answer->packet;
    memory.answered = true;
  } else if (!request.login) {
    request_refused(connection, request, outcome, *answer);
  }
}

// Requests without an answer, but for those that something else explains.
void Diagnosis::remember_unanswered(const Connection& connection, const Request& request) {
  for (const connection::EvictionRecord& eviction : connection.evictions())
    if (eviction.is_unasked && eviction.packet > request.packet) return;
  if (connection.is_over()) {
    // The server never had it: a matter of the network.
    if (!connection.is_acknowledged(request.end)) return;
    // A heartbeat that its client did not wait for.
    const auto& by_client = connection.finish(Side::client);
    const auto& by_server = connection.finish(Side::server);
    const bool client_first = by_client && (!by_server || by_client->time < by_server->time);
    if (request.code == iggy::code::ping && client_first &&
        by_client->time - request.time < least_patience)
      return;
  }
  Memory& memory = memories_[connection.id()];
  ++memory.unanswered_count;
  if (memory.unanswered.size() < 20) memory.unanswered.push_back(request.packet);
  const std::string name = request.display_name();
  if (memory.unanswered_names.size() < 20 || memory.unanswered_names.contains(name))
    ++memory.unanswered_names[name];
}

void Diagnosis::login_resolved(const Connection& connection, const Request& request,
                               const Outcome& outcome, const LoginRecord& login) {
  const bool is_evicted = outcome.kind == OutcomeKind::evicted;
  const bool refused_by_checksum = outcome.kind == OutcomeKind::status &&
                                   outcome.number == status::invalid_format &&
                                   connection.generation(Side::client) == Generation::v0_12 &&
                                   connection.generation(Side::server) != Generation::v0_12;
  if ((is_evicted && outcome.number == reason::incompatible_protocol) || refused_by_checksum) {
    version_rejected(connection, login, outcome);
  } else if (is_evicted && outcome.number == reason::malformed_login) {
    const bool is_old_code = login.kind == LoginKind::legacy;
    login_malformed(connection, login,
                    is_old_code
                        ? fmt::format("it sent the legacy command {} inside a 256-byte frame",
                                      request.display_name())
                        : "the server could not read the body of its login");
  } else if (login.kind == LoginKind::bind && outcome.kind == OutcomeKind::status &&
             (outcome.number == status::unauthenticated ||
              outcome.number == status::transient_not_committed)) {
    session_lost(connection, request.display_name(), outcome,
                 {login.request_packet, login.answer_packet});
  } else if (is_evicted || (request.is_legacy && outcome.kind == OutcomeKind::status)) {
    credentials_refused(connection, login, outcome);
  }
}

void Diagnosis::login_malformed(const Connection& connection, const LoginRecord& login,
                                const std::string& why) {
  const std::string client = client_text(connection, &login);
  list_.add(
      FindingId::malformed_login, fmt::format("{} {}", alike_text(connection, &login), why),
      {fmt::format("{} was evicted by {} with reason 15 MalformedLogin: {}.", client,
                   server_of(connection), why),
       "",
       {login.request_packet, login.answer_packet},
       "upgrade the client library: the body lacks the version prefix or is cut, or the login "
       "command is that of the legacy framing"});
}

void Diagnosis::version_rejected(const Connection& connection, const LoginRecord& login,
                                 const Outcome& outcome) {
  const std::string client = client_text(connection, &login);
  const std::string server = server_of(connection);
  const std::vector<std::uint64_t> packets = {login.request_packet, login.answer_packet};
  if (outcome.kind == OutcomeKind::status) {
    list_.add(
        FindingId::protocol_version_rejected, alike_text(connection, &login),
        {fmt::format("{} was refused by {} with status {}, {} after its login.", client, server,
                     error_text(outcome.number),
                     time_between(login.request_time, login.answer_time)),
         "A server of protocol 0.11 compares the request identifier of a 0.12 client with the "
         "body's checksum and refuses before it looks at the version.",
         packets, status_4_advice(login)});
    return;
  }
  iggy::VersionWindow window;
  for (const connection::EvictionRecord& eviction : connection.evictions())
    if (eviction.packet == login.answer_packet) window = eviction.window;
  const std::string accepts = iggy::window_is_consistent(reason::incompatible_protocol, window)
                                  ? "the server accepts " + to_text(window)
                                  : "it names no usable window";
  const bool is_older = is_older_layout(connection);
  list_.add(FindingId::protocol_version_rejected, alike_text(connection, &login),
            {fmt::format("{} was evicted by {} with reason 14 IncompatibleProtocol: {}.", client,
                         server, accepts),
             is_older ? "It also writes the header layout of a pre-release, which released servers "
                        "drop without an answer."
                      : "",
             packets,
             is_older ? "move client and server to one release train; for server 0.9.0 that is "
                        "rust-sdk 0.11.0, node-sdk 0.10.0, go-sdk, csharp-sdk or java-sdk 0.9.0"
                      : version_advice(window, login)});
}

void Diagnosis::credentials_refused(const Connection& connection, const LoginRecord& login,
                                    const Outcome& outcome) {
  const bool is_eviction = outcome.kind == OutcomeKind::evicted;
  const std::uint32_t number = outcome.number;
  const bool is_password =
      is_eviction ? number == reason::invalid_credentials
                  : number == status::invalid_credentials || number == status::invalid_username ||
                        number == status::invalid_password || number == status::user_inactive;
  const bool is_token = is_eviction
                            ? number == reason::invalid_token || number == reason::user_inactive
                            : number == status::invalid_token || number == status::token_expired;
  const std::string client = client_text(connection, &login);
  const std::string server = server_of(connection);
  const std::string how = is_eviction
                              ? "reason " + reason_text(static_cast<std::uint8_t>(outcome.number))
                              : "status " + error_text(outcome.number);
  const std::vector<std::uint64_t> packets = {login.request_packet, login.answer_packet};
  if (is_password) {
    const std::string user = login.user.empty() ? std::string("A user")
                                                : fmt::format("User \"{}\"", printable(login.user));
    list_.add(
        FindingId::login_refused_credentials,
        fmt::format("{} {}", user, alike_text(connection, &login)),
        {fmt::format("{} from {} was refused by {} with {}: wrong user name or password, or an "
                     "inactive user.",
                     user, client, server, how),
         "", packets,
         "check the password and the user's status; for a new deployment look at "
         "IGGY_ROOT_USERNAME and IGGY_ROOT_PASSWORD of the server"});
  } else if (is_token) {
    const bool is_inactive = is_eviction && outcome.number == reason::user_inactive;
    list_.add(FindingId::token_refused, fmt::format("{} {}", how, alike_text(connection, &login)),
              {fmt::format("The token of {} was refused by {} with {}: {}.", client, server, how,
                           is_inactive ? "its owner is inactive" : "it is unknown or expired"),
               "", packets,
               is_inactive ? "activate the user, or use a token of another"
                           : "create a new token, and check the expiry it was given"});
  }
}

void Diagnosis::session_lost(const Connection& connection, const std::string& request,
                             const Outcome& outcome, const std::vector<std::uint64_t>& packets) {
  const LoginRecord* login = last_login(connection);
  const bool is_fenced =
      outcome.kind == OutcomeKind::evicted && outcome.number == reason::session_too_low;
  list_.add(FindingId::session_lost,
            fmt::format("{} {}", alike_text(connection, login), word_of(outcome)),
            {fmt::format("{} lost its session at {}: {} was answered with {}.",
                         client_text(connection, login), server_of(connection), request,
                         word_of(outcome)),
             "", packets,
             is_fenced ? "the same client id has logged in on another node: give each client an id "
                         "of its own"
                       : "log in again (auto-login of the SDK does); look for a restart of the "
                         "server or a second client with the same id"});
}

void Diagnosis::request_refused(const Connection& connection, const Request& request,
                                const Outcome& outcome, const AnswerPlace& answer) {
  const LoginRecord* login = last_login(connection);
  const std::string name = request.display_name();
  const std::vector<std::uint64_t> packets = {request.packet, answer.packet};
  const bool is_unauthenticated =
      outcome.kind == OutcomeKind::status && outcome.number == status::unauthenticated;
  const bool is_no_session =
      outcome.kind == OutcomeKind::evicted && outcome.number == reason::no_session;
  const bool is_fenced =
      outcome.kind == OutcomeKind::evicted && outcome.number == reason::session_too_low;
  if (!is_unauthenticated && !is_no_session && !is_fenced) {
    unknown_command(connection, request, outcome, answer);
    return;
  }
  // What follows a stale eviction, or comes of an older layout, belongs to those findings; a poll
  // of the primary needs an attachment besides the login; and in 0.12 the session outlives the
  // connection, so only a refused bind shows that it is lost.
  const bool is_0_12 = connection.generation(Side::server) == Generation::v0_12;
  if (connection.is_stale() || is_older_layout(connection) || request.code == poll_primary_code ||
      (is_0_12 && is_no_session))
    return;
  const connection::ClientFacts* client = connection.clients().find(request.client);
  const bool had_session =
      client != nullptr && client->registered && !client->logged_out && !client->is_uncertain;
  const bool was_served = memories_[connection.id()].served != 0 && !connection.saw_logout();
  if (!is_fenced && connection.session_is_uncertain()) return;
  if (is_fenced || was_served || connection.is_logged_in() || (is_no_session && had_session)) {
    session_lost(connection, name, outcome, packets);
    return;
  }
  list_.add(FindingId::request_before_login,
            fmt::format("{} {}", name, alike_text(connection, login)),
            {fmt::format("{} sent {} to {} without being logged in and got {}.",
                         client_text(connection, login), name, server_of(connection),
                         is_no_session ? "an eviction with reason 1 NoSession"
                                       : "status 40 Unauthenticated"),
             "", packets, "enable auto-login, or log in again after a reconnect or a logout"});
}

void Diagnosis::unknown_command(const Connection& connection, const Request& request,
                                const Outcome& outcome, const AnswerPlace& answer) {
  if (outcome.kind != OutcomeKind::status || request.is_legacy) return;
  const Generation server = connection.generation(Side::server);
  const bool is_read = request.operation == iggy::operation::non_replicated;
  const iggy::Exchange* exchange = iggy::find_code(server, request.code);
  const bool is_known =
      is_read ? exchange != nullptr : iggy::is_known_operation(server, request.operation);
  // Served by the release of 0.11 only: servers of the trains before it do not know them.
  const bool is_routing =
      request.code == 14 || request.code == 103 || request.code == 104 || request.code == 123;
  const bool is_unknown = outcome.number == status::invalid_command && (!is_known || is_routing);
  const bool is_unserved = outcome.number == status::feature_unavailable && is_read;
  if (!is_unknown && !is_unserved) return;
  const bool has_operation =
      is_unserved && exchange != nullptr && exchange->operation != iggy::operation::non_replicated;
  const std::string_view why = has_operation ? "it has an operation of its own and is no read"
                               : is_unserved ? "the server knows it and does not serve it"
                               : is_routing  ? "the server is older than 0.9.0, or could not read "
                                               "the body"
                                             : "the server does not know it";
  const std::string_view advice =
      has_operation ? "send the command as its own operation"
      : is_unserved ? "remove the call: this server never performs it"
      : is_routing  ? "upgrade a server before 0.9.0; else look at the request's body"
                    : "upgrade the server, or use a client of the server's release";
  const LoginRecord* login = last_login(connection);
  const std::string name = request.display_name();
  list_.add(FindingId::unknown_or_unsupported_command,
            fmt::format("{} {}", name, alike_text(connection, login)),
            {fmt::format("{} sent {}, which {} answered with status {}: {}.",
                         client_text(connection, login), name, server_of(connection),
                         error_text(outcome.number), why),
             "",
             {request.packet, answer.packet},
             std::string(advice)});
}

}  // namespace analyzer::report
