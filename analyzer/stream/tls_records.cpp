// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The state machine of tls_records.hpp.
#include "stream/tls_records.hpp"

#include <algorithm>

namespace analyzer::stream {
namespace {

// Types of records, and the most bytes of one (RFC 8446, 5.1 and 5.2).
constexpr std::uint8_t change_cipher_spec = 20;
constexpr std::uint8_t alert_record = 21;
constexpr std::uint8_t handshake = 22;
constexpr std::uint8_t application_data = 23;
constexpr std::uint32_t longest = (1U << 14) + 256;

}  // namespace

void TlsRecords::feed(Bytes bytes, std::uint64_t packet) {
  std::size_t at = 0;
  while (at < bytes.size() && !is_lost_) {
    if (header_taken_ < header_bytes) {
      header_[header_taken_++] = std::to_integer<std::uint8_t>(bytes[at++]);
      if (header_taken_ == header_bytes) begin();
      if (header_taken_ < header_bytes || length_ != 0) continue;
    } else {
      const auto more =
          static_cast<std::uint32_t>(std::min<std::size_t>(length_ - taken_, bytes.size() - at));
      for (std::uint32_t i = 0; taken_ + i < front_.size() && i < more; ++i)
        front_[taken_ + i] = std::to_integer<std::uint8_t>(bytes[at + i]);
      taken_ += more;
      at += more;
    }
    if (taken_ == length_) end(packet);
  }
}

void TlsRecords::begin() {
  length_ = static_cast<std::uint32_t>(header_[3]) << 8 | header_[4];
  taken_ = 0;
  const bool is_record = header_[0] >= change_cipher_spec && header_[0] <= application_data &&
                         header_[1] == 3 && length_ <= longest;
  if (!is_record) is_lost_ = true;
}

void TlsRecords::end(std::uint64_t packet) {
  header_taken_ = 0;
  switch (header_[0]) {
    case handshake:
      said_hello_ = true;
      break;
    case alert_record:
      // An encrypted one is longer.
      if (length_ == front_.size() && !alert_) alert_ = TlsAlert{front_[0], front_[1], packet};
      break;
    case application_data:
      if (protected_records_++ != 0) break;
      protected_length_ = length_;
      protected_packet_ = packet;
      break;
    default:
      break;
  }
}

}  // namespace analyzer::stream
