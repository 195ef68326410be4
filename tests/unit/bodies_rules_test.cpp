// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The rules that the facts about bodies tell in words: which of them our tables express, and that
// they do.
//
// Every rule of the facts stands in the list below, so that a new one has to be judged. What only
// whoever receives a body checks is not expressed: decoding shows what is there.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "decode/batch_check.hpp"
#include "decode/walk.hpp"
#include "iggy/bodies/encodings.hpp"
#include "iggy/layouts.hpp"
#include "support/batches.hpp"
#include "support/body_facts.hpp"

namespace iggy {
namespace {

using decode::ProblemKind;
using describe::Field;
using describe::Layout;
using describe::Times;
using describe::When;
using support::Buffer;
using support::Json;

const Field& row(const Layout& layout, std::string_view name) {
  for (const Field& field : layout.fields)
    if (field.name == name) return field;
  throw std::out_of_range(std::string(name));
}

// --- What the tables express

void options_have_any_order() {
  for (const Layout* const layout : all_layouts())
    for (const Field& field : layout->fields)
      if (field.layout == &bodies::option_pair) {
        EXPECT_EQ(field.times, Times::to_end) << layout->title;
      }
}
void option_values_have_any_kind() {
  EXPECT_EQ(row(bodies::option_pair, "value_kind").maximum, ~std::uint64_t{0});
}
void kinds_are_not_zero() {
  EXPECT_EQ(row(bodies::tlv_pair, "key_kind").minimum, 1U);
  EXPECT_EQ(row(bodies::tlv_pair, "value_kind").minimum, 1U);
}
void lengths_are_up_to_255() {
  for (const char* const name : {"key_length", "value_length"}) {
    EXPECT_EQ(row(bodies::tlv_pair, name).minimum, 1U);
    EXPECT_EQ(row(bodies::tlv_pair, name).maximum, 255U);
  }
}
// A key with its value.
Buffer pair() {
  return support::little().u8(2).u32(1).u8('k').u8(2).u32(1).u8('v').buffer();
}
void keys_and_values_alternate() {
  const Buffer two = support::joined({pair(), pair()});
  EXPECT_TRUE(decode::is_layout(bodies::user_headers, two));
  EXPECT_FALSE(decode::is_layout(bodies::user_headers, decode::Bytes{two}.first(18)));
}
void user_headers_fill_their_range() {
  EXPECT_EQ(row(bodies::message_frame, "user_headers").layout, &bodies::user_headers);
  EXPECT_EQ(row(bodies::user_headers, "pairs").layout, &bodies::tlv_pair);
  const Buffer more = support::joined({pair(), Buffer(1)});
  EXPECT_FALSE(decode::is_layout(bodies::user_headers, more));
}

std::vector<decode::Problem> problems_of(const Layout& layout, const Buffer& bytes) {
  support::BodyRecorder recorder;
  decode::Walk walk(decode::whole(bytes), recorder);
  if (walk.read(layout)) walk.finish(ProblemKind::ignored);
  return recorder.problems;
}

void user_headers_are_not_checked() {
  const Buffer message = support::message_frames({{.headers = Buffer(7, std::byte{0xff})}});
  EXPECT_TRUE(problems_of(bodies::message_frame, message).empty());
}

void message_checksum_is_of_what_follows() {
  EXPECT_TRUE(decode::is_message_checksum(row(bodies::message_frame, "checksum")));
  const Buffer message = support::message_frames({{}});
  EXPECT_EQ(decode::message_checksum_of(message), support::number_at(message, 0, 8));
}
void batch_checksum_is_of_rows_and_messages() {
  EXPECT_TRUE(decode::is_batch_checksum(row(bodies::batch, "batch_checksum")));
  EXPECT_TRUE(decode::is_batch_checksum(row(v0_12::batch, "batch_checksum")));
  Buffer batch = support::batch_bytes();
  EXPECT_EQ(decode::batch_checksum_of(decode::whole(batch), 0, false),
            support::number_at(batch, 40, 8));
  batch[52] = std::byte{1};  // with a producer
  EXPECT_EQ(decode::batch_checksum_of(decode::whole(batch), 0, true),
            support::batch_checksum(batch, true));
}

void messages_counts_agree() {
  const Buffer body = support::send_body(support::batch_bytes(), 2);
  EXPECT_EQ(decode::check_send(decode::whole(body), false).fault,
            decode::BatchFault::messages_count);
}
void messages_are_sent() {
  const Buffer body = support::send_body(support::batch_bytes({.messages = {}}), 0);
  EXPECT_EQ(decode::check_send(decode::whole(body), false).fault, decode::BatchFault::no_messages);
}
void batch_ends_the_body() {
  for (const Generation generation : support::with_body_facts)
    EXPECT_EQ(find_bodies(generation, 101)->request.behind, Behind::rejected);
}

// A body of operation 65 with so many bytes behind its assignments, of which there are none.
Buffer assignments_and(std::size_t more) {
  const Buffer request = support::little().u8(1).u8(4).u32(1).u8(1).u8(4).u32(2).u32(1).buffer();
  return support::little()
      .u32(request.size())
      .bytes(request)
      .u32(0)
      .bytes(Buffer(more, std::byte{7}))
      .buffer();
}
void created_view_is_one_at_most() {
  for (const std::uint8_t operation : {std::uint8_t{64}, std::uint8_t{65}})
    EXPECT_EQ(row(*replicated_body(Generation::v0_11, operation).layout, "created_view").times,
              Times::optional);
}
void created_view_is_whole() {
  const Body body = replicated_body(Generation::v0_11, 65);
  EXPECT_EQ(body.behind, Behind::ignored);
  EXPECT_TRUE(problems_of(*body.layout, assignments_and(0)).empty());
  EXPECT_TRUE(problems_of(*body.layout, assignments_and(4)).empty());
  for (const std::size_t more : {1U, 2U, 3U}) {
    const auto problems = problems_of(*body.layout, assignments_and(more));
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_EQ(problems[0].kind, ProblemKind::too_short);
  }
  for (const std::size_t more : {5U, 8U}) {
    const auto problems = problems_of(*body.layout, assignments_and(more));
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_EQ(problems[0].kind, ProblemKind::ignored);
    EXPECT_EQ(problems[0].available, more - 4);
  }
}

void kinds_have_their_sizes() {
  const auto width = [](std::string_view name) {
    const auto* const found =
        std::find_if(std::begin(bodies::header_kind_table), std::end(bodies::header_kind_table),
                     [name](const bodies::HeaderKind& kind) { return kind.name == name; });
    return found == std::end(bodies::header_kind_table) ? 0 : int{found->width};
  };
  for (const auto* const name : {"bool", "int8", "uint8"}) EXPECT_EQ(width(name), 1);
  for (const auto* const name : {"int16", "uint16"}) EXPECT_EQ(width(name), 2);
  for (const auto* const name : {"int32", "uint32", "float32"}) EXPECT_EQ(width(name), 4);
  for (const auto* const name : {"int64", "uint64", "float64"}) EXPECT_EQ(width(name), 8);
  for (const auto* const name : {"int128", "uint128"}) EXPECT_EQ(width(name), 16);
}

// Rows of that name that have to be 0 where the selector above them is.
void expect_zero_on_zero(const Layout& layout, std::string_view name) {
  const auto is_zero = [name](const Field& field) {
    return field.name == name && field.when == When::equal && field.wanted == 0 &&
           field.maximum == 0;
  };
  EXPECT_EQ(std::count_if(layout.fields.begin(), layout.fields.end(), is_zero), 1) << name;
}
void no_producer_is_zero() {
  for (const char* const name : {"producer_id", "producer_epoch", "base_sequence"})
    expect_zero_on_zero(v0_12::batch, name);
  for (const char* const name : {"producer_padding", "producer_padding2"})
    EXPECT_EQ(row(v0_12::batch, name).kind, describe::Kind::zero);
}
void cursor_without_op_is_zero() {
  expect_zero_on_zero(v0_12::metadata_cursor, "checksum");
  expect_zero_on_zero(v0_12::metadata_cursor, "ordinal");
}
void cursor_means_something_after() {
  const Field& cursor = row(v0_12::metadata_changes, "cursor");
  EXPECT_TRUE(is_meant(cursor, 2));
  EXPECT_FALSE(is_meant(cursor, 1) || is_meant(cursor, 3));
}
void updates_end_with_options() {
  const Field& options = v0_12::resource_update.fields.back();
  EXPECT_EQ(options.layout, &bodies::option_pair);
  EXPECT_EQ(options.times, Times::to_end);
}

// As many rows of opaque bytes as there are kinds, each with its layout, and one for the others.
template <std::size_t Size>
void expect_bodies(const Layout& layout, const std::array<v0_12::ChangeBody, Size>& known) {
  std::size_t others = 0;
  for (const Field& field : layout.fields) {
    if (field.name != "body") continue;
    EXPECT_EQ(field.kind, describe::Kind::bytes);
    if (field.when == When::otherwise) ++others;
  }
  EXPECT_EQ(others, 1U);
  for (const v0_12::ChangeBody& body : known) {
    const auto is_body = [&body](const Field& field) {
      return field.name == "body" && field.when == When::equal && field.wanted == body.number &&
             field.layout == body.layout;
    };
    EXPECT_EQ(std::count_if(layout.fields.begin(), layout.fields.end(), is_body), 1);
  }
}
void records_have_bodies_by_kind() {
  expect_bodies(v0_12::metadata_record, v0_12::change_bodies);
}
void items_have_bodies_by_group() {
  expect_bodies(v0_12::metadata_item, v0_12::item_bodies);
}
// What a row may be has to read to its last byte, else it is bytes.
void bodies_of_changes_are_filled() {
  const Layout& body = *v0_12::change_bodies[0].layout;
  support::BodyRecorder recorder;
  const Field& field = row(v0_12::metadata_record, "body");
  const Buffer empty;
  EXPECT_FALSE(decode::read_inside(field, empty, {}, recorder));
  EXPECT_FALSE(decode::is_layout(body, Buffer(4096)));
}

void targets_are_1_to_1000() {
  EXPECT_EQ(row(v0_12::message_fetch, "targets_count").minimum, 1U);
  EXPECT_EQ(row(v0_12::message_fetch, "targets_count").maximum, 1000U);
}
void sections_are_up_to_1000() {
  EXPECT_EQ(row(v0_12::message_fetch_reply, "sections_count").maximum, 1000U);
}
void records_follow_the_sections() {
  const Field& records = v0_12::message_fetch_reply.fields.back();
  EXPECT_EQ(records.name, "records");
  EXPECT_EQ(records.times, Times::to_end);
}
void records_are_those_of_polls() {
  EXPECT_EQ(v0_12::message_fetch_reply.fields.back().layout,
            row(v0_12::message_poll_reply, "batches").layout);
}
void members_may_be_absent() {
  EXPECT_EQ(row(v0_12::create_topic_with_assignments, "members").times, Times::optional);
  EXPECT_EQ(row(v0_12::create_partitions_with_assignments, "members").times, Times::optional);
}
void debt_is_one_at_most() {
  EXPECT_EQ(row(v0_12::finalize_session, "debt").times, Times::optional);
}

// --- The list

// A rule, by the words that it begins with, and what proves that we keep it; null where only the
// receiver checks it, and where another test is named.
struct Rule {
  std::string_view name;
  std::string_view text;
  void (*expect)();
  std::string_view elsewhere{};
};

constexpr void (*of_the_receiver)() = nullptr;

// clang-format off
constexpr Rule rules[] = {
    {"options_block", "at most 100000 bytes", of_the_receiver},
    {"options_block", "at most 1024 pairs", of_the_receiver},
    {"options_block", "key_kind is 2", of_the_receiver},
    {"options_block", "no key occurs twice", of_the_receiver},
    {"options_block", "any order of keys", options_have_any_order},
    {"options_block", "value kinds are not restricted", option_values_have_any_kind},
    {"user_headers", "kind is not 0", kinds_are_not_zero},
    {"user_headers", "every length is 1..255", lengths_are_up_to_255},
    {"user_headers", "key and value alternate", keys_and_values_alternate},
    {"user_headers", "fills its range exactly", user_headers_fill_their_range},
    {"user_headers", "the server does not check it", user_headers_are_not_checked},
    {"message_checksum", "checksum equals XXH3-64", message_checksum_is_of_what_follows},
    {"batch_checksum", "batch_checksum equals XXH3-64", batch_checksum_is_of_rows_and_messages},
    {"send_messages", "messages_count equals", messages_counts_agree},
    {"send_messages", "message_count is not 0", messages_are_sent},
    {"send_messages", "the batch ends where the body", batch_ends_the_body},
    {"created_view", "zero or one value", created_view_is_one_at_most},
    {"created_view", "1 to 3 bytes left", created_view_is_whole},
    {"login_shape", "codes 40 and 45 share", nullptr, "login_test.cpp"},
    {"login_shape", "a body of protocol version 0.11", nullptr, "login_test.cpp"},
    {"fixed_size_kinds", "bool, int8, uint8: 1 byte", kinds_have_their_sizes},
    {"batch_producer", "since crate 0.11.1-edge.8", nullptr, "batch_check_test.cpp"},
    {"batch_producer", "producer_flags 0", no_producer_is_zero},
    {"update_resource", "at least one option", of_the_receiver},
    {"update_resource", "no reset key twice", of_the_receiver},
    {"update_resource", "no key both set and reset", of_the_receiver},
    {"update_resource", "options follow the rules", updates_end_with_options},
    {"metadata_cursor", "op 0 implies", cursor_without_op_is_zero},
    {"metadata_changes_request", "cursor bytes all zero", cursor_means_something_after},
    {"metadata_changes_request", "token_length 0 unless", of_the_receiver},
    {"metadata_changes_request", "limit 1 to 1000", of_the_receiver},
    {"metadata_changes_request", "start 3", of_the_receiver},
    {"metadata_page_token", "bit (group - 1)", of_the_receiver},
    {"metadata_page_token", "required_head >=", of_the_receiver},
    {"metadata_page_token", "key width by group", of_the_receiver},
    {"metadata_page_token", "keys are little-endian", of_the_receiver},
    {"metadata_record_body", "kind selects the type", records_have_bodies_by_kind},
    {"metadata_record_body", "a known kind must stand", of_the_receiver},
    {"metadata_record_body", "the body fills", bodies_of_changes_are_filled},
    {"metadata_item_body", "group selects the type", items_have_bodies_by_group},
    {"metadata_item_body", "the body fills", bodies_of_changes_are_filled},
    {"metadata_page", "phase 0", of_the_receiver},
    {"metadata_page", "at most 1000", of_the_receiver},
    {"ascending_ids", "strictly ascending", of_the_receiver},
    {"deferred_poll", "wait_us <= 600000000", of_the_receiver},
    {"deferred_poll", "0 < min_count", of_the_receiver},
    {"deferred_poll", "0 < request_timeout_us", of_the_receiver},
    {"deferred_poll", "wait_us is 0, or", of_the_receiver},
    {"deferred_poll", "max_bytes >= 344", of_the_receiver},
    {"fetch", "wait_us <= 600000000", of_the_receiver},
    {"fetch", "wait_us + 1000000", of_the_receiver},
    {"fetch", "1 <= min_count", of_the_receiver},
    {"fetch", "max_bytes >= 344", of_the_receiver},
    {"fetch", "1 to 1000 targets", targets_are_1_to_1000},
    {"fetch", "per target", of_the_receiver},
    {"fetch_reply", "at most 1000 sections", sections_are_up_to_1000},
    {"fetch_reply", "status not 0", of_the_receiver},
    {"fetch_reply", "the records of section 1", records_follow_the_sections},
    {"fetch_reply", "the records of one section", records_are_those_of_polls},
    {"retire_sessions", "n identities of 32 bytes", of_the_receiver},
    {"retire_sessions", "without paid_through", of_the_receiver},
    {"retire_sessions", "every identity", of_the_receiver},
    {"retire_sessions", "before 0.12.2", of_the_receiver},
    {"assignment_members", "node_ids holds", of_the_receiver},
    {"assignment_members", "absent when", members_may_be_absent},
    {"debt_section", "at most one section", debt_is_one_at_most},
};
// clang-format on

TEST(BodyRules, EveryRuleIsJudged) {
  for (const Rule& rule : rules) {
    bool is_used = false;
    for (const Generation generation : support::with_body_facts) {
      const Json& facts = support::body_facts(generation)["rules"];
      const std::string name(rule.name);
      if (!facts.contains(name)) continue;
      for (const Json& text : facts[name])
        is_used = is_used || text.get<std::string>().starts_with(rule.text);
    }
    EXPECT_TRUE(is_used) << rule.name << ": " << rule.text;
  }
  for (const Generation generation : support::with_body_facts)
    for (const auto& [name, texts] : support::body_facts(generation)["rules"].items())
      for (const Json& told : texts) {
        const std::string text = told;
        const auto is_judged = [&name = name, &text](const Rule& rule) {
          return rule.name == name && text.starts_with(rule.text);
        };
        EXPECT_EQ(std::count_if(std::begin(rules), std::end(rules), is_judged), 1)
            << name << ": " << text;
      }
}

TEST(BodyRules, TablesKeepWhatTheyExpress) {
  for (const Rule& rule : rules) {
    SCOPED_TRACE(std::string(rule.name) + ": " + std::string(rule.text));
    if (rule.expect != nullptr) rule.expect();
  }
}

}  // namespace
}  // namespace iggy
