// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Fuzzes the layers of packets: link layers, tunnels and fragments, over several packets of one
// capture. Beyond memory safety it checks what the headers promise.
//
// The input is a row of packets: two bytes of link type, two of captured and two of missing length,
// one of seconds since the packet before, then the bytes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "capture/layers.hpp"
#include "capture/load.hpp"
#include "support/require.hpp"

namespace {

using namespace analyzer::capture;
using fuzz::require;

void check(const Packet& packet, const TcpSegment& segment) {
  require(segment.packet == packet.number && segment.time == packet.time, "the packet is named");
  require(segment.payload.size() <= segment.payload_length, "lengths as sent");
  unsigned sum = 0;  // reads every byte
  for (const std::byte byte : segment.payload) sum += std::to_integer<unsigned>(byte);
  require(sum <= 255 * segment.payload.size(), "the payload can be read");
}

void check(const Packet& packet, const UdpDatagram& datagram) {
  require(datagram.packet == packet.number && datagram.time == packet.time, "the packet is named");
  require(datagram.payload.size() <= datagram.payload_length, "lengths as sent");
}

void check(const Packet&, Skipped) {}
void check(const Packet&, Held) {}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t front_bytes = 7;
  Bytes rest = std::as_bytes(std::span(data, size));
  Decoder decoder;
  Packet packet;
  std::uint64_t skipped = 0;
  while (rest.size() >= front_bytes) {
    const auto number = [&rest](std::size_t at) { return load_u16(rest, at, std::endian::big); };
    const std::size_t captured = std::min<std::size_t>(number(2), rest.size() - front_bytes);
    ++packet.number;
    packet.time += std::int64_t{load_u8(rest, 6)} * 1'000'000'000;
    packet.link_type = number(0);
    packet.bytes = rest.subspan(front_bytes, captured);
    packet.wire_length = static_cast<std::uint32_t>(captured + number(4));
    rest = rest.subspan(front_bytes + captured);
    const Decoded alone = decode(packet);
    require(!std::holds_alternative<Held>(alone), "nothing waits for a packet alone");
    const Decoded decoded = decoder.decode(packet);
    // What a packet gives by itself does not depend on those before it.
    const auto* reason = std::get_if<Skipped>(&alone);
    const bool is_fragment = reason != nullptr && *reason == Skipped::fragment;
    require(is_fragment || alone.index() == decoded.index(), "packets stand alone");
    skipped += std::holds_alternative<Skipped>(decoded) ? 1 : 0;
    std::visit([&](const auto& result) { check(packet, result); }, decoded);
  }
  std::uint64_t counted = 0;
  for (const auto& [reason, count] : decoder.finish().by_reason) counted += count;
  require(counted >= skipped && counted <= packet.number, "each packet counts once");
  return 0;
}
