// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Times, sizes, versions and untrusted text as words.
#include "report/words.hpp"

#include <gtest/gtest.h>

#include "conversation/line.hpp"

namespace analyzer::report {
namespace {

using iggy::make_version;
using iggy::VersionWindow;

TEST(Words, Versions) {
  EXPECT_EQ(to_text(make_version(0, 11, 0)), "0.11.0");
  EXPECT_EQ(to_text(make_version(1, 1023, 1023)), "1.1023.1023");
  EXPECT_EQ(to_text(iggy::Version{0x4000'2c00}), "0.11.0+bits");
}

TEST(Words, Windows) {
  const iggy::Version v0_11 = make_version(0, 11, 0);
  const iggy::Version v0_12 = make_version(0, 12, 2);
  EXPECT_EQ(to_text(VersionWindow{v0_11, v0_11}), "0.11.x");
  EXPECT_EQ(to_text(VersionWindow{v0_11, make_version(0, 11, 1)}), "0.11.x");
  EXPECT_EQ(to_text(VersionWindow{v0_12, v0_12}), "exactly 0.12.2");
  EXPECT_EQ(to_text(VersionWindow{v0_11, v0_12}), "0.11.0 to 0.12.2");
}

TEST(Words, Durations) {
  EXPECT_EQ(duration_text(0), "0.0 ms");
  EXPECT_EQ(duration_text(500), "0.5 ms");
  EXPECT_EQ(duration_text(26'200), "26.2 ms");
  EXPECT_EQ(duration_text(3'300'000), "3.3 s");
  EXPECT_EQ(duration_text(125'000'000), "2 min 5 s");
  EXPECT_EQ(duration_text(std::uint64_t{7'260} * 1'000'000), "2 h 1 min");
}

TEST(Words, CodesAndReasons) {
  EXPECT_EQ(error_text(4), "4 InvalidFormat");
  EXPECT_EQ(error_text(987'654), "987654");
  EXPECT_EQ(reason_text(14), "14 IncompatibleProtocol");
  EXPECT_EQ(reason_text(99), "99");
}

TEST(Words, Counts) {
  EXPECT_EQ(counted(0, "connection"), "0 connections");
  EXPECT_EQ(counted(1, "connection"), "1 connection");
  EXPECT_EQ(counted(2, "connection"), "2 connections");
}

TEST(Words, SkippedPackets) {
  for (const capture::Skipped reason :
       {capture::Skipped::other_protocol, capture::Skipped::fragment,
        capture::Skipped::fragment_overlap, capture::Skipped::headers_cut,
        capture::Skipped::malformed, capture::Skipped::too_deep,
        capture::Skipped::unknown_link_type}) {
    EXPECT_FALSE(word_of(reason).empty());
    EXPECT_FALSE(sentence_of(reason).empty());
    EXPECT_FALSE(sentence_of(reason).ends_with('.'));
  }
}

TEST(Words, PrintableText) {
  EXPECT_EQ(printable("caf\xc3\xa9"), "caf\xc3\xa9");
  EXPECT_EQ(printable("a\x1b[2J\n\xff"), "a\\x1b[2J\\x0a\\xff");
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\xe2\\x80\\xae");
  EXPECT_EQ(printable("a\\x1b\\"), "a\\x5cx1b\\");
  EXPECT_EQ(printable(""), "");
  EXPECT_EQ(quoted("a\"b\\"), "\"a\\\"b\\\\\"");
}

TEST(Words, TextsInQuotesAreReadAsLinesShowThem) {
  for (const std::string_view text : {"a/b", "", "7", "a\"b\\", "\\x0a", "\n\xff\xc3\xa9", "\""}) {
    iggy::conversation::Line line;
    EXPECT_EQ(from_quotes(line.add_quoted(text).text()), text);
  }
  for (const std::string_view wrong :
       {"a", "\"", "\"a", "\"a\"b\"", "\"a\\\"", "\"\\x0\"", "\"\\x-1\"", "\"\\n\"", "\"a\"..."})
    EXPECT_EQ(from_quotes(wrong), std::nullopt) << wrong;
}

TEST(Words, Clients) {
  connection::LoginRecord login;
  EXPECT_EQ(client_text(login), "");
  login.has_version = true;
  login.version = make_version(0, 11, 0);
  EXPECT_EQ(client_text(login), "protocol 0.11.0");
  login.sdk_version = "0.11.0";
  EXPECT_EQ(client_text(login), "SDK version 0.11.0, protocol 0.11.0");
  login.sdk = "rust-sdk\x1b";
  EXPECT_EQ(client_text(login), "rust-sdk\\x1b 0.11.0, protocol 0.11.0");
}

}  // namespace
}  // namespace analyzer::report
