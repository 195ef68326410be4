// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Lets clients and servers talk over TCP in memory and shows an observer what was captured of it.
//
// A Scene is a capture: its packets are numbered from 1 and lie a millisecond apart. A Talk is one
// connection of it. What is lost is sent and acknowledged all the same, as when a capture drops it.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "connection/follower.hpp"
#include "stream/tcp.hpp"
#include "support/packet_builder.hpp"

namespace support {

class Scene {
 public:
  static constexpr std::int64_t millisecond = 1'000'000;
  static constexpr std::int64_t second = 1'000 * millisecond;

  explicit Scene(analyzer::connection::FrameObserver& observer)
      : follower_(observer), tracker_(follower_, {}) {}

  // Gives one segment; the number of its packet.
  std::uint64_t send(analyzer::capture::TcpSegment segment) {
    segment.packet = ++packet_;
    segment.time = now_ += millisecond;
    analyzer::capture::Packet packet;
    packet.number = segment.packet;
    packet.time = segment.time;
    follower_.packet(packet);
    tracker_.segment(segment);
    return packet_;
  }
  void wait(std::int64_t nanoseconds) { now_ += nanoseconds; }
  // A packet of another connection, so that the capture goes on.
  void tick() {
    analyzer::capture::TcpSegment other;
    other.from = ipv4_endpoint(10, 9, 9, 1, 7);
    other.to = ipv4_endpoint(10, 9, 9, 2, 7);
    other.flags = {.ack = true};
    send(other);
  }
  void finish() { tracker_.finish(); }
  std::int64_t now() const { return now_; }

 private:
  analyzer::connection::Follower follower_;
  analyzer::stream::Tracker tracker_;
  std::uint64_t packet_ = 0;
  std::int64_t now_ = 1'700'000'000 * second;
};

inline Endpoint usual_server() {
  return ipv4_endpoint(10, 0, 0, 2, 8090);
}
inline Endpoint usual_client(unsigned port = 50'000) {
  return ipv4_endpoint(10, 0, 0, 1, static_cast<std::uint16_t>(port));
}

class Talk {
 public:
  Talk(Scene& scene, Endpoint client, Endpoint server)
      : scene_(scene), sides_{{{client, 1'000}, {server, 900'000}}} {}
  // The usual two, with a handshake.
  explicit Talk(Scene& scene, unsigned port = 50'000, Endpoint server = usual_server())
      : Talk(scene, usual_client(port), server) {
    handshake();
  }

  Talk& handshake() {
    move(0, {.syn = true}, {});
    move(1, {.syn = true, .ack = true}, {});
    move(0, {.ack = true}, {});
    return *this;
  }
  // Each says what it has to say in one segment, which acknowledges all that it got.
  std::uint64_t client(const Buffer& bytes) { return move(0, {.ack = true}, bytes); }
  std::uint64_t server(const Buffer& bytes) { return move(1, {.ack = true}, bytes); }
  // Sent and received, but not captured.
  void lose_client(std::size_t bytes) { sides_[0].sequence += static_cast<std::uint32_t>(bytes); }
  void lose_server(std::size_t bytes) { sides_[1].sequence += static_cast<std::uint32_t>(bytes); }
  std::uint64_t client_ack() { return client({}); }
  std::uint64_t server_ack() { return server({}); }
  std::uint64_t client_fin() { return move(0, {.fin = true, .ack = true}, {}); }
  std::uint64_t server_fin() { return move(1, {.fin = true, .ack = true}, {}); }
  std::uint64_t client_rst() { return move(0, {.rst = true, .ack = true}, {}); }
  std::uint64_t server_rst() { return move(1, {.rst = true, .ack = true}, {}); }
  void close() {
    client_fin();
    server_fin();
    client_ack();
  }

 private:
  struct Speaker {
    Endpoint endpoint;
    std::uint32_t sequence;
  };

  std::uint64_t move(std::size_t from, TcpFlags flags, const Buffer& bytes) {
    payloads_.push_back(bytes);
    analyzer::capture::TcpSegment segment;
    segment.from = sides_[from].endpoint;
    segment.to = sides_[1 - from].endpoint;
    segment.sequence = sides_[from].sequence;
    segment.acknowledgement = flags.ack ? sides_[1 - from].sequence : 0;
    segment.flags = flags;
    segment.payload = payloads_.back();
    segment.payload_length = static_cast<std::uint32_t>(bytes.size());
    sides_[from].sequence += segment.payload_length + (flags.syn ? 1U : 0U) + (flags.fin ? 1U : 0U);
    return scene_.send(segment);
  }

  Scene& scene_;
  std::array<Speaker, 2> sides_;
  std::deque<Buffer> payloads_;
};

}  // namespace support
