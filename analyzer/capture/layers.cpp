// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Peels a packet from its link layer on, and counts those that give nothing. Ethernet is here.
//
// Ids of VLANs are stepped over: a packet that was captured once with its tag and once without is
// one packet. See ARCHITECTURE.md.
#include "capture/layers.hpp"

#include <algorithm>
#include <utility>

#include "capture/descent.hpp"
#include "capture/fragments.hpp"

namespace analyzer::capture {
namespace {

// Nearly every packet is Ethernet with IPv4, and a call costs as much as a layer: these are inlined
// where such a packet comes by.
[[gnu::always_inline]] inline Decoded ether_type(Descent& descent, std::uint16_t type,
                                                 Layer layer) {
  for (;;) {
    std::size_t tag_bytes = 4;  // the last two of which are the next type
    switch (type) {
      case ether_ipv4:
        return peel_ipv4(descent, layer);
      case ether_ipv6:
        return peel_ipv6(descent, layer);
      case ether_vlan:
      case ether_provider_vlan:
      case ether_old_provider_vlan:
      case ether_older_provider_vlan:
        break;
      case ether_vn_tag:
        tag_bytes = 6;
        break;
      case ether_mpls:
      case ether_mpls_multicast:
        return peel_mpls(descent, layer);
      case ether_pppoe_session:
        return peel_pppoe(descent, layer);
      case ether_provider_backbone:
        if (!layer.has(tag_bytes)) return layer.without(tag_bytes);
        return peel_ethernet(descent, layer.after(tag_bytes));
      default:
        // The length of an LLC frame, which its header has at least, or a type that is not known.
        if (type > largest_length || type < 3) return Skipped::other_protocol;
        return peel_llc(descent, layer.with_length(type));
    }
    if (!descent.deeper()) return Skipped::too_deep;
    if (!layer.has(tag_bytes)) return layer.without(tag_bytes);
    type = layer.u16(tag_bytes - 2);
    layer = layer.after(tag_bytes);
  }
}

[[gnu::always_inline]] inline Decoded ethernet(Descent& descent, Layer frame) {
  constexpr std::size_t header_bytes = 14;
  if (!descent.deeper()) return Skipped::too_deep;
  if (!frame.has(header_bytes)) return frame.without(header_bytes);
  return ether_type(descent, frame.u16(12), frame.after(header_bytes));
}

[[gnu::always_inline]] inline Decoded peel(Fragments* fragments, const Packet& packet) {
  const auto captured = static_cast<std::uint32_t>(packet.bytes.size());
  const Layer frame(packet.bytes, std::max(packet.wire_length, captured));
  Descent descent{.packet = packet, .fragments = fragments};
  return packet.link_type == link_ethernet ? ethernet(descent, frame)
                                           : peel_link(descent, packet.link_type, frame);
}

}  // namespace

Decoded peel_ethernet(Descent& descent, Layer frame) {
  return ethernet(descent, frame);
}

Decoded peel_ether_type(Descent& descent, std::uint16_t type, Layer layer) {
  return type < first_ether_type ? Skipped::other_protocol : ether_type(descent, type, layer);
}

// IEEE 802.2, of which IP uses SNAP, or the service access point of IP itself.
Decoded peel_llc(Descent& descent, Layer layer) {
  constexpr std::size_t snap_bytes = 8;
  constexpr std::size_t llc_bytes = 3;
  if (!layer.has(llc_bytes)) return layer.without(llc_bytes);
  const unsigned access_points = layer.u16(0);
  if (layer.u8(2) != 0x03) return Skipped::other_protocol;  // not unnumbered information
  if (access_points == 0x0606) return peel_ip(descent, layer.after(llc_bytes));
  if (access_points != 0xaaaa) return Skipped::other_protocol;
  if (!layer.has(snap_bytes)) return layer.without(snap_bytes);
  const std::uint32_t organisation = layer.u32(2) & 0xffffff;
  // EtherTypes, as such or as a bridge translated them.
  if (organisation != 0 && organisation != 0x0000f8) return Skipped::other_protocol;
  return peel_ether_type(descent, layer.u16(6), layer.after(snap_bytes));
}

Decoded decode(const Packet& packet) {
  return peel(nullptr, packet);
}

Decoder::Decoder(std::uint64_t fragment_bytes)
    : fragments_(std::make_unique<Fragments>(FragmentLimits{.bytes = fragment_bytes})) {}
Decoder::~Decoder() = default;
Decoder::Decoder(Decoder&&) noexcept = default;
Decoder& Decoder::operator=(Decoder&&) noexcept = default;

Decoded Decoder::decode(const Packet& packet) {
  fragments_->release_whole();
  Decoded decoded = peel(fragments_.get(), packet);
  if (const Skipped* const skipped = std::get_if<Skipped>(&decoded)) {
    ++skipped_.by_reason[*skipped];
    if (*skipped == Skipped::unknown_link_type) ++skipped_.unknown_link_types[packet.link_type];
  }
  return decoded;
}

SkippedPackets Decoder::finish() {
  fragments_->finish();
  const FragmentCounts& counts = fragments_->counts();
  if (counts.incomplete != 0) skipped_.by_reason[Skipped::fragment] += counts.incomplete;
  if (counts.overlapping != 0) skipped_.by_reason[Skipped::fragment_overlap] += counts.overlapping;
  skipped_.fragmented_packets_given_up = counts.given_up;
  return std::move(skipped_);
}

}  // namespace analyzer::capture
