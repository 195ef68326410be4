// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// IPv4 and IPv6 with extension headers, TCP and UDP.
//
// Checksums are not looked at: with offload the sender's network card fills them in behind the
// capture. But who puts fragments together that may be of two packets believes one that is wrong.
#include <cstring>
#include <optional>

#include "capture/checksum.hpp"
#include "capture/descent.hpp"

namespace analyzer::capture {
namespace {

enum IpProtocol : std::uint8_t {
  hop_by_hop_options = 0,
  routing_header = 43,
  fragment_header = 44,
  authentication_header = 51,
  destination_options = 60,
  mobility_header = 135,
};

// Real packets have one or two; more is an attempt to keep us busy.
constexpr int maximum_extension_headers = 16;

Decoded peel_extensions(Descent& descent, const Hosts& hosts, std::uint8_t next_header, Layer rest);

Address ipv4_address(Layer layer, std::size_t at) {
  Address address;
  address.is_v4 = true;
  address.octets[10] = 0xff;
  address.octets[11] = 0xff;
  std::memcpy(address.octets.data() + 12, layer.captured().data() + at, 4);
  return address;
}

Address ipv6_address(Layer layer, std::size_t at) {
  Address address;
  std::memcpy(address.octets.data(), layer.captured().data() + at, address.octets.size());
  return address;
}

// --- TCP and UDP

// What a SYN offers. Options are looked at as far as they were captured.
std::uint8_t window_scale_of(Layer header, std::size_t header_bytes) {
  constexpr std::uint8_t largest_scale = 14;
  enum : std::uint8_t { end_of_options = 0, no_operation = 1, window_scale = 3 };
  std::size_t at = 20;
  while (at < header_bytes) {
    if (!header.has(at + 1)) return largest_scale;
    const std::uint8_t kind = header.u8(at);
    if (kind == end_of_options) break;
    if (kind == no_operation) {
      ++at;
      continue;
    }
    if (!header.has(at + (kind == window_scale ? 3 : 2))) return largest_scale;
    if (kind == window_scale) return std::min(header.u8(at + 2), largest_scale);
    at += std::max<std::size_t>(header.u8(at + 1), 2);
  }
  return 0;
}

// Filled in where it is returned: with a copy of it, decoding takes half as long again.
[[gnu::always_inline]] inline Decoded tcp_segment(const Descent& descent, const Hosts& hosts,
                                                  Layer header, std::size_t header_bytes) {
  Decoded decoded(std::in_place_type<TcpSegment>);
  TcpSegment& segment = *std::get_if<TcpSegment>(&decoded);
  const Layer payload = header.after(header_bytes);
  const std::uint8_t flags = header.u8(13);
  segment.packet = descent.packet.number;
  segment.time = descent.packet.time;
  segment.from = {hosts.from, header.u16(0)};
  segment.to = {hosts.to, header.u16(2)};
  segment.sequence = header.u32(4);
  segment.acknowledgement = header.u32(8);
  segment.flags = {.fin = (flags & 0x01) != 0,
                   .syn = (flags & 0x02) != 0,
                   .rst = (flags & 0x04) != 0,
                   .ack = (flags & 0x10) != 0};
  segment.window = header.u16(14);
  if (segment.flags.syn) segment.window_scale = window_scale_of(header, header_bytes);
  segment.ip_id = descent.ip_id;
  segment.payload = payload.captured();
  segment.payload_length = payload.length();
  return decoded;
}

// Inlined where nearly every packet comes by, as in layers.cpp.
[[gnu::always_inline]] inline Decoded peel_tcp(const Descent& descent, const Hosts& hosts,
                                               Layer layer) {
  if (!layer.has(20)) return layer.without(20);
  const std::size_t header_bytes = std::size_t{layer.u8(12)} / 16 * 4;
  if (header_bytes < 20) return Skipped::malformed;
  // Options that the snap length cut are not missed: a SYN is worth more than what it offers.
  if (layer.length() < header_bytes) return Skipped::malformed;
  return tcp_segment(descent, hosts, layer, header_bytes);
}

Decoded peel_udp(Descent& descent, const Hosts& hosts, Layer layer) {
  constexpr std::uint32_t header_bytes = 8;
  if (!layer.has(header_bytes)) return layer.without(header_bytes);
  // Zero in jumbograms and with segmentation offload, as in IP.
  const std::uint32_t said = layer.u16(4) == 0 ? layer.length() : layer.u16(4);
  if (said < header_bytes || said > layer.length()) return Skipped::malformed;
  const Layer payload = layer.with_length(said).after(header_bytes);
  if (is_tunnel_port(layer.u16(2)))
    if (auto inner = peel_udp_tunnel(descent, hosts, layer.u16(2), payload)) return *inner;
  return UdpDatagram{.packet = descent.packet.number,
                     .time = descent.packet.time,
                     .from = {hosts.from, layer.u16(0)},
                     .to = {hosts.to, layer.u16(2)},
                     .payload = payload.captured(),
                     .payload_length = payload.length()};
}

[[gnu::always_inline]] inline Decoded peel_transport(Descent& descent, const Hosts& hosts,
                                                     std::uint8_t protocol, Layer layer) {
  switch (protocol) {
    case ip_tcp:
      return peel_tcp(descent, hosts, layer);
    case ip_udp:
      return peel_udp(descent, hosts, layer);
    case authentication_header:  // of IPv4; in IPv6 it was passed already
      return peel_extensions(descent, hosts, protocol, layer);
    default:
      return peel_ip_tunnel(descent, hosts, protocol, layer);
  }
}

// --- IP

Decoded add_fragment(Descent& descent, const Hosts& hosts, std::uint32_t identification,
                     const Fragment& fragment) {
  if (descent.fragments == nullptr) return Skipped::fragment;
  // What is whole now may be the last fragment of something else.
  if (!descent.deeper()) return Skipped::too_deep;
  FragmentKey key;
  key.hosts = hosts;
  key.identification = identification;
  if (hosts.from.is_v4) key.protocol = fragment.protocol;
  if (descent.tunnel_hosts != nullptr) key.tunnel = *descent.tunnel_hosts;
  key.tunnel_id = descent.tunnel_id;
  const Fragments::Result result = descent.fragments->add(key, fragment, descent.packet);
  if (const auto* skipped = std::get_if<Skipped>(&result)) return *skipped;
  const auto* whole = std::get_if<WholePacket>(&result);
  if (whole == nullptr) return Held{};
  if (whole->is_doubtful && whole->captured.size() == whole->length &&
      has_wrong_checksum(hosts, whole->protocol, whole->captured)) {
    descent.fragments->take_back(key, fragment);
    return Held{};
  }
  const Layer layer{whole->captured, whole->length};
  return hosts.from.is_v4 ? peel_transport(descent, hosts, whole->protocol, layer)
                          : peel_extensions(descent, hosts, whole->protocol, layer);
}

// From the first extension header on, if there is one.
Decoded peel_extensions(Descent& descent, const Hosts& hosts, std::uint8_t next_header,
                        Layer rest) {
  for (int headers = 0; headers <= maximum_extension_headers; ++headers) {
    std::size_t extension_bytes = 8;
    switch (next_header) {
      case hop_by_hop_options:
      case routing_header:
      case destination_options:
      case mobility_header:
        if (!rest.has(2)) return rest.without(2);
        extension_bytes = (std::size_t{rest.u8(1)} + 1) * 8;
        break;
      case authentication_header:
        if (!rest.has(2)) return rest.without(2);
        extension_bytes = (std::size_t{rest.u8(1)} + 2) * 4;
        break;
      case fragment_header:
        if (!rest.has(extension_bytes)) return rest.without(extension_bytes);
        // A packet that is the only fragment of itself (RFC 6946) is whole.
        if ((rest.u16(2) & 0xfff9) != 0) {
          const Layer piece = rest.after(extension_bytes);
          return add_fragment(descent, hosts, rest.u32(4),
                              {.protocol = rest.u8(0),
                               .offset = rest.u16(2) & 0xfff8U,
                               .more = (rest.u16(2) & 1) != 0,
                               .captured = piece.captured(),
                               .length = piece.length()});
        }
        break;
      default:
        return peel_transport(descent, hosts, next_header, rest);
    }
    if (!rest.has(extension_bytes)) return rest.without(extension_bytes);
    next_header = rest.u8(0);
    rest = rest.after(extension_bytes);
  }
  return Skipped::malformed;
}

}  // namespace

Decoded peel_ip(Descent& descent, Layer layer) {
  if (!layer.has(1)) return layer.without(1);
  switch (layer.u8(0) >> 4) {
    case 4:
      return peel_ipv4(descent, layer);
    case 6:
      return peel_ipv6(descent, layer);
    default:
      return Skipped::malformed;
  }
}

Decoded peel_ipv4(Descent& descent, Layer layer) {
  if (!descent.deeper()) return Skipped::too_deep;
  if (!layer.has(20)) return layer.without(20);
  const std::size_t header_bytes = std::size_t{layer.u8(0) & 0x0fU} * 4;
  if (layer.u8(0) >> 4 != 4 || header_bytes < 20) return Skipped::malformed;
  const std::uint32_t total_length = layer.u16(2);
  if (total_length != 0 && total_length < header_bytes) return Skipped::malformed;
  // With segmentation offload the network card writes the length, behind the capture.
  const Layer packet_layer = total_length == 0 ? layer : layer.with_length(total_length);
  if (!packet_layer.has(header_bytes)) return packet_layer.without(header_bytes);
  const Hosts hosts{ipv4_address(layer, 12), ipv4_address(layer, 16)};
  const Layer body = packet_layer.after(header_bytes);
  descent.ip_id = layer.u16(4);
  // More fragments follow, or this one does not begin the packet.
  const std::uint16_t fragment = layer.u16(6) & 0x3fff;
  if (fragment != 0)
    return add_fragment(descent, hosts, layer.u16(4),
                        {.protocol = layer.u8(9),
                         .offset = (fragment & 0x1fffU) * 8,
                         .more = (fragment & 0x2000) != 0,
                         .captured = body.captured(),
                         .length = body.length()});
  return peel_transport(descent, hosts, layer.u8(9), body);
}

Decoded peel_ipv6(Descent& descent, Layer layer) {
  constexpr std::size_t header_bytes = 40;
  if (!descent.deeper()) return Skipped::too_deep;
  if (!layer.has(header_bytes)) return layer.without(header_bytes);
  if (layer.u8(0) >> 4 != 6) return Skipped::malformed;
  const Hosts hosts{ipv6_address(layer, 8), ipv6_address(layer, 24)};
  descent.ip_id = 0;
  Layer rest = layer.after(header_bytes);
  // Zero in jumbograms and with segmentation offload: the packet reaches to the end of the frame.
  if (layer.u16(4) != 0) rest = rest.with_length(layer.u16(4));
  return peel_extensions(descent, hosts, layer.u8(6), rest);
}

}  // namespace analyzer::capture
