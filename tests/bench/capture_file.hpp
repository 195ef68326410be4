// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// A classic pcap file of any size, written packet by packet, the same bytes every time.
//
// It knows TCP and UDP headers and nothing of what they carry; checksums are left out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>

#include "support/frame_builder.hpp"

namespace bench {

using Bytes = std::span<const std::byte>;

inline constexpr std::uint8_t flag_fin = 1;
inline constexpr std::uint8_t flag_syn = 2;
inline constexpr std::uint8_t flag_push = 8;
inline constexpr std::uint8_t flag_ack = 16;

struct Peer {
  std::uint32_t address = 0;
  std::uint16_t port = 0;
  std::uint32_t next = 1000;  // sequence number
};

// A classic pcap file of Ethernet frames with TCP over IPv4.
class CaptureFile {
 public:
  explicit CaptureFile(std::FILE* file) : file_(file) {
    const std::uint32_t header[] = {0xa1b2c3d4, 0x00040002, 0, 0, 262'144, 1};
    put(std::as_bytes(std::span(header)));
  }

  std::uint64_t size() const { return size_; }
  bool failed() const { return failed_; }
  // From now on packets lie so far apart, backwards where it is negative.
  void step(std::int64_t microseconds) { step_ = microseconds; }

  void segment(Peer& from, const Peer& to, std::uint8_t flags, Bytes payload) {
    std::array<std::byte, 20> tcp{};
    const std::span<std::byte> at(tcp);
    big_endian(at, from.port, 2);
    big_endian(at.subspan(2), to.port, 2);
    big_endian(at.subspan(4), from.next, 4);
    big_endian(at.subspan(8), (flags & flag_ack) != 0 ? to.next : 0, 4);
    big_endian(at.subspan(12), 0x5000U | flags, 2);
    big_endian(at.subspan(14), 0xffff, 2);
    packet(from, to, 6, tcp, payload);
    from.next +=
        static_cast<std::uint32_t>(payload.size()) + ((flags & (flag_syn | flag_fin)) != 0 ? 1 : 0);
  }
  void datagram(const Peer& from, const Peer& to, Bytes payload) {
    std::array<std::byte, 8> udp{};
    const std::span<std::byte> at(udp);
    big_endian(at, from.port, 2);
    big_endian(at.subspan(2), to.port, 2);
    big_endian(at.subspan(4), static_cast<std::uint32_t>(udp.size() + payload.size()), 2);
    packet(from, to, 17, udp, payload);
  }

  // A piece of an IP packet, behind which more follow; `place` counts eight bytes.
  void fragment(const Peer& from, const Peer& to, std::uint32_t id, std::uint32_t place,
                Bytes payload) {
    packet(from, to, 6, {}, payload, id << 16U | 0x2000U | place);
  }

 private:
  void packet(const Peer& from, const Peer& to, std::uint32_t protocol, Bytes header, Bytes payload,
              std::uint32_t fragment_fields = 0) {
    std::array<std::byte, 16 + 34> front{};
    const auto length = static_cast<std::uint32_t>(34 + header.size() + payload.size());
    std::span<std::byte> at(front);
    microseconds_ += step_;
    const std::int64_t time = 1'700'000'000'000'000 + microseconds_;
    support::store(at, static_cast<std::uint32_t>(time / 1'000'000));
    support::store(at.subspan(4), static_cast<std::uint32_t>(time % 1'000'000));
    support::store(at.subspan(8), length);
    support::store(at.subspan(12), length);
    at = at.subspan(16);
    big_endian(at.subspan(12), 0x0800U, 2);
    at = at.subspan(14);  // IPv4
    big_endian(at, 0x4500U, 2);
    big_endian(at.subspan(2), length - 14, 2);
    big_endian(at.subspan(4), fragment_fields, 4);
    big_endian(at.subspan(8), 0x4000U | protocol, 2);
    big_endian(at.subspan(12), from.address, 4);
    big_endian(at.subspan(16), to.address, 4);
    put(front);
    put(header);
    put(payload);
  }
  static void big_endian(std::span<std::byte> at, std::uint32_t value, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i)
      at[i] = static_cast<std::byte>(value >> (8 * (bytes - 1 - i)));
  }
  void put(Bytes bytes) {
    if (bytes.empty()) return;  // An empty span may begin nowhere, which fwrite must not be given.
    failed_ = failed_ || std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size();
    size_ += bytes.size();
  }

  std::FILE* file_;
  std::uint64_t size_ = 0;
  std::int64_t microseconds_ = 0;
  std::int64_t step_ = 1;
  bool failed_ = false;
};

}  // namespace bench
