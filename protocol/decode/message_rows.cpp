// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The rows of message_rows.hpp. Generations share the message, and name the rows of a batch alike.
#include "decode/message_rows.hpp"

#include <algorithm>

#include "describe/proofs.hpp"
#include "iggy/bodies/batches.hpp"

namespace iggy::decode {

namespace {

using bodies::message_frame;
using describe::Field;
using describe::row_of;

constexpr const Field* id_row = &row_of(message_frame, "id");
constexpr const Field* offset_delta_row = &row_of(message_frame, "offset_delta");
constexpr const Field* timestamp_delta_row = &row_of(message_frame, "timestamp_delta");
constexpr const Field* payload_row = &row_of(message_frame, "payload");
constexpr const Field* user_headers_row = &row_of(message_frame, "user_headers");

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
  else if (field.name == "base_offset")
    batch.base_offset = value;
  else if (field.name == "base_timestamp")
    batch.base_timestamp = value;
  else if (field.name == "origin_timestamp")
    batch.origin_timestamp = value;
  else if (field.name == "message_count")
    batch.message_count = static_cast<std::uint32_t>(value);
}

}  // namespace

Derived derived_of(const BatchRows& batch, const MessageRows& message) {
  Derived derived;
  if (batch.is_stamped()) {
    derived.offset = batch.base_offset + message.offset_delta;
    derived.append_time = batch.base_timestamp;
  }
  // Producers that know no times leave all of them zero.
  if (batch.origin_timestamp != 0)
    derived.origin_time = batch.origin_timestamp + message.timestamp_delta;
  return derived;
}

bool is_batch(const describe::Layout& layout) {
  return layout.name == bodies::batch.name;
}

bool holds_batches(const describe::Layout& layout) {
  return std::any_of(layout.fields.begin(), layout.fields.end(), [](const Field& field) {
    return nests_layout(field) && (is_batch(*field.layout) || holds_batches(*field.layout));
  });
}

void MessageReader::integer(const Field& field, std::uint64_t value) {
  if (in_message_) {
    if (&field == offset_delta_row) message_.offset_delta = static_cast<std::uint32_t>(value);
    if (&field == timestamp_delta_row) message_.timestamp_delta = static_cast<std::uint32_t>(value);
  } else if (in_batch_) {
    take(batch_, field, value);
  }
}

void MessageReader::wide(const Field& field, U128 value) {
  if (&field == id_row) message_.id = value;
}

void MessageReader::run(const Field& field, Bytes bytes) {
  if (&field == payload_row) message_.payload = bytes;
  if (&field != user_headers_row) return;
  message_.user_headers = bytes;
  message_.is_whole = true;
}

bool MessageReader::enter(const describe::Layout& layout) {
  if (is_batch(layout)) {
    in_batch_ = true;
    messages_ = 0;
    batch_ = {};
  } else if (in_batch_ && layout.name == message_frame.name) {
    in_message_ = true;
    message_ = {};
    message_.index = messages_++;
    return true;
  }
  return false;
}

bool MessageReader::leave(const describe::Layout& layout) {
  if (is_batch(layout)) in_batch_ = false;
  const bool was_message = in_message_ && layout.name == message_frame.name;
  if (was_message) in_message_ = false;
  return was_message;
}

}  // namespace iggy::decode
