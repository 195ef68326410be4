// SPDX-License-Identifier: GPL-2.0-or-later
//
// The items of present.hpp.
//
// Any function of epan may leave by longjmp, so nothing here has a destructor. None ought to: every
// item lies within the captured bytes of the frame, whatever the bytes say.
#include "plugin/present.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "conversation/finding.hpp"
#include "decode/text.hpp"
#include "describe/proofs.hpp"
#include "iggy/bodies/batches.hpp"
#include "iggy/exchanges.hpp"
#include "iggy/v0_11/client_headers.hpp"
#include "plugin/batches.hpp"
#include "plugin/expert.hpp"
#include "plugin/fields.hpp"
#include "plugin/messages.hpp"
#include "plugin/payload.hpp"
#include "plugin/preferences.hpp"
#include "plugin/problems.hpp"
#include "plugin/rows.hpp"
#include "plugin/typed.hpp"

namespace plugin {

using iggy::decode::BatchFault;
using iggy::decode::BodyState;
using iggy::decode::ProblemKind;
using iggy::decode::ShortText;
using iggy::decode::U128;
using iggy::describe::Field;
using iggy::describe::Kind;
using iggy::describe::Shape;

namespace {

// Rows that frames without such a row get as well, once it is known what would stand there.
constexpr const Field& code_row = iggy::describe::row_of(iggy::v0_11::request, "code");
constexpr const Field& payload_row = iggy::describe::row_of(iggy::bodies::message_frame, "payload");
constexpr const Field& size_row = iggy::describe::row_of(iggy::v0_11::request, "size");

// A header or a body, as bytes of a tvb.
struct Region {
  tvbuff_t* tvb = nullptr;
  packet_info* pinfo = nullptr;
  std::uint32_t offset = 0;  // in the tvb
  std::uint32_t captured = 0;
  bool is_visible = false;        // labels are read by somebody
  Blame* blame = nullptr;         // for what is wrong with its batches
  Payloads* payloads = nullptr;   // of its messages, where other dissectors see them
  bool may_hold_secrets = false;  // that are not to be shown

  int at(std::uint32_t place) const { return to_int(offset + std::min(place, captured)); }
  int length(std::uint32_t place, std::uint32_t wanted) const {
    return to_int(std::min(wanted, captured - std::min(place, captured)));
  }
};

// The subtrees that are open while events are read; the region's own is the first.
struct Open {
  proto_tree* tree = nullptr;
  proto_item* item = nullptr;
  Typing typing{};
};

tvbuff_t* tvb_of(const Region& region, const Event& event) {
  return tvb_new_subset_length(region.tvb, region.at(event.offset),
                               region.length(event.offset, event.length));
}

const char* plural_of(std::uint64_t count) {
  return count == 1 ? "" : "s";
}

proto_item* add_wide(const Region& region, proto_tree* tree, const Event& event) {
  const int at = region.at(event.offset);
  const int id = id_of(*event.row);
  if (!region.is_visible) return proto_tree_add_item(tree, id, region.tvb, at, 16, ENC_NA);
  const U128 value{tvb_get_letoh64(region.tvb, at), tvb_get_letoh64(region.tvb, at + 8)};
  const bool is_decimal = event.row->shape == Shape::decimal;
  const ShortText number = is_decimal ? decimal(value) : hex(value);
  const ShortText uuid =
      event.row->shape == Shape::uuid ? iggy::decode::uuid_text(value) : ShortText{};
  if (uuid.is_empty())
    return proto_tree_add_bytes_format_value(tree, id, region.tvb, at, 16, nullptr, "%s",
                                             number.c_str());
  return proto_tree_add_bytes_format_value(tree, id, region.tvb, at, 16, nullptr, "%s (%s)",
                                           uuid.c_str(), number.c_str());
}

// A row of zeros fills a line and tells nothing; any other value is shown.
proto_item* add_zeros(const Region& region, proto_tree* tree, const Event& event) {
  const int at = region.at(event.offset);
  const int length = region.length(event.offset, event.length);
  const int id = id_of(*event.row);
  if (region.is_visible) {
    const std::uint8_t* const bytes = tvb_get_ptr(region.tvb, at, length);
    if (std::all_of(bytes, bytes + length, [](std::uint8_t byte) { return byte == 0; }))
      return proto_tree_add_bytes_format_value(tree, id, region.tvb, at, length, bytes,
                                               "%d zero byte%s", length, plural_of(event.length));
  }
  return proto_tree_add_item(tree, id, region.tvb, at, length, ENC_NA);
}

// Told by its length. The item covers no bytes, since outputs of Wireshark print those that an item
// covers beside its value.
proto_item* add_secret(const Region& region, proto_tree* tree, const Event& event) {
  const Field& row = *event.row;
  const int at = region.at(event.offset);
  proto_item* const item = proto_tree_add_uint_format(
      tree, id_of(row), region.tvb, at, 0, event.length, "%s: *** (%u byte%s)", label_of(row),
      event.length, plural_of(event.length));
  if (show_secrets())
    proto_tree_add_item(tree, clear_id_of(row), region.tvb, at, to_int(event.length),
                        row.kind == Kind::text ? ENC_UTF_8 : ENC_NA);
  return item;
}

// Whoever reads such a row takes all values that have no name of their own alike.
bool is_another(const Event& event) {
  const Field& row = *event.row;
  return !row.others.empty() && iggy::describe::name_of(row.names, event.value).empty();
}

// What people call a number that Wireshark shows as digits.
ShortText meaning_of(const Field& row, std::uint64_t value) {
  if (row.shape == Shape::microseconds) return iggy::decode::utc_time(value);
  if (row.shape == Shape::duration) return iggy::decode::duration_text(value);
  if (row.shape == Shape::or_none && is_all_ones(row, value)) return ShortText{}.add("none");
  return {};
}

proto_item* add_value(const Region& region, proto_tree* tree, const Event& event) {
  const Field& row = *event.row;
  if (is_secret(row)) return add_secret(region, tree, event);
  // A frame has one iggy.code: the one that its header says, or else the one that is concluded.
  if (event.value == 0 && row.kind == Kind::u32 && id_of(row) == id_of(code_row))
    return proto_tree_add_item(tree, id_of(Extra::header_code), region.tvb, region.at(event.offset),
                               4, ENC_LITTLE_ENDIAN);
  if (row.kind == Kind::u128) return add_wide(region, tree, event);
  if (row.kind == Kind::zero) return add_zeros(region, tree, event);
  const auto number = static_cast<std::uint32_t>(event.value);
  if (is_another(event))
    return proto_tree_add_uint_format_value(tree, id_of(row), region.tvb, region.at(event.offset),
                                            to_int(event.length), number, "%s (%u)",
                                            pooled(region.pinfo->pool, row.others), number);
  const bool is_number = iggy::describe::is_number(row) || row.kind == Kind::f32;
  const unsigned encoding = row.kind == Kind::text ? ENC_UTF_8
                            : is_number            ? ENC_LITTLE_ENDIAN
                                                   : ENC_NA;
  proto_item* const item =
      proto_tree_add_item(tree, id_of(row), region.tvb, region.at(event.offset),
                          region.length(event.offset, event.length), encoding);
  const ShortText meaning = region.is_visible ? meaning_of(row, event.value) : ShortText{};
  if (!meaning.is_empty()) proto_item_append_text(item, " (%s)", meaning.c_str());
  return item;
}

// The text of a counted text that is entered; null where it is cut short.
const Event* text_behind(const Record& record, std::uint32_t entered) {
  constexpr std::uint32_t distance = 2;  // its length stands between
  if (record.count - entered <= distance) return nullptr;
  const Event& event = record.events[entered + distance];
  const bool is_text = event.what == Event::What::value && event.row->kind == Kind::text;
  return is_text ? &event : nullptr;
}

// The item covers the length as well, so that what is below it lies within.
proto_item* add_counted_text(const Region& region, proto_tree* tree, const Record& record,
                             std::uint32_t entered) {
  const Event& event = record.events[entered];
  const Event* const text = text_behind(record, entered);
  const char* value = "";
  std::uint32_t end = event.offset;
  if (text != nullptr) {
    end = text->offset + text->length;
    value = reinterpret_cast<const char*>(
        tvb_get_string_enc(region.pinfo->pool, region.tvb, region.at(text->offset),
                           region.length(text->offset, text->length), ENC_UTF_8));
  }
  return proto_tree_add_string(tree, id_of(*event.row), region.tvb, region.at(event.offset),
                               region.length(event.offset, end - event.offset), value);
}

Open enter(const Region& region, proto_tree* tree, const Record& record, std::uint32_t entered) {
  const Event& event = record.events[entered];
  proto_item* const item =
      is_counted_text(*event.row)
          ? add_counted_text(region, tree, record, entered)
          : proto_tree_add_item(tree, id_of(*event.row), region.tvb, region.at(event.offset),
                                region.length(event.offset, event.length), ENC_NA);
  if (is_list(*event.row) && region.is_visible)
    proto_item_append_text(item, " [%" G_GUINT64_FORMAT "]", event.value);
  Open open{proto_item_add_subtree(item, id_of(Subtree::row)), item};
  open.typing.is_pair = is_pair(*event.row->layout);
  return open;
}

void add_not_shown(const Region& region, proto_tree* tree, std::uint32_t place, const char* what,
                   std::uint64_t count) {
  proto_item* const item =
      proto_tree_add_uint64_format(tree, id_of(Extra::not_shown), region.tvb, region.at(place), 0,
                                   count, "%s: %" G_GUINT64_FORMAT " more, not shown", what, count);
  proto_item_set_generated(item);
}

// Where a problem has an item that it belongs to it stands there, else in a line of its own.
void add_problem(const Region& region, proto_tree* tree, proto_item* item, const Event& event) {
  const char* const text = text_of_problem(region.pinfo->pool, event);
  expert_field* const expert = expert_of(event.problem);
  const char* const word = pooled(region.pinfo->pool, word_of(event.problem));
  // PDML prints the bytes of an item. Those that do not fit a body may be a password.
  const bool is_told = event.problem == ProblemKind::not_zero || !region.may_hold_secrets;
  const std::uint32_t covered = is_told ? bytes_of_problem(event) : 0;
  proto_item* const line =
      proto_tree_add_string(tree, id_of(Extra::problem), region.tvb, region.at(event.offset),
                            region.length(event.offset, covered), word);
  proto_item_set_generated(line);
  expert_add_info_format(region.pinfo, item != nullptr ? item : line, expert, "%s", text);
}

// Whether the problem lies in the bytes of the value. The row alone would not tell: elements of a
// list have the same rows, and not all of them are shown.
bool is_about(const Event& problem, const Event& value) {
  return problem.row == value.row && problem.offset >= value.offset &&
         problem.offset - value.offset < value.length;
}

// `owner` is the item of the whole region, whose subtree is `tree`.
void add_events(const Region& region, proto_item* owner, proto_tree* tree, const Record& record) {
  std::array<Open, Tape::max_depth + 1> open{};
  std::size_t depth = 0;
  open[0].tree = tree;
  const Event* last = nullptr;  // the last value, which a problem may belong to
  proto_item* last_item = nullptr;
  for (std::uint32_t i = 0; i < record.count; ++i) {
    const Event& event = record.events[i];
    switch (event.what) {
      case Event::What::value:
        last = &event;
        last_item = add_value(region, open[depth].tree, event);
        if (region.blame != nullptr) region.blame->meet(event, last_item);
        show_typed({region.tvb, region.pinfo, open[depth].tree, open[depth].item,
                    region.at(event.offset), region.is_visible},
                   open[depth].typing, event);
        if (region.payloads != nullptr && event.row == &payload_row && event.length != 0)
          show_payload(*region.payloads, tvb_of(region, event), region.pinfo, open[depth].tree);
        break;
      case Event::What::enter:
        open[depth + 1] = enter(region, open[depth].tree, record, i);
        ++depth;
        break;
      case Event::What::leave:
        proto_item_set_len(open[depth].item, region.length(event.offset, event.length));
        --depth;
        break;
      case Event::What::more:
        add_not_shown(region, open[depth].tree, event.offset, label_of(*event.row), event.value);
        break;
      case Event::What::message_offset:
      case Event::What::origin_timestamp:
      case Event::What::append_timestamp:
      case Event::What::checksum:
        show_message_event(
            {region.tvb, region.pinfo, open[depth].tree, last_item, region.at(event.offset)},
            event);
        break;
      case Event::What::problem:
        add_problem(region, open[depth].tree,
                    event.problem == ProblemKind::malformed     ? owner
                    : last != nullptr && is_about(event, *last) ? last_item
                                                                : nullptr,
                    event);
        break;
    }
  }
  if (record.values_dropped != 0)
    add_not_shown(region, tree, region.captured, "Fields", record.values_dropped);
  if (record.problems_dropped != 0)
    expert_add_info_format(region.pinfo, owner, expert_of_more_problems(), "%u more problem%s",
                           record.problems_dropped, plural_of(record.problems_dropped));
}

void add_header(const FrameView& view, const Region& frame, proto_tree* tree) {
  if (view.header.layout == nullptr) return;
  const std::string_view title = view.header.layout->title;
  proto_item* const item = proto_tree_add_none_format(
      tree, id_of(Extra::header), frame.tvb, frame.at(0), frame.length(0, view.header_size),
      "Header: %.*s", static_cast<int>(title.size()), title.data());
  const Region header{frame.tvb, frame.pinfo, frame.offset,
                      std::min(frame.captured, view.header_size), frame.is_visible};
  proto_tree* const rows = proto_item_add_subtree(item, id_of(Subtree::header));
  add_events(header, item, rows, view.header.record);
}

// What the line of a body says of it.
const char* body_text(const FrameView& view, wmem_allocator_t* pool) {
  const std::uint32_t bytes = view.size - view.header_size;
  const char* const plural = plural_of(bytes);
  if (view.body.layout == nullptr) {
    if (view.plan.is_secret && !show_secrets())
      return wmem_strdup_printf(pool, "*** (%u byte%s)", bytes, plural);
    return wmem_strdup_printf(pool, "%u byte%s, not decoded", bytes, plural);
  }
  const std::string_view title = view.body.layout->title;
  const char* const addition = view.plan.state == BodyState::partly      ? ", the rest not decoded"
                               : view.plan.state == BodyState::malformed ? ", malformed"
                               : view.plan.state == BodyState::missing   ? ", missing"
                                                                         : "";
  return wmem_strdup_printf(pool, "%.*s%s", static_cast<int>(title.size()), title.data(), addition);
}

void add_body(const FrameView& view, const Region& frame, proto_tree* tree) {
  if (view.size <= view.header_size && view.body.record.problems == 0) return;
  const std::uint32_t bytes = view.size - view.header_size;
  Blame blame{view.batch};
  Payloads payloads = payloads_of(view.topic, view.topic_alone);
  const Region body{frame.tvb,
                    frame.pinfo,
                    frame.offset + view.header_size,
                    frame.captured - std::min(frame.captured, view.header_size),
                    frame.is_visible,
                    &blame,
                    view.shows_payloads ? &payloads : nullptr,
                    !show_secrets()};
  const char* const text = body.is_visible ? body_text(view, frame.pinfo->pool) : "";
  proto_item* const item = proto_tree_add_none_format(
      tree, id_of(Extra::body), body.tvb, body.at(0), body.length(0, bytes), "Body: %s", text);
  if (body.captured < bytes && body.is_visible)
    proto_item_append_text(item, ", %u of %u bytes captured", body.captured, bytes);
  proto_tree* const rows = proto_item_add_subtree(item, id_of(Subtree::body));
  add_events(body, item, rows, view.body.record);
  show_fault(frame.pinfo, blame, item);
}

void add_text(const Region& frame, proto_tree* tree, Extra extra, std::string_view text) {
  if (text.empty()) return;
  proto_item_set_generated(proto_tree_add_string(tree, id_of(extra), frame.tvb, frame.at(0), 0,
                                                 pooled(frame.pinfo->pool, text)));
}

void add_packet(const Region& frame, proto_tree* tree, Extra extra, std::uint32_t packet) {
  if (packet == 0) return;
  proto_item_set_generated(
      proto_tree_add_uint(tree, id_of(extra), frame.tvb, frame.at(0), 0, packet));
}

void add_number(const Region& frame, proto_tree* tree, const Field& row, std::uint32_t value) {
  proto_item_set_generated(proto_tree_add_uint(tree, id_of(row), frame.tvb, frame.at(0), 0, value));
}

// The code of an older build's command means another one in the names of the row.
void add_code(const Region& frame, proto_tree* tree, const FrameView& view) {
  const std::uint32_t code = iggy::number_of_code(view.code);
  if (code == view.code) {
    add_number(frame, tree, code_row, code);
    return;
  }
  proto_item_set_generated(proto_tree_add_uint_format_value(
      tree, id_of(code_row), frame.tvb, frame.at(0), 0, code, "%.*s (%u)",
      static_cast<int>(view.name.size()), view.name.data(), code));
}

bool has_code(const Record& header) {
  return std::any_of(header.events, header.events + header.count, [](const Event& event) {
    return event.what == Event::What::value && event.value != 0 && event.row->name == code_row.name;
  });
}

std::string_view word_of(iggy::conversation::Side side) {
  switch (side) {
    case iggy::conversation::Side::unknown:
      return {};
    case iggy::conversation::Side::client:
      return "client";
    case iggy::conversation::Side::server:
      return "server";
  }
  return {};
}

// What is not on the wire.
void add_conclusions(const FrameView& view, const Region& frame, proto_tree* tree) {
  if (view.is_legacy()) add_number(frame, tree, size_row, view.size);
  if (view.code != 0 && !has_code(view.header.record)) add_code(frame, tree, view);
  add_text(frame, tree, Extra::name, view.name);
  add_text(frame, tree, Extra::from, word_of(view.from));
  add_text(frame, tree, Extra::transport, view.transport);
  add_text(frame, tree, Extra::plane, word_of(view.plane));
  add_text(frame, tree, Extra::generation, word_of(view.generation));
  add_text(frame, tree, Extra::generation_inferred, view.is_generation_inferred ? "yes" : "");
  add_text(frame, tree, Extra::topic, view.topic == nullptr ? "" : view.topic);
  add_text(frame, tree, Extra::outcome, view.outcome == nullptr ? "" : view.outcome);
  add_packet(frame, tree, Extra::request_in, view.request_in);
  add_packet(frame, tree, Extra::response_in, view.response_in);
  if (view.has_response_time)
    proto_item_set_generated(proto_tree_add_time(tree, id_of(Extra::response_time), frame.tvb,
                                                 frame.at(0), 0, &view.response_time));
}

void add_findings(const FrameView& view, const Region& frame, proto_tree* tree) {
  for (const iggy::conversation::FindingKind& kind : iggy::conversation::finding_kinds()) {
    if (!view.has(kind.id)) continue;
    proto_item* const item =
        proto_tree_add_string(tree, id_of(Extra::finding), frame.tvb, frame.at(0), 0,
                              pooled(frame.pinfo->pool, kind.word));
    proto_item_set_generated(item);
    show_finding(frame.pinfo, item, kind, view.found_batch);
  }
}

bool has_expert_infos(const FrameView& view) {
  return view.findings != 0 || view.header.record.problems != 0 || view.body.record.problems != 0 ||
         view.body.record.wrong_checksums != 0 || view.batch.fault != BatchFault::none;
}

}  // namespace

bool wants_items(proto_tree* tree) {
  return proto_field_is_referenced(tree, protocol_id());
}

void present(const FrameView& view, packet_info* pinfo, proto_tree* tree) {
  const bool is_wanted = wants_items(tree);
  if (!is_wanted && !view.shows_payloads && !has_expert_infos(view)) return;
  const bool is_visible = tree != nullptr && PTREE_DATA(tree)->visible;
  const Region frame{view.tvb, pinfo, view.offset, view.captured, is_visible};
  proto_item* const item = proto_tree_add_protocol_format(
      tree, protocol_id(), frame.tvb, frame.at(0), frame.length(0, view.captured),
      "Apache Iggy, %s", view.summary == nullptr ? "" : view.summary);
  proto_tree* const top = proto_item_add_subtree(item, id_of(Subtree::frame));
  add_header(view, frame, top);
  add_body(view, frame, top);
  if (is_wanted) add_conclusions(view, frame, top);
  add_findings(view, frame, top);
}

void present_continuation(const Rest& rest, proto_tree* tree, std::uint32_t packet) {
  col_append_sep_str(rest.pinfo->cinfo, COL_INFO, "; ", "more of a frame");
  if (!wants_items(tree)) return;
  proto_item* const item = proto_tree_add_protocol_format(
      tree, protocol_id(), rest.tvb, to_int(rest.offset), to_int(rest.captured),
      "Apache Iggy, %u byte%s of a frame that began earlier", rest.length, plural_of(rest.length));
  proto_tree* const top = proto_item_add_subtree(item, id_of(Subtree::frame));
  proto_item_set_generated(
      proto_tree_add_uint(top, id_of(Extra::continues), rest.tvb, to_int(rest.offset), 0, packet));
}

void present_preamble(const Rest& rest, proto_tree* tree) {
  col_append_sep_str(rest.pinfo->cinfo, COL_INFO, "; ", "placement preamble");
  if (!wants_items(tree)) return;
  proto_item* const item = proto_tree_add_protocol_format(
      tree, protocol_id(), rest.tvb, to_int(rest.offset), to_int(rest.captured),
      "Apache Iggy, placement preamble of a replica link");
  proto_tree_add_item(proto_item_add_subtree(item, id_of(Subtree::frame)), id_of(Extra::preamble),
                      rest.tvb, to_int(rest.offset), to_int(rest.captured), ENC_NA);
}

void present_no_frame(const Rest& rest, proto_tree* tree, const char* contradiction) {
  col_append_sep_str(rest.pinfo->cinfo, COL_INFO, "; ", "bytes without a frame");
  proto_item* const item = proto_tree_add_protocol_format(
      tree, protocol_id(), rest.tvb, to_int(rest.offset), to_int(rest.captured),
      "Apache Iggy, %u byte%s without a frame", rest.length, plural_of(rest.length));
  proto_tree* const top = proto_item_add_subtree(item, id_of(Subtree::frame));
  proto_item* const bytes = proto_tree_add_item(top, id_of(Extra::no_frame), rest.tvb,
                                                to_int(rest.offset), to_int(rest.captured), ENC_NA);
  if (contradiction == nullptr) return;
  proto_item_set_generated(proto_tree_add_string(top, id_of(Extra::problem), rest.tvb,
                                                 to_int(rest.offset), 0, "contradiction"));
  expert_add_info_format(rest.pinfo, bytes, expert_of_contradiction(), "%s", contradiction);
}

}  // namespace plugin
