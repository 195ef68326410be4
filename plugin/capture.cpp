// SPDX-License-Identifier: GPL-2.0-or-later
//
// The one memory of the plugin, and its way from conversations to links.
#include "plugin/capture.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "plugin/fields.hpp"

namespace plugin {
namespace {

// epan calls back without a place for state of ours, so it stands here.
std::unique_ptr<Memory> memory;

// A conversation of TCP may carry TLS or WebSocket, and these the frames: each has lanes of its
// own.
struct Links {
  std::array<Link*, 3> by_carrier{};
};
static_assert(std::is_trivially_destructible_v<Links>);

void begin_capture() {
  memory = std::make_unique<Memory>();
}
void end_capture() {
  memory.reset();
}

std::string endpoint_of(const address& host, std::uint32_t port) {
  std::string name(static_cast<const char*>(host.data), static_cast<std::size_t>(host.len));
  name.append(reinterpret_cast<const char*>(&port), sizeof port);
  return name;
}

Links* links_of(packet_info* pinfo) {
  conversation_t* const conversation = find_or_create_conversation(pinfo);
  auto* links = static_cast<Links*>(conversation_get_proto_data(conversation, protocol_id()));
  if (links != nullptr || !is_first_pass(pinfo)) return links;
  links = wmem_new0(wmem_file_scope(), Links);
  conversation_add_proto_data(conversation, protocol_id(), links);
  return links;
}

}  // namespace

void register_capture() {
  register_init_routine(begin_capture);
  register_cleanup_routine(end_capture);
}

bool is_first_pass(const packet_info* pinfo) {
  return !pinfo->fd->visited;
}

void note_packet(std::int64_t time) {
  if (memory) memory->shared().latest_time = std::max(memory->shared().latest_time, time);
}

Place place_of(packet_info* pinfo, Carrier carrier) {
  Links* const links = links_of(pinfo);
  if (links == nullptr) return {};
  Link*& link = links->by_carrier[static_cast<std::size_t>(carrier)];
  // A string lives here, but nothing that is called while it does may longjmp.
  std::string sender = endpoint_of(pinfo->src, pinfo->srcport);
  if (link == nullptr) {
    if (!is_first_pass(pinfo)) return {};
    std::string receiver = endpoint_of(pinfo->dst, pinfo->destport);
    link = &memory->add_link(carrier, std::move(sender), std::move(receiver));
    return {link, 0};
  }
  return {link, link->lane_of(sender)};
}

Ending ending_of(packet_info* pinfo, const Place& place) {
  const tcp_analysis* const tcp = get_tcp_conversation_data(nullptr, pinfo);
  if (tcp == nullptr || !place.link->client_lane()) return {};
  const bool by_client = place.lane == *place.link->client_lane();
  const tcp_flow_t* const client = by_client ? tcp->fwd : tcp->rev;
  const tcp_flow_t* const server = by_client ? tcp->rev : tcp->fwd;
  Ending ending;
  ending.has_fin = (tcp->conversation_completeness & saw_fin) != 0;
  ending.has_reset = (tcp->conversation_completeness & saw_reset) != 0;
  ending.client_closed_first = client->closing_initiator != 0;
  ending.last_time = nanoseconds(tcp->ts_prev);
  // Without the analysis of sequence numbers TCP remembers no acknowledgements.
  if (server->tcp_analyze_seq_info == nullptr) return ending;
  ending.has_sequences = true;
  ending.server_acknowledged = server->tcp_analyze_seq_info->lastack - client->base_seq;
  ending.server_next = server->tcp_analyze_seq_info->nextseq - server->base_seq;
  ending.server_was_heard = server->tcp_analyze_seq_info->nextseq != 0;
  return ending;
}

std::size_t& seen_chunks(packet_info* pinfo, const Place& place) {
  const std::uint32_t key = place.link->number() * 2 + static_cast<std::uint32_t>(place.lane);
  void* seen = p_get_proto_data(pinfo->pool, pinfo, protocol_id(), key);
  if (seen == nullptr) {
    seen = wmem_new0(pinfo->pool, std::size_t);
    p_add_proto_data(pinfo->pool, pinfo, protocol_id(), key, seen);
  }
  return *static_cast<std::size_t*>(seen);
}

}  // namespace plugin
