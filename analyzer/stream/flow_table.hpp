// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Finds the connection of two endpoints, whichever of them sends, and keeps connections in order
// of use.
//
// The table knows no TCP. Its hash is seeded, so that nobody can craft a capture whose connections
// all collide; nothing that can be seen from outside depends on the seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "stream/connection.hpp"

namespace analyzer::stream {

using ConnectionId = std::uint32_t;
inline constexpr ConnectionId no_connection = ~ConnectionId{0};

// Open addressing over eight-byte slots: a million connections cost 16 MB beside themselves, and
// a look-up that misses touches one cache line in most cases; std::unordered_map takes a node and
// a chain for each. Connections lie in blocks and never move.
class FlowTable {
 public:
  explicit FlowTable(std::uint64_t seed);

  struct Found {
    ConnectionId id = no_connection;
    Direction from{};
  };
  // Asked for the connection it found last, it does not even hash.
  Found find(const Endpoint& from, const Endpoint& to);
  // A fresh connection from `first` to `second`, which must not be in the table.
  ConnectionId add(const Endpoint& first, const Endpoint& second);
  void remove(ConnectionId id);

  Connection& operator[](ConnectionId id) { return blocks_[id / block_size][id % block_size]; }
  std::size_t size() const { return size_; }
  // Every tracked connection, in order of its first packet.
  std::vector<ConnectionId> by_first_packet() const;

 private:
  static constexpr std::uint32_t block_size = 256;

  struct Slot {
    ConnectionId id = no_connection;
    std::uint32_t hash = 0;
  };

  std::uint32_t hash_of(const Endpoint& a, const Endpoint& b) const;
  const Connection& at(ConnectionId id) const { return blocks_[id / block_size][id % block_size]; }
  ConnectionId take_free_id();
  void place(Slot slot);
  void grow();

  std::uint64_t seed_;
  std::vector<Slot> slots_;  // a power of two, never more than half full
  std::size_t size_ = 0;
  std::vector<std::unique_ptr<Connection[]>> blocks_;
  ConnectionId unused_ = 0;            // from here on no id was ever given out
  ConnectionId free_ = no_connection;  // a chain through Connection::older
  ConnectionId last_ = no_connection;
};

// Connections from the least to the most recently used, linked through themselves.
class RecencyList {
 public:
  explicit RecencyList(FlowTable& table) : table_(table) {}
  bool empty() const { return oldest_ == no_connection; }
  std::size_t size() const { return size_; }
  ConnectionId oldest() const { return oldest_; }
  void add(ConnectionId id);
  void remove(ConnectionId id);
  void touch(ConnectionId id) {
    if (id == newest_) return;
    remove(id);
    add(id);
  }

 private:
  FlowTable& table_;
  ConnectionId oldest_ = no_connection;
  ConnectionId newest_ = no_connection;
  std::size_t size_ = 0;
};

}  // namespace analyzer::stream
