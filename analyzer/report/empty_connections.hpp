// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Connections of which the capture holds no byte of data, summed up by server and state: a port
// scan makes a million of them. Judges nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "stream/tcp.hpp"

namespace analyzer::report {

// Those of one server that went the same way.
struct EmptyConnections {
  std::optional<stream::Endpoint> server;  // none: nothing shows which side dialed
  std::string_view state;                  // see stream::state_of
  std::uint64_t count = 0;
  std::uint64_t syns = 0;                 // without ACK, repetitions included
  std::uint64_t resets[2] = {};           // connections reset by the client, by the server
  std::uint64_t out_of_window = 0;        // segments that were ignored
  std::uint64_t acknowledged_unseen = 0;  // bytes; see TcpFacts
  stream::TcpFacts first;                 // the one that began first
};

class EmptyConnectionTable {
 public:
  explicit EmptyConnectionTable(std::size_t limit) : limit_(limit) {}

  void add(const stream::TcpFacts& facts);
  // Connections that would have needed a row beyond the limit.
  std::uint64_t dropped() const { return dropped_; }
  // Most connections first.
  std::vector<EmptyConnections> take();

 private:
  using Key = std::pair<std::optional<stream::Endpoint>, std::string_view>;

  std::size_t limit_;
  std::map<Key, EmptyConnections> rows_;
  std::uint64_t dropped_ = 0;
};

// What the state means for a connection without data, in plain words.
std::string_view words_of_empty(std::string_view state);

}  // namespace analyzer::report
