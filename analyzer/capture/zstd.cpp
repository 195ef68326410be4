// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// zstd by libzstd. It reads the size of a frame's window itself, since the library tells that only
// once it has taken the memory. It must not read more than one frame: decompress.cpp joins them.
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <new>

#include "capture/codec.hpp"
#include "capture/load.hpp"

namespace analyzer::capture {
namespace {

constexpr std::uint32_t frame_magic = 0xfd2fb528;
constexpr int maximum_window_log = 27;
static_assert(maximum_window_bytes == std::uint64_t{1} << maximum_window_log);
constexpr std::uint64_t largest_block = std::uint64_t{128} << 10;
// Its own tables, a packed block, and the margins of a window.
constexpr std::uint64_t fixed_bytes = 4 * largest_block;

// The memory that a frame is decoded with: its window, or its content where that is less, as it
// always is in a frame of one segment. 0 where its header is not all there.
std::uint64_t window_of(Bytes frame) {
  if (frame.size() < 6) return 0;
  const unsigned descriptor = load_u8(frame, 4);
  const bool is_one_segment = (descriptor & 0x20) != 0;
  const bool has_size = is_one_segment || descriptor >> 6 != 0;
  std::uint64_t window = std::numeric_limits<std::uint64_t>::max();
  if (!is_one_segment) {
    const unsigned code = load_u8(frame, 5);
    const std::uint64_t base = std::uint64_t{1} << (10 + (code >> 3));
    window = base + base / 8 * (code & 7);
  }
  if (!has_size) return window;
  const unsigned dictionary_bytes = (1U << (descriptor & 3)) >> 1;
  const std::size_t at =
      (is_one_segment ? 5U : 6U) + (dictionary_bytes == 4 ? 4 : dictionary_bytes);
  const unsigned size_bytes = 1U << (descriptor >> 6);
  if (frame.size() < at + size_bytes) return 0;
  switch (size_bytes) {
    case 1:
      return std::min<std::uint64_t>(window, load_u8(frame, at));
    case 2:
      return std::min(window, std::uint64_t{load_u16(frame, at, std::endian::little)} + 256);
    case 4:
      return std::min<std::uint64_t>(window, load_u32(frame, at, std::endian::little));
    default:
      return std::min(window, load_u64(frame, at, std::endian::little));
  }
}

class ZstdCodec final : public Codec {
 public:
  ZstdCodec() : stream_(ZSTD_createDStream()) {
    if (!stream_) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax, maximum_window_log);
  }

  std::string_view name() const override { return "zstd"; }
  void begin(Bytes start) override {
    ZSTD_DCtx_reset(stream_.get(), ZSTD_reset_session_only);
    next_bytes_ = 1;
    // A sum with it must not wrap.
    window_ = std::min(window_of(start), std::uint64_t{1} << 62);
  }
  std::uint64_t most_memory() const override { return window_ + fixed_bytes; }
  // The window fills from its front.
  std::uint64_t memory_after(std::uint64_t, std::uint64_t made) const override {
    return std::min(window_, made + largest_block) + fixed_bytes;
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
  std::uint64_t window_ = 0;
  std::unique_ptr<ZSTD_DStream, Free> stream_;
  // What the library wants next, a block or its header. It gets no more at a time: where it fails,
  // what it has made in the same call is lost.
  std::size_t next_bytes_ = 1;
};

}  // namespace

bool is_zstd(Bytes start) {
  return start.size() >= 4 && load_u32(start, 0, std::endian::little) == frame_magic;
}

std::unique_ptr<Codec> make_zstd_codec() {
  return std::make_unique<ZstdCodec>();
}

}  // namespace analyzer::capture
