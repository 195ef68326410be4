// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The waiting and the order of message_lines.hpp.
#include "report/message_lines.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "conversation/subject.hpp"
#include "describe/proofs.hpp"
#include "iggy/bodies/messages.hpp"
#include "iggy/exchanges.hpp"
#include "iggy/legacy/messages.hpp"
#include "iggy/registry.hpp"
#include "iggy/v0_11/client_headers.hpp"
#include "iggy/v0_12/client_headers.hpp"

namespace analyzer::report {

using connection::Connection;
using connection::Facts;
using connection::Frame;
using connection::Generation;
using connection::OutcomeKind;
using connection::Side;
using iggy::Command;
using iggy::decode::BodyPlan;
using iggy::decode::BodyState;
using iggy::decode::is_answered_with_messages;
using iggy::decode::is_sent_with_messages;
using iggy::decode::MessageReader;
namespace operation = iggy::operation;

namespace {

// What may wait for sends to end, and what is held for a stalled direction to deliver an earlier
// frame.
constexpr std::size_t reorder_rows = 8192;
constexpr std::size_t stream_rows = 65'536;
constexpr std::int64_t stream_time = std::int64_t{30} * 1'000'000'000;
// Requests whose place is remembered, and replies that were delivered before their request.
constexpr std::size_t place_limit = 100'000;
constexpr std::size_t confirmation_limit = 10'000;
// User headers of one message; SDKs allow 100,000 bytes.
constexpr std::size_t most_user_headers = 100'000;

// Whether a request of this command may be a send.
bool is_send(const Facts& facts) {
  if (facts.form != iggy::decode::Form::legacy_request)
    return facts.operation == operation::send_messages;
  return facts.code == iggy::command_code("message.send");
}

// What a reply to a poll has at least where it brings a message.
constexpr std::uint32_t least_polled =
    iggy::describe::place_of(iggy::bodies::message_poll_reply, "batches").begin +
    iggy::bodies::batch_header_bytes;

bool is_prepare(const Facts& facts) {
  return (facts.is(Command::Prepare) || facts.is(Command::RepairPrepare)) &&
         facts.operation == operation::send_messages;
}

std::uint64_t size_of(const MessageRow& row) {
  constexpr std::uint64_t of_itself = sizeof(MessageRow) + 64;
  return of_itself + row.payload.size() + row.user_headers.size();
}

std::string front_of(iggy::decode::Bytes bytes, std::size_t most) {
  return {reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), most)};
}

// Requests name partitions by 32 bits, so a larger number in a batch is none.
std::optional<std::uint64_t> partition_of(std::uint64_t number) {
  if (number > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return number;
}

// A reply that confirms a batch has the time at which it was stored.
std::uint64_t append_time_of(const Frame& frame) {
  constexpr std::size_t at =
      iggy::describe::offset_of<std::uint64_t>(iggy::v0_11::reply, "timestamp");
  static_assert(at == iggy::describe::offset_of<std::uint64_t>(iggy::v0_12::reply, "timestamp"));
  return iggy::decode::load<std::uint64_t>(frame.raw.header.data() + at);
}

std::shared_ptr<const MessagePlace> place_of(const Connection& connection, const Frame& frame,
                                             const MessageBody& body) {
  MessagePlace place = body.place();
  add_names(place, connection.names(frame.raw.place.packet));
  return std::make_shared<const MessagePlace>(std::move(place));
}

// The partition that a Prepare is for; its body names no stream and no topic.
std::optional<iggy::PartitionGroup> group_of(const Facts& facts) {
  if (facts.group == iggy::metadata_group) return std::nullopt;
  return iggy::partition_of(facts.group);
}

std::shared_ptr<const MessagePlace> place_of(const Connection& connection, const Frame& frame,
                                             const std::optional<iggy::PartitionGroup>& group) {
  if (!group) return nullptr;
  MessagePlace place;
  place.stream = Identifier{true, std::to_string(group->stream)};
  place.topic = Identifier{true, std::to_string(group->topic)};
  add_names(place, connection.names(frame.raw.place.packet));
  return std::make_shared<const MessagePlace>(std::move(place));
}

}  // namespace

std::uint32_t MessageLines::wanted_body(const Facts& facts) const {
  constexpr std::uint32_t whole = iggy::conversation::max_frame_bytes;
  if (facts.is_request()) {
    if (is_send(facts)) return whole;
    // Where a poll reads from stands in front.
    return facts.operation == operation::non_replicated ? iggy::conversation::subject_bytes : 0;
  }
  if (facts.is_reply()) {
    const bool may_be_poll = facts.form == iggy::decode::Form::legacy_reply ||
                             facts.operation == operation::non_replicated;
    return may_be_poll ? whole : 0;
  }
  return is_prepare(facts) && options_.ways.contains(MessageWay::replicated) ? whole : 0;
}

void MessageLines::frame(const Connection& connection, const Frame& frame) {
  if (done_) return;
  latest_ = std::max(latest_, frame.raw.place.time);
  next_index_ = 0;
  if (frame.facts.is_request() && frame.from == Side::client)
    request(connection, frame);
  else if (frame.facts.is_reply() && frame.from == Side::server)
    reply(connection, frame);
  else if (is_prepare(frame.facts) && options_.ways.contains(MessageWay::replicated))
    prepare(connection, frame);
  release(false);
}

void MessageLines::request(const Connection& connection, const Frame& frame) {
  if (frame.code == iggy::command_code("message.send"))
    send(connection, frame);
  else if (is_answered_with_messages(frame.generation, frame.code))
    poll(connection, frame);
}

// The place stands in front of the messages.
void MessageLines::send(const Connection& connection, const Frame& frame) {
  if (!options_.ways.contains(MessageWay::sent)) return;
  if (!is_sent_with_messages(frame.generation, frame.code)) {
    losses_.without_table += frame.raw.body.on_wire != 0 ? 1U : 0U;
    return;
  }
  std::shared_ptr<const MessagePlace> place;
  MessageBody* reading = nullptr;
  MessageBody body([&](const MessageReader& reader) {
    if (place == nullptr) place = place_of(connection, frame, *reading);
    if (done_ || !wants_place(options_, MessageWay::sent, place.get())) return;
    MessageRow row = row_of(connection, frame, MessageWay::sent, reader);
    row.take_place(place);
    row.partition = reading->named_partition();
    if (reader.is_older()) row.offset_delta = reader.message().index;
    hold(std::move(row), true);
  });
  reading = &body;
  read(frame, body);
}

void MessageLines::poll(const Connection& connection, const Frame& frame) {
  if (!options_.ways.contains(MessageWay::polled)) return;
  if (places_.size() >= options_.memory.entries(place_limit)) {
    ++losses_.places_not_kept;
    return;
  }
  MessageBody body;
  read(frame, body);
  places_.emplace(frame.id, place_of(connection, frame, body));
}

void MessageLines::reply(const Connection& connection, const Frame& frame) {
  if (frame.facts.status != 0) return;
  if (frame.facts.operation == operation::send_messages) {
    MessageBody body;
    read(frame, body);
    if (auto confirmation = body.confirmation()) {
      confirmation->append_time = append_time_of(frame);
      if (confirmations_.size() >= confirmation_limit) confirmations_.erase(confirmations_.begin());
      confirmations_.emplace(frame.id, *confirmation);
    }
    return;
  }
  if (!options_.ways.contains(MessageWay::polled)) return;
  if (frame.answers == nullptr) {
    if (frame.facts.operation == operation::non_replicated &&
        frame.raw.body.on_wire >= least_polled)
      ++losses_.without_request;
    return;
  }
  if (!is_answered_with_messages(frame.generation, frame.code)) {
    const bool is_poll = is_answered_with_messages(Generation::v0_11, frame.code);
    losses_.without_table += is_poll && frame.raw.body.on_wire != 0 ? 1U : 0U;
    return;
  }
  const auto known = places_.find(frame.answers->frame);
  const std::shared_ptr<const MessagePlace> place =
      known == places_.end() ? nullptr : known->second;
  if (!wants_place(options_, MessageWay::polled, place.get())) return;
  MessageBody body([&](const MessageReader& reader) {
    if (done_) return;
    MessageRow row = row_of(connection, frame, MessageWay::polled, reader);
    row.take_place(place);
    hold(std::move(row), false);
  });
  read(frame, body);
}

void MessageLines::prepare(const Connection& connection, const Frame& frame) {
  const std::optional<iggy::PartitionGroup> group = group_of(frame.facts);
  const std::shared_ptr<const MessagePlace> place = place_of(connection, frame, group);
  if (!wants_place(options_, MessageWay::replicated, place.get())) return;
  MessageBody body([&](const MessageReader& reader) {
    if (done_) return;
    MessageRow row = row_of(connection, frame, MessageWay::replicated, reader);
    row.take_place(place);
    if (!row.partition && group) row.partition = group->partition;
    hold(std::move(row), false);
  });
  read(frame, body);
}

void MessageLines::read(const Frame& frame, MessageBody& body) {
  const BodyPlan plan =
      iggy::decode::plan_body(frame.facts, frame.dialect(), frame.code, frame.raw.body);
  if (plan.state == BodyState::empty || plan.state == BodyState::none) return;
  if (plan.state == BodyState::missing) {
    losses_.unreadable += iggy::decode::holds_batches(*plan.layout) ? 1U : 0U;
    return;
  }
  if (plan.layout == nullptr || plan.state != BodyState::decoded) {
    const bool is_poll = frame.facts.is_request() && !is_send(frame.facts);
    losses_.without_table += is_poll ? 0U : 1U;
    return;
  }
  iggy::decode::Walk walk(frame.raw.body, body);
  const iggy::describe::Layout* const older =
      iggy::decode::older_messages(*plan.layout, frame.raw.body);
  const bool is_whole = walk.read(older == nullptr ? *plan.layout : *older);
  // Of a request to poll the front was asked for, which is enough.
  if (is_whole || !iggy::decode::holds_batches(*plan.layout)) return;
  ++(frame.raw.captured < frame.raw.size ? losses_.cut_bodies : losses_.unreadable);
}

MessageRow MessageLines::row_of(const Connection& connection, const Frame& frame, MessageWay way,
                                const MessageReader& reader) {
  const iggy::decode::MessageRows& message = reader.message();
  const std::size_t most_payload =
      options_.keeps_payloads ? std::numeric_limits<std::size_t>::max() : options_.max_payload;
  make_room(sizeof(MessageRow) + most_user_headers +
            std::min(message.payload.size(), most_payload));
  const iggy::decode::Derived derived = reader.derived();
  MessageRow row;
  row.packet = frame.raw.place.packet;
  row.time = frame.raw.place.time;
  row.frame = frame.id;
  row.way = way;
  row.is_from_client = frame.from == Side::client;
  row.client = connection.client();
  row.server = connection.server();
  if (reader.batch().is_stamped()) row.partition = partition_of(reader.batch().partition_id);
  row.offset = derived.offset;
  row.origin_time = derived.origin_time;
  row.append_time = derived.append_time;
  row.id = message.id;
  row.offset_delta = message.offset_delta;
  row.payload_size = static_cast<std::uint32_t>(message.payload.size());
  row.user_headers_size = static_cast<std::uint32_t>(message.user_headers.size());
  row.payload = front_of(message.payload, most_payload);
  row.headers_row = message.headers_row;
  if (message.user_headers.size() <= most_user_headers)
    row.user_headers = front_of(message.user_headers, most_user_headers);
  return row;
}

// For a row that is about to be made: together with those that wait it would be too much.
void MessageLines::make_room(std::uint64_t bytes) {
  while (!done_ && !held_.empty() && held_bytes_ + bytes > options_.memory.rows()) release_oldest();
}

void MessageLines::hold(MessageRow row, bool waits) {
  held_bytes_ += size_of(row);
  const Key key{row.packet, row.frame, next_index_++};
  held_.emplace(key, Held{std::move(row), waits});
  release(false);
}

void MessageLines::resolved(const Connection& connection, const connection::Request& request,
                            const connection::Outcome& outcome,
                            const std::optional<connection::AnswerPlace>& answer) {
  places_.erase(request.frame);
  std::optional<Confirmation> confirmation;
  if (answer) {
    if (const auto told = confirmations_.find(answer->frame); told != confirmations_.end()) {
      if (outcome.kind == OutcomeKind::ok) confirmation = told->second;
      confirmations_.erase(told);
    }
  }
  if (done_) return;
  for (auto held = held_.lower_bound({request.packet, request.frame, 0});
       held != held_.end() && held->second.row.frame == request.frame; ++held) {
    MessageRow& row = held->second.row;
    held->second.waits = false;
    row.outcome = outcome;
    if (answer && outcome.kind == OutcomeKind::ok && !request.is_legacy)
      row.is_confirmed = !answer->told.is_empty;
    if (!confirmation) continue;
    row.partition = partition_of(confirmation->partition);
    row.offset = iggy::decode::moved(confirmation->base_offset, row.offset_delta);
    if (confirmation->append_time != 0) row.append_time = confirmation->append_time;
    if (confirmation->stream && confirmation->topic)
      row.topic = topic_number(*confirmation->stream, *confirmation->topic,
                               connection.names(answer->packet));
  }
  release(false);
}

bool MessageLines::may_release(const Held& oldest) const {
  if (held_bytes_ > options_.memory.rows()) return true;
  if (!oldest.waits) return options_.is_stream || held_.size() > reorder_rows;
  return options_.is_stream &&
         (held_.size() > stream_rows || latest_ - oldest.row.time >= stream_time);
}

void MessageLines::release(bool all) {
  while (!done_ && !held_.empty() && (all || may_release(held_.begin()->second))) release_oldest();
}

void MessageLines::release_oldest() {
  const auto oldest = held_.begin();
  const MessageRow& row = oldest->second.row;
  held_bytes_ -= size_of(row);
  if (oldest->second.waits) ++losses_.written_early;
  if (wants_message(options_, row)) {
    ++written_;
    done_ = !write_(row) || (options_.limit != 0 && written_ >= options_.limit);
  }
  held_.erase(oldest);
}

}  // namespace analyzer::report
