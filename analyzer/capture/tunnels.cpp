// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Packets inside of IP packets: IP in IP, GRE, EtherIP, MPLS, and the overlays that use UDP.
//
// A port is only a guess. What does not look exactly like the tunnel that its port stands for, or
// holds nothing that can be read, stays the datagram that it is. No first byte accepted here begins
// a packet of QUIC, which has the second bit set.
#include <array>
#include <optional>

#include "capture/descent.hpp"

namespace analyzer::capture {
namespace {

enum IpProtocol : std::uint8_t {
  ipv4_in_ip = 4,
  ipv6_in_ip = 41,
  gre = 47,
  ethernet_in_ip = 97,
  mpls_in_ip = 137,
};

enum Port : std::uint16_t {
  gtp_user_plane = 2152,
  vxlan = 4789,
  vxlan_gpe = 4790,
  geneve = 6081,
  vxlan_of_linux = 8472,  // before the port was assigned, and still the default
};

// EtherTypes that only GRE gives a meaning.
constexpr std::uint16_t erspan = 0x88be;  // type I, or II with a sequence number
constexpr std::uint16_t erspan_3 = 0x22eb;

// --- GRE

struct GreHeader {
  Layer payload;
  std::uint32_t key = 0;
  bool has_sequence = false;
};

// The hops of a source route (RFC 1701), each with its length, up to an empty one.
std::optional<Skipped> step_over_route(Layer& layer) {
  constexpr std::size_t entry_bytes = 4;
  for (;;) {
    if (!layer.has(entry_bytes)) return layer.without(entry_bytes);
    const bool is_last = layer.u16(0) == 0 && layer.u8(3) == 0;
    const std::size_t length = entry_bytes + layer.u8(3);
    if (!layer.has(length)) return layer.without(length);
    layer = layer.after(length);
    if (is_last) return std::nullopt;
  }
}

// Nothing when `header` could be read; else why not.
std::optional<Skipped> read_gre(Layer layer, GreHeader& header) {
  const std::uint16_t flags = layer.u16(0);
  const auto has = [flags](unsigned bits) { return (flags & bits) != 0; };
  const unsigned version = flags & 0x0007U;  // 1 is PPTP
  if (version > 1) return Skipped::other_protocol;
  header.payload = layer.after(4);
  header.has_sequence = has(0x1000);
  constexpr std::size_t key_at = 1;
  const std::array<bool, 4> fields{has(0xc000),  // checksum, and offset of the route
                                   has(0x2000), header.has_sequence,
                                   version == 1 && has(0x0080)};  // acknowledgement
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (!fields[i]) continue;
    if (!header.payload.has(4)) return header.payload.without(4);
    // In PPTP the upper half is the length of the payload.
    if (i == key_at) header.key = header.payload.u32(0) & (version == 1 ? 0xffffU : ~0U);
    header.payload = header.payload.after(4);
  }
  if (has(0x4000))
    if (const auto why = step_over_route(header.payload)) return why;
  return std::nullopt;
}

// Switches mirror frames so, often to the machine that captures.
Decoded peel_erspan(Descent& descent, const GreHeader& header) {
  constexpr std::size_t type_2_bytes = 8;
  // Type I has neither a sequence number nor a header.
  const Layer layer = header.payload;
  if (!header.has_sequence) return peel_ethernet(descent, layer);
  if (!layer.has(type_2_bytes)) return layer.without(type_2_bytes);
  return peel_ethernet(descent, layer.after(type_2_bytes));
}

Decoded peel_erspan_3(Descent& descent, Layer layer) {
  constexpr std::size_t header_bytes = 12;
  constexpr std::size_t platform_bytes = 8;
  if (!layer.has(header_bytes)) return layer.without(header_bytes);
  const unsigned frame_type = layer.u16(10) >> 10 & 0x1f;
  const bool has_platform = (layer.u16(10) & 1) != 0;
  const std::size_t skipped = header_bytes + (has_platform ? platform_bytes : 0);
  if (!layer.has(skipped)) return layer.without(skipped);
  if (frame_type == 0) return peel_ethernet(descent, layer.after(skipped));
  if (frame_type == 2) return peel_ip(descent, layer.after(skipped));
  return Skipped::other_protocol;
}

// What is in a tunnel that names it by an EtherType.
Decoded peel_named(Descent& descent, std::uint16_t type, Layer layer) {
  if (type == ether_bridged) return peel_ethernet(descent, layer);
  if (type == ether_ppp) return peel_ppp(descent, layer);
  return peel_ether_type(descent, type, layer);
}

Decoded peel_gre(Descent& descent, Layer layer) {
  if (!layer.has(4)) return layer.without(4);
  GreHeader header;
  if (const auto why = read_gre(layer, header)) return *why;
  descent.tunnel_id = header.key;
  const std::uint16_t type = layer.u16(2);
  if (type == erspan) return peel_erspan(descent, header);
  if (type == erspan_3) return peel_erspan_3(descent, header.payload);
  return peel_named(descent, type, header.payload);
}

Decoded peel_ethernet_in_ip(Descent& descent, Layer layer) {
  constexpr std::size_t header_bytes = 2;
  if (!layer.has(header_bytes)) return layer.without(header_bytes);
  if (layer.u8(0) != 0x30) return Skipped::other_protocol;
  return peel_ethernet(descent, layer.after(header_bytes));
}

// --- UDP

// Of each of them, before any options.
constexpr std::size_t overlay_bytes = 8;

// The next protocols of the Generic Protocol Extension.
Decoded peel_vxlan_gpe(Descent& descent, std::uint8_t next, Layer layer) {
  switch (next) {
    case 1:
      return peel_ipv4(descent, layer);
    case 2:
      return peel_ipv6(descent, layer);
    case 3:
      return peel_ethernet(descent, layer);
    case 5:
      return peel_mpls(descent, layer);
    default:
      return Skipped::other_protocol;
  }
}

Decoded peel_vxlan(Descent& descent, Layer layer) {
  constexpr unsigned has_id = 0x08;
  constexpr unsigned has_next_protocol = 0x04;
  constexpr unsigned may_be_flooded = 0x02;
  constexpr unsigned has_group = 0x80;  // Group Policy, which also uses bytes 1 to 3
  const unsigned flags = layer.u8(0);
  if ((flags & has_id) == 0 || layer.u8(7) != 0) return Skipped::other_protocol;
  descent.tunnel_id = layer.u32(4) >> 8;
  const Layer rest = layer.after(overlay_bytes);
  if ((flags & ~(has_id | may_be_flooded)) == has_next_protocol)
    return peel_vxlan_gpe(descent, layer.u8(3), rest);
  const bool is_plain = flags == has_id && (layer.u32(0) & 0xffffff) == 0;
  if (!is_plain && flags != (has_id | has_group)) return Skipped::other_protocol;
  return peel_ethernet(descent, rest);
}

Decoded peel_geneve(Descent& descent, Layer layer) {
  const std::uint8_t first = layer.u8(0);  // two bits of version, six of the options' words
  if (first >> 6 != 0 || (layer.u8(1) & 0x3f) != 0 || layer.u8(7) != 0)
    return Skipped::other_protocol;
  const std::size_t header_bytes = overlay_bytes + std::size_t{first} * 4;
  if (!layer.has(header_bytes)) return layer.without(header_bytes);
  descent.tunnel_id = layer.u32(4) >> 8;
  return peel_named(descent, layer.u16(2), layer.after(header_bytes));
}

// The chain of GTP's extension headers, of which the first has the type `next`.
std::optional<Skipped> step_over_gtp_extensions(Layer& layer, std::uint8_t next) {
  while (next != 0) {
    if (!layer.has(1)) return layer.without(1);
    const std::size_t length = std::size_t{layer.u8(0)} * 4;
    if (length == 0) return Skipped::malformed;
    if (!layer.has(length)) return layer.without(length);
    next = layer.u8(length - 1);
    layer = layer.after(length);
  }
  return std::nullopt;
}

Decoded peel_gtp(Descent& descent, Layer layer) {
  constexpr std::size_t optional_bytes = 4;
  constexpr std::uint8_t user_packet = 0xff;
  const std::uint8_t flags = layer.u8(0);
  // Version 1, and GTP rather than GTP'; a bit that is spare.
  if ((flags & 0xf8) != 0x30 || layer.u8(1) != user_packet) return Skipped::other_protocol;
  if (layer.u16(2) > layer.length() - overlay_bytes) return Skipped::malformed;
  descent.tunnel_id = layer.u32(4);
  Layer rest = layer.after(overlay_bytes).with_length(layer.u16(2));
  if ((flags & 0x07) != 0) {
    if (!rest.has(optional_bytes)) return rest.without(optional_bytes);
    const std::uint8_t next = (flags & 0x04) != 0 ? rest.u8(3) : std::uint8_t{0};
    rest = rest.after(optional_bytes);
    if (const auto why = step_over_gtp_extensions(rest, next)) return *why;
  }
  return peel_ip(descent, rest);
}

Decoded peel_port(Descent& descent, std::uint16_t port, Layer payload) {
  // Cut so short it shows nothing.
  if (payload.captured_bytes() < overlay_bytes) return Skipped::other_protocol;
  switch (port) {
    case vxlan:
    case vxlan_gpe:
    case vxlan_of_linux:
      return peel_vxlan(descent, payload);
    case geneve:
      return peel_geneve(descent, payload);
    case gtp_user_plane:
      return peel_gtp(descent, payload);
    default:
      return Skipped::other_protocol;
  }
}

}  // namespace

Decoded peel_ip_tunnel(Descent& descent, const Hosts& hosts, std::uint8_t protocol, Layer layer) {
  descent.tunnel_hosts = &hosts;
  descent.tunnel_id = 0;
  switch (protocol) {
    case ipv4_in_ip:
      return peel_ipv4(descent, layer);
    case ipv6_in_ip:
      return peel_ipv6(descent, layer);
    case gre:
      return peel_gre(descent, layer);
    case ethernet_in_ip:
      return peel_ethernet_in_ip(descent, layer);
    case mpls_in_ip:
      return peel_mpls(descent, layer);
    default:
      return Skipped::other_protocol;
  }
}

bool is_tunnel_port(std::uint16_t port) {
  switch (port) {
    case gtp_user_plane:
    case vxlan:
    case vxlan_gpe:
    case geneve:
    case vxlan_of_linux:
      return true;
    default:
      return false;
  }
}

std::optional<Decoded> peel_udp_tunnel(Descent& descent, const Hosts& hosts, std::uint16_t port,
                                       Layer payload) {
  descent.tunnel_hosts = &hosts;
  Decoded decoded = peel_port(descent, port, payload);
  const auto* skipped = std::get_if<Skipped>(&decoded);
  if (skipped != nullptr && (*skipped == Skipped::other_protocol || *skipped == Skipped::malformed))
    return std::nullopt;
  return decoded;
}

}  // namespace analyzer::capture
