// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The text form of addresses. It must give the same text on every machine, so it asks no system
// library.
#include "capture/address.hpp"

#include <fmt/format.h>

#include <iterator>

namespace analyzer::capture {
namespace {

constexpr int groups_in_ipv6 = 8;

unsigned group(const Address& address, int index) {
  const auto at = static_cast<std::size_t>(index) * 2;
  return static_cast<unsigned>(address.octets[at] << 8 | address.octets[at + 1]);
}

struct Run {
  int start = 0;
  int length = 0;
};

// The first of the longest runs of zero groups.
Run longest_zeros(const Address& address) {
  Run longest;
  Run run;
  for (int i = 0; i < groups_in_ipv6; ++i) {
    if (group(address, i) != 0) {
      run = {i + 1, 0};
    } else if (++run.length > longest.length) {
      longest = run;
    }
  }
  return longest;
}

bool is_mapped_ipv4(const Address& address) {
  const Run zeros = longest_zeros(address);
  return zeros.start == 0 && zeros.length == 5 && group(address, 5) == 0xffff;
}

std::string dotted(const Address& address) {
  const auto& octets = address.octets;
  return fmt::format("{}.{}.{}.{}", octets[12], octets[13], octets[14], octets[15]);
}

std::string colons(const Address& address) {
  const Run zeros = longest_zeros(address);
  std::string text;
  for (int i = 0; i < groups_in_ipv6; ++i) {
    // A single zero group is not shortened (RFC 5952, section 4.2.2).
    if (zeros.length > 1 && i == zeros.start) {
      text += "::";
      i += zeros.length - 1;
      continue;
    }
    if (!text.empty() && text.back() != ':') text += ':';
    fmt::format_to(std::back_inserter(text), "{:x}", group(address, i));
  }
  return text;
}

}  // namespace

std::string to_string(const Address& address) {
  if (address.is_v4) return dotted(address);
  // IPv6 on the wire that carries a mapped address stays recognizable as such (section 5).
  if (is_mapped_ipv4(address)) return "::ffff:" + dotted(address);
  return colons(address);
}

std::string to_string(const Endpoint& endpoint) {
  const char* const form = endpoint.address.is_v4 ? "{}:{}" : "[{}]:{}";
  return fmt::format(fmt::runtime(form), to_string(endpoint.address), endpoint.port);
}

}  // namespace analyzer::capture
