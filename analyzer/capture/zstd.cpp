// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// zstd by libzstd. It reads the size of a frame's window itself, since the library tells that only
// once it has taken the memory. It must not read more than one frame: decompress.cpp joins them.
#include <zstd.h>

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "capture/codec.hpp"
#include "capture/load.hpp"

namespace analyzer::capture {
namespace {

constexpr std::uint32_t frame_magic = 0xfd2fb528;
constexpr int maximum_window_log = 27;
static_assert(maximum_window_bytes == std::uint64_t{1} << maximum_window_log);
constexpr std::uint64_t block_overhead = std::uint64_t{512} << 10;  // blocks, tables, margins

// The memory that a frame is decoded with: its window or, in a frame of one segment, its content.
// 0 where its header is not all there.
std::uint64_t window_of(Bytes frame) {
  if (frame.size() < 6) return 0;
  const unsigned descriptor = load_u8(frame, 4);
  const bool is_one_segment = (descriptor & 0x20) != 0;
  if (!is_one_segment) {
    const unsigned window = load_u8(frame, 5);
    const std::uint64_t base = std::uint64_t{1} << (10 + (window >> 3));
    return base + base / 8 * (window & 7);
  }
  const unsigned dictionary_bytes = (1U << (descriptor & 3)) >> 1;
  const std::size_t at = 5 + (dictionary_bytes == 4 ? 4 : dictionary_bytes);
  const unsigned size_bytes = 1U << (descriptor >> 6);
  if (frame.size() < at + size_bytes) return 0;
  switch (size_bytes) {
    case 1:
      return load_u8(frame, at);
    case 2:
      return std::uint64_t{load_u16(frame, at, std::endian::little)} + 256;
    case 4:
      return load_u32(frame, at, std::endian::little);
    default:
      return load_u64(frame, at, std::endian::little);
  }
}

class ZstdCodec final : public Codec {
 public:
  explicit ZstdCodec(std::shared_ptr<MemoryPool> budget)
      : window_(std::move(budget)), stream_(ZSTD_createDStream()) {
    if (!stream_) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax, maximum_window_log);
  }

  std::string_view name() const override { return "zstd"; }
  std::string begin(Bytes start) override {
    ZSTD_DCtx_reset(stream_.get(), ZSTD_reset_session_only);
    next_bytes_ = 1;
    const std::uint64_t window = window_of(start);
    if (window > maximum_window_bytes) return too_much_memory(window);
    // The library keeps the memory of the largest frame so far.
    const std::uint64_t needed = window + block_overhead;
    if (needed > window_.bytes() && !window_.resize(needed)) return too_much_memory(window);
    return {};
  }
  Step step(Bytes from, std::span<std::byte> into) override {
    ZSTD_inBuffer in{from.data(), std::min(from.size(), next_bytes_), 0};
    ZSTD_outBuffer out{into.data(), into.size(), 0};
    const std::size_t result = ZSTD_decompressStream(stream_.get(), &out, &in);
    if (ZSTD_isError(result) != 0) return {in.pos, 0, false, ZSTD_getErrorName(result)};
    next_bytes_ = std::max<std::size_t>(result, 1);
    return {in.pos, out.pos, result == 0, {}};
  }

 private:
  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };
  Reservation window_;
  std::unique_ptr<ZSTD_DStream, Free> stream_;
  // What the library wants next, a block or its header. It gets no more at a time: where it fails,
  // what it has made in the same call is lost.
  std::size_t next_bytes_ = 1;
};

}  // namespace

bool is_zstd(Bytes start) {
  return start.size() >= 4 && load_u32(start, 0, std::endian::little) == frame_magic;
}

std::unique_ptr<Codec> make_zstd_codec(std::shared_ptr<MemoryPool> budget) {
  return std::make_unique<ZstdCodec>(std::move(budget));
}

}  // namespace analyzer::capture
