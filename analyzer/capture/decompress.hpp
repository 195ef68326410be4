// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Compressed input, unpacked as it is read: gzip, zstd and the frames of lz4, known by their bytes.
//
// A file may hold several compressed members, one after the other, and frames to be skipped. One
// level is unpacked: what comes out is not looked at again. Memory is bounded by the window that a
// member may ask for, however much comes out of it. What it does write to is taken from the pool,
// not what it may: a small file may name the largest window.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "capture/block_source.hpp"
#include "capture/byte_source.hpp"
#include "capture/packet.hpp"
#include "capture/reservation.hpp"

namespace analyzer::capture {

class Codec;

// What the readers of one file may take.
struct Resources {
  std::size_t block_bytes = BlockSource::block_bytes;  // of each buffer
  std::uint64_t unpacked_limit = std::numeric_limits<std::uint64_t>::max();
  std::shared_ptr<MemoryPool> budget;  // null: everything is granted
  bool takes_all_memory = false;       // at once, all that unpacking may come to
};

class Decompressor final : public ByteSource {
 public:
  // Whether compressed data, or a frame to be skipped, starts with these bytes; four are enough.
  static bool begins(Bytes start);

  // `packed` stands where compressed data begins. Waits for the start of the first member.
  Decompressor(std::unique_ptr<BlockSource> packed, const Resources& resources);
  ~Decompressor() override;
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;

  ReadResult read(std::span<std::byte> into) override;
  // Of the first member, or of the last that was begun.
  std::string_view name() const { return name_; }
  // What the member at hand may take, of which some may not be taken yet.
  std::uint64_t most_memory() const;

 private:
  void next_member();
  void begin_member(std::size_t codec);
  bool take_memory(std::uint64_t taken, std::uint64_t made);
  void skip_frame();
  bool skip_padding();
  void fail(ReadError::Kind kind, std::string reason);
  void ended_early();

  std::unique_ptr<BlockSource> packed_;
  Resources resources_;
  std::uint64_t left_;                            // that may still be unpacked
  std::array<std::unique_ptr<Codec>, 3> codecs_;  // made when they are needed
  Codec* codec_ = nullptr;                        // of the member that is being read
  std::string_view name_ = "zstd";
  bool may_hold_output_ = false;  // the codec had more than there was room for
  bool has_ended_ = false;
  ReadError error_;
  Reservation memory_;       // of all codecs
  std::uint64_t taken_ = 0;  // of the member that is being read
  std::uint64_t made_ = 0;
};

}  // namespace analyzer::capture
