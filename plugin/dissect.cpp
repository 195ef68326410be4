// SPDX-License-Identifier: GPL-2.0-or-later
//
// Bytes from TCP, TLS and WebSocket to lanes, and their pieces to the screen.
//
// Each look at a chunk has two halves. The first decides: it runs the core, and calls nothing that
// may longjmp. The second shows what was decided, and changes nothing.
#include "plugin/dissect.hpp"

#include <algorithm>
#include <span>

#include "conversation/recognise.hpp"
#include "plugin/capture.hpp"
#include "plugin/epan.hpp"
#include "plugin/fields.hpp"
#include "plugin/preferences.hpp"
#include "plugin/show.hpp"

namespace plugin {
namespace {

static_assert(std::is_trivially_destructible_v<Taken>);  // epan may longjmp while one lives

dissector_handle_t port_handle;       // users say that Iggy is spoken there
dissector_handle_t heuristic_handle;  // the bytes say so
dissector_handle_t tls_handle;
dissector_handle_t websocket_handle;

Bytes bytes_of(tvbuff_t* tvb) {
  const std::uint32_t length = tvb_captured_length(tvb);
  return {reinterpret_cast<const std::byte*>(tvb_get_ptr(tvb, 0, to_int(length))), length};
}

Chunk chunk_of(tvbuff_t* tvb, const packet_info* pinfo) {
  Chunk chunk;
  chunk.captured = bytes_of(tvb);
  chunk.reported = tvb_reported_length(tvb);
  chunk.can_wait = pinfo->can_desegment != 0;
  chunk.packet = pinfo->num;
  chunk.time = nanoseconds(pinfo->abs_ts);
  return chunk;
}

// One frame that goes wrong, as one too many for the tree, must not hide those behind it.
void show_safely(const Look& look, const Piece& piece, std::uint32_t offset) {
  TRY {
    show_piece(look, piece, offset);
  }
  CATCH_BOUNDS_AND_DISSECTOR_ERRORS {
    show_exception(look.tvb, look.pinfo, look.tree, EXCEPT_CODE, GET_MESSAGE);
  }
  ENDTRY;
}

void show_pieces(const Look& look, std::span<const Piece> pieces) {
  const std::uint32_t captured = tvb_captured_length(look.tvb);
  std::uint32_t offset = 0;
  for (const Piece& piece : pieces) {
    if (offset >= captured) break;
    show_safely(look, piece, offset);
    offset += piece.length;
  }
}

// Returns how many bytes are ours: all or none.
int dissect_chunk(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, const Place& place,
                  const Chunk& chunk) {
  const Taken taken = is_first_pass(pinfo) ? place.link->take(place.lane, chunk)
                                           : place.link->lane(place.lane)
                                                 .take_again(chunk.packet, chunk.reported,
                                                             seen_chunks(pinfo, place));
  if (!taken.is_ours) return 0;
  if (taken.waits && chunk.can_wait) {
    pinfo->desegment_offset = to_int(taken.wait_from);
    pinfo->desegment_len = taken.wait_for == 0 ? DESEGMENT_ONE_MORE_SEGMENT : taken.wait_for;
  }
  if (!taken.pieces.empty()) {
    begin_columns(pinfo);
    const Ending ending = is_first_pass(pinfo) ? Ending{} : ending_of(pinfo, place);
    show_pieces({tvb, pinfo, tree, place.link, ending}, taken.pieces);
  }
  return to_int(tvb_captured_length(tvb));
}

// Who dialed, where TCP saw the handshake. True when it did.
bool learn_roles(const packet_info* pinfo, const Place& place, const tcp_analysis* tcp) {
  if (tcp == nullptr || tcp->server_port == 0 || pinfo->srcport == pinfo->destport) return false;
  const bool by_server = tcp->server_port == pinfo->srcport;
  place.link->begin_with_handshake(by_server ? 1 - place.lane : place.lane);
  return true;
}

// Where the chunk stands in its direction.
void place_chunk(const packet_info* pinfo, const Place& place, const tcpinfo& info, Chunk& chunk,
                 const tcp_analysis* tcp) {
  chunk.has_sequence = true;
  chunk.is_put_together = info.is_reassembled != 0;
  chunk.sequence = info.seq;
  chunk.acknowledgement = info.lastackseq;
  if (tcp != nullptr && place.link->has_wire_numbers(info.seq, tcp->fwd->base_seq)) {
    chunk.sequence -= tcp->fwd->base_seq;
    chunk.acknowledgement -= tcp->rev->base_seq;
  }
  const bool saw_handshake = learn_roles(pinfo, place, tcp);
  chunk.begins_stream = saw_handshake && chunk.sequence == 1;
  chunk.misses_start = saw_handshake && chunk.sequence != 1;
}

int dissect_tcp(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, const void* data,
                bool by_port) {
  const Place place = place_of(pinfo, Carrier::tcp);
  if (place.link == nullptr) return 0;
  Chunk chunk = chunk_of(tvb, pinfo);
  if (is_first_pass(pinfo)) {
    if (by_port) place.link->allow_legacy();
    // A user may send the bytes of TLS here, which has data of another type.
    if (data != nullptr && !proto_is_frame_protocol(pinfo->layers, "tls"))
      place_chunk(pinfo, place, *static_cast<const tcpinfo*>(data), chunk,
                  get_tcp_conversation_data(nullptr, pinfo));
  }
  return dissect_chunk(tvb, pinfo, tree, place, chunk);
}

int dissect_by_port(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, void* data) {
  return dissect_tcp(tvb, pinfo, tree, data, true);
}
int dissect_by_heuristic(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, void* data) {
  return dissect_tcp(tvb, pinfo, tree, data, false);
}

// What TLS or WebSocket unwraps has no numbers; it comes in order and without holes.
int dissect_wrapped(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, Carrier carrier) {
  const Place place = place_of(pinfo, carrier);
  if (place.link == nullptr) return 0;
  Chunk chunk = chunk_of(tvb, pinfo);
  chunk.begins_stream = true;
  // A message is whole; asking for more would ask TCP, which does not know what a message is.
  if (carrier == Carrier::websocket) chunk.can_wait = false;
  if (is_first_pass(pinfo)) learn_roles(pinfo, place, get_tcp_conversation_data(nullptr, pinfo));
  const int taken = dissect_chunk(tvb, pinfo, tree, place, chunk);
  // Several records or messages of one packet share its columns.
  if (taken != 0) col_set_fence(pinfo->cinfo, COL_INFO);
  return taken;
}

int dissect_tls(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, void*) {
  return dissect_wrapped(tvb, pinfo, tree, Carrier::tls);
}
int dissect_websocket(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, void*) {
  return dissect_wrapped(tvb, pinfo, tree, Carrier::websocket);
}

bool is_surely_iggy(tvbuff_t* tvb) {
  return try_heuristic() && iggy::conversation::vouches_for_itself(bytes_of(tvb));
}

ws_bool try_tcp(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, void* data) {
  if (!is_surely_iggy(tvb)) return 0;
  // From this packet on, so that later passes go the same way as the first.
  conversation_set_dissector_from_frame_number(find_or_create_conversation(pinfo), pinfo->num,
                                               heuristic_handle);
  return static_cast<ws_bool>(dissect_by_heuristic(tvb, pinfo, tree, data) != 0);
}

ws_bool try_tls(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, void* data) {
  if (!is_surely_iggy(tvb)) return 0;
  bind_tls_session(data, tls_handle);
  return static_cast<ws_bool>(dissect_tls(tvb, pinfo, tree, nullptr) != 0);
}

ws_bool try_websocket(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, void*) {
  if (!is_surely_iggy(tvb)) return 0;
  return static_cast<ws_bool>(dissect_websocket(tvb, pinfo, tree, nullptr) != 0);
}

// Called for every packet of every capture, whatever is in it: how long nobody answered depends on
// how long the capture went on.
int note_time(tvbuff_t*, packet_info* pinfo, proto_tree*, void*) {
  if (is_first_pass(pinfo)) note_packet(nanoseconds(pinfo->abs_ts));
  return 0;
}

}  // namespace

void register_dissectors() {
  port_handle = register_dissector("iggy", dissect_by_port, protocol_id());
  heuristic_handle = create_dissector_handle(dissect_by_heuristic, protocol_id());
  tls_handle = register_dissector("iggy.tls", dissect_tls, protocol_id());
  websocket_handle = register_dissector("iggy.websocket", dissect_websocket, protocol_id());
}

// TLS on the plain port is no matter of ssl_dissector_add, which would take the port from TCP: what
// is not Iggy is left to TLS by the dissector of the port.
void hand_off_dissectors() {
  dissector_add_uint_range_with_preference("tcp.port", "8090", port_handle);
  dissector_add_uint_range_with_preference("tls.port", "8090", tls_handle);
  dissector_add_uint_range_with_preference("ws.port", "8092", websocket_handle);
  dissector_add_string("tls.alpn", "iggy-replica", tls_handle);
  register_postdissector(create_dissector_handle(note_time, protocol_id()));
  heur_dissector_add("tcp", try_tcp, "Iggy over TCP", "iggy_tcp", protocol_id(), HEURISTIC_ENABLE);
  heur_dissector_add("tls", try_tls, "Iggy over TLS", "iggy_tls", protocol_id(), HEURISTIC_ENABLE);
  heur_dissector_add("ws", try_websocket, "Iggy over WebSocket", "iggy_websocket", protocol_id(),
                     HEURISTIC_ENABLE);
}

}  // namespace plugin
