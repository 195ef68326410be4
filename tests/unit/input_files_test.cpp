// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What is read when files and folders are named: order, hidden files, pipes, files named twice.
#include "capture/input_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "support/temporary_folder.hpp"

namespace analyzer::capture {
namespace {

using support::TemporaryFolder;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> names_of(const InputFiles& input) {
  std::vector<std::string> names;
  for (const InputFile& file : input.files) names.push_back(file.name);
  return names;
}

TEST(InputFiles, OrdersNumbersNaturally) {
  for (const auto& [before, after] : std::vector<std::pair<std::string, std::string>>{
           {"x.pcap", "x.pcap1"},
           {"x.pcap9", "x.pcap10"},
           {"x_00009_2026", "x_00010_2025"},
           {"a2b10", "a10b2"},
           {"a007", "a8"},
           {"a07", "a7"},
           {"a", "b"},
           {"x9999999999999999999999998", "x9999999999999999999999999"}}) {
    EXPECT_TRUE(is_naturally_before(before, after)) << before << " " << after;
    EXPECT_FALSE(is_naturally_before(after, before)) << before << " " << after;
  }
  EXPECT_FALSE(is_naturally_before("x1", "x1"));
}

TEST(InputFiles, ListsAFolderAndNotWhatIsBelow) {
  const TemporaryFolder folder;
  for (const char* name : {"r.pcap10", "r.pcap9", "r.pcap", ".hidden"}) folder.write(name, {});
  std::filesystem::create_directory(folder.at("below"));
  ASSERT_EQ(::mkfifo(folder.at("pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink("nowhere", folder.at("z-dangling"));
  const InputFiles input = list_input_files({folder.path()});
  EXPECT_THAT(names_of(input), ElementsAre(folder.at("r.pcap"), folder.at("r.pcap9"),
                                           folder.at("r.pcap10"), folder.at("z-dangling")));
  EXPECT_EQ(input.files[0].folder, 0U);
  ASSERT_EQ(input.skipped.size(), 2U);
  EXPECT_EQ(input.skipped[0].name, folder.at("below"));
  EXPECT_EQ(input.skipped[0].reason, "a folder; name it to read it");
  EXPECT_EQ(input.skipped[1].name, folder.at("pipe"));
  EXPECT_EQ(input.skipped[1].reason, "a pipe, socket or device");
}

TEST(InputFiles, ReadsNothingTwice) {
  const TemporaryFolder folder;
  const std::string file = folder.write("a.pcap", {});
  std::filesystem::create_hard_link(file, folder.at("b.pcap"));
  std::filesystem::create_symlink("a.pcap", folder.at("c.pcap"));
  const InputFiles input = list_input_files({file, file, "-", "-", folder.path()});
  EXPECT_THAT(names_of(input), ElementsAre(file, "-"));
  EXPECT_TRUE(input.folders[0].has_read_file);
  ASSERT_EQ(input.skipped.size(), 5U);
  EXPECT_EQ(input.skipped[0].reason, "named twice, read once");
  EXPECT_EQ(input.skipped[1].name, "-");
  EXPECT_EQ(input.skipped[2].name, file);
  EXPECT_EQ(input.skipped[3].reason, "the same file as " + file + ", read once");
  EXPECT_EQ(input.skipped[4].name, folder.at("c.pcap"));
}

TEST(InputFiles, LeavesTheRestToTheReader) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo(folder.at("pipe").c_str(), 0600), 0);
  const InputFiles input = list_input_files({folder.at("none"), folder.at("pipe"), "/dev/zero"});
  ASSERT_EQ(input.files.size(), 3U);
  EXPECT_FALSE(input.files[1].is_regular);
  EXPECT_FALSE(input.files[2].is_regular);
  EXPECT_THAT(input.skipped, IsEmpty());
}

}  // namespace
}  // namespace analyzer::capture
