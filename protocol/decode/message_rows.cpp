// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The rows of message_rows.hpp. Generations share the message, and name the rows of a batch alike.
#include "decode/message_rows.hpp"

#include <algorithm>
#include <limits>

#include "describe/proofs.hpp"
#include "iggy/bodies/batches.hpp"
#include "iggy/bodies/messages.hpp"
#include "iggy/legacy/messages.hpp"
#include "iggy/older/messages.hpp"
#include "iggy/registry.hpp"

namespace iggy::decode {

namespace {

using bodies::message_frame;
using describe::Field;
using describe::Layout;
using describe::row_of;

constexpr const Field* offset_delta_row = &row_of(message_frame, "offset_delta");
constexpr const Field* timestamp_delta_row = &row_of(message_frame, "timestamp_delta");

// Older messages name what they share with those of batches alike.
static_assert(row_of(message_frame, "id").width == row_of(older::message, "id").width);
static_assert(row_of(older::message, "offset").width == sizeof(BatchRows::base_offset));
static_assert(row_of(older::message, "timestamp").width == sizeof(BatchRows::base_timestamp));
static_assert(row_of(older::message, "origin_timestamp").width ==
              sizeof(BatchRows::origin_timestamp));
static_assert(legacy::send_metadata.name == bodies::send_metadata.name);
static_assert(older::message.fields.back().name == message_frame.fields.back().name);
static_assert(row_of(older::polled_loose_message, "offset").width ==
              sizeof(BatchRows::base_offset));
static_assert(row_of(older::polled_loose_message, "timestamp").width ==
              sizeof(BatchRows::base_timestamp));
static_assert(row_of(older::loose_message, "payload").kind ==
              row_of(message_frame, "payload").kind);

// One that says itself what else its batch says: a batch of one.
bool is_older_message(const describe::Layout& layout) {
  return layout.name == older::message.name || layout.name == older::loose_message.name ||
         layout.name == older::polled_loose_message.name;
}

bool are_user_headers(const Field& field) {
  static_assert(is_opaque(row_of(message_frame, "user_headers")));
  static_assert(is_opaque(row_of(older::loose_message, "headers")));
  return field.name == "user_headers" || field.name == "headers";
}

// That the names below are those of the table.
static_assert(row_of(bodies::batch, "partition_id").width == sizeof(BatchRows::partition_id));
static_assert(row_of(bodies::batch, "base_offset").width == sizeof(BatchRows::base_offset));
static_assert(row_of(bodies::batch, "base_timestamp").width == sizeof(BatchRows::base_timestamp));
static_assert(row_of(bodies::batch, "origin_timestamp").width ==
              sizeof(BatchRows::origin_timestamp));
static_assert(row_of(bodies::batch, "message_count").width == sizeof(BatchRows::message_count));

void take(BatchRows& batch, const Field& field, std::uint64_t value) {
  if (field.name == "partition_id")
    batch.partition_id = value;
  else if (field.name == "base_offset" || field.name == "offset")
    batch.base_offset = value;
  else if (field.name == "base_timestamp" || field.name == "timestamp")
    batch.base_timestamp = value;
  else if (field.name == "origin_timestamp")
    batch.origin_timestamp = value;
  else if (field.name == "message_count")
    batch.message_count = static_cast<std::uint32_t>(value);
}

bool nests(const Layout& layout, bool (*is_meant)(const Layout&)) {
  return std::any_of(layout.fields.begin(), layout.fields.end(), [is_meant](const Field& field) {
    return nests_layout(field) && (is_meant(*field.layout) || nests(*field.layout, is_meant));
  });
}

}  // namespace

std::optional<std::uint64_t> moved(std::uint64_t base, std::uint32_t delta) {
  if (delta > std::numeric_limits<std::uint64_t>::max() - base) return std::nullopt;
  return base + delta;
}

Derived derived_of(const BatchRows& batch, const MessageRows& message) {
  Derived derived;
  if (batch.is_stamped()) {
    derived.offset = moved(batch.base_offset, message.offset_delta);
    derived.append_time = batch.base_timestamp;
  }
  // Producers that know no times leave all of them zero.
  if (batch.origin_timestamp != 0)
    derived.origin_time = moved(batch.origin_timestamp, message.timestamp_delta);
  return derived;
}

namespace {

// Whether there are as many messages as are counted, and each has a payload: zeros are none.
struct OlderSink : Check {
  void integer(const describe::Field& field, std::uint64_t value, Range) {
    if (field.name == "messages_count") counted = value;
    if (field.name != "payload_length") return;
    ++found;
    if (value == 0) clean = false;
  }
  std::uint64_t counted = 0;
  std::uint64_t found = 0;
};

}  // namespace

const describe::Layout* older_messages(const describe::Layout& layout, Window body) {
  const bool is_send = &layout == &bodies::message_send;
  const bool is_poll = &layout == &bodies::message_poll_reply_body;
  if ((!is_send && !is_poll) || body.captured.size() < body.on_wire) return nullptr;
  const describe::Layout& older = is_send ? legacy::message_send : legacy::message_poll_reply_body;
  OlderSink sink;
  Walk walk(body, sink);
  const bool fits = walk.read(older) && walk.at_end() && sink.clean;
  return fits && sink.counted != 0 && sink.counted == sink.found ? &older : nullptr;
}

bool is_batch(const describe::Layout& layout) {
  return layout.name == bodies::batch.name;
}

bool holds_headed_batches(const describe::Layout& layout) {
  return nests(layout, is_batch);
}

bool holds_batches(const describe::Layout& layout) {
  return nests(layout, is_batch) || nests(layout, is_older_message);
}

bool is_sent_with_messages(Generation generation, std::uint32_t code) {
  const CommandBodies* const bodies = find_bodies(generation, code);
  return bodies != nullptr && holds_batches(*bodies->request.layout);
}

bool is_answered_with_messages(Generation generation, std::uint32_t code) {
  const CommandBodies* const bodies = find_bodies(generation, code);
  return bodies != nullptr && holds_batches(*bodies->reply.layout);
}

void MessageReader::integer(const Field& field, std::uint64_t value) {
  if (in_message_ && !in_older_) {
    if (&field == offset_delta_row) message_.offset_delta = static_cast<std::uint32_t>(value);
    if (&field == timestamp_delta_row) message_.timestamp_delta = static_cast<std::uint32_t>(value);
  } else if (in_batch_ || field.name == "partition_id") {
    take(batch_, field, value);
  }
}

void MessageReader::wide(const Field& field, U128 value) {
  if (in_message_ && field.name == "id") message_.id = value;
}

void MessageReader::run(const Field& field, Bytes bytes) {
  if (!in_message_) return;
  if (&field == last_row_) message_.is_whole = true;
  if (field.name == "payload") message_.payload = bytes;
  if (!are_user_headers(field)) return;
  message_.user_headers = bytes;
  message_.headers_row = &field;
}

bool MessageReader::enter(const describe::Layout& layout) {
  // It stands in front of all that a send holds, unless its messages are loose.
  if (layout.name == bodies::send_metadata.name || layout.name == older::loose_message.name)
    batch_.is_sent = true;
  if (is_batch(layout)) {
    const bool is_sent = batch_.is_sent;
    in_batch_ = true;
    messages_ = 0;
    batch_ = {};
    batch_.is_sent = is_sent;
    return false;
  }
  const bool is_older = is_older_message(layout);
  if (!is_older && !(in_batch_ && layout.name == message_frame.name)) return false;
  in_older_ = is_older;
  in_batch_ = true;
  in_message_ = true;
  last_row_ = &layout.fields.back();
  message_ = {};
  message_.index = messages_++;
  return true;
}

bool MessageReader::leave(const describe::Layout& layout) {
  if (is_batch(layout)) in_batch_ = false;
  const bool was_older = in_message_ && is_older_message(layout);
  const bool was_message = was_older || (in_message_ && layout.name == message_frame.name);
  if (was_message) in_message_ = false;
  if (was_older) in_batch_ = false;
  return was_message;
}

}  // namespace iggy::decode
