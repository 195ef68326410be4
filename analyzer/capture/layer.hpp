// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// One layer of a packet: what was captured of it, and how long it was on the wire.
//
// Stepping into the next layer either has the bytes, or says why not. What the bytes mean is for
// the files that peel them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "capture/layers.hpp"
#include "capture/load.hpp"
#include "capture/packet.hpp"

namespace analyzer::capture {

// Two registers, in which it goes from one function to the next.
class Layer {
 public:
  Layer() = default;
  Layer(Bytes captured, std::uint32_t length)
      : data_(captured.data()),
        captured_(static_cast<std::uint32_t>(captured.size())),
        length_(length) {}

  Bytes captured() const { return {data_, captured_}; }  // never more than `length` bytes
  std::uint32_t captured_bytes() const { return captured_; }
  std::uint32_t length() const { return length_; }  // on the wire

  // Whether the first `count` bytes were captured; and why nothing comes of it where they were not.
  bool has(std::size_t count) const { return captured_ >= count; }
  Skipped without(std::size_t count) const {
    return length_ >= count ? Skipped::headers_cut : Skipped::malformed;
  }
  // What follows the first `count` bytes, which were sent and may be cut by the snap length.
  Layer after(std::size_t count) const {
    const auto step = static_cast<std::uint32_t>(count);
    Layer rest = *this;
    rest.data_ += std::min(step, captured_);
    rest.captured_ -= std::min(step, captured_);
    rest.length_ -= step;
    return rest;
  }
  // The same layer when its header says how long it is. A header that says more than the frame
  // held is believed: some tools write the captured length in place of the length on the wire.
  Layer with_length(std::uint32_t said) const {
    Layer same = *this;
    same.captured_ = std::min(captured_, said);
    same.length_ = said;
    return same;
  }

  std::uint8_t u8(std::size_t at) const { return load_u8(captured(), at); }
  std::uint16_t u16(std::size_t at) const { return load_u16(captured(), at, std::endian::big); }
  std::uint32_t u32(std::size_t at) const { return load_u32(captured(), at, std::endian::big); }

 private:
  const std::byte* data_ = nullptr;
  std::uint32_t captured_ = 0;
  std::uint32_t length_ = 0;
};

}  // namespace analyzer::capture
