// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The rules of rules.hpp.
#include "conversation/rules.hpp"

#include "iggy/registry.hpp"

namespace iggy::conversation {
namespace {

bool is_evicted(const Outcome& outcome, std::uint8_t reason) {
  return outcome.kind == OutcomeKind::evicted && outcome.number == reason;
}
bool is_status(const Outcome& outcome, std::uint32_t status) {
  return outcome.kind == OutcomeKind::status && outcome.number == status;
}

bool is_password_refused(const Outcome& outcome) {
  return is_evicted(outcome, reason::invalid_credentials) ||
         is_status(outcome, status::invalid_credentials) ||
         is_status(outcome, status::invalid_username) ||
         is_status(outcome, status::invalid_password) || is_status(outcome, status::user_inactive);
}
bool is_token_refused(const Outcome& outcome) {
  return is_evicted(outcome, reason::invalid_token) || is_evicted(outcome, reason::user_inactive) ||
         is_status(outcome, status::invalid_token) || is_status(outcome, status::token_expired);
}

// A server of protocol 0.11 compares the request identifier of a 0.12 client with the body's
// checksum and refuses before it looks at the version.
bool is_refused_by_checksum(const Ended& ended) {
  return is_status(ended.outcome, status::invalid_format) && ended.client == Generation::v0_12 &&
         ended.server != Generation::v0_12;
}

std::optional<FindingId> finding_of_login(const Ended& ended) {
  const Outcome& outcome = ended.outcome;
  if (is_evicted(outcome, reason::incompatible_protocol) || is_refused_by_checksum(ended))
    return FindingId::protocol_version_rejected;
  if (is_evicted(outcome, reason::malformed_login)) return FindingId::malformed_login;
  if (ended.asked.login == decode::LoginKind::bind &&
      (is_status(outcome, status::unauthenticated) ||
       is_status(outcome, status::transient_not_committed)))
    return FindingId::session_lost;
  // Only logins of the 8-byte framing are refused with a status.
  if (outcome.kind != OutcomeKind::evicted && !ended.asked.is_legacy) return std::nullopt;
  if (is_password_refused(outcome)) return FindingId::login_refused_credentials;
  if (is_token_refused(outcome)) return FindingId::token_refused;
  return std::nullopt;
}

// A request for which the server found no session.
std::optional<FindingId> finding_of_session(const Ended& ended) {
  const SessionState& session = ended.session;
  const bool is_no_session = is_evicted(ended.outcome, reason::no_session);
  const bool is_fenced = is_evicted(ended.outcome, reason::session_too_low);
  // What follows a stale eviction, or comes of an older layout, belongs to those findings; a poll
  // of the primary needs an attachment besides the login; and in 0.12 the session outlives the
  // connection, so only a refused bind shows that it is lost.
  if (session.is_stale || writes_older_layout(ended.client, ended.server) ||
      ended.asked.code == code::poll_primary ||
      (ended.server == Generation::v0_12 && is_no_session))
    return std::nullopt;
  if (!is_fenced && session.is_uncertain) return std::nullopt;
  const ClientFacts& id = ended.client_id;
  const bool had_session = id.registered && !id.logged_out && !id.is_uncertain;
  const bool was_served = session.was_served && !session.saw_logout;
  if (is_fenced || was_served || session.is_logged_in || (is_no_session && had_session))
    return FindingId::session_lost;
  return FindingId::request_before_login;
}

// Commands that only the release of 0.11 serves: servers of the trains before it do not know them.
bool is_routing(std::uint32_t code) {
  return code == code::consumer_session_attach || code == code::poll_routing ||
         code == code::poll_primary || code == code::consumer_offset_routing;
}

}  // namespace

std::optional<FindingId> finding_of_pair(const Ended& ended) {
  if (!ended.outcome.has_number() || ended.outcome.kind == OutcomeKind::result) return std::nullopt;
  if (ended.asked.is_login) return finding_of_login(ended);
  if (is_status(ended.outcome, status::unauthenticated) ||
      is_evicted(ended.outcome, reason::no_session) ||
      is_evicted(ended.outcome, reason::session_too_low))
    return finding_of_session(ended);
  if (unserved_by(ended.server, ended.asked, ended.outcome) != Unserved::no)
    return FindingId::unknown_or_unsupported_command;
  return std::nullopt;
}

std::optional<FindingId> finding_of_body(const Ended& ended) {
  if (is_checksum(ended.batch)) return FindingId::batch_checksum_wrong;
  // In 0.12 the field is the identifier of the request.
  const bool is_checked = ended.is_stamp_wrong && ended.client != Generation::v0_12 &&
                          ended.server != Generation::v0_12;
  if (is_checked && is_status(ended.outcome, status::invalid_format))
    return FindingId::request_checksum_mismatch;
  return std::nullopt;
}

std::optional<FindingId> finding_of_unasked(std::uint8_t reason) {
  switch (reason) {
    case reason::incompatible_protocol:
      return FindingId::protocol_version_rejected;
    case reason::invalid_credentials:
      return FindingId::login_refused_credentials;
    case reason::invalid_token:
    case reason::user_inactive:
      return FindingId::token_refused;
    case reason::malformed_login:
      return FindingId::malformed_login;
    case reason::session_too_low:
      return FindingId::session_lost;
    default:
      return std::nullopt;
  }
}

bool is_window_inconsistent(std::uint8_t reason, VersionWindow window, Generation server) {
  const bool has_no_window = server == Generation::v0;
  return !has_no_window && !window_is_consistent(reason, window);
}

bool is_vsr_client_on_legacy_server(Generation client, Generation server) {
  return has_frame_header(client) && server == Generation::legacy;
}

bool writes_older_layout(Generation client, Generation server) {
  return has_older_layout(client) && !has_older_layout(server);
}

bool explain_silence(Generation client, Generation server) {
  return has_older_layout(client) || server == Generation::unknown ||
         (client == Generation::legacy) != (server == Generation::legacy);
}

FindingId finding_of_silence(decode::BatchFault batch) {
  return is_dropped(batch) ? FindingId::invalid_batch_silently_dropped
                           : FindingId::request_never_answered;
}

Unserved unserved_by(Generation server, const Asked& asked, const Outcome& outcome) {
  if (outcome.kind != OutcomeKind::status || asked.is_legacy) return Unserved::no;
  const bool is_read = asked.operation == operation::non_replicated;
  const Exchange* exchange = find_code(server, asked.code);
  if (outcome.number == status::feature_unavailable && is_read) {
    const bool has_operation =
        exchange != nullptr && exchange->operation != operation::non_replicated;
    return has_operation ? Unserved::other_operation : Unserved::never;
  }
  if (outcome.number != status::invalid_command) return Unserved::no;
  if (is_routing(asked.code)) return Unserved::routing;
  const bool is_known = is_read ? exchange != nullptr : is_known_operation(server, asked.operation);
  return is_known ? Unserved::no : Unserved::unknown;
}

}  // namespace iggy::conversation
