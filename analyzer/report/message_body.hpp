// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Reads from a body what `messages` shows: the place that a request names, the messages of batches,
// and what a send's reply confirms. Goes through the tables, so it knows no generation.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "conversation/names.hpp"
#include "decode/body.hpp"
#include "decode/confirmation.hpp"
#include "decode/message_rows.hpp"
#include "decode/walk.hpp"
#include "report/message_row.hpp"

namespace analyzer::report {

using iggy::decode::Confirmation;

// A sink of the walk.
class MessageBody : public iggy::decode::Check {
 public:
  // `take` gets each whole message; its views are valid during the call.
  using Take = std::function<void(const iggy::decode::MessageReader&)>;
  explicit MessageBody(Take take = {}) : take_(std::move(take)) {}

  void integer(const iggy::describe::Field& field, std::uint64_t value, iggy::decode::Range);
  void wide(const iggy::describe::Field& field, iggy::decode::U128 value, iggy::decode::Range);
  void run(const iggy::describe::Field& field, iggy::decode::Bytes bytes, iggy::decode::Range);
  bool enter(const iggy::describe::Field& field, const iggy::describe::Layout& layout,
             std::uint32_t);
  void leave(const iggy::describe::Field& field, const iggy::describe::Layout& layout,
             iggy::decode::Range);

  // What was read in front of the messages, or in a request without any.
  const MessagePlace& place() const { return place_; }
  std::optional<std::uint64_t> named_partition() const { return partition_; }
  std::optional<Confirmation> confirmation() const { return confirmation_.confirmation(); }

 private:
  void name(const iggy::describe::Field& field, std::string text, bool is_number);

  Take take_;
  iggy::decode::MessageReader reader_;
  MessagePlace place_;
  std::optional<std::uint64_t> partition_;
  std::optional<Identifier>* named_ = nullptr;  // the identifier that the walk is in
  bool in_partitioning_ = false;
  bool in_consumer_ = false;
  iggy::decode::ConfirmationReader confirmation_;
};

// Names the stream and the topic that a place tells by number, and numbers those that it names.
void add_names(MessagePlace& place, const iggy::conversation::KnownNames& names);
// A topic as of now.
TopicNumber topic_number(std::uint32_t stream, std::uint32_t topic,
                         const iggy::conversation::KnownNames& names);

}  // namespace analyzer::report
