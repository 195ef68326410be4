// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// TLS records (RFC 8446, 5.1) of one direction, as far as they show without a key: their types,
// their lengths, and an alert that is not encrypted.
//
// A state machine that is fed with bytes in order and keeps nothing of them. It never guesses where
// a record begins: after a hole the direction is lost.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "stream/byte_stream.hpp"

namespace analyzer::stream {

struct TlsAlert {
  std::uint8_t level = 0;  // 2: fatal
  std::uint8_t description = 0;
  std::uint64_t packet = 0;
};

class TlsRecords {
 public:
  static constexpr std::uint8_t fatal = 2;

  void feed(Bytes bytes, std::uint64_t packet);
  void lose() { is_lost_ = true; }

  // Whether the direction was read without a gap, from its first byte on.
  bool is_whole() const { return !is_lost_; }
  // A record of the handshake came in clear: the hello of the side.
  bool said_hello() const { return said_hello_; }
  std::uint64_t protected_records() const { return protected_records_; }
  // Of the first of them; packets are those of a record's last byte.
  std::uint32_t protected_length() const { return protected_length_; }
  std::uint64_t protected_packet() const { return protected_packet_; }
  const std::optional<TlsAlert>& alert() const { return alert_; }

 private:
  void begin();
  void end(std::uint64_t packet);

  static constexpr std::size_t header_bytes = 5;
  std::array<std::uint8_t, header_bytes> header_{};
  std::array<std::uint8_t, 2> front_{};  // the first bytes of the record
  std::size_t header_taken_ = 0;
  std::uint32_t length_ = 0;
  std::uint32_t taken_ = 0;
  bool is_lost_ = false;
  bool said_hello_ = false;
  std::uint64_t protected_records_ = 0;
  std::uint32_t protected_length_ = 0;
  std::uint64_t protected_packet_ = 0;
  std::optional<TlsAlert> alert_;
};

}  // namespace analyzer::stream
