// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The findings: stable ids, how bad each is, and what kind of evidence shows it.
//
// One table for both tools. Ids are those of the diagnostics catalogue and never change; when each
// holds is decided where its evidence is (the analyzer's report/diagnosis, the plugin's expert
// infos).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace iggy::conversation {

// critical: nothing works. error: requests fail. warning: works, but badly. info: explains
// something.
enum class Severity : std::uint8_t { info, warning, error, critical };

// What it takes to see it. The plugin raises `frame` and `pair` as it goes, `absence` on later
// passes only, and `connection` never.
enum class Evident : std::uint8_t { frame, pair, absence, connection };

enum class FindingId : std::uint8_t {
  protocol_version_rejected,
  legacy_client_on_vsr_server,
  vsr_client_on_legacy_server,
  edge1_layout_client,
  body_dialect_mismatch,
  wrong_protocol_on_port,
  connection_refused,
  invalid_batch_silently_dropped,
  tls_failure,
  truncate_from_client,
  metadata_group_stopped,
  malformed_login,
  login_refused_credentials,
  token_refused,
  request_before_login,
  session_lost,
  stale_client_evicted,
  request_never_answered,
  unknown_or_unsupported_command,
  batch_checksum_wrong,
  request_checksum_mismatch,
  not_authorized,
  options_rejected,
  limit_reached,
  produce_to_missing_target,
  group_membership_missing,
  offset_commit_rejected,
  session_conflict,
  parent_session_ended,
  poll_primary_without_attach,
  timestamp_delta_too_large,
  legacy_message_header_mismatch,
  legacy_stale_client,
  legacy_client_not_found,
  internal_operation_from_client,
  invalid_metadata_body,
  request_number_misuse,
  snapshot_too_large,
  version_window_inconsistent,
  batch_inconsistent,
  offset_commit_not_owner,
  member_without_partitions,
  transient_retry_storm,
  packet_loss,
  clock_went_back,
  resource_exists,
  not_found_read_shows_as_empty,
  offset_missing,
  segment_delete_deferred,
  cluster_feature_unavailable_legacy,
  view_change,
  credentials_in_clear,
  login_not_captured,
};

struct FindingKind {
  FindingId id;
  std::string_view word;  // the stable id in every output
  Severity severity;
  Evident evident;
  std::string_view unit;     // what `count` counts, singular
  std::string_view summary;  // one line without a full stop
  // How often the same has to happen to one client to be as bad as that; less is info. A program
  // that asks for something once and takes the answer works.
  std::uint64_t repeats = 1;
};

std::span<const FindingKind> finding_kinds();
const FindingKind& kind_of(FindingId id);

// "critical", "error", "warning", "info".
std::string_view word_of(Severity severity);
// "frame", "pair", "absence", "connection".
std::string_view word_of(Evident evident);

}  // namespace iggy::conversation
