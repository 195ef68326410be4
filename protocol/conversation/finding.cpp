// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The table of findings of finding.hpp. It says what each is; when it holds is decided elsewhere.
#include "conversation/finding.hpp"

#include <iterator>

namespace iggy::conversation {
namespace {

// From the third time on, a client insists on what the server has told it not to be possible.
constexpr std::uint64_t insistence = 3;

// In the order of FindingId; a test checks it.
constexpr FindingKind kinds[] = {
    {FindingId::protocol_version_rejected, "protocol-version-rejected", Severity::critical,
     Evident::pair, "connection", "The server refused the protocol version of the client"},
    {FindingId::legacy_client_on_vsr_server, "legacy-client-on-vsr-server", Severity::critical,
     Evident::absence, "connection",
     "A client with the 8-byte framing waits for a server that expects 256-byte headers"},
    {FindingId::vsr_client_on_legacy_server, "vsr-client-on-legacy-server", Severity::critical,
     Evident::pair, "connection",
     "A client with 256-byte headers talks to a server that expects the 8-byte framing"},
    {FindingId::edge1_layout_client, "edge1-layout-client", Severity::critical, Evident::absence,
     "connection", "A client of a pre-release writes an older header layout"},
    {FindingId::body_dialect_mismatch, "body-dialect-mismatch", Severity::critical, Evident::pair,
     "request", "Client and server announce the same version and are of builds that differ"},
    {FindingId::wrong_protocol_on_port, "wrong-protocol-on-port", Severity::critical,
     Evident::connection, "connection", "Client and port do not speak the same protocol"},
    {FindingId::connection_refused, "connection-refused", Severity::critical, Evident::connection,
     "connection", "Nobody accepts connections at this address"},
    {FindingId::invalid_batch_silently_dropped, "invalid-batch-silently-dropped",
     Severity::critical, Evident::absence, "request",
     "A batch of messages is wrong, and the server dropped it without an answer"},
    {FindingId::tls_failure, "tls-failure", Severity::critical, Evident::connection, "connection",
     "A TLS handshake with a port of Iggy failed"},
    {FindingId::truncate_from_client, "truncate-from-client", Severity::critical, Evident::pair,
     "request", "A client sent the servers' own TruncatePartition, and the server ran it"},
    {FindingId::metadata_group_stopped, "metadata-group-stopped", Severity::critical,
     Evident::absence, "frame", "Servers stop at a change of metadata whose body they cannot read"},
    {FindingId::malformed_login, "malformed-login", Severity::error, Evident::pair, "login",
     "The server could not read the login"},
    {FindingId::login_refused_credentials, "login-refused-credentials", Severity::error,
     Evident::pair, "login", "Wrong user name or password, or an inactive user"},
    {FindingId::token_refused, "token-refused", Severity::error, Evident::pair, "login",
     "The personal access token is unknown or expired, or its owner is inactive"},
    {FindingId::request_before_login, "request-before-login", Severity::error, Evident::pair,
     "request", "A command that needs a login came without one"},
    {FindingId::session_lost, "session-lost", Severity::error, Evident::pair, "request",
     "The server no longer has the session of a client that had logged in"},
    {FindingId::stale_client_evicted, "stale-client-evicted", Severity::error, Evident::frame,
     "connection", "A consumer group member was evicted because it sent no heartbeat"},
    {FindingId::request_never_answered, "request-never-answered", Severity::error, Evident::absence,
     "request", "The server took a request and never answered it"},
    {FindingId::unknown_or_unsupported_command, "unknown-or-unsupported-command", Severity::error,
     Evident::pair, "request", "The server does not know or does not serve the command"},
    {FindingId::batch_checksum_wrong, "batch-checksum-wrong", Severity::error, Evident::pair,
     "frame", "A checksum of a batch of messages is not that of its bytes"},
    {FindingId::request_checksum_mismatch, "request-checksum-mismatch", Severity::error,
     Evident::pair, "request", "The checksum of a request is not that of its body"},
    {FindingId::not_authorized, "not-authorized", Severity::error, Evident::pair, "request",
     "The user lacks the permission for what it asked"},
    {FindingId::options_rejected, "options-rejected", Severity::error, Evident::pair, "request",
     "The server refused an option: an unknown key or an unusable value"},
    {FindingId::limit_reached, "limit-reached", Severity::error, Evident::pair, "request",
     "A limit of the server or of the topic is reached", insistence},
    {FindingId::produce_to_missing_target, "produce-to-missing-target", Severity::error,
     Evident::pair, "request",
     "Messages were sent to a stream, topic or partition that is not there", insistence},
    {FindingId::group_membership_missing, "group-membership-missing", Severity::error,
     Evident::pair, "request", "A client acts for a consumer group that it is not a member of",
     insistence},
    {FindingId::offset_commit_rejected, "offset-commit-rejected", Severity::error, Evident::pair,
     "request", "An offset was refused as beyond the end of the partition", insistence},
    {FindingId::session_conflict, "session-conflict", Severity::error, Evident::pair, "login",
     "The client id of a login belongs to another user or session"},
    {FindingId::parent_session_ended, "parent-session-ended", Severity::error, Evident::pair,
     "request", "A data connection outlived the session that it is attached to"},
    {FindingId::poll_primary_without_attach, "poll-primary-without-attach", Severity::error,
     Evident::pair, "request", "A poll of the primary came without an attachment to a session"},
    {FindingId::timestamp_delta_too_large, "timestamp-delta-too-large", Severity::error,
     Evident::pair, "request", "The messages of one batch are too far apart in time"},
    {FindingId::legacy_message_header_mismatch, "legacy-message-header-mismatch", Severity::error,
     Evident::pair, "request",
     "Client and server of the 8-byte framing lay out messages differently"},
    {FindingId::legacy_stale_client, "legacy-stale-client", Severity::error, Evident::pair,
     "request", "A server of the 8-byte framing gave up a client that had been idle"},
    {FindingId::legacy_client_not_found, "legacy-client-not-found", Severity::error, Evident::pair,
     "request", "A server of the 8-byte framing no longer knows the client"},
    {FindingId::internal_operation_from_client, "internal-operation-from-client", Severity::error,
     Evident::pair, "request", "A client sent an operation that only servers may use"},
    {FindingId::invalid_metadata_body, "invalid-metadata-body", Severity::error, Evident::pair,
     "request", "The server could not read the body of a change", insistence},
    {FindingId::request_number_misuse, "request-number-misuse", Severity::error, Evident::pair,
     "request", "A request has the number of one that was done before"},
    {FindingId::snapshot_too_large, "snapshot-too-large", Severity::error, Evident::pair, "request",
     "The server could not make the snapshot, or it is too large for a frame"},
    {FindingId::version_window_inconsistent, "version-window-inconsistent", Severity::warning,
     Evident::frame, "eviction", "An eviction names a version window that breaks its own rules"},
    {FindingId::batch_inconsistent, "batch-inconsistent", Severity::warning, Evident::frame,
     "frame", "Numbers in a batch of messages do not fit its bytes or each other"},
    {FindingId::offset_commit_not_owner, "offset-commit-not-owner", Severity::warning,
     Evident::pair, "request", "A group member acts on a partition that is not its own now",
     insistence},
    {FindingId::member_without_partitions, "member-without-partitions", Severity::warning,
     Evident::pair, "answer", "A consumer group has members without a partition to read"},
    {FindingId::transient_retry_storm, "transient-retry-storm", Severity::warning,
     Evident::connection, "request",
     "A server answers the same request with \"not now\" many times"},
    {FindingId::packet_loss, "packet-loss", Severity::warning, Evident::connection, "connection",
     "Segments had to be sent again: packets are lost on the way"},
    {FindingId::clock_went_back, "clock-went-back", Severity::warning, Evident::connection, "step",
     "The clock of the capture stepped back, so times across the step are not to be believed"},
    {FindingId::resource_exists, "resource-exists", Severity::info, Evident::pair, "request",
     "What was to be created exists already"},
    {FindingId::not_found_read_shows_as_empty, "not-found-read-shows-as-empty", Severity::info,
     Evident::pair, "request", "Nothing is told of what was asked for: the answer is empty"},
    {FindingId::offset_missing, "offset-missing", Severity::info, Evident::pair, "request",
     "No stored offset is told of the consumer"},
    {FindingId::segment_delete_deferred, "segment-delete-deferred", Severity::info, Evident::pair,
     "request", "Segments are deleted later: the partition was not ready"},
    {FindingId::cluster_feature_unavailable_legacy, "cluster-feature-unavailable-legacy",
     Severity::info, Evident::pair, "request", "A server of the 8-byte framing knows no clusters"},
    {FindingId::view_change, "view-change", Severity::info, Evident::connection, "group",
     "The nodes elected a new primary"},
    {FindingId::credentials_in_clear, "credentials-in-clear", Severity::info, Evident::frame,
     "frame", "A password, a token or another secret is shown to everybody on the way: no TLS"},
    {FindingId::login_not_captured, "login-not-captured", Severity::info, Evident::absence,
     "connection",
     "The login happened before the capture began, so client and versions are unknown"},
};
// Sets of findings are numbers of 64 bits: bit n is FindingId n.
static_assert(std::size(kinds) <= 64);

}  // namespace

std::span<const FindingKind> finding_kinds() {
  return kinds;
}

const FindingKind& kind_of(FindingId id) {
  return kinds[static_cast<std::size_t>(id)];
}

std::string_view word_of(Evident evident) {
  switch (evident) {
    case Evident::frame:
      return "frame";
    case Evident::pair:
      return "pair";
    case Evident::absence:
      return "absence";
    case Evident::connection:
      return "connection";
  }
  return {};
}

std::string_view word_of(Severity severity) {
  switch (severity) {
    case Severity::info:
      return "info";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
    case Severity::critical:
      return "critical";
  }
  return {};
}

}  // namespace iggy::conversation
