// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Sums up frames and connections into the model of the report. Keeps no frame.
#include "report/statistics.hpp"

#include <algorithm>

#include "conversation/subject.hpp"
#include "decode/body.hpp"

namespace analyzer::report {

using connection::Connection;
using connection::Side;

namespace {

constexpr std::size_t connection_limit = 10'000;
constexpr std::size_t hole_limit = 1'000;
constexpr std::size_t packets_limit = 100;
constexpr std::size_t operation_limit = 1'000;
// Outcomes of one operation; a server that sends any number as status could make millions.
constexpr std::size_t outcome_limit = 256;

bool may_hold_stored_batches(const connection::Facts& facts) {
  if (facts.is_reply()) return facts.operation == iggy::operation::non_replicated;
  return (facts.is(iggy::Command::Prepare) || facts.is(iggy::Command::RepairPrepare)) &&
         facts.operation == iggy::operation::send_messages;
}

std::uint64_t memory_of(const connection::LoginRecord& login) {
  return sizeof login + login.sdk.size() + login.sdk_version.size() + login.user.size() +
         login.server_version.size();
}

// Among the first packets of their kind.
void note(const connection::Frame& frame, std::vector<std::uint64_t>& packets) {
  if (packets.size() < packets_limit) packets.push_back(frame.raw.place.packet);
}

ConnectionSummary summary_of(const Connection& connection) {
  ConnectionSummary summary;
  summary.id = connection.id();
  summary.client = connection.client();
  summary.server = connection.server();
  summary.transport = connection.transport();
  summary.plane = connection.plane();
  summary.generation = connection.generation(Side::client);
  summary.generation_inferred = !connection.generation_is_certain(Side::client);
  summary.server_generation = connection.generation(Side::server);
  summary.server_generation_inferred = !connection.generation_is_certain(Side::server);
  summary.frames_from_client = connection.frames_from(Side::client);
  summary.frames_from_server = connection.frames_from(Side::server);
  summary.left_over_bytes = connection.left_over_bytes();
  summary.tcp = connection.tcp();
  return summary;
}

}  // namespace

// Batches stand in replies to polls, which name no command, and in what replicas send each other.
std::uint32_t Statistics::wanted_body(const connection::Facts& facts) const {
  return checks_stored_ && may_hold_stored_batches(facts) ? iggy::conversation::max_frame_bytes : 0;
}

void Statistics::frame(const Connection& connection, const connection::Frame& frame) {
  ++model_.frames;
  const std::string_view command = iggy::decode::command_name_of(frame.facts);
  const auto known = model_.by_command.find(command);
  if (known == model_.by_command.end())
    model_.by_command.emplace(command, 1);
  else
    ++known->second;
  if (frame.facts.is_request() && frame.from == Side::client) ++counts_[connection.id()].requests;
  if (frame.raw.captured < frame.raw.size) ++model_.undecoded.cut_bodies;
  const bool may_have_body = frame.raw.size > frame.raw.header.size() || frame.facts.is_reply();
  if (may_have_body && frame.raw.captured == frame.raw.size) {
    const iggy::decode::BodyPlan plan =
        iggy::decode::plan_body(frame.facts, frame.dialect(), frame.code, frame.raw.body);
    if (plan.state == iggy::decode::BodyState::undecoded ||
        plan.state == iggy::decode::BodyState::partly) {
      ++model_.undecoded.bodies_without_tables;
      note(frame, model_.undecoded.packets_without_tables);
    }
    // What was checked as its bytes passed is not walked once more.
    if (!frame.body.is_right_send &&
        !iggy::decode::fits(plan, iggy::conversation::subject_front(frame.raw.body))) {
      ++model_.undecoded.broken_bodies;
      note(frame, model_.undecoded.packets_with_broken_bodies);
    }
    if (checks_stored_ && may_hold_stored_batches(frame.facts))
      diagnosis_.stored_batches(connection, frame, plan);
  }
  diagnosis_.frame(connection, frame);
}

void Statistics::resolved(const Connection& connection, const connection::Request& request,
                          const Outcome& outcome,
                          const std::optional<connection::AnswerPlace>& answer) {
  // Only what the registry does not know needs a name of its own making.
  const std::string made = request.name.empty() ? request.display_name() : std::string();
  const std::string_view name = request.name.empty() ? std::string_view(made) : request.name;
  auto known = model_.operations.find(name);
  if (known == model_.operations.end()) {
    if (model_.operations.size() < memory_.entries(operation_limit))
      known = model_.operations.emplace(name, OperationSummary{}).first;
    else
      ++model_.limits["operations_not_listed"];
  }
  if (known != model_.operations.end()) {
    auto& outcomes = known->second.outcomes;
    if (outcomes.size() < outcome_limit || outcomes.contains(outcome)) {
      ++outcomes[outcome];
      const bool is_ok = outcome.kind == connection::OutcomeKind::ok;
      if (is_ok && answer && answer->told.is_undone) ++known->second.undone;
    } else {
      ++model_.limits["outcomes_not_listed"];
    }
    if (answer && answer->has_latency)
      known->second.latency.add(static_cast<std::uint64_t>(answer->time - request.time) / 1000);
  }
  if (answer && answer->is_suspect) ++model_.undecoded.suspect_latencies;
  if (outcome.is_failure()) ++counts_[connection.id()].failed;
  if (checks_stored_ && answer) diagnosis_.answered_batch(connection, request, outcome, *answer);
  diagnosis_.resolved(connection, request, outcome, answer);
}

void Statistics::hole(const Connection& connection, stream::Direction from,
                      const stream::Hole& hole, bool hides_frames) {
  ++model_.undecoded.holes;
  model_.undecoded.hole_bytes[hole.kind] += hole.bytes;
  list_hole(connection, {0, from, hole.offset},
            {connection.id(), {}, hole.bytes, hole.found.packet, hole.kind, hides_frames, 0});
}

void Statistics::skipped(const Connection& connection, stream::Direction from,
                         const connection::Skipped& skipped) {
  list_hole(connection, {0, from, skipped.offset},
            {connection.id(), {}, skipped.bytes, skipped.packet, std::nullopt, true, 0});
}

// Bodies cut by the snap length are the plan of a header-only capture; they must not take the
// places of what nobody planned.
void Statistics::list_hole(const Connection& connection, const OpenHole& open,
                           const HoleSummary& hole) {
  const bool is_cut_body = hole.kind == stream::HoleKind::snapped && !hole.hides_frames;
  const std::size_t listed =
      is_cut_body ? cut_bodies_listed_ : model_.holes.size() - cut_bodies_listed_;
  if (listed >= memory_.entries(hole_limit)) {
    ++model_.limits[is_cut_body ? "holes_in_cut_bodies_not_listed" : "holes_not_listed"];
    return;
  }
  cut_bodies_listed_ += is_cut_body ? 1 : 0;
  counts_[connection.id()].holes.push_back({model_.holes.size(), open.from, open.offset});
  model_.holes.push_back(hole);
}

void Statistics::place_holes(const Connection& connection, const Counts& counts) {
  for (const OpenHole& open : counts.holes) {
    HoleSummary& hole = model_.holes[open.place];
    hole.from = open.from == connection.direction_of(Side::client) ? Side::client : Side::server;
    hole.sequence = connection.tcp().base_sequence[stream::index(open.from)] +
                    static_cast<std::uint32_t>(open.offset);
  }
}

void Statistics::contradiction(const Connection&, Side, connection::Contradiction, std::uint64_t) {
  ++model_.undecoded.contradictions;
}

void Statistics::ended(const Connection& connection, stream::Ending) {
  ++model_.connection_count;
  switch (connection.content()) {
    case connection::Content::frames:
      ++model_.iggy_connection_count;
      count_tcp_facts(connection);
      break;
    case connection::Content::encrypted:
      ++model_.undecoded.encrypted_connections;
      model_.undecoded.encrypted_bytes += connection.tcp().bytes[0] + connection.tcp().bytes[1];
      break;
    case connection::Content::other:
      ++model_.undecoded.other_connections;
      break;
    case connection::Content::untold:
      ++model_.undecoded.untold_connections;
      break;
  }
  if (connection.dropped_requests() != 0)
    model_.limits["requests_given_up"] += connection.dropped_requests();
  if (connection.dropped_logins() != 0)
    model_.limits["logins_not_listed"] += connection.dropped_logins();
  const auto counts = counts_.find(connection.id());
  if (counts != counts_.end()) place_holes(connection, counts->second);
  list(connection);
  counts_.erase(connection.id());
  diagnosis_.ended(connection);
}

void Statistics::list(const Connection& connection) {
  if (model_.connections.size() >= memory_.entries(connection_limit)) {
    ++model_.limits["connections_not_listed"];
    return;
  }
  ConnectionSummary summary = summary_of(connection);
  if (const auto counts = counts_.find(connection.id()); counts != counts_.end()) {
    summary.requests = counts->second.requests;
    summary.failed = counts->second.failed;
  }
  const auto fits = [this](std::uint64_t bytes) {
    if (login_bytes_ + bytes > memory_.logins()) return false;
    login_bytes_ += bytes;
    return true;
  };
  for (const connection::LoginRecord& login : connection.logins()) {
    if (fits(memory_of(login)))
      summary.logins.push_back(login);
    else
      ++model_.limits["logins_not_listed"];
  }
  for (const connection::EvictionRecord& eviction : connection.evictions()) {
    if (fits(sizeof eviction))
      summary.evictions.push_back(eviction);
    else
      ++model_.limits["evictions_not_listed"];
  }
  model_.connections.push_back(std::move(summary));
}

void Statistics::count_tcp_facts(const Connection& connection) {
  const stream::TcpFacts& tcp = connection.tcp();
  Undecoded& undecoded = model_.undecoded;
  undecoded.left_over_bytes += connection.left_over_bytes();
  undecoded.one_sided_connections += tcp.packets[0] == 0 || tcp.packets[1] == 0 ? 1 : 0;
  undecoded.begun_before_capture += tcp.roles_known ? 0 : 1;
  undecoded.overlaps_that_differ += tcp.overlaps_that_differ;
  undecoded.segments_out_of_window += tcp.out_of_window;
}

void Statistics::without_bytes(const stream::TcpFacts& facts) {
  ++model_.empty_connection_count;
  empty_.add(facts);
  diagnosis_.without_bytes(facts);
}

void Statistics::clock(const capture::TimeOrder& order) {
  model_.undecoded.clock_steps = order.steps();
  diagnosis_.clock(order);
}

Model Statistics::finish() {
  model_.findings = diagnosis_.finish(model_.last_time);
  if (diagnosis_.dropped_candidates() != 0)
    model_.limits["findings_not_judged"] = diagnosis_.dropped_candidates();
  model_.empty_connections = empty_.take();
  if (empty_.dropped() != 0) model_.limits["empty_connections_not_listed"] = empty_.dropped();
  // Connections end in another order than they began; readers look for the first one first.
  std::stable_sort(model_.connections.begin(), model_.connections.end(),
                   [](const ConnectionSummary& a, const ConnectionSummary& b) {
                     return a.tcp.first_packet < b.tcp.first_packet;
                   });
  return std::move(model_);
}

bool Model::was_read_in_part() const {
  return std::any_of(files.begin(), files.end(), [](const FileSummary& file) {
    return file.problem.status != capture::Status::end;
  });
}

std::optional<Severity> Model::worst() const {
  if (findings.empty()) return std::nullopt;
  return findings.front().severity;
}

}  // namespace analyzer::report
