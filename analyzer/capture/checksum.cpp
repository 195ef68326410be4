// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The internet checksum (RFC 1071) over the pseudo-header and what follows.
#include "capture/checksum.hpp"

#include <bit>
#include <optional>
#include <span>

#include "capture/descent.hpp"
#include "capture/load.hpp"

namespace analyzer::capture {
namespace {

std::optional<std::size_t> place_of_checksum(std::uint8_t protocol) {
  if (protocol == ip_tcp) return 16;
  if (protocol == ip_udp) return 6;
  return std::nullopt;
}

std::uint64_t sum_of(Bytes bytes) {
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at + 1 < bytes.size(); at += 2)
    sum += load_u16(bytes, at, std::endian::big);
  if (bytes.size() % 2 != 0) sum += std::to_integer<unsigned>(bytes.back()) << 8U;
  return sum;
}

// With the carries added in, as ones' complement has it.
std::uint16_t folded(std::uint64_t sum) {
  while (sum > 0xffff) sum = (sum >> 16U) + (sum & 0xffffU);
  return static_cast<std::uint16_t>(sum);
}

std::uint64_t sum_of(const Address& address) {
  const auto octets = std::as_bytes(std::span(address.octets));
  return sum_of(address.is_v4 ? octets.subspan(12) : octets);
}

}  // namespace

bool has_wrong_checksum(const Hosts& hosts, std::uint8_t protocol, Bytes transport) {
  const std::optional<std::size_t> place = place_of_checksum(protocol);
  if (!place || transport.size() < *place + 2) return false;
  const std::uint16_t told = load_u16(transport, *place, std::endian::big);
  const std::uint64_t around = sum_of(hosts.from) + sum_of(hosts.to) + protocol;
  const std::uint64_t all = around + transport.size();
  // What the system leaves to the network card: nothing, or the sum of the pseudo-header.
  if (told == 0 || told == folded(all) || told == folded(around)) return false;
  return folded(all + sum_of(transport)) != 0xffff;
}

}  // namespace analyzer::capture
