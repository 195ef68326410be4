// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Several files as one capture: order, few open files, folders, files that cannot be read.
#include "capture/merge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "support/capture_builder.hpp"
#include "support/compressors.hpp"
#include "support/temporary_folder.hpp"

namespace analyzer::capture {
namespace {

using namespace support;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t second = 1'000'000'000;

// A capture with a packet at each of these seconds, of so many bytes.
Buffer capture_at(std::initializer_list<int> seconds) {
  PcapFile file;
  for (const int at : seconds) file.packet(at * second, Buffer(static_cast<std::size_t>(at)));
  return file.bytes();
}

std::vector<int> seconds_of(Merge& merge) {
  std::vector<int> seconds;
  Packet packet;
  while (merge.next(packet)) {
    seconds.push_back(static_cast<int>(packet.time / second));
    EXPECT_EQ(packet.bytes.size(), packet.time / second);
    EXPECT_EQ(packet.number, seconds.size());
  }
  return seconds;
}

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator entries("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

TEST(Merge, GoesByTime) {
  const TemporaryFolder folder;
  const std::vector<std::string> names{
      folder.write("late", capture_at({7, 8})), folder.write("both", capture_at({1, 5, 9})),
      folder.write("none", capture_at({})), folder.write("early", gzip(capture_at({2, 3})))};
  for (const std::size_t kept_open : {0UL, 16UL}) {
    Merge merge(list_input_files(names), {.kept_open = kept_open});
    EXPECT_THAT(seconds_of(merge), ElementsAre(1, 2, 3, 5, 7, 8, 9));
    const std::vector<FileSummary> files = merge.take_files();
    ASSERT_EQ(files.size(), 4U);
    EXPECT_EQ(files[1].name, names[1]);
    EXPECT_EQ(files[1].packets, 3U);
    EXPECT_EQ(files[2].packets, 0U);
    EXPECT_EQ(files[3].compression, "gzip");
    for (const FileSummary& file : files) EXPECT_EQ(file.problem.status, Status::end);
    EXPECT_EQ(merge.late_files(), 0U);
  }
}

TEST(Merge, ThousandsOfRotatedFilesAreAFewOpenOnes) {
  const TemporaryFolder folder;
  std::vector<int> wanted;
  for (int i = 0; i < 2'000; ++i) {
    // Each reaches over into the next one.
    folder.write("r.pcap" + std::to_string((i + 700) % 2'000), capture_at({i * 2, i * 2 + 3}));
  }
  const std::size_t before = open_descriptors();
  Merge merge(list_input_files({folder.path()}));
  std::size_t most = 0;
  std::int64_t last = 0;
  std::size_t count = 0;
  Packet packet;
  while (merge.next(packet)) {
    ASSERT_GE(packet.time, last);
    last = packet.time;
    if (++count % 64 == 0) most = std::max(most, open_descriptors());
  }
  EXPECT_EQ(count, 4'000U);
  EXPECT_LE(most, before + 6);
  const std::vector<FileSummary> files = merge.take_files();
  EXPECT_EQ(files.front().name, folder.at("r.pcap700")) << "the earliest first";
}

TEST(Merge, BoundsHowManyFilesAreOpen) {
  const TemporaryFolder folder;
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i)
    names.push_back(folder.write(std::to_string(i), capture_at({1 + i, 100 + i})));
  const std::size_t before = open_descriptors();
  Merge merge(list_input_files(names), {.kept_open = 4, .open_files = 10});
  Packet packet;
  std::size_t count = 0;
  while (merge.next(packet)) {
    ++count;
    ASSERT_LE(open_descriptors(), before + 13);
  }
  EXPECT_EQ(count, 80U);
  EXPECT_GT(merge.late_files(), 0U);
}

TEST(Merge, MergesAnyFilesAsIfTheyWereOne) {
  std::mt19937 random(7);
  for (int run = 0; run < 30; ++run) {
    const TemporaryFolder folder;
    std::vector<PcapFile> files(1 + random() % 40);
    std::vector<int> wanted;
    int at = 0;
    for (int i = 0; i < 300; ++i) {
      at += static_cast<int>(random() % 3);
      files[random() % files.size()].packet(at * second, Buffer(static_cast<std::size_t>(at)));
      wanted.push_back(at);
    }
    for (std::size_t i = 0; i < files.size(); ++i)
      folder.write("f" + std::to_string(i), files[i].bytes());
    Merge merge(list_input_files({folder.path()}));
    EXPECT_EQ(seconds_of(merge), wanted);
  }
}

TEST(Merge, SkipsWhatIsNoCaptureInAFolder) {
  const TemporaryFolder folder;
  folder.write("a.pcap", capture_at({1}));
  folder.write("b-empty.pcap", {});
  folder.write("c.keys", bytes_of("CLIENT_RANDOM 00 00"));
  folder.write("d.xz", bytes_of("\xfd\x37zXZ"));
  folder.write("e.xz", bytes_of(std::string_view("\xfd\x37zXZ\0", 6)));
  Merge merge(list_input_files({folder.path()}));
  EXPECT_THAT(seconds_of(merge), ElementsAre(1));
  ASSERT_EQ(merge.skipped().size(), 3U);
  EXPECT_EQ(merge.skipped()[0].reason, "the file is empty");
  EXPECT_THAT(merge.skipped()[1].reason, HasSubstr("a TLS key log"));
  const std::vector<FileSummary> files = merge.take_files();
  ASSERT_EQ(files.size(), 2U) << "what may hold packets is not passed over in silence";
  EXPECT_EQ(files[1].problem.status, Status::unreadable);
}

TEST(Merge, AFolderWithoutCapturesIsAProblem) {
  const TemporaryFolder folder;
  const auto problem = [&folder] {
    Merge merge(list_input_files({folder.path()}));
    EXPECT_THAT(seconds_of(merge), IsEmpty());
    const std::vector<FileSummary> files = merge.take_files();
    EXPECT_EQ(files.size(), 1U);
    return files.empty() ? Problem() : files[0].problem;
  };
  EXPECT_EQ(problem().status, Status::unreadable);
  EXPECT_EQ(problem().reason, "the folder is empty");
  folder.write("notes", bytes_of("text"));
  EXPECT_EQ(problem().reason, "no capture is in the folder");
}

TEST(Merge, TellsOfEveryFile) {
  const TemporaryFolder folder;
  const Buffer whole = capture_at({1, 50});
  const std::string cut = folder.write("cut", Bytes(whole).first(whole.size() - 5));
  const std::string text = folder.write("text", bytes_of("text"));
  Merge merge(list_input_files({cut, text, folder.at("none")}), {.kept_open = 1});
  EXPECT_THAT(seconds_of(merge), ElementsAre(1));
  const std::vector<FileSummary> files = merge.take_files();
  ASSERT_EQ(files.size(), 3U);
  EXPECT_EQ(files[0].problem.status, Status::truncated);
  EXPECT_EQ(files[0].packets, 1U);
  EXPECT_EQ(files[1].problem.status, Status::unreadable);
  EXPECT_THAT(files[2].problem.reason, HasSubstr("cannot be opened"));
}

TEST(Merge, OneFileKeepsItsNumbers) {
  const TemporaryFolder folder;
  PcapngFile file;
  file.section().interface().block(block_type::custom, Buffer(16)).enhanced_packet(0, 0, {});
  Merge merge(list_input_files({folder.write("one", file.bytes())}));
  Packet packet;
  ASSERT_TRUE(merge.next(packet));
  EXPECT_EQ(packet.number, 2U);
}

TEST(Merge, HandsOutSecrets) {
  const TemporaryFolder folder;
  PcapngFile file;
  file.section().interface();
  const auto secrets = [&file](std::string_view text) {
    return file.writer()
        .u32(Secrets::tls_key_log)
        .u32(static_cast<std::uint32_t>(text.size()))
        .bytes(bytes_of(text))
        .buffer();
  };
  file.block(0x0a, secrets("first key")).enhanced_packet(0, 0, {});
  file.block(0x0a, secrets("second")).enhanced_packet(0, 0, {});
  Merge merge(list_input_files({folder.write("one", file.bytes())}));
  Packet packet;
  ASSERT_TRUE(merge.next(packet));
  ASSERT_EQ(merge.secrets().size(), 1U);
  EXPECT_EQ(merge.secrets()[0].type, Secrets::tls_key_log);
  EXPECT_EQ(merge.secrets()[0].data, "first key");
  ASSERT_TRUE(merge.next(packet));
  EXPECT_EQ(merge.secrets().size(), 2U);
  EXPECT_FALSE(merge.next(packet));
  const std::vector<FileSummary> files = merge.take_files();
  EXPECT_EQ(files[0].secrets, 2U);
  EXPECT_EQ(files[0].secrets_bytes, 15U);
}

// --- Memory

// As long as a window of 8 MiB and more, with a packet every other second.
Buffer large_capture(int first) {
  PcapFile file;
  for (int i = 0; i < 400; ++i) {
    Buffer bytes = counting_bytes(25'000, static_cast<unsigned>(first + i));
    file.packet((first + 2 * i) * second, bytes);
  }
  return file.bytes();
}

struct MergedFiles {
  std::size_t packets = 0;
  bool is_in_order = true;
  std::uint64_t late = 0;
  std::vector<FileSummary> files;
};

MergedFiles merge_all(const std::vector<std::string>& names, const Merge::Limits& limits) {
  Merge merge(list_input_files(names), limits);
  MergedFiles merged;
  Packet packet;
  std::int64_t last = 0;
  while (merge.next(packet)) {
    EXPECT_EQ(packet.bytes.size(), 25'000U);
    merged.is_in_order &= packet.time >= last;
    last = packet.time;
    EXPECT_EQ(packet.number, ++merged.packets);
  }
  merged.late = merge.late_files();
  merged.files = merge.take_files();
  return merged;
}

TEST(Merge, CompressedFilesThatFollowEachOtherTakeTheMemoryOfOne) {
  const TemporaryFolder folder;
  std::vector<std::string> names;
  for (int i = 0; i < 5; ++i)
    names.push_back(folder.write(std::to_string(i) + ".zst", zstd(large_capture(i * 900), 23)));
  const MergedFiles merged =
      merge_all(names, {.memory = std::uint64_t{12} << 20, .lent_memory = 0});
  EXPECT_EQ(merged.packets, 2'000U);
  EXPECT_TRUE(merged.is_in_order);
  EXPECT_EQ(merged.late, 0U);
  for (const FileSummary& file : merged.files) EXPECT_EQ(file.problem.status, Status::end);
}

TEST(Merge, CompressedFilesOfOneTimeWaitForMemoryRatherThanEnd) {
  const TemporaryFolder folder;
  std::vector<std::string> names;
  for (int i = 0; i < 6; ++i)
    names.push_back(folder.write(std::to_string(i) + ".zst", zstd(large_capture(i), 23)));
  for (const std::uint64_t lent : {0U, 50U}) {
    const MergedFiles merged = merge_all(
        names, {.memory = std::uint64_t{12} << 20, .lent_memory = std::uint64_t{lent} << 20});
    EXPECT_EQ(merged.packets, 2'400U) << "none is lost";
    EXPECT_EQ(merged.is_in_order, lent != 0);
    EXPECT_EQ(merged.late == 0, lent != 0);
    for (const FileSummary& file : merged.files) {
      EXPECT_EQ(file.problem.status, Status::end) << file.problem.reason;
      EXPECT_EQ(file.packets, 400U);
    }
  }
}

TEST(Merge, SaysWhichFileNeedsMoreMemoryThanThereIs) {
  const TemporaryFolder folder;
  const std::vector<std::string> names{folder.write("a.zst", zstd(large_capture(0), 23)),
                                       folder.write("b", large_capture(1))};
  const MergedFiles merged = merge_all(names, {.memory = std::uint64_t{5} << 20, .lent_memory = 0});
  EXPECT_GT(merged.packets, 500U);
  EXPECT_EQ(merged.files[0].problem.status, Status::damaged);
  EXPECT_THAT(merged.files[0].problem.reason, HasSubstr("raise --memory-limit"));
  EXPECT_EQ(merged.files[1].packets, 400U);
}

TEST(Merge, BorrowsNoMoreThanFilesSayTheyNeed) {
  const TemporaryFolder folder;
  const std::string small = folder.write("small", capture_at({1}));
  const std::string large = folder.write("large", zstd(large_capture(2), 23));
  const Merge::Limits limits{.memory = std::uint64_t{5} << 20,
                             .lent_memory = std::uint64_t{6} << 20};
  EXPECT_EQ(Merge(list_input_files({small}), limits).borrowed(), 0U);
  const std::uint64_t borrowed = Merge(list_input_files({large}), limits).borrowed();
  EXPECT_GT(borrowed, std::uint64_t{3} << 20);
  EXPECT_LT(borrowed, std::uint64_t{5} << 20);
}

}  // namespace
}  // namespace analyzer::capture
