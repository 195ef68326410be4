// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Of which build the servers at an address are, as their replies to logins told it.
//
// Replicas tell each other no build, and the nodes of a cluster have to be of one. So what is known
// of the servers at an address holds for what replicas send from there, unless they are of several.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "iggy/trains.hpp"

namespace iggy::conversation {

class ServerBuilds {
 public:
  static constexpr std::size_t limit = 20'000;

  // A server told its build, which may be of no train that is known. Addresses beyond the limit are
  // not kept, which only leaves bodies as they are read without.
  void told(const std::string& address, std::optional<Train> train) {
    const auto known = builds_.find(address);
    if (known == builds_.end()) {
      if (builds_.size() < limit) builds_.emplace(address, train);
    } else if (known->second != train) {
      known->second.reset();
    }
  }
  std::optional<Train> at(const std::string& address) const {
    const auto known = builds_.find(address);
    return known == builds_.end() ? std::nullopt : known->second;
  }
  bool is_empty() const { return builds_.empty(); }

 private:
  // Ordered, since a hostile capture chooses the addresses and could make any hash of them slow.
  std::map<std::string, std::optional<Train>> builds_;
};

}  // namespace iggy::conversation
