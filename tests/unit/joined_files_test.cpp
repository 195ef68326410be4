// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Whole captures one after the other in one file, as `cat a.pcap b.pcap` makes them: every packet
// of both, none that is none, and no header seen in a packet.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capture/reader.hpp"
#include "support/capture_builder.hpp"
#include "support/compressors.hpp"

namespace analyzer::capture {
namespace {

using namespace support;

constexpr std::int64_t some_time = 1'700'000'000'123'456'000;

struct Reading {
  std::vector<Packet> packets;  // without their bytes
  std::vector<std::size_t> sizes;
  Problem problem;
  std::uint64_t joined = 0;
};

Reading read_all(Bytes file) {
  Reader reader("memory", file);
  Reading reading;
  Packet packet;
  while (reader.next(packet) == Status::more) {
    reading.packets.push_back(packet);
    reading.sizes.push_back(packet.bytes.size());
  }
  reading.problem = reader.problem();
  reading.joined = reader.joined_files();
  return reading;
}

PcapFile two_packets(const PcapOptions& options) {
  PcapFile file(options);
  // Before version 2.3 the lengths stand the other way round.
  const std::uint32_t wire_length = options.minor_version == 4 ? 1'500 : 70;
  file.packet(some_time, Buffer(60)).packet(some_time + 1'000, Buffer(70), wire_length);
  return file;
}

std::vector<PcapOptions> all_options() {
  std::vector<PcapOptions> all;
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    all.push_back({.order = order});
    all.push_back({.order = order, .nanoseconds = true, .link_type = link_linux_cooked_v2});
    all.push_back({.order = order, .modified = true, .snap_length = 0});
    all.push_back({.order = order, .minor_version = 2});
    all.push_back({.order = order, .magic = 0x1c0001ac, .more_file_header_bytes = 4});
  }
  return all;
}

TEST(JoinedFiles, EveryVariantBehindEveryOther) {
  for (const PcapOptions& one : all_options()) {
    for (const PcapOptions& other : all_options()) {
      const Buffer first = two_packets(one).bytes();
      const Buffer second = two_packets(other).bytes();
      const Reading apart = read_all(second);
      const Reading reading = read_all(joined({first, second, second}));
      EXPECT_EQ(reading.problem.status, Status::end) << reading.problem.reason;
      EXPECT_EQ(reading.joined, 2U);
      ASSERT_EQ(reading.packets.size(), 6U);
      for (std::size_t i = 2; i < 6; ++i) {
        const Packet& wanted = apart.packets[i % 2];
        EXPECT_EQ(reading.packets[i].number, i + 1);
        EXPECT_EQ(reading.packets[i].time, wanted.time);
        EXPECT_EQ(reading.packets[i].link_type, wanted.link_type);
        EXPECT_EQ(reading.packets[i].wire_length, wanted.wire_length);
        EXPECT_EQ(reading.sizes[i], apart.sizes[i % 2]);
      }
    }
  }
}

TEST(JoinedFiles, WithoutPacketsAndCutAnywhere) {
  const Buffer first = two_packets({}).bytes();
  const Buffer second = two_packets({.order = std::endian::big}).bytes();
  for (std::size_t kept = 0; kept <= second.size(); ++kept) {
    SCOPED_TRACE(kept);
    const Buffer cut(second.begin(), second.begin() + static_cast<std::ptrdiff_t>(kept));
    const Reading reading = read_all(joined({first, cut}));
    const bool is_whole = kept == 0 || kept == 24 || kept == 24 + 76 || kept == second.size();
    // Less than a header is not known as one.
    if (kept >= 24) {
      EXPECT_EQ(reading.problem.status, is_whole ? Status::end : Status::truncated);
      EXPECT_EQ(reading.packets.size(),
                2U + (kept >= 100 ? 1 : 0) + (kept == second.size() ? 1 : 0));
      EXPECT_EQ(reading.joined, 1U);
    } else {
      EXPECT_EQ(reading.joined, 0U);
      EXPECT_GE(reading.packets.size(), 2U);
    }
  }
}

// A capture in which nothing happened is only a header.
TEST(JoinedFiles, EmptyOnesInFrontAndBetween) {
  for (const PcapOptions& options : all_options()) {
    const Buffer file = two_packets(options).bytes();
    const Buffer empty = PcapFile(options).bytes();
    const Buffer pcapng = PcapngFile().section().bytes();
    const Reading reading =
        read_all(joined({empty, empty, empty, file, empty, pcapng, empty, file, empty, empty}));
    EXPECT_EQ(reading.problem.status, Status::end) << reading.problem.reason;
    EXPECT_EQ(reading.packets.size(), 4U);
    EXPECT_EQ(reading.joined, 9U);
  }
}

TEST(JoinedFiles, BothFormats) {
  PcapngFile pcapng;
  pcapng.section().interface({.link_type = link_raw}).enhanced_packet(0, 1, Buffer(30));
  const Buffer pcap = two_packets({}).bytes();
  const Buffer secrets =
      PcapngFile()
          .section()
          .block(0x0a, Writer(std::endian::little).u32(Secrets::tls_key_log).u32(0).buffer())
          .bytes();
  const Buffer file = joined({pcap, pcapng.bytes(), secrets, pcap, pcapng.bytes()});
  Reader reader("memory", Bytes(file));
  Packet packet;
  std::vector<std::size_t> sizes;
  while (reader.next(packet) == Status::more) {
    sizes.push_back(packet.bytes.size());
    EXPECT_EQ(packet.number, sizes.size());
  }
  EXPECT_EQ(reader.problem().status, Status::end) << reader.problem().reason;
  EXPECT_EQ(sizes, (std::vector<std::size_t>{60, 70, 30, 60, 70, 30}));
  EXPECT_EQ(reader.joined_files(), 3U);
  EXPECT_EQ(reader.secrets().size(), 1U) << "what was kept stays";
}

TEST(JoinedFiles, ThroughACompressor) {
  const Buffer one = two_packets({}).bytes();
  for (const Buffer& file :
       {joined({gzip(one), gzip(one)}), joined({zstd(one), lz4(one)}), gzip(joined({one, one}))}) {
    const Reading reading = read_all(file);
    EXPECT_EQ(reading.packets.size(), 4U);
    EXPECT_EQ(reading.joined, 1U);
  }
}

// A packet of the second at which the number of its seconds is a magic number.
TEST(JoinedFiles, ATimeIsNoHeader) {
  for (const std::uint32_t seconds : {0xa1b2c3d4U, 0xa1b23c4dU, 0xd4c3b2a1U, 0x0a0d0d0aU}) {
    for (const std::uint32_t captured : {0U, 60U}) {
      PcapFile file;
      file.packet(some_time, Buffer(60));
      file.record({seconds, 0x00040002, captured, 60}, Buffer(captured));
      file.record({seconds, 0x00040003, captured, 60}, Buffer(captured));
      const Reading reading = read_all(file.bytes());
      EXPECT_EQ(reading.packets.size(), 3U);
      EXPECT_EQ(reading.joined, 0U);
    }
  }
}

// Each field of the header that makes no sense shows that it is none.
TEST(JoinedFiles, AHeaderMustMakeSense) {
  const Buffer first = two_packets({}).bytes();
  const auto joins = [&first](std::size_t at, unsigned change) {
    Buffer second = two_packets({}).bytes();
    second[at] ^= static_cast<std::byte>(change);
    return read_all(joined({first, second})).joined == 1;
  };
  EXPECT_TRUE(joins(60, 1));     // in a packet
  EXPECT_FALSE(joins(0, 1));     // magic
  EXPECT_FALSE(joins(4, 4));     // version
  EXPECT_FALSE(joins(10, 8));    // zone
  EXPECT_FALSE(joins(13, 1));    // accuracy
  EXPECT_FALSE(joins(21, 64));   // link type
  EXPECT_FALSE(joins(34, 255));  // length of the first packet
}

}  // namespace
}  // namespace analyzer::capture
