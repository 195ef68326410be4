// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The memory of duplicates.hpp.
#include "report/duplicates.hpp"

namespace analyzer::report {
namespace {

constexpr std::size_t topic_limit = 10'000;

// Whether two numbers may be the same; 0 is not known.
bool may_be_same(std::uint64_t a, std::uint64_t b) {
  return a == b || a == 0 || b == 0;
}

}  // namespace

std::optional<Duplicate> Duplicates::look(const MessageRow& row) {
  const std::optional<Duplicate> by_id = look_for_id(row);
  const std::optional<Duplicate> by_place = look_for_place(row);
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

// The number of a topic; nothing where it is not known, or beyond the bound.
std::optional<std::uint32_t> Duplicates::topic_of(const MessageRow& row,
                                                  const capture::Endpoint& server) {
  const auto name_of = [](const std::optional<Identifier>& name) {
    return name ? Name{name->is_number, name->text} : Name{};
  };
  if (row.place == nullptr) return std::nullopt;
  Topic topic{row.way, server, name_of(row.place->stream), name_of(row.place->topic)};
  const auto known = topics_.find(topic);
  if (known != topics_.end()) return known->second;
  if (topics_.size() >= topic_limit) {
    ++not_remembered_;
    return std::nullopt;
  }
  const auto number = static_cast<std::uint32_t>(topics_.size());
  topics_.emplace(std::move(topic), number);
  return number;
}

std::optional<Duplicate> Duplicates::look_for_id(const MessageRow& row) {
  if (row.id.is_zero()) return std::nullopt;
  const std::optional<std::uint32_t> topic = topic_of(row, {});
  if (!topic) return std::nullopt;
  const Known seen = known_of(row);
  const auto known = ids_.find({row.id, *topic});
  if (known == ids_.end()) {
    if (ids_.size() < message_limit_)
      ids_.emplace(Id{row.id, *topic}, seen);
    else
      ++not_remembered_;
    return std::nullopt;
  }
  // When it was stored is another time where it was stored twice.
  Known stored = known->second;
  stored.append_time = 0;
  if (!are_alike(stored, seen)) return std::nullopt;
  return Duplicate{"id", known->second.packet};
}

std::optional<Duplicate> Duplicates::look_for_place(const MessageRow& row) {
  if (!row.offset || !row.partition) return std::nullopt;
  const std::optional<std::uint32_t> topic = topic_of(row, row.server);
  if (!topic) return std::nullopt;
  const Known seen = known_of(row);
  const Place place{*topic, *row.partition, *row.offset};
  const auto known = places_.find(place);
  if (known == places_.end()) {
    if (places_.size() < message_limit_)
      places_.emplace(place, seen);
    else
      ++not_remembered_;
    return std::nullopt;
  }
  if (are_alike(known->second, seen)) return Duplicate{"offset", known->second.packet};
  known->second = seen;
  return std::nullopt;
}

}  // namespace analyzer::report
