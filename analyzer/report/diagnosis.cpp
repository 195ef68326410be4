// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The rules that a frame or a pair of request and answer decides. Those that need a whole
// connection or the whole capture stand in diagnosis_connections.cpp.
#include "report/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "capture/address.hpp"
#include "conversation/dialect.hpp"
#include "conversation/rules.hpp"
#include "conversation/target.hpp"
#include "iggy/exchanges.hpp"
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
using connection::word_of;
using iggy::Command;
using iggy::conversation::Unserved;
namespace reason = iggy::reason;
using iggy::decode::LoginKind;

namespace {

std::string server_of(const Connection& connection) {
  return to_string(connection.server());
}

std::string time_between(std::int64_t from, std::int64_t to) {
  return duration_text(to > from ? static_cast<std::uint64_t>(to - from) / 1000 : 0);
}

bool is_older_layout(const Connection& connection) {
  return iggy::conversation::writes_older_layout(connection.generation(Side::client),
                                                 connection.generation(Side::server));
}

// Whether something else than the server explains that a request got no answer.
bool is_excused(const Connection& connection, const Request& request) {
  for (const connection::EvictionRecord& eviction : connection.evictions())
    if (eviction.is_unasked && eviction.packet > request.packet) return true;
  if (!connection.is_over()) return false;
  // The server never had it: a matter of the network.
  if (!connection.is_acknowledged(request.end)) return true;
  // A heartbeat that its client did not wait for.
  const auto& by_client = connection.finish(Side::client);
  const auto& by_server = connection.finish(Side::server);
  const bool client_first = by_client && (!by_server || by_client->time < by_server->time);
  return request.code == iggy::code::ping && client_first &&
         by_client->time - request.time < iggy::conversation::least_patience;
}

// Which builds do not know a command that others of their number know.
std::string other_builds_text(std::uint32_t code) {
  const iggy::Introduced* const command = iggy::introduction_of(code);
  if (command == nullptr) return {};
  if (command->since == iggy::Train{})
    return fmt::format("newer than {}", iggy::version_in(command->until, "server"));
  const std::string_view release = iggy::version_in(command->since, "server");
  if (!release.empty()) return fmt::format("older than {}", release);
  return fmt::format(
      "{} that of rust-sdk {}",
      command->until == iggy::Train::newest ? "of a build before" : "of another build than",
      iggy::version_in(command->since, "rust-sdk"));
}

// Whether it asks for the way of a poll that does not commit, which servers do not tell.
bool is_way_without_commit(const Request& request) {
  if (request.code != iggy::code::poll_routing || request.sent == nullptr) return false;
  const connection::Sent& sent = *request.sent;
  return iggy::conversation::is_committing(sent.facts, sent.sender, sent.code, sent.window()) ==
         false;
}

}  // namespace

void Diagnosis::frame(const Connection& connection, const connection::Frame& frame) {
  if (connection.plane() == Plane::replica) replica_frame(connection, frame);
  judge_secret(connection, frame);
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
  if (iggy::conversation::is_window_inconsistent(reason, frame.facts.window,
                                                 connection.generation(Side::server))) {
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
    const std::optional<FindingId> shown = iggy::conversation::finding_of_unasked(eviction.reason);
    if (shown == FindingId::protocol_version_rejected)
      version_rejected(connection, unseen, outcome);
    else if (shown == FindingId::malformed_login)
      login_malformed(connection, unseen, "a login that is not in the capture");
    else if (shown == FindingId::session_lost)
      session_lost(connection, "a request that is not in the capture", outcome, {eviction.packet});
    else if (shown)
      credentials_refused(*shown, connection, unseen, outcome);
  }
}

void Diagnosis::resolved(const Connection& connection, const Request& request,
                         const Outcome& outcome, const std::optional<AnswerPlace>& answer) {
  const auto difference =
      iggy::conversation::difference_shown(request, outcome, connection.session());
  const bool has_silence =
      outcome.kind == OutcomeKind::unanswered && !is_excused(connection, request);
  if (difference && (answer || has_silence))
    dialects_differ(*difference, connection, request, outcome, answer.value_or(AnswerPlace{}));
  else if (has_silence)
    remember_unanswered(connection, request);
  if (!difference && (answer || has_silence))
    follow_metadata(connection, request, outcome, answer.value_or(AnswerPlace{}));
  if (answer) {
    Memory& memory = memories_[connection.id()];
    memory.last_answer = std::max(memory.last_answer, answer->time);
    if (needs_login(request) && outcome.is_served() && memory.served == 0)
      memory.served = answer->packet;
    memory.answered |= outcome.is_served();
  }
  // Of logins also the end without an answer of their own counts: an eviction may end several.
  if (!answer && !request.is_login) return;
  const iggy::conversation::ClientFacts* client = connection.clients().find(request.client);
  const iggy::conversation::Asked& asked = request;
  const iggy::conversation::Ended ended{
      asked,
      outcome,
      connection.session(),
      client == nullptr ? iggy::conversation::ClientFacts{} : *client,
      connection.generation(Side::client),
      connection.generation(Side::server),
      answer ? answer->told : iggy::conversation::AnswerFacts{},
      answer ? answer->time : 0,
      request.body.batch.fault,
      request.body.is_stamp_wrong};
  const std::optional<FindingId> shown = iggy::conversation::finding_of_pair(ended);
  if (shown) report_pair(*shown, connection, request, outcome, answer.value_or(AnswerPlace{}));
  if (!answer) return;
  judge_body(connection, ended, request, *answer);
  follow_retries(connection, request, outcome, *answer);
}

void Diagnosis::report_pair(FindingId shown, const Connection& connection, const Request& request,
                            const Outcome& outcome, const AnswerPlace& answer) {
  LoginRecord login;
  login.request_packet = request.packet;
  login.answer_packet = answer.packet;
  if (request.login_record) login = connection.logins()[*request.login_record];
  switch (shown) {
    case FindingId::protocol_version_rejected:
      version_rejected(connection, login, outcome);
      break;
    case FindingId::malformed_login:
      login_malformed(connection, login,
                      request.login == LoginKind::legacy
                          ? fmt::format("it sent the legacy command {} inside a 256-byte frame",
                                        request.display_name())
                          : "the server could not read the body of its login");
      break;
    case FindingId::session_lost:
      session_lost(connection, request.display_name(), outcome, {request.packet, answer.packet});
      break;
    case FindingId::request_before_login:
      login_missing(connection, request, outcome, answer);
      break;
    case FindingId::unknown_or_unsupported_command:
      unknown_command(connection, request, outcome, answer);
      break;
    case FindingId::login_refused_credentials:
    case FindingId::token_refused:
      credentials_refused(shown, connection, login, outcome);
      break;
    case FindingId::member_without_partitions:
      left_out(connection, request, answer);
      break;
    default:
      if (request.operation == iggy::operation::truncate_partition &&
          outcome.kind == OutcomeKind::ok)
        truncated(shown, connection, request, answer);
      else
        refused(shown, connection, request, outcome, answer);
      break;
  }
}

void Diagnosis::remember_unanswered(const Connection& connection, const Request& request) {
  if (is_batch_dropped(connection, request)) return;
  Memory& memory = memories_[connection.id()];
  ++memory.unanswered_count;
  memory.has_producer |= request.batch && request.batch->has_producer;
  if (memory.unanswered.size() < 20) memory.unanswered.push_back(request.packet);
  const std::string name = request.display_name();
  if (memory.unanswered_names.size() < 20 || memory.unanswered_names.contains(name))
    ++memory.unanswered_names[name];
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

void Diagnosis::credentials_refused(FindingId shown, const Connection& connection,
                                    const LoginRecord& login, const Outcome& outcome) {
  const bool is_eviction = outcome.kind == OutcomeKind::evicted;
  const std::string client = client_text(connection, &login);
  const std::string server = server_of(connection);
  const std::string how = is_eviction
                              ? "reason " + reason_text(static_cast<std::uint8_t>(outcome.number))
                              : "status " + error_text(outcome.number);
  const std::vector<std::uint64_t> packets = {login.request_packet, login.answer_packet};
  if (shown == FindingId::login_refused_credentials) {
    const std::string user =
        login.user.empty() ? std::string("A user") : fmt::format("User {}", quoted(login.user));
    list_.add(
        FindingId::login_refused_credentials,
        fmt::format("{} {}", user, alike_text(connection, &login)),
        {fmt::format("{} from {} was refused by {} with {}: wrong user name or password, or an "
                     "inactive user.",
                     user, client, server, how),
         "", packets,
         "check the password and the user's status; for a new deployment look at "
         "IGGY_ROOT_USERNAME and IGGY_ROOT_PASSWORD of the server"});
  } else {
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
  const bool is_stale =
      outcome.kind == OutcomeKind::status && outcome.number == iggy::status::stale_client;
  list_.add(FindingId::session_lost,
            fmt::format("{} {}", alike_text(connection, login), word_of(outcome)),
            {fmt::format("{} lost its session at {}: {} was answered with {}.",
                         client_text(connection, login), server_of(connection), request,
                         word_of(outcome)),
             "", packets,
             is_fenced ? "the same client id has logged in on another node: give each client an id "
                         "of its own"
             : is_stale ? "log in again, and keep the heartbeat of the SDK enabled: the server "
                          "takes the client for gone"
                        : "log in again (auto-login of the SDK does); look for a restart of the "
                          "server or a second client with the same id"});
}

void Diagnosis::login_missing(const Connection& connection, const Request& request,
                              const Outcome& outcome, const AnswerPlace& answer) {
  const LoginRecord* login = last_login(connection);
  const std::string name = request.display_name();
  list_.add(
      FindingId::request_before_login, fmt::format("{} {}", name, alike_text(connection, login)),
      {fmt::format("{} sent {} to {} without being logged in and got {}.",
                   client_text(connection, login), name, server_of(connection),
                   outcome.kind == OutcomeKind::evicted ? "an eviction with reason 1 NoSession"
                                                        : "status 40 Unauthenticated"),
       "",
       {request.packet, answer.packet},
       "enable auto-login, or log in again after a reconnect or a logout"});
}

void Diagnosis::unknown_command(const Connection& connection, const Request& request,
                                const Outcome& outcome, const AnswerPlace& answer) {
  const std::string_view unread = !can_be_read(connection, request) ? "could not read the body"
                                  : is_way_without_commit(request)
                                      ? "serves it only for polls with auto_commit 1"
                                      : "refused what the body says";
  std::string why = "the server does not know it";
  std::string_view advice = "upgrade the server, or use a client of the server's release";
  switch (
      unserved_by(connection.generation(Side::server), connection.session(), request, outcome)) {
    case Unserved::other_operation:
      why = "it has an operation of its own and is no read";
      advice = "send the command as its own operation";
      break;
    case Unserved::never:
      why = "the server knows it and does not serve it";
      advice = "remove the call: this server never performs it";
      break;
    case Unserved::retired:
      why = fmt::format("protocol {} has it no more",
                        connection.session().server_number.packed == 0
                            ? std::string(word_of(connection.generation(Side::server)))
                            : to_text(connection.session().server_number));
      advice = "upgrade the client to the release of the server";
      break;
    case Unserved::build:
      why = fmt::format("the server is {}, or {}", other_builds_text(request.code), unread);
      advice = "use client and server of one release; else look at the request's body";
      break;
    case Unserved::unread:
      why = fmt::format("the server knows it and {}", unread);
      advice = "look at the request's body";
      break;
    case Unserved::unknown:
    case Unserved::no:
      break;
  }
  const std::string with = outcome.kind == OutcomeKind::ok
                               ? std::string("an empty reply and no effect")
                               : "status " + error_text(outcome.number);
  const LoginRecord* login = last_login(connection);
  const std::string name = request.display_name();
  list_.add(FindingId::unknown_or_unsupported_command,
            fmt::format("{} {}", name, alike_text(connection, login)),
            {fmt::format("{} sent {}, which {} answered with {}: {}.",
                         client_text(connection, login), name, server_of(connection), with, why),
             "",
             {request.packet, answer.packet},
             std::string(advice)});
}

}  // namespace analyzer::report
