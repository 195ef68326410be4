// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// From a captured packet to the TCP segment or UDP datagram inside it.
//
// Link layers: Ethernet, Linux cooked v1 and v2, BSD null and loop, raw IP (IPv4 and IPv6); VLAN
// tags (802.1Q, 802.1ad, nested). IPv4 and IPv6 with extension headers. A packet that is cut by the
// snap length still gives its segment when the fixed 20 bytes of the TCP header are captured: its
// length comes from the IP header. Nothing is reassembled here.
#pragma once

#include <cstdint>
#include <variant>

#include "capture/packet.hpp"

namespace analyzer::capture {

// Why a packet gave no segment. Each is counted and shown.
enum class Skipped : std::uint8_t {
  other_protocol,     // ARP, ICMP and whatever else is not TCP or UDP over IP
  fragment,           // a piece of a fragmented IP packet
  headers_cut,        // the capture ends inside the headers
  malformed,          // header lengths contradict each other
  unknown_link_type,  // no decoder for this link layer
};

using Decoded = std::variant<Skipped, TcpSegment, UdpDatagram>;

// Decodes one packet. Never reads outside packet.bytes. An IPv4 total length of 0 (segmentation
// offload) means "to the end of the frame"; Ethernet padding behind the IP packet is cut off.
Decoded decode(const Packet& packet);

}  // namespace analyzer::capture
