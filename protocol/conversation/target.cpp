// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The sinks of target.hpp.
#include "conversation/target.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>

#include "conversation/commands.hpp"
#include "conversation/subject.hpp"
#include "decode/body.hpp"
#include "decode/checksum.hpp"
#include "decode/utf8.hpp"
#include "decode/walk.hpp"
#include "describe/proofs.hpp"
#include "iggy/bodies/encodings.hpp"
#include "iggy/bodies/messages.hpp"
#include "iggy/bodies/replicated.hpp"
#include "iggy/conduct.hpp"
#include "iggy/exchanges.hpp"
#include "iggy/login.hpp"
#include "iggy/registry.hpp"
#include "iggy/v0_11/replication_headers.hpp"

namespace iggy::conversation {
namespace {

using decode::Bytes;
using decode::Range;
using describe::Field;
using describe::Layout;
using describe::row_of;

bool is_identifier(const Layout& layout) {
  return layout.name == bodies::identifier.name || layout.name == bodies::account_identifier.name;
}

bool names_something(const Layout& layout) {
  return is_identifier(layout) || layout.name == bodies::consumer.name ||
         layout.name == login::name.name || layout.name == login::account_name.name;
}

// Hashes the bytes of what is named, each piece behind the place of its row, so that the same words
// in other rows are another target. Lists are of what is done with it: options, messages, keys.
class TargetSink : public decode::Check {
 public:
  explicit TargetSink(Bytes body) : body_(body) { hash_.begin(); }

  void integer(const Field& field, std::uint64_t, Range range) {
    if (field.privacy == describe::Privacy::identity) add(field, range);
  }
  bool enter(const Field& field, const Layout&, std::uint32_t) { return !is_list(field); }
  void leave(const Field& field, const Layout& layout, Range range) {
    if (names_something(layout)) add(field, range);
  }

  std::uint64_t value() const { return is_empty_ ? 0 : hash_.value(); }

 private:
  void add(const Field& field, Range range) {
    is_empty_ = false;
    hash_.add(std::as_bytes(std::span(field.name)));
    hash_.add(body_.subspan(range.offset, range.length));
  }

  Bytes body_;
  decode::Xxh3 hash_;
  bool is_empty_ = true;
};

// Servers take no kind of identifier that is not known, and no text that is not UTF-8.
class ReadableSink : public decode::Check {
 public:
  void integer(const Field& field, std::uint64_t, Range) { note(field); }
  void run(const Field& field, Bytes bytes, Range) {
    note(field);
    if (field.kind == describe::Kind::text && !decode::is_utf8(decode::text_of(bytes)))
      clean = false;
  }
  bool enter(const Field&, const Layout& layout, std::uint32_t) {
    is_naming_ = is_identifier(layout);
    return true;
  }
  void leave(const Field&, const Layout&, Range) { is_naming_ = false; }
  void problem(const decode::Problem& problem) {
    if (problem.kind == decode::ProblemKind::cut_by_capture)
      is_cut = true;
    else if (!is_cut)
      clean = false;
  }

  bool is_cut = false;

 private:
  void note(const Field& field) {
    if (is_naming_ && field.when == describe::When::otherwise) clean = false;
  }

  bool is_naming_ = false;
};

bool is_layout_readable(const Layout& layout, decode::Window front) {
  ReadableSink sink;
  decode::Walk(front, sink).read(layout);
  return sink.clean;
}

}  // namespace

std::uint64_t target_of(const decode::Facts& request, Dialect sender, std::uint32_t code,
                        decode::Window body) {
  const decode::Window front = subject_front(body);
  const decode::BodyPlan plan = decode::plan_body(request, sender, code, front);
  if (plan.layout == nullptr || plan.state == decode::BodyState::missing) return 0;
  TargetSink sink(front.captured);
  decode::Walk(front, sink).read(*plan.layout);
  return sink.value();
}

bool can_be_read(const decode::Facts& request, Dialect sender, std::uint32_t code,
                 decode::Window body) {
  // Bodies of the 8-byte framing differ between releases that no frame tells.
  if (request.form != decode::Form::frame) return true;
  const decode::Window front = subject_front(body);
  const decode::BodyPlan plan = decode::plan_body(request, sender, code, front);
  if (plan.state == decode::BodyState::malformed) return false;
  if (plan.layout == nullptr) return true;
  return is_layout_readable(*plan.layout, front);
}

bool is_committed_unread(const decode::Facts& facts) {
  constexpr std::uint8_t from_all[] = {
      operation::truncate_partition,         operation_of("stream.delete"),
      operation_of("stream.purge"),          operation_of("topic.delete"),
      operation_of("topic.purge"),           operation_of("consumer_group.create"),
      operation_of("consumer_group.delete"), operation_of("user.delete"),
      operation_of("user.permissions"),
  };
  constexpr std::uint8_t from_servers[] = {
      operation::create_topic_with_assignments,
      operation::create_partitions_with_assignments,
  };
  const auto holds = [&facts](std::span<const std::uint8_t> operations) {
    return std::find(operations.begin(), operations.end(), facts.operation) != operations.end();
  };
  if (facts.form != decode::Form::frame) return false;
  const bool is_prepare = facts.is(Command::Prepare) || facts.is(Command::RepairPrepare);
  return (is_prepare && (holds(from_all) || holds(from_servers))) ||
         (facts.is_request() && holds(from_all));
}

bool stops_servers(const decode::Facts& facts, Dialect sender, decode::Window body) {
  if (!is_committed_unread(facts) || !conduct_of(sender.generation).commits_unread) return false;
  // Where no login told the build, it may be any.
  constexpr Train builds[] = {Train::newest, Train{}};
  return std::none_of(std::begin(builds), std::end(builds), [&](Train build) {
    const Body table =
        replicated_body({sender.generation, sender.train.value_or(build)}, facts.operation);
    return table.layout == nullptr || is_layout_readable(*table.layout, subject_front(body));
  });
}

bool stops_replicas(const decode::Facts& facts, Dialect sender, decode::Bytes header,
                    decode::Window body) {
  constexpr std::size_t checksum_at =
      describe::offset_of<decode::U128>(v0_11::prepare, "checksum_body");
  if (facts.is_request() || !stops_servers(facts, sender, body)) return false;
  return body.captured.size() < body.on_wire ||
         decode::body_checksum_is_right(decode::load_u128(header.data() + checksum_at),
                                        body.captured);
}

std::optional<std::uint64_t> truncated_to(const decode::Facts& request, Dialect sender,
                                          decode::Window body) {
  constexpr const Field* row = &row_of(bodies::truncate_partition, "up_to_offset");
  if (request.form != decode::Form::frame || request.operation != operation::truncate_partition)
    return std::nullopt;
  return number_in(decode::plan_body(request, sender, 0, body), body, row->name);
}

bool is_offset_of_group(const decode::Facts& request, Dialect sender, std::uint32_t code,
                        decode::Window body) {
  constexpr std::uint64_t group = 2;
  if (!between("consumer_offset.store", "consumer_offset.delete").hold(code)) return false;
  const decode::BodyPlan plan = decode::plan_body(request, sender, code, body);
  return number_in(plan, body, "consumer.kind") == group;
}

std::optional<bool> is_committing(const decode::Facts& request, Dialect sender, std::uint32_t code,
                                  decode::Window body) {
  constexpr const Field* row = &row_of(bodies::message_poll, "auto_commit");
  const auto told =
      number_in(decode::plan_body(request, sender, code, subject_front(body)), body, row->name);
  if (!told) return std::nullopt;
  return *told != 0;
}

}  // namespace iggy::conversation
