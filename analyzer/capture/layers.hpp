// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// From a captured packet to the TCP segment or UDP datagram inside it.
//
// Link layers: Ethernet with LLC/SNAP, Linux cooked v1 and v2, BSD null, loop and enc, raw IP, PPP,
// Cisco HDLC, MPLS, NFLOG, PKTAP. Between them and IP: VLAN tags of any kind, MPLS with and without
// pseudowires, PPPoE, provider backbone bridges. Tunnels: IP in IP, GRE with PPTP and ERSPAN,
// EtherIP, MPLS in IP, VXLAN, Geneve, GTP-U. IPv4 and IPv6 with extension headers, and
// their fragments. A packet that is cut by the snap length still gives its segment when the fixed
// 20 bytes of the TCP header are captured: its length comes from the IP header. Nothing of TCP is
// reassembled here, and checksums are not looked at: with offload the sender's network card fills
// them in behind the capture.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <variant>

#include "capture/memory.hpp"
#include "capture/packet.hpp"

namespace analyzer::capture {

// Why a packet gave no segment. Each is counted and shown.
enum class Skipped : std::uint8_t {
  other_protocol,     // ARP, ICMP and whatever else is not TCP or UDP over IP
  fragment,           // a piece of an IP packet whose other pieces are not there
  fragment_overlap,   // a piece of an IP packet with two pieces that contradict each other
  headers_cut,        // the capture ends inside the headers
  malformed,          // header lengths contradict each other
  too_deep,           // more than `maximum_layers` layers, each inside another
  unknown_link_type,  // no decoder for this link layer
};

// Frames, tags, labels and IP packets around each other.
inline constexpr unsigned maximum_layers = 16;

// A fragment that waits for the others, or a copy of one. What became of it is known, and
// counted, when the last one came or did not.
struct Held {};

using Decoded = std::variant<Skipped, TcpSegment, UdpDatagram, Held>;

// Decodes one packet alone, so that a fragment is skipped as one. Never reads outside packet.bytes.
// An IPv4 total length of 0 (segmentation offload) means "to the end of the frame"; Ethernet
// padding behind the IP packet is cut off.
Decoded decode(const Packet& packet);

// What a capture held besides segments and datagrams, in packets.
struct SkippedPackets {
  std::map<Skipped, std::uint64_t> by_reason;
  std::map<std::uint16_t, std::uint64_t> unknown_link_types;  // by LINKTYPE_* number
  // IP packets whose pieces were given up to stay within the memory for fragments; the pieces are
  // among those of Skipped::fragment.
  std::uint64_t fragmented_packets_given_up = 0;
};

class Fragments;

// Decodes the packets of a capture, in its order, and puts fragments together. Memory: see
// Fragments.
class Decoder {
 public:
  explicit Decoder(std::uint64_t fragment_bytes = MemoryPlan().fragments());
  ~Decoder();
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  Decoder(Decoder&&) noexcept;
  Decoder& operator=(Decoder&&) noexcept;

  // As `decode`. The packet that brings the last missing fragment gives the segment, whose views
  // are then good until the next call.
  Decoded decode(const Packet& packet);
  // At the end: what still waits is skipped.
  SkippedPackets finish();

 private:
  std::unique_ptr<Fragments> fragments_;
  SkippedPackets skipped_;
};

}  // namespace analyzer::capture
