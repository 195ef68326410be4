// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The sinks of answer.hpp.
#include "conversation/answer.hpp"

#include <algorithm>

#include "conversation/rules.hpp"
#include "conversation/served.hpp"
#include "conversation/subject.hpp"
#include "decode/body.hpp"
#include "decode/checksum.hpp"
#include "decode/walk.hpp"
#include "describe/proofs.hpp"
#include "iggy/bodies/batches.hpp"
#include "iggy/exchanges.hpp"
#include "iggy/options.hpp"
#include "iggy/v0_12/bodies/messages.hpp"

namespace iggy::conversation {
namespace {

using decode::Bytes;
using decode::Range;
using describe::Field;
using describe::Layout;
using describe::row_of;

// The counts of an assignment, or of a group and not of its members.
struct GroupSink : decode::Check {
  void integer(const Field& field, std::uint64_t value, Range) {
    if (field.name == "partitions_count") partitions = static_cast<std::uint32_t>(value);
    if (field.name == "members_count") members = static_cast<std::uint32_t>(value);
  }
  bool enter(const Field& field, const Layout&, std::uint32_t) { return field.name != "members"; }

  std::optional<std::uint32_t> partitions;
  std::uint32_t members = 0;
};

// Where the batch of a send begins, and its checksum. Messages are stepped over.
struct BatchSink : decode::Check {
  void integer(const Field& field, std::uint64_t value, Range) {
    if (field.name == checksum_row->name) checksum = value;
    if (field.name == flags_row->name) has_producer = value != 0;
  }
  bool enter(const Field&, const Layout& layout, std::uint32_t at) {
    if (layout.name == bodies::batch.name) place = at;
    return layout.name == bodies::batch.name;
  }

  static constexpr const Field* checksum_row = &row_of(bodies::batch, "batch_checksum");
  static constexpr const Field* flags_row = &row_of(v0_12::batch, "producer_flags");
  std::optional<std::uint32_t> place;  // the bytes before it tell where it goes
  std::optional<std::uint64_t> checksum;
  bool has_producer = false;
};

// How long a client waits at most before it gives up.
// Source: the SDK's limit, 10 minutes and what answers may take.
constexpr std::uint64_t longest_wait_us = 630'000'000;

// The statuses of the sections of a fetch. One that shows a finding goes before those that do not.
struct SectionSink : decode::Check {
  void integer(const Field& field, std::uint64_t value, Range) {
    if (field.name == "partition_id") partition = static_cast<std::uint32_t>(value);
    if (field.name != "status" || value == 0 || has_finding) return;
    const auto status = static_cast<std::uint32_t>(value);
    has_finding = finding_of_part(command_code("message.fetch"), status).has_value();
    if (has_finding || !refused) refused = RefusedSection{partition, status};
  }
  bool enter(const Field& field, const Layout&, std::uint32_t) {
    return field.name == "payload" || field.name == "sections";
  }

  std::uint32_t partition = 0;
  bool has_finding = false;
  std::optional<RefusedSection> refused;
};

struct KeySink : decode::Check {
  bool enter(const Field& field, const Layout&, std::uint32_t) {
    is_option = field.name == "options";
    return true;
  }
  void run(const Field& field, Bytes bytes, Range) {
    if (!is_option || field.name != "key") return;
    const std::string_view key = decode::text_of(bytes);
    const Option* option = find_option(key);
    if (option != nullptr)
      keys.known |= 1U << (option - std::begin(option_list::options));
    else if (keys.unknown.empty())
      keys.unknown = key;
  }

  OptionKeys keys;
  bool is_option = false;
};
static_assert(std::size(option_list::options) <= 32);

bool has_options(std::uint32_t code) {
  switch (code) {
    case command_code("stream.create"):
    case command_code("stream.update"):
    case command_code("topic.create"):
    case command_code("topic.update"):
    case command_code("user.create"):
    case command_code("user.update"):
      return true;
    default:
      return false;
  }
}

}  // namespace

static_assert(fetch_sections_bytes == 4 + 1000 * describe::fixed_size(v0_12::fetch_section));

bool has_sections(std::uint32_t code) {
  return code == command_code("message.fetch");
}

AnswerFacts answer_facts_of(const decode::Facts& answer, Dialect sender, std::uint32_t code,
                            decode::Window body) {
  AnswerFacts told;
  if (!answer.is_reply() || answer.status != 0) return told;
  told.is_empty = body.on_wire == 0;
  told.is_undone =
      told.is_empty && answer.is(Command::Reply) && tells_nothing_done(answer.operation, code);
  if (told.is_empty) return told;
  const bool is_assignment = code == command_code("consumer_group.sync");
  const bool is_group = code == command_code("consumer_group.get");
  const bool is_fetch = has_sections(code);
  const bool is_login = answer.operation == operation::register_session;
  if (!is_assignment && !is_group && !is_fetch && !is_login) return told;
  const decode::BodyPlan plan = decode::plan_body(answer, sender, code, body);
  if (plan.state != decode::BodyState::decoded) return told;
  if (is_login) {
    const decode::LoginReply reply = decode::read_login_reply(body, *plan.layout);
    told.number = reply.server_version_number;
    told.train = train_of("server", reply.server_version, told.number);
    return told;
  }
  if (is_fetch) {
    SectionSink sections;
    const std::size_t front = std::min<std::size_t>(body.captured.size(), fetch_sections_bytes);
    decode::read_body(plan, {body.captured.first(front), body.on_wire}, false, sections);
    told.section = sections.refused;
    return told;
  }
  GroupSink sink;
  decode::read_body(plan, body, false, sink);
  if (is_assignment && sink.clean) told.assigned = sink.partitions;
  if (!is_group) return told;
  told.members = sink.members;
  told.partitions = sink.partitions.value_or(0);
  return told;
}

OptionKeys option_keys_of(const decode::Facts& request, Dialect sender, std::uint32_t code,
                          decode::Window body) {
  if (!has_options(code)) return {};
  const decode::BodyPlan plan = decode::plan_body(request, sender, code, body);
  KeySink sink;
  decode::read_body(plan, body, false, sink);
  // A body that may hold a password is not quoted.
  if (plan.is_secret) sink.keys.unknown = {};
  return sink.keys;
}

std::optional<SentBatch> batch_sent(const decode::Facts& request, Dialect sender,
                                    std::uint32_t code, decode::Window body) {
  if (request.form != decode::Form::frame || code != command_code("message.send"))
    return std::nullopt;
  const decode::BodyPlan plan = decode::plan_body(request, sender, code, body);
  if (plan.layout == nullptr || plan.state != decode::BodyState::decoded) return std::nullopt;
  // All of it stands in front of the messages, which may be many.
  const decode::Window front = subject_front(body);
  BatchSink sink;
  decode::Walk(front, sink).read(*plan.layout);
  if (!sink.place || !sink.checksum) return std::nullopt;
  return SentBatch{request.request, decode::xxh3(front.captured.first(*sink.place)), *sink.checksum,
                   sink.has_producer};
}

std::int64_t patience_of(const decode::Facts& request, Dialect sender, std::uint32_t code,
                         decode::Window body) {
  if (!may_wait(code)) return 0;
  constexpr std::int64_t in_microsecond = 1000;
  const decode::BodyPlan plan = decode::plan_body(request, sender, code, body);
  if (plan.layout == nullptr) return 0;
  const auto timeout_us = number_in(plan, body, "request_timeout_us");
  const auto told = static_cast<std::int64_t>(
      std::min<std::uint64_t>(timeout_us.value_or(longest_wait_us), longest_wait_us));
  return told * in_microsecond;
}

bool may_be_served(const decode::Facts& request, Dialect sender, std::uint32_t code,
                   decode::Window body) {
  if (introduction_of(code) == nullptr) return true;
  const decode::BodyPlan plan = decode::plan_body(request, sender, code, body);
  return is_served(plan, code, body);
}

bool sends_nothing(const decode::Facts& request, Dialect sender, std::uint32_t code,
                   decode::Window body) {
  if (request.form != decode::Form::legacy_request || code != command_code("message.send"))
    return false;
  const decode::BodyPlan plan = decode::plan_body(request, sender, code, body);
  return number_in(plan, body, "metadata.messages_count") == 0U;
}

std::optional<std::uint64_t> group_asked_for(std::uint32_t code, decode::Window body) {
  if (code != command_code("consumer_group.sync") && code != command_code("consumer_group.leave"))
    return std::nullopt;
  if (body.captured.size() < body.on_wire) return std::nullopt;
  return decode::xxh3(body.captured);
}

}  // namespace iggy::conversation
