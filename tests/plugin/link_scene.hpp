// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// A connection that tests of links talk on.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "plugin/link.hpp"
#include "support/iggy_frames.hpp"

namespace plugin {

inline constexpr std::int64_t millisecond = 1'000'000;
inline constexpr std::int64_t second = 1'000 * millisecond;

// A connection in the course of a capture; a packet every millisecond, from 1 on.
class LinkTest : public testing::Test {
 protected:
  static constexpr std::size_t client = 0;
  static constexpr std::size_t server = 1;

  LinkTest() { link.begin_with_handshake(client); }

  // The next packet, with these bytes.
  Chunk next_chunk(std::size_t lane, const support::Buffer& bytes) {
    Chunk chunk;
    chunk.captured = bytes;
    chunk.reported = static_cast<std::uint32_t>(bytes.size());
    chunk.can_wait = true;
    chunk.packet = ++packet;
    chunk.time = packet * millisecond;
    chunk.has_sequence = true;
    chunk.sequence = next[lane];
    chunk.acknowledgement = next[1 - lane];
    chunk.begins_stream = next[lane] == 1;
    return chunk;
  }
  void take(std::size_t lane, const Chunk& chunk) {
    shared.latest_time = chunk.time;  // as Wireshark tells of every packet
    link.take(lane, chunk);
    next[lane] += chunk.reported;
  }
  void send(std::size_t lane, const support::Buffer& bytes) {
    Chunk chunk = next_chunk(lane, bytes);
    chunk.misses_start = !chunk.begins_stream;
    take(lane, chunk);
  }
  void ask(const support::Buffer& bytes) { send(client, bytes); }
  void answer(const support::Buffer& bytes) { send(server, bytes); }

  // A capture that goes on for so long.
  void wait(std::int64_t time) { shared.latest_time += time; }
  Ending closed_by_client() const {
    Ending ending;
    ending.has_fin = ending.client_closed_first = true;
    ending.last_time = shared.latest_time;
    ending.has_sequences = ending.server_was_heard = true;
    ending.server_acknowledged = next[client];
    ending.server_next = next[server] + 1;
    return ending;
  }
  bool shows(std::size_t frame, FindingId id) const {
    return (link.frame(frame).findings & bit(id)) != 0;
  }
  bool lacks(std::size_t frame, FindingId id, const Ending& ending = {}) const {
    return (link.absences(frame, ending) & bit(id)) != 0;
  }

  Shared shared;
  Link link{shared, 0, Carrier::tcp, "client", "server"};
  std::uint32_t packet = 0;
  std::array<std::uint32_t, 2> next{1, 1};
};

}  // namespace plugin
