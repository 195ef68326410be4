// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What the files that peel layers share: how far down a packet they are, and each other's ways in.
//
// layers.cpp has Ethernet, link.cpp the other link layers and what lies between them and IP,
// tunnels.cpp what carries a packet inside of an IP packet, ip.cpp IP itself, TCP and UDP. They
// call each other, so every layer that may hold another one counts: `deeper` ends what a packet
// made to keep us busy began. Only these four include this.
#pragma once

#include <cstdint>
#include <optional>

#include "capture/fragments.hpp"
#include "capture/layer.hpp"
#include "capture/layers.hpp"
#include "capture/link_types.hpp"
#include "capture/packet.hpp"

namespace analyzer::capture {

// IEEE 802.3: two bytes are a length up to the first of these, an EtherType from the second on, and
// nothing in between.
inline constexpr std::uint16_t largest_length = 1'500;
inline constexpr std::uint16_t first_ether_type = 0x0600;

enum EtherType : std::uint16_t {
  ether_ipv4 = 0x0800,
  ether_bridged = 0x6558,  // Transparent Ethernet Bridging
  ether_vlan = 0x8100,
  ether_ipv6 = 0x86dd,
  ether_ppp = 0x880b,
  ether_mpls = 0x8847,
  ether_mpls_multicast = 0x8848,
  ether_pppoe_session = 0x8864,
  ether_provider_vlan = 0x88a8,
  ether_provider_backbone = 0x88e7,
  ether_vn_tag = 0x8926,
  ether_old_provider_vlan = 0x9100,
  ether_older_provider_vlan = 0x9200,
};

// Protocols over IP that end the descent.
inline constexpr std::uint8_t ip_tcp = 6;
inline constexpr std::uint8_t ip_udp = 17;

struct Descent {
  const Packet& packet;
  Fragments* fragments = nullptr;  // where pieces wait for each other; null: they stay pieces
  unsigned depth = 0;
  // The tunnel that this is in, if any: the hosts at its ends, and the number that it has there.
  const Hosts* tunnel_hosts = nullptr;
  std::uint32_t tunnel_id = 0;
  std::uint16_t ip_id = 0;  // identification of the innermost IP packet; 0 for IPv6

  // Whether one more layer may be peeled. Real packets have four or five, thirteen with two VLAN
  // tags, three labels and a tunnel in a tunnel.
  bool deeper() { return ++depth <= maximum_layers; }
};

// layers.cpp
Decoded peel_ethernet(Descent& descent, Layer frame);
// Where lengths have no place: what is less than any EtherType is none.
Decoded peel_ether_type(Descent& descent, std::uint16_t type, Layer layer);
Decoded peel_llc(Descent& descent, Layer layer);

// link.cpp
Decoded peel_link(Descent& descent, std::uint32_t link_type, Layer frame);
Decoded peel_pppoe(Descent& descent, Layer layer);
Decoded peel_mpls(Descent& descent, Layer layer);
Decoded peel_ppp(Descent& descent, Layer layer);

// ip.cpp
Decoded peel_ip(Descent& descent, Layer layer);  // of either version
Decoded peel_ipv4(Descent& descent, Layer layer);
Decoded peel_ipv6(Descent& descent, Layer layer);

// tunnels.cpp. `hosts` are the ends of the tunnel and outlive the call.
Decoded peel_ip_tunnel(Descent& descent, const Hosts& hosts, std::uint8_t protocol, Layer layer);
bool is_tunnel_port(std::uint16_t port);
// Nothing where the payload is not what the port stands for: it stays a datagram.
std::optional<Decoded> peel_udp_tunnel(Descent& descent, const Hosts& hosts, std::uint16_t port,
                                       Layer payload);

}  // namespace analyzer::capture
