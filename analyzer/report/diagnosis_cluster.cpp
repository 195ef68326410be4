// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The rules about what replicas tell each other.
#include <fmt/format.h>

#include "capture/address.hpp"
#include "conversation/target.hpp"
#include "decode/body.hpp"
#include "iggy/frame.hpp"
#include "iggy/operations.hpp"
#include "report/diagnosis.hpp"
#include "report/words.hpp"

namespace analyzer::report {

using connection::AnswerPlace;
using connection::Connection;
using connection::Request;
using connection::Side;
using iggy::Command;
using iggy::conversation::may_have_stopped_server;
using iggy::conversation::OutcomeKind;
using iggy::conversation::shows_metadata_served;

namespace {

constexpr std::size_t election_limit = 10'000;
constexpr std::size_t stop_limit = 1'000;

constexpr std::string_view stop_text =
    "servers commit this operation before they read it, and the part of a server that runs the "
    "metadata group stops when it takes or applies it";
constexpr std::string_view stop_detail =
    "The process and its connections stay: pings and reads of others are answered, logins and "
    "changes are not, or with 57. In a cluster each new primary stops the same way, and a node "
    "that is started again fails at its metadata log.";
constexpr std::string_view stop_advice =
    "keep this client away before anything else, fix or upgrade its library, and copy the data "
    "folders of all nodes before any is started again: none comes up from a log that holds this op";

}  // namespace

// A StartView alone may answer a node that comes back; after a call for the view it begins one. A
// node that was away calls late, and for a view that runs already.
void Diagnosis::replica_frame(const Connection& connection, const connection::Frame& frame) {
  const connection::Facts& facts = frame.facts;
  if (iggy::conversation::stops_replicas(facts, frame.dialect(), frame.raw.header, frame.raw.body))
    return group_stopped(connection, frame);
  const auto key = std::make_pair(facts.group, facts.view);
  if (facts.is(Command::StartViewChange) || facts.is(Command::DoViewChange)) {
    if (elections_.size() < election_limit)
      elections_.try_emplace(key, Election{frame.raw.place.packet, frame.raw.place.time, false});
    else if (!elections_.contains(key))
      ++dropped_candidates_;
    return;
  }
  if (!facts.is(Command::StartView)) return;
  const auto found = elections_.find(key);
  if (found == elections_.end() || found->second.is_over) return;
  Election& election = found->second;
  election.is_over = true;
  const bool is_metadata = facts.group == iggy::metadata_group;
  const std::int64_t took = frame.raw.place.time - election.time;
  list_.add(FindingId::view_change, fmt::format("{} {} {}", is_metadata, facts.view, facts.replica),
            {fmt::format("Node {} became primary of {} in view {}, {} after the first call for it.",
                         facts.replica, is_metadata ? "the metadata group" : "a partition group",
                         facts.view,
                         duration_text(static_cast<std::uint64_t>(took > 0 ? took : 0) / 1000)),
             "",
             {election.packet, frame.raw.place.packet},
             "look for what began it: the last heartbeat (Commit) of the old primary, or its "
             "restart"});
}

void Diagnosis::follow_metadata(const Connection& connection, const Request& request,
                                const Outcome& outcome, const AnswerPlace& answer) {
  const iggy::Generation server = connection.generation(Side::server);
  if (shows_metadata_served(request, server, outcome))
    endpoints_.metadata_served(connection.server(), answer.time);
  if (!may_have_stopped_server(request, outcome) ||
      iggy::conversation::explain_silence(connection.generation(Side::client), server))
    return;
  if (stops_.size() >= stop_limit) {
    ++dropped_candidates_;
    return;
  }
  if (!outcome.is_answered()) memories_[connection.id()].silent_stops.push_back(stops_.size());
  const connection::LoginRecord* login = last_login(connection);
  const std::string end = outcome.kind == OutcomeKind::unanswered
                              ? std::string("was never answered")
                              : "was answered with result " + error_text(outcome.number);
  stops_.push_back(
      {connection.server(),
       request.time,
       false,
       fmt::format("{} {}", request.display_name(), alike_text(connection, login)),
       fmt::format(
           "{} sent {} to {} with a body that cannot be read. It {}, and that server did no "
           "login and no change of metadata later: {}.",
           client_text(connection, login), request.display_name(), to_string(connection.server()),
           end, stop_text),
       {request.packet, answer.packet}});
}

// A server that stops without a word says nothing more on the connection.
void Diagnosis::disprove_stops(const Memory& memory) {
  for (const std::size_t at : memory.silent_stops)
    stops_[at].is_disproven = memory.last_answer > stops_[at].time;
}

// A server that serves its metadata later refused the request for another reason.
void Diagnosis::decide_stops() {
  for (Stop& stop : stops_)
    if (!stop.is_disproven && endpoints_.facts(stop.server).metadata_served <= stop.time)
      list_.add(FindingId::metadata_group_stopped, stop.kind,
                {std::move(stop.text), std::string(stop_detail), std::move(stop.packets),
                 std::string(stop_advice)});
}

// What the nodes of a cluster hand on.
void Diagnosis::group_stopped(const Connection& connection, const connection::Frame& frame) {
  const bool by_server = frame.from == Side::server;
  const std::string from = to_string(by_server ? connection.server() : connection.client());
  const std::string to = to_string(by_server ? connection.client() : connection.server());
  const std::string_view command = iggy::decode::command_name_of(frame.facts);
  const std::string_view operation = iggy::operation_name(frame.generation, frame.facts.operation);
  list_.add(FindingId::metadata_group_stopped, fmt::format("{} {}", command, operation),
            {fmt::format("{} sent {} a {} of op {}, {}, with a body that cannot be read: {}.", from,
                         to, command, frame.facts.op, operation, stop_text),
             std::string(stop_detail),
             {frame.raw.place.packet},
             std::string(stop_advice)});
}

}  // namespace analyzer::report
