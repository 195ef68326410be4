// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The hash table of connections and the lists through them.
#include "stream/flow_table.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>

namespace analyzer::stream {
namespace {

constexpr std::size_t first_slots = 1024;

// The finalizer of splitmix64: every bit of the input reaches every bit of the result.
constexpr std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

// Each part is mixed before the next one joins, else an address and a port that differ in the same
// bits would give one hash under every seed.
std::uint64_t hash_one(const Endpoint& endpoint, std::uint64_t seed) {
  std::uint64_t halves[2];
  std::memcpy(halves, endpoint.address.octets.data(), sizeof halves);
  const std::uint64_t rest =
      std::uint64_t{endpoint.port} << 1 | std::uint64_t{endpoint.address.is_v4};
  return mix(mix(mix(halves[0] ^ seed) ^ halves[1]) ^ rest);
}

}  // namespace

FlowTable::FlowTable(std::uint64_t seed) : seed_(seed), slots_(first_slots) {}

// Both orders of the endpoints must give the same number, so the two hashes are added.
std::uint32_t FlowTable::hash_of(const Endpoint& a, const Endpoint& b) const {
  return static_cast<std::uint32_t>(mix(hash_one(a, seed_) + hash_one(b, seed_)) >> 32);
}

FlowTable::Found FlowTable::find(const Endpoint& from, const Endpoint& to) {
  const auto match = [&](ConnectionId id) -> Found {
    const Connection& connection = at(id);
    if (connection.first == from && connection.second == to)
      return {id, Direction::first_to_second};
    if (connection.second == from && connection.first == to)
      return {id, Direction::second_to_first};
    return {};
  };
  if (last_ != no_connection) {
    const Found found = match(last_);
    if (found.id != no_connection) return found;
  }
  const std::uint32_t hash = hash_of(from, to);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = hash & mask; slots_[i].id != no_connection; i = (i + 1) & mask) {
    if (slots_[i].hash != hash) continue;
    const Found found = match(slots_[i].id);
    if (found.id == no_connection) continue;
    last_ = found.id;
    return found;
  }
  return {};
}

ConnectionId FlowTable::add(const Endpoint& first, const Endpoint& second) {
  if ((size_ + 1) * 2 > slots_.size()) grow();
  const ConnectionId id = take_free_id();
  Connection& connection = (*this)[id];
  connection = Connection{};
  connection.first = first;
  connection.second = second;
  connection.tracked = true;
  connection.hash = hash_of(first, second);
  place({id, connection.hash});
  ++size_;
  last_ = id;
  return id;
}

ConnectionId FlowTable::take_free_id() {
  if (free_ != no_connection) {
    const ConnectionId id = free_;
    free_ = at(id).older;
    return id;
  }
  if (unused_ / block_size == blocks_.size())
    blocks_.push_back(std::make_unique<Connection[]>(block_size));
  return unused_++;
}

void FlowTable::remove(ConnectionId id) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t hole = at(id).hash & mask;
  while (slots_[hole].id != id) hole = (hole + 1) & mask;
  // What follows moves up where that brings it closer to its place, so that no marker is needed.
  for (std::size_t i = (hole + 1) & mask; slots_[i].id != no_connection; i = (i + 1) & mask) {
    const std::size_t home = slots_[i].hash & mask;
    if (((i - home) & mask) < ((i - hole) & mask)) continue;
    slots_[hole] = slots_[i];
    hole = i;
  }
  slots_[hole] = Slot{};
  --size_;
  if (last_ == id) last_ = no_connection;
  Connection& connection = (*this)[id];
  connection = Connection{};
  connection.older = free_;
  free_ = id;
}

void FlowTable::place(Slot slot) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = slot.hash & mask;
  while (slots_[i].id != no_connection) i = (i + 1) & mask;
  slots_[i] = slot;
}

void FlowTable::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old)
    if (slot.id != no_connection) place(slot);
}

std::vector<ConnectionId> FlowTable::by_first_packet() const {
  std::vector<ConnectionId> ids;
  ids.reserve(size_);
  for (ConnectionId id = 0; id < unused_; ++id)
    if (at(id).tracked) ids.push_back(id);
  std::sort(ids.begin(), ids.end(), [this](ConnectionId a, ConnectionId b) {
    return std::tie(at(a).first_packet, a) < std::tie(at(b).first_packet, b);
  });
  return ids;
}

void RecencyList::add(ConnectionId id) {
  Connection& connection = table_[id];
  connection.older = newest_;
  connection.newer = no_connection;
  if (newest_ != no_connection) table_[newest_].newer = id;
  newest_ = id;
  if (oldest_ == no_connection) oldest_ = id;
  ++size_;
}

void RecencyList::remove(ConnectionId id) {
  Connection& connection = table_[id];
  if (connection.newer != no_connection) table_[connection.newer].older = connection.older;
  if (connection.older != no_connection) table_[connection.older].newer = connection.newer;
  if (newest_ == id) newest_ = connection.older;
  if (oldest_ == id) oldest_ = connection.newer;
  --size_;
}

}  // namespace analyzer::stream
