// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The whole report as one JSON document (schemas/analyze.schema.json). Decides nothing.
#include "report/report_json.hpp"

#include <algorithm>

#include "capture/address.hpp"
#include "report/json_writer.hpp"
#include "report/words.hpp"

namespace analyzer::report {

using connection::LoginRecord;
using connection::OutcomeKind;
using connection::word_of;
using iggy::decode::LoginKind;

namespace {

// Grows when a member changes its meaning; new members do not count.
constexpr std::uint64_t schema_version = 1;

std::string_view word_of_status(capture::Status status) {
  switch (status) {
    case capture::Status::more:
    case capture::Status::end:
      return "complete";
    case capture::Status::truncated:
      return "truncated";
    case capture::Status::damaged:
      return "damaged";
    case capture::Status::unreadable:
      return "unreadable";
  }
  return {};
}

std::string_view word_of_hole(std::optional<stream::HoleKind> kind) {
  if (!kind) return "skipped";
  switch (*kind) {
    case stream::HoleKind::snapped:
      return "snapped";
    case stream::HoleKind::not_captured:
      return "not_captured";
    case stream::HoleKind::lost:
      return "lost";
    case stream::HoleKind::given_up:
      return "given_up";
    case stream::HoleKind::late:
      return "late";
  }
  return {};
}

std::string_view word_of_kind(LoginKind kind) {
  switch (kind) {
    case LoginKind::password:
      return "password";
    case LoginKind::token:
      return "token";
    case LoginKind::bind:
      return "bind";
    case LoginKind::legacy:
      return "legacy";
    case LoginKind::unknown:
      break;
  }
  return {};
}

void write_files(JsonWriter& json, const Model& model) {
  json.key("files").begin_array();
  for (const FileSummary& file : model.files) {
    json.begin_object();
    json.key("name").text(file.name);
    json.key("format").text_or_null(file.format);
    json.key("compression").text_or_null(file.compression);
    json.key("packets").number(file.packets);
    json.key("status").text(word_of_status(file.problem.status));
    if (file.problem.status != capture::Status::end) {
      json.key("offset").number(file.problem.offset);
      json.key("reason").text(file.problem.reason);
    }
    if (file.joined_files != 0) json.key("joined_files").number(file.joined_files);
    if (file.secrets != 0) {
      json.key("secrets").begin_object();
      json.key("blocks").number(file.secrets);
      json.key("bytes").number(file.secrets_bytes);
      json.end_object();
    }
    json.end_object();
  }
  json.end_array();
  json.key("skipped_files").begin_array();
  for (const capture::SkippedFile& file : model.skipped_files) {
    json.begin_object();
    json.key("name").text(file.name);
    json.key("reason").text(file.reason);
    json.end_object();
  }
  json.end_array();
}

// Where there are any.
void write_undone(JsonWriter& json, const Model& model) {
  const auto is_undone = [](const auto& operation) { return operation.second.undone != 0; };
  if (std::none_of(model.operations.begin(), model.operations.end(), is_undone)) return;
  json.key("undone").begin_object();
  for (const auto& [name, operation] : model.operations)
    if (operation.undone != 0) json.key(name).number(operation.undone);
  json.end_object();
}

void write_operations(JsonWriter& json, const Model& model) {
  json.key("operations").begin_object();
  for (const auto& [name, operation] : model.operations) {
    json.key(name).begin_object();
    for (const auto& [outcome, count] : operation.outcomes)
      json.key(word_of(outcome)).number(count);
    json.end_object();
  }
  json.end_object();
  write_undone(json, model);
  json.key("latency").begin_object();
  for (const auto& [name, operation] : model.operations) {
    const Histogram& latency = operation.latency;
    if (latency.count() == 0) continue;
    json.key(name).begin_object();
    json.key("count").number(latency.count());
    json.key("min_us").number(latency.smallest());
    json.key("p50_us").number(latency.percentile(0.50));
    json.key("p99_us").number(latency.percentile(0.99));
    json.key("max_us").number(latency.largest());
    json.key("buckets").begin_array();
    for (const Histogram::Bucket& bucket : latency.buckets())
      json.begin_array().number(bucket.lowest).number(bucket.count).end_array();
    json.end_array().end_object();
  }
  json.end_object();
}

void write_login(JsonWriter& json, const LoginRecord& login) {
  json.begin_object();
  json.key("request_packet").number(login.request_packet);
  json.key("answer_packet").number_or_null(login.answer_packet);
  const bool accepted = login.outcome.kind == OutcomeKind::ok;
  json.key("outcome").text(accepted ? "accepted" : word_of(login.outcome));
  json.key("kind").text_or_null(word_of_kind(login.kind));
  if (login.malformed) json.key("malformed").boolean(true);
  json.key("sdk").text_or_null(login.sdk);
  json.key("sdk_version").text_or_null(login.sdk_version);
  json.key("protocol_version").text_or_null(login.has_version ? to_text(login.version) : "");
  json.key("user").text_or_null(login.user);
  if (login.has_reply) {
    json.key("user_id").number(login.user_id);
    json.key("session").wide(login.session);
    const bool told = login.server_version_number.packed != 0;
    json.key("server_protocol_version")
        .text_or_null(told ? to_text(login.server_version_number) : "");
    json.key("server_version").text_or_null(login.server_version);
  }
  json.end_object();
}

void write_evictions(JsonWriter& json, const ConnectionSummary& connection) {
  json.key("evictions").begin_array();
  for (const connection::EvictionRecord& eviction : connection.evictions) {
    json.begin_object();
    json.key("packet").number(eviction.packet);
    json.key("reason").number(eviction.reason);
    if (eviction.reason == iggy::reason::incompatible_protocol)
      json.key("accepts")
          .begin_array()
          .text(to_text(eviction.window.lowest))
          .text(to_text(eviction.window.highest))
          .end_array();
    json.end_object();
  }
  json.end_array();
}

void write_segments(JsonWriter& json, const stream::SegmentCounts& counts) {
  json.key("data_segments").number(counts.data);
  json.key("retransmission").number(counts.retransmission);
  json.key("sent_again").number(counts.sent_again);
  json.key("out_of_order").number(counts.out_of_order);
  json.key("duplicate_capture").number(counts.duplicate_capture);
  json.key("lost_segment").number(counts.lost_segment);
  json.key("ack_lost_segment").number(counts.ack_lost_segment);
  json.key("zero_window").number(counts.zero_window);
  json.key("keep_alive").number(counts.keep_alive);
  json.key("reset").number(counts.reset);
}

// Nothing where the clock stepped back in between.
void write_microseconds(JsonWriter& json, std::string_view key,
                        const std::optional<std::int64_t>& nanoseconds) {
  json.key(key);
  if (nanoseconds && *nanoseconds >= 0)
    json.number(static_cast<std::uint64_t>(*nanoseconds) / 1000);
  else
    json.null();
}

void write_initial_rtt(JsonWriter& json, const stream::TcpFacts& tcp) {
  write_microseconds(
      json, "initial_rtt_us",
      tcp.initial_rtt ? std::optional(std::int64_t{*tcp.initial_rtt} * 1000) : std::nullopt);
}

void write_tcp(JsonWriter& json, const ConnectionSummary& connection) {
  const stream::TcpFacts& tcp = connection.tcp;
  const bool client_is_first = connection.client == tcp.first;
  const std::size_t client = client_is_first ? 0 : 1;
  const bool is_tcp = connection.transport != connection::Transport::quic;
  stream::History history = tcp.history;
  if (!client_is_first) history.swap_roles();
  json.key("tcp").begin_object();
  json.key("state").text_or_null(is_tcp ? state_of(tcp) : "");
  json.key("history").text(history.text());
  write_initial_rtt(json, tcp);
  json.key("handshake").boolean(tcp.handshake);
  json.key("overlaps_that_differ").number(tcp.overlaps_that_differ);
  json.key("segments_out_of_window").number(tcp.out_of_window);
  json.key("first_packet").number(tcp.first_packet);
  json.key("last_packet").number(tcp.last_packet);
  json.key("first_time").text(seconds_text(tcp.first_time));
  json.key("last_time").text(seconds_text(tcp.last_time));
  for (const std::size_t side : {client, 1 - client}) {
    json.key(side == client ? "client" : "server").begin_object();
    json.key("packets").number(tcp.packets[side]);
    json.key("bytes").number(tcp.bytes[side]);
    json.key("missing_bytes").number(tcp.missing_bytes[side]);
    json.key("acknowledged_unseen_bytes").number(tcp.acknowledged_unseen[side]);
    json.key("retransmitted_bytes").number(tcp.retransmitted_bytes[side]);
    json.key("late_bytes").number(tcp.late_bytes[side]);
    json.key("holes").number(tcp.holes[side]);
    json.key("fin_packet").number_or_null(tcp.fin_packet[side]);
    json.key("rst_packet").number_or_null(tcp.rst_packet[side]);
    write_microseconds(json, "first_byte_us",
                       tcp.first_byte[side] ? std::optional(*tcp.first_byte[side] - tcp.first_time)
                                            : std::nullopt);
    write_segments(json, tcp.segments[side]);
    json.end_object();
  }
  json.end_object();
}

void write_connections(JsonWriter& json, const Model& model) {
  json.key("connections").begin_array();
  for (const ConnectionSummary& connection : model.connections) {
    json.begin_object();
    json.key("id").number(connection.id);
    json.key("client").text(to_string(connection.client));
    json.key("server").text(to_string(connection.server));
    json.key("transport").text(word_of(connection.transport));
    json.key("plane").text_or_null(word_of(connection.plane));
    json.key("generation").text_or_null(word_of(connection.generation));
    json.key("generation_inferred").boolean(connection.generation_inferred);
    json.key("server_generation").text_or_null(word_of(connection.server_generation));
    json.key("server_generation_inferred").boolean(connection.server_generation_inferred);
    json.key("frames_from_client").number(connection.frames_from_client);
    json.key("frames_from_server").number(connection.frames_from_server);
    json.key("requests").number(connection.requests);
    json.key("failed").number(connection.failed);
    json.key("logins").begin_array();
    for (const LoginRecord& login : connection.logins) write_login(json, login);
    json.end_array();
    write_evictions(json, connection);
    json.key("left_over_bytes").number(connection.left_over_bytes);
    write_tcp(json, connection);
    json.end_object();
  }
  json.end_array();
}

void write_empty_connections(JsonWriter& json, const Model& model) {
  json.key("empty_connections").begin_array();
  for (const EmptyConnections& row : model.empty_connections) {
    const stream::TcpFacts& first = row.first;
    json.begin_object();
    json.key("server").text_or_null(row.server ? to_string(*row.server) : "");
    json.key("state").text(row.state);
    json.key("meaning").text(words_of_empty(row.state));
    json.key("count").number(row.count);
    json.key("syns").number(row.syns);
    json.key("resets_by_client").number(row.resets[0]);
    json.key("resets_by_server").number(row.resets[1]);
    json.key("segments_out_of_window").number(row.out_of_window);
    json.key("acknowledged_unseen_bytes").number(row.acknowledged_unseen);
    json.key("first").begin_object();
    json.key("client").text(to_string(first.first));
    json.key("server").text(to_string(first.second));
    json.key("history").text(first.history.text());
    write_initial_rtt(json, first);
    json.key("first_packet").number(first.first_packet);
    json.key("last_packet").number(first.last_packet);
    json.key("first_time").text(seconds_text(first.first_time));
    json.key("last_time").text(seconds_text(first.last_time));
    json.end_object().end_object();
  }
  json.end_array();
}

void write_packets(JsonWriter& json, std::string_view key,
                   const std::vector<std::uint64_t>& packets) {
  json.key(key).begin_array();
  for (const std::uint64_t packet : packets) json.number(packet);
  json.end_array();
}

void write_findings(JsonWriter& json, const Model& model) {
  json.key("findings").begin_array();
  for (const Finding& finding : model.findings) {
    json.begin_object();
    json.key("id").text(kind_of(finding.id).word);
    json.key("severity").text(word_of(finding.severity));
    json.key("count").number(finding.count);
    json.key("unit").text(kind_of(finding.id).unit);
    json.key("summary").text(kind_of(finding.id).summary);
    write_packets(json, "packets", finding.packets);
    json.key("evidence").begin_array();
    for (const Evidence& evidence : finding.evidence) {
      json.begin_object();
      json.key("text").text(evidence.text);
      if (!evidence.detail.empty()) json.key("detail").text(evidence.detail);
      if (evidence.is_first_of_many) json.key("first_of_many").boolean(true);
      json.key("count").number(evidence.count);
      write_packets(json, "packets", evidence.packets);
      if (!evidence.advice.empty()) json.key("advice").text(evidence.advice);
      json.end_object();
    }
    json.end_array();
    json.key("dropped_evidence").number(finding.dropped_evidence);
    json.key("advice").begin_array();
    for (const std::string& advice : finding.advice) json.text(advice);
    json.end_array().end_object();
  }
  json.end_array();
}

void write_holes(JsonWriter& json, const Model& model) {
  json.key("holes").begin_array();
  for (const HoleSummary& hole : model.holes) {
    json.begin_object();
    json.key("connection").number(hole.connection);
    json.key("from").text(hole.from == connection::Side::server ? "server" : "client");
    json.key("bytes").number(hole.bytes);
    json.key("kind").text(word_of_hole(hole.kind));
    json.key("packet").number(hole.packet);
    json.key("hides_frames").boolean(hole.hides_frames);
    json.key("sequence").number(hole.sequence);
    json.end_object();
  }
  json.end_array();
}

void write_undecoded(JsonWriter& json, const Undecoded& undecoded) {
  json.key("undecoded").begin_object();
  json.key("packets").begin_object();
  for (const auto& [reason, count] : undecoded.packets) json.key(word_of(reason)).number(count);
  json.end_object();
  json.key("unknown_link_types").begin_object();
  for (const auto& [number, count] : undecoded.unknown_link_types)
    json.key(std::to_string(number)).number(count);
  json.end_object();
  json.key("encrypted_connections").number(undecoded.encrypted_connections);
  json.key("encrypted_bytes").number(undecoded.encrypted_bytes);
  json.key("quic_connections").number(undecoded.quic_connections);
  json.key("quic_packets").number(undecoded.quic_packets);
  json.key("other_connections").number(undecoded.other_connections);
  json.key("untold_connections").number(undecoded.untold_connections);
  json.key("one_sided_connections").number(undecoded.one_sided_connections);
  json.key("begun_before_capture").number(undecoded.begun_before_capture);
  json.key("contradictions").number(undecoded.contradictions);
  json.key("overlaps_that_differ").number(undecoded.overlaps_that_differ);
  json.key("segments_out_of_window").number(undecoded.segments_out_of_window);
  json.key("clock_steps").number(undecoded.clock_steps);
  json.key("suspect_latencies").number(undecoded.suspect_latencies);
  json.key("left_over_bytes").number(undecoded.left_over_bytes);
  json.key("bodies_without_tables").number(undecoded.bodies_without_tables);
  write_packets(json, "packets_without_tables", undecoded.packets_without_tables);
  json.key("broken_bodies").number(undecoded.broken_bodies);
  write_packets(json, "packets_with_broken_bodies", undecoded.packets_with_broken_bodies);
  json.key("cut_bodies").number(undecoded.cut_bodies);
  json.key("holes").number(undecoded.holes);
  json.key("hole_bytes").begin_object();
  for (const auto& [kind, bytes] : undecoded.hole_bytes) json.key(word_of_hole(kind)).number(bytes);
  json.end_object().end_object();
}

}  // namespace

std::string to_json(const Model& model) {
  JsonWriter json;
  json.begin_object();
  json.key("schema").number(schema_version);
  write_files(json, model);
  json.key("filter").text_or_null(model.filter);
  json.key("packets").number(model.packets);
  json.key("first_time").text(seconds_text(model.first_time));
  json.key("last_time").text(seconds_text(model.last_time));
  json.key("frames").number(model.frames);
  json.key("by_command").begin_object();
  for (const auto& [command, count] : model.by_command) json.key(command).number(count);
  json.end_object();
  write_operations(json, model);
  json.key("connection_count").number(model.connection_count);
  json.key("iggy_connection_count").number(model.iggy_connection_count);
  json.key("empty_connection_count").number(model.empty_connection_count);
  write_connections(json, model);
  write_empty_connections(json, model);
  write_findings(json, model);
  write_holes(json, model);
  write_undecoded(json, model.undecoded);
  json.key("limits").begin_object();
  for (const auto& [limit, count] : model.limits) json.key(limit).number(count);
  json.end_object().end_object();
  return json.take() + "\n";
}

}  // namespace analyzer::report
