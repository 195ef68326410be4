// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Compresses bytes, for tests of what unpacks them. It must not use the code under test.
#pragma once

#include <lz4frame.h>
#include <zlib.h>
#include <zstd.h>

#include <cstddef>
#include <span>
#include <string_view>

#include "support/packet_builder.hpp"

namespace support {

inline Buffer gzip(Bytes bytes) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  Buffer packed(deflateBound(&stream, bytes.size()));
  Buffer copy(bytes.begin(), bytes.end());
  stream.next_in = reinterpret_cast<Bytef*>(copy.data());
  stream.avail_in = static_cast<uInt>(copy.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(packed.size() - stream.avail_out);
  deflateEnd(&stream);
  return packed;
}

// With a checksum, as the program zstd writes it. A window above 27 is one that only `--long` has.
inline Buffer zstd(Bytes bytes, int window_log = 0) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
  Buffer packed(ZSTD_compressBound(bytes.size()) + 64);
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  ZSTD_outBuffer out{packed.data(), packed.size(), 0};
  // In two steps the size of the content is not known when the header is written.
  ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush);
  ZSTD_compressStream2(context, &out, &in, ZSTD_e_end);
  ZSTD_freeCCtx(context);
  packed.resize(out.pos);
  return packed;
}

inline Buffer lz4(Bytes bytes, LZ4F_blockSizeID_t block = LZ4F_max64KB) {
  LZ4F_preferences_t preferences{};
  preferences.frameInfo.blockSizeID = block;
  preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
  Buffer packed(LZ4F_compressFrameBound(bytes.size(), &preferences));
  packed.resize(
      LZ4F_compressFrame(packed.data(), packed.size(), bytes.data(), bytes.size(), &preferences));
  return packed;
}

// A frame that zstd and lz4 skip.
inline Buffer skippable(Bytes content, unsigned variant = 0) {
  return Writer(std::endian::little)
      .u32(0x184d2a50 + variant)
      .u32(static_cast<std::uint32_t>(content.size()))
      .bytes(content)
      .buffer();
}

inline Buffer joined(std::initializer_list<Buffer> parts) {
  Buffer all;
  for (const Buffer& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace support
