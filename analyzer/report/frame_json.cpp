// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// A frame as a JSON object: keys in a fixed order, values by the tables that describe the wire.
#include "report/frame_json.hpp"

#include <algorithm>
#include <iterator>
#include <span>

#include "capture/address.hpp"
#include "conversation/subject.hpp"
#include "decode/batch_check.hpp"
#include "decode/body.hpp"
#include "decode/walk.hpp"
#include "iggy/exchanges.hpp"
#include "iggy/registry.hpp"
#include "report/decoded_sink.hpp"
#include "report/json_sink.hpp"

namespace analyzer::report {

using connection::Connection;
using connection::Frame;
using connection::Framing;
using connection::Side;
using iggy::decode::BatchFault;
using iggy::decode::BatchVerdict;
using iggy::decode::BodyPlan;
using iggy::decode::BodyState;
using iggy::decode::Problem;
using iggy::decode::Walk;
using iggy::decode::WrongChecksums;
using iggy::describe::Layout;

namespace {

struct PlacedProblem {
  Problem problem;
  bool in_body = false;
};

void write_header(JsonWriter& json, const Frame& frame, Shown shows,
                  std::vector<PlacedProblem>& problems) {
  std::vector<Problem> found;
  JsonSink sink(json, found, shows);
  json.begin_object();
  Walk walk(iggy::decode::whole(frame.raw.header), sink);
  walk.read(iggy::decode::header_layout_of(frame.facts, frame.generation));
  sink.finish();
  json.end_object();
  for (const Problem& problem : found) problems.push_back({problem, false});
}

void write_body(JsonWriter& json, const Frame& frame, const BodyPlan& plan, Shown shows,
                std::vector<PlacedProblem>& problems) {
  if (plan.layout == nullptr) {
    if (plan.state == BodyState::empty)
      json.begin_object().end_object();
    else
      json.null();
    return;
  }
  const bool is_hidden = iggy::decode::is_hidden(plan, shows.secrets);
  std::vector<Problem> found;
  JsonSink sink(json, found, shows);
  if (is_hidden)
    json.text(masked);
  else
    json.begin_object();
  read_body(plan, frame.raw.body, shows.secrets, sink);
  if (!is_hidden) {
    sink.finish();
    json.end_object();
  }
  for (const Problem& problem : found) problems.push_back({problem, true});
}

// What header and body mean; nothing where they only mean what they say.
void write_decoded(JsonWriter& json, const Frame& frame, const BodyPlan& plan, Shown shows) {
  JsonWriter found(json.limit());
  DecodedSink header(found, "header", shows);
  Walk walk(iggy::decode::whole(frame.raw.header), header);
  walk.read(iggy::decode::header_layout_of(frame.facts, frame.generation));
  header.finish();
  if (plan.layout != nullptr) {
    DecodedSink body(found, "body", shows);
    read_body(plan, frame.raw.body, shows.secrets, body);
    body.finish();
  }
  if (found.is_full()) json.fill();
  if (!found.json().empty()) json.key("decoded").raw("{" + found.take() + "}");
}

// The row that a fault of a batch is about; empty where it is none in particular.
std::string_view field_of(BatchFault fault) {
  switch (fault) {
    case BatchFault::message_reserved:
      return "reserved";
    case BatchFault::batch_length:
      return "batch_length";
    case BatchFault::message_checksum:
      return "checksum";
    case BatchFault::batch_checksum:
      return "batch_checksum";
    case BatchFault::message_count:
    case BatchFault::no_messages:
      return "message_count";
    case BatchFault::messages_count:
      return "messages_count";
    case BatchFault::message_order:
      return "offset_delta";
    case BatchFault::partition:
      return "partition_id";
    case BatchFault::records_length:
      return "records_length";
    default:
      return {};
  }
}

BatchVerdict verdict_of(const Connection& connection, const Frame& frame, const BodyPlan& plan,
                        WrongChecksums& wrong) {
  const bool may_have_producer = iggy::decode::may_name_producer(
      frame.generation, connection.generation_is_certain(frame.from));
  const bool is_send = frame.facts.is_request() && plan.layout != nullptr &&
                       frame.facts.operation == iggy::operation::send_messages;
  if (plan.is_older) return {};
  return is_send ? iggy::decode::check_send(frame.raw.body, may_have_producer, &wrong)
                 : iggy::decode::check_batches(plan, frame.raw.body, may_have_producer, &wrong);
}

// What no row shows by itself: a value of a batch that does not fit the others.
void write_verdict(JsonWriter& json, const Frame& frame, const BatchVerdict& verdict) {
  if (verdict.fault == BatchFault::none) return;
  json.begin_object();
  json.key("problem").text(is_checksum(verdict.fault) ? "wrong_checksum" : "wrong_value");
  json.key("in").text("body");
  json.key("field").text_or_null(field_of(verdict.fault));
  json.key("offset").number(frame.raw.header.size() + verdict.offset);
  json.key("needed").number(0).key("available").number(0);
  json.key("expected").wide(verdict.expected).key("found").wide(verdict.found);
  json.end_object();
}

// A number, or text where it is beyond what a double holds exactly.
void write_amount(JsonWriter& json, std::uint64_t amount) {
  constexpr int bits_of_double = 53;
  if (amount >> bits_of_double == 0)
    json.number(amount);
  else
    json.wide(amount);
}

void write_problems(JsonWriter& json, const Frame& frame,
                    const std::vector<PlacedProblem>& problems, const BatchVerdict& verdict,
                    std::span<const BatchVerdict> wrong) {
  json.key("problems").begin_array();
  for (const PlacedProblem& placed : problems) {
    const Problem& problem = placed.problem;
    const std::size_t base = placed.in_body ? frame.raw.header.size() : 0;
    json.begin_object();
    json.key("problem").text(word_of(problem.kind));
    json.key("in").text(placed.in_body ? "body" : "header");
    json.key("field").text_or_null(problem.field == nullptr ? "" : problem.field->name);
    json.key("offset").number(base + problem.offset);
    write_amount(json.key("needed"), problem.needed);
    write_amount(json.key("available"), problem.available);
    json.end_object();
  }
  for (const BatchVerdict& one : wrong) write_verdict(json, frame, one);
  if (!is_checksum(verdict.fault)) write_verdict(json, frame, verdict);
  json.end_array();
}

// Bytes of bodies without a table. What may hold a secret needs both flags.
void write_payload(JsonWriter& json, const Frame& frame, const BodyPlan& plan, Shown shows) {
  if (plan.state != BodyState::undecoded && plan.state != BodyState::partly) return;
  json.key("body_bytes");
  if (plan.is_secret && !shows.secrets)
    json.text(masked);
  else
    json.hex(front_of(frame.raw.body.captured, shows));
}

// Whether any layout has a row of that name.
bool is_row(std::string_view name) {
  const auto layouts = iggy::all_layouts();
  return std::any_of(layouts.begin(), layouts.end(), [name](const Layout* layout) {
    return std::any_of(layout->fields.begin(), layout->fields.end(),
                       [name](const iggy::describe::Field& field) { return field.name == name; });
  });
}

// Lists have no members that could be named.
bool is_body_path(std::string_view path) {
  while (true) {
    const std::string_view name = path.substr(0, path.find('.'));
    if (!is_row(name)) return false;
    if (name == path) return true;
    path.remove_prefix(name.size() + 1);
  }
}

}  // namespace

bool is_frame_path(std::string_view path) {
  static constexpr std::string_view keys[] = {
      "packet",         "first_packet",  "time",         "client",
      "server",         "from",          "transport",    "generation",
      "plane",          "command",       "operation",    "code",
      "name",           "size",          "captured",     "header",
      "body",           "decoded",       "body_bytes",   "problems",
      "outcome",        "answer_packet", "latency_us",   "first_byte_us",
      "request_packet", "subject",       "body_dropped", "generation_inferred",
      "wrong_checksums"};
  const std::string_view key = path.substr(0, path.find('.'));
  if (std::find(std::begin(keys), std::end(keys), key) == std::end(keys)) return false;
  if (key == path) return true;
  const std::string_view rest = path.substr(key.size() + 1);
  if (key == "header") return is_row(rest);
  if (key == "body") return is_body_path(rest);
  if (key != "decoded") return false;
  const std::string_view part = rest.substr(0, rest.find('.'));
  if (part == rest) return part == "header" || part == "body";
  const std::string_view inner = rest.substr(part.size() + 1);
  return (part == "header" || part == "body") && is_row(inner.substr(0, inner.find('.')));
}

void write_frame(JsonWriter& json, const Connection& connection, const Frame& frame, Shown shows) {
  json.key("packet").number(frame.raw.place.packet);
  json.key("first_packet").number(frame.raw.place.first_packet);
  json.key("time").text(seconds_text(frame.raw.place.time));
  json.key("client").text(to_string(connection.client()));
  json.key("server").text(to_string(connection.server()));
  json.key("from").text(frame.from == Side::server ? "server" : "client");
  json.key("transport").text(word_of(connection.transport()));
  json.key("generation").text_or_null(word_of(frame.generation));
  if (frame.is_generation_inferred) json.key("generation_inferred").boolean(true);
  json.key("plane").text_or_null(word_of(connection.plane()));
  json.key("command").text(iggy::decode::command_name_of(frame.facts));
  const bool has_operation = frame.raw.framing != Framing::legacy;
  json.key("operation").number_or_null(has_operation ? frame.facts.operation : 0);
  json.key("code").number_or_null(iggy::number_of_code(frame.code));
  json.key("name").text_or_null(frame.name);
  json.key("size").number(frame.raw.size);
  json.key("captured").number(frame.raw.captured);
  iggy::conversation::Line subject;
  add_subject(frame.facts, frame.dialect(), frame.code, frame.raw.body,
              connection.names(frame.raw.place.packet), subject);
  json.key("subject").text_or_null(subject.text());

  std::vector<PlacedProblem> problems;
  json.key("header");
  write_header(json, frame, shows, problems);
  const BodyPlan plan =
      iggy::decode::plan_body(frame.facts, frame.dialect(), frame.code, frame.raw.body);
  json.key("body");
  if (shows.bodies) {
    write_body(json, frame, plan, shows, problems);
    write_decoded(json, frame, plan, shows);
  } else {
    json.null();
  }
  if (frame.raw.is_body_dropped || !shows.bodies) json.key("body_dropped").boolean(true);
  if (shows.payload && shows.bodies) write_payload(json, frame, plan, shows);
  if (!shows.verdicts) return write_problems(json, frame, problems, {}, {});
  WrongChecksums wrong;
  const BatchVerdict verdict = verdict_of(connection, frame, plan, wrong);
  write_problems(json, frame, problems, verdict, wrong.told());
  if (wrong.count > WrongChecksums::most) json.key("wrong_checksums").number(wrong.count);
}

}  // namespace analyzer::report
