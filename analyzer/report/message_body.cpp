// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The rows that message_body.hpp looks at, by the names that all generations give them.
#include "report/message_body.hpp"

#include <charconv>

#include "iggy/bodies/encodings.hpp"

namespace analyzer::report {

using iggy::decode::Bytes;
using iggy::decode::Range;
using iggy::decode::U128;
using iggy::describe::Field;
using iggy::describe::Layout;

namespace {

std::string text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

void MessageBody::integer(const Field& field, std::uint64_t value, Range) {
  reader_.integer(field, value);
  if (reader_.is_in_batch()) return;
  confirmation_.integer(field, value);
  if (named_ != nullptr && field.name == "id")
    *named_ = Identifier{true, std::to_string(value), {}};
  else if (in_partitioning_ && field.name == "kind")
    place_.partitioning = static_cast<std::uint8_t>(value);
  else if (in_consumer_ && named_ == nullptr && field.name == "kind")
    place_.consumer_kind = static_cast<std::uint8_t>(value);
  else if (in_partitioning_ && field.name == "partition_id")
    partition_ = value;
}

void MessageBody::wide(const Field& field, U128 value, Range) {
  reader_.wide(field, value);
}

void MessageBody::run(const Field& field, Bytes bytes, Range) {
  reader_.run(field, bytes);
  if (reader_.is_in_batch()) return;
  if (named_ != nullptr && field.name == "text") *named_ = Identifier{false, text_of(bytes), {}};
  if (in_partitioning_ && field.name == "key") place_.key = text_of(bytes);
}

bool MessageBody::enter(const Field& field, const Layout& layout, std::uint32_t) {
  reader_.enter(layout);
  named_ = field.name == "stream_id"            ? &place_.stream
           : field.name == "topic_id"           ? &place_.topic
           : in_consumer_ && field.name == "id" ? &place_.consumer
                                                : nullptr;
  in_consumer_ = in_consumer_ || layout.name == iggy::bodies::consumer.name;
  in_partitioning_ = layout.name == iggy::bodies::partitioning.name;
  confirmation_.enter(layout);
  return true;
}

void MessageBody::leave(const Field&, const Layout& layout, Range) {
  named_ = nullptr;
  in_partitioning_ = false;
  in_consumer_ = in_consumer_ && layout.name != iggy::bodies::consumer.name;
  confirmation_.leave(layout);
  if (reader_.leave(layout) && reader_.message().is_whole && take_) take_(reader_);
}

TopicNumber topic_number(std::uint32_t stream, std::uint32_t topic,
                         const iggy::conversation::KnownNames& names) {
  using iggy::conversation::Thing;
  return {stream, topic, names.ends_of({0, Thing::topic, stream, 0, topic})};
}

void add_names(MessagePlace& place, const iggy::conversation::KnownNames& names) {
  using iggy::conversation::Thing;
  iggy::conversation::NameScope scope;
  const auto add = [&](Thing thing, std::optional<Identifier>& identifier, std::uint64_t& turns) {
    if (!identifier) return;
    std::uint32_t number = 0;
    const std::string& text = identifier->text;
    if (identifier->is_number) std::from_chars(text.data(), text.data() + text.size(), number);
    const std::optional<iggy::conversation::NameKey> key = scope.key_of(thing, number);
    if (!key) return;
    if (identifier->is_number) identifier->name = names.name_of(*key);
    turns = identifier->is_number ? names.ends_of(*key) : names.turns_of(*key, text);
    scope.enter(thing, identifier->is_number ? number : names.number_of(*key, text));
  };
  add(Thing::stream, place.stream, place.turns[0]);
  add(Thing::topic, place.topic, place.turns[1]);
  if (scope.stream && scope.topic) place.number = topic_number(*scope.stream, *scope.topic, names);
}

}  // namespace analyzer::report
