// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Peels the layers of a packet, from the link layer to TCP or UDP.
//
// Each layer is a Layer: what was captured of it, and how long it was on the wire. Stepping into
// the next one either has the bytes, or says why not. Checksums are not looked at: with offload the
// sender's network card fills them in behind the capture. It must not reassemble anything.
#include "capture/layers.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "capture/load.hpp"

namespace analyzer::capture {
namespace {

enum LinkType : std::uint16_t {
  null_loopback = 0,
  ethernet = 1,
  raw_ip_bsd = 12,  // values that some systems write instead of 101
  raw_ip_openbsd = 14,
  raw_ip = 101,
  openbsd_loopback = 108,
  linux_cooked = 113,
  raw_ipv4 = 228,
  raw_ipv6 = 229,
  linux_cooked_v2 = 276,
};

enum EtherType : std::uint16_t {
  ether_ipv4 = 0x0800,
  ether_vlan = 0x8100,
  ether_ipv6 = 0x86dd,
  ether_provider_vlan = 0x88a8,
  ether_old_provider_vlan = 0x9100,
};

enum IpProtocol : std::uint8_t {
  hop_by_hop_options = 0,
  tcp = 6,
  udp = 17,
  routing_header = 43,
  fragment_header = 44,
  authentication_header = 51,
  destination_options = 60,
  mobility_header = 135,
};

// Real packets have one or two; more is an attempt to keep us busy.
constexpr int maximum_vlan_tags = 8;
constexpr int maximum_extension_headers = 16;

struct Layer {
  Bytes captured;            // never more than `length` bytes
  std::uint32_t length = 0;  // on the wire

  // Nothing when the first `count` bytes are there; else why not.
  std::optional<Skipped> lacks(std::size_t count) const {
    if (captured.size() >= count) return std::nullopt;
    return length >= count ? Skipped::headers_cut : Skipped::malformed;
  }
  // What follows the first `count` bytes, which were sent and may be cut by the snap length.
  Layer after(std::size_t count) const {
    return {captured.subspan(std::min(count, captured.size())),
            length - static_cast<std::uint32_t>(count)};
  }
  // The same layer when its header says how long it is. A header that says more than the frame
  // held is believed: some tools write the captured length in place of the length on the wire.
  Layer with_length(std::uint32_t said) const {
    return {captured.first(std::min(captured.size(), std::size_t{said})), said};
  }

  std::uint8_t u8(std::size_t at) const { return load_u8(captured, at); }
  std::uint16_t u16(std::size_t at) const { return load_u16(captured, at, std::endian::big); }
  std::uint32_t u32(std::size_t at) const { return load_u32(captured, at, std::endian::big); }
};

struct Hosts {
  Address from;
  Address to;
  std::uint16_t id = 0;  // identification of the IPv4 packet
};

Decoded decode_ethernet(const Packet& packet, const Layer& frame);
Decoded decode_null(const Packet& packet, const Layer& frame);
Decoded decode_cooked(const Packet& packet, const Layer& frame, std::size_t header_bytes,
                      std::size_t protocol_at);
Decoded decode_raw_ip(const Packet& packet, const Layer& frame);
Decoded decode_ether_type(const Packet& packet, std::uint16_t type, Layer layer);
Decoded decode_ipv4(const Packet& packet, const Layer& layer);
Decoded decode_ipv6(const Packet& packet, const Layer& layer);
Decoded decode_transport(const Packet& packet, const Hosts& hosts, std::uint8_t protocol,
                         const Layer& layer);
Decoded decode_tcp(const Packet& packet, const Hosts& hosts, const Layer& layer);
Decoded tcp_segment(const Packet& packet, const Hosts& hosts, const Layer& header,
                    const Layer& payload);
Decoded decode_udp(const Packet& packet, const Hosts& hosts, const Layer& layer);

}  // namespace

Decoded decode(const Packet& packet) {
  const auto captured = static_cast<std::uint32_t>(packet.bytes.size());
  const Layer frame{packet.bytes, std::max(packet.wire_length, captured)};
  switch (packet.link_type) {
    case ethernet:
      return decode_ethernet(packet, frame);
    case null_loopback:
    case openbsd_loopback:
      return decode_null(packet, frame);
    case linux_cooked:
      return decode_cooked(packet, frame, 16, 14);
    case linux_cooked_v2:
      return decode_cooked(packet, frame, 20, 0);
    case raw_ip:
    case raw_ip_bsd:
    case raw_ip_openbsd:
      return decode_raw_ip(packet, frame);
    case raw_ipv4:
      return decode_ipv4(packet, frame);
    case raw_ipv6:
      return decode_ipv6(packet, frame);
    default:
      return Skipped::unknown_link_type;
  }
}

namespace {

// --- Link layers

Decoded decode_ethernet(const Packet& packet, const Layer& frame) {
  constexpr std::size_t header_bytes = 14;
  if (const auto why = frame.lacks(header_bytes)) return *why;
  return decode_ether_type(packet, frame.u16(12), frame.after(header_bytes));
}

// The header is an address family in the byte order of the machine that captured, which need not
// be that of the file; LOOP has it in network order. Families are small, so that only one order
// makes sense. The number of IPv6 differs from system to system.
Decoded decode_null(const Packet& packet, const Layer& frame) {
  constexpr std::size_t header_bytes = 4;
  if (const auto why = frame.lacks(header_bytes)) return *why;
  std::uint32_t family = frame.u32(0);
  if (family > 0xffff) family = load_u32(frame.captured, 0, std::endian::little);
  switch (family) {
    case 2:  // every system
      return decode_ipv4(packet, frame.after(header_bytes));
    case 10:  // Linux
    case 24:  // NetBSD, OpenBSD
    case 28:  // FreeBSD
    case 30:  // macOS
      return decode_ipv6(packet, frame.after(header_bytes));
    default:
      return Skipped::other_protocol;
  }
}

Decoded decode_cooked(const Packet& packet, const Layer& frame, std::size_t header_bytes,
                      std::size_t protocol_at) {
  if (const auto why = frame.lacks(header_bytes)) return *why;
  return decode_ether_type(packet, frame.u16(protocol_at), frame.after(header_bytes));
}

Decoded decode_raw_ip(const Packet& packet, const Layer& frame) {
  if (const auto why = frame.lacks(1)) return *why;
  switch (frame.u8(0) >> 4) {
    case 4:
      return decode_ipv4(packet, frame);
    case 6:
      return decode_ipv6(packet, frame);
    default:
      return Skipped::malformed;
  }
}

Decoded decode_ether_type(const Packet& packet, std::uint16_t type, Layer layer) {
  constexpr std::size_t tag_bytes = 4;
  for (int tags = 0; tags <= maximum_vlan_tags; ++tags) {
    switch (type) {
      case ether_ipv4:
        return decode_ipv4(packet, layer);
      case ether_ipv6:
        return decode_ipv6(packet, layer);
      case ether_vlan:
      case ether_provider_vlan:
      case ether_old_provider_vlan:
        if (const auto why = layer.lacks(tag_bytes)) return *why;
        type = layer.u16(2);
        layer = layer.after(tag_bytes);
        break;
      default:
        return Skipped::other_protocol;
    }
  }
  return Skipped::malformed;
}

// --- IP

Address ipv4_address(const Layer& layer, std::size_t at) {
  Address address;
  address.is_v4 = true;
  address.octets[10] = 0xff;
  address.octets[11] = 0xff;
  std::memcpy(address.octets.data() + 12, layer.captured.data() + at, 4);
  return address;
}

Address ipv6_address(const Layer& layer, std::size_t at) {
  Address address;
  std::memcpy(address.octets.data(), layer.captured.data() + at, address.octets.size());
  return address;
}

Decoded decode_ipv4(const Packet& packet, const Layer& layer) {
  if (const auto why = layer.lacks(20)) return *why;
  const std::size_t header_bytes = std::size_t{layer.u8(0) & 0x0fU} * 4;
  if (layer.u8(0) >> 4 != 4 || header_bytes < 20) return Skipped::malformed;
  const std::uint32_t total_length = layer.u16(2);
  if (total_length != 0 && total_length < header_bytes) return Skipped::malformed;
  // More fragments follow, or this one does not begin the packet.
  if ((layer.u16(6) & 0x3fff) != 0) return Skipped::fragment;
  // With segmentation offload the network card writes the length, behind the capture.
  const Layer packet_layer = total_length == 0 ? layer : layer.with_length(total_length);
  if (const auto why = packet_layer.lacks(header_bytes)) return *why;
  const Hosts hosts{ipv4_address(layer, 12), ipv4_address(layer, 16), layer.u16(4)};
  return decode_transport(packet, hosts, layer.u8(9), packet_layer.after(header_bytes));
}

Decoded decode_ipv6(const Packet& packet, const Layer& layer) {
  constexpr std::size_t header_bytes = 40;
  if (const auto why = layer.lacks(header_bytes)) return *why;
  if (layer.u8(0) >> 4 != 6) return Skipped::malformed;
  const Hosts hosts{ipv6_address(layer, 8), ipv6_address(layer, 24), 0};
  Layer rest = layer.after(header_bytes);
  // Zero in jumbograms and with segmentation offload: the packet reaches to the end of the frame.
  if (layer.u16(4) != 0) rest = rest.with_length(layer.u16(4));
  std::uint8_t next_header = layer.u8(6);
  for (int headers = 0; headers <= maximum_extension_headers; ++headers) {
    std::size_t extension_bytes = 8;
    switch (next_header) {
      case hop_by_hop_options:
      case routing_header:
      case destination_options:
      case mobility_header:
        if (const auto why = rest.lacks(2)) return *why;
        extension_bytes = (std::size_t{rest.u8(1)} + 1) * 8;
        break;
      case authentication_header:
        if (const auto why = rest.lacks(2)) return *why;
        extension_bytes = (std::size_t{rest.u8(1)} + 2) * 4;
        break;
      case fragment_header:
        if (const auto why = rest.lacks(extension_bytes)) return *why;
        // A packet that is the only fragment of itself (RFC 6946) is whole.
        if ((rest.u16(2) & 0xfff9) != 0) return Skipped::fragment;
        break;
      default:
        return decode_transport(packet, hosts, next_header, rest);
    }
    if (const auto why = rest.lacks(extension_bytes)) return *why;
    next_header = rest.u8(0);
    rest = rest.after(extension_bytes);
  }
  return Skipped::malformed;
}

// --- TCP and UDP

Decoded decode_transport(const Packet& packet, const Hosts& hosts, std::uint8_t protocol,
                         const Layer& layer) {
  switch (protocol) {
    case tcp:
      return decode_tcp(packet, hosts, layer);
    case udp:
      return decode_udp(packet, hosts, layer);
    default:
      return Skipped::other_protocol;
  }
}

Decoded decode_tcp(const Packet& packet, const Hosts& hosts, const Layer& layer) {
  if (const auto why = layer.lacks(20)) return *why;
  const std::size_t header_bytes = std::size_t{layer.u8(12)} / 16 * 4;
  if (header_bytes < 20) return Skipped::malformed;
  // Options that the snap length cut are not missed: a SYN is worth more than what it offers.
  if (layer.length < header_bytes) return Skipped::malformed;
  return tcp_segment(packet, hosts, layer, layer.after(header_bytes));
}

// Filled in where it is returned: with a copy of it, decoding takes half as long again.
Decoded tcp_segment(const Packet& packet, const Hosts& hosts, const Layer& header,
                    const Layer& payload) {
  Decoded decoded(std::in_place_type<TcpSegment>);
  TcpSegment& segment = *std::get_if<TcpSegment>(&decoded);
  const std::uint8_t flags = header.u8(13);
  segment.packet = packet.number;
  segment.time = packet.time;
  segment.from = {hosts.from, header.u16(0)};
  segment.to = {hosts.to, header.u16(2)};
  segment.sequence = header.u32(4);
  segment.acknowledgement = header.u32(8);
  segment.flags = {.fin = (flags & 0x01) != 0,
                   .syn = (flags & 0x02) != 0,
                   .rst = (flags & 0x04) != 0,
                   .ack = (flags & 0x10) != 0};
  segment.window = header.u16(14);
  segment.ip_id = hosts.id;
  segment.payload = payload.captured;
  segment.payload_length = payload.length;
  return decoded;
}

Decoded decode_udp(const Packet& packet, const Hosts& hosts, const Layer& layer) {
  constexpr std::uint32_t header_bytes = 8;
  if (const auto why = layer.lacks(header_bytes)) return *why;
  // Zero in jumbograms and with segmentation offload, as in IP.
  const std::uint32_t said = layer.u16(4) == 0 ? layer.length : layer.u16(4);
  if (said < header_bytes || said > layer.length) return Skipped::malformed;
  const Layer payload = layer.with_length(said).after(header_bytes);
  return UdpDatagram{.packet = packet.number,
                     .time = packet.time,
                     .from = {hosts.from, layer.u16(0)},
                     .to = {hosts.to, layer.u16(2)},
                     .payload = payload.captured,
                     .payload_length = payload.length};
}

}  // namespace
}  // namespace analyzer::capture
