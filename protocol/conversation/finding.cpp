// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The table of findings of finding.hpp. It says what each is; when it holds is decided elsewhere.
#include "conversation/finding.hpp"

namespace iggy::conversation {
namespace {

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
    {FindingId::wrong_protocol_on_port, "wrong-protocol-on-port", Severity::critical,
     Evident::connection, "connection", "Client and port do not speak the same protocol"},
    {FindingId::connection_refused, "connection-refused", Severity::critical, Evident::connection,
     "connection", "Nobody accepts connections at this address"},
    {FindingId::invalid_batch_silently_dropped, "invalid-batch-silently-dropped",
     Severity::critical, Evident::absence, "request",
     "A batch of messages is wrong, and the server dropped it without an answer"},
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
    {FindingId::version_window_inconsistent, "version-window-inconsistent", Severity::warning,
     Evident::frame, "eviction", "An eviction names a version window that breaks its own rules"},
    {FindingId::login_not_captured, "login-not-captured", Severity::info, Evident::absence,
     "connection",
     "The login happened before the capture began, so client and versions are unknown"},
};

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
