// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What each server endpoint of a capture was seen to speak, and who could not reach it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "capture/packet.hpp"
#include "connection/connection.hpp"

namespace analyzer::report {

struct EndpointFacts {
  bool speaks_frames = false;        // a server frame with a 256-byte header
  bool speaks_legacy = false;        // a legacy reply to a legacy client
  bool speaks_websocket = false;     // agreed to an upgrade
  bool speaks_tls = false;           // answered with TLS records
  bool is_replica = false;           // carries the replica plane
  bool accepted = false;             // any connection was accepted
  std::int64_t metadata_served = 0;  // when it last did a login or a change of metadata; 0: never
};

struct Refusal {
  std::uint64_t count = 0;
  std::vector<std::uint64_t> packets;
  std::vector<std::int64_t> times;  // of the first ones
  std::int64_t first_time = 0;
  std::int64_t last_time = 0;
};

class Endpoints {
 public:
  explicit Endpoints(std::set<std::uint16_t> named_ports) : named_ports_(std::move(named_ports)) {}

  void connection(const connection::Connection& connection);
  void accepted(const capture::Endpoint& endpoint);
  void refused(const stream::TcpFacts& tcp);
  void metadata_served(const capture::Endpoint& endpoint, std::int64_t time);

  // Facts of an endpoint; nothing known where it was not seen.
  EndpointFacts facts(const capture::Endpoint& endpoint) const;
  // A port that Iggy's clients use by default, or that the user names.
  bool is_client_port(std::uint16_t port) const;
  bool is_named(std::uint16_t port) const { return named_ports_.contains(port); }
  bool is_replica_port(const capture::Endpoint& endpoint) const;
  const std::map<capture::Endpoint, Refusal>& refusals() const { return refusals_; }
  std::uint64_t dropped() const { return dropped_; }

 private:
  EndpointFacts* remember(const capture::Endpoint& endpoint);

  std::set<std::uint16_t> named_ports_;
  std::map<capture::Endpoint, EndpointFacts> facts_;
  std::map<capture::Endpoint, Refusal> refusals_;
  std::uint64_t dropped_ = 0;
};

}  // namespace analyzer::report
