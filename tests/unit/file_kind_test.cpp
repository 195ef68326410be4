// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What files are called that are no captures this program reads.
#include "capture/file_kind.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/packet_builder.hpp"

namespace analyzer::capture {
namespace {

using namespace std::string_literals;
using testing::EndsWith;
using testing::HasSubstr;

FileKind kind_of(const std::string& content) {
  return file_kind(support::bytes_of(content));
}

TEST(FileKind, NamesOtherCapturesAndArchives) {
  const auto expect = [](const std::string& content, const char* part) {
    EXPECT_THAT(kind_of(content).reason, HasSubstr(part));
    EXPECT_TRUE(kind_of(content).may_hold_packets) << content;
  };
  expect("\xfd\x37zXZ\0 rest"s, "compressed with xz; unpack it first (xz -d)");
  expect("\x02\x21\x4c\x18 rest", "in the legacy form of lz4; unpack it first");
  expect("BZh91AY", "compressed with bzip2");
  expect("PK\x03\x04 rest", "a zip archive; unpack it first (unzip)");
  expect(std::string(257, 'x') + "ustar", "a tar archive");
  expect("snoop\0\0\0\0\0\0\2"s, "a snoop capture; convert it first (editcap -F pcapng IN OUT)");
  expect("RTSS rest", "Network Monitor");
  expect("\xa1\x2b\x3c\x4d rest", "Navtel");
  expect("\xd4\xc3"s, "it has only 2 bytes");
}

TEST(FileKind, NamesWhatHoldsNoPackets) {
  const auto expect = [](const std::string& content, const char* end) {
    EXPECT_THAT(kind_of(content).reason, EndsWith(end)) << content;
    EXPECT_FALSE(kind_of(content).may_hold_packets) << content;
  };
  expect("", "it is empty");
  expect(
      "\x7f"
      "ELF\2\1\1",
      "it is a program (ELF)");
  expect("CLIENT_RANDOM 00", "it looks like a TLS key log");
  expect("-----BEGIN CERTIFICATE-----", "it looks like a key or certificate (PEM)");
  expect("  \n<?xml version", "it looks like XML");
  expect("{\"log\":{\"version\":\"1.2\"", "it looks like JSON, perhaps an HTTP archive");
  expect("{\"a\": 1}", "it looks like JSON");
  expect("[\n{\"a\": 1}]", "it looks like JSON");
  expect("[2026-11-30] INFO ready", "it looks like text");
  expect("No.", "it looks like text");
  expect(
      "Gr\xc3\xbc\xc3\x9f"
      "e",
      "it looks like text");
  expect("\xff\xfeT\0e\0"s, "it is text (UTF-16)");
  expect(std::string(100, '\0'), "it starts with zeros");
  expect("\1\2\3\4\5", "it starts with 01 02 03 04");
}

TEST(FileKind, KnowsHexDumps) {
  constexpr auto hint = "a hex dump; make a capture of it first (text2pcap)";
  for (const char* dump :
       {"00000000: d4c3 b2a1 0200", "0000000 d4 c3 b2", "000000 00 1c 7e",
        "12:00:01.1 IP a.1 > b.2: Flags [S]\n\t0x0000:  4500 003c", "\t0x0000:  4500 003c"})
    EXPECT_THAT(kind_of(dump).reason, EndsWith(hint)) << dump;
  EXPECT_THAT(kind_of("0000 words").reason, EndsWith("text"));
  EXPECT_THAT(kind_of("0000").reason, EndsWith("text"));
}

TEST(FileKind, LooksAtTheBeginningAlone) {
  EXPECT_THAT(kind_of(std::string(512, 'x') + '\1').reason, EndsWith("it looks like text"));
}

}  // namespace
}  // namespace analyzer::capture
