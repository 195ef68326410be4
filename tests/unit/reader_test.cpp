// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Reading from every kind of input, and how reading ends: every prefix of good files, hostile
// lengths, noise. What single formats hold is tested in reader_formats_test.cpp.
#include "capture/reader.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <thread>

#include "support/capture_builder.hpp"

namespace analyzer::capture {
namespace {

using namespace support;
using testing::HasSubstr;

struct Reading {
  std::vector<Buffer> packets;
  std::uint64_t last_number = 0;
  Problem problem;
};

Reading read_all(Reader reader) {
  Reading reading;
  Packet packet;
  Status status = Status::more;
  while ((status = reader.next(packet)) == Status::more) {
    EXPECT_GE(packet.wire_length, packet.bytes.size());
    reading.packets.emplace_back(packet.bytes.begin(), packet.bytes.end());
    reading.last_number = packet.number;
  }
  EXPECT_EQ(reader.next(packet), status) << "the end is final";
  EXPECT_EQ(reader.problem().status, status);
  reading.problem = reader.problem();
  return reading;
}

Reading read_memory(Bytes bytes) {
  return read_all(Reader("memory", bytes));
}

// A file that is gone when the test is over.
class TemporaryFile {
 public:
  explicit TemporaryFile(Bytes bytes) {
    std::string name = testing::TempDir() + "capture-XXXXXX";
    const int descriptor = ::mkstemp(name.data());
    EXPECT_GE(descriptor, 0);
    ::close(descriptor);
    path_ = name;
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// The reading end of a pipe in place of standard input, as long as this lives.
class StandardInputPipe {
 public:
  StandardInputPipe() : saved_(::dup(STDIN_FILENO)) {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe(ends), 0);
    EXPECT_EQ(::dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    ::close(ends[0]);
    writing_end_ = ends[1];
  }
  ~StandardInputPipe() {
    close();
    if (saved_ >= 0) {
      ::dup2(saved_, STDIN_FILENO);
      ::close(saved_);
    } else {
      ::close(STDIN_FILENO);
    }
  }
  StandardInputPipe(const StandardInputPipe&) = delete;
  StandardInputPipe& operator=(const StandardInputPipe&) = delete;

  void write(Bytes bytes) const {
    EXPECT_EQ(::write(writing_end_, bytes.data(), bytes.size()),
              static_cast<ssize_t>(bytes.size()));
  }
  void close() {
    if (writing_end_ >= 0) ::close(writing_end_);
    writing_end_ = -1;
  }

 private:
  int saved_;
  int writing_end_ = -1;
};

PcapFile small_pcap() {
  PcapFile file;
  for (unsigned i = 0; i < 4; ++i) file.packet(i, counting_bytes(i * 11, i));
  return file;
}

PcapngFile small_pcapng() {
  PcapngFile file;
  file.section().interface().enhanced_packet(0, 1, counting_bytes(20));
  file.block(block_type::custom, Buffer(16)).simple_packet(counting_bytes(7));
  file.section(std::endian::big).interface({.resolution = 9});
  file.block(0x777, Buffer(8)).obsolete_packet(0, 2, counting_bytes(33));
  return file;
}

// --- Inputs

TEST(Reader, ReadsAFile) {
  const PcapFile file = small_pcap();
  const TemporaryFile on_disk(file.bytes());
  Reader reader(on_disk.path());
  EXPECT_EQ(reader.format(), "");
  const Reading reading = read_all(std::move(reader));
  EXPECT_EQ(reading.problem.status, Status::end);
  EXPECT_EQ(reading.problem.file, on_disk.path());
  EXPECT_EQ(reading.problem.offset, file.bytes().size());
  EXPECT_EQ(reading.packets, read_memory(file.bytes()).packets);
  EXPECT_EQ(reading.packets.size(), 4U);
}

TEST(Reader, ReadsAFileOfManyBlocks) {
  PcapngFile file;
  file.section().interface();
  std::vector<Buffer> packets;
  for (unsigned i = 0; i < 2'000; ++i) {
    // The largest is above the reader's buffer; the blocks in between are skipped.
    packets.push_back(counting_bytes(i == 1'000 ? 1'000'000 : i % 1'500, i));
    file.enhanced_packet(0, i, packets.back());
    if (i % 100 == 0) file.block(block_type::name_resolution, Buffer(300'000));
  }
  const TemporaryFile on_disk(file.bytes());
  const Reading reading = read_all(Reader(on_disk.path()));
  EXPECT_EQ(reading.problem.status, Status::end) << reading.problem.reason;
  EXPECT_EQ(reading.packets, packets);
}

TEST(Reader, ReadsStandardInputByteByByte) {
  const Buffer file = small_pcapng().bytes();
  StandardInputPipe pipe;
  std::thread writer([&] {
    for (std::size_t i = 0; i < file.size(); ++i) pipe.write(Bytes(file).subspan(i, 1));
    pipe.close();
  });
  const Reading reading = read_all(Reader("-"));
  writer.join();
  EXPECT_EQ(reading.problem.status, Status::end) << reading.problem.reason;
  EXPECT_EQ(reading.packets, read_memory(file).packets);
}

TEST(Reader, HandsOutAPacketBeforeTheNextOneIsThere) {
  // All in one thread: a reader that waited for more would hang.
  const StandardInputPipe pipe;
  for (const bool blocking : {true, false}) {
    ASSERT_EQ(::fcntl(STDIN_FILENO, F_SETFL, blocking ? 0 : O_NONBLOCK), 0);
    Reader reader("-");
    Packet packet;
    pipe.write(PcapFile().packet(0, counting_bytes(10)).bytes());
    ASSERT_EQ(reader.next(packet), Status::more);
    EXPECT_EQ(packet.bytes.size(), 10U);
    pipe.write(Writer(std::endian::little).u64(0).u32(2).u32(2).u16(0xabcd).buffer());
    ASSERT_EQ(reader.next(packet), Status::more);
    EXPECT_EQ(packet.number, 2U);
  }
}

TEST(Reader, WaitsForANonBlockingPipe) {
  StandardInputPipe pipe;
  ASSERT_EQ(::fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK), 0);
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    pipe.write(small_pcap().bytes());
    pipe.close();
  });
  EXPECT_EQ(read_all(Reader("-")).packets.size(), 4U);
  writer.join();
}

TEST(Reader, CanBeMovedBetweenPackets) {
  const PcapFile file = small_pcap();
  Reader first("memory", Bytes(file.bytes()), 100);
  Packet packet;
  ASSERT_EQ(first.next(packet), Status::more);
  EXPECT_EQ(packet.number, 100U);
  Reader second = std::move(first);
  EXPECT_EQ(read_all(std::move(second)).last_number, 103U);
}

TEST(Reader, NumbersTheNextFileFromHere) {
  const PcapngFile file = small_pcapng();
  Reader reader("memory", Bytes(file.bytes()), 10);
  EXPECT_EQ(reader.next_number(), 10U);
  Packet packet;
  while (reader.next(packet) == Status::more) EXPECT_EQ(reader.next_number(), packet.number + 1);
  EXPECT_EQ(reader.next_number(), 14U);  // three packets and the custom block
}

// --- What is no capture

TEST(Reader, SaysWhyAFileCannotBeOpened) {
  const Reading missing = read_all(Reader(testing::TempDir() + "no-such-file.pcap"));
  EXPECT_EQ(missing.problem.status, Status::unreadable);
  EXPECT_EQ(missing.problem.reason, "cannot be opened: No such file or directory");
  const Reading folder = read_all(Reader(testing::TempDir()));
  EXPECT_EQ(folder.problem.status, Status::unreadable);
  EXPECT_EQ(folder.problem.reason, "cannot be read: Is a directory");
  EXPECT_EQ(read_all(Reader("")).problem.status, Status::unreadable);
}

TEST(Reader, NamesWhatIsNoCapture) {
  const auto reason = [](std::string_view content) {
    const Buffer bytes = bytes_of(content);
    const Reading reading = read_memory(bytes);
    EXPECT_EQ(reading.problem.status, Status::unreadable);
    EXPECT_EQ(reading.problem.offset, 0U);
    return reading.problem.reason;
  };
  EXPECT_EQ(reason(""), "the file is empty");
  EXPECT_THAT(reason("\xfd\x37zXZ" + std::string(4, '\0')), HasSubstr("compressed with xz"));
  EXPECT_EQ(reason("Some text."), "not a pcap or pcapng file: it looks like text");
  EXPECT_EQ(reason("\n\r\r\nFour line ends."), "a section header has no byte-order magic");
  const PcapFile other_version({.major_version = 3});
  EXPECT_EQ(read_memory(other_version.bytes()).problem.reason, "pcap version 3.4 is not supported");
}

// --- Cuts and noise

// Every prefix gives the packets that are complete in it, and says truncated unless it ends between
// two records.
void expect_prefixes_to_read(Bytes file, const std::vector<std::size_t>& record_ends,
                             const std::vector<std::size_t>& packet_ends) {
  const Reading whole = read_memory(file);
  ASSERT_EQ(whole.packets.size(), packet_ends.size());
  for (std::size_t kept = 4; kept <= file.size(); ++kept) {
    // A copy of exactly the prefix lets the address sanitizer see every byte too far.
    const auto copy = std::make_unique<std::byte[]>(kept);
    std::copy_n(file.begin(), kept, copy.get());
    const Reading reading = read_memory(Bytes(copy.get(), kept));
    const auto end = std::upper_bound(record_ends.begin(), record_ends.end(), kept);
    const std::size_t last_end = end == record_ends.begin() ? 0 : *std::prev(end);
    EXPECT_EQ(reading.problem.status, kept == last_end ? Status::end : Status::truncated) << kept;
    EXPECT_EQ(reading.problem.offset, last_end) << kept;
    EXPECT_EQ(reading.problem.reason.empty(), kept == last_end) << kept;
    const auto packets = static_cast<std::size_t>(
        std::upper_bound(packet_ends.begin(), packet_ends.end(), kept) - packet_ends.begin());
    ASSERT_EQ(reading.packets.size(), packets) << kept;
    EXPECT_TRUE(std::equal(reading.packets.begin(), reading.packets.end(), whole.packets.begin()));
  }
}

TEST(Reader, ReadsEveryPrefixOfAPcap) {
  for (const PcapOptions& options :
       {PcapOptions{}, PcapOptions{.order = std::endian::big}, PcapOptions{.modified = true}}) {
    PcapFile file(options);
    std::vector<std::size_t> record_ends{file.bytes().size()};
    for (unsigned i = 0; i < 4; ++i) {
      file.packet(i, counting_bytes(i * 11));
      record_ends.push_back(file.bytes().size());
    }
    expect_prefixes_to_read(file.bytes(), record_ends,
                            {record_ends.begin() + 1, record_ends.end()});
  }
}

TEST(Reader, ReadsEveryPrefixOfAPcapng) {
  PcapngFile file;
  std::vector<std::size_t> block_ends;
  std::vector<std::size_t> packet_ends;
  const auto block = [&] { block_ends.push_back(file.bytes().size()); };
  const auto packet = [&] {
    block();
    packet_ends.push_back(file.bytes().size());
  };
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    file.section(order), block();
    file.interface({.resolution = 9, .offset_seconds = 5}), block();
    file.enhanced_packet(0, 1, counting_bytes(21)), packet();
    file.block(0x777, Buffer(20)), block();
    file.simple_packet(counting_bytes(6)), packet();
    file.obsolete_packet(0, 1, counting_bytes(5)), packet();
  }
  expect_prefixes_to_read(file.bytes(), block_ends, packet_ends);
}

TEST(Reader, SaysWhereAndHowMuchIsMissing) {
  const Buffer file = cut(PcapFile().packet(0, Buffer(100)).packet(0, Buffer(100)).bytes(), 200);
  const Reading reading = read_memory(file);
  EXPECT_EQ(reading.problem.offset, 140U);
  EXPECT_EQ(reading.problem.reason, "a packet is cut off: 60 of at least 116 bytes are there");
}

TEST(Reader, AHugeLengthInASmallFileTakesNoMemory) {
  PcapFile pcap;
  pcap.record({.captured_length = std::uint32_t{16} << 20, .wire_length = 1}, Buffer(10));
  EXPECT_EQ(read_memory(pcap.bytes()).problem.status, Status::truncated);
  PcapngFile pcapng;
  pcapng.section().interface().block(block_type::enhanced_packet, Buffer(20),
                                     std::uint32_t{64} << 20);
  EXPECT_EQ(read_memory(pcapng.bytes()).problem.status, Status::truncated);
}

TEST(Reader, SurvivesChangedAndRandomBytes) {
  std::mt19937 random(1);
  const std::vector<Buffer> files{small_pcap().bytes(), small_pcapng().bytes()};
  for (int round = 0; round < 20'000; ++round) {
    Buffer file = files[static_cast<std::size_t>(round) % files.size()];
    const bool only_noise = round % 8 == 0;  // behind a good start
    for (std::size_t i = only_noise ? 28 : 4; i < file.size(); ++i) {
      if (only_noise || random() % 64 == 0) file[i] = static_cast<std::byte>(random() & 0xff);
    }
    const Reading reading = read_memory(file);
    EXPECT_LE(reading.problem.offset, file.size());
    EXPECT_EQ(reading.problem.reason.empty(), reading.problem.status == Status::end);
  }
}

}  // namespace
}  // namespace analyzer::capture
