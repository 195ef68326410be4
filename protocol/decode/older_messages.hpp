// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Tells whether bytes are messages as they were sent before batches had headers (older/messages).
//
// It follows their lengths alone, in pieces as they come.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "decode/window.hpp"

namespace iggy::decode {

class OlderMessages {
 public:
  // `count` messages in `size` bytes, the index in front of them included.
  void begin(std::uint32_t count, std::uint32_t size);
  void add(Bytes piece);
  // Whether the messages have filled the bytes exactly.
  bool fit() const { return is_possible_ && seen_ == count_ && left_ == 0; }

 private:
  void read_header();

  static constexpr std::size_t header_bytes = 64;

  bool is_possible_ = false;
  std::uint32_t count_ = 0;
  std::uint32_t seen_ = 0;
  std::uint64_t left_ = 0;  // of all bytes
  std::uint64_t skip_ = 0;  // before the next header
  std::size_t have_ = 0;    // of that header
  std::array<std::byte, header_bytes> header_{};
};

}  // namespace iggy::decode
