// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The tests that find Iggy in bytes: what passes them, and that each of their conditions counts.
#include "conversation/recognise.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "support/iggy_frames.hpp"

namespace iggy::conversation {
namespace {

using support::Buffer;
using support::joined;

// The frame with one byte set to another value.
Buffer with_byte(Buffer frame, std::size_t at, unsigned value = 1) {
  support::put_number(frame, at, value, 1);
  return frame;
}
Buffer with_size(Buffer frame, std::uint64_t size) {
  support::put_number(frame, 48, size, 4);
  return frame;
}
Strong strong(const Buffer& frame) {
  return strong_test(Bytes{frame}.first(256));
}

const Buffer good_request = support::ping(3);
const Buffer good_reply = support::pong(3);
const Buffer good_eviction = support::eviction({.reason = 9});

TEST(StrongTest, GoodFrames) {
  EXPECT_EQ(strong(good_request), Strong::request);
  EXPECT_EQ(strong(support::login(support::password_body())), Strong::request);
  EXPECT_EQ(strong(good_reply), Strong::reply);
  EXPECT_EQ(strong(good_eviction), Strong::eviction);
  EXPECT_EQ(strong(support::prepare()), Strong::prepare);
  EXPECT_EQ(strong(support::prepare_builder({.command = 19}).identify().frame()), Strong::prepare);
  for (const unsigned command : {7U, 9U, 10U, 11U, 12U, 17U, 18U, 20U, 25U, 26U, 30U, 36U})
    EXPECT_EQ(strong(support::sealed(command)), Strong::replica) << command;
}

TEST(StrongTest, NeedsAWholeHeader) {
  for (std::size_t size = 0; size < 256; ++size) {
    const Buffer piece(support::cut(good_request, size));
    EXPECT_EQ(strong_test(piece), Strong::none);
  }
}

TEST(StrongTest, SizesOfFrames) {
  for (const Buffer& frame : {good_request, good_reply}) {
    EXPECT_NE(strong(with_size(frame, 256)), Strong::none);
    EXPECT_NE(strong(with_size(frame, 64U << 20)), Strong::none);
    EXPECT_EQ(strong(with_size(frame, 255)), Strong::none);
    EXPECT_EQ(strong(with_size(frame, 0)), Strong::none);
    EXPECT_EQ(strong(with_size(frame, (64U << 20) + 1)), Strong::none);
  }
  EXPECT_EQ(strong(with_size(good_eviction, 257)), Strong::none);
}

// The bytes of a good frame that may be anything for the test; all others break it.
std::set<std::size_t> free_bytes(const Buffer& frame) {
  std::set<std::size_t> free;
  for (std::size_t at = 0; at < 256; ++at) {
    const unsigned was = std::to_integer<unsigned>(frame[at]);
    if (strong(with_byte(frame, at, was ^ 0xa5U)) == strong(frame)) free.insert(at);
  }
  return free;
}
std::set<std::size_t> range(std::size_t from, std::size_t to) {
  std::set<std::size_t> all;
  for (std::size_t at = from; at < to; ++at) all.insert(at);
  return all;
}

TEST(StrongTest, EveryByteOfARequestThatCounts) {
  std::set<std::size_t> wanted = range(128, 256);
  wanted.erase(176);                                          // the operation
  for (const std::size_t at : {48U, 49U}) wanted.insert(at);  // sizes that are legal too
  wanted.insert(50);
  EXPECT_EQ(free_bytes(good_request), wanted);
}

TEST(StrongTest, EveryByteOfAReplyThatCounts) {
  std::set<std::size_t> wanted = range(128, 256);
  wanted.erase(208);
  for (const std::size_t at : range(32, 48)) wanted.insert(at);  // the cluster
  for (const std::size_t at : {48U, 49U, 50U, 52U, 53U, 54U, 55U, 61U}) wanted.insert(at);
  EXPECT_EQ(free_bytes(good_reply), wanted);
}

TEST(StrongTest, EveryByteOfAnEvictionThatCounts) {
  std::set<std::size_t> wanted = range(128, 152);
  for (const std::size_t at : range(32, 48)) wanted.insert(at);
  for (const std::size_t at : {52U, 53U, 54U, 55U, 61U}) wanted.insert(at);
  EXPECT_EQ(free_bytes(good_eviction), wanted);
}

TEST(StrongTest, Operations) {
  const std::set<unsigned> known = {1, 2, 3, 164, 165, 160, 161, 162};
  const std::set<unsigned> replied = {64, 65, 66, 67, 68, 72, 73, 74};
  for (unsigned operation = 0; operation < 256; ++operation) {
    const bool is_asked = known.contains(operation) || (operation >= 128 && operation <= 150);
    EXPECT_EQ(strong(with_byte(good_request, 176, operation)) == Strong::request, is_asked);
    EXPECT_EQ(strong(with_byte(good_reply, 208, operation)) == Strong::reply,
              is_asked || replied.contains(operation));
  }
}

TEST(StrongTest, ReasonsOfEvictions) {
  for (unsigned reason = 0; reason < 256; ++reason)
    EXPECT_EQ(strong(with_byte(good_eviction, 255, reason)) == Strong::eviction,
              reason >= 1 && reason <= 15);
}

TEST(StrongTest, ClientZeroIsNoRequest) {
  EXPECT_EQ(strong(support::request({.code = 1, .client = {}})), Strong::none);
}

TEST(StrongTest, CommandsThatNothingVouchesFor) {
  for (const unsigned command : {0U, 1U, 2U, 3U, 4U, 14U, 15U, 16U, 37U, 255U})
    EXPECT_EQ(strong(support::sealed(command)), Strong::none) << command;
}

TEST(StrongTest, SealsAndIdentities) {
  const Buffer commit = support::sealed(9);
  EXPECT_EQ(strong(with_byte(commit, 200)), Strong::none);
  EXPECT_EQ(strong(with_byte(commit, 8)), Strong::none);
  EXPECT_EQ(strong(with_byte(support::prepare(), 200, 99)), Strong::none);
  EXPECT_EQ(strong(with_byte(support::prepare(), 52, 99)), Strong::prepare);  // another view
}

TEST(PossibleHeader, CommandAndSize) {
  EXPECT_TRUE(is_possible_header(good_request));
  EXPECT_TRUE(is_possible_header(with_byte(good_request, 60, 36)));
  EXPECT_FALSE(is_possible_header(with_byte(good_request, 60, 37)));
  EXPECT_FALSE(is_possible_header(with_size(good_request, 255)));
  EXPECT_FALSE(is_possible_header(support::cut(good_request, 255)));
}

TEST(FirstHeader, IsStricter) {
  EXPECT_TRUE(is_first_header(good_request));
  EXPECT_TRUE(is_first_header(support::replica_hello()));
  EXPECT_TRUE(is_first_header(support::prepare()));
  for (unsigned command = 0; command <= 4; ++command)
    EXPECT_FALSE(is_first_header(with_byte(good_request, 60, command)));
  EXPECT_FALSE(is_first_header(with_byte(good_request, 127)));
  EXPECT_FALSE(is_first_header(with_byte(good_request, 0)));
  EXPECT_FALSE(is_first_header(with_byte(support::prepare(), 8)));
  EXPECT_FALSE(is_first_header(support::cut(good_request, 255)));
}

TEST(NextCandidate, FindsAFrameAnywhere) {
  for (const std::size_t before : {0U, 1U, 65U, 66U, 67U, 255U, 1'000U}) {
    for (const bool noisy : {false, true}) {
      const Buffer front =
          noisy ? Buffer(before, std::byte{0xff}) : support::counting_bytes(before, 1);
      const Buffer bytes = joined({front, good_request});
      EXPECT_EQ(next_candidate(bytes, 0), before);
      EXPECT_EQ(next_candidate(bytes, before), before);
      EXPECT_EQ(next_candidate(bytes, before + 1), bytes.size());
    }
  }
}

TEST(NextCandidate, NeedsAWholeHeader) {
  EXPECT_EQ(next_candidate({}, 0), 0U);
  for (std::size_t size = 0; size < 256; ++size) {
    const Buffer piece(support::cut(good_request, size));
    EXPECT_EQ(next_candidate(piece, 0), size);
  }
}

// The plain way to say it: a zero run and a command at each place in turn.
std::size_t plain_candidate(Bytes bytes, std::size_t from) {
  for (std::size_t at = from; at + 256 <= bytes.size(); ++at) {
    const auto command = std::to_integer<unsigned>(bytes[at + 60]);
    if (command > 4 && command <= 36 && decode::all_zero(bytes.subspan(at + 62, 66))) return at;
  }
  return bytes.size();
}

TEST(NextCandidate, AgreesWithThePlainWay) {
  std::minstd_rand random(4);
  for (int round = 0; round < 300; ++round) {
    Buffer bytes(600 + random() % 600);
    const std::size_t rarity = 1 + random() % 200;
    for (std::byte& byte : bytes)
      if (random() % rarity == 0) byte = static_cast<std::byte>(random() % 40);
    for (std::size_t from = 0; from < bytes.size(); from += 1 + random() % 50)
      ASSERT_EQ(next_candidate(bytes, from), plain_candidate(bytes, from));
  }
}

// Far beyond what a quadratic search would do within the time that a test may take.
TEST(NextCandidate, IsLinear) {
  const std::size_t size = std::size_t{32} << 20;
  EXPECT_EQ(next_candidate(Buffer(size), 0), size);
  EXPECT_EQ(next_candidate(Buffer(size, std::byte{0xff}), 0), size);
}

std::string_view text_of(Foreign foreign) {
  constexpr std::string_view names[] = {"none", "http", "tls", "proxy", "undecided"};
  return names[static_cast<std::size_t>(foreign)];
}
std::string_view foreign_of(std::string_view text) {
  return text_of(recognise_foreign(std::as_bytes(std::span(text))));
}

TEST(ForeignTest, EveryPrefix) {
  const struct {
    std::string_view text;
    std::string_view protocol;
    std::size_t enough;  // bytes that tell
  } cases[] = {{"GET /x", "http", 4},
               {"POST /", "http", 5},
               {"PUT /", "http", 4},
               {"HEAD /", "http", 5},
               {"DELETE /", "http", 7},
               {"OPTIONS *", "http", 8},
               {"PATCH /", "http", 6},
               {"HTTP/1.1 200", "http", 7},
               {"PRI * HTTP/2.0", "http", 12},
               {"PROXY TCP4", "proxy", 6},
               {std::string_view("\r\n\r\n\0\r\nQUIT\n!", 13), "proxy", 12},
               {std::string_view("\x16\x03\x01\x02\x00\x01", 6), "tls", 5},
               {std::string_view("\x15\x03\x03\x00\x02\x02", 6), "tls", 5}};
  for (const auto& each : cases)
    for (std::size_t size = 0; size <= each.text.size(); ++size)
      EXPECT_EQ(foreign_of(each.text.substr(0, size)),
                size < each.enough ? std::string_view("undecided") : each.protocol)
          << each.text << " " << size;
}

TEST(ForeignTest, Others) {
  EXPECT_EQ(foreign_of("GETX"), "none");
  EXPECT_EQ(foreign_of("SSH-2.0"), "none");
  EXPECT_EQ(foreign_of(std::string_view("\x16\x03\x05\x02\x00", 5)), "none");
  EXPECT_EQ(foreign_of(std::string_view("\x16\x02", 2)), "none");
  EXPECT_EQ(foreign_of(std::string_view("\x16\x03\x01\x00\x00", 5)), "none");
  EXPECT_EQ(foreign_of(std::string_view("\x16\x03\x01\x41\x01", 5)), "none");
  EXPECT_EQ(foreign_of(std::string_view("\x18\x03\x01\x01\x01", 5)), "none");
  EXPECT_EQ(text_of(recognise_foreign(good_request)), "none");
}

TEST(Preamble, IsFiveBytesOfEight) {
  const Buffer preamble = support::bytes_of({'I', 'G', 'R', 'L', 1, 2, 3, 4});
  EXPECT_TRUE(is_replica_preamble(preamble));
  EXPECT_FALSE(is_replica_preamble(support::cut(preamble, 7)));
  for (std::size_t at = 0; at < 5; ++at)
    EXPECT_FALSE(is_replica_preamble(with_byte(preamble, at, 0x7f)));
}

TEST(Preamble, VouchesForItselfAndForWhatMayFollowIt) {
  const Buffer preamble = support::bytes_of({'I', 'G', 'R', 'L', 1, 2, 3, 4});
  Buffer hello(256);
  support::put_number(hello, 48, 256, 4);
  support::put_number(hello, 60, 14, 1);
  const Buffer both = joined({preamble, hello, good_request});
  for (std::size_t size = 0; size <= both.size(); ++size)
    EXPECT_EQ(vouches_for_itself(Bytes{both}.first(size)), size >= 4) << size;
  const Buffer tls = support::bytes_of({0x16, 3, 1, 1, 0});
  EXPECT_TRUE(vouches_for_itself(joined({preamble, tls, Buffer(400, std::byte{7})})));
  for (const std::size_t size : {20U, 300U})
    EXPECT_FALSE(vouches_for_itself(joined({preamble, Buffer(size, std::byte{'x'})}))) << size;
  for (std::size_t at = 0; at < 5; ++at)
    EXPECT_FALSE(vouches_for_itself(with_byte(preamble, at, 0x7f))) << at;
}

TEST(MayBeginHeader, AFrontOfAHeaderAndNoText) {
  const auto bytes = [](std::string_view text) { return std::as_bytes(std::span(text)); };
  EXPECT_TRUE(may_begin_header({}));
  EXPECT_TRUE(may_begin_header(bytes("IG")));
  EXPECT_TRUE(may_begin_header(bytes("REGISTER")));  // a checksum may be anything
  EXPECT_FALSE(may_begin_header(bytes("REGISTER sip:example")));
  EXPECT_FALSE(may_begin_header(bytes("{\"method\": \"ping\"}")));
  std::array<std::byte, 255> header{};
  EXPECT_TRUE(may_begin_header(Bytes(header).first(50)));
  EXPECT_FALSE(may_begin_header(Bytes(header).first(52)));  // no frame has size 0
  header[49] = std::byte{1};
  EXPECT_TRUE(may_begin_header(header));
  header[60] = std::byte{200};
  EXPECT_FALSE(may_begin_header(header));
  header[60] = std::byte{5};
  header[100] = std::byte{1};
  EXPECT_FALSE(may_begin_header(header));
}

}  // namespace
}  // namespace iggy::conversation
