// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Builds packets and capture files in memory, for tests.
//
// Read it from the inside out: tcp() or udp() makes a segment, ip() puts it into an IP packet,
// ethernet() and its like into a frame, and PcapFile or PcapngFile record frames. Everything that
// may be wrong in a real capture can be made wrong here, so nothing is checked. Checksums are 0, as
// they are in captures with offload. It must not use the code under test.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "capture/packet.hpp"

namespace support {

using analyzer::capture::Address;
using analyzer::capture::Bytes;
using analyzer::capture::Endpoint;
using analyzer::capture::TcpFlags;
using Buffer = std::vector<std::byte>;

// --- Bytes and numbers

// Appends numbers and bytes to a buffer. Network order unless said otherwise.
class Writer {
 public:
  explicit Writer(std::endian order = std::endian::big) : order_(order) {}

  Writer& u8(unsigned value) { return number(value, 1); }
  Writer& u16(unsigned value) { return number(value, 2); }
  Writer& u32(std::uint64_t value) { return number(value, 4); }
  Writer& u64(std::uint64_t value) { return number(value, 8); }
  Writer& bytes(Bytes more) {
    buffer_.insert(buffer_.end(), more.begin(), more.end());
    return *this;
  }
  Writer& zeros(std::size_t count) {
    buffer_.resize(buffer_.size() + count);
    return *this;
  }
  // Fills up with zeros to a multiple of four bytes.
  Writer& pad() { return zeros((4 - buffer_.size() % 4) % 4); }

  const Buffer& buffer() const { return buffer_; }

 private:
  Writer& number(std::uint64_t value, unsigned size) {
    for (unsigned i = 0; i < size; ++i) {
      const unsigned shift = 8 * (order_ == std::endian::little ? i : size - 1 - i);
      buffer_.push_back(static_cast<std::byte>(value >> shift & 0xff));
    }
    return *this;
  }

  std::endian order_;
  Buffer buffer_;
};

inline Buffer bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

inline Buffer bytes_of(std::initializer_list<unsigned> values) {
  Writer writer;
  for (const unsigned value : values) writer.u8(value);
  return writer.buffer();
}

// `count` bytes that differ from their neighbours, so that a shifted copy is noticed.
inline Buffer counting_bytes(std::size_t count, unsigned first = 0) {
  Buffer buffer(count);
  for (std::size_t i = 0; i < count; ++i) {
    buffer[i] = static_cast<std::byte>((first + i * 7 + i / 256) & 0xff);
  }
  return buffer;
}

// The first `count` bytes, as a capture with that snap length keeps them.
inline Buffer cut(Buffer buffer, std::size_t count) {
  if (count < buffer.size()) buffer.resize(count);
  return buffer;
}

// --- Addresses

inline Address ipv4_address(unsigned a, unsigned b, unsigned c, unsigned d) {
  Address address;
  address.is_v4 = true;
  address.octets[10] = 0xff;
  address.octets[11] = 0xff;
  const std::array<unsigned, 4> octets{a, b, c, d};
  for (std::size_t i = 0; i < 4; ++i) {
    address.octets[12 + i] = static_cast<std::uint8_t>(octets[i]);
  }
  return address;
}

inline Address ipv6_address(const std::array<unsigned, 8>& groups) {
  Address address;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    address.octets[2 * i] = static_cast<std::uint8_t>(groups[i] >> 8);
    address.octets[2 * i + 1] = static_cast<std::uint8_t>(groups[i] & 0xff);
  }
  return address;
}

inline Endpoint ipv4_endpoint(unsigned a, unsigned b, unsigned c, unsigned d, std::uint16_t port) {
  return {ipv4_address(a, b, c, d), port};
}

inline Endpoint ipv6_endpoint(const std::array<unsigned, 8>& groups, std::uint16_t port) {
  return {ipv6_address(groups), port};
}

// --- TCP and UDP

struct Tcp {
  Endpoint from;
  Endpoint to;
  std::uint32_t sequence = 0;
  std::uint32_t acknowledgement = 0;
  TcpFlags flags{.ack = true};
  Buffer payload{};
  Buffer options{};                             // padded to four bytes with zeros
  std::optional<unsigned> data_offset_words{};  // instead of the right one
};

inline Buffer tcp(const Tcp& segment) {
  const Buffer options = Writer().bytes(segment.options).pad().buffer();
  const auto words = static_cast<unsigned>(5 + options.size() / 4);
  const TcpFlags& flags = segment.flags;
  const unsigned flag_bits = (flags.fin ? 1U : 0U) | (flags.syn ? 2U : 0U) | (flags.rst ? 4U : 0U) |
                             (flags.ack ? 16U : 0U);
  return Writer()
      .u16(segment.from.port)
      .u16(segment.to.port)
      .u32(segment.sequence)
      .u32(segment.acknowledgement)
      .u8(segment.data_offset_words.value_or(words) << 4)
      .u8(flag_bits)
      .u16(65'535)  // window
      .u32(0)       // checksum, urgent pointer
      .bytes(options)
      .bytes(segment.payload)
      .buffer();
}

struct Udp {
  Endpoint from;
  Endpoint to;
  Buffer payload{};
  std::optional<unsigned> length{};  // instead of the right one
};

inline Buffer udp(const Udp& datagram) {
  return Writer()
      .u16(datagram.from.port)
      .u16(datagram.to.port)
      .u16(datagram.length.value_or(static_cast<unsigned>(8 + datagram.payload.size())))
      .u16(0)
      .bytes(datagram.payload)
      .buffer();
}

// --- IP

constexpr unsigned protocol_tcp = 6;
constexpr unsigned protocol_udp = 17;

struct Ipv4 {
  Address from;
  Address to;
  unsigned protocol = protocol_tcp;
  Buffer body{};
  Buffer options{};                        // padded to four bytes with zeros
  std::optional<unsigned> total_length{};  // instead of the right one; 0 as with offload
  std::optional<unsigned> header_words{};  // instead of the right one
  std::optional<unsigned> version{};       // instead of 4
  unsigned fragment_offset_bytes = 0;      // a multiple of eight
  bool more_fragments = false;
};

inline Buffer ipv4(const Ipv4& packet) {
  const Buffer options = Writer().bytes(packet.options).pad().buffer();
  const auto words = static_cast<unsigned>(5 + options.size() / 4);
  const auto total = static_cast<unsigned>(20 + options.size() + packet.body.size());
  return Writer()
      .u8(packet.version.value_or(4) << 4 | packet.header_words.value_or(words))
      .u8(0)
      .u16(packet.total_length.value_or(total))
      .u16(1)  // identification
      .u16((packet.more_fragments ? 0x2000U : 0U) | packet.fragment_offset_bytes / 8)
      .u8(64)  // time to live
      .u8(packet.protocol)
      .u16(0)
      .bytes(std::as_bytes(std::span(packet.from.octets).subspan(12)))
      .bytes(std::as_bytes(std::span(packet.to.octets).subspan(12)))
      .bytes(options)
      .bytes(packet.body)
      .buffer();
}

// One extension header of IPv6. `body` is what follows its first two bytes and should make the
// whole a multiple of eight bytes (of four for 51, the authentication header).
struct Ipv6Extension {
  unsigned type = 0;
  Buffer body = Buffer(6);
};

struct Ipv6 {
  Address from;
  Address to;
  unsigned protocol = protocol_tcp;
  Buffer body{};
  std::vector<Ipv6Extension> extensions{};
  std::optional<unsigned> payload_length{};  // instead of the right one; 0 as with offload
};

// What is behind the first two bytes of a fragment header (type 44).
inline Buffer fragment_fields(unsigned offset_bytes, bool more) {
  return Writer().u16(offset_bytes | (more ? 1U : 0U)).u32(1).buffer();
}

inline Buffer ipv6(const Ipv6& packet) {
  Writer rest;
  for (std::size_t i = 0; i < packet.extensions.size(); ++i) {
    const Ipv6Extension& extension = packet.extensions[i];
    const bool last = i + 1 == packet.extensions.size();
    const auto size = static_cast<unsigned>(2 + extension.body.size());
    const unsigned length = extension.type == 44   ? 0
                            : extension.type == 51 ? size / 4 - 2
                                                   : size / 8 - 1;
    rest.u8(last ? packet.protocol : packet.extensions[i + 1].type)
        .u8(length)
        .bytes(extension.body);
  }
  rest.bytes(packet.body);
  const auto length = static_cast<unsigned>(rest.buffer().size());
  return Writer()
      .u32(0x60000000)
      .u16(packet.payload_length.value_or(length))
      .u8(packet.extensions.empty() ? packet.protocol : packet.extensions.front().type)
      .u8(64)  // hop limit
      .bytes(std::as_bytes(std::span(packet.from.octets)))
      .bytes(std::as_bytes(std::span(packet.to.octets)))
      .bytes(rest.buffer())
      .buffer();
}

// The usual IP packet of a segment or datagram; its version is that of the addresses.
inline Buffer ip(const Tcp& segment) {
  const Address& from = segment.from.address;
  const Address& to = segment.to.address;
  if (from.is_v4) return ipv4({.from = from, .to = to, .body = tcp(segment)});
  return ipv6({.from = from, .to = to, .body = tcp(segment)});
}

inline Buffer ip(const Udp& datagram) {
  const Address& from = datagram.from.address;
  const Address& to = datagram.to.address;
  const Buffer body = udp(datagram);
  if (from.is_v4) return ipv4({.from = from, .to = to, .protocol = protocol_udp, .body = body});
  return ipv6({.from = from, .to = to, .protocol = protocol_udp, .body = body});
}

// --- Link layers

constexpr std::uint16_t link_null = 0;
constexpr std::uint16_t link_ethernet = 1;
constexpr std::uint16_t link_raw = 101;
constexpr std::uint16_t link_loop = 108;
constexpr std::uint16_t link_linux_cooked = 113;
constexpr std::uint16_t link_ipv4 = 228;
constexpr std::uint16_t link_ipv6 = 229;
constexpr std::uint16_t link_linux_cooked_v2 = 276;

constexpr unsigned ether_type_ipv4 = 0x0800;
constexpr unsigned ether_type_ipv6 = 0x86dd;

// The EtherType of an IP packet, by the version in its first byte.
inline unsigned ether_type_of(Bytes ip_packet) {
  const bool is_v6 = !ip_packet.empty() && std::to_integer<unsigned>(ip_packet[0]) >> 4 == 6;
  return is_v6 ? ether_type_ipv6 : ether_type_ipv4;
}

// `vlan_types` are the EtherTypes of the tags, the outermost first.
inline Buffer ethernet(Bytes body, unsigned type, const std::vector<unsigned>& vlan_types = {}) {
  Writer frame;
  frame.bytes(bytes_of({2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2}));
  unsigned vlan = 100;
  for (const unsigned vlan_type : vlan_types) frame.u16(vlan_type).u16(vlan++);
  return frame.u16(type).bytes(body).buffer();
}

inline Buffer ethernet(Bytes ip_packet) {
  return ethernet(ip_packet, ether_type_of(ip_packet));
}

// BSD loopback: LINKTYPE_NULL in the order of the machine, LINKTYPE_LOOP in network order.
inline Buffer loopback(Bytes ip_packet, unsigned family, std::endian order) {
  return Writer(order).u32(family).bytes(ip_packet).buffer();
}

inline Buffer linux_cooked(Bytes ip_packet) {
  return Writer()
      .u16(0)    // sent to us
      .u16(772)  // loopback device
      .u16(6)
      .zeros(8)  // link-layer address
      .u16(ether_type_of(ip_packet))
      .bytes(ip_packet)
      .buffer();
}

inline Buffer linux_cooked_v2(Bytes ip_packet) {
  return Writer()
      .u16(ether_type_of(ip_packet))
      .u16(0)
      .u32(1)    // interface index
      .u16(772)  // loopback device
      .u8(0)     // sent to us
      .u8(6)
      .zeros(8)  // link-layer address
      .bytes(ip_packet)
      .buffer();
}

}  // namespace support
