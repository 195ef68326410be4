// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Requests, answers, logins and how they end: the part of a connection that pairs.
#include <algorithm>

#include "capture/address.hpp"
#include "connection/connection.hpp"
#include "conversation/naming.hpp"
#include "conversation/rules.hpp"
#include "conversation/subject.hpp"
#include "conversation/target.hpp"
#include "decode/body.hpp"
#include "iggy/conduct.hpp"
#include "iggy/registry.hpp"

namespace analyzer::connection {

using iggy::Command;
using iggy::conversation::Answer;
using iggy::conversation::ClientFacts;
using iggy::conversation::Outstanding;
using iggy::conversation::PairingRules;

namespace {

// Logins and evictions kept of one connection; more are counted.
constexpr std::size_t login_limit = 1000;

std::shared_ptr<const Sent> sent_of(const Frame& frame, NameCatalogue::Version names) {
  const iggy::decode::Window body = iggy::conversation::subject_front(frame.raw.body);
  if (body.captured.empty()) return nullptr;
  return std::make_shared<const Sent>(Sent{frame.facts,
                                           frame.dialect(),
                                           frame.code,
                                           {body.captured.begin(), body.captured.end()},
                                           body.on_wire,
                                           names});
}

// What a server says of its version, with its allocation.
constexpr std::uint64_t server_version_bytes = 64;

// What a request takes while it waits. Its size does not change meanwhile.
std::uint64_t memory_of(const Request& request) {
  const std::uint64_t of_key = sizeof(Outstanding);
  return sizeof(Request) + of_key + request.unknown_option.size() +
         (request.sent ? sizeof(Sent) + request.sent->body.size() : 0);
}

// Few requests fail, and few answers have more to say than that it was done; only of those requests
// is it told what they are about.
bool is_told_of(const Resolution& resolution) {
  if (resolution.outcome.kind != OutcomeKind::ok || !resolution.answer) return true;
  const iggy::conversation::AnswerFacts& told = resolution.answer->place.told;
  return told.is_empty || told.assigned || told.members != 0 || told.section ||
         resolution.request.operation == iggy::operation::truncate_partition ||
         resolution.request.body.batch.fault != iggy::decode::BatchFault::none;
}

}  // namespace

void Connection::tell(Request& request) const {
  if (request.sent == nullptr) return;
  const Sent& sent = *request.sent;
  iggy::conversation::Line line;
  add_subject(sent.facts, sent.sender, sent.code, sent.window(), names_as_of(sent.names), line);
  request.subject = line.text();
  request.target = iggy::conversation::target_of(sent.facts, sent.sender, sent.code, sent.window());
}

void Connection::on_request(Frame& frame) {
  const iggy::decode::CommandOf command =
      iggy::decode::command_of_request(frame.facts, frame.generation, frame.raw.body);
  frame.code = command.code;
  frame.name = command.name;

  const std::optional<iggy::decode::Login> login =
      iggy::decode::login_of(frame.facts, frame.generation, frame.raw.body);
  Request request;
  static_cast<iggy::conversation::Asked&>(request) =
      iggy::conversation::asked_of(frame.facts, frame.code, login);
  parties_.take_build(request);
  request.frame = frame.id;
  request.packet = frame.raw.place.packet;
  request.time = frame.raw.place.time;
  request.end = frame.raw.place.end;
  request.acknowledged = frame.raw.place.first_acknowledged;
  request.end_is_captured = frame.raw.place.end_is_captured;
  request.size = frame.raw.size;
  request.number = frame.facts.request;
  request.session = frame.facts.session;
  request.name = frame.name;
  request.body = frame.body;
  request.sent = sent_of(frame, shared_.names.version(frame.raw.place.packet));
  const iggy::conversation::OptionKeys keys =
      iggy::conversation::option_keys_of(frame.facts, frame.dialect(), frame.code, frame.raw.body);
  request.options = keys.known;
  take_body(request, frame.facts, frame.dialect(), frame.raw.body);
  request.unknown_option = keys.unknown;
  if (login) request.login_record = record_login(frame, *login);

  const PairingRules rules = parties_.pairing_rules();
  Outstanding key = iggy::conversation::outstanding_of(frame.facts);
  key.begin = frame.raw.place.begin;
  key.end = frame.raw.place.end;
  key.acknowledged = frame.raw.place.first_acknowledged;
  key.time = request.time;
  key.given_up = request.time + iggy::conversation::answer_limit_of(request.patience);

  if (iggy::conversation::is_cancellation(frame.code))
    if (Request* const cancelled = exchanges_.waiting_poll(request.number))
      cancelled->is_cancelled = true;
  shared_.observer.frame(*this, frame);
  waiting_bytes_ += memory_of(request);
  std::vector<Resolution> ended;
  exchanges_.ask(std::move(request), key, rules, ended);
  settle(ended);
}

void Connection::on_answer(Frame& frame) {
  Answer key = iggy::conversation::answer_of(frame.facts);
  key.acknowledged = frame.raw.place.first_acknowledged;
  const Request* request = exchanges_.find(key, parties_.pairing_rules());
  if (parties_.take_answer(frame.facts, request, frame.raw.body))
    request = exchanges_.find(key, parties_.pairing_rules());
  set_generation(frame);
  const AnswerRecord answer = record_of(frame, key, request);
  parties_.take_build(answer.place.told);
  if (answer.place.told.number.packed != 0)
    shared_.builds.told(to_string(server().address), answer.place.told.train);
  if (request != nullptr) {
    frame.answers = request;
    frame.code = request->code;
    frame.name = request->name;
  } else {
    const iggy::decode::CommandOf command =
        iggy::decode::command_of_answer(frame.facts, frame.generation);
    frame.code = command.code;
    frame.name = command.name;
  }
  if (frame.facts.is(Command::Eviction)) {
    if (evictions_.size() < login_limit)
      evictions_.push_back({frame.id, frame.raw.place.packet, frame.facts.reason,
                            request == nullptr, frame.facts.window});
    take_eviction(session_, frame.facts.reason);
  }
  shared_.observer.frame(*this, frame);
  // Replies to a client of the other framing answer nothing: the server did not read its request.
  if (frame.raw.framing == Framing::legacy && generation(Side::client) != Generation::legacy)
    return;
  learn_names(frame, answer.outcome);
  std::vector<Resolution> ended;
  exchanges_.answer(answer, parties_.pairing_rules(), ended);
  settle(ended);
}

// After the frame was told of: what it says by itself needs no name that it brought.
void Connection::learn_names(const Frame& answer, const Outcome& outcome) {
  if (outcome.kind != OutcomeKind::ok || !iggy::tells_names(answer.generation, answer.code)) return;
  std::optional<iggy::conversation::NamingFrame> request;
  if (answer.answers != nullptr && answer.answers->sent != nullptr) {
    const Sent& sent = *answer.answers->sent;
    request = {sent.facts, sent.sender, sent.window()};
  }
  iggy::conversation::learn_names(
      shared_.names, names_server_, answer.code, request,
      {answer.facts, answer.dialect(), answer.raw.body, answer.raw.place.packet});
}

// `request` is the one that the answer belongs to; null where there is none.
AnswerRecord Connection::record_of(const Frame& frame, const Answer& key, const Request* request) {
  AnswerRecord answer;
  answer.key = key;
  answer.begin = frame.raw.place.begin;
  answer.place = {
      frame.raw.place.end_is_captured,
      frame.id,
      frame.raw.place.packet,
      frame.raw.place.time,
      frame.raw.place.first_time,
      iggy::conversation::answer_facts_of(frame.facts, frame.dialect(),
                                          request == nullptr ? 0 : request->code, frame.raw.body)};
  answer.outcome = iggy::conversation::outcome_of(
      frame.facts, frame.dialect(), request == nullptr ? 0 : request->code, frame.raw.body);
  const bool may_be_login = frame.facts.operation == iggy::operation::register_session ||
                            frame.raw.framing == Framing::legacy ||
                            iggy::conduct_of(frame.generation).binds_sessions;
  if (answer.outcome.kind != OutcomeKind::ok || !may_be_login) return answer;
  const std::uint32_t code = request == nullptr ? 0 : request->code;
  const iggy::decode::BodyPlan plan =
      iggy::decode::plan_body(frame.facts, frame.generation, code, frame.raw.body);
  if (plan.state != iggy::decode::BodyState::decoded) return answer;
  const iggy::decode::LoginReply reply =
      iggy::decode::read_login_reply(frame.raw.body, *plan.layout);
  if (reply.is_read)
    answer.login = LoginAnswer{reply.user_id, reply.session, reply.server_version_number,
                               std::string(reply.server_version)};
  return answer;
}

std::optional<std::size_t> Connection::record_login(const Frame& frame,
                                                    const iggy::decode::Login& login) {
  if (logins_.size() >= login_limit) {
    ++dropped_logins_;
    return std::nullopt;
  }
  LoginRecord record;
  record.request_packet = frame.raw.place.packet;
  record.request_time = frame.raw.place.time;
  record.kind = login.kind;
  record.malformed = login.is_malformed();
  record.has_version = login.has_version;
  record.version = login.version;
  record.sdk = login.sdk_name;
  record.sdk_version = login.sdk_version;
  record.user = login.user;
  record.client = frame.facts.client;
  login_bytes_ += sizeof(LoginRecord) + record.sdk.size() + record.sdk_version.size() +
                  record.user.size() + server_version_bytes;
  logins_.push_back(std::move(record));
  return logins_.size() - 1;
}

void Connection::settle(std::vector<Resolution>& ended) {
  for (Resolution& resolution : ended) {
    Request& request = resolution.request;
    waiting_bytes_ -= memory_of(request);
    if (is_told_of(resolution)) tell(request);
    std::optional<AnswerPlace> place;
    if (resolution.answer) {
      place = resolution.answer->place;
      place->is_suspect = !has_time_between(request, place->packet, place->time);
      place->has_latency = place->has_latency && request.end_is_captured && !place->is_suspect;
      mark_eviction_as_answer(*place);
    }
    if (request.login_record) apply_login(resolution);
    ClientFacts* client = request.is_legacy ? nullptr : shared_.clients.remember(request.client);
    if (client != nullptr && request.is_login && resolution.outcome.kind == OutcomeKind::ok)
      names_server_ = iggy::conversation::server_of_names(
          shared_.names, *client, generation(Side::client), names_server_, to_string(server()));
    take_end(session_, client, request, resolution.outcome);
    if (place) take_answer(session_, request, place->told, place->time);
    shared_.observer.resolved(*this, request, resolution.outcome, place);
  }
}

void Connection::mark_eviction_as_answer(const AnswerPlace& answer) {
  for (EvictionRecord& eviction : evictions_)
    if (eviction.frame == answer.frame) eviction.is_unasked = false;
}

void Connection::apply_login(const Resolution& resolution) {
  LoginRecord& login = logins_[*resolution.request.login_record];
  login.outcome = resolution.outcome;
  if (!resolution.answer) return;
  login.answer_packet = resolution.answer->place.packet;
  login.answer_time = resolution.answer->place.time;
  const std::optional<LoginAnswer>& reply = resolution.answer->login;
  if (resolution.outcome.kind != OutcomeKind::ok || !reply) return;
  login.has_reply = true;
  login.user_id = reply->user_id;
  login.session = reply->session;
  login.server_version_number = reply->server_version_number;
  login.server_version = reply->server_version;
}

Outcome Connection::judge_at_end(const Request& request, stream::Ending ending) const {
  const auto server = index(direction_of(Side::server));
  // Waits where the generation showed later.
  if (!request.is_legacy && iggy::conversation::is_one_way(generation(Side::server), request.code))
    return {OutcomeKind::one_way, 0};
  if (request.is_cancelled) return {OutcomeKind::one_way, 0};
  // A direction of which nothing was captured hides everything.
  if (facts_.packets[server] == 0) return {OutcomeKind::unknown, 0};
  // So does what the server sent behind the request before the first byte known of it.
  if (request.acknowledged < facts_.begin[server]) return {OutcomeKind::unknown, 0};
  // So do bytes of the server that could not be read as frames.
  if (server_is_lost_ || reader(direction_of(Side::server)).has_unread_bytes())
    return {OutcomeKind::unknown, 0};
  const std::optional<Finish>& by_client = finishes_[1 - server];
  const std::optional<Finish>& by_server = finishes_[server];
  const bool is_over =
      by_server || (by_client && by_client->is_reset) || ending == stream::Ending::replaced;
  const bool client_left_first = by_client && (!by_server || by_client->time <= by_server->time);
  // The server was still allowed to wait.
  if (request.patience != 0 && client_left_first &&
      by_client->time - request.time < request.patience)
    return {OutcomeKind::pending, 0};
  const bool is_late =
      shared_.latest_time - request.time >= iggy::conversation::answer_limit_of(request.patience);
  return {is_over || is_late ? OutcomeKind::unanswered : OutcomeKind::pending, 0};
}

void Connection::end(const stream::TcpFacts& facts, stream::Ending ending) {
  facts_ = facts;
  is_over_ = true;
  for (FrameReader& reader : readers_) reader.finish();
  std::vector<Resolution> ended;
  exchanges_.end_all(
      [this, ending](const Request& request) { return judge_at_end(request, ending); }, ended);
  settle(ended);
  shared_.observer.ended(*this, ending);
}

std::string Request::display_name() const {
  if (!name.empty()) return std::string(name);
  // A login whose shape was not captured may be one by password or by token.
  if (is_login && operation == iggy::operation::register_session) return "Register";
  if (operation == iggy::operation::non_replicated) return "code " + std::to_string(code);
  return "operation " + std::to_string(operation);
}

}  // namespace analyzer::connection
