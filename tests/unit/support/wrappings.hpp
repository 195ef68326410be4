// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Every way in which an IP packet may lie in a captured frame: link layers, tags, labels, tunnels.
//
// Each wrapping takes an IP packet of either version and gives the frame. The bytes are written out
// here by the standards, so that they prove something of the code that reads them. IP packets may
// also be cut into fragments. It must not use the code under test.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "support/packet_builder.hpp"

namespace support {

struct Wrapping {
  std::string name;
  std::uint16_t link_type = link_ethernet;
  std::function<Buffer(Bytes ip_packet)> wrap;
  bool hides_in_datagram = false;  // what is wrong inside leaves a UDP datagram
};

namespace wrap {

inline bool is_v6(Bytes ip_packet) {
  return ether_type_of(ip_packet) == ether_type_ipv6;
}

inline Buffer in_ipv4(unsigned protocol, Bytes body) {
  return ipv4({.from = ipv4_address(192, 0, 2, 1),
               .to = ipv4_address(192, 0, 2, 2),
               .protocol = protocol,
               .body = Buffer(body.begin(), body.end())});
}

inline Buffer in_ipv6(unsigned protocol, Bytes body) {
  return ipv6({.from = ipv6_address({0x2001, 0xdb8, 0, 0, 0, 0, 0, 1}),
               .to = ipv6_address({0x2001, 0xdb8, 0, 0, 0, 0, 0, 2}),
               .protocol = protocol,
               .body = Buffer(body.begin(), body.end())});
}

inline Buffer in_udp(std::uint16_t port, Bytes body) {
  return ip(Udp{.from = ipv4_endpoint(192, 0, 2, 1, 54'321),
                .to = ipv4_endpoint(192, 0, 2, 2, port),
                .payload = Buffer(body.begin(), body.end())});
}

inline Buffer behind(const Buffer& header, Bytes body) {
  return Writer().bytes(header).bytes(body).buffer();
}

// `labels` entries of an MPLS stack.
inline Buffer labels(unsigned count) {
  Writer stack;
  for (unsigned i = 1; i <= count; ++i) stack.u16(0x0010U + i).u8(i == count ? 0x01 : 0).u8(64);
  return stack.buffer();
}

inline Buffer ppp(Bytes ip_packet) {
  return Writer().u16(is_v6(ip_packet) ? 0x0057 : 0x0021).bytes(ip_packet).buffer();
}

inline Buffer pppoe(Bytes payload) {
  return Writer()
      .u16(0x1100)
      .u16(77)  // session
      .u16(static_cast<unsigned>(payload.size()))
      .bytes(payload)
      .buffer();
}

inline Buffer snap(Bytes ip_packet) {
  const Buffer body = Writer()
                          .bytes(bytes_of({0xaa, 0xaa, 0x03, 0, 0, 0}))
                          .u16(ether_type_of(ip_packet))
                          .bytes(ip_packet)
                          .buffer();
  // A frame with a length in place of its type is never longer.
  if (body.size() > 1'500) return ethernet(ip_packet);
  return ethernet(body, static_cast<unsigned>(body.size()));
}

// The version and flags of GRE, with the fields that they announce.
inline Buffer gre(unsigned flags, unsigned type, Bytes payload) {
  Writer header;
  header.u16(flags).u16(type);
  if ((flags & 0xc000) != 0) header.u32(0);
  if ((flags & 0x2000) != 0) header.u32(0x0000002a);
  if ((flags & 0x1000) != 0) header.u32(9);
  if ((flags & 0x0080) != 0) header.u32(8);
  if ((flags & 0x4000) != 0)  // one hop, and the end of the route
    header.u16(0x0800).u8(0).u8(4).u32(0x0a000001).u32(0);
  return in_ipv4(47, header.bytes(payload).buffer());
}

inline Buffer erspan_3(bool has_platform, Bytes frame) {
  Writer header;
  header.u16(0x2000).u16(7).u32(123'456).u16(0).u16(has_platform ? 1 : 0);
  if (has_platform) header.u64(0x0102030405060708);
  return gre(0x1000, 0x22eb, header.bytes(frame).buffer());
}

inline Buffer vxlan(std::uint16_t port, unsigned flags, unsigned next, Bytes payload) {
  return in_udp(port, Writer()
                          .u8(flags)
                          .u16(0)
                          .u8(next)
                          .u32(0x00123400)  // the network's number, and a reserved byte
                          .bytes(payload)
                          .buffer());
}

inline Buffer geneve(unsigned option_words, unsigned type, Bytes payload) {
  return in_udp(6081, Writer()
                          .u8(option_words)
                          .u8(0x40)
                          .u16(type)
                          .u32(0x00123400)
                          .bytes(counting_bytes(std::size_t{4} * option_words))
                          .bytes(payload)
                          .buffer());
}

inline Buffer gtp(bool has_extension, Bytes payload) {
  const Buffer extension = has_extension ? bytes_of({0, 0, 0, 0x85, 1, 0, 9, 0}) : Buffer();
  return in_udp(2152, Writer()
                          .u8(has_extension ? 0x34 : 0x30)
                          .u8(0xff)
                          .u16(static_cast<unsigned>(extension.size() + payload.size()))
                          .u32(0x01020304)
                          .bytes(extension)
                          .bytes(payload)
                          .buffer());
}

inline Buffer authenticated(Bytes ip_packet) {
  const Buffer header = Writer().u8(is_v6(ip_packet) ? 41 : 4).u8(4).zeros(22).buffer();
  return in_ipv4(51, behind(header, ip_packet));
}

// A netfilter log: two attributes, the packet being the second.
inline Buffer nflog(std::endian order, Bytes ip_packet) {
  Writer attributes(order);
  attributes.u16(5).u16(10).u8('x').pad();  // a prefix of one byte
  attributes.u16(static_cast<unsigned>(4 + ip_packet.size())).u16(9).bytes(ip_packet).pad();
  return Writer().u8(is_v6(ip_packet) ? 10 : 2).u8(0).u16(0).bytes(attributes.buffer()).buffer();
}

inline Buffer pktap(Bytes frame) {
  return Writer(std::endian::little)
      .u32(108)
      .u32(1)
      .u32(link_ethernet)
      .zeros(96)
      .bytes(frame)
      .buffer();
}

}  // namespace wrap

// Link layers.
inline std::vector<Wrapping> link_wrappings() {
  using namespace wrap;
  const auto direct = [](Bytes p) { return Buffer(p.begin(), p.end()); };
  const auto family = [](Bytes p) { return is_v6(p) ? 30U : 2U; };
  const Buffer hdlc = bytes_of({0x0f, 0});
  return {
      {"ethernet", link_ethernet, [](Bytes p) { return ethernet(p); }},
      {"snap", link_ethernet, snap},
      {"cooked", link_linux_cooked, linux_cooked},
      {"cooked-v2", link_linux_cooked_v2, linux_cooked_v2},
      {"null-little", link_null,
       [=](Bytes p) { return loopback(p, family(p), std::endian::little); }},
      {"null-big", link_null, [=](Bytes p) { return loopback(p, family(p), std::endian::big); }},
      {"loop", link_loop, [=](Bytes p) { return loopback(p, family(p), std::endian::big); }},
      {"enc", 109,
       [](Bytes p) {
         return Writer(std::endian::little).u32(is_v6(p) ? 24 : 2).u64(0).bytes(p).buffer();
       }},
      {"raw", link_raw, direct},
      {"ppp", 9,
       [](Bytes p) {
         return behind(bytes_of({0xff, 3}), ppp(p));
       }},
      {"ppp-bare", 9, [](Bytes p) { return ppp(p); }},
      {"ppp-compressed", 9,
       [](Bytes p) {
         return behind(bytes_of({0xff, 3, is_v6(p) ? 0x57U : 0x21U}), p);
       }},
      {"ppp-hdlc", 50,
       [](Bytes p) {
         return behind(bytes_of({0xff, 3}), ppp(p));
       }},
      {"ppp-hdlc-cisco", 50,
       [=](Bytes p) { return Writer().bytes(hdlc).u16(ether_type_of(p)).bytes(p).buffer(); }},
      {"ppp-over-ethernet", 51, [](Bytes p) { return pppoe(ppp(p)); }},
      {"pppd", 166,
       [](Bytes p) {
         return behind(bytes_of({0, 3}), ppp(p));
       }},
      {"ppp-direction", 204,
       [](Bytes p) {
         return behind(bytes_of({1, 0xff, 3}), ppp(p));
       }},
      {"cisco-hdlc", 104,
       [=](Bytes p) { return Writer().bytes(hdlc).u16(ether_type_of(p)).bytes(p).buffer(); }},
      {"cisco-hdlc-direction", 205,
       [=](Bytes p) { return Writer().u8(1).bytes(hdlc).u16(ether_type_of(p)).bytes(p).buffer(); }},
      {"mpls-link", 219, [](Bytes p) { return behind(labels(1), p); }},
      {"nflog-little", 239, [](Bytes p) { return nflog(std::endian::little, p); }},
      {"nflog-big", 239, [](Bytes p) { return nflog(std::endian::big, p); }},
      {"pktap", 258, [](Bytes p) { return pktap(ethernet(p)); }},
  };
}

// What lies between Ethernet and IP.
inline std::vector<Wrapping> tag_wrappings() {
  using namespace wrap;
  const auto tagged = [](std::vector<unsigned> types) {
    return [types](Bytes p) { return ethernet(p, ether_type_of(p), types); };
  };
  const auto typed = [](unsigned type, Buffer header) {
    return [=](Bytes p) { return ethernet(behind(header, p), type); };
  };
  return {
      {"vlan", link_ethernet, tagged({0x8100})},
      {"qinq", link_ethernet, tagged({0x88a8, 0x8100})},
      {"qinq-old", link_ethernet, tagged({0x9100, 0x8100})},
      {"vlan-stack", link_ethernet, tagged({0x9200, 0x88a8, 0x8100, 0x8100})},
      {"vn-tag", link_ethernet,
       [](Bytes p) {
         return ethernet(Writer().u32(0x00010002).u16(ether_type_of(p)).bytes(p).buffer(), 0x8926);
       }},
      {"provider-backbone", link_ethernet,
       [](Bytes p) {
         return ethernet(Writer().u32(0x00112233).bytes(ethernet(p)).buffer(), 0x88e7);
       }},
      {"mpls", link_ethernet, typed(0x8847, labels(1))},
      {"mpls-stack", link_ethernet, typed(0x8847, labels(4))},
      {"mpls-multicast", link_ethernet, typed(0x8848, labels(2))},
      {"pseudowire", link_ethernet,
       [](Bytes p) { return ethernet(behind(labels(2), ethernet(p)), 0x8847); }},
      {"pseudowire-control-word", link_ethernet,
       [](Bytes p) {
         return ethernet(Writer().bytes(labels(2)).u32(0).bytes(ethernet(p)).buffer(), 0x8847);
       }},
      {"pppoe", link_ethernet, [](Bytes p) { return ethernet(pppoe(ppp(p)), 0x8864); }},
      {"vlan-pppoe", link_ethernet,
       [](Bytes p) { return ethernet(pppoe(ppp(p)), 0x8864, {0x8100}); }},
  };
}

// IP packets that carry another one.
inline std::vector<Wrapping> ip_tunnel_wrappings() {
  using namespace wrap;
  const auto with_flags = [](unsigned flags) {
    return [flags](Bytes p) { return ethernet(gre(flags, ether_type_of(p), p)); };
  };
  const auto version = [](Bytes p) { return is_v6(p) ? 41U : 4U; };
  return {
      {"ip-in-ipv4", link_ethernet, [=](Bytes p) { return ethernet(in_ipv4(version(p), p)); }},
      {"ip-in-ipv6", link_ethernet, [=](Bytes p) { return ethernet(in_ipv6(version(p), p)); }},
      {"authentication-header", link_ethernet, [](Bytes p) { return ethernet(authenticated(p)); }},
      {"etherip", link_ethernet,
       [](Bytes p) {
         return ethernet(in_ipv4(97, behind(bytes_of({0x30, 0}), ethernet(p))));
       }},
      {"mpls-in-ip", link_ethernet,
       [](Bytes p) { return ethernet(in_ipv4(137, behind(labels(2), p))); }},
      {"gre", link_ethernet, with_flags(0)},
      {"gre-checksum", link_ethernet, with_flags(0x8000)},
      {"gre-key", link_ethernet, with_flags(0x2000)},
      {"gre-sequence", link_ethernet, with_flags(0x1000)},
      {"gre-all", link_ethernet, with_flags(0xb000)},
      {"gre-route", link_ethernet, with_flags(0xf000)},
      {"gre-bridged", link_ethernet,
       [](Bytes p) { return ethernet(gre(0x2000, 0x6558, ethernet(p))); }},
      {"gre-mpls", link_ethernet,
       [](Bytes p) { return ethernet(gre(0, 0x8847, behind(labels(1), p))); }},
      {"gre-in-ipv6", link_ethernet,
       [](Bytes p) {
         return ethernet(in_ipv6(47, Writer().u16(0).u16(ether_type_of(p)).bytes(p).buffer()));
       }},
      {"pptp", link_ethernet,
       [](Bytes p) {
         return ethernet(gre(0x3081, 0x880b, behind(bytes_of({0xff, 3}), ppp(p))));
       }},
      {"erspan-1", link_ethernet, [](Bytes p) { return ethernet(gre(0, 0x88be, ethernet(p))); }},
      {"erspan-2", link_ethernet,
       [](Bytes p) {
         return ethernet(
             gre(0x1000, 0x88be, behind(bytes_of({16, 1, 0, 1, 0, 0, 0, 3}), ethernet(p))));
       }},
      {"erspan-3", link_ethernet, [](Bytes p) { return ethernet(erspan_3(false, ethernet(p))); }},
      {"erspan-3-platform", link_ethernet,
       [](Bytes p) { return ethernet(erspan_3(true, ethernet(p))); }},
  };
}

// Overlays that use UDP.
inline std::vector<Wrapping> udp_tunnel_wrappings() {
  using namespace wrap;
  return {
      {"vxlan", link_ethernet, [](Bytes p) { return ethernet(vxlan(4789, 0x08, 0, ethernet(p))); },
       true},
      {"vxlan-vlan", link_ethernet,
       [](Bytes p) {
         return ethernet(vxlan(4789, 0x08, 0, ethernet(p, ether_type_of(p), {0x8100})));
       },
       true},
      {"vxlan-linux-port", link_ethernet,
       [](Bytes p) { return ethernet(vxlan(8472, 0x08, 0, ethernet(p))); }, true},
      {"vxlan-group-policy", link_ethernet,
       [](Bytes p) { return ethernet(vxlan(4789, 0x88, 5, ethernet(p))); }, true},
      {"vxlan-gpe-ip", link_ethernet,
       [](Bytes p) { return ethernet(vxlan(4790, 0x0c, is_v6(p) ? 2 : 1, p)); }, true},
      {"vxlan-gpe-ethernet", link_ethernet,
       [](Bytes p) { return ethernet(vxlan(4790, 0x0c, 3, ethernet(p))); }, true},
      {"geneve", link_ethernet, [](Bytes p) { return ethernet(geneve(0, 0x6558, ethernet(p))); },
       true},
      {"geneve-options", link_ethernet,
       [](Bytes p) { return ethernet(geneve(5, 0x6558, ethernet(p))); }, true},
      {"geneve-ip", link_ethernet, [](Bytes p) { return ethernet(geneve(1, ether_type_of(p), p)); },
       true},
      {"gtp", link_ethernet, [](Bytes p) { return ethernet(gtp(false, p)); }, true},
      {"gtp-extension", link_ethernet, [](Bytes p) { return ethernet(gtp(true, p)); }, true},
      {"vxlan-in-gre", link_linux_cooked,
       [](Bytes p) { return linux_cooked(gre(0, 0x0800, vxlan(4789, 0x08, 0, ethernet(p)))); },
       true},
      {"gre-in-vxlan-in-labels", link_ethernet,
       [](Bytes p) {
         const Buffer inner = ethernet(gre(0x2000, ether_type_of(p), p));
         return ethernet(behind(labels(3), vxlan(4789, 0x08, 0, inner)), 0x8847, {0x88a8, 0x8100});
       },
       true},
  };
}

inline std::vector<Wrapping> all_wrappings() {
  std::vector<Wrapping> all = link_wrappings();
  for (const auto& more : {tag_wrappings(), ip_tunnel_wrappings(), udp_tunnel_wrappings()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

// A segment to put into them.
inline Tcp example_segment(bool is_v6, std::size_t payload_bytes) {
  Tcp segment;
  segment.from = is_v6 ? ipv6_endpoint({0xfe80, 0, 0, 0, 0, 0, 0, 1}, 50'000)
                       : ipv4_endpoint(10, 0, 0, 1, 50'000);
  segment.to =
      is_v6 ? ipv6_endpoint({0xfe80, 0, 0, 0, 0, 0, 0, 2}, 8090) : ipv4_endpoint(10, 0, 0, 2, 8090);
  segment.sequence = 0xfffffff0;
  segment.payload = counting_bytes(payload_bytes);
  return segment;
}

// --- Fragments

// The IP packet in pieces of at most `piece_bytes`, a multiple of eight; a packet that fits stays
// as it is. IPv6 packets must have no extension headers.
inline std::vector<Buffer> fragments_of(Bytes ip_packet, std::size_t piece_bytes,
                                        unsigned identification) {
  const bool is_v6 = ether_type_of(ip_packet) == ether_type_ipv6;
  const std::size_t header_bytes =
      is_v6 ? 40 : std::to_integer<std::size_t>(ip_packet[0] & std::byte{0x0f}) * 4;
  const Bytes header = ip_packet.first(header_bytes);
  const Bytes body = ip_packet.subspan(header_bytes);
  if (body.size() <= piece_bytes) return {Buffer(ip_packet.begin(), ip_packet.end())};
  std::vector<Buffer> pieces;
  for (std::size_t at = 0; at < body.size(); at += piece_bytes) {
    const Bytes part = body.subspan(at, std::min(piece_bytes, body.size() - at));
    const bool more = at + part.size() < body.size();
    Writer piece;
    if (is_v6) {
      piece.bytes(header.first(4)).u16(static_cast<unsigned>(8 + part.size())).u8(44);
      piece.bytes(header.subspan(7)).u8(std::to_integer<unsigned>(header[6])).u8(0);
      piece.u16(static_cast<unsigned>(at) | (more ? 1U : 0U)).u32(identification);
    } else {
      piece.bytes(header.first(2)).u16(static_cast<unsigned>(header_bytes + part.size()));
      piece.u16(identification).u16((more ? 0x2000U : 0U) | static_cast<unsigned>(at / 8));
      piece.bytes(header.subspan(8));
    }
    pieces.push_back(piece.bytes(part).buffer());
  }
  return pieces;
}

}  // namespace support
