// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The rules about TLS, by what its records show without a key.
#include <fmt/format.h>

#include "capture/address.hpp"
#include "report/diagnosis.hpp"
#include "report/words.hpp"

namespace analyzer::report {

using connection::Connection;
using connection::Side;
using iggy::conversation::Foreign;
using stream::TlsRecords;

namespace {

// An alert in a protected record of TLS 1.3: level, description, type, and the tag of any of its
// ciphers (RFC 8446, 5.2). What a client that accepts the server sends first is longer.
constexpr std::uint32_t protected_alert = 19;

// Names and advice of alerts (RFC 8446, 6.2, and RFC 5246, 7.2.2).
struct AlertWords {
  std::uint8_t description;
  std::string_view name;
  std::string_view advice;
};
constexpr std::string_view trust_advice =
    "let the client trust the CA of the server's certificate, and use the name that stands in it; "
    "a server without certificate files makes a new self-signed one";
constexpr std::string_view version_advice_text = "compare the TLS versions that both sides allow";
constexpr AlertWords alerts[] = {
    {40, "handshake_failure", "compare the cipher suites and TLS versions that both sides allow"},
    {42, "bad_certificate", trust_advice},
    {43, "unsupported_certificate", trust_advice},
    {44, "certificate_revoked", "replace the server's certificate"},
    {45, "certificate_expired", "renew the server's certificate, and compare the clocks"},
    {46, "certificate_unknown", trust_advice},
    {48, "unknown_ca", trust_advice},
    {70, "protocol_version", version_advice_text},
    {71, "insufficient_security", version_advice_text},
    {112, "unrecognized_name", "use the name that the server's certificate has"},
    {116, "certificate_required", "the server asks for a certificate of the client: give it one"},
    {120, "no_application_protocol", "compare the ALPN names of both sides"},
};

std::string alert_text(std::uint8_t description) {
  for (const AlertWords& row : alerts)
    if (row.description == description) return fmt::format("{} {}", description, row.name);
  return std::to_string(description);
}

std::string_view advice_for(std::uint8_t description) {
  for (const AlertWords& row : alerts)
    if (row.description == description) return row.advice;
  return "look at the logs of both sides for the reason of the alert";
}

}  // namespace

void Diagnosis::judge_tls(const Connection& connection) {
  const TlsRecords* client = connection.tls(Side::client);
  const TlsRecords* server = connection.tls(Side::server);
  if (client == nullptr || server == nullptr ||
      !endpoints_.is_client_port(connection.server().port))
    return;
  const std::string whole = fmt::format("{} ", alike_text(connection, nullptr));
  const std::string to = to_string(connection.server());
  for (const TlsRecords* side : {client, server}) {
    // Behind the handshake alerts are encrypted, and a warning ends nothing.
    if (!side->alert() || side->alert()->level != TlsRecords::fatal) continue;
    const std::uint8_t told = side->alert()->description;
    const bool is_clients = side == client;
    list_.add(FindingId::tls_failure, fmt::format("{}{}{}", whole, is_clients, told),
              {fmt::format("{} and {} did not agree on TLS: the {} sent the alert {}.",
                           to_string(connection.client()), to, is_clients ? "client" : "server",
                           alert_text(told)),
               "",
               {connection.foreign_packet(Side::client), side->alert()->packet},
               std::string(advice_for(told))});
    return;
  }
  // The server's flight was answered with nothing but an alert, and the end.
  const auto& by_client = connection.finish(Side::client);
  const auto& by_server = connection.finish(Side::server);
  const bool is_refused = client->is_whole() && server->said_hello() &&
                          client->protected_records() == 1 &&
                          client->protected_length() == protected_alert && by_client &&
                          (!by_server || by_client->time <= by_server->time);
  if (!is_refused) return;
  list_.add(
      FindingId::tls_failure, whole,
      {fmt::format("{} answered the certificate of {} with an alert and closed: it does not "
                   "trust the server.",
                   to_string(connection.client()), to),
       "The alert is encrypted; its size and place tell.",
       {connection.foreign_packet(Side::client), client->protected_packet(), by_client->packet},
       std::string(trust_advice)});
}

}  // namespace analyzer::report
