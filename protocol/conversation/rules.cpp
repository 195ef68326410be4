// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The rules of rules.hpp.
#include "conversation/rules.hpp"

#include "conversation/commands.hpp"
#include "conversation/dialect.hpp"
#include "decode/body.hpp"
#include "decode/walk.hpp"
#include "iggy/conduct.hpp"
#include "iggy/errors.hpp"
#include "iggy/exchanges.hpp"
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
  return is_status(ended.outcome, status::invalid_format) &&
         !conduct_of(ended.client).checks_requests && conduct_of(ended.server).checks_requests;
}

std::optional<FindingId> finding_of_login(const Ended& ended) {
  const Outcome& outcome = ended.outcome;
  if (is_evicted(outcome, reason::incompatible_protocol) || is_refused_by_checksum(ended))
    return FindingId::protocol_version_rejected;
  if (is_evicted(outcome, reason::malformed_login)) return FindingId::malformed_login;
  if (is_evicted(outcome, reason::session_error)) return FindingId::session_conflict;
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
  // What follows a stale eviction, or comes of an older layout, belongs to those findings; and in
  // 0.12 the session outlives the connection, so only a refused bind shows that it is lost.
  if (session.is_stale || writes_older_layout(ended.client, ended.server) ||
      (conduct_of(ended.server).sessions_outlive_connections && is_no_session))
    return std::nullopt;
  if (!is_fenced && session.is_uncertain) return std::nullopt;
  const ClientFacts& id = ended.client_id;
  const bool had_session = id.registered && !id.logged_out && !id.is_uncertain;
  const bool was_served = session.was_served && !session.saw_logout;
  if (is_fenced || was_served || session.is_logged_in || (is_no_session && had_session))
    return FindingId::session_lost;
  return FindingId::request_before_login;
}

// A poll of the primary needs an attachment besides the login.
std::optional<FindingId> finding_of_primary(const SessionState& session) {
  const bool is_its_fault = session.is_logged_in && !session.is_attached && !session.is_uncertain;
  if (!is_its_fault) return std::nullopt;
  return FindingId::poll_primary_without_attach;
}

// Builds of both sides that differ are a finding of their own.
std::optional<FindingId> unless_explained(const Ended& ended, FindingId shown) {
  const bool is_explained = difference_shown(ended.asked, ended.outcome, ended.session).has_value();
  return is_explained ? std::nullopt : std::optional(shown);
}

// What an answer without a body shows.
std::optional<FindingId> finding_of_empty(std::uint32_t code) {
  switch (empty_reply_of(code)) {
    case EmptyReply::not_found:
      return FindingId::not_found_read_shows_as_empty;
    case EmptyReply::no_offset:
      return FindingId::offset_missing;
    case EmptyReply::no_member:
      return FindingId::group_membership_missing;
    case EmptyReply::impossible:
    case EmptyReply::repeated:
      break;
  }
  return std::nullopt;
}

// What a command that was done shows by what its answer says.
std::optional<FindingId> finding_of_success(const Ended& ended) {
  const AnswerFacts& answer = ended.answer;
  if (answer.is_empty)
    if (const auto shown = finding_of_empty(ended.asked.code)) return shown;
  if (ended.session.is_swallowed) return unless_explained(ended, FindingId::request_number_misuse);
  // A member that has none is between two assignments, unless that lasts.
  const std::optional<LeftOut>& member = ended.session.left_out;
  const bool is_left_out = answer.assigned == 0U && member && member->group == ended.asked.group &&
                           ended.time - member->since >= hand_over;
  if (is_left_out || answer.members > answer.partitions)
    return FindingId::member_without_partitions;
  return std::nullopt;
}

// An answer with this code, as status or as result.
struct Refusal {
  std::uint32_t code = 0;
  Commands commands;
  FindingId shown{};
};

constexpr Commands any;
constexpr Commands sending = only("message.send");
constexpr Commands grouping = between("consumer_group.join", "consumer_group.leave");
constexpr Commands committing = between("consumer_offset.store", "consumer_offset.delete");
constexpr Commands on_offsets = between("consumer_offset.store", "consumer_offset.routing");
constexpr Commands attaching = only("consumer_session.attach");
constexpr Commands of_primary = only("message.poll_primary");
constexpr Commands deleting = only("segment.delete");
constexpr Commands snapping = only("snapshot");
constexpr Commands naming = only("cluster.metadata");

namespace refusal_list {
using enum FindingId;
// clang-format off

// The first row that fits decides.
constexpr Refusal refusals[] = {
    {error_code("Unauthorized"),                     any,        not_authorized},
    {error_code("UnsupportedOptionKey"),             any,        options_rejected},
    {error_code("InvalidOptionValue"),               any,        options_rejected},
    {error_code("OptionsBlockTooLarge"),             any,        options_rejected},
    {error_code("InvalidTopicSize"),                 any,        options_rejected},
    {error_code("OptionNotUpdatable"),               any,        options_rejected},
    {error_code("OptionNotResettable"),              any,        options_rejected},
    {error_code("ReadOnlyOption"),                   any,        options_rejected},
    {error_code("StreamEncryptionUnavailable"),      any,        options_rejected},
    {error_code("UnsupportedCriticalOption"),        any,        options_rejected},
    {error_code("StreamNameAlreadyExists"),          any,        resource_exists},
    {error_code("TopicNameAlreadyExists"),           any,        resource_exists},
    {error_code("ConsumerGroupNameAlreadyExists"),   any,        resource_exists},
    {error_code("UserAlreadyExists"),                any,        resource_exists},
    {error_code("PersonalAccessTokenAlreadyExists"), any,        resource_exists},
    {error_code("TooManyStreams"),                   any,        limit_reached},
    {error_code("TooManyTopics"),                    any,        limit_reached},
    {error_code("TooManyPartitions"),                any,        limit_reached},
    {error_code("InvalidPartitionsCount"),           any,        limit_reached},
    {error_code("PartitionIdSpaceExhausted"),        any,        limit_reached},
    {error_code("PartitionsLimitReached"),           any,        limit_reached},
    {error_code("TooManyConsumerGroups"),            any,        limit_reached},
    {error_code("DeferredPollCapacityExceeded"),     any,        limit_reached},
    {error_code("TooManyConsumerOffsets"),           any,        limit_reached},
    {error_code("PersonalAccessTokensLimitReached"), any,        limit_reached},
    {error_code("UsersLimitReached"),                any,        limit_reached},
    {error_code("TopicFull"),                        any,        limit_reached},
    {error_code("ResourceNotFound"),                 sending,    produce_to_missing_target},
    {error_code("InvalidOffset"),                    committing, offset_commit_rejected},
    {error_code("ConsumerOffsetNotFound"),           committing, offset_missing},
    {error_code("ConsumerGroupIdNotFound"),          grouping,   group_membership_missing},
    {error_code("ConsumerGroupMemberNotFound"),      grouping,   group_membership_missing},
    {error_code("ConsumerGroupIdNotFound"),          on_offsets, group_membership_missing},
    {error_code("ConsumerGroupNameNotFound"),        on_offsets, group_membership_missing},
    {error_code("ConsumerGroupPartitionNotOwned"),   any,        offset_commit_not_owner},
    {error_code("StaleClient"),                      attaching,  parent_session_ended},
    {error_code("StaleClient"),                      of_primary, parent_session_ended},
    {error_code("StaleClient"),                      committing, parent_session_ended},
    {error_code("InvalidMessageTimestampDelta"),     sending,    timestamp_delta_too_large},
    {error_code("TransientNotAccepted"),             deleting,   segment_delete_deferred},
    {error_code("SnapshotFileCompletionFailed"),     snapping,   snapshot_too_large},
    {error_code("RequestAlreadyApplied"),            any,        request_number_misuse},
};

// What has another meaning in the 8-byte framing. Its messages have headers of two sizes.
constexpr Refusal legacy_refusals[] = {
    {error_code("InvalidMessagesCount"),   sending, legacy_message_header_mismatch},
    {error_code("InvalidMessageChecksum"), sending, legacy_message_header_mismatch},
    {error_code("InvalidMessagesSize"),    sending, legacy_message_header_mismatch},
    {error_code("TooSmallMessage"),        sending, legacy_message_header_mismatch},
    {error_code("StaleClient"),            any,     legacy_stale_client},
    {error_code("ClientNotFound"),         any,     legacy_client_not_found},
    {error_code("InvalidCommand"),         naming,  cluster_feature_unavailable_legacy},
    {error_code("FeatureUnavailable"),     naming,  cluster_feature_unavailable_legacy},
};

// clang-format on
}  // namespace refusal_list

std::optional<FindingId> finding_of_refusal(const Asked& asked, std::uint32_t code) {
  const auto fits = [&asked, code](const Refusal& refusal) {
    return refusal.code == code && refusal.commands.hold(asked.code);
  };
  if (asked.is_legacy && !asked.sends_nothing)
    for (const Refusal& refusal : refusal_list::legacy_refusals)
      if (fits(refusal)) return refusal.shown;
  for (const Refusal& refusal : refusal_list::refusals)
    if (fits(refusal)) return refusal.shown;
  return std::nullopt;
}

bool has_no_session(const Outcome& outcome) {
  return is_status(outcome, status::unauthenticated) || is_evicted(outcome, reason::no_session) ||
         is_evicted(outcome, reason::session_too_low);
}

// Operations that a server keeps for itself: it refuses them, but for one. Who is told that he may
// not do that one, or that there is nothing to do it to, sent it all the same.
std::optional<FindingId> finding_of_internal(const Ended& ended) {
  if (is_evicted(ended.outcome, reason::invalid_request_operation))
    return FindingId::internal_operation_from_client;
  if (ended.asked.operation != operation::truncate_partition || has_no_session(ended.outcome))
    return std::nullopt;
  if (ended.outcome.kind == OutcomeKind::ok)
    return ended.asked.truncated_to == 0U ? FindingId::internal_operation_from_client
                                          : FindingId::truncate_from_client;
  if (!ended.outcome.has_number()) return std::nullopt;
  return FindingId::internal_operation_from_client;
}

// Whether protocols before the server's had a command that it does not know.
bool is_retired(Generation server, const Asked& asked) {
  const bool is_read = asked.operation == operation::non_replicated;
  const Generation older = Generation::v0_11;
  const bool is_known = is_read ? find_code(older, asked.code) != nullptr ||
                                      find_code(older, asked.code | older_meaning) != nullptr
                                : is_known_operation(older, asked.operation);
  return server > older && is_known;
}

// A command of the server's generation whose answer says that it cannot be read.
Unserved unread_by(const SessionState& session, std::uint32_t code) {
  if (is_retired_before(session.server_number, code)) return Unserved::retired;
  if (!is_lacked_by_some(session.server_number, code)) return Unserved::no;
  const bool is_known = session.server_train && is_known_to(*session.server_train, code);
  return is_known ? Unserved::unread : Unserved::build;
}

// A change of metadata, also where it becomes one only when it was read.
bool changes_metadata(const Ended& ended) {
  return is_metadata_operation(ended.server, ended.asked.operation) ||
         ended.asked.operation == operation::delete_segments;
}

// Whether a row that nobody may see has bytes.
struct SecretSink : decode::Check {
  void run(const describe::Field& field, decode::Bytes bytes, decode::Range) {
    has_secret |= is_secret(field) && !bytes.empty();
  }
  bool has_secret = false;
};

}  // namespace

std::optional<FindingId> finding_of_pair(const Ended& ended) {
  if (ended.asked.is_login) return finding_of_login(ended);
  if (is_internal_operation(ended.server, ended.asked.operation))
    if (const auto shown = finding_of_internal(ended)) return shown;
  if (ended.outcome.kind == OutcomeKind::ok && ended.answer.section)
    return finding_of_part(ended.asked.code, ended.answer.section->status);
  if (ended.outcome.kind == OutcomeKind::ok && ended.answer.is_undone)
    return changes_metadata(ended) ? unless_explained(ended, FindingId::invalid_metadata_body)
                                   : FindingId::unknown_or_unsupported_command;
  if (ended.outcome.kind == OutcomeKind::ok) return finding_of_success(ended);
  if (!ended.outcome.has_number()) return std::nullopt;
  if (has_no_session(ended.outcome))
    return ended.asked.code == code::poll_primary ? finding_of_primary(ended.session)
                                                  : finding_of_session(ended);
  // There nothing but the session itself can be stale.
  if (conduct_of(ended.server).sessions_outlive_connections &&
      is_status(ended.outcome, status::stale_client))
    return FindingId::session_lost;
  if (unserved_by(ended.server, ended.session, ended.asked, ended.outcome) != Unserved::no)
    return FindingId::unknown_or_unsupported_command;
  const bool is_unread = is_status(ended.outcome, status::invalid_command) ||
                         is_evicted(ended.outcome, reason::invalid_request_body);
  if (is_unread && changes_metadata(ended))
    return unless_explained(ended, FindingId::invalid_metadata_body);
  if (ended.outcome.kind == OutcomeKind::evicted) return std::nullopt;
  // That status is also the answer to a send whose target cannot be read.
  if (ended.batch == decode::BatchFault::metadata &&
      is_status(ended.outcome, error_code("ResourceNotFound")))
    return FindingId::batch_inconsistent;
  // Builds before the release say no more of an offset write.
  const bool is_vague = ended.session.server_train && *ended.session.server_train < Train::v0_11_0;
  if (is_vague && ended.asked.is_offset_of_group &&
      is_status(ended.outcome, error_code("ResourceNotFound")))
    return unless_explained(ended, FindingId::offset_commit_not_owner);
  return finding_of_refusal(ended.asked, ended.outcome.number);
}

std::optional<FindingId> finding_of_part(std::uint32_t code, std::uint32_t status) {
  Asked asked;
  asked.code = code;
  return finding_of_refusal(asked, status);
}

bool tells_credentials(decode::LoginKind login) {
  return login == decode::LoginKind::password || login == decode::LoginKind::token ||
         login == decode::LoginKind::legacy;
}

bool tells_secret(const decode::Facts& facts, Dialect sender, std::uint32_t code,
                  decode::Window body) {
  const bool is_login = facts.operation == operation::register_session || code == code::login ||
                        code == code::login_with_token;
  const Exchange* const exchange = find_code(sender.generation, code);
  if (is_login || exchange == nullptr) return false;
  const bool may_tell =
      facts.is_request() ? exchange->secret_request : facts.is_reply() && exchange->secret_reply;
  if (!may_tell) return false;
  const decode::BodyPlan plan = decode::plan_body(facts, sender, code, body);
  if (plan.layout == nullptr) return false;
  SecretSink sink;
  decode::Walk(body, sink).read(*plan.layout);
  return sink.has_secret;
}

std::optional<FindingId> finding_of_body(const Ended& ended) {
  if (is_checksum(ended.batch)) return FindingId::batch_checksum_wrong;
  // In 0.12 the field is the identifier of the request.
  const bool is_checked = ended.is_stamp_wrong && conduct_of(ended.client).checks_requests &&
                          conduct_of(ended.server).checks_requests;
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

Unserved unserved_by(Generation server, const SessionState& session, const Asked& asked,
                     const Outcome& outcome) {
  const bool is_read = asked.operation == operation::non_replicated;
  // Builds before the release tell no error.
  if (outcome.kind == OutcomeKind::ok && is_read && is_session_command(asked.code))
    return Unserved::other_operation;
  if (outcome.kind != OutcomeKind::status || asked.is_legacy) return Unserved::no;
  const Exchange* exchange = find_code(server, asked.code);
  const bool has_operation =
      is_read && exchange != nullptr && exchange->operation != operation::non_replicated;
  if (outcome.number == status::feature_unavailable && is_read)
    return has_operation ? Unserved::other_operation : Unserved::never;
  if (outcome.number != status::invalid_command) return Unserved::no;
  if (has_operation) return Unserved::other_operation;
  const bool is_known = is_read ? exchange != nullptr : is_known_operation(server, asked.operation);
  if (is_known) return unread_by(session, asked.code);
  return is_retired(server, asked) ? Unserved::retired : Unserved::unknown;
}

}  // namespace iggy::conversation
