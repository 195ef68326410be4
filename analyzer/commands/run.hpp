// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The way of a packet through the program: file, link and IP layers, TCP, connections, observer.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "capture/filter.hpp"
#include "capture/layers.hpp"
#include "capture/memory.hpp"
#include "capture/merge.hpp"
#include "capture/packet.hpp"
#include "capture/time_order.hpp"
#include "connection/follower.hpp"
#include "connection/frame.hpp"
#include "report/model.hpp"

namespace analyzer::commands {

struct Input {
  std::vector<std::string> files;  // or folders of them, or "-"
  std::string filter;              // a BPF expression; empty: everything
  std::uint64_t memory_limit = capture::MemoryPlan::usual;

  capture::MemoryPlan memory() const { return capture::MemoryPlan(memory_limit); }
};

// A conversation over UDP that looks like QUIC.
struct QuicFlow {
  capture::Endpoint client;
  capture::Endpoint server;
  std::uint64_t first_packet = 0;
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;
};

// What a run read, besides what it told the observer.
struct RunSummary {
  std::vector<capture::FileSummary> files;
  std::vector<capture::SkippedFile> skipped_files;
  std::uint64_t late_files = 0;
  std::uint64_t packets = 0;
  std::int64_t first_time = 0;  // of the first packet that has one
  std::int64_t last_time = 0;
  capture::SkippedPackets skipped;
  std::vector<QuicFlow> quic;
  std::uint64_t quic_flows_not_listed = 0;
  std::uint64_t dropped_clients = 0;
  std::uint64_t dropped_names = 0;
  std::uint64_t dropped_bodies = 0;
  std::uint64_t evicted_connections = 0;
  connection::ContentCounts contents;
  capture::TimeOrder time_order;
};

// Reads all files as one capture, merged by the time of their packets: rotated files, or one for
// each direction. The packets of several files are numbered as in the merged one. Stops early
// when `is_done` says so.
RunSummary run(const Input& input, capture::Filter& filter, connection::FrameObserver& observer,
               const std::function<void(std::int64_t)>& on_first_packet,
               const std::function<bool()>& is_done);

}  // namespace analyzer::commands
