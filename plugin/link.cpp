// SPDX-License-Identifier: GPL-2.0-or-later
//
// What frames mean for a connection: roles, generations, pairs and findings, as they come.
#include "plugin/link.hpp"

#include <algorithm>
#include <utility>

#include "conversation/rules.hpp"
#include "decode/body.hpp"
#include "iggy/registry.hpp"

namespace plugin {

using iggy::Command;
using iggy::conversation::Answer;
using iggy::conversation::ClientFacts;
using iggy::conversation::OutcomeKind;
using iggy::conversation::Outstanding;
using iggy::decode::Facts;
using iggy::decode::U128;
using iggy::decode::Window;

namespace {

constexpr std::size_t acceptor_limit = 20'000;
// A server that has said nothing for so long after a request will say nothing.
constexpr std::int64_t silence = std::int64_t{5} * 1'000'000'000;

constexpr std::uint64_t bit(FindingId id) {
  return std::uint64_t{1} << static_cast<unsigned>(id);
}

void remember(std::unordered_set<std::string>& endpoints, const std::string& endpoint) {
  if (endpoints.size() < acceptor_limit) endpoints.insert(endpoint);
}

}  // namespace

Link::Link(Shared& shared, std::uint32_t number, std::string first, std::string second)
    : shared_(shared), number_(number), endpoints_{std::move(first), std::move(second)} {
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

void Link::allow_legacy() {
  for (Lane& lane : lanes_) lane.state().allows_legacy = true;
}

Taken Link::take(std::size_t lane, const Chunk& chunk) {
  current_ = lane;
  if (chunk.time > shared_.latest_time) shared_.latest_time = chunk.time;
  const auto captured = static_cast<std::uint32_t>(chunk.captured.size());
  if (captured < chunk.reported && (shared_.cut_length == 0 || captured < shared_.cut_length))
    shared_.cut_length = std::max(captured, 1U);
  lanes_[lane].expect_cuts_at(shared_.cut_length);
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

  const std::size_t index = frames_.size();
  FrameFacts& frame = frames_.emplace_back();
  const bool is_legacy = framing == Framing::legacy;
  const U128 id = is_legacy ? U128{} : iggy::decode::client_of_request(header);
  ClientFacts* client = id.is_zero() ? nullptr : shared_.clients.remember(id);
  const Facts facts =
      parties_.take_frame(side, {framing, header, body, own.has_preamble()}, client);
  frame.packet = chunk.packet;
  frame.time = chunk.time;
  frame.size = size;
  frame.framing = framing;
  frame.from = side;
  frame.generation = parties_.generation(side);
  frame.plane = parties_.plane();
  if (side == Side::client && !first_request_) first_request_ = index;
  if (side == Side::server && !is_legacy) remember(shared_.frame_servers, endpoints_[current_]);

  const Window window{body, size - static_cast<std::uint32_t>(header.size())};
  if (facts.is_request() && side == Side::client)
    on_request(frame, facts, window, span);
  else if ((facts.is_reply() || facts.is(Command::Eviction)) && side == Side::server)
    on_answer(frame, facts, window, span);
  return index;
}

void Link::on_request(FrameFacts& frame, const Facts& facts, Window body, const Span& span) {
  const iggy::decode::CommandOf command =
      iggy::decode::command_of_request(facts, frame.generation, body);
  const auto login = iggy::decode::login_of(facts, frame.generation, body);
  frame.is_request = true;
  frame.code = command.code;
  frame.name = command.name;
  frame.is_login = login.has_value();

  Request request;
  request.frame = frames_.size() - 1;
  request.asked.client = facts.client;
  request.asked.code = command.code;
  request.asked.operation = facts.operation;
  request.asked.is_legacy = frame.framing == Framing::legacy;
  if (login) {
    saw_login_ = true;
    request.asked.is_login = true;
    request.asked.login = login->kind;
    login_client_ = request.asked.is_legacy ? nullptr : shared_.clients.remember(facts.client);
  }
  const auto rules = parties_.pairing_rules();
  Outstanding key = iggy::conversation::outstanding_of(facts, rules.generation);
  key.begin = span.begin;
  key.end = span.end;
  key.acknowledged = span.acknowledged;
  exchanges_.ask(request, key, rules, ended_);
  settle();
}

void Link::on_answer(FrameFacts& frame, const Facts& facts, Window body, const Span& span) {
  AnswerRecord answer;
  answer.key = iggy::conversation::answer_of(facts);
  answer.key.acknowledged = span.acknowledged;
  answer.outcome = iggy::conversation::outcome_of(facts, frame.generation, body);
  answer.begin = span.begin;
  answer.frame = frames_.size() - 1;
  const Request* request = exchanges_.find(answer.key, parties_.pairing_rules());
  parties_.take_refusal(facts, request != nullptr && request->asked.is_login);
  frame.generation = parties_.generation(Side::server);
  frame.is_answer = true;
  if (request == nullptr) {
    const iggy::decode::CommandOf command =
        iggy::decode::command_of_answer(facts, frame.generation);
    frame.code = command.code;
    frame.name = command.name;
  }
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
  exchanges_.answer(answer, parties_.pairing_rules(), ended_);
  settle();
}

void Link::settle() {
  for (const auto& ended : ended_) {
    const Request& request = ended.request;
    FrameFacts& asked = frames_[request.frame];
    asked.outcome = ended.outcome;
    if (ended.answer) {
      FrameFacts& answer = frames_[ended.answer->frame];
      asked.peer = answer.packet;
      answer.peer = asked.packet;
      answer.code = asked.code;
      answer.name = asked.name;
      answer.is_login = asked.is_login;
      answer.has_latency = answer.time >= asked.time;
      answer.latency = answer.time - asked.time;
    }
    ClientFacts* client =
        request.asked.is_legacy ? nullptr : shared_.clients.remember(request.asked.client);
    take_end(session_, client, request.asked, ended.outcome);
    const bool is_done =
        ended.outcome.kind == OutcomeKind::ok || ended.outcome.kind == OutcomeKind::result;
    was_answered_ = was_answered_ || is_done || (asked.is_login && ended.outcome.is_answered());
    judge(ended, client);
  }
  ended_.clear();
}

void Link::judge(const Exchanges::Ended::value_type& ended, const ClientFacts* client) {
  if (!ended.answer) return;
  const auto shown = iggy::conversation::finding_of_pair(
      {ended.request.asked, ended.outcome, session_, client == nullptr ? ClientFacts{} : *client,
       parties_.generation(Side::client), parties_.generation(Side::server)});
  // The answer is where it shows. An eviction that was taken for unasked may have found its
  // request.
  if (shown) frames_[ended.answer->frame].findings |= bit(*shown);
}

void Link::lost(std::uint64_t begin, std::uint64_t end) {
  take_loss(session_, login_client_);
  if (side_of(current_) == Side::client) return;
  exchanges_.hide(begin, end, ended_);
  settle();
}

std::uint64_t Link::absences(std::size_t index) const {
  const FrameFacts& frame = frames_[index];
  std::uint64_t found = 0;
  const Generation client = parties_.generation(Side::client);
  const Generation server = parties_.generation(Side::server);
  // Explained by what the two sides speak; and a server that never said a word may be another's.
  const bool understands = !iggy::has_older_layout(client) && server != Generation::unknown &&
                           (client == Generation::legacy) == (server == Generation::legacy);
  if (frame.is_request && frame.outcome.kind == OutcomeKind::unanswered && understands &&
      last_unasked_ <= frame.packet)
    found |= bit(FindingId::request_never_answered);
  if (first_request_ != index) return found;
  if (is_left_without_answer()) found |= bit(FindingId::legacy_client_on_vsr_server);
  if (is_older_layout_dropped()) found |= bit(FindingId::edge1_layout_client);
  if (parties_.plane() == iggy::Plane::client && session_.was_served && !saw_login_ &&
      iggy::has_frame_header(client))
    found |= bit(FindingId::login_not_captured);
  return found;
}

// A client with the 8-byte framing waits: its server expects the rest of a 256-byte header.
bool Link::is_left_without_answer() const {
  if (parties_.generation(Side::client) != Generation::legacy) return false;
  const std::size_t server = 1 - *client_lane_;
  if (lanes_[server].was_heard()) return false;
  return shared_.frame_servers.contains(endpoints_[server]) ||
         shared_.latest_time - frames_[*first_request_].time >= silence;
}

bool Link::is_older_layout_dropped() const {
  const Generation server = parties_.generation(Side::server);
  const bool is_newer = server == Generation::v0_11 || server == Generation::v0_12;
  return iggy::has_older_layout(parties_.generation(Side::client)) && is_newer && !was_answered_;
}

Link& Memory::add_link(std::string first, std::string second) {
  const auto number = static_cast<std::uint32_t>(links_.size());
  return links_.emplace_back(shared_, number, std::move(first), std::move(second));
}

}  // namespace plugin
