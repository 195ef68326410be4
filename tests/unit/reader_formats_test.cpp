// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What pcap and pcapng files hold: byte orders, clocks, link types, lengths, and records that make
// no sense. How reading ends in general is tested in reader_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "capture/reader.hpp"
#include "support/capture_builder.hpp"

namespace analyzer::capture {
namespace {

using namespace support;
using testing::HasSubstr;

constexpr std::int64_t some_time = 1'700'000'000'123'456'789;

// Packets with their bytes copied, so that they can be looked at after the reading.
struct Recorded {
  Packet packet;
  Buffer bytes;
};

struct Reading {
  std::vector<Recorded> packets;
  Problem problem;
  std::string format;
};

Reading read_all(Bytes file) {
  Reader reader("memory", file);
  Reading reading;
  Packet packet;
  while (reader.next(packet) == Status::more) {
    reading.packets.push_back({packet, {packet.bytes.begin(), packet.bytes.end()}});
  }
  reading.problem = reader.problem();
  reading.format = reader.format();
  return reading;
}

Packet only_packet(Bytes file) {
  const Reading reading = read_all(file);
  EXPECT_EQ(reading.problem.status, Status::end) << reading.problem.reason;
  EXPECT_EQ(reading.packets.size(), 1U);
  return reading.packets.empty() ? Packet() : reading.packets[0].packet;
}

void expect_damaged(Bytes file, std::uint64_t offset, const char* reason) {
  const Reading reading = read_all(file);
  EXPECT_EQ(reading.problem.status, Status::damaged);
  EXPECT_EQ(reading.problem.offset, offset);
  EXPECT_THAT(reading.problem.reason, HasSubstr(reason));
}

// --- pcap

TEST(Pcap, ReadsEveryVariant) {
  const Buffer bytes = counting_bytes(60);
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    for (const bool nanoseconds : {false, true}) {
      for (const bool modified : {false, true}) {
        if (nanoseconds && modified) continue;
        PcapFile file({.order = order,
                       .nanoseconds = nanoseconds,
                       .modified = modified,
                       .link_type = link_linux_cooked_v2});
        file.packet(some_time, bytes, 1'500).packet(some_time, bytes);
        const Reading reading = read_all(file.bytes());
        EXPECT_EQ(reading.format, nanoseconds ? "pcap (nanoseconds)" : "pcap");
        ASSERT_EQ(reading.packets.size(), 2U);
        const Packet& packet = reading.packets[0].packet;
        EXPECT_EQ(packet.number, 1U);
        EXPECT_EQ(packet.time, nanoseconds ? some_time : some_time / 1'000 * 1'000);
        EXPECT_TRUE(packet.has_time);
        EXPECT_EQ(packet.link_type, link_linux_cooked_v2);
        EXPECT_EQ(packet.wire_length, 1'500U);
        EXPECT_EQ(reading.packets[1].bytes, bytes);
      }
    }
  }
}

TEST(Pcap, AFileWithoutPacketsIsGood) {
  const Reading reading = read_all(PcapFile().bytes());
  EXPECT_EQ(reading.problem.status, Status::end);
  EXPECT_TRUE(reading.packets.empty());
}

TEST(Pcap, IgnoresWhatStandsAboveTheLinkType) {
  const PcapFile file({.link_type = 0xf4000000 | link_ethernet});
  EXPECT_EQ(only_packet(PcapFile(file).packet(0, Buffer(1)).bytes()).link_type, link_ethernet);
}

TEST(Pcap, ToleratesMoreCapturedThanSent) {
  PcapFile file({.snap_length = 10});
  EXPECT_EQ(only_packet(file.packet(0, Buffer(60), 40).bytes()).wire_length, 60U);
}

TEST(Pcap, TheLargestTimeDoesNotOverflow) {
  PcapFile file;
  file.record({.seconds = 0xffffffff, .fraction = 0xffffffff}, {});
  EXPECT_EQ(only_packet(file.bytes()).time, 4'294'967'295'000'000'000 + 4'294'967'295'000);
}

TEST(Pcap, RefusesAnAbsurdLength) {
  PcapFile file;
  file.packet(0, Buffer(60)).record({.captured_length = 0x01000001, .wire_length = 60}, Buffer(60));
  expect_damaged(file.bytes(), 24 + 16 + 60, "16777217 captured bytes is above the limit");
}

TEST(Pcap, FindsOutHowLongTheHeadersOfRecordsAre) {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    for (const PcapOptions& options :
         {PcapOptions{.more_record_header_bytes = 8}, PcapOptions{.more_record_header_bytes = 4},
          PcapOptions{.modified = true, .more_record_header_bytes = 4}}) {
      PcapOptions in_order = options;
      in_order.order = order;
      PcapFile file(in_order);
      for (unsigned i = 1; i < 6; ++i) file.packet(some_time + i, counting_bytes(i * 7, i));
      const Reading reading = read_all(file.bytes());
      EXPECT_EQ(reading.problem.status, Status::end) << reading.problem.reason;
      ASSERT_EQ(reading.packets.size(), 5U);
      EXPECT_EQ(reading.packets[4].bytes, counting_bytes(35, 5));
    }
  }
}

TEST(Pcap, ADamagedRecordDoesNotChangeTheHeaders) {
  PcapFile file;
  file.packet(some_time, Buffer(60)).record({.captured_length = 0xffffffff}, Buffer(60));
  const Reading reading = read_all(file.bytes());
  EXPECT_EQ(reading.problem.status, Status::damaged);
  ASSERT_EQ(reading.packets.size(), 1U);
  EXPECT_EQ(reading.packets[0].bytes, Buffer(60));
}

TEST(Pcap, ReadsWhatIxiaWrites) {
  for (const std::uint32_t magic : {0x1c0001abU, 0x1c0001acU}) {
    const bool nanoseconds = magic == 0x1c0001acU;
    PcapFile file(
        {.nanoseconds = nanoseconds, .magic = magic, .more_file_header_bytes = sizeof(magic)});
    const Packet packet = only_packet(file.packet(some_time, Buffer(60)).bytes());
    EXPECT_EQ(packet.time, nanoseconds ? some_time : some_time / 1'000 * 1'000);
  }
}

TEST(Pcap, OldVersionsHaveTheLengthsTheOtherWayRound) {
  const auto read = [](std::uint16_t major, std::uint16_t minor, std::uint32_t first,
                       std::uint32_t second) {
    PcapFile file({.major_version = major, .minor_version = minor});
    file.record({.captured_length = first, .wire_length = second}, Buffer(60));
    const Packet packet = only_packet(file.bytes());
    EXPECT_EQ(packet.bytes.size(), 60U);
    return packet.wire_length;
  };
  EXPECT_EQ(read(2, 2, 1'500, 60), 1'500U);
  EXPECT_EQ(read(543, 0, 1'500, 60), 1'500U);
  EXPECT_EQ(read(2, 3, 1'500, 60), 1'500U);
  EXPECT_EQ(read(2, 3, 60, 1'500), 1'500U);
  EXPECT_EQ(read(2, 4, 60, 1'500), 1'500U);
}

TEST(Pcap, AixWritesNanosecondsAndInterfaceTypes) {
  PcapFile file({.order = std::endian::big,
                 .nanoseconds = true,
                 .link_type = 6,
                 .minor_version = 2,
                 .magic = 0xa1b2c3d4});
  const Packet packet = only_packet(file.packet(some_time, Buffer(60)).bytes());
  EXPECT_EQ(packet.time, some_time);
  EXPECT_EQ(packet.link_type, link_ethernet);
}

// --- pcapng: packets

TEST(Pcapng, ReadsEveryKindOfPacketInBothOrders) {
  const Buffer bytes = counting_bytes(61);
  PcapngFile file;
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    file.section(order).interface().interface({.link_type = link_raw, .resolution = 9});
    file.enhanced_packet(1, some_time, bytes, 1'500, {{1, bytes_of("a comment")}});
    file.simple_packet(bytes).obsolete_packet(1, some_time, bytes, 1'500);
  }
  const Reading reading = read_all(file.bytes());
  EXPECT_EQ(reading.problem.status, Status::end) << reading.problem.reason;
  EXPECT_EQ(reading.format, "pcapng");
  ASSERT_EQ(reading.packets.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    const Packet& packet = reading.packets[i].packet;
    const bool simple = i % 3 == 1;
    EXPECT_EQ(packet.number, i + 1);
    EXPECT_EQ(packet.has_time, !simple);
    EXPECT_EQ(packet.time, simple ? 0 : some_time);
    EXPECT_EQ(packet.interface, simple ? 0U : 1U);
    EXPECT_EQ(packet.link_type, simple ? link_ethernet : link_raw);
    EXPECT_EQ(packet.wire_length, simple ? 61U : 1'500U);
    EXPECT_EQ(reading.packets[i].bytes, bytes);
  }
}

TEST(Pcapng, ASimplePacketEndsAtTheSnapLength) {
  PcapngFile file;
  file.section().interface({.snap_length = 50}).interface({.snap_length = 20});
  file.simple_packet(Buffer(50), 1'500);
  const Packet packet = only_packet(file.bytes());
  EXPECT_EQ(packet.bytes.size(), 50U);
  EXPECT_EQ(packet.wire_length, 1'500U);
}

TEST(Pcapng, ASnapLengthOfZeroIsNone) {
  PcapngFile file;
  file.section().interface({.snap_length = 0}).simple_packet(Buffer(50));
  EXPECT_EQ(only_packet(file.bytes()).bytes.size(), 50U);
}

TEST(Pcapng, ToleratesMoreCapturedThanSent) {
  PcapngFile file;
  file.section().interface({.snap_length = 10}).enhanced_packet(0, 0, Buffer(60), 40);
  EXPECT_EQ(only_packet(file.bytes()).wire_length, 60U);
}

TEST(Pcapng, UsesTheClockOfTheInterface) {
  PcapngFile file;
  file.section()
      .interface()
      .interface({.resolution = 3})
      .interface({.resolution = 0x80 | 20})
      .interface({.resolution = 9, .offset_seconds = 1'600'000'000})
      .interface({.offset_seconds = -10});
  for (std::uint32_t i = 0; i < 5; ++i) file.enhanced_packet(i, 3 << 19, {});
  const Reading reading = read_all(file.bytes());
  ASSERT_EQ(reading.packets.size(), 5U);
  EXPECT_EQ(reading.packets[0].packet.time, 1'572'864'000);
  EXPECT_EQ(reading.packets[1].packet.time, 1'572'864'000'000);
  EXPECT_EQ(reading.packets[2].packet.time, 1'500'000'000);
  EXPECT_EQ(reading.packets[3].packet.time, 1'600'000'000'001'572'864);
  EXPECT_EQ(reading.packets[4].packet.time, 1'572'864'000 - 10'000'000'000);
}

TEST(Pcapng, ASectionForgetsTheInterfacesBeforeIt) {
  PcapngFile file;
  file.section().interface({.link_type = link_raw}).section();
  const std::size_t offset = file.bytes().size();
  file.enhanced_packet(0, 0, Buffer(60));
  expect_damaged(file.bytes(), offset, "names interface 0, its section describes 0");
}

TEST(Pcapng, SkipsUnknownBlocksAndNumbersAsWireshark) {
  PcapngFile file;
  file.section().interface();
  for (const std::uint32_t type : {4U, 5U, 10U, 0x777U, 0x80000001U}) file.block(type, Buffer(40));
  file.block(block_type::custom, Buffer(40)).block(9, Buffer(40)).block(0x204, Buffer(40));
  EXPECT_EQ(only_packet(file.enhanced_packet(0, 0, Buffer(60)).bytes()).number, 4U);
}

TEST(Pcapng, ToleratesLengthsWithoutThePadding) {
  PcapngFile file;
  file.section().interface();
  const Buffer body = file.writer().u32(0).u64(0).u32(61).u32(61).zeros(61).buffer();
  file.block(block_type::enhanced_packet, body, 12 + 20 + 61).block(0x777, Buffer(3), 15);
  file.enhanced_packet(0, 1, Buffer(9));
  const Reading reading = read_all(file.bytes());
  EXPECT_EQ(reading.problem.status, Status::end) << reading.problem.reason;
  EXPECT_EQ(reading.packets.size(), 2U);
}

TEST(Pcapng, IgnoresTheLengthOfASection) {
  PcapngFile file;
  for (const std::uint64_t length : {0ULL, 20ULL, 1ULL << 63, 0xfffffffffffffff0ULL}) {
    const Buffer body = file.writer().u32(0x1a2b3c4d).u16(1).u16(2).u64(length).buffer();
    file.block(block_type::section_header, body).interface().enhanced_packet(0, 1, Buffer(9));
  }
  const Reading reading = read_all(file.bytes());
  EXPECT_EQ(reading.problem.status, Status::end) << reading.problem.reason;
  EXPECT_EQ(reading.packets.size(), 4U);
}

TEST(Pcapng, KeepsSecretsWithinBounds) {
  PcapngFile file;
  file.section();
  const std::uint32_t most = std::uint32_t{15} << 20;
  for (const std::uint32_t length : {most, most, 100U})
    file.block(0x0a, file.writer().u32(7).u32(length).zeros(length).buffer());
  Resources resources;
  resources.budget = std::make_shared<MemoryPool>(std::uint64_t{32} << 20);
  {
    Reader reader("memory", Bytes(file.bytes()), 1, resources);
    Packet packet;
    EXPECT_EQ(reader.next(packet), Status::end);
    EXPECT_EQ(reader.dropped_secrets(), 1U);
    ASSERT_EQ(reader.secrets().size(), 2U);
    EXPECT_EQ(reader.secrets()[1].data.size(), 100U);
    EXPECT_LT(resources.budget->left(), std::uint64_t{17} << 20);
  }
  EXPECT_EQ(resources.budget->left(), std::uint64_t{32} << 20);
}

// --- pcapng: damage

TEST(Pcapng, ChecksTheLengthsOfSecrets) {
  PcapngFile file;
  file.section();
  expect_damaged(PcapngFile(file).block(0x0a, Buffer(4)).bytes(), 28, "secrets is too short");
  const Buffer too_long = file.writer().u32(7).u32(41).zeros(40).buffer();
  expect_damaged(PcapngFile(file).block(0x0a, too_long).bytes(), 28,
                 "41 bytes of secrets are in a block with room for 40");
}

TEST(Pcapng, ChecksTheLengthsOfBlocks) {
  for (const std::uint32_t type : {1U, 6U, 0x777U}) {
    for (const std::uint32_t length : {0U, 8U, 11U, 0x04000001U, 0xfffffffcU}) {
      PcapngFile file;
      file.section().block(type, Buffer(100), length);
      expect_damaged(file.bytes(), 28, "a block cannot be");
    }
    PcapngFile file;
    file.section().interface().block(type, Buffer(100), 112, 116);
    expect_damaged(file.bytes(), 48, "112 at its start, 116 at its end");
  }
}

TEST(Pcapng, ChecksThatBlocksHaveTheirFields) {
  PcapngFile file;
  file.section().interface();
  const auto with = [&](std::uint32_t type, std::size_t body) {
    return PcapngFile(file).block(type, Buffer(body)).bytes();
  };
  expect_damaged(with(block_type::interface_description, 4), 48, "interface description");
  expect_damaged(with(block_type::enhanced_packet, 16), 48, "a packet block is too short");
  expect_damaged(with(block_type::obsolete_packet, 16), 48, "a packet block is too short");
  expect_damaged(with(block_type::simple_packet, 0), 48, "a packet block is too short");
  expect_damaged(with(block_type::section_header, 8), 48, "no byte-order magic");
  const Buffer short_section = file.writer().u32(0x1a2b3c4d).u32(1).buffer();
  expect_damaged(PcapngFile(file).block(block_type::section_header, short_section).bytes(), 48,
                 "a section header is too short");
}

TEST(Pcapng, ChecksTheLengthsOfPackets) {
  PcapngFile file;
  file.section().interface();
  const auto enhanced = [&](std::uint32_t interface, std::uint32_t captured) {
    Writer body = file.writer();
    body.u32(interface).u64(0).u32(captured).u32(60).zeros(60);
    return PcapngFile(file).block(block_type::enhanced_packet, body.buffer()).bytes();
  };
  EXPECT_EQ(only_packet(enhanced(0, 60)).bytes.size(), 60U);
  expect_damaged(enhanced(0, 61), 48, "61 captured bytes is in a block with room for 60");
  expect_damaged(enhanced(0, 0xffffffff), 48, "4294967295 captured bytes");
  expect_damaged(enhanced(1, 60), 48, "names interface 1, its section describes 1");
  expect_damaged(PcapngFile(file).simple_packet(Buffer(60), 61).bytes(), 48, "room for 60");
  const std::size_t too_much = (std::size_t{16} << 20) + 1;
  expect_damaged(PcapngFile(file).enhanced_packet(0, 0, Buffer(too_much)).bytes(), 48,
                 "above the limit");
}

TEST(Pcapng, ReadsOptionsOnlyInsideTheirBlock) {
  PcapngFile file;
  file.section();
  const auto with = [&](Bytes options) {
    const Buffer body = file.writer().u16(link_ethernet).u16(0).u32(0).bytes(options).buffer();
    PcapngFile one = file;
    one.block(block_type::interface_description, body);
    return one.enhanced_packet(0, 1, {}).bytes();
  };
  expect_damaged(with(file.writer().u16(9).u16(5).u32(0).buffer()), 28, "an option reaches past");
  expect_damaged(with(file.writer().u16(2).u16(0xffff).u32(0).buffer()), 28, "reaches past");
  // Wrong sizes of known options are passed over, and so is what follows the end mark.
  EXPECT_EQ(only_packet(with(file.writer().u16(9).u16(2).u32(9).buffer())).time, 1'000);
  EXPECT_EQ(only_packet(with(file.writer().u32(0).u16(9).u16(1).u32(9).buffer())).time, 1'000);
  EXPECT_EQ(only_packet(with(file.writer().u16(9).u16(1).u32(9).buffer())).time, 1);
}

TEST(Pcapng, BoundsTheInterfacesOfASection) {
  PcapngFile file;
  file.section();
  for (int i = 0; i < 65'536; ++i) file.interface();
  const std::size_t offset = file.bytes().size();
  expect_damaged(file.interface().bytes(), offset, "more than 65536 interfaces");
}

TEST(Pcapng, RefusesOtherVersions) {
  PcapngFile file;
  const Buffer body = file.writer().u32(0x1a2b3c4d).u16(2).u16(0).u64(0).buffer();
  file.block(block_type::section_header, body);
  const Reading reading = read_all(file.bytes());
  EXPECT_EQ(reading.problem.status, Status::unreadable);
  EXPECT_EQ(reading.problem.reason, "pcapng version 2.0 is not supported");
}

}  // namespace
}  // namespace analyzer::capture
