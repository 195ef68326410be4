// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// How one compression library is called, step by step. Internal to decompress.cpp and the codecs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "capture/packet.hpp"

namespace analyzer::capture {

// No window of a member may be larger; that of `zstd --ultra -22` is exactly this large, and zstd
// itself reads no larger one unless it is told to.
constexpr std::uint64_t maximum_window_bytes = std::uint64_t{128} << 20;

// With all that a codec keeps besides.
constexpr std::uint64_t most_codec_memory = maximum_window_bytes + (std::uint64_t{1} << 20);

class Codec {
 public:
  struct Step {
    std::size_t taken = 0;
    std::size_t made = 0;
    bool is_done = false;  // the member ended as it should
    std::string error;     // what is wrong with the member; empty: nothing
  };

  // So many bytes at the start of a member let `begin` judge it, unless the input ends before.
  static constexpr std::size_t header_bytes = 18;

  virtual ~Codec() = default;
  virtual std::string_view name() const = 0;
  // Before each member, whose first bytes are `start`.
  virtual void begin(Bytes start) = 0;
  // The memory that the library takes for the member, at most.
  virtual std::uint64_t most_memory() const = 0;
  // How much of that it has written to once it took and made so many bytes of the member: the
  // system gives what is written to.
  virtual std::uint64_t memory_after(std::uint64_t taken, std::uint64_t made) const = 0;
  virtual Step step(Bytes from, std::span<std::byte> into) = 0;
};

// Whether a member of that kind begins with these bytes.
bool is_gzip(Bytes start);
bool is_zstd(Bytes start);
bool is_lz4(Bytes start);
std::unique_ptr<Codec> make_gzip_codec();
std::unique_ptr<Codec> make_zstd_codec();
std::unique_ptr<Codec> make_lz4_codec();

}  // namespace analyzer::capture
