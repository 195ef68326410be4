// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What is known of client ids across connections: whether they logged in, and what they speak.
//
// A client id is chosen by the client for each session; all its connections speak one generation.
// The table is bounded: beyond it new ids are not remembered, and that is counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "conversation/session.hpp"
#include "decode/window.hpp"

namespace iggy::conversation {

class ClientTable {
 public:
  static constexpr std::size_t usual_limit = 100'000;
  explicit ClientTable(std::size_t limit = usual_limit) : limit_(limit) {}

  const ClientFacts* find(const decode::U128& client) const {
    const auto found = clients_.find(client);
    return found == clients_.end() ? nullptr : &found->second;
  }
  // Null when the table is full.
  ClientFacts* remember(const decode::U128& client) {
    const auto found = clients_.find(client);
    if (found != clients_.end()) return &found->second;
    if (clients_.size() >= limit_) {
      ++dropped_;
      return nullptr;
    }
    return &clients_[client];
  }
  std::uint64_t dropped() const { return dropped_; }

 private:
  std::size_t limit_;
  // Ordered, since a hostile capture chooses the ids and could make any hash of them slow.
  std::map<decode::U128, ClientFacts> clients_;
  std::uint64_t dropped_ = 0;
};

}  // namespace iggy::conversation
