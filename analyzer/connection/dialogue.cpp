// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Requests, answers, logins and how they end: the part of a connection that pairs.
#include <algorithm>

#include "connection/connection.hpp"
#include "decode/body.hpp"
#include "iggy/registry.hpp"

namespace analyzer::connection {

using iggy::Command;

namespace {

// Logins and evictions kept of one connection; more are counted.
constexpr std::size_t login_limit = 1000;
// After so much time without an answer a request counts as unanswered.
constexpr std::int64_t answer_limit = std::int64_t{30} * 1'000'000'000;

}  // namespace

void Connection::on_request(Frame& frame) {
  frame.code = iggy::decode::code_of_request(frame.facts, frame.generation, frame.raw.body);
  const iggy::Exchange* exchange = iggy::find_code(frame.generation, frame.code);
  if (exchange != nullptr) frame.name = exchange->name;

  Request request;
  request.frame = frame.id;
  request.packet = frame.raw.place.packet;
  request.time = frame.raw.place.time;
  request.end = frame.raw.place.end;
  request.end_is_captured = frame.raw.place.end_is_captured;
  request.size = frame.raw.size;
  request.code = frame.code;
  request.operation = frame.facts.operation;
  request.client = frame.facts.client;
  request.number = frame.facts.request;
  request.session = frame.facts.session;
  request.name = frame.name;
  request.is_legacy = frame.raw.framing == Framing::legacy;
  const std::optional<iggy::decode::Login> login =
      iggy::decode::login_of(frame.facts, frame.generation, frame.raw.body);
  if (login) request.login = record_login(frame, *login);

  const PairingRules rules = pairing_rules();
  Outstanding key;
  key.request = request.number;
  key.begin = frame.raw.place.begin;
  key.end = frame.raw.place.end;
  key.acknowledged = frame.raw.place.first_acknowledged;
  key.handle = frame.id;
  key.code = frame.facts.code;
  key.operation = request.operation;
  key.answerable = iggy::conversation::is_answerable(
      rules.generation, request.operation, !request.is_legacy && request.client.is_zero());

  shared_.observer.frame(*this, frame);
  std::vector<Resolution> ended;
  exchanges_.ask(request, key, rules, ended);
  settle(ended);
}

void Connection::on_answer(Frame& frame) {
  const Answer key = answer_key_of(frame);
  const Request* request = exchanges_.find(key, pairing_rules());
  const AnswerRecord answer = answer_of(frame, key, request);
  learn_from_refusal(frame, request);
  frame.generation = generation(Side::server);
  if (request != nullptr) {
    frame.answers = request;
    frame.code = request->code;
    frame.name = request->name;
  } else {
    const std::uint8_t asked = iggy::requested_operation(frame.facts.operation);
    const iggy::Exchange* exchange = iggy::find_operation(frame.generation, asked);
    if (exchange != nullptr && frame.facts.is_reply()) {
      frame.code = exchange->code;
      frame.name = exchange->name;
    }
  }
  if (frame.facts.is(Command::Eviction)) {
    if (evictions_.size() < login_limit)
      evictions_.push_back({frame.id, frame.raw.place.packet, frame.facts.reason,
                            request == nullptr, frame.facts.window});
    if (frame.facts.reason == iggy::reason::stale_client) {
      logged_in_ = false;
      stale_ = true;
    }
  }
  shared_.observer.frame(*this, frame);
  // Replies to a client of the other framing answer nothing: the server did not read its request.
  if (frame.raw.framing == Framing::legacy && generation(Side::client) != Generation::legacy)
    return;
  std::vector<Resolution> ended;
  exchanges_.answer(answer, pairing_rules(), ended);
  settle(ended);
}

Answer Connection::answer_key_of(const Frame& frame) {
  Answer key;
  key.is_eviction = frame.facts.is(Command::Eviction);
  key.operation = frame.facts.operation;
  key.reason = frame.facts.reason;
  key.request = frame.facts.request;
  key.acknowledged = frame.raw.place.first_acknowledged;
  return key;
}

// `request` is the one that the answer belongs to; null where there is none.
AnswerRecord Connection::answer_of(const Frame& frame, const Answer& key, const Request* request) {
  AnswerRecord answer;
  answer.key = key;
  answer.begin = frame.raw.place.begin;
  answer.place = {frame.raw.place.end_is_captured, frame.id, frame.raw.place.packet,
                  frame.raw.place.time, frame.raw.place.first_time};
  if (answer.key.is_eviction) {
    answer.outcome = {OutcomeKind::evicted, frame.facts.reason};
    return answer;
  }
  const iggy::decode::Result result =
      iggy::decode::result_of(frame.facts, frame.generation, frame.raw.body);
  if (frame.facts.status != 0)
    answer.outcome = {OutcomeKind::status, frame.facts.status};
  else if (!result.is_known)
    answer.outcome = {OutcomeKind::unknown, 0};
  else
    answer.outcome = {result.code == 0 ? OutcomeKind::ok : OutcomeKind::result, result.code};
  const bool may_be_login = frame.facts.operation == iggy::operation::register_session ||
                            frame.raw.framing == Framing::legacy ||
                            frame.generation == Generation::v0_12;
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

// A server of 0.11 refuses the login of a 0.12 client with status 4, before it looks at the
// version.
void Connection::learn_from_refusal(const Frame& frame, const Request* request) {
  if (!frame.facts.is_reply() || frame.raw.framing == Framing::legacy) return;
  const Generation client = generation(Side::client);
  const bool refused_login =
      frame.facts.status == iggy::status::invalid_format && request != nullptr && request->login;
  if (client == Generation::v0_12 && refused_login)
    verdict(Side::server).learn({Generation::v0_11, true});
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
  logins_.push_back(std::move(record));
  return logins_.size() - 1;
}

void Connection::settle(std::vector<Resolution>& ended) {
  for (Resolution& resolution : ended) {
    if (resolution.answer) {
      resolution.answer->has_latency =
          resolution.answer->has_latency && resolution.request.end_is_captured;
      mark_eviction_as_answer(*resolution.answer);
    }
    if (resolution.request.login) apply_login(resolution);
    apply_session(resolution);
    shared_.observer.resolved(*this, resolution.request, resolution.outcome, resolution.answer);
  }
}

void Connection::mark_eviction_as_answer(const AnswerPlace& answer) {
  for (EvictionRecord& eviction : evictions_)
    if (eviction.frame == answer.frame) eviction.is_unasked = false;
}

// What a request that ended says of the session.
void Connection::apply_session(const Resolution& resolution) {
  const Request& request = resolution.request;
  ClientFacts* client = request.is_legacy ? nullptr : shared_.clients.remember(request.client);
  const bool is_logout = request.operation == iggy::operation::logout ||
                         (request.is_legacy && request.code == iggy::code::logout);
  const bool is_unknown = resolution.outcome.kind == OutcomeKind::unknown;
  if (is_logout && (resolution.outcome.kind == OutcomeKind::ok || is_unknown)) {
    logged_in_ = false;
    saw_logout_ = true;
    if (client != nullptr) client->logged_out = true;
  }
  if (request.login && is_unknown) session_is_uncertain_ = true;
  const bool is_proof =
      resolution.outcome.kind == OutcomeKind::ok && (request.login || needs_login(request));
  if (!is_proof) return;
  session_is_uncertain_ = false;
  if (client != nullptr) client->is_uncertain = false;
}

void Connection::apply_login(const Resolution& resolution) {
  LoginRecord& login = logins_[*resolution.request.login];
  login.outcome = resolution.outcome;
  if (resolution.answer) {
    login.answer_packet = resolution.answer->packet;
    login.answer_time = resolution.answer->time;
  }
  if (resolution.outcome.kind != OutcomeKind::ok) return;
  logged_in_ = true;
  stale_ = false;
  saw_logout_ = false;
  if (resolution.login) {
    login.has_reply = true;
    login.user_id = resolution.login->user_id;
    login.session = resolution.login->session;
    login.server_version_number = resolution.login->server_version_number;
    login.server_version = resolution.login->server_version;
  }
  if (resolution.request.is_legacy) return;
  if (ClientFacts* facts = shared_.clients.remember(resolution.request.client)) {
    facts->registered = true;
    facts->logged_out = false;
  }
}

Outcome Connection::judge_at_end(const Request& request, stream::Ending ending) const {
  const auto server = index(direction_of(Side::server));
  // A direction of which nothing was captured hides everything.
  if (facts_.packets[server] == 0) return {OutcomeKind::unknown, 0};
  // So do bytes of the server that could not be read as frames.
  if (server_is_lost_ || reader(direction_of(Side::server)).has_unread_bytes())
    return {OutcomeKind::unknown, 0};
  const std::optional<Finish>& by_client = finishes_[1 - server];
  const bool is_over =
      finishes_[server] || (by_client && by_client->is_reset) || ending == stream::Ending::replaced;
  const bool is_late = shared_.latest_time - request.time >= answer_limit;
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

bool needs_login(const Request& request) {
  return request.operation != iggy::operation::register_session &&
         request.operation != iggy::operation::logout && request.code != iggy::code::ping &&
         request.code != iggy::code::logout && !request.login;
}

std::string Request::display_name() const {
  if (!name.empty()) return std::string(name);
  // A login whose shape was not captured may be one by password or by token.
  if (login && operation == iggy::operation::register_session) return "Register";
  if (operation == iggy::operation::non_replicated) return "code " + std::to_string(code);
  return "operation " + std::to_string(operation);
}

}  // namespace analyzer::connection
