// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What each endpoint did, to tell a server from a port that nobody listens on.
#include "report/endpoints.hpp"

#include <algorithm>

#include "iggy/generation.hpp"

namespace analyzer::report {
namespace {

constexpr std::size_t endpoint_limit = 20'000;
constexpr std::size_t kept_refusals = 64;

// Source: core/server/config.toml, and the second node of its sample cluster.
constexpr std::uint16_t default_ports[] = {8090, 8091, 8092, 8093};
constexpr std::uint16_t first_replica_port = 9090;
constexpr std::uint16_t last_replica_port = 9099;

}  // namespace

void Endpoints::connection(const connection::Connection& connection) {
  using connection::Side;
  EndpointFacts* facts = remember(connection.server());
  if (facts == nullptr) return;
  facts->accepted = true;
  const iggy::Generation server = connection.generation(Side::server);
  const bool is_plain = connection.transport() == connection::Transport::tcp;
  if (iggy::has_frame_header(server) && is_plain) facts->speaks_frames = true;
  if (server == iggy::Generation::legacy) facts->speaks_legacy = true;
  if (connection.websocket().response_status == 101) facts->speaks_websocket = true;
  if (connection.foreign(Side::server) == iggy::conversation::Foreign::tls)
    facts->speaks_tls = true;
  if (connection.plane() == iggy::Plane::replica) facts->is_replica = true;
}

void Endpoints::accepted(const capture::Endpoint& endpoint) {
  if (EndpointFacts* facts = remember(endpoint)) facts->accepted = true;
}

void Endpoints::refused(const stream::TcpFacts& tcp) {
  const auto known = refusals_.find(tcp.second);
  if (known == refusals_.end() && refusals_.size() >= endpoint_limit) {
    ++dropped_;
    return;
  }
  Refusal& refusal = refusals_[tcp.second];
  if (refusal.count == 0) refusal.first_time = tcp.first_time;
  refusal.last_time = std::max(refusal.last_time, tcp.last_time);
  ++refusal.count;
  if (refusal.packets.size() >= kept_refusals) return;
  refusal.packets.push_back(tcp.syn_packet);
  refusal.times.push_back(tcp.first_time);
}

void Endpoints::metadata_served(const capture::Endpoint& endpoint, std::int64_t time) {
  if (EndpointFacts* facts = remember(endpoint))
    facts->metadata_served = std::max(facts->metadata_served, time);
}

EndpointFacts Endpoints::facts(const capture::Endpoint& endpoint) const {
  const auto found = facts_.find(endpoint);
  return found == facts_.end() ? EndpointFacts{} : found->second;
}

bool Endpoints::is_client_port(std::uint16_t port) const {
  return named_ports_.contains(port) ||
         std::find(std::begin(default_ports), std::end(default_ports), port) !=
             std::end(default_ports);
}

bool Endpoints::is_replica_port(const capture::Endpoint& endpoint) const {
  return facts(endpoint).is_replica ||
         (endpoint.port >= first_replica_port && endpoint.port <= last_replica_port);
}

EndpointFacts* Endpoints::remember(const capture::Endpoint& endpoint) {
  const auto found = facts_.find(endpoint);
  if (found != facts_.end()) return &found->second;
  if (facts_.size() >= endpoint_limit) {
    ++dropped_;
    return nullptr;
  }
  return &facts_[endpoint];
}

}  // namespace analyzer::report
