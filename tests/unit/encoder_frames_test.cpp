// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Frames of everything that is sent, of both generations that have bodies: written by the encoder
// of tests, cut out of one stream again and decoded, all values are those that went in.
//
// The stream is cut by conversation/framing, and which layout a body has is decided by
// decode/body, as in the tools; here they are only told which request a reply answers.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conversation/framing.hpp"
#include "decode/body.hpp"
#include "iggy/enums.hpp"
#include "iggy/layouts.hpp"
#include "iggy/registry.hpp"
#include "support/body_facts.hpp"
#include "support/encoder.hpp"
#include "support/json_holds.hpp"
#include "support/some_values.hpp"

namespace support {
namespace {

using iggy::Command;
using iggy::Generation;
using iggy::decode::BodyPlan;
using iggy::decode::BodyState;
using iggy::decode::Facts;
using iggy::decode::Window;
using iggy::describe::Layout;

// One frame, and what it has to be read as.
struct Sent {
  std::string what;
  const Layout* header_layout = nullptr;
  Json header;
  const Layout* body_layout = nullptr;  // null where there is no body
  Json body = Json::object();
  std::uint32_t code = 0;  // of a request, or of the one that a reply answers
  Buffer bytes;
};

bool has_row(const Layout& layout, std::string_view name) {
  return std::any_of(layout.fields.begin(), layout.fields.end(),
                     [name](const iggy::describe::Field& field) { return field.name == name; });
}

// Makes up the frames of a generation.
class Frames {
 public:
  Frames(Generation generation, std::uint32_t seed) : generation_(generation), some_(seed) {}

  std::vector<Sent> all() {
    for (const iggy::Exchange& exchange : iggy::exchanges(generation_)) {
      requests(exchange);
      replies(exchange);
    }
    evictions();
    prepares();
    between_replicas();
    return std::move(frames_);
  }

 private:
  // `told` are the header's values that are not made up.
  void add(const std::string& what, Command command, Json told, const Layout* body_layout,
           Json body, std::uint32_t code = 0) {
    Sent sent;
    sent.what = std::string(word_of(generation_)) + ' ' + what;
    sent.header_layout = iggy::header_layout(generation_, static_cast<std::uint8_t>(command));
    ASSERT_NE(sent.header_layout, nullptr) << what;
    const bool has_body = body_layout != nullptr && !body_layout->fields.empty();
    const Buffer bytes = has_body ? Encoder::encode(*body_layout, body) : Buffer{};
    if (!bytes.empty()) sent.body_layout = body_layout;
    sent.body = std::move(body);
    sent.code = code;
    sent.header = some_.of(*sent.header_layout);
    told["command"] = static_cast<unsigned>(command);
    told["size"] = 256 + bytes.size();
    for (const auto& [name, value] : told.items())
      if (has_row(*sent.header_layout, name)) sent.header[name] = value;
    sent.bytes = joined({Encoder::encode(*sent.header_layout, sent.header), bytes});
    frames_.push_back(std::move(sent));
  }

  // Which login it is, and of which release, its body says itself.
  Json values_of_request(const iggy::Exchange& exchange, const Layout& layout) {
    Json body = some_.of(layout);
    if (body.contains("version_info"))
      body["version_info"]["protocol_version"] =
          (generation_ == Generation::v0_12 ? iggy::version_0_12_0 : iggy::version_0_11_0).packed;
    EXPECT_TRUE(body.contains("version_info") || exchange.operation != 1) << exchange.name;
    return body;
  }

  void requests(const iggy::Exchange& exchange) {
    const std::uint32_t code =
        exchange.operation == iggy::operation::non_replicated ? exchange.code : 0;
    const Json header{{"operation", exchange.operation}, {"code", code}};
    const Layout& layout = *bodies_of(exchange).request.layout;
    add("request " + std::string(exchange.name), Command::Request, header, &layout,
        values_of_request(exchange, layout), exchange.code);
  }

  // What was done, what was rejected, and what was denied before it.
  void replies(const iggy::Exchange& exchange) {
    const std::string name = "reply to " + std::string(exchange.name);
    const Layout& layout = *bodies_of(exchange).reply.layout;
    const bool is_framed = has_row(layout, "result");
    // The facts are those of the release, without what older builds had besides.
    const Json operations =
        exchange.code < iggy::older_meaning
            ? command_named(generation_, std::string(exchange.name))["reply_operations"]
            : Json::array({exchange.operation});
    for (const Json& operation : operations) {
      const Json denied{{"operation", operation}, {"status", 1 + some_.below(3000)}};
      add(name + ", denied", Command::Reply, denied, nullptr, {}, exchange.code);
      const Json done{{"operation", operation}, {"status", 0}};
      // Empty where nothing was found, which some say without a body.
      add(name + ", empty", Command::Reply, done, nullptr, {}, exchange.code);
      if (operation == iggy::operation::delete_segments) continue;  // what is framed answers as 68
      Json body = some_.of(layout);
      if (is_framed) body["result"] = {{"entries", Json::array()}};
      add(name, Command::Reply, done, &layout, std::move(body), exchange.code);
      if (is_framed) {
        Json rejection = some_.of(iggy::login::rejection);
        Json& entries = rejection["result"]["entries"];
        entries.erase(entries.begin() + 1, entries.end());
        add(name + ", rejected", Command::Reply, done, &iggy::login::rejection,
            std::move(rejection), exchange.code);
      }
    }
  }

  void evictions() {
    for (const iggy::describe::Name& reason : iggy::eviction_reasons)
      add("eviction " + std::string(reason.text), Command::Eviction, {{"reason", reason.value}},
          nullptr, {});
  }

  // Bodies as the primary hands them on; of other operations replicas see what the client sent.
  void prepares() {
    for (unsigned operation = 0; operation < 256; ++operation) {
      const auto value = static_cast<std::uint8_t>(operation);
      const Layout* const layout = iggy::replicated_body(generation_, value).layout;
      if (layout == nullptr) continue;
      for (const Command command : {Command::Prepare, Command::RepairPrepare})
        add("prepare of " + std::to_string(operation), command, {{"operation", operation}}, layout,
            some_.of(*layout));
    }
  }

  void between_replicas() {
    for (unsigned command = 0; command <= iggy::highest_command; ++command)
      if (iggy::header_layout(generation_, static_cast<std::uint8_t>(command)) != nullptr)
        add("command " + std::to_string(command), static_cast<Command>(command),
            {{"operation", 0}, {"status", 1}}, nullptr, {});
    for (const iggy::BodyTables& tables : iggy::body_tables) {
      if (tables.generation != generation_) continue;
      for (const iggy::ControlBody& row : tables.control)
        add(std::string(iggy::command_name(static_cast<std::uint8_t>(row.command))), row.command,
            {{"operation", row.operation}}, row.body.layout, some_.of(*row.body.layout));
    }
  }

  const iggy::CommandBodies& bodies_of(const iggy::Exchange& exchange) const {
    const iggy::CommandBodies* const bodies = iggy::find_bodies(generation_, exchange.code);
    if (bodies == nullptr) throw std::out_of_range(std::string(exchange.name));
    return *bodies;
  }

  Generation generation_;
  SomeValues some_;
  std::vector<Sent> frames_;
};

// What a walk told; nothing may be wrong.
Json told_of(const BodyPlan& plan, Window body) {
  BodyRecorder recorder;
  read_body(plan, body, true, recorder);
  EXPECT_TRUE(recorder.problems.empty());
  return recorder.body();
}
Json told_of(const Layout& layout, iggy::decode::Bytes header) {
  return told_of({.state = BodyState::decoded, .layout = &layout}, iggy::decode::whole(header));
}

void expect_header(const Sent& sent, const Facts& facts, Generation generation,
                   iggy::decode::Bytes header) {
  const Layout& layout = header_layout_of(facts, generation);
  EXPECT_EQ(&layout, sent.header_layout);
  const Json told = told_of(layout, header);
  EXPECT_TRUE(holds(told, sent.header)) << sent.header.dump() << '\n' << told.dump();
  EXPECT_EQ(hex_of(Encoder::encode(layout, told)), hex_of(header));
}

void expect_body(const Sent& sent, const Facts& facts, Generation generation, Window body) {
  if (facts.is_request()) {
    EXPECT_EQ(code_of_request(facts, generation, body), sent.code);
  }
  const BodyPlan plan = plan_body(facts, generation, sent.code, body);
  if (plan.state == BodyState::missing) {
    EXPECT_TRUE(facts.is_reply() && facts.status == 0 && body.on_wire == 0);
    return;
  }
  if (sent.body_layout == nullptr) {
    EXPECT_TRUE(plan.state == BodyState::empty || plan.state == BodyState::none);
    EXPECT_EQ(body.on_wire, 0U);
    EXPECT_EQ(told_of(plan, body), Json::object());
    return;
  }
  EXPECT_EQ(plan.state, BodyState::decoded);
  ASSERT_EQ(plan.layout, sent.body_layout)
      << (plan.layout == nullptr ? "none" : plan.layout->title);
  const Json told = told_of(plan, body);
  EXPECT_TRUE(holds(told, sent.body)) << sent.body.dump() << '\n' << told.dump();
  EXPECT_EQ(hex_of(Encoder::encode(*plan.layout, told)), hex_of(body.captured));
}

// Cuts the stream into the frames again and compares each with what went in.
void expect_stream(const std::vector<Sent>& frames, Generation generation) {
  Buffer stream;
  for (const Sent& sent : frames) append(stream, sent.bytes);
  namespace conversation = iggy::conversation;
  conversation::DirectionState state;
  state.framing = conversation::Framing::frames;
  iggy::decode::Bytes left{stream};
  for (const Sent& sent : frames) {
    SCOPED_TRACE(sent.what);
    const conversation::Cut cut = conversation::cut(left, state, true);
    ASSERT_EQ(cut.kind, conversation::CutKind::frame);
    ASSERT_EQ(cut.bytes, sent.bytes.size());
    const iggy::decode::Bytes header = left.first(256);
    const Facts facts = iggy::decode::facts_of(header, generation);
    expect_header(sent, facts, generation, header);
    expect_body(sent, facts, generation, iggy::decode::whole(left.first(cut.bytes).subspan(256)));
    left = left.subspan(cut.bytes);
  }
  EXPECT_TRUE(left.empty());
}

TEST(EncoderFrames, RoundTripEverythingThatIsSent) {
  for (const Generation generation : with_body_facts) {
    for (std::uint32_t seed = 1; seed <= 3; ++seed)
      expect_stream(Frames(generation, seed).all(), generation);
  }
}

// No command is left out, and of each there is a request, a reply and a denial.
TEST(EncoderFrames, AreOfEveryCommand) {
  for (const Generation generation : with_body_facts) {
    std::set<unsigned> commands;
    std::set<std::uint32_t> requests;
    std::set<std::uint32_t> replies;
    std::size_t prepares = 0;
    for (const Sent& sent : Frames(generation, 1).all()) {
      const unsigned command = sent.header["command"];
      commands.insert(command);
      if (command == 5 && sent.code != 0) requests.insert(sent.code);
      if (command == 8 && sent.code != 0) replies.insert(sent.code);
      prepares += command == 6 || command == 19 ? 1U : 0U;
    }
    const bool is_newer = generation == Generation::v0_12;
    EXPECT_EQ(requests.size(), is_newer ? 53U : 57U);
    EXPECT_EQ(replies, requests);
    EXPECT_EQ(commands.size(), is_newer ? 37U : 31U);
    EXPECT_GE(prepares, 60U);
  }
}

}  // namespace
}  // namespace support
