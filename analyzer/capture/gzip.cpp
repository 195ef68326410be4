// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// gzip by zlib. It must not read more than one member: decompress.cpp joins them.
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

#include "capture/codec.hpp"
#include "capture/load.hpp"

namespace analyzer::capture {
namespace {

constexpr int gzip_only = 16 + MAX_WBITS;  // as inflateInit2 wants it

class GzipCodec final : public Codec {
 public:
  GzipCodec() {
    if (inflateInit2(&stream_, gzip_only) != Z_OK) throw std::bad_alloc();
  }
  ~GzipCodec() override { inflateEnd(&stream_); }
  GzipCodec(const GzipCodec&) = delete;
  GzipCodec& operator=(const GzipCodec&) = delete;

  std::string_view name() const override { return "gzip"; }
  void begin(Bytes) override { inflateReset(&stream_); }
  std::uint64_t most_memory() const override { return std::uint64_t{48} << 10; }
  std::uint64_t memory_after(std::uint64_t, std::uint64_t) const override { return most_memory(); }
  Step step(Bytes from, std::span<std::byte> into) override {
    constexpr std::size_t most = std::numeric_limits<uInt>::max();
    const auto in = static_cast<uInt>(std::min(from.size(), most));
    const auto out = static_cast<uInt>(std::min(into.size(), most));
    // zlib does not write to its input, but its type says so only with ZLIB_CONST.
    stream_.next_in = reinterpret_cast<z_const Bytef*>(const_cast<std::byte*>(from.data()));
    stream_.avail_in = in;
    stream_.next_out = reinterpret_cast<Bytef*>(into.data());
    stream_.avail_out = out;
    const int result = inflate(&stream_, Z_SYNC_FLUSH);
    Step step{in - stream_.avail_in, out - stream_.avail_out, result == Z_STREAM_END, {}};
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
      step.error = stream_.msg != nullptr ? stream_.msg : zError(result);
    return step;
  }

 private:
  z_stream stream_{};
};

}  // namespace

bool is_gzip(Bytes start) {
  return start.size() >= 3 && load_u8(start, 0) == 0x1f && load_u8(start, 1) == 0x8b &&
         load_u8(start, 2) == Z_DEFLATED;
}

std::unique_ptr<Codec> make_gzip_codec() {
  return std::make_unique<GzipCodec>();
}

}  // namespace analyzer::capture
