// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The link layers other than Ethernet, PPP and MPLS.
//
// Of the headers of a link layer only what says what follows is read; addresses, directions and
// the names of interfaces are not.
#include <algorithm>
#include <bit>

#include "capture/descent.hpp"

namespace analyzer::capture {
namespace {

// The header is an address family in the byte order of the machine that captured, which need not
// be that of the file; LOOP has it in network order. Families are small, so that only one order
// makes sense. The number of IPv6 differs from system to system.
Decoded peel_family(Descent& descent, Layer frame, std::size_t header_bytes) {
  if (!frame.has(header_bytes)) return frame.without(header_bytes);
  std::uint32_t family = frame.u32(0);
  if (family > 0xffff) family = load_u32(frame.captured(), 0, std::endian::little);
  switch (family) {
    case 2:  // every system
      return peel_ipv4(descent, frame.after(header_bytes));
    case 10:  // Linux
    case 24:  // NetBSD, OpenBSD
    case 28:  // FreeBSD
    case 30:  // macOS
      return peel_ipv6(descent, frame.after(header_bytes));
    default:
      return Skipped::other_protocol;
  }
}

Decoded peel_cooked(Descent& descent, Layer frame, std::size_t header_bytes,
                    std::size_t protocol_at) {
  constexpr std::uint16_t llc_frame = 4;
  if (!frame.has(header_bytes)) return frame.without(header_bytes);
  const std::uint16_t protocol = frame.u16(protocol_at);
  const Layer rest = frame.after(header_bytes);
  if (protocol == llc_frame) return peel_llc(descent, rest);
  return peel_ether_type(descent, protocol, rest);
}

// --- PPP

Decoded peel_cisco_hdlc(Descent& descent, Layer frame) {
  constexpr std::size_t header_bytes = 4;
  if (!frame.has(header_bytes)) return frame.without(header_bytes);
  return peel_ether_type(descent, frame.u16(2), frame.after(header_bytes));
}

// PPP as it is on a serial line, or Cisco's framing where its addresses say so.
Decoded peel_hdlc(Descent& descent, Layer frame) {
  if (!frame.has(1)) return frame.without(1);
  const bool is_cisco = frame.u8(0) == 0x0f || frame.u8(0) == 0x8f;
  return is_cisco ? peel_cisco_hdlc(descent, frame) : peel_ppp(descent, frame);
}

Decoded peel_behind_direction(Descent& descent, Layer frame, Decoded (*peel)(Descent&, Layer)) {
  if (!frame.has(1)) return frame.without(1);
  return peel(descent, frame.after(1));
}

// pppd writes the direction in place of the address.
Decoded peel_pppd(Descent& descent, Layer frame) {
  if (!frame.has(2)) return frame.without(2);
  return peel_ppp(descent, frame.u8(1) == 0x03 ? frame.after(2) : frame.after(1));
}

// --- Records of other programs

// Linux writes a list of attributes in its own byte order, one of which is the packet.
Decoded peel_nflog(Descent& descent, Layer frame) {
  constexpr std::size_t header_bytes = 4;
  constexpr std::uint32_t attribute_bytes = 4;
  constexpr std::uint16_t payload = 9;
  if (!frame.has(header_bytes)) return frame.without(header_bytes);
  if (frame.u8(1) != 0) return Skipped::other_protocol;  // of a version to come
  Layer rest = frame.after(header_bytes);
  while (rest.length() != 0) {
    if (!rest.has(attribute_bytes)) return rest.without(attribute_bytes);
    // Types are small; the high bits of the upper byte are flags.
    const bool is_little = (rest.u8(3) & 0x3f) == 0;
    const std::endian order = is_little ? std::endian::little : std::endian::big;
    const std::uint32_t length = load_u16(rest.captured(), 0, order);
    if (length < attribute_bytes || length > rest.length()) return Skipped::malformed;
    if (load_u16(rest.captured(), 2, order) == payload)
      return peel_ip(descent, rest.after(attribute_bytes).with_length(length - attribute_bytes));
    const std::uint32_t padded = (length + 3) / 4 * 4;
    rest = rest.after(std::min(padded, rest.length()));
  }
  return Skipped::other_protocol;
}

// macOS names the link layer of each packet.
Decoded peel_pktap(Descent& descent, Layer frame) {
  constexpr std::size_t least_bytes = 12;
  constexpr std::uint32_t a_packet = 1;
  if (!descent.deeper()) return Skipped::too_deep;
  if (!frame.has(least_bytes)) return frame.without(least_bytes);
  const auto number = [&frame](std::size_t at) {
    return load_u32(frame.captured(), at, std::endian::little);
  };
  const std::uint32_t header_bytes = number(0);
  if (header_bytes < least_bytes) return Skipped::malformed;
  if (number(4) != a_packet) return Skipped::other_protocol;
  if (!frame.has(header_bytes)) return frame.without(header_bytes);
  const Decoded inner = peel_link(descent, number(8), frame.after(header_bytes));
  const auto* skipped = std::get_if<Skipped>(&inner);
  const bool is_unknown = skipped != nullptr && *skipped == Skipped::unknown_link_type;
  // Counted as such it would stand for the link type of the capture, which is known.
  return is_unknown ? Skipped::other_protocol : inner;
}

// --- MPLS

// What a label stack carries is agreed upon between routers and not told. An Ethernet frame shows
// itself by a type that is followed by what it says.
bool looks_like_ethernet(Layer frame) {
  constexpr std::size_t frame_header_bytes = 14;
  if (frame.captured_bytes() <= frame_header_bytes) return false;
  const unsigned version = frame.u8(frame_header_bytes) >> 4;
  switch (frame.u16(12)) {
    case ether_ipv4:
      return version == 4;
    case ether_ipv6:
      return version == 6;
    case ether_vlan:
    case ether_provider_vlan:
    case ether_mpls:
    case ether_pppoe_session:
      return true;
    default:
      return false;
  }
}

bool looks_like_ip(Layer layer) {
  if (layer.captured_bytes() < 4) return false;
  const unsigned version = layer.u8(0) >> 4;
  if (version == 6) return true;
  const std::uint32_t header_bytes = (layer.u8(0) & 0x0fU) * 4;
  const std::uint32_t total_length = layer.u16(2);
  return version == 4 && header_bytes >= 20 &&
         (total_length == 0 || (total_length >= header_bytes && total_length <= layer.length()));
}

}  // namespace

Decoded peel_link(Descent& descent, std::uint32_t link_type, Layer frame) {
  switch (link_type) {
    case link_ethernet:
      return peel_ethernet(descent, frame);
    case link_null:
    case link_loop:
      return peel_family(descent, frame, 4);
    case link_enc:
      return peel_family(descent, frame, 12);
    case link_linux_cooked:
      return peel_cooked(descent, frame, 16, 14);
    case link_linux_cooked_v2:
      return peel_cooked(descent, frame, 20, 0);
    case link_raw:
    case link_raw_bsd:
    case link_raw_openbsd:
      return peel_ip(descent, frame);
    case link_ipv4:
      return peel_ipv4(descent, frame);
    case link_ipv6:
      return peel_ipv6(descent, frame);
    case link_ppp:
    case link_ppp_hdlc:
      return peel_hdlc(descent, frame);
    case link_ppp_with_direction:
      return peel_behind_direction(descent, frame, peel_hdlc);
    case link_ppp_pppd:
      return peel_pppd(descent, frame);
    case link_ppp_over_ethernet:
      return peel_pppoe(descent, frame);
    case link_cisco_hdlc:
      return peel_cisco_hdlc(descent, frame);
    case link_cisco_hdlc_with_direction:
      return peel_behind_direction(descent, frame, peel_cisco_hdlc);
    case link_mpls:
      return peel_mpls(descent, frame);
    case link_nflog:
      return peel_nflog(descent, frame);
    case link_pktap:
      return peel_pktap(descent, frame);
    default:
      return Skipped::unknown_link_type;
  }
}

Decoded peel_pppoe(Descent& descent, Layer layer) {
  constexpr std::size_t header_bytes = 6;
  constexpr std::uint16_t session_data = 0x1100;  // version 1, type 1, code 0
  if (!layer.has(header_bytes)) return layer.without(header_bytes);
  if (layer.u16(0) != session_data) return Skipped::other_protocol;
  return peel_ppp(descent, layer.after(header_bytes).with_length(layer.u16(4)));
}

// Behind the address and control fields, where they are there.
Decoded peel_ppp(Descent& descent, Layer layer) {
  constexpr std::uint16_t all_stations = 0xff03;
  if (!descent.deeper()) return Skipped::too_deep;
  if (!layer.has(2)) return layer.without(2);
  if (layer.u16(0) == all_stations) layer = layer.after(2);
  if (!layer.has(1)) return layer.without(1);
  // An odd number is the last byte; peers may agree to leave out a first byte of zero.
  const bool is_compressed = (layer.u8(0) & 1) != 0;
  const std::size_t protocol_bytes = is_compressed ? 1 : 2;
  if (!layer.has(protocol_bytes)) return layer.without(protocol_bytes);
  const unsigned protocol = is_compressed ? layer.u8(0) : layer.u16(0);
  const Layer rest = layer.after(protocol_bytes);
  switch (protocol) {
    case 0x0021:
      return peel_ipv4(descent, rest);
    case 0x0057:
      return peel_ipv6(descent, rest);
    case 0x0281:
    case 0x0283:
      return peel_mpls(descent, rest);
    default:
      return Skipped::other_protocol;
  }
}

Decoded peel_mpls(Descent& descent, Layer layer) {
  constexpr std::size_t label_bytes = 4;
  constexpr std::size_t control_word_bytes = 4;
  for (bool is_bottom = false; !is_bottom; layer = layer.after(label_bytes)) {
    if (!descent.deeper()) return Skipped::too_deep;
    if (!layer.has(label_bytes)) return layer.without(label_bytes);
    is_bottom = (layer.u8(2) & 1) != 0;
  }
  if (!layer.has(1)) return layer.without(1);
  if (looks_like_ip(layer)) return peel_ip(descent, layer);
  if (looks_like_ethernet(layer)) return peel_ethernet(descent, layer);
  switch (layer.u8(0) >> 4) {
    case 0: {  // a pseudowire with a control word
      if (!layer.has(control_word_bytes)) return layer.without(control_word_bytes);
      const Layer frame = layer.after(control_word_bytes);
      return peel_ethernet(descent, frame);
    }
    case 4:
    case 6:
      return peel_ip(descent, layer);
    default:
      return Skipped::other_protocol;
  }
}

}  // namespace analyzer::capture
