// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What lines say of bodies: of every body with known values exactly what tests/data/subjects.txt
// lists, of cut and broken ones never more than that.
#include "conversation/subject.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "describe/proofs.hpp"
#include "iggy/bodies/messages.hpp"
#include "support/batches.hpp"
#include "support/body_facts.hpp"
#include "support/iggy_frames.hpp"
#include "support/test_data.hpp"

namespace iggy::conversation {
namespace {

using describe::Field;
using describe::Layout;
using support::body_vectors;
using support::BodyVector;

std::string subject_of(const decode::BodyPlan& plan, decode::Window body) {
  Line line;
  add_subject(plan, body, {}, line);
  return std::string(line.text());
}

TEST(Subject, OfEveryBody) {
  std::ifstream in(support::test_data("subjects.txt"));
  std::stringstream expected;
  expected << in.rdbuf();
  std::string found;
  for (const BodyVector& vector : body_vectors()) {
    const std::string subject = subject_of(vector.plan, decode::whole(vector.bytes));
    found += vector.id + (subject.empty() ? ":" : ": ") + subject + '\n';
  }
  EXPECT_EQ(found, expected.str());
}

// Whether the words of `part` stand in `whole` in the same order, without what says that a list was
// cut.
bool is_part_of(std::string part, const std::string& whole) {
  std::erase(part, ',');
  constexpr std::string_view cut = "...";
  for (std::size_t at = part.find(cut); at != std::string::npos; at = part.find(cut))
    part.replace(at, cut.size(), " ");
  std::istringstream words(part);
  std::size_t at = 0;
  for (std::string word; words >> word; at += word.size()) {
    at = whole.find(word, at);
    if (at == std::string::npos) return false;
  }
  return true;
}

constexpr std::string_view broken_words = "body breaks off";

// What is not there is left out, and nothing else is said for it.
TEST(Subject, OfEveryPrefix) {
  for (const BodyVector& vector : body_vectors()) {
    const std::string all = subject_of(vector.plan, decode::whole(vector.bytes));
    for (std::size_t length = 0; length < vector.bytes.size(); ++length) {
      SCOPED_TRACE(vector.id + ", " + std::to_string(length));
      const std::vector<std::byte> piece(
          vector.bytes.begin(), vector.bytes.begin() + static_cast<std::ptrdiff_t>(length));
      const auto on_wire = static_cast<std::uint32_t>(vector.bytes.size());
      const std::string cut = subject_of(vector.plan, {piece, on_wire});
      EXPECT_TRUE(is_part_of(cut, all)) << cut << " of " << all;
      // As it was sent, it does not only say less.
      std::string broken = subject_of(vector.plan, decode::whole(piece));
      const std::size_t end = std::min(broken.find(broken_words), broken.size());
      broken.erase(end);
      EXPECT_TRUE(is_part_of(broken, all)) << broken << " of " << all;
    }
  }
}

TEST(Subject, SaysThatABodyBreaksOff) {
  std::size_t broken = 0;
  for (const BodyVector& vector : body_vectors()) {
    const auto whole = decode::whole(vector.bytes);
    if (!decode::fits(vector.plan, whole) || vector.bytes.size() < 2) continue;
    const std::vector<std::byte> piece(vector.bytes.begin(), vector.bytes.end() - 1);
    EXPECT_EQ(subject_of(vector.plan, whole).find(broken_words), std::string::npos) << vector.id;
    const decode::Window cut{piece, whole.on_wire};
    EXPECT_EQ(subject_of(vector.plan, cut).find(broken_words), std::string::npos) << vector.id;
    const bool says = subject_of(vector.plan, decode::whole(piece)).ends_with(broken_words);
    if (says) ++broken;
  }
  EXPECT_GT(broken, 50U);
}

// Builds of 0.11.0 up to edge.3 have the messages of older releases behind the headers of 0.11.
TEST(Subject, OfOlderMessages) {
  const decode::BodyPlan plan{.state = decode::BodyState::decoded, .layout = &bodies::message_send};
  const support::Buffer body = support::older_send_body(2);
  EXPECT_EQ(subject_of(plan, decode::whole(body)),
            "1/2 2 messages, messages as before 0.11.0-edge.4");
  const decode::Bytes piece = decode::Bytes{body}.first(body.size() - 1);
  EXPECT_TRUE(subject_of(plan, decode::whole(piece)).ends_with(broken_words));
}

// Bytes that fit no layout: whatever is said stays within its bound and shows no control byte.
TEST(Subject, OfNonsense) {
  std::uint32_t state = 1;
  for (const BodyVector& vector : body_vectors()) {
    for (int round = 0; round < 20; ++round) {
      std::vector<std::byte> bytes = vector.bytes;
      for (std::byte& byte : bytes) {
        state = state * 1664525 + 1013904223;
        if ((state >> 28) == 0) byte = static_cast<std::byte>(state >> 16);
      }
      for (const char each : subject_of(vector.plan, decode::whole(bytes)))
        EXPECT_GE(static_cast<unsigned char>(each), ' ');
    }
  }
}

constexpr auto rows = std::to_array<Field>({
    describe::u8("kind", "A kind").selects(),
    describe::u32("number", "A number").on(1),
    describe::u8("length", "A length").counts(),
    describe::text("text", "A text"),
});
constexpr auto secret_rows = std::to_array<Field>({describe::u8("pin", "A number").secret()});

consteval bool fits(std::string_view subject) {
  return has_fitting_subject(Layout{"some", "Some", rows, subject});
}
static_assert(fits("{number}/{text}") && fits("x {kind|thing} y"));
static_assert(fits("{kind?} {number?|thing}") && !fits("{text?}") && !fits("{text!}"));
static_assert(fits("{number~}") && !fits("{text~}"));
static_assert(!fits("{nothing}") && !fits("{number.below}") && !fits("{text|thing}"));
static_assert(fits("{kind+number}") && !fits("{kind+text}") && !fits("{text+kind}"));
static_assert(!fits("{kind[0]}") && !fits("no row") && !fits("{kind} tail {"));
static_assert(!has_fitting_subject(Layout{"some", "Some", secret_rows, "{pin}"}));

std::string subject_of(std::string_view subject, std::string_view hex) {
  const Layout layout{"some", "Some", rows, subject};
  const auto bytes = support::bytes_of_hex(std::string(hex));
  return subject_of({.state = decode::BodyState::decoded, .layout = &layout}, decode::whole(bytes));
}

TEST(Subject, LeavesOutWhatIsNotThere) {
  constexpr std::string_view subject = "{kind|thing}[{number}] \"{text}\"!";
  EXPECT_EQ(subject_of(subject, "0107000000026f6b"), "1 thing[7] \"ok\"!");
  EXPECT_EQ(subject_of(subject, "02026f6b"), "2 things \"ok\"!");
  EXPECT_EQ(subject_of(subject, "0200"), "2 things \"\"!");
  EXPECT_EQ(subject_of(subject, "0107000000"), "1 thing[7], body breaks off");
  EXPECT_EQ(subject_of(subject, ""), "body breaks off");
  EXPECT_EQ(subject_of("{kind+number} x", "010700000000"), "8 x");
  EXPECT_EQ(subject_of("{kind+number|thing}", "0200"), "");
  EXPECT_EQ(subject_of("{kind?} {number?}", "010700000000"), "1 7");
  EXPECT_EQ(subject_of("{kind?} {number?}", "010000000000"), "1");
  EXPECT_EQ(subject_of("{kind!|thing}{number!|thing}", "010000000000"), "0 things");
  EXPECT_EQ(subject_of("{kind~}x {number~}: y", "ff0000000000"), "255");
  EXPECT_EQ(subject_of("{kind~}x {number~}: y", "01ffffffff00"), "x 4294967295: y");
}

// An empty reply is another thing than a reply that counts nothing, and neither is one that never
// has a body.
TEST(Subject, TellsAnEmptyReplyFromOneThatCountsNothing) {
  const auto line = [](unsigned operation, std::uint32_t code, std::uint32_t status,
                       const std::vector<std::byte>& body) {
    const auto frame = support::reply({.operation = operation, .status = status});
    Line said;
    add_subject(decode::facts_of(decode::Bytes(frame).first(256), Generation::v0_11),
                Generation::v0_11, code, decode::whole(body), {}, said);
    return std::string(said.text());
  };
  EXPECT_EQ(line(160, 101, 0, {}), "empty reply");
  EXPECT_EQ(line(160, 101, 0, std::vector<std::byte>(4)), "0 confirmations");
  EXPECT_EQ(line(2, 200, 0, {}), "empty reply");
  EXPECT_EQ(line(2, 200, 1009, {}), "");
  EXPECT_EQ(line(2, 1, 0, {}), "");
}

// A poll's slice of a stored batch begins where its first message says. Of a batch that is cut
// before it, nothing is said but what the head of the reply tells.
TEST(Subject, TellsWhereASliceBegins) {
  const Layout& layout = bodies::message_poll_reply;
  std::vector<std::byte> body(16 + 256 + 48 + 8000);
  const auto put = [&body](std::size_t at, std::uint64_t value) {
    for (std::size_t i = 0; i < 4; ++i) body[at + i] = static_cast<std::byte>(value >> (8 * i));
  };
  constexpr std::size_t batch = 16;
  constexpr std::size_t message = batch + 256;
  put(12, 1);                        // messages_count
  put(batch + 8, 15);                // base_offset
  put(batch + 32, 256 + 48 + 8000);  // batch_length
  put(batch + 48, 1);                // message_count
  put(message + 24, 4);              // offset_delta
  put(message + 36, 8000);           // payload_length
  const decode::BodyPlan plan{.state = decode::BodyState::decoded, .layout = &layout};
  const auto size = static_cast<std::uint32_t>(body.size());
  const auto line = [&](std::size_t captured) {
    return subject_of(plan, {decode::Bytes(body).first(captured), size});
  };
  EXPECT_EQ(line(body.size()), "1 message from 19");
  EXPECT_EQ(line(message + 28), "1 message from 19");
  EXPECT_EQ(line(message + 27), "1 message");
  EXPECT_EQ(line(message), "1 message");
  EXPECT_EQ(line(batch), "1 message");
}

}  // namespace
}  // namespace iggy::conversation
