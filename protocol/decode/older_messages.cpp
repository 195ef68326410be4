// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The lengths of older_messages.hpp.
#include "decode/older_messages.hpp"

#include <algorithm>

#include "describe/proofs.hpp"
#include "iggy/older/messages.hpp"

namespace iggy::decode {

namespace {

using describe::offset_of;
using describe::place_of;

constexpr std::uint64_t index_bytes = place_of(older::message_index, "timestamp").end;
constexpr std::size_t payload_length_at =
    offset_of<std::uint32_t>(older::message, "payload_length");
constexpr std::size_t headers_length_at =
    offset_of<std::uint32_t>(older::message, "user_headers_length");
constexpr std::size_t reserved_at = offset_of<std::uint64_t>(older::message, "reserved");

}  // namespace

void OlderMessages::begin(std::uint32_t count, std::uint32_t size) {
  static_assert(header_bytes == place_of(older::message, "payload").begin);
  *this = {};
  count_ = count;
  left_ = size;
  skip_ = index_bytes * count;
  is_possible_ = count != 0 && skip_ + std::uint64_t{header_bytes} * count <= size;
}

void OlderMessages::add(Bytes piece) {
  while (is_possible_ && !piece.empty()) {
    const std::uint64_t wanted = skip_ != 0 ? skip_ : header_bytes - have_;
    const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(wanted, piece.size()));
    if (skip_ != 0) {
      skip_ -= taken;
    } else {
      std::copy_n(piece.begin(), taken, header_.begin() + static_cast<std::ptrdiff_t>(have_));
      have_ += taken;
    }
    left_ -= taken;
    piece = piece.subspan(taken);
    if (have_ == header_bytes) read_header();
    if (skip_ == 0 && have_ == 0 && seen_ == count_) is_possible_ = left_ == 0;
  }
}

void OlderMessages::read_header() {
  have_ = 0;
  ++seen_;
  skip_ = std::uint64_t{load<std::uint32_t>(header_.data() + payload_length_at)} +
          load<std::uint32_t>(header_.data() + headers_length_at);
  is_possible_ = skip_ <= left_ && load<std::uint64_t>(header_.data() + reserved_at) == 0;
}

}  // namespace iggy::decode
