// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What the rows of a batch and of a message say together: offsets and times of messages.
//
// For sinks: one passes on its events and asks once the rows of a message have been told. Nothing
// is guessed: what producers leave to servers is not known before a server has stamped it, whatever
// a send says of it: servers take any stamp of a producer and write theirs over it. Source:
// core/binary_protocol/src/batch.rs.
#pragma once

#include <cstdint>
#include <optional>

#include "decode/walk.hpp"
#include "decode/window.hpp"
#include "describe/field.hpp"
#include "iggy/generation.hpp"

namespace iggy::decode {

struct BatchRows {
  std::uint64_t partition_id = 0;
  std::uint64_t base_offset = 0;
  std::uint64_t base_timestamp = 0;
  std::uint64_t origin_timestamp = 0;
  std::uint32_t message_count = 0;
  bool is_sent = false;  // on its way from a producer

  // Whether a server has stored it: partition, offsets and the time of storing are told.
  bool is_stamped() const { return !is_sent && base_timestamp != 0; }
};

struct MessageRows {
  std::uint32_t index = 0;  // which one of its batch, from 0 on
  U128 id;
  std::uint32_t offset_delta = 0;
  std::uint32_t timestamp_delta = 0;
  Bytes payload;
  Bytes user_headers;
  const describe::Field* headers_row = nullptr;  // that of user_headers: what they may be
  bool is_whole = false;                         // all of its rows were told
};

// What no row says by itself. Microseconds since the Unix epoch.
struct Derived {
  std::optional<std::uint64_t> offset;  // in its partition; a slice of a batch keeps its offsets
  std::optional<std::uint64_t> origin_time;  // when the producer made it
  std::optional<std::uint64_t> append_time;  // when the server stored it; one time for a batch
};
// A number of a batch moved on by that of a message; nothing where there is no such number.
std::optional<std::uint64_t> moved(std::uint64_t base, std::uint32_t delta);
Derived derived_of(const BatchRows& batch, const MessageRows& message);

// Builds of 0.11.0 up to edge.3 have the messages of servers from 0.7 on behind the headers of
// 0.11. That layout, where a whole body of this one is of it: all lengths and reserved bytes have
// to be right, and no body is both. Null else.
const describe::Layout* older_messages(const describe::Layout& layout, Window body);

// Whether the layout is that of a batch, whether it holds such, and whether it holds such or older
// messages, which have no batches around them.
bool is_batch(const describe::Layout& layout);
bool holds_headed_batches(const describe::Layout& layout);
bool holds_batches(const describe::Layout& layout);

// Whether requests of a command, and the replies to it, hold messages.
bool is_sent_with_messages(Generation generation, std::uint32_t code);
bool is_answered_with_messages(Generation generation, std::uint32_t code);

// The batch and the message that a walk is in. The views are valid as long as the walked bytes.
class MessageReader {
 public:
  void integer(const describe::Field& field, std::uint64_t value);
  void wide(const describe::Field& field, U128 value);
  void run(const describe::Field& field, Bytes bytes);
  // Before the rows of the layout; true where it is that of a message.
  bool enter(const describe::Layout& layout);
  // True where what ends is a message.
  bool leave(const describe::Layout& layout);

  bool is_in_batch() const { return in_batch_; }
  bool is_in_message() const { return in_message_; }
  // Whether the message has no delta to its batch: a server counts those of a send by their order.
  bool is_older() const { return in_older_; }
  // Where the message of a send is, whose first one a server has put there.
  std::optional<std::uint64_t> offset_behind(std::uint64_t base) const {
    return moved(base, is_older() ? message_.index : message_.offset_delta);
  }
  const BatchRows& batch() const { return batch_; }
  const MessageRows& message() const { return message_; }
  Derived derived() const { return derived_of(batch_, message_); }

 private:
  bool in_batch_ = false;
  bool in_message_ = false;
  bool in_older_ = false;  // the message says itself what batches say of those of today
  const describe::Field* last_row_ = nullptr;  // of the message
  std::uint32_t messages_ = 0;                 // of the batch, so far
  BatchRows batch_;
  MessageRows message_;
};

}  // namespace iggy::decode
