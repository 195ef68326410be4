// SPDX-License-Identifier: GPL-2.0-or-later
//
// From what is remembered of a frame and its bytes to the view that is presented.
#include "plugin/show.hpp"

#include <algorithm>
#include <optional>
#include <type_traits>

#include "conversation/summary.hpp"
#include "decode/facts.hpp"
#include "plugin/capture.hpp"
#include "plugin/expert.hpp"
#include "plugin/fields.hpp"
#include "plugin/frame_view.hpp"
#include "plugin/preferences.hpp"
#include "plugin/present.hpp"

namespace plugin {

using iggy::conversation::Contradiction;
using iggy::conversation::Line;
using iggy::conversation::OutcomeKind;
using iggy::conversation::SummaryInput;
using iggy::decode::BatchFault;
using iggy::decode::BatchVerdict;
using iggy::decode::Facts;
using iggy::decode::Window;
using iggy::decode::WrongChecksums;

// All of it lives while epan may longjmp.
static_assert(std::is_trivially_destructible_v<Line>);
static_assert(std::is_trivially_destructible_v<SummaryInput>);

namespace {

constexpr std::int64_t second = 1'000'000'000;

Facts facts_of(const FrameFacts& frame, Bytes bytes) {
  if (frame.framing == Framing::legacy)
    return iggy::decode::legacy_facts_of(bytes, frame.from == Side::client);
  return iggy::decode::facts_of(bytes, frame.generation);
}

// `bytes` are the header and what there is of the body.
std::string_view summary_of(const Link& link, std::size_t index, const Facts& facts, Bytes bytes,
                            Line& line) {
  const FrameFacts& frame = link.frame(index);
  const std::uint32_t header_size = iggy::conversation::header_length(frame.framing);
  const std::optional<std::int64_t> latency = link.latency(frame);
  SummaryInput input;
  input.facts = facts;
  input.generation = frame.generation;
  input.train = frame.train;
  input.name = frame.name;
  input.code = frame.code;
  input.header = bytes.first(header_size);
  input.is_answer_to_known = frame.is_answer && frame.peer.has_value();
  input.may_miss_request = frame.may_miss_request;
  input.is_inferred = frame.is_generation_inferred;
  input.is_first = index == 0;
  input.has_latency = latency.has_value();
  input.latency_us = static_cast<std::uint64_t>(latency.value_or(0)) / 1000;
  Line subject;
  add_body(input, {bytes.subspan(header_size), frame.size - header_size}, link.names(frame),
           subject);
  summarise(input, line);
  return line.text();
}

// While the capture is read for the first time, what is not answered yet may be answered still.
const char* outcome_of(const Look& look, std::size_t index) {
  const FrameFacts& frame = look.link->frame(index);
  const bool is_open = frame.outcome.kind == OutcomeKind::pending && is_first_pass(look.pinfo);
  if (!frame.is_request || is_open) return nullptr;
  const Outcome outcome = look.link->outcome(index, look.ending);
  Line line;
  line.add(word_of(outcome.kind));
  if (outcome.has_number()) line.add(" ").add_number(outcome.number);
  return pooled(look.pinfo->pool, line.text());
}

std::string_view transport_of(const Look& look) {
  switch (look.link->carrier()) {
    case Carrier::tcp:
      return "tcp";
    case Carrier::websocket:
      return proto_is_frame_protocol(look.pinfo->layers, "tls") ? "websocket+tls" : "websocket";
    case Carrier::tls:
      return "tls";
  }
  return {};
}

void describe(const Look& look, std::size_t index, FrameView& view) {
  const FrameFacts& frame = look.link->frame(index);
  view.plane = frame.plane;
  view.from = frame.from;
  view.transport = transport_of(look);
  view.name = frame.name;
  view.outcome = outcome_of(look, index);
  (frame.is_answer ? view.request_in : view.response_in) = look.link->peer_packet(frame);
  const std::optional<std::int64_t> latency = look.link->latency(frame);
  view.has_response_time = latency.has_value();
  view.response_time = {static_cast<time_t>(latency.value_or(0) / second),
                        static_cast<int>(latency.value_or(0) % second)};
}

// Sends that were dropped are always told of, the rest where somebody asks.
void judge_batches(const Look& look, std::size_t index, const Facts& facts, Bytes bytes,
                   FrameView& view) {
  const FrameFacts& frame = look.link->frame(index);
  if (facts.is_request()) {
    const bool is_dropped = view.has(FindingId::invalid_batch_silently_dropped);
    if (is_dropped || verify_checksums()) view.batch = look.link->batch(index);
    // Servers of those builds take them.
    if (!is_dropped && view.batch.fault == BatchFault::older_layout) view.batch = {};
    if (is_dropped) view.found_batch = view.batch;
    return;
  }
  const auto add = [&view](FindingId id, const BatchVerdict& wrong) {
    view.findings |= bit(id);
    view.found_batch = wrong;
  };
  const BatchVerdict sent = frame.peer ? look.link->batch(*frame.peer) : BatchVerdict{};
  if (view.has(FindingId::batch_checksum_wrong)) view.found_batch = sent;
  if (!verify_checksums()) return;
  if (is_inconsistent(sent.fault)) add(FindingId::batch_inconsistent, sent);
  const Window body{bytes.subspan(view.header_size), view.size - view.header_size};
  WrongChecksums wrong;
  view.batch = iggy::decode::check_batches(view.plan, body, frame.may_have_producer, &wrong);
  if (is_inconsistent(view.batch.fault)) add(FindingId::batch_inconsistent, view.batch);
  if (wrong.count != 0) add(FindingId::batch_checksum_wrong, wrong.known.front());
}

void show_frame(const Look& look, std::size_t index, std::uint32_t offset) {
  const FrameFacts& frame = look.link->frame(index);
  const std::uint32_t there = tvb_captured_length(look.tvb) - offset;
  FrameView view;
  view.tvb = look.tvb;
  view.offset = offset;
  view.header_size = iggy::conversation::header_length(frame.framing);
  view.size = frame.size;
  view.captured = std::min(frame.size, there);
  const Bytes bytes{reinterpret_cast<const std::byte*>(
                        tvb_get_ptr(look.tvb, to_int(offset), to_int(view.captured))),
                    view.captured};
  const Facts facts = facts_of(frame, bytes);
  const bool is_wanted = wants_items(look.tree);
  Line line;
  if (is_wanted || col_get_writable(look.pinfo->cinfo, COL_INFO) != 0) {
    view.summary = pooled(look.pinfo->pool, summary_of(*look.link, index, facts, bytes, line));
    col_append_sep_str(look.pinfo->cinfo, COL_INFO, "; ", view.summary);
  }
  if (is_wanted) describe(look, index, view);
  if (frame.topic != Topics::none) {
    view.topic = look.link->topic(frame).name.c_str();
    view.topic_alone = view.topic + look.link->topic(frame).topic_at;
  }
  view.generation = frame.generation;
  view.train = frame.train;
  view.is_generation_inferred = frame.is_generation_inferred;
  view.code = frame.code;
  view.findings = frame.findings;
  if (!is_first_pass(look.pinfo)) view.findings |= look.link->absences(index, look.ending);
  Reading reading;
  const bool verifies = verify_checksums() || view.has(FindingId::invalid_batch_silently_dropped);
  const bool keeps_all = is_wanted || verifies;
  reading.keep = keeps_all ? Tape::Keep::everything : Tape::Keep::problems;
  reading.verify_checksums = verifies;
  reading.may_have_producer = frame.may_have_producer;
  reading.confirmation = frame.confirmation;
  reading.most_elements = most_elements();
  reading.show_secrets = show_secrets();
  reading.show_payloads = look.tree != nullptr && dissect_payloads();
  read_frame(view, facts, bytes, reading, look.pinfo->pool);
  judge_batches(look, index, facts, bytes, view);
  present(view, look.pinfo, look.tree);
}

const char* text_of(Contradiction contradiction) {
  switch (contradiction) {
    case Contradiction::none:
      return nullptr;
    case Contradiction::size_too_small:
      return "a frame should begin here, and its size is below that of a header";
    case Contradiction::size_too_large:
      return "a frame should begin here, and its size is above 64 MiB";
    case Contradiction::unknown_command:
      return "a frame should begin here, and its command is unknown";
    case Contradiction::impossible_legacy:
      return "a frame of the 8-byte framing should begin here, and cannot";
  }
  return nullptr;
}

}  // namespace

void begin_columns(packet_info* pinfo) {
  col_set_str(pinfo->cinfo, COL_PROTOCOL, "Iggy");
  col_clear(pinfo->cinfo, COL_INFO);
}

void show_piece(const Look& look, const Piece& piece, std::uint32_t offset) {
  const Rest rest{look.tvb, look.pinfo, offset,
                  std::min(piece.length, tvb_captured_length(look.tvb) - offset), piece.length};
  switch (piece.kind) {
    case PieceKind::frame:
      show_frame(look, piece.frame, offset);
      break;
    case PieceKind::continuation:
      present_continuation(rest, look.tree, look.link->frame(piece.frame).header_packet);
      break;
    case PieceKind::preamble:
      present_preamble(rest, look.tree);
      break;
    case PieceKind::no_frame:
      present_no_frame(rest, look.tree, text_of(piece.contradiction));
      break;
  }
}

}  // namespace plugin
