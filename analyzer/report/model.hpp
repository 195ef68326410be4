// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The model of a report: facts that add up. Renderers only read it.
//
// Everything is a count, a bounded list of examples or a histogram, so that memory does not grow
// with the capture; what a bound dropped is counted in `limits`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capture/layers.hpp"
#include "capture/merge.hpp"
#include "connection/frame.hpp"
#include "connection/transport.hpp"
#include "conversation/finding.hpp"
#include "report/empty_connections.hpp"
#include "report/histogram.hpp"
#include "stream/tcp.hpp"

namespace analyzer::report {

using capture::FileSummary;
using connection::Outcome;
using iggy::Generation;
using iggy::Plane;
using iggy::Version;
using iggy::conversation::FindingId;
using iggy::conversation::Severity;

// One thing that shows a finding; alike ones are counted, not repeated.
struct Evidence {
  std::string text;    // one sentence; the packets stand at its end
  std::string detail;  // what explains it; may be empty
  std::uint64_t count = 0;
  std::vector<std::uint64_t> packets;  // of the first ones, in the order of the capture
  std::string advice;                  // what to do about it; may be empty
  bool is_first_of_many = false;       // the text tells of the first one: others differ in places
};

struct Finding {
  FindingId id{};
  Severity severity{};
  std::uint64_t count = 0;
  std::vector<std::uint64_t> packets;  // of the first ones
  std::vector<Evidence> evidence;
  std::uint64_t dropped_evidence = 0;
  std::vector<std::string> advice;
};

struct OperationSummary {
  std::map<Outcome, std::uint64_t> outcomes;
  std::uint64_t undone = 0;  // of those that are ok: the answer says that nothing was done
  Histogram latency;         // of answered requests, last byte to last byte
};

struct ConnectionSummary {
  std::uint64_t id = 0;
  capture::Endpoint client;
  capture::Endpoint server;
  connection::Transport transport{};
  Plane plane{};
  Generation generation{};  // what the client speaks
  bool generation_inferred = false;
  Generation server_generation{};  // unknown when it sent no frame
  bool server_generation_inferred = false;
  std::uint64_t frames_from_client = 0;
  std::uint64_t frames_from_server = 0;
  std::uint64_t requests = 0;
  std::uint64_t failed = 0;
  std::vector<connection::LoginRecord> logins;
  std::vector<connection::EvictionRecord> evictions;
  std::uint64_t left_over_bytes = 0;
  stream::TcpFacts tcp;
};

// Bytes of a connection that are not in the capture, or that were passed over because no frame
// begins there.
struct HoleSummary {
  std::uint64_t connection = 0;
  connection::Side from{};
  std::uint64_t bytes = 0;
  std::uint64_t packet = 0;
  std::optional<stream::HoleKind> kind;  // none: captured, but passed over
  bool hides_frames = false;
  std::uint32_t sequence = 0;  // TCP sequence number of the first of them
};

// Bytes and frames that could not be decoded, by reason.
struct Undecoded {
  std::map<capture::Skipped, std::uint64_t> packets;
  std::map<std::uint16_t, std::uint64_t> unknown_link_types;  // packets by LINKTYPE_* number
  std::uint64_t encrypted_connections = 0;
  std::uint64_t encrypted_bytes = 0;
  std::uint64_t quic_connections = 0;
  std::uint64_t quic_packets = 0;
  std::uint64_t other_connections = 0;       // of other protocols
  std::uint64_t untold_connections = 0;      // see connection::Content
  std::uint64_t one_sided_connections = 0;   // with Iggy frames, the other direction never captured
  std::uint64_t begun_before_capture = 0;    // with Iggy frames, without a handshake
  std::uint64_t contradictions = 0;          // places where frames no longer followed each other
  std::uint64_t overlaps_that_differ = 0;    // the same place of a TCP stream with other bytes
  std::uint64_t segments_out_of_window = 0;  // ignored
  std::uint64_t clock_steps = 0;             // backwards; see capture::TimeOrder
  std::uint64_t suspect_latencies = 0;       // left out: see capture::CaptureClock
  std::uint64_t left_over_bytes = 0;         // in connections that do speak Iggy
  std::uint64_t bodies_without_tables = 0;
  std::vector<std::uint64_t> packets_without_tables;      // of the first ones
  std::uint64_t broken_bodies = 0;                        // do not fit, as they were sent
  std::vector<std::uint64_t> packets_with_broken_bodies;  // of the first ones
  std::uint64_t cut_bodies = 0;
  std::map<stream::HoleKind, std::uint64_t> hole_bytes;
  std::uint64_t holes = 0;
};

struct Model {
  std::vector<FileSummary> files;
  std::vector<capture::SkippedFile> skipped_files;
  std::string filter;  // that chose the packets; empty: all
  std::uint64_t packets = 0;
  std::int64_t first_time = 0;
  std::int64_t last_time = 0;
  std::uint64_t frames = 0;
  std::map<std::string, std::uint64_t, std::less<>> by_command;
  std::map<std::string, OperationSummary, std::less<>> operations;
  std::vector<ConnectionSummary> connections;
  std::uint64_t connection_count = 0;        // with bytes; those listed are at most the limit
  std::uint64_t iggy_connection_count = 0;   // of them, those with Iggy frames
  std::uint64_t empty_connection_count = 0;  // no byte of data
  std::vector<EmptyConnections> empty_connections;
  std::vector<HoleSummary> holes;
  std::vector<Finding> findings;  // worst first
  Undecoded undecoded;
  std::map<std::string, std::uint64_t, std::less<>> limits;  // what was dropped, by reason

  bool was_read_in_part() const;
  std::optional<Severity> worst() const;
};

}  // namespace analyzer::report
