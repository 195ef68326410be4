// SPDX-License-Identifier: GPL-2.0-or-later
//
// The calls of payload.hpp. Any function of epan may leave by longjmp, so nothing here has a
// destructor.
#include "plugin/payload.hpp"

#include <string_view>

#include "decode/utf8.hpp"
#include "plugin/payload_rules.hpp"

namespace plugin {

namespace {

dissector_table_t topic_table;
heur_dissector_list_t heuristics;
dissector_handle_t json;
dissector_handle_t text_lines;
dissector_handle_t data;

// What other dissectors may change and we need again.
struct Saved {
  const char* protocol;
  const char* match;
  unsigned layers;
  std::uint8_t layer;
  std::uint16_t can_desegment;
  int desegment_offset;
  std::uint32_t desegment_length;
  bool columns_are_open;
};
static_assert(std::is_trivially_destructible_v<Saved>);

// The columns are those of the frame, and a payload is all there: nobody may ask for more of it.
Saved close(packet_info* pinfo) {
  const Saved saved{pinfo->current_proto,           pinfo->match_string,
                    wmem_list_count(pinfo->layers), pinfo->curr_layer_num,
                    pinfo->can_desegment,           pinfo->desegment_offset,
                    pinfo->desegment_len,           col_get_writable(pinfo->cinfo, -1) != 0};
  pinfo->match_string = nullptr;
  pinfo->can_desegment = 0;
  col_set_writable(pinfo->cinfo, -1, FALSE);
  return saved;
}

void restore(packet_info* pinfo, const Saved& saved) {
  pinfo->current_proto = saved.protocol;
  pinfo->match_string = saved.match;
  // A packet may have as many layers as a tree may be deep, and messages lie beside each other.
  while (wmem_list_count(pinfo->layers) > saved.layers)
    wmem_list_remove_frame(pinfo->layers, wmem_list_tail(pinfo->layers));
  pinfo->curr_layer_num = saved.layer;
  pinfo->can_desegment = saved.can_desegment;
  pinfo->desegment_offset = saved.desegment_offset;
  pinfo->desegment_len = saved.desegment_length;
  col_set_writable(pinfo->cinfo, -1, static_cast<ws_bool>(saved.columns_are_open));
}

bool is_blank(char sign) {
  return sign == ' ' || sign == '\t' || sign == '\r' || sign == '\n';
}

// Whether the text may be JSON, and nests no deeper than a reader that calls itself bears.
bool is_json(std::string_view text) {
  constexpr int deepest = 64;
  while (!text.empty() && is_blank(text[0])) text.remove_prefix(1);
  if (text.empty() || (text[0] != '{' && text[0] != '[')) return false;
  int depth = 0;
  for (const char sign : text) {
    if (sign == '{' || sign == '[') ++depth;
    if (sign == '}' || sign == ']') --depth;
    if (depth > deepest) return false;
  }
  return true;
}

dissector_handle_t by_bytes(Payloads& payloads, tvbuff_t* payload) {
  const auto length = static_cast<std::uint32_t>(tvb_captured_length(payload));
  if (length > payloads.bytes_left) return data;
  const std::string_view text{
      reinterpret_cast<const char*>(tvb_get_ptr(payload, 0, to_int(length))), length};
  if (!iggy::decode::is_text(text)) return data;
  payloads.bytes_left -= length;
  return is_json(text) ? json : text_lines;
}

void dispatch(Payloads& payloads, tvbuff_t* payload, packet_info* pinfo, proto_tree* tree) {
  if (payloads.by_user != nullptr &&
      call_dissector_only(payloads.by_user, payload, pinfo, tree, nullptr) != 0)
    return;
  if (payloads.topic != nullptr &&
      (try_string(topic_table, payloads.topic, payload, pinfo, tree) != 0 ||
       try_string(topic_table, payloads.topic_alone, payload, pinfo, tree) != 0))
    return;
  heur_dtbl_entry_t* entry = nullptr;
  if (dissector_try_heuristic(heuristics, payload, pinfo, tree, &entry, nullptr) != 0) return;
  const dissector_handle_t handle = by_bytes(payloads, payload);
  if (handle != nullptr) call_dissector_only(handle, payload, pinfo, tree, nullptr);
}

}  // namespace

void register_payload_tables(int protocol) {
  constexpr int minds_case = 0;  // names of topics do; epan names the number from 4.2 on
  topic_table =
      register_dissector_table("iggy.topic", "Iggy topic", protocol, FT_STRING, minds_case);
  heuristics = register_heur_dissector_list("iggy.payload", protocol);
}

// A Wireshark without one of them shows the bytes alone.
void hand_off_payloads() {
  json = find_dissector("json");
  text_lines = find_dissector("data-text-lines");
  data = find_dissector("data");
}

Payloads payloads_of(const char* topic, const char* topic_alone) {
  Payloads payloads;
  payloads.topic = topic;
  payloads.topic_alone = topic_alone;
  payloads.by_user = topic == nullptr ? nullptr : dissector_by_user(topic);
  return payloads;
}

void show_payload(Payloads& payloads, tvbuff_t* payload, packet_info* pinfo, proto_tree* tree) {
  const Saved saved = close(pinfo);
  TRY {
    dispatch(payloads, payload, pinfo, tree);
  }
  CATCH_BOUNDS_AND_DISSECTOR_ERRORS {
    show_exception(payload, pinfo, tree, EXCEPT_CODE, GET_MESSAGE);
  }
  FINALLY {
    restore(pinfo, saved);
  }
  ENDTRY;
}

}  // namespace plugin
