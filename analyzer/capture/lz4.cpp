// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The frames of lz4 by liblz4. It must not read more than one: decompress.cpp joins them.
#include <lz4frame.h>

#include <algorithm>
#include <memory>
#include <new>

#include "capture/codec.hpp"
#include "capture/load.hpp"

namespace analyzer::capture {
namespace {

constexpr std::uint32_t frame_magic = 0x184d2204;
constexpr std::size_t block_header_bytes = 4;
constexpr std::uint64_t history_bytes = std::uint64_t{256} << 10;

// The memory that a frame is decoded with: two blocks, packed and unpacked, and what is behind.
std::uint64_t memory_of(Bytes frame) {
  if (frame.size() < 6) return history_bytes;
  const unsigned block_code = load_u8(frame, 5) >> 4 & 7;  // 4 is 64 KiB, each further is 4 times
  const std::uint64_t block = block_code < 4 ? 0 : std::uint64_t{1} << (8 + 2 * block_code);
  return 2 * block + history_bytes;
}

class Lz4Codec final : public Codec {
 public:
  Lz4Codec() {
    LZ4F_dctx* context = nullptr;
    if (LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION)) != 0)
      throw std::bad_alloc();
    context_.reset(context);
  }

  std::string_view name() const override { return "lz4"; }
  void begin(Bytes start) override {
    LZ4F_resetDecompressionContext(context_.get());
    next_bytes_ = block_header_bytes;
    most_memory_ = memory_of(start);
  }
  std::uint64_t most_memory() const override { return most_memory_; }
  // A block is unpacked as a whole, whatever is handed out of it.
  std::uint64_t memory_after(std::uint64_t taken, std::uint64_t) const override {
    constexpr std::uint64_t largest_ratio = 255;
    return std::min(most_memory_, history_bytes + (largest_ratio + 1) * taken);
  }
  Step step(Bytes from, std::span<std::byte> into) override {
    std::size_t in = std::min(from.size(), next_bytes_);
    std::size_t out = into.size();
    const std::size_t result =
        LZ4F_decompress(context_.get(), into.data(), &out, from.data(), &in, nullptr);
    if (LZ4F_isError(result) != 0) return {0, 0, false, LZ4F_getErrorName(result)};
    // A block, or the header of the next, which the library's wish includes.
    next_bytes_ = result > block_header_bytes ? result - block_header_bytes : block_header_bytes;
    return {in, out, result == 0, {}};
  }

 private:
  struct Free {
    void operator()(LZ4F_dctx* context) const { LZ4F_freeDecompressionContext(context); }
  };
  std::uint64_t most_memory_ = 0;
  std::unique_ptr<LZ4F_dctx, Free> context_;
  // The library gets no more at a time: where it fails, what it has made in the same call is lost.
  std::size_t next_bytes_ = block_header_bytes;
};

}  // namespace

bool is_lz4(Bytes start) {
  return start.size() >= 4 && load_u32(start, 0, std::endian::little) == frame_magic;
}

std::unique_ptr<Codec> make_lz4_codec() {
  return std::make_unique<Lz4Codec>();
}

}  // namespace analyzer::capture
