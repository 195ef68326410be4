// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the absence of an answer means, once the whole capture was seen. Nothing is learned here.
#include <cstdint>

#include "conversation/dialect.hpp"
#include "conversation/rules.hpp"
#include "iggy/registry.hpp"
#include "plugin/link.hpp"

namespace plugin {

using iggy::conversation::least_patience;
using iggy::conversation::OutcomeKind;
using iggy::conversation::silence;

// The server had the whole request, as far as TCP tells. What wraps frames has other numbers.
bool Link::is_acknowledged(const FrameFacts& request, const Ending& ending) const {
  if (carrier_ != Carrier::tcp || !ending.has_sequences) return true;
  return static_cast<std::int32_t>(ending.server_acknowledged - request.end_sequence) >= 0;
}

// Whether the server will say nothing more: it ended its direction, or there was a RST.
bool Link::is_over(const Ending& ending) const {
  if (ending.has_reset || !ending.has_fin) return ending.has_reset;
  // What wraps frames has other numbers than TCP.
  if (!ending.client_closed_first || carrier_ != Carrier::tcp || !ending.has_sequences) return true;
  // A FIN takes a number of its own. Before the first byte stands that of the SYN.
  const Lane& server = lanes_[1 - *client_lane_];
  const std::uint32_t bytes_end = server.was_heard() ? server.end_sequence() : 1;
  return ending.server_next - bytes_end == 1;
}

Outcome Link::outcome(std::size_t index, const Ending& ending) const {
  const FrameFacts& request = frames_[index];
  if (request.outcome.kind != OutcomeKind::pending) return request.outcome;
  const Lane& server = lanes_[1 - *client_lane_];
  // Waits where the generation showed later.
  const bool is_legacy = request.framing == Framing::legacy;
  if (!is_legacy && iggy::conversation::is_one_way(parties_.generation(Side::server), request.code))
    return {OutcomeKind::one_way, 0};
  if (request.is_cancelled) return {OutcomeKind::one_way, 0};
  // A direction of which nothing was captured hides everything, as do bytes that no frame was
  // found in.
  const bool was_heard = server.was_heard() || (ending.has_sequences && ending.server_was_heard);
  if (!was_heard || server.has_unread_bytes()) return {OutcomeKind::unknown, 0};
  // The server was still allowed to wait.
  if (request.patience != 0 && ending.client_closed_first &&
      ending.last_time - request.time < request.patience)
    return {OutcomeKind::pending, 0};
  const bool is_late =
      shared_.latest_time - request.time >= iggy::conversation::answer_limit_of(request.patience);
  return {is_over(ending) || is_late ? OutcomeKind::unanswered : OutcomeKind::pending, 0};
}

std::uint64_t Link::absences(std::size_t index, const Ending& ending) const {
  const FrameFacts& frame = frames_[index];
  std::uint64_t found = 0;
  if (frame.is_request && is_never_answered(frame, outcome(index, ending), ending))
    found |= bit(iggy::conversation::finding_of_silence(frame.batch));
  if (frame.stops_servers && has_stopped_server(frame, outcome(index, ending), ending))
    found |= bit(FindingId::metadata_group_stopped);
  if (frame.is_request && frame.outcome.kind == OutcomeKind::pending &&
      is_acknowledged(frame, ending) && is_silent_by_dialect(frame, outcome(index, ending)))
    found |= bit(FindingId::body_dialect_mismatch);
  if (first_request_ != index) return found;
  if (is_legacy_left_waiting(ending)) found |= bit(FindingId::legacy_client_on_vsr_server);
  if (is_older_layout_dropped(ending)) found |= bit(FindingId::edge1_layout_client);
  if (parties_.plane() == iggy::Plane::client && session_.was_served && !saw_login_ &&
      iggy::has_frame_header(parties_.generation(Side::client)))
    found |= bit(FindingId::login_not_captured);
  return found;
}

bool Link::is_silent_by_dialect(const FrameFacts& request, const Outcome& outcome) const {
  iggy::conversation::Asked asked;
  asked.code = request.code;
  return difference_shown(asked, outcome, session_).has_value();
}

bool Link::is_never_answered(const FrameFacts& request, const Outcome& outcome,
                             const Ending& ending) const {
  const bool is_explained = iggy::conversation::explain_silence(parties_.generation(Side::client),
                                                                parties_.generation(Side::server));
  const bool has_told = (request.findings & bit(FindingId::body_dialect_mismatch)) != 0;
  if (outcome.kind != OutcomeKind::unanswered || is_explained || has_told ||
      is_silent_by_dialect(request, outcome) || last_unasked_ > request.packet)
    return false;
  // The server went on with later requests.
  if (request.outcome.kind == OutcomeKind::unanswered) return true;
  // A heartbeat that its client did not wait for.
  const bool is_impatient = request.code == iggy::code::ping && ending.client_closed_first &&
                            ending.last_time - request.time < least_patience;
  return is_acknowledged(request, ending) && !is_impatient;
}

// A server that serves its metadata later refused the request for another reason.
bool Link::has_stopped_server(const FrameFacts& request, const Outcome& outcome,
                              const Ending& ending) const {
  iggy::conversation::Asked asked;
  asked.stops_servers = request.stops_servers;
  // A server that stops without a word says nothing more on the connection.
  if (!may_have_stopped_server(asked, outcome) || request.outcome.kind == OutcomeKind::unanswered)
    return false;
  if (outcome.kind == OutcomeKind::unanswered && !is_never_answered(request, outcome, ending))
    return false;
  const auto served = shared_.metadata_served.find(endpoints_[1 - *client_lane_]);
  return served == shared_.metadata_served.end() || served->second <= request.time;
}

// A client with the 8-byte framing waits: its server expects the rest of a 256-byte header.
bool Link::is_legacy_left_waiting(const Ending& ending) const {
  if (parties_.generation(Side::client) != Generation::legacy) return false;
  const std::size_t server = 1 - *client_lane_;
  const FrameFacts& first = frames_[*first_request_];
  if (lanes_[server].was_heard() || !ending.has_sequences || !ending.server_was_heard ||
      !is_acknowledged(first, ending) ||
      ((ending.has_fin || ending.has_reset) && !ending.client_closed_first))
    return false;
  const std::int64_t end = ending.has_fin ? ending.last_time : shared_.latest_time;
  return shared_.frame_servers.contains(endpoints_[server]) || end - first.time >= silence;
}

bool Link::is_older_layout_dropped(const Ending& ending) const {
  if (!iggy::has_older_layout(parties_.generation(Side::client)) || was_answered_) return false;
  const Generation server = parties_.generation(Side::server);
  if (iggy::has_current_layout(server)) return true;
  // A server that drops the login says nothing at all.
  return server == Generation::unknown && ending.has_sequences && ending.server_was_heard &&
         !lanes_[1 - *client_lane_].was_heard() && frames_[*first_request_].is_login &&
         outcome(*first_request_, ending).kind == OutcomeKind::unanswered;
}

}  // namespace plugin
