// SPDX-License-Identifier: GPL-2.0-or-later
//
// What frames mean for a connection: roles, generations, pairs and findings, as they come.
#include "plugin/link.hpp"

#include <algorithm>
#include <utility>

#include "conversation/dialect.hpp"
#include "conversation/naming.hpp"
#include "conversation/rules.hpp"
#include "conversation/subject.hpp"
#include "conversation/target.hpp"
#include "decode/body.hpp"
#include "decode/body_check.hpp"
#include "iggy/registry.hpp"

namespace plugin {

using iggy::Command;
using iggy::conversation::ClientFacts;
using iggy::conversation::OutcomeKind;
using iggy::conversation::Outstanding;
using iggy::decode::Facts;
using iggy::decode::U128;
using iggy::decode::Window;

namespace {

constexpr std::size_t acceptor_limit = 20'000;
// Client ids that log in on one connection and are remembered.
constexpr std::size_t login_limit = 64;

void remember(std::unordered_set<std::string>& endpoints, const std::string& endpoint) {
  if (endpoints.size() < acceptor_limit) endpoints.insert(endpoint);
}

std::string address_of(const std::string& endpoint) {
  constexpr std::size_t port_bytes = sizeof(std::uint32_t);
  return endpoint.substr(0, endpoint.size() - std::min(endpoint.size(), port_bytes));
}

// Where the messages of a send are, where the reply is to one.
std::optional<Confirmation> confirmation_of(const Facts& facts, const FrameFacts& reply,
                                            std::uint32_t code, Bytes header, Window body) {
  if (facts.operation != iggy::operation::send_messages) return std::nullopt;
  const auto plan = iggy::decode::plan_body(facts, reply.dialect(), code, body);
  return iggy::decode::confirmation_of(plan, header, body);
}

}  // namespace

Link::Link(Shared& shared, std::uint32_t number, Carrier carrier, std::string first,
           std::string second)
    : shared_(shared),
      number_(number),
      carrier_(carrier),
      endpoints_{std::move(first), std::move(second)} {
  session_.is_uncertain = true;  // what came before the capture is not known
  for (Lane& lane : lanes_) lane.state().allows_legacy = false;
}

void Link::set_client(std::size_t lane) {
  client_lane_ = lane;
  lanes_[lane].state().side = Side::client;
  lanes_[1 - lane].state().side = Side::server;
}

void Link::begin_with_handshake(std::size_t client_lane) {
  if (client_lane_) return;
  set_client(client_lane);
  session_.is_uncertain = false;
  remember(shared_.acceptors, endpoints_[1 - client_lane]);
}

// A preference of TCP decides. Early in a stream the number that counts from its start is the
// lower one.
bool Link::has_wire_numbers(std::uint32_t sequence, std::uint32_t base) {
  if (!has_wire_numbers_) has_wire_numbers_ = sequence - base < sequence;
  return *has_wire_numbers_;
}

void Link::allow_legacy() {
  for (Lane& lane : lanes_) lane.state().allows_legacy = true;
}

Taken Link::take(std::size_t lane, const Chunk& chunk) {
  current_ = lane;
  const auto captured = static_cast<std::uint32_t>(chunk.captured.size());
  if (captured < chunk.reported) cut_length_ = std::max({captured, cut_length_, 1U});
  lanes_[lane].expect_cuts_at(cut_length_);
  return lanes_[lane].take(chunk, lanes_[1 - lane].sequences(), *this);
}

Side Link::side_of(std::size_t lane) const {
  if (!client_lane_) return Side::unknown;
  return lane == *client_lane_ ? Side::client : Side::server;
}

// Without a handshake the first frame tells who is client.
void Link::learn_roles(Bytes header, Framing framing) {
  bool by_client = lanes_[current_].state().side != Side::server;
  if (framing != Framing::legacy) {
    const Facts facts = iggy::decode::facts_of(header, Generation::v0_11);
    by_client = iggy::conversation::sender_of(
                    facts, {shared_.acceptors.contains(endpoints_[current_]),
                            shared_.acceptors.contains(endpoints_[1 - current_])}) == Side::client;
  }
  set_client(by_client ? current_ : 1 - current_);
}

std::size_t Link::frame(Bytes header, Bytes body, std::uint32_t size, const Span& span,
                        const Chunk& chunk) {
  Lane& own = lanes_[current_];
  const Framing framing = own.state().framing;
  if (!client_lane_) learn_roles(header, framing);
  const Side side = side_of(current_);
  inform_peer(lanes_[1 - current_].state(), framing, side, lanes_[1 - current_].has_frames());

  if (names_server_ == 0) names_server_ = shared_.names.server(endpoints_[1 - *client_lane_]);
  const std::size_t index = frames_.size();
  FrameFacts& frame = frames_.emplace_back();
  const bool is_legacy = framing == Framing::legacy;
  const U128 id = is_legacy ? U128{} : iggy::decode::client_of_request(header);
  ClientFacts* client = id.is_zero() ? nullptr : shared_.clients.remember(id);
  const Facts facts =
      parties_.take_frame(side, {framing, header, body, own.has_preamble()}, client);
  frame.header_packet = span.header_packet;
  frame.packet = chunk.packet;
  frame.time = chunk.time;
  frame.size = size;
  frame.end_sequence = span.end_sequence;
  frame.is_ended = span.ends_here;
  frame.framing = framing;
  frame.from = side;
  set_generation(frame);
  frame.plane = parties_.plane();
  frame.names = shared_.names.version(frame.packet);
  if (side == Side::client && !first_request_) first_request_ = index;
  if (side == Side::server && !is_legacy) remember(shared_.frame_servers, endpoints_[current_]);

  const Window window{body, size - static_cast<std::uint32_t>(header.size())};
  if (facts.is_request() && side == Side::client)
    on_request(frame, facts, window, span);
  else if ((facts.is_reply() || facts.is(Command::Eviction)) && side == Side::server)
    on_answer(frame, facts, header, window, span);
  else
    on_other(frame, facts, header, window);
  frame.may_have_producer =
      iggy::decode::may_name_producer(frame.generation, parties_.is_certain(side));
  return index;
}

void Link::note_metadata_served(std::int64_t time) {
  const std::string& server = endpoints_[1 - *client_lane_];
  auto& served = shared_.metadata_served;
  if (served.size() >= acceptor_limit && !served.contains(server)) return;
  served[server] = std::max(served[server], time);
}

void Link::on_other(FrameFacts& frame, const Facts& facts, Bytes header, Window body) {
  frame.topic = shared_.topics.of_prepare(facts);
  if (frame.plane == iggy::Plane::replica &&
      iggy::conversation::stops_replicas(facts, frame.dialect(), header, body))
    frame.findings |= bit(FindingId::metadata_group_stopped);
}

void Link::set_generation(FrameFacts& frame) const {
  frame.generation = parties_.generation(frame.from);
  frame.is_generation_inferred = !parties_.is_certain(frame.from);
  frame.train = parties_.dialect(frame.from).train;
  if (parties_.plane() == iggy::Plane::replica && !shared_.builds.is_empty())
    frame.train = shared_.builds.at(address_of(endpoints_[current_]));
}

void Link::on_request(FrameFacts& frame, const Facts& facts, Window body, const Span& span) {
  const iggy::decode::CommandOf command =
      iggy::decode::command_of_request(facts, frame.generation, body);
  const auto login = iggy::decode::login_of(facts, frame.generation, body);
  frame.is_request = true;
  frame.code = command.code;
  frame.name = command.name;
  frame.is_login = login.has_value();
  check_body(frame, facts, body);
  frame.topic = shared_.topics.of_request(facts, frame.dialect(), frame.code, body);

  Request request;
  request.frame = frames_.size() - 1;
  request.asked = iggy::conversation::asked_of(facts, command.code, login);
  parties_.take_build(request.asked);
  request.asked.options =
      iggy::conversation::option_keys_of(facts, frame.dialect(), command.code, body).known;
  take_body(request.asked, facts, frame.dialect(), body);
  frame.patience = request.asked.patience;
  frame.stops_servers = request.asked.stops_servers;
  if (iggy::conversation::is_cancellation(command.code))
    if (const Request* const cancelled = exchanges_.waiting_poll(facts.request))
      frames_[cancelled->frame].is_cancelled = true;
  keep_for_names(request, frame, facts, body);
  note_secret(frame, facts, command.code, body);
  if (login) {
    saw_login_ = true;
    if (carrier_ != Carrier::tls && iggy::conversation::tells_credentials(login->kind))
      frame.findings |= bit(FindingId::credentials_in_clear);
    if (!request.asked.is_legacy) add_login_client(shared_.clients.remember(facts.client));
  }
  const auto rules = parties_.pairing_rules();
  Outstanding key = iggy::conversation::outstanding_of(facts);
  key.begin = span.begin;
  key.end = span.end;
  key.acknowledged = span.acknowledged;
  key.time = frame.time;
  key.given_up = frame.time + iggy::conversation::answer_limit_of(request.asked.patience);
  exchanges_.ask(std::move(request), key, rules, ended_);
  settle();
}

void Link::note_secret(FrameFacts& frame, const Facts& facts, std::uint32_t code,
                       Window body) const {
  if (carrier_ != Carrier::tls &&
      iggy::conversation::tells_secret(facts, frame.dialect(), code, body))
    frame.findings |= bit(FindingId::credentials_in_clear);
}

// Older layouts have other batches, and their fields elsewhere.
void Link::check_body(FrameFacts& frame, const Facts& facts, Window body) {
  const bool is_older = iggy::has_older_layout(frame.generation);
  if (frame.framing == Framing::legacy || is_older || body.captured.size() < body.on_wire) return;
  if (!iggy::decode::BodyCheck::has_work(facts)) return;
  iggy::decode::BodyCheck check;
  check.begin(facts, body.on_wire,
              iggy::decode::message_form_of(frame.dialect(), parties_.is_certain(Side::client)));
  check.add(body.captured);
  const iggy::decode::BodyFacts told = check.end(facts);
  frame.batch = told.batch.fault;
  if (frame.batch != iggy::decode::BatchFault::none)
    wrong_batches_.emplace(frames_.size() - 1, told.batch);
  frame.is_stamp_wrong = told.is_stamp_wrong;
}

void Link::keep_for_names(Request& request, const FrameFacts& frame, const Facts& facts,
                          Window body) const {
  if (!iggy::tells_names(frame.generation, frame.code)) return;
  const Window front = iggy::conversation::subject_front(body);
  request.facts = facts;
  request.body.assign(front.captured.begin(), front.captured.end());
  request.body_size = front.on_wire;
}

// The frame itself was told of before.
void Link::learn_names(const Request* request, const FrameFacts& answer, const Facts& facts,
                       Window body) {
  const FrameFacts& asked = request == nullptr ? answer : frames_[request->frame];
  if (!iggy::tells_names(answer.generation, asked.code)) return;
  std::optional<iggy::conversation::NamingFrame> sent;
  if (request != nullptr && !request->body.empty())
    sent = {request->facts, asked.dialect(), {request->body, request->body_size}};
  iggy::conversation::learn_names(shared_.names, names_server_, asked.code, sent,
                                  {facts, answer.dialect(), body, answer.packet});
}

void Link::add_login_client(ClientFacts* client) {
  const auto known = std::find(login_clients_.begin(), login_clients_.end(), client);
  if (client != nullptr && known == login_clients_.end() && login_clients_.size() < login_limit)
    login_clients_.push_back(client);
}

void Link::on_answer(FrameFacts& frame, const Facts& facts, Bytes header, Window body,
                     const Span& span) {
  AnswerRecord answer;
  answer.key = iggy::conversation::answer_of(facts);
  answer.key.acknowledged = span.acknowledged;
  answer.begin = span.begin;
  answer.frame = frames_.size() - 1;
  const Request* request = exchanges_.find(answer.key, parties_.pairing_rules());
  if (parties_.take_answer(facts, request == nullptr ? nullptr : &request->asked, body))
    request = exchanges_.find(answer.key, parties_.pairing_rules());
  set_generation(frame);
  const std::uint32_t asked = request == nullptr ? 0 : request->asked.code;
  answer.outcome = iggy::conversation::outcome_of(facts, frame.dialect(), asked, body);
  answer.told = iggy::conversation::answer_facts_of(facts, frame.dialect(), asked, body);
  parties_.take_build(answer.told);
  if (answer.told.number.packed != 0)
    shared_.builds.told(address_of(endpoints_[current_]), answer.told.train);
  frame.is_answer = true;
  frame.may_miss_request = lanes_[*client_lane_].misses_bytes();
  if (request == nullptr) {
    const iggy::decode::CommandOf command =
        iggy::decode::command_of_answer(facts, frame.generation);
    frame.code = command.code;
    frame.name = command.name;
  }
  if (answer.outcome.kind == OutcomeKind::ok)
    answer.confirmation = confirmation_of(
        facts, frame, request == nullptr ? frame.code : request->asked.code, header, body);
  note_secret(frame, facts, request == nullptr ? frame.code : request->asked.code, body);
  if (facts.is(Command::Eviction)) {
    take_eviction(session_, facts.reason);
    if (iggy::conversation::is_window_inconsistent(facts.reason, facts.window, frame.generation))
      frame.findings |= bit(FindingId::version_window_inconsistent);
    if (facts.reason == iggy::reason::stale_client)
      frame.findings |= bit(FindingId::stale_client_evicted);
    if (request == nullptr) {
      last_unasked_ = frame.packet;
      if (const auto shown = iggy::conversation::finding_of_unasked(facts.reason))
        frame.findings |= bit(*shown);
    }
  }
  const Generation client = parties_.generation(Side::client);
  if (iggy::conversation::is_vsr_client_on_legacy_server(client, frame.generation) &&
      !std::exchange(is_mismatch_told_, true))
    frame.findings |= bit(FindingId::vsr_client_on_legacy_server);
  // Replies to a client of the other framing answer nothing: the server did not read its request.
  if (frame.framing == Framing::legacy && client != Generation::legacy) return;
  if (answer.outcome.kind == OutcomeKind::ok) learn_names(request, frame, facts, body);
  exchanges_.answer(answer, parties_.pairing_rules(), ended_);
  settle();
}

void Link::settle() {
  for (const auto& ended : ended_) {
    const Request& request = ended.request;
    FrameFacts& asked = frames_[request.frame];
    asked.outcome = ended.outcome;
    if (shows_metadata_served(request.asked, parties_.generation(Side::server), ended.outcome) &&
        ended.answer)
      note_metadata_served(frames_[ended.answer->frame].time);
    if (ended.answer) {
      asked.confirmation = ended.answer->confirmation;
      FrameFacts& answer = frames_[ended.answer->frame];
      asked.peer = ended.answer->frame;
      answer.peer = request.frame;
      answer.code = asked.code;
      answer.name = asked.name;
      answer.is_login = asked.is_login;
      answer.topic = asked.topic;
    }
    ClientFacts* client =
        request.asked.is_legacy ? nullptr : shared_.clients.remember(request.asked.client);
    if (client != nullptr && request.asked.is_login && ended.outcome.kind == OutcomeKind::ok)
      names_server_ = iggy::conversation::server_of_names(
          shared_.names, *client, parties_.generation(Side::client), names_server_,
          endpoints_[1 - *client_lane_]);
    take_end(session_, client, request.asked, ended.outcome);
    if (ended.answer)
      take_answer(session_, request.asked, ended.answer->told, frames_[ended.answer->frame].time);
    was_answered_ = was_answered_ || ended.outcome.is_served() ||
                    (asked.is_login && ended.outcome.is_answered());
    judge(ended, client);
  }
  ended_.clear();
}

void Link::judge(const Exchanges::Ended::value_type& ended, const ClientFacts* client) {
  if (difference_shown(ended.request.asked, ended.outcome, session_))
    frames_[ended.answer ? ended.answer->frame : ended.request.frame].findings |=
        bit(FindingId::body_dialect_mismatch);
  if (!ended.answer) return;
  const FrameFacts& asked = frames_[ended.request.frame];
  const iggy::conversation::Ended pair{ended.request.asked,
                                       ended.outcome,
                                       session_,
                                       client == nullptr ? ClientFacts{} : *client,
                                       parties_.generation(Side::client),
                                       parties_.generation(Side::server),
                                       ended.answer->told,
                                       frames_[ended.answer->frame].time,
                                       asked.batch,
                                       asked.is_stamp_wrong};
  // The answer is where it shows. An eviction that was taken for unasked may have found its
  // request.
  std::uint64_t& findings = frames_[ended.answer->frame].findings;
  if (const auto shown = iggy::conversation::finding_of_pair(pair)) findings |= bit(*shown);
  if (const auto shown = iggy::conversation::finding_of_body(pair)) findings |= bit(*shown);
}

std::optional<std::int64_t> Link::latency(const FrameFacts& answer) const {
  if (!answer.is_answer || !answer.peer || !answer.is_ended) return std::nullopt;
  const FrameFacts& request = frames_[*answer.peer];
  if (!request.is_ended || answer.time < request.time) return std::nullopt;
  return answer.time - request.time;
}

iggy::decode::BatchVerdict Link::batch(std::size_t frame) const {
  const auto found = wrong_batches_.find(frame);
  return found == wrong_batches_.end() ? iggy::decode::BatchVerdict{} : found->second;
}

void Link::ended(std::size_t frame, const Chunk& chunk) {
  FrameFacts& facts = frames_[frame];
  facts.packet = chunk.packet;
  facts.time = chunk.time;
  facts.is_ended = true;
}

void Link::lost(std::uint64_t begin, std::uint64_t end) {
  take_loss(session_, nullptr);
  for (ClientFacts* client : login_clients_) take_loss(session_, client);
  if (side_of(current_) == Side::client) return;
  exchanges_.hide(begin, end, parties_.pairing_rules(), ended_);
  settle();
}

Link& Memory::add_link(Carrier carrier, std::string first, std::string second) {
  const auto number = static_cast<std::uint32_t>(links_.size());
  return links_.emplace_back(shared_, number, carrier, std::move(first), std::move(second));
}

}  // namespace plugin
