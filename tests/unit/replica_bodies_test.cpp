// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Bodies of the change of views and of state transfer: headers of Prepares, manifests, pieces.
#include <gtest/gtest.h>

#include <string>

#include "conversation/summary.hpp"
#include "decode/body.hpp"
#include "iggy/bodies/state_transfer.hpp"
#include "iggy/layouts.hpp"
#include "support/body_recorder.hpp"
#include "support/iggy_frames.hpp"
#include "support/walk_order.hpp"

namespace iggy {
namespace {

using decode::BodyPlan;
using decode::BodyState;
using decode::Bytes;
using decode::ProblemKind;
using support::Buffer;

constexpr Generation generations[] = {Generation::v0_11, Generation::v0_12};

// The facts' vector of a DoViewChange: a blank for op 6, and the Register of op 5.
Buffer blank(std::uint64_t op) {
  Buffer image = Buffer(256);
  image[60] = std::byte{6};
  support::put_number(image, 176, op, 8);
  return image;
}
Buffer registered() {
  return support::FrameBuilder(6)
      .u128(0, {0x4ab71a2d2035807f, 0})
      .u128(16, {0x2d06800538d394c2, 0})
      .u128(32, {0xb8ba2787c805bb21, 0x462da7e87bc20e8d})
      .u32(52, 1)
      .u8(61, 1)
      .u128(128, {0x8899aabbccddeeff, 0x0011223344556677})
      .u64(176, 5)
      .u64(184, 4)
      .u64(192, 1'700'000'000'000'000)
      .u8(208, 1)
      .u64(216, metadata_group)
      .u32(224, 1)
      .frame();
}
Buffer do_view_change() {
  return support::FrameBuilder(11, support::joined({blank(6), registered()}))
      .u128(16, {0xed1af73b55ab1183, 0})
      .u128(32, {0xb8ba2787c805bb21, 0x462da7e87bc20e8d})
      .u32(52, 2)
      .u8(61, 2)
      .u64(128, 6)
      .u64(136, 5)
      .u64(144, metadata_group)
      .u32(152, 1)
      .u128(224, {1, 0})
      .u128(240, {2, 0})
      .seal()
      .frame();
}

// The facts' vector of a manifest: one snapshot.
const std::string one_entry =
    "49534d31"
    "01000000"
    "19"
    "006400000000000000d204000000000000efcdab0000000000"
    "1b5ceffd2ec04bbf";

struct Read {
  support::BodyRecorder::Json body;
  std::vector<decode::Problem> problems;
};

BodyPlan plan_of(const Buffer& frame, Generation generation) {
  const Bytes bytes{frame};
  return plan_body(decode::facts_of(bytes.first(256), generation), generation, 0,
                   decode::whole(bytes.subspan(256)));
}
Read read(const BodyPlan& plan, Bytes body) {
  support::BodyRecorder recorder;
  read_body(plan, decode::whole(body), true, recorder);
  return {recorder.body(), recorder.problems};
}
Read read_manifest(const std::string& hex, Generation generation = Generation::v0_11) {
  const Buffer frame = support::sealed(23, support::bytes_of_hex(hex));
  return read(plan_of(frame, generation), Bytes{frame}.subspan(256));
}

// Every prefix, as it was sent and as it was captured, ends at most once and keeps all promises.
void expect_prefixes_are_told(const describe::Layout& layout, const Buffer& bytes) {
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    const Buffer piece(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    const decode::Window windows[] = {decode::whole(piece),
                                      {piece, static_cast<std::uint32_t>(bytes.size())}};
    for (const decode::Window& window : windows) {
      support::WalkOrder order(window, 0);
      order.done(decode::Walk(window, order).read(layout));
      EXPECT_EQ(order.broken_promise, nullptr) << size;
      EXPECT_LE(order.problems, 1) << size;
    }
  }
}

std::string line_of(const Buffer& frame, Generation generation = Generation::v0_11) {
  const Bytes bytes{frame};
  conversation::SummaryInput input;
  input.generation = generation;
  input.facts = decode::facts_of(bytes.first(256), generation);
  input.header = bytes.first(256);
  conversation::Line subject;
  add_body(input, decode::whole(bytes.subspan(256)), {}, subject);
  conversation::Line line;
  summarise(input, line);
  return std::string(line.text());
}

TEST(ReplicaBodies, DoViewChangeListsHeaders) {
  const Buffer frame = do_view_change();
  EXPECT_EQ(decode::load<std::uint64_t>(frame.data()), 0x02d8c9cf68171660U);
  EXPECT_TRUE(decode::body_checksum_is_right({0xed1af73b55ab1183, 0}, Bytes{frame}.subspan(256)));
  for (const Generation generation : generations) {
    const BodyPlan plan = plan_of(frame, generation);
    EXPECT_EQ(plan.state, BodyState::decoded);
    EXPECT_FALSE(plan.is_secret);
    const Read told = read(plan, Bytes{frame}.subspan(256));
    EXPECT_TRUE(told.problems.empty());
    const auto& headers = told.body["headers"];
    ASSERT_EQ(headers.size(), 2U);
    EXPECT_EQ(headers[0]["command"], 6);
    EXPECT_EQ(headers[0]["op"], "6");
    EXPECT_EQ(headers[0]["operation"], 0);
    EXPECT_EQ(headers[0]["size"], 0);
    EXPECT_EQ(headers[1]["checksum"], "5383800660660945023");
    EXPECT_EQ(headers[1]["op"], "5");
    EXPECT_EQ(headers[1]["view"], 1);
    EXPECT_EQ(headers[1]["operation"], 1);
    EXPECT_EQ(headers[1]["user_id"], 1);
  }
}

// The elements are the headers of the generation, row by row.
TEST(ReplicaBodies, HeadersHaveTheRowsOfPrepares) {
  for (const Generation generation : generations) {
    for (const Command command : {Command::DoViewChange, Command::StartView}) {
      const describe::Layout& body = *control_body(generation, command, 0).layout;
      ASSERT_EQ(body.fields.size(), 1U);
      const auto& rows = body.fields[0].layout->fields;
      const auto& header = header_layout(generation, 6)->fields;
      ASSERT_EQ(rows.size(), header.size());
      for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_EQ(rows[i].name, header[i].name);
        EXPECT_EQ(rows[i].kind, header[i].kind);
        EXPECT_EQ(rows[i].width, header[i].width);
        EXPECT_EQ(rows[i].privacy, header[i].privacy);
      }
      EXPECT_EQ(fixed_size(*body.fields[0].layout), 256U);
    }
  }
}

TEST(ReplicaBodies, HeadersOf012HaveItsRows) {
  Buffer image = registered();
  support::put_number(image, 248, 77, 8);
  const Buffer frame = support::sealed(12, image);
  const Read told = read(plan_of(frame, Generation::v0_12), image);
  EXPECT_TRUE(told.problems.empty());
  EXPECT_EQ(told.body["headers"][0]["session"], "77");
  const Read older = read(plan_of(frame, Generation::v0_11), image);
  ASSERT_EQ(older.problems.size(), 1U);
  EXPECT_EQ(older.problems[0].kind, ProblemKind::not_zero);
  EXPECT_EQ(older.problems[0].offset, 248U);
}

TEST(ReplicaBodies, HeadersThatDoNotFill) {
  for (const Generation generation : generations) {
    const Buffer two = support::joined({blank(6), registered()});
    const describe::Layout& layout = *control_body(generation, Command::StartView, 0).layout;
    expect_prefixes_are_told(layout, two);
    const BodyPlan plan = plan_of(support::sealed(12, two), generation);
    const Read more = read(plan, support::joined({two, Buffer(1)}));
    ASSERT_EQ(more.problems.size(), 1U);
    EXPECT_EQ(more.problems[0].kind, ProblemKind::too_short);
    EXPECT_EQ(more.problems[0].offset, 512U);
    const Read fewer = read(plan, Bytes{two}.first(511));
    ASSERT_EQ(fewer.problems.size(), 1U);
    EXPECT_EQ(fewer.body["headers"].size(), 2U);
    EXPECT_TRUE(read(plan, Buffer(128 * 256)).problems.empty());
  }
}

// Elements of a size that is told, of which nobody reads the end: what a manifest is made of.
TEST(ReplicaBodies, EachElementHasARoom) {
  using describe::Field;
  static constexpr Field inner_rows[] = {describe::u16("a", "A")};
  static constexpr describe::Layout inner{"inner", "Inner", inner_rows};
  static constexpr Field rows[] = {
      describe::u8("count", "N").counts(), describe::u8("size", "S").at_least(2).counts(),
      describe::group("elements", inner, "E").in_slack_room_each(), describe::u8("last", "Z")};
  static constexpr describe::Layout layout{"elements", "Elements", rows};
  static_assert(describe::is_body(layout));
  const auto told = [](const std::string& hex) {
    const Buffer bytes = support::bytes_of_hex(hex);
    expect_prefixes_are_told(layout, bytes);
    BodyPlan plan;
    plan.state = BodyState::decoded;
    plan.layout = &layout;
    return read(plan, bytes);
  };
  const Read two = told("02030100ee0200ee09");
  EXPECT_TRUE(two.problems.empty());
  EXPECT_EQ(two.body.dump(), R"({"count":2,"size":3,"elements":[{"a":1},{"a":2}],"last":9})");
  EXPECT_EQ(told("000209").body.dump(), R"({"count":0,"size":2,"elements":[],"last":9})");
  const auto problem = [&told](const std::string& hex) {
    const Read found = told(hex);
    EXPECT_EQ(found.problems.size(), 1U) << hex;
    return found.problems.at(0).kind;
  };
  EXPECT_EQ(problem("0201010009"), ProblemKind::out_of_range);  // no room for the row
  EXPECT_EQ(problem("ff02010009"), ProblemKind::too_short);
  EXPECT_EQ(problem("0105010009"), ProblemKind::too_short);
}

TEST(ReplicaBodies, Manifest) {
  for (const Generation generation : generations) {
    const Read told = read_manifest(one_entry, generation);
    EXPECT_TRUE(told.problems.empty());
    EXPECT_EQ(told.body["magic"], "ISM1");
    EXPECT_EQ(told.body["count"], 1);
    EXPECT_EQ(told.body["entry_len"], 25);
    ASSERT_EQ(told.body["entries"].size(), 1U);
    EXPECT_EQ(told.body["entries"][0]["kind"], 0);
    EXPECT_EQ(told.body["entries"][0]["frontier"], "100");
    EXPECT_EQ(told.body["entries"][0]["len"], "1234");
    EXPECT_EQ(told.body["entries"][0]["checksum"], "11259375");
    EXPECT_EQ(told.body["trailer_hash"], std::to_string(0xbf4bc02efdef5c1bU));
  }
  expect_prefixes_are_told(bodies::state_manifest, support::bytes_of_hex(one_entry));
}

// Longer entries are those of later builds: what is behind the known rows nobody reads.
TEST(ReplicaBodies, ManifestWithLongerEntries) {
  const std::string entry = "02" + std::string(16, '0') + "0500000000000000" + "0600000000000000";
  const std::string hash(16, '1');
  const std::string two = "49534d31020000001b" + entry + "eeee" + entry + "ffff" + hash;
  const Read told = read_manifest(two);
  EXPECT_TRUE(told.problems.empty());
  ASSERT_EQ(told.body["entries"].size(), 2U);
  EXPECT_EQ(told.body["entries"][1]["checksum"], "6");
  EXPECT_EQ(told.body["trailer_hash"], std::to_string(0x1111111111111111U));
  expect_prefixes_are_told(bodies::state_manifest, support::bytes_of_hex(two));
}

TEST(ReplicaBodies, ManifestWithCountsThatDoNotFit) {
  const auto problem = [](const std::string& hex) {
    const Read told = read_manifest(hex);
    EXPECT_EQ(told.problems.size(), 1U) << hex;
    return told.problems.empty() ? decode::Problem{} : told.problems[0];
  };
  const std::string rest = one_entry.substr(18);
  EXPECT_TRUE(read_manifest("49534d310000000019" + one_entry.substr(68)).problems.empty());
  // One entry more than there are: the hash is shorter than it.
  const decode::Problem more = problem("49534d310200000019" + rest);
  EXPECT_EQ(more.kind, ProblemKind::too_short);
  EXPECT_EQ(more.offset, 34U);
  EXPECT_EQ(more.needed, 25U);
  EXPECT_EQ(more.available, 8U);
  EXPECT_EQ(problem("49534d310000000019" + rest).kind, ProblemKind::trailing);
  EXPECT_EQ(problem("49534d310000010019" + rest).kind, ProblemKind::too_short);  // 65536
  EXPECT_EQ(problem("49534d310100010019" + rest).kind, ProblemKind::out_of_range);
  EXPECT_EQ(problem("49534d31ffffffff19" + rest).kind, ProblemKind::out_of_range);
  EXPECT_EQ(problem("49534d310100000018" + rest).kind, ProblemKind::out_of_range);
  EXPECT_EQ(problem("49534d310100000000" + rest).kind, ProblemKind::out_of_range);
  EXPECT_EQ(problem("49534d31010000001a" + rest).kind, ProblemKind::too_short);
  EXPECT_EQ(problem("49534d3101000000ff" + rest).kind, ProblemKind::too_short);
  EXPECT_EQ(problem(one_entry + "00").kind, ProblemKind::trailing);
}

// Nothing is known of what stands behind another magic.
TEST(ReplicaBodies, ManifestOfAnotherMagic) {
  const Read told = read_manifest("49534d32" + one_entry.substr(8));
  EXPECT_TRUE(told.problems.empty());
  EXPECT_EQ(told.body["magic"], "ISM2");
  EXPECT_EQ(told.body["body"], one_entry.substr(8));
  EXPECT_FALSE(told.body.contains("entries"));
}

// A snapshot holds hashes of passwords, a segment messages.
TEST(ReplicaBodies, PiecesAreSecretPayload) {
  for (const Generation generation : generations) {
    const BodyPlan plan = plan_of(support::sealed(25, Buffer(37)), generation);
    EXPECT_EQ(plan.state, BodyState::decoded);
    EXPECT_TRUE(plan.is_secret);
    ASSERT_EQ(plan.layout->fields.size(), 1U);
    EXPECT_TRUE(is_secret(plan.layout->fields[0]));
    EXPECT_TRUE(is_payload(plan.layout->fields[0]));
    EXPECT_EQ(read(plan, Buffer(37)).body["artifact_bytes"], std::string(74, '0'));
  }
}

// Commands without a body have none in the tables; the only other one without is what nobody knows.
TEST(ReplicaBodies, OfCommandsThatHaveOne) {
  const auto described = [](Generation generation) {
    std::string commands;
    for (std::uint8_t command = 9; command <= highest_command; ++command)
      if (control_body(generation, Command{command}, 67).layout != nullptr)
        commands += std::string(command_name(command)) + ' ';
    return commands;
  };
  const std::string both = "DoViewChange StartView StateTransferTarget StateChunk ";
  EXPECT_EQ(described(Generation::v0_11), both + "ConsumerSessionHeartbeat ");
  EXPECT_EQ(described(Generation::v0_12),
            both +
                "ForwardRegister ConsumerSessionHeartbeat SessionRetirementProgress "
                "ForwardCompletion PrimaryRebalance ");
}

TEST(ReplicaBodies, Lines) {
  EXPECT_EQ(line_of(do_view_change()),
            "DoViewChange metadata, view 2, replica 2, op 6, 2 headers: op 6, op 5 Register");
  EXPECT_EQ(line_of(do_view_change(), Generation::v0_12), line_of(do_view_change()));
  const Buffer probed = support::FrameBuilder(12).u64(128, 44).u64(144, 1 << 20).frame();
  EXPECT_EQ(line_of(probed), "StartView partition 0/1/0, view 0, replica 0, op 44");
  EXPECT_EQ(line_of(support::sealed(12, Buffer(257))),
            "StartView partition 0/0/0, view 3, replica 1, op 0: op 0, ..., body breaks off");
  const Buffer offer =
      support::FrameBuilder(23, support::bytes_of_hex(one_entry)).u8(160, 1).frame();
  EXPECT_EQ(
      line_of(offer),
      "StateTransferTarget partition 0/0/0, view 0, replica 0, offered: METADATA_SNAPSHOT at 100 "
      "(1234 bytes)");
  const Buffer refusal = support::FrameBuilder(23).u8(161, 1).frame();
  EXPECT_EQ(line_of(refusal),
            "StateTransferTarget partition 0/0/0, view 0, replica 0, refused for now");
  const Buffer wish = support::FrameBuilder(24).u64(144, 5).u32(160, 1).u32(164, 2).frame();
  EXPECT_EQ(line_of(wish),
            "RequestStateChunk partition 0/0/0, view 0, replica 0, artifact 2 offset 5, 1 byte");
  const Buffer piece = support::FrameBuilder(25, Buffer(37)).u64(144, 5).u32(160, 2).frame();
  EXPECT_EQ(line_of(piece),
            "StateChunk partition 0/0/0, view 0, replica 0, artifact 2 offset 5, 37 bytes");
}

}  // namespace
}  // namespace iggy
