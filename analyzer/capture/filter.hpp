// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Capture filters in the language of tcpdump, applied to recorded packets.
//
// libpcap compiles one program for each link type, when the first packet of it comes. Host names in
// an expression are looked up by libpcap, so expressions should hold addresses.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/packet.hpp"

namespace analyzer::capture {

class Filter {
 public:
  // Nothing when the expression is wrong for every link type; `error` says then what libpcap said
  // of it for Ethernet. An empty expression matches every packet.
  static std::optional<Filter> compile(std::string expression, std::string& error);

  ~Filter();
  Filter(Filter&&) noexcept;
  Filter& operator=(Filter&&) noexcept;
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;

  // False also where the expression has no meaning for the packet's link type.
  bool matches(const Packet& packet);

  struct Refusal {
    std::uint16_t link_type = 0;
    std::string error;
  };
  // The link types met so far for which the expression has no meaning, in ascending order.
  std::vector<Refusal> refusals() const;

 private:
  class Implementation;
  explicit Filter(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace analyzer::capture
