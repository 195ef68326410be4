// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The one loop over packets that all commands share. Judges nothing.
#include "commands/run.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "capture/input_files.hpp"
#include "capture/merge.hpp"
#include "connection/follower.hpp"
#include "stream/tcp.hpp"

namespace analyzer::commands {
namespace {

constexpr std::size_t quic_flow_limit = 1'000;

// Whether a datagram starts a QUIC connection: a long header with the fixed bit and version 1 or 2.
bool is_quic_initial(capture::Bytes payload) {
  if (payload.size() < 7) return false;
  const auto byte = [&payload](std::size_t i) { return std::to_integer<unsigned>(payload[i]); };
  const unsigned version = byte(1) << 24 | byte(2) << 16 | byte(3) << 8 | byte(4);
  const bool is_initial = (byte(0) & 0xf0) == 0xc0;     // type 0 of version 1
  const bool is_initial_v2 = (byte(0) & 0xf0) == 0xd0;  // type 1 of version 2
  return (version == 1 && is_initial) || (version == 0x6b3343cf && is_initial_v2);
}

class QuicFlows {
 public:
  void datagram(const capture::UdpDatagram& datagram) {
    const auto pair = std::minmax(datagram.from, datagram.to);
    const std::pair<capture::Endpoint, capture::Endpoint> key{pair.first, pair.second};
    auto known = flows_.find(key);
    if (known == flows_.end()) {
      if (!is_quic_initial(datagram.payload)) return;
      if (flows_.size() >= quic_flow_limit) {
        ++not_listed_;
        return;
      }
      known =
          flows_.emplace(key, QuicFlow{datagram.from, datagram.to, datagram.packet, 0, 0}).first;
    }
    ++known->second.packets;
    known->second.bytes += datagram.payload_length;
  }
  std::uint64_t not_listed() const { return not_listed_; }
  std::vector<QuicFlow> take() const {
    std::vector<QuicFlow> flows;
    for (const auto& [key, flow] : flows_) flows.push_back(flow);
    std::sort(flows.begin(), flows.end(),
              [](const QuicFlow& a, const QuicFlow& b) { return a.first_packet < b.first_packet; });
    return flows;
  }

 private:
  std::map<std::pair<capture::Endpoint, capture::Endpoint>, QuicFlow> flows_;
  std::uint64_t not_listed_ = 0;
};

// One run over all files.
class Pipeline {
 public:
  // Of the memory for connections `lent` went to files.
  Pipeline(connection::FrameObserver& observer, const capture::MemoryPlan& memory,
           std::uint64_t lent, const std::function<void(std::int64_t)>& on_first_packet)
      : decoder_(memory.fragments()),
        follower_(observer, memory),
        tracker_(follower_, limits_of(memory, lent)),
        on_first_packet_(on_first_packet) {}

  void packet(const capture::Packet& packet) {
    note_time(packet);
    follower_.packet(packet);
    ++summary_.packets;
    const capture::Decoded decoded = decoder_.decode(packet);
    if (const auto* segment = std::get_if<capture::TcpSegment>(&decoded)) {
      tracker_.segment(*segment);
    } else if (const auto* datagram = std::get_if<capture::UdpDatagram>(&decoded)) {
      quic_.datagram(*datagram);
    }
  }

  RunSummary finish() {
    tracker_.finish();
    summary_.skipped = decoder_.finish();
    summary_.quic = quic_.take();
    summary_.quic_flows_not_listed = quic_.not_listed();
    summary_.time_order = follower_.time_order();
    summary_.contents = follower_.contents();
    summary_.dropped_clients = follower_.dropped_clients();
    summary_.evicted_connections = tracker_.evicted_connections();
    summary_.dropped_bodies = follower_.dropped_bodies();
    summary_.dropped_names = follower_.dropped_names();
    return std::move(summary_);
  }

  RunSummary& summary() { return summary_; }

 private:
  static stream::Limits limits_of(const capture::MemoryPlan& memory, std::uint64_t lent) {
    stream::Limits limits;
    limits.buffered_bytes_total = memory.reordering();
    limits.buffered_bytes_per_direction =
        std::min(limits.buffered_bytes_per_direction, memory.reordering() / 4);
    limits.memory = memory.connections() - lent;
    return limits;
  }
  void note_time(const capture::Packet& packet) {
    if (!packet.has_time) return;
    if (!has_time_) {
      has_time_ = true;
      summary_.first_time = packet.time;
      summary_.last_time = packet.time;
      on_first_packet_(packet.time);
    }
    summary_.last_time = std::max(summary_.last_time, packet.time);
  }

  capture::Decoder decoder_;
  connection::Follower follower_;
  stream::Tracker tracker_;
  QuicFlows quic_;
  const std::function<void(std::int64_t)>& on_first_packet_;
  RunSummary summary_;
  bool has_time_ = false;  // of any packet
};

}  // namespace

RunSummary run(const Input& input, capture::Filter& filter, connection::FrameObserver& observer,
               const std::function<void(std::int64_t)>& on_first_packet,
               const std::function<bool()>& is_done) {
  capture::Merge::Limits limits;
  limits.memory = input.memory().files();
  limits.lent_memory = input.memory().lent_to_files();
  capture::Merge files(capture::list_input_files(input.files), limits);
  Pipeline pipeline(observer, input.memory(), files.borrowed(), on_first_packet);
  const bool is_filtered = !input.filter.empty();
  capture::Packet packet;
  while (!is_done() && files.next(packet))
    if (!is_filtered || filter.matches(packet)) pipeline.packet(packet);
  pipeline.summary().files = files.take_files();
  pipeline.summary().skipped_files = files.skipped();
  pipeline.summary().late_files = files.late_files();
  return pipeline.finish();
}

}  // namespace analyzer::commands
