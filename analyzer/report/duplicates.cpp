// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The memory of duplicates.hpp.
#include "report/duplicates.hpp"

#include <fmt/format.h>

#include "capture/address.hpp"

namespace analyzer::report {
namespace {

constexpr std::size_t topic_limit = 20'000;  // of each receiver, by numbers and by names

// Whether two numbers may be the same; 0 is not known.
bool may_be_same(std::uint64_t a, std::uint64_t b) {
  return a == b || a == 0 || b == 0;
}

// Who gets it: of what is polled the consumer, between replicas one direction of a connection.
// Producers send to anybody.
std::string receiver_of(const MessageRow& row) {
  if (row.way == MessageWay::replicated)
    return fmt::format("{} {} {}", to_string(row.client), to_string(row.server),
                       row.is_from_client);
  if (row.way == MessageWay::sent || row.place == nullptr || !row.place->consumer) return {};
  return fmt::format("{} {} {}", row.place->consumer_kind.value_or(0),
                     row.place->consumer->is_number, row.place->consumer->text);
}

}  // namespace

std::optional<Duplicate> Duplicates::look(const MessageRow& row) {
  const std::string receiver = receiver_of(row);
  const std::optional<Duplicate> by_id = look_for_id(row, receiver);
  const std::optional<Duplicate> by_place = look_for_place(row, receiver);
  // The same place is the same message; the same id elsewhere is one that was stored twice.
  return by_place ? by_place : by_id;
}

Duplicates::Known Duplicates::known_of(const MessageRow& row) {
  return {row.packet, row.id, row.origin_time.value_or(0), row.append_time.value_or(0),
          row.payload_size};
}

bool Duplicates::are_alike(const Known& a, const Known& b) {
  return (a.id == b.id || a.id.is_zero() || b.id.is_zero()) && a.payload_size == b.payload_size &&
         may_be_same(a.origin_time, b.origin_time) && may_be_same(a.append_time, b.append_time);
}

// Nothing where the topic is not known, or beyond the bound.
std::optional<Duplicates::Topics> Duplicates::topics_of(const MessageRow& row,
                                                        const std::string& receiver,
                                                        const capture::Endpoint& server) {
  const auto name_of = [](const std::optional<Identifier>& name) {
    return name ? Name{name->is_number, name->text} : Name{};
  };
  if (row.place == nullptr) return std::nullopt;
  std::array<Topic, 2> keys{};
  Topic& by_name = keys[1];
  by_name = {
      row.way,         receiver, server, name_of(row.place->stream), name_of(row.place->topic),
      row.place->turns};
  keys[0] = by_name;
  if (row.topic)
    keys[0] = {row.way,
               receiver,
               server,
               {true, std::to_string(row.topic->stream)},
               {true, std::to_string(row.topic->topic)},
               {row.topic->ends, 0}};
  std::array<std::optional<std::uint32_t>, 2> known;
  if (row.topic && std::get<3>(by_name).first && std::get<4>(by_name).first) by_name = keys[0];
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (const auto found = topics_.find(keys[i]); found != topics_.end()) known[i] = found->second;
  if (!known[0] && !known[1] && topics_.size() >= topic_limit) {
    ++not_remembered_;
    return std::nullopt;
  }
  const std::uint32_t either =
      known[0] ? *known[0] : known[1].value_or(static_cast<std::uint32_t>(topics_.size()));
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (!known[i] && topics_.size() < topic_limit) topics_.emplace(std::move(keys[i]), either);
  return Topics{known[0].value_or(either), known[1].value_or(either)};
}

// The first message of that kind, null where this one is. What was found by the name alone is found
// by the number from now on.
template <class Key, class Make>
Duplicates::Known* Duplicates::find(std::map<Key, Known>& messages, const Topics& topics, Make make,
                                    const Known& seen) {
  const auto known = messages.find(make(topics.first));
  if (known != messages.end()) return &known->second;
  const auto other = messages.find(make(topics.second));
  const bool is_first = other == messages.end();
  if (messages.size() >= message_limit_) {
    not_remembered_ += is_first ? 1U : 0U;
    return is_first ? nullptr : &other->second;
  }
  const auto kept = messages.emplace(make(topics.first), is_first ? seen : other->second).first;
  return is_first ? nullptr : &kept->second;
}

std::optional<Duplicate> Duplicates::look_for_id(const MessageRow& row,
                                                 const std::string& receiver) {
  if (row.id.is_zero()) return std::nullopt;
  const std::optional<Topics> topics = topics_of(row, receiver, {});
  if (!topics) return std::nullopt;
  const Known seen = known_of(row);
  const auto make = [&row](std::uint32_t topic) { return Id{row.id, topic}; };
  const Known* const known = find(ids_, *topics, make, seen);
  if (known == nullptr) return std::nullopt;
  // When it was stored is another time where it was stored twice.
  Known stored = *known;
  stored.append_time = 0;
  if (!are_alike(stored, seen)) return std::nullopt;
  return Duplicate{"id", known->packet};
}

std::optional<Duplicate> Duplicates::look_for_place(const MessageRow& row,
                                                    const std::string& receiver) {
  if (!row.offset || !row.partition) return std::nullopt;
  const std::optional<Topics> topics = topics_of(row, receiver, row.server);
  if (!topics) return std::nullopt;
  const Known seen = known_of(row);
  const auto make = [&row](std::uint32_t topic) {
    return Place{topic, *row.partition, *row.offset};
  };
  Known* const known = find(places_, *topics, make, seen);
  if (known == nullptr) return std::nullopt;
  if (are_alike(*known, seen)) return Duplicate{"offset", known->packet};
  *known = seen;
  return std::nullopt;
}

}  // namespace analyzer::report
