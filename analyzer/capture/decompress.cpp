// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Goes from one compressed member to the next and asks the codecs for bytes. It must not wait for
// input while a codec still has output.
#include "capture/decompress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "capture/codec.hpp"
#include "capture/load.hpp"

namespace analyzer::capture {
namespace {

// Frames that hold nothing to unpack; zstd and lz4 share them, and parallel zstd begins with one.
constexpr std::uint32_t skippable_magic = 0x184d2a50;
constexpr std::size_t skippable_header_bytes = 8;
constexpr std::size_t magic_bytes = 4;

bool is_skippable(Bytes start) {
  return start.size() >= magic_bytes &&
         (load_u32(start, 0, std::endian::little) & 0xfffffff0) == skippable_magic;
}

struct Kind {
  bool (*begins)(Bytes start);
  std::unique_ptr<Codec> (*make)();
};
constexpr std::array kinds{Kind{is_gzip, make_gzip_codec}, Kind{is_zstd, make_zstd_codec},
                           Kind{is_lz4, make_lz4_codec}};

std::uint64_t mebibytes(std::uint64_t bytes) {
  const std::uint64_t mebibyte = std::uint64_t{1} << 20;
  return bytes / mebibyte + (bytes % mebibyte == 0 ? 0 : 1);
}

}  // namespace

bool Decompressor::begins(Bytes start) {
  return is_skippable(start) ||
         std::any_of(kinds.begin(), kinds.end(), [start](Kind kind) { return kind.begins(start); });
}

Decompressor::Decompressor(std::unique_ptr<BlockSource> packed, const Resources& resources)
    : packed_(std::move(packed)),
      resources_(resources),
      left_(resources.unpacked_limit),
      memory_(resources.budget) {
  while (codec_ == nullptr && !error_ && !has_ended_) next_member();
}

Decompressor::~Decompressor() = default;

ReadResult Decompressor::read(std::span<std::byte> into) {
  for (;;) {
    if (error_ || has_ended_) return {0, error_};
    if (codec_ == nullptr) {
      next_member();
      continue;
    }
    const Bytes from = packed_->peek(may_hold_output_ ? 0 : 1);
    // One byte above the limit shows that it is passed.
    const std::uint64_t room =
        std::min<std::uint64_t>(into.size(), std::max<std::uint64_t>(left_, 1));
    if (!take_memory(from.size(), room)) continue;
    const Codec::Step step = codec_->step(from, into.first(static_cast<std::size_t>(room)));
    packed_->consume(step.taken);
    taken_ += step.taken;
    made_ += step.made;
    const bool did_nothing = step.made == 0 && step.taken == 0 && !may_hold_output_;
    may_hold_output_ = step.made != 0 && !step.is_done;
    if (step.made > left_) {
      fail(ReadError::Kind::damaged, fmt::format("the {} data unpacks to too much", name_));
      continue;
    }
    left_ -= step.made;
    if (!step.error.empty()) {
      fail(ReadError::Kind::damaged, fmt::format("the {} data is damaged ({})", name_, step.error));
    } else if (step.is_done) {
      codec_ = nullptr;
    } else if (did_nothing) {
      if (from.empty())
        ended_early();
      else
        fail(ReadError::Kind::damaged, fmt::format("the {} data is damaged", name_));
    }
    if (step.made != 0) return {step.made, {}};
  }
}

std::uint64_t Decompressor::most_memory() const {
  return codec_ == nullptr ? 0 : codec_->most_memory();
}

void Decompressor::next_member() {
  const Bytes start = packed_->peek(magic_bytes);
  if (is_skippable(start)) return skip_frame();
  for (std::size_t i = 0; i < kinds.size(); ++i)
    if (kinds[i].begins(start)) return begin_member(i);
  if (!skip_padding()) {
    if (packed_->peek(magic_bytes).size() < magic_bytes) return ended_early();
    fail(ReadError::Kind::damaged, fmt::format("behind the {} data stands something else", name_));
    return;
  }
  error_ = packed_->error();
  has_ended_ = true;
}

void Decompressor::begin_member(std::size_t codec) {
  if (!codecs_[codec]) codecs_[codec] = kinds[codec].make();
  codec_ = codecs_[codec].get();
  name_ = codec_->name();
  codec_->begin(packed_->peek(Codec::header_bytes));
  taken_ = 0;
  made_ = 0;
  if (codec_->most_memory() > most_codec_memory) {
    fail(ReadError::Kind::damaged,
         fmt::format("unpacking takes {} MiB of memory, which nothing here gives; unpack it first",
                     mebibytes(codec_->most_memory())));
  }
}

// For the next step, which takes and makes no more than this. The codecs keep what the largest
// member so far needed.
bool Decompressor::take_memory(std::uint64_t taken, std::uint64_t made) {
  const std::uint64_t needed = resources_.takes_all_memory
                                   ? codec_->most_memory()
                                   : codec_->memory_after(taken_ + taken, made_ + made);
  if (needed <= memory_.bytes() || memory_.resize(needed)) return true;
  fail(ReadError::Kind::memory,
       fmt::format("unpacking takes up to {} MiB of memory, more than is left; raise "
                   "--memory-limit, read fewer files at a time, or unpack it first",
                   mebibytes(codec_->most_memory())));
  return false;
}

// Steps over a frame, whatever is in it.
void Decompressor::skip_frame() {
  const Bytes header = packed_->peek(skippable_header_bytes);
  if (header.size() < skippable_header_bytes) return ended_early();
  const std::uint64_t length = load_u32(header, magic_bytes, std::endian::little);
  if (!packed_->skip(skippable_header_bytes + length)) ended_early();
}

// Tapes and block devices fill up with zeros. True when nothing else follows.
bool Decompressor::skip_padding() {
  for (;;) {
    const Bytes rest = packed_->peek(1);
    if (rest.empty()) return true;
    const auto other =
        std::find_if(rest.begin(), rest.end(), [](std::byte byte) { return byte != std::byte{0}; });
    packed_->consume(static_cast<std::size_t>(other - rest.begin()));
    if (other != rest.end()) return false;
  }
}

void Decompressor::fail(ReadError::Kind kind, std::string reason) {
  error_ = {kind, std::move(reason), packed_->offset()};
}

// The input ends in the middle of something.
void Decompressor::ended_early() {
  if (packed_->error()) {
    error_ = packed_->error();
  } else {
    fail(ReadError::Kind::cut, fmt::format("the {} data is cut off", name_));
    error_.offset += packed_->peek(0).size();
  }
}

}  // namespace analyzer::capture
