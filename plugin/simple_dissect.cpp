// SPDX-License-Identifier: GPL-2.0-or-later
//
// Temporary: shows frames with 256-byte headers one by one, as if each were of 0.11 and alone. The
// loop that knows connections replaces it.
#include "plugin/simple_dissect.hpp"

#include <type_traits>

#include "conversation/summary.hpp"
#include "decode/body.hpp"
#include "iggy/frame.hpp"
#include "iggy/registry.hpp"
#include "plugin/epan.hpp"
#include "plugin/fields.hpp"
#include "plugin/frame_view.hpp"
#include "plugin/preferences.hpp"
#include "plugin/present.hpp"

namespace plugin {

using iggy::conversation::Line;
using iggy::conversation::Side;
using iggy::decode::Bytes;
using iggy::decode::Facts;
using iggy::decode::Window;

namespace {

constexpr std::uint32_t max_frame = 64U << 20;

// Length of the frame at `offset`; 0 when none can begin there.
std::uint32_t frame_size(tvbuff_t* tvb, std::uint32_t offset) {
  const std::uint32_t size = tvb_get_letohl(tvb, to_int(offset + 48));
  const std::uint8_t command = tvb_get_ptr(tvb, to_int(offset + 60), 1)[0];
  const bool is_possible =
      size >= iggy::header_size && size <= max_frame && command <= iggy::highest_command;
  return is_possible ? size : 0;
}

FrameView view_of(tvbuff_t* tvb, packet_info* pinfo, std::uint32_t offset, std::uint32_t size,
                  Bytes bytes, Tape::Keep keep) {
  constexpr auto generation = iggy::Generation::v0_11;
  const Facts facts = iggy::decode::facts_of(bytes, generation);
  const Window body{bytes.subspan(iggy::header_size), size - iggy::header_size};
  FrameView view;
  view.tvb = tvb;
  view.offset = offset;
  view.header_size = iggy::header_size;
  view.size = size;
  view.captured = static_cast<std::uint32_t>(bytes.size());
  view.generation = generation;
  view.plane = iggy::plane_of(static_cast<iggy::Command>(facts.command));
  view.from = facts.is_request() ? Side::client : Side::server;
  if (facts.is_request()) view.code = iggy::decode::code_of_request(facts, generation, body);
  iggy::conversation::SummaryInput input;
  input.facts = facts;
  input.generation = generation;
  input.code = view.code;
  const iggy::Exchange* const exchange = iggy::find_code(generation, view.code);
  if (exchange != nullptr) {
    input.name = exchange->name;
    view.name = wmem_strndup(pinfo->pool, exchange->name.data(), exchange->name.size());
  }
  const auto login = iggy::decode::login_of(facts, generation, body);
  static_assert(std::is_trivially_destructible_v<decltype(login)>);
  if (login.has_value()) input.login = &*login;
  Line line;
  summarise(input, line);
  view.summary = wmem_strndup(pinfo->pool, line.text().data(), line.text().size());
  read_frame(view, facts, bytes, keep, show_secrets(), pinfo->pool);
  return view;
}

int dissect(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, void*) {
  const std::uint32_t captured = tvb_captured_length(tvb);
  const std::uint32_t reported = tvb_reported_length(tvb);
  std::uint32_t offset = 0;
  while (offset < captured) {
    if (captured - offset < iggy::header_size) {
      if (captured < reported) break;
      pinfo->desegment_offset = to_int(offset);
      pinfo->desegment_len = DESEGMENT_ONE_MORE_SEGMENT;
      break;
    }
    const std::uint32_t size = frame_size(tvb, offset);
    if (size == 0) break;
    if (reported - offset < size && pinfo->can_desegment != 0) {
      pinfo->desegment_offset = to_int(offset);
      pinfo->desegment_len = size - (reported - offset);
      break;
    }
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "Iggy");
    if (offset == 0) col_clear(pinfo->cinfo, COL_INFO);
    const std::uint32_t length = std::min(size, captured - offset);
    const auto* const data = tvb_get_ptr(tvb, to_int(offset), to_int(length));
    const auto keep = wants_items(tree) ? Tape::Keep::everything : Tape::Keep::problems;
    const FrameView view =
        view_of(tvb, pinfo, offset, size, {reinterpret_cast<const std::byte*>(data), length}, keep);
    col_append_sep_str(pinfo->cinfo, COL_INFO, "; ", view.summary);
    present(view, pinfo, tree);
    offset += length;
  }
  return to_int(pinfo->desegment_len != 0 ? captured : offset);
}

}  // namespace

void register_dissectors() {
  dissector_add_uint_with_preference("tcp.port", 8090,
                                     create_dissector_handle(dissect, protocol_id()));
}

}  // namespace plugin
