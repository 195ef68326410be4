// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What the readers of capture files hand on: packets as recorded, and the segments inside them.
//
// Everything here is a view into the reader's buffer and is valid only during the call that gets
// it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace analyzer::capture {

using Bytes = std::span<const std::byte>;

// One record of a capture file.
struct Packet {
  std::uint64_t number = 0;  // from 1, counted over all files of a run, as Wireshark numbers them
  std::int64_t time = 0;     // nanoseconds since the Unix epoch; 0 where has_time is false
  bool has_time = true;      // pcapng Simple Packet Blocks have none
  std::uint16_t link_type = 0;    // LINKTYPE_* of the interface
  std::uint32_t interface = 0;    // index in its section
  Bytes bytes;                    // as captured
  std::uint32_t wire_length = 0;  // as sent; never below bytes.size()
};

// An IP address; IPv4 is kept as ::ffff:a.b.c.d so that one type serves both.
struct Address {
  std::array<std::uint8_t, 16> octets{};
  bool is_v4 = false;
  friend bool operator==(const Address&, const Address&) = default;
  friend auto operator<=>(const Address&, const Address&) = default;
};

struct Endpoint {
  Address address;
  std::uint16_t port = 0;
  friend bool operator==(const Endpoint&, const Endpoint&) = default;
  friend auto operator<=>(const Endpoint&, const Endpoint&) = default;
};

// TCP flags that matter here.
struct TcpFlags {
  bool fin = false;
  bool syn = false;
  bool rst = false;
  bool ack = false;
  friend bool operator==(const TcpFlags&, const TcpFlags&) = default;
};

// One TCP segment of one packet.
struct TcpSegment {
  std::uint64_t packet = 0;  // number of its packet
  std::int64_t time = 0;     // nanoseconds since the Unix epoch
  Endpoint from;
  Endpoint to;
  std::uint32_t sequence = 0;
  std::uint32_t acknowledgement = 0;  // meaningful with flags.ack
  TcpFlags flags;
  std::uint16_t window = 0;          // as in the header, without its scale
  std::uint8_t window_scale = 0;     // of a SYN: what it offers, the largest where that is cut off
  std::uint16_t ip_id = 0;           // identification of the IPv4 packet; 0: none
  Bytes payload;                     // as captured
  std::uint32_t payload_length = 0;  // as sent, in bytes; never below payload.size()
};

// One UDP datagram of one packet.
struct UdpDatagram {
  std::uint64_t packet = 0;
  std::int64_t time = 0;
  Endpoint from;
  Endpoint to;
  Bytes payload;
  std::uint32_t payload_length = 0;
};

}  // namespace analyzer::capture
