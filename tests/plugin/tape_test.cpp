// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The tape stays small whatever a frame holds, keeps its events in balance, and counts what it
// leaves out.
#include "plugin/tape.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "decode/walk.hpp"
#include "iggy/bodies/encodings.hpp"
#include "iggy/bodies/messages.hpp"
#include "iggy/login.hpp"
#include "support/batches.hpp"

namespace plugin {
namespace {

using iggy::decode::Bytes;
using iggy::decode::ProblemKind;
using iggy::decode::Range;
using iggy::describe::Field;
using iggy::describe::Layout;
using What = Event::What;

// A pool of its own for each test.
class TapeTest : public testing::Test {
 protected:
  TapeTest() : pool_(wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE)) {}
  ~TapeTest() override { wmem_destroy_allocator(pool_); }
  TapeTest(const TapeTest&) = delete;
  TapeTest& operator=(const TapeTest&) = delete;

  wmem_allocator_t* pool_;
};

std::span<const Event> events_of(const Record& record) {
  return {record.events, record.count};
}

std::size_t count_of(const Record& record, What what) {
  const auto events = events_of(record);
  return static_cast<std::size_t>(std::count_if(events.begin(), events.end(),
                                                [what](const Event& e) { return e.what == what; }));
}

void put_u32(std::vector<std::byte>& bytes, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<std::byte>(value >> (8 * i)));
}

// A result section of `told` entries, of which `entries` follow.
std::vector<std::byte> rejection(std::uint32_t told, std::uint32_t entries) {
  std::vector<std::byte> bytes;
  bytes.reserve(4 + std::size_t{8} * entries);
  put_u32(bytes, told);
  for (std::uint32_t i = 0; i < entries; ++i) {
    put_u32(bytes, i);
    put_u32(bytes, 42);
  }
  return bytes;
}

Record walked(wmem_allocator_t* pool, Tape::Keep keep, const Layout& layout, Bytes bytes,
              std::uint32_t most_elements = Tape::usual_elements) {
  Tape tape(pool, keep, most_elements);
  iggy::decode::Walk walk(iggy::decode::whole(bytes), tape);
  if (walk.read(layout)) walk.finish();
  return tape.record();
}

TEST_F(TapeTest, KeepsWhatWasTold) {
  const Record record =
      walked(pool_, Tape::Keep::everything, iggy::login::rejection, rejection(2, 2));
  const auto events = events_of(record);
  ASSERT_EQ(events.size(), 11U);
  EXPECT_EQ(events[0].what, What::enter);
  EXPECT_EQ(events[0].row->name, "result");
  EXPECT_EQ(events[1].row->name, "count");
  EXPECT_EQ(events[1].value, 2U);
  EXPECT_EQ(events[2].what, What::enter);
  EXPECT_EQ(events[2].value, 0U);
  EXPECT_EQ(events[4].row->name, "result");
  EXPECT_EQ(events[4].value, 42U);
  EXPECT_EQ(events[4].offset, 8U);
  EXPECT_EQ(events[4].length, 4U);
  EXPECT_EQ(events[5].what, What::leave);
  EXPECT_EQ(events[6].value, 1U);
  EXPECT_EQ(events[10].what, What::leave);
  EXPECT_EQ(events[10].length, 20U);
  EXPECT_EQ(record.problems + record.problems_dropped + record.values_dropped, 0U);
}

// The largest frame that a server takes, with nothing but elements.
TEST_F(TapeTest, EightMillionElementsCostAHundred) {
  constexpr std::uint32_t entries = ((64U << 20) - 256 - 4) / 8;
  const Record record =
      walked(pool_, Tape::Keep::everything, iggy::login::rejection, rejection(entries, entries));
  EXPECT_EQ(count_of(record, What::enter), 1 + Tape::usual_elements);
  EXPECT_EQ(count_of(record, What::leave), 1 + Tape::usual_elements);
  const auto events = events_of(record);
  ASSERT_EQ(count_of(record, What::more), 1U);
  const auto more = std::find_if(events.begin(), events.end(),
                                 [](const Event& e) { return e.what == What::more; });
  EXPECT_EQ(more->value, entries - Tape::usual_elements);
  EXPECT_EQ(more->offset, 4 + 8 * Tape::usual_elements);
  EXPECT_LE(record.count * sizeof(Event), 20'000U);
}

TEST_F(TapeTest, AsManyElementsAsAreAskedFor) {
  for (const std::uint32_t most : {1U, 7U, 10'000U}) {
    const Record record = walked(pool_, Tape::Keep::everything, iggy::login::rejection,
                                 rejection(12'000, 12'000), most);
    EXPECT_EQ(count_of(record, What::enter), 1 + most);
    EXPECT_EQ(count_of(record, What::value), 1 + 2 * most);
    EXPECT_EQ(record.values_dropped, 0U);
    EXPECT_LE(record.count, Tape::most_events(most));
  }
  EXPECT_EQ(Tape::most_events(1), Tape::most_events(Tape::usual_elements));
  EXPECT_GT(Tape::most_events(200), Tape::most_events(100));
}

// A list of numbers is bounded like a list of layouts, and each list for itself.
constexpr Field numbers_rows[] = {
    iggy::describe::u8("first_count", "Numbers").counts(),
    iggy::describe::u8("first", "First").counted(),
    iggy::describe::u8("second", "Second").to_end(),
};
constexpr Layout numbers{"numbers", "Numbers", numbers_rows};

TEST_F(TapeTest, ListsOfNumbersAreBounded) {
  std::vector<std::byte> bytes(1 + 200 + 150);
  bytes[0] = std::byte{200};
  const Record record = walked(pool_, Tape::Keep::everything, numbers, bytes);
  EXPECT_EQ(count_of(record, What::value), 1U + 2U * Tape::usual_elements);
  std::vector<std::uint64_t> more;
  for (const Event& event : events_of(record))
    if (event.what == What::more) more.push_back(event.value);
  EXPECT_EQ(more, (std::vector<std::uint64_t>{100, 50}));
}

// Two lists of one layout, and lists in elements, are counted each for itself.
constexpr Field element_rows[] = {iggy::describe::u8("a", "A")};
constexpr Layout element{"element", "Element", element_rows};
constexpr Field inner_rows[] = {
    iggy::describe::u8("first_count", "Elements").counts(),
    iggy::describe::repeat("first", element, "First"),
    iggy::describe::u8("second_count", "Elements").counts(),
    iggy::describe::repeat("second", element, "Second"),
};
constexpr Layout inner{"inner", "Inner", inner_rows};
constexpr Field outer_rows[] = {
    iggy::describe::u8("count", "Elements").counts(),
    iggy::describe::repeat("parts", inner, "Parts"),
};
constexpr Layout outer{"outer", "Outer", outer_rows};

std::vector<std::byte> lists(std::size_t parts, std::size_t first, std::size_t second) {
  std::vector<std::byte> bytes{static_cast<std::byte>(parts)};
  for (std::size_t i = 0; i < parts; ++i)
    for (const std::size_t count : {first, second}) {
      bytes.push_back(static_cast<std::byte>(count));
      bytes.resize(bytes.size() + count);
    }
  return bytes;
}

TEST_F(TapeTest, EachListHasItsOwnElements) {
  const Record record = walked(pool_, Tape::Keep::everything, outer, lists(3, 101, 102));
  EXPECT_EQ(count_of(record, What::more), 6U);
  EXPECT_EQ(count_of(record, What::enter), 3U + 6U * Tape::usual_elements);
  std::uint64_t more = 0;
  for (const Event& event : events_of(record))
    if (event.what == What::more) more += event.value;
  EXPECT_EQ(more, 3U * (1 + 2));
}

TEST_F(TapeTest, EventsAreBoundedAndBalanced) {
  const Record record = walked(pool_, Tape::Keep::everything, outer, lists(100, 100, 100));
  EXPECT_LE(record.count, Tape::most_events(Tape::usual_elements) + Tape::max_depth);
  EXPECT_GT(record.values_dropped, 0U);
  std::int64_t depth = 0;
  for (const Event& event : events_of(record)) {
    if (event.what == What::enter) ++depth;
    if (event.what == What::leave) --depth;
    ASSERT_GE(depth, 0);
    ASSERT_LE(depth, static_cast<std::int64_t>(Tape::max_depth));
  }
  EXPECT_EQ(depth, 0);
}

TEST_F(TapeTest, ProblemsAloneAreKeptWhereNobodyLooks) {
  const auto bytes = rejection(5, 4);
  const Record record = walked(pool_, Tape::Keep::problems, iggy::login::rejection, bytes);
  ASSERT_EQ(record.count, 1U);
  EXPECT_EQ(record.problems, 1U);
  EXPECT_EQ(record.events[0].what, What::problem);
  EXPECT_EQ(record.events[0].problem, ProblemKind::too_short);
  EXPECT_EQ(record.events[0].value, 4U);
  EXPECT_EQ(record.events[0].length, 0U);
  EXPECT_EQ(record.events[0].offset, bytes.size());
  const Record clean = walked(pool_, Tape::Keep::problems, iggy::login::rejection, rejection(5, 5));
  EXPECT_EQ(clean.count, 0U);
  EXPECT_EQ(clean.events, nullptr);
}

// A problem in an element that is not shown is told nevertheless.
TEST_F(TapeTest, ProblemsOfDeclinedElements) {
  const Record record =
      walked(pool_, Tape::Keep::everything, iggy::login::rejection, rejection(501, 500));
  ASSERT_EQ(record.problems, 1U);
  EXPECT_EQ(count_of(record, What::problem), 1U);
}

TEST_F(TapeTest, ProblemsAreCounted) {
  Tape tape(pool_, Tape::Keep::problems);
  for (std::uint32_t i = 0; i < 1'000'000; ++i)
    tape.problem({ProblemKind::not_zero, nullptr, i, 0, 0});
  EXPECT_EQ(tape.record().problems, Tape::max_problems);
  EXPECT_EQ(tape.record().count, Tape::max_problems);
  EXPECT_EQ(tape.record().problems_dropped, 1'000'000 - Tape::max_problems);
}

// A body of bytes that may be user headers.
constexpr Field may_be_rows[] = {
    iggy::describe::u32("length", "m").counts(),
    iggy::describe::data("headers", "m").may_be(iggy::bodies::user_headers),
};
constexpr Layout may_be{"may_be", "May Be", may_be_rows};

std::vector<std::byte> headers(std::uint32_t pairs, std::uint8_t kind) {
  std::vector<std::byte> bytes;
  put_u32(bytes, pairs * 12);
  for (std::uint32_t i = 0; i < 2 * pairs; ++i) {
    bytes.push_back(static_cast<std::byte>(kind));
    put_u32(bytes, 1);
    bytes.push_back(std::byte{'x'});
  }
  return bytes;
}

TEST_F(TapeTest, ShowsWhatBytesTurnOutToBe) {
  const Record record = walked(pool_, Tape::Keep::everything, may_be, headers(2, 2));
  const auto events = events_of(record);
  ASSERT_EQ(events.size(), 3U + 2 * 8);
  EXPECT_EQ(events[1].what, What::enter);
  EXPECT_EQ(events[1].row, &may_be_rows[1]);
  EXPECT_EQ(events[1].offset, 4U);
  EXPECT_EQ(events[1].length, 24U);
  EXPECT_EQ(events[2].what, What::enter);  // a pair
  EXPECT_EQ(events[3].row->name, "key_kind");
  EXPECT_EQ(events[3].offset, 4U);
  EXPECT_EQ(events[11].value, 2U);
  EXPECT_EQ(events.back().what, What::leave);
  EXPECT_EQ(record.problems, 0U);
}

// What is no headers is bytes, and nothing is wrong with it.
TEST_F(TapeTest, KeepsOtherBytesAsBytes) {
  const Record record = walked(pool_, Tape::Keep::everything, may_be, headers(2, 0));
  ASSERT_EQ(record.count, 2U);
  EXPECT_EQ(record.events[1].what, What::value);
  EXPECT_EQ(record.events[1].length, 24U);
  EXPECT_EQ(record.problems, 0U);
  EXPECT_EQ(walked(pool_, Tape::Keep::problems, may_be, headers(2, 2)).count, 0U);
}

TEST_F(TapeTest, BoundsWhatBytesTurnOutToBe) {
  const Record record = walked(pool_, Tape::Keep::everything, may_be, headers(1000, 2));
  EXPECT_EQ(count_of(record, What::enter), 1U + Tape::usual_elements);
  EXPECT_EQ(count_of(record, What::enter), count_of(record, What::leave));
  EXPECT_EQ(count_of(record, What::more), 1U);
}

// Of a stamped batch in a send only the producer's time is known; in a poll's reply all of it.
TEST_F(TapeTest, StampsOfProducersAreNotBelieved) {
  const support::Batch stamped{.partition = 5, .base_offset = 77, .base_timestamp = 123};
  const Record sent = walked(pool_, Tape::Keep::everything, iggy::bodies::message_send,
                             support::send_body(stamped));
  EXPECT_EQ(count_of(sent, What::origin_timestamp), 1U);
  EXPECT_EQ(count_of(sent, What::message_offset), 0U);
  EXPECT_EQ(count_of(sent, What::append_timestamp), 0U);
  const Record polled = walked(pool_, Tape::Keep::everything, iggy::bodies::message_poll_reply,
                               support::joined({support::little().u32(5).u64(77).u32(1).buffer(),
                                                support::batch_bytes(stamped)}));
  EXPECT_EQ(count_of(polled, What::origin_timestamp), 1U);
  EXPECT_EQ(count_of(polled, What::message_offset), 1U);
  EXPECT_EQ(count_of(polled, What::append_timestamp), 1U);
}

TEST_F(TapeTest, AReplyTellsTheOffsetsOfASend) {
  const support::Batch batch{.messages = {{.offset_delta = 0}, {.offset_delta = 1}}};
  const support::Buffer body = support::send_body(batch);
  for (const std::uint64_t base : {std::uint64_t{77}, ~std::uint64_t{0}}) {
    Tape tape(pool_, Tape::Keep::everything);
    iggy::decode::Confirmation told;
    told.base_offset = base;
    told.append_time = 5;
    tape.confirm(told);
    iggy::decode::Walk walk(iggy::decode::whole(body), tape);
    walk.read(iggy::bodies::message_send);
    std::vector<std::uint64_t> offsets;
    for (const Event& event : events_of(tape.record()))
      if (event.what == What::message_offset) offsets.push_back(event.value);
    EXPECT_EQ(count_of(tape.record(), What::append_timestamp), 2U);
    // None goes beyond the highest number.
    EXPECT_EQ(offsets, base == 77 ? std::vector<std::uint64_t>({77, 78}) : std::vector{base});
  }
}

}  // namespace
}  // namespace plugin
