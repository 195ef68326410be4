// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The way of a capture through the program, from bytes in memory: what commands/run.cpp does with
// files, without filters and QUIC.
#pragma once

#include <cstdint>
#include <functional>
#include <variant>

#include "capture/layers.hpp"
#include "capture/reader.hpp"
#include "connection/follower.hpp"
#include "report/model.hpp"
#include "stream/tcp.hpp"

namespace support {

// Fills in what the model has from files and packets. Stops early when `is_done` says so.
inline void run(analyzer::capture::Bytes file, analyzer::connection::FrameObserver& observer,
                analyzer::report::Model& model, const std::function<bool()>& is_done) {
  using namespace analyzer;
  connection::Follower follower(observer);
  stream::Tracker tracker(follower, {});
  capture::Decoder decoder;
  capture::Reader reader("fuzz", file);
  capture::Packet packet;
  while (!is_done() && reader.next(packet) == capture::Status::more) {
    if (packet.has_time) {
      if (model.packets == 0) model.first_time = model.last_time = packet.time;
      model.last_time = std::max(model.last_time, packet.time);
      follower.packet(packet);
    }
    ++model.packets;
    const capture::Decoded decoded = decoder.decode(packet);
    if (const auto* segment = std::get_if<capture::TcpSegment>(&decoded)) tracker.segment(*segment);
  }
  tracker.finish();
  capture::SkippedPackets skipped = decoder.finish();
  model.undecoded.packets = std::move(skipped.by_reason);
  model.undecoded.unknown_link_types = std::move(skipped.unknown_link_types);
  report::FileSummary summary;
  summary.name = "fuzz";
  summary.format = reader.format();
  summary.packets = model.packets;
  summary.problem = reader.problem();
  model.files.push_back(summary);
}

}  // namespace support
