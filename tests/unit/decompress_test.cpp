// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Compressed input: every kind, several members, every prefix, damage, bombs, and pieces of any
// size.
#include "capture/decompress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "capture/reader.hpp"
#include "support/capture_builder.hpp"
#include "support/compressors.hpp"

namespace analyzer::capture {
namespace {

using namespace support;
using testing::HasSubstr;
using testing::StartsWith;

// Hands out at most `piece` bytes a call, and counts the calls.
class Pieces final : public ByteSource {
 public:
  Pieces(Buffer bytes, std::size_t piece) : bytes_(std::move(bytes)), piece_(piece) {}
  ReadResult read(std::span<std::byte> into) override {
    const std::size_t count = std::min({piece_, into.size(), bytes_.size() - at_});
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at_), count, into.begin());
    at_ += count;
    return {count, {}};
  }

 private:
  Buffer bytes_;
  std::size_t piece_;
  std::size_t at_ = 0;
};

struct Unpacked {
  Buffer bytes;
  ReadError error;
  std::string_view name;
};

Unpacked unpack(const Buffer& packed, std::size_t piece = 1'000'000, std::size_t room = 65'536,
                const Resources& resources = {}) {
  Decompressor source(std::make_unique<BlockSource>(std::make_unique<Pieces>(packed, piece)),
                      resources);
  Unpacked unpacked;
  Buffer block(room);
  for (;;) {
    ReadResult result = source.read(block);
    if (result.bytes == 0) {
      unpacked.error = result.error;
      unpacked.name = source.name();
      return unpacked;
    }
    unpacked.bytes.insert(unpacked.bytes.end(), block.begin(),
                          block.begin() + static_cast<std::ptrdiff_t>(result.bytes));
  }
}

// Compressible, and larger than a block of any kind.
Buffer some_bytes(std::size_t count = 300'000) {
  Buffer bytes = counting_bytes(count);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] ^= static_cast<std::byte>((i * i >> 7) * 2'654'435'761U >> 13);
  return bytes;
}

using Kind = Buffer (*)(Bytes);
constexpr std::array<Kind, 3> kinds{gzip, [](Bytes bytes) { return zstd(bytes); },
                                    [](Bytes bytes) { return lz4(bytes); }};

TEST(Decompressor, UnpacksWhateverThePieces) {
  const Buffer bytes = some_bytes();
  for (const Kind kind : kinds) {
    const Buffer packed = kind(bytes);
    ASSERT_TRUE(Decompressor::begins(packed));
    for (const std::size_t piece : {1UL, 1'000UL, 1'000'000UL}) {
      for (const std::size_t room : {7UL, 65'536UL, 1'000'000UL}) {
        const Unpacked unpacked = unpack(packed, piece, room);
        EXPECT_FALSE(unpacked.error) << unpacked.error.reason;
        EXPECT_TRUE(unpacked.bytes == bytes) << unpacked.name << piece << " " << room;
      }
    }
  }
}

TEST(Decompressor, NamesTheKind) {
  EXPECT_EQ(unpack(gzip(some_bytes(10))).name, "gzip");
  EXPECT_EQ(unpack(zstd(some_bytes(10))).name, "zstd");
  EXPECT_EQ(unpack(joined({skippable({}, 15), lz4(some_bytes(10))})).name, "lz4");
  EXPECT_FALSE(Decompressor::begins(bytes_of("\x1f\x8b\x07")));
  EXPECT_FALSE(Decompressor::begins(bytes_of("\x28\xb5\x2f")));
  EXPECT_FALSE(Decompressor::begins({}));
}

TEST(Decompressor, JoinsMembersOfAnyKind) {
  const Buffer bytes = some_bytes(10'000);
  const Buffer empty;
  const Buffer packed = joined({skippable(bytes_of("parallel")), zstd(bytes), zstd(empty),
                                skippable({}, 7), lz4(bytes), gzip(empty), gzip(bytes), lz4(empty),
                                skippable(Buffer(300'000)), zstd(bytes), Buffer(700)});
  for (const std::size_t piece : {1UL, 100'000UL}) {
    const Unpacked unpacked = unpack(packed, piece);
    EXPECT_FALSE(unpacked.error) << unpacked.error.reason;
    EXPECT_TRUE(unpacked.bytes == joined({bytes, bytes, bytes, bytes}));
  }
}

TEST(Decompressor, KeepsEveryPrefix) {
  const Buffer bytes = some_bytes(600);
  for (const Kind kind : kinds) {
    const Buffer packed = joined({kind(bytes), skippable(Buffer(5)), kind(bytes)});
    const std::size_t first = kind(bytes).size();
    for (std::size_t kept = 4; kept < packed.size(); ++kept) {
      const Buffer cut(packed.begin(), packed.begin() + static_cast<std::ptrdiff_t>(kept));
      const Unpacked unpacked = unpack(cut, 97);
      Buffer whole = joined({bytes, bytes});
      ASSERT_LE(unpacked.bytes.size(), whole.size());
      whole.resize(unpacked.bytes.size());
      ASSERT_EQ(unpacked.bytes, whole);
      ASSERT_TRUE(kept < first || whole.size() >= bytes.size());
      const bool is_between = kept == first || kept == first + 13;
      ASSERT_EQ(unpacked.error.kind, is_between ? ReadError::Kind::none : ReadError::Kind::cut)
          << unpacked.name << " " << kept << " of " << packed.size() << unpacked.error.reason;
      ASSERT_TRUE(is_between || unpacked.error.offset == kept);
    }
  }
}

TEST(Decompressor, SurvivesEveryDamagedByte) {
  const Buffer bytes = some_bytes(400);
  for (const Kind kind : kinds) {
    const Buffer packed = kind(bytes);
    for (std::size_t at = 4; at < packed.size(); ++at) {
      for (const unsigned change : {0x01U, 0x80U, 0xffU}) {
        Buffer damaged = packed;
        damaged[at] ^= static_cast<std::byte>(change);
        const Unpacked unpacked = unpack(damaged);
        // Not all bytes matter: a name, a time and flags stand in the headers.
        ASSERT_TRUE(unpacked.error || unpacked.bytes == bytes) << unpacked.name << " " << at;
      }
    }
  }
}

TEST(Decompressor, KeepsWhatStandsBeforeAWrongChecksum) {
  const Buffer bytes = some_bytes();
  for (const Kind kind : kinds) {
    Buffer packed = kind(bytes);
    packed[packed.size() - 1] ^= std::byte{1};
    const Unpacked unpacked = unpack(packed);
    EXPECT_EQ(unpacked.error.kind, ReadError::Kind::damaged);
    EXPECT_THAT(unpacked.error.reason, HasSubstr("data is damaged ("));
    EXPECT_GT(unpacked.error.offset, packed.size() - 9);
    EXPECT_TRUE(unpacked.bytes == bytes) << unpacked.name;
  }
}

TEST(Decompressor, SaysWhatStandsBehind) {
  const Buffer bytes = some_bytes(100);
  const Buffer packed = gzip(bytes);
  const Unpacked unpacked = unpack(joined({packed, bytes_of("something")}));
  EXPECT_EQ(unpacked.bytes, bytes);
  EXPECT_EQ(unpacked.error.kind, ReadError::Kind::damaged);
  EXPECT_EQ(unpacked.error.reason, "behind the gzip data stands something else");
  EXPECT_EQ(unpacked.error.offset, packed.size());
}

TEST(Decompressor, RefusesALargeWindowBeforeItTakesMemory) {
  const Buffer largest = zstd(some_bytes(100'000), 27);
  EXPECT_FALSE(unpack(largest).error);
  const Unpacked larger = unpack(zstd(some_bytes(100'000), 28));
  EXPECT_TRUE(larger.bytes.empty());
  EXPECT_THAT(larger.error.reason, StartsWith("unpacking takes 257 MiB of memory"));
  // A frame of one segment is as large as it says it is.
  for (const std::uint64_t size : {std::uint64_t{1} << 50, ~std::uint64_t{0}}) {
    const Buffer one_segment =
        Writer(std::endian::little).u32(0xfd2fb528).u8(0xe0).u64(size).buffer();
    EXPECT_THAT(unpack(one_segment).error.reason, StartsWith("unpacking takes "));
    EXPECT_THAT(unpack(one_segment).error.reason, HasSubstr(" MiB of memory"));
  }
}

Resources with_memory(std::uint64_t mebibytes) {
  Resources resources;
  resources.budget = std::make_shared<MemoryPool>(mebibytes << 20);
  return resources;
}

TEST(Decompressor, SharesABudget) {
  const Resources resources = with_memory(10);
  const Buffer bytes = some_bytes(9'000'000);
  const Buffer packed = zstd(bytes, 23);
  {
    Decompressor first(std::make_unique<BlockSource>(Bytes(packed)), resources);
    Buffer room(8'500'000);
    for (std::size_t at = 0; at < room.size();) {
      const ReadResult result = first.read(std::span(room).subspan(at));
      ASSERT_FALSE(result.error) << result.error.reason;
      at += result.bytes;
    }
    const Unpacked second = unpack(packed, 1'000, 65'536, resources);
    EXPECT_EQ(second.error.kind, ReadError::Kind::memory);
    EXPECT_THAT(second.error.reason, StartsWith("unpacking takes up to 9 MiB of memory"));
    EXPECT_GT(second.bytes.size(), 500'000U) << "what came before is kept";
    EXPECT_FALSE(unpack(gzip(bytes), 1'000, 65'536, resources).error);
  }
  EXPECT_EQ(resources.budget->used(), 0U);
  EXPECT_FALSE(unpack(packed, 1'000, 65'536, resources).error);
}

// 27 is what `zstd --ultra -22` and `--long` name, whatever comes.
TEST(Decompressor, CountsWhatIsWrittenToAndNotWhatMayBe) {
  const Resources resources = with_memory(2);
  const Buffer bytes = some_bytes(100'000);
  for (const Buffer& packed : {zstd(bytes, 27), lz4(Buffer(3'000'000), LZ4F_max64KB)}) {
    std::vector<std::unique_ptr<Decompressor>> open;
    for (int i = 0; i < 2; ++i) {
      open.push_back(
          std::make_unique<Decompressor>(std::make_unique<BlockSource>(Bytes(packed)), resources));
      Buffer room(90'000);
      EXPECT_FALSE(open.back()->read(room).error);
    }
    EXPECT_LT(resources.budget->used(), std::uint64_t{2} << 20);
  }
  const Unpacked large = unpack(zstd(some_bytes(4'000'000), 27), 1'000, 65'536, resources);
  EXPECT_EQ(large.error.kind, ReadError::Kind::memory);
  EXPECT_EQ(resources.budget->used(), 0U);
}

// The size of the content stands in the header, beside a window that is larger.
TEST(Decompressor, TheContentMayBeLessThanTheWindow) {
  const Buffer content = counting_bytes(300);
  const Buffer packed = Writer(std::endian::little)
                            .u32(0xfd2fb528)
                            .u8(0x40)            // two bytes of size
                            .u8((27 - 10) << 3)  // 128 MiB
                            .u16(300 - 256)
                            .u16(300 << 3 | 1)  // the last block, as it is
                            .u8(0)
                            .bytes(content)
                            .buffer();
  const Resources resources = with_memory(1);
  const Unpacked unpacked = unpack(packed, 1'000, 65'536, resources);
  EXPECT_FALSE(unpacked.error) << unpacked.error.reason;
  EXPECT_EQ(unpacked.bytes, content);
  Resources at_once = resources;
  at_once.takes_all_memory = true;
  EXPECT_FALSE(unpack(packed, 1'000, 65'536, at_once).error);
  EXPECT_TRUE(unpack(zstd(content, 23), 1'000, 65'536, at_once).error);
}

TEST(Decompressor, EndsAtTheLimit) {
  Resources resources;
  resources.unpacked_limit = 2'000;
  EXPECT_FALSE(unpack(gzip(Buffer(2'000)), 1'000, 100, resources).error);
  for (const Kind kind : kinds) {
    const Unpacked unpacked = unpack(kind(Buffer(2'001)), 1'000, 300, resources);
    EXPECT_THAT(unpacked.error.reason, HasSubstr("unpacks to too much"));
    EXPECT_LE(unpacked.bytes.size(), 2'001U);
  }
}

// --- Captures in it

std::vector<Buffer> packets_of(Bytes file, Problem& problem, std::string& compression) {
  Reader reader("memory", file);
  std::vector<Buffer> packets;
  Packet packet;
  while (reader.next(packet) == Status::more)
    packets.emplace_back(packet.bytes.begin(), packet.bytes.end());
  problem = reader.problem();
  compression = reader.compression();
  return packets;
}

TEST(CompressedCapture, IsReadAsWhatItHolds) {
  PcapngFile file;
  file.section().interface().enhanced_packet(0, 1, counting_bytes(700'000));
  file.enhanced_packet(0, 1, counting_bytes(30));
  Problem problem;
  std::string compression;
  for (const Kind kind : kinds) {
    const Buffer packed = kind(file.bytes());
    const std::vector<Buffer> packets = packets_of(packed, problem, compression);
    EXPECT_EQ(problem.status, Status::end) << problem.reason;
    EXPECT_FALSE(compression.empty());
    ASSERT_EQ(packets.size(), 2U);
    EXPECT_TRUE(packets[0] == counting_bytes(700'000));
  }
  packets_of(file.bytes(), problem, compression);
  EXPECT_EQ(compression, "");
}

TEST(CompressedCapture, SaysWhichBytesAreCounted) {
  PcapFile file;
  file.packet(0, counting_bytes(60)).packet(0, counting_bytes(60));
  const Buffer& whole = file.bytes();
  Problem problem;
  std::string compression;
  const Buffer cut_before(whole.begin(), whole.end() - 10);
  EXPECT_EQ(packets_of(gzip(cut_before), problem, compression).size(), 1U);
  EXPECT_EQ(problem.status, Status::truncated);
  EXPECT_EQ(problem.offset, 24U + 76U);
  EXPECT_EQ(problem.reason,
            "a packet is cut off: 66 of at least 76 bytes are there (bytes are counted as "
            "unpacked)");
  Buffer cut_after = gzip(whole);
  cut_after.resize(cut_after.size() - 3);
  EXPECT_EQ(packets_of(cut_after, problem, compression).size(), 2U);
  EXPECT_EQ(problem.status, Status::truncated);
  EXPECT_EQ(problem.offset, cut_after.size());
  EXPECT_EQ(problem.reason, "the gzip data is cut off");
}

TEST(CompressedCapture, IsUnpackedOnce) {
  Problem problem;
  std::string compression;
  const Buffer twice = gzip(zstd(PcapFile().bytes()));
  EXPECT_TRUE(packets_of(twice, problem, compression).empty());
  EXPECT_EQ(problem.status, Status::unreadable);
  EXPECT_THAT(problem.reason, StartsWith("unpacked from gzip: not a pcap or pcapng file: "
                                         "it is compressed with zstd once more"));
  packets_of(lz4({}), problem, compression);
  EXPECT_EQ(problem.reason, "unpacked from lz4: the file is empty");
}

}  // namespace
}  // namespace analyzer::capture
