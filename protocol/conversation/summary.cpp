// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Builds the line of summary.hpp, form by form, and keeps it within its bound.
#include "conversation/summary.hpp"

#include <algorithm>

#include "conversation/subject.hpp"
#include "decode/body.hpp"
#include "iggy/errors.hpp"
#include "iggy/frame.hpp"
#include "iggy/registry.hpp"

namespace iggy::conversation {
namespace {

using decode::Facts;
using decode::Form;

// "0.8 ms", "12.0 s": one decimal, as people read latencies.
void add_latency(Line& line, std::uint64_t microseconds) {
  const bool in_seconds = microseconds >= 1'000'000;
  const std::uint64_t tenths =
      (microseconds + (in_seconds ? 50'000 : 50)) / (in_seconds ? 100'000 : 100);
  line.add(" (").add_number(tenths / 10).add(".").add_number(tenths % 10);
  line.add(in_seconds ? " s)" : " ms)");
}

void add_command(Line& line, const SummaryInput& input) {
  const bool is_named_by_code =
      input.facts.is_request() && input.facts.operation == operation::non_replicated;
  if (!input.name.empty()) {
    line.add(input.name);
  } else if (input.code != 0 || is_named_by_code) {
    line.add("code ").add_number(input.code);
  } else if (input.facts.form == Form::legacy_reply ||
             input.facts.operation == operation::non_replicated) {
    line.add("answer");  // a reply names no command, and its request is not known
  } else {
    const std::string_view name = operation_name(input.generation, input.facts.operation);
    if (name.empty())
      line.add("operation ").add_number(input.facts.operation);
    else
      line.add(name);
  }
}

void add_request_number(Line& line, const Facts& facts) {
  if (facts.form == Form::frame && facts.operation != operation::register_session)
    line.add(" #").add_number(facts.request);
}

void add_after_space(Line& line, std::string_view subject) {
  if (!subject.empty()) line.add(" ").add(subject);
}

void add_reply(Line& line, const SummaryInput& input) {
  const std::uint32_t code = input.facts.status != 0 ? input.facts.status : input.result;
  if (!input.is_result_known && code == 0) {
    line.add("unknown result ");
  } else if (code == 0) {
    line.add("ok ");
  } else {
    line.add_number(code).add(" ");
    const std::string_view name = error_name(code);
    if (!name.empty()) line.add(name).add(" ");
  }
  // What a legacy server says of itself when it ends the connection.
  if (input.facts.form == Form::legacy_reply && !input.is_answer_to_known &&
      input.facts.status == error_code("Disconnected")) {
    line.add("(unasked)");
    return;
  }
  add_command(line, input);
  add_request_number(line, input.facts);
  add_after_space(line, input.subject);
  // The same bytes may mean something else to another generation.
  const bool is_marked = input.is_inferred && input.is_cut && !input.is_first;
  if (is_marked && !input.subject.empty()) line.add(" (inferred)");
  if (!input.is_answer_to_known)
    line.add(input.may_miss_request ? " (its request was not found)"
                                    : " (its request is not in the capture)");
}

void add_eviction(Line& line, const Facts& facts) {
  line.add("Eviction ");
  const std::string_view name = eviction_reason_name(facts.reason);
  if (name.empty())
    line.add("reason ").add_number(facts.reason);
  else
    line.add(name);
  if (facts.reason == reason::incompatible_protocol)
    line.add(", accepts ").add_window(facts.window);
}

// "metadata", or stream/topic/partition of the group's packed number.
// Source: core/binary_protocol/src/consensus/header.rs.
void add_group(Line& line, std::uint64_t group) {
  if (group == metadata_group) {
    line.add(" metadata");
  } else {
    const PartitionGroup place = partition_of(group);
    line.add(" partition ").add_number(place.stream).add("/");
    line.add_number(place.topic).add("/").add_number(place.partition);
  }
}

// Whether the header has a row for its group.
bool names_group(const SummaryInput& input) {
  const auto& rows = decode::header_layout_of(input.facts, input.generation).fields;
  return std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.name == "group"; });
}

void add_header(Line& line, const SummaryInput& input) {
  Line told;
  add_subject(decode::header_layout_of(input.facts, input.generation), input.header, told);
  if (!told.text().empty()) line.add(", ").add(told.text());
}

// How much there is of what no subject counts.
void add_size_of_body(Line& line, const Facts& facts) {
  if (facts.size <= header_size) return;
  const std::uint32_t body = facts.size - header_size;
  const bool has_headers = facts.is(Command::DoViewChange) || facts.is(Command::StartView);
  if (has_headers && body % header_size == 0) {
    const std::uint32_t headers = body / header_size;
    line.add(", ").add_number(headers).add(headers == 1 ? " header" : " headers");
  } else if (facts.is(Command::StateChunk)) {
    line.add(", ").add_number(body).add(body == 1 ? " byte" : " bytes");
  }
}

void add_replica(Line& line, const SummaryInput& input) {
  const Facts& facts = input.facts;
  const std::string_view name = command_name(facts.command);
  if (name.empty())
    line.add("command ").add_number(facts.command);
  else
    line.add(name);
  if (facts.is(Command::Prepare) || facts.is(Command::RepairPrepare) ||
      facts.is(Command::PrepareOk)) {
    add_group(line, facts.group);
    line.add(" op ").add_number(facts.op).add(" ");
    const std::string_view operation = operation_name(input.generation, facts.operation);
    if (operation.empty())
      line.add("operation ").add_number(facts.operation);
    else
      line.add(operation);
    add_after_space(line, input.subject);
    // A Prepare names who built it, which is not who sends it.
    if (facts.is(Command::PrepareOk)) line.add(", replica ").add_number(facts.replica);
    return;
  }
  if (names_group(input)) add_group(line, facts.group);
  line.add(", view ").add_number(facts.view).add(", replica ").add_number(facts.replica);
  if (!input.header.empty()) add_header(line, input);
  add_size_of_body(line, facts);
  if (!input.subject.empty()) line.add(": ").add(input.subject);
}

}  // namespace

void summarise(const SummaryInput& input, Line& line) {
  const Facts& facts = input.facts;
  if (facts.is_request()) {
    add_command(line, input);
    add_request_number(line, facts);
    add_after_space(line, input.subject);
  } else if (facts.is_reply()) {
    add_reply(line, input);
  } else if (facts.is(Command::Eviction)) {
    add_eviction(line, facts);
    if (input.is_answer_to_known && !input.name.empty()) line.add(", to ").add(input.name);
  } else {
    add_replica(line, input);
  }
  if (input.has_latency) add_latency(line, input.latency_us);
  // Once for a connection: later frames may show it, or not.
  const std::string_view generation = word_of(input.generation);
  if (input.is_inferred && input.is_first && !generation.empty())
    line.add(" (read as ").add(generation).add(", inferred)");
}

void add_body(SummaryInput& input, decode::Window body, const KnownNames& names, Line& subject) {
  if (input.facts.is_reply()) {
    const decode::Result result =
        decode::result_of(input.facts, {input.generation, input.train}, input.code, body);
    input.result = result.code;
    input.is_result_known = result.is_known;
  }
  add_subject(input.facts, {input.generation, input.train}, input.code, body, names, subject);
  input.subject = subject.text();
  input.is_cut = body.captured.size() < std::min(body.on_wire, subject_bytes);
}

}  // namespace iggy::conversation
