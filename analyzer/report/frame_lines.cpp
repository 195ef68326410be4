// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Frames as lines, held back until their requests ended so that each line is complete. Bounded.
#include "report/frame_lines.hpp"

#include <fmt/format.h>

#include "capture/address.hpp"
#include "conversation/subject.hpp"
#include "conversation/summary.hpp"
#include "decode/body.hpp"
#include "iggy/exchanges.hpp"
#include "report/frame_json.hpp"
#include "report/json_writer.hpp"
#include "report/words.hpp"

namespace analyzer::report {

using connection::AnswerPlace;
using connection::Connection;
using connection::Frame;
using connection::Outcome;
using connection::Request;
using connection::Side;
using connection::word_of;

namespace {

// A file's lines wait for their outcome; these bounds only keep a hostile one from filling memory.
// What becomes of a tail, at most.
constexpr std::uint64_t tail_bytes = 128;
constexpr std::size_t file_frames = 1'000'000;
// Final lines are held so long for a stalled direction to deliver an earlier frame.
constexpr std::size_t reorder_frames = 8192;
constexpr std::size_t stream_frames = 65'536;
constexpr std::int64_t stream_time = std::int64_t{30} * 1'000'000'000;

// How a frame's line begins its command where none is known.
constexpr std::string_view no_command_json = R"("code":null,"name":null,)";

std::uint64_t microseconds_between(std::int64_t from, std::int64_t to) {
  return to > from ? static_cast<std::uint64_t>(to - from) / 1000 : 0;
}

// What becomes known of a request when it ends.
std::string outcome_json(const Request& request, const Outcome& outcome,
                         const std::optional<AnswerPlace>& answer) {
  JsonWriter json;
  json.key("outcome").text(word_of(outcome));
  if (answer) {
    json.key("answer_packet").number(answer->packet);
    if (answer->has_latency)
      json.key("latency_us").number(microseconds_between(request.time, answer->time));
    if (request.end_is_captured && !answer->is_suspect)
      json.key("first_byte_us").number(microseconds_between(request.time, answer->first_time));
  }
  return "," + json.take();
}

std::string answer_json(std::uint64_t request_packet) {
  return fmt::format(",\"request_packet\":{}", request_packet);
}

bool is_request(const Frame& frame) {
  return frame.facts.is_request() && frame.from == Side::client;
}

bool is_answer(const Frame& frame) {
  return frame.from == Side::server &&
         (frame.facts.is_reply() || frame.facts.is(iggy::Command::Eviction));
}

}  // namespace

void FrameLines::frame(const Connection& connection, const Frame& frame) {
  if (done_) return;
  Held held;
  held.time = frame.raw.place.time;
  latest_ = std::max(latest_, held.time);
  held.waits = is_request(frame);
  if (options_.wants_json()) {
    held.front = json_front(connection, frame);
    if (frame.answers != nullptr) held.tail = answer_json(frame.answers->packet);
  } else {
    held.front = text_line(connection, frame, held);
    held.waits = false;
  }
  hold({frame.raw.place.packet, frame.id}, std::move(held));
}

// With its place in the map.
std::uint64_t FrameLines::memory_of(const Held& held) {
  constexpr std::uint64_t of_node = 64;
  return sizeof(Held) + of_node + held.front.capacity() + tail_bytes +
         (held.unpaired ? held.unpaired->body.capacity() : 0);
}

void FrameLines::hold(const Key& key, Held held) {
  held.charged = memory_of(held);
  held_bytes_ += held.charged;
  held_.emplace(key, std::move(held));
  release(false);
}

void FrameLines::resolved(const Connection&, const Request& request, const Outcome& outcome,
                          const std::optional<AnswerPlace>& answer) {
  if (done_) return;
  const auto asked = held_.find({request.packet, request.frame});
  if (asked != held_.end() && options_.wants_json()) {
    asked->second.tail = outcome_json(request, outcome, answer);
    asked->second.waits = false;
  }
  // An answer that was delivered before its request has its line already.
  if (answer) {
    const auto answered = held_.find({answer->packet, answer->frame});
    if (answered != held_.end() && answered->second.tail.empty())
      pair_late(answered->second, request, *answer);
  }
  release(false);
}

void FrameLines::pair_late(Held& held, const Request& request, const AnswerPlace& answer) const {
  if (options_.wants_json()) {
    held.tail = answer_json(request.packet);
    const std::size_t at = held.front.find(no_command_json);
    if (at == std::string::npos || request.name.empty()) return;
    held.front.replace(
        at, no_command_json.size(),
        fmt::format(R"("code":{},"name":"{}",)", iggy::number_of_code(request.code), request.name));
    return;
  }
  if (!held.unpaired) return;
  iggy::conversation::SummaryInput& input = held.unpaired->input;
  input.name = request.name;
  input.code = request.code;
  input.is_answer_to_known = true;
  input.has_latency = answer.has_latency;
  input.latency_us = microseconds_between(request.time, answer.time);
  held.front += text_of(*held.unpaired);
  held.unpaired.reset();
}

std::string FrameLines::text_of(const Unpaired& answer) {
  iggy::conversation::SummaryInput input = answer.input;
  iggy::conversation::Line subject;
  add_body(input, {answer.body, answer.body_size}, answer.names, subject);
  iggy::conversation::Line line;
  summarise(input, line);
  return std::string(line.text());
}

void FrameLines::release(bool all) {
  while (!done_ && !held_.empty() && (all || may_release(held_.begin()->second))) {
    const auto oldest = held_.begin();
    held_bytes_ -= oldest->second.charged;
    write(oldest->second);
    held_.erase(oldest);
  }
}

bool FrameLines::may_release(const Held& oldest) const {
  if (held_bytes_ > options_.memory.lines()) return true;
  if (!oldest.waits) return held_.size() > (options_.is_stream ? 0 : reorder_frames);
  if (options_.is_stream)
    return held_.size() > stream_frames || latest_ - oldest.time >= stream_time;
  return held_.size() > file_frames;
}

void FrameLines::write(const Held& held) {
  std::string line = held.front;
  if (held.unpaired) line += text_of(*held.unpaired);
  if (options_.wants_json()) {
    if (held.waits) {
      const bool is_late = options_.is_stream && latest_ - held.time >= stream_time;
      line += is_late ? R"(,"outcome":"unanswered")" : R"(,"outcome":"pending")";
      ++written_pending_;
    }
    line += held.tail + "}";
  }
  if (!options_.fields.empty()) {
    const std::string whole = std::exchange(line, {});
    JsonWriter json;
    json.begin_object();
    for (std::size_t i = 0; i < options_.fields.size(); ++i) {
      const std::string_view value = pick(whole, options_.fields[i]);
      if (options_.json && !value.empty()) json.key(options_.fields[i]).raw(value);
      if (options_.json) continue;
      if (i > 0) line += '\t';
      line += unquoted(value);
    }
    json.end_object();
    if (options_.json) line = json.take();
  }
  line += '\n';
  ++written_;
  done_ = !write_(line) || (options_.limit != 0 && written_ >= options_.limit);
}

std::string FrameLines::json_front(const Connection& connection, const Frame& frame) {
  Shown shows{options_.show_secrets, options_.show_payload, options_.max_payload,
              options_.verify_checksums};
  JsonWriter json(options_.memory.lines());
  json.begin_object();
  write_frame(json, connection, frame, shows);
  if (!json.is_full()) return json.take();
  ++without_body_;
  shows.bodies = false;
  JsonWriter rest;
  rest.begin_object();
  write_frame(rest, connection, frame, shows);
  return rest.take();
}

std::string FrameLines::text_line(const Connection& connection, const Frame& frame,
                                  Held& held) const {
  iggy::conversation::SummaryInput input;
  input.facts = frame.facts;
  input.generation = frame.generation;
  input.train = frame.train;
  input.name = frame.name;
  input.code = frame.code;
  input.is_answer_to_known = frame.answers != nullptr;
  input.is_inferred = frame.is_generation_inferred;
  input.is_first = connection.frames_from(Side::client) + connection.frames_from(Side::server) == 1;
  iggy::conversation::Line subject;
  if (frame.answers != nullptr && is_answer(frame)) {
    input.has_latency =
        frame.raw.place.end_is_captured && frame.answers->end_is_captured &&
        connection.has_time_between(*frame.answers, frame.raw.place.packet, frame.raw.place.time);
    input.latency_us = microseconds_between(frame.answers->time, frame.raw.place.time);
  }
  const bool same_host = connection.client().address == connection.server().address;
  const std::string client =
      same_host ? std::to_string(connection.client().port) : to_string(connection.client());
  const std::string server =
      same_host ? std::to_string(connection.server().port) : to_string(connection.server());
  std::string front = fmt::format("{:5}  {:10.6f}  {} {} {}  ", frame.raw.place.packet,
                                  static_cast<double>(frame.raw.place.time - start_) / 1e9, client,
                                  frame.from == Side::server ? '<' : '>', server);
  if (is_answer(frame) && frame.answers == nullptr) {
    // Its request may be delivered later; the line is finished when it is written.
    const iggy::decode::Window body = iggy::conversation::subject_front(frame.raw.body);
    held.unpaired = {input,
                     {body.captured.begin(), body.captured.end()},
                     body.on_wire,
                     connection.names(frame.raw.place.packet)};
    return front;
  }
  input.header = frame.raw.header;
  add_body(input, frame.raw.body, connection.names(frame.raw.place.packet), subject);
  iggy::conversation::Line line;
  summarise(input, line);
  front += line.text();
  return front;
}

}  // namespace analyzer::report
