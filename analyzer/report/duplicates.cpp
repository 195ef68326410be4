// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The memory of duplicates.hpp.
#include "report/duplicates.hpp"

namespace analyzer::report {
namespace {

constexpr std::size_t topic_limit = 10'000;

std::string name_of(const std::optional<Identifier>& name) {
  return name ? (name->is_number ? "#" : "") + name->text : std::string();
}

}  // namespace

std::optional<Duplicate> Duplicates::look(const MessageRow& row) {
  const std::optional<Duplicate> by_id = look_for_id(row);
  const std::optional<Duplicate> by_place = look_for_place(row);
  // The same place is the same message; the same id elsewhere is one that was stored twice.
  return by_place ? by_place : by_id;
}

std::optional<Duplicate> Duplicates::look_for_id(const MessageRow& row) {
  if (row.id.is_zero()) return std::nullopt;
  const Id id{row.id, row.way};
  if (const auto known = ids_.find(id); known != ids_.end()) return Duplicate{"id", known->second};
  if (ids_.size() < message_limit_)
    ids_.emplace(id, row.packet);
  else
    ++not_remembered_;
  return std::nullopt;
}

std::optional<Duplicate> Duplicates::look_for_place(const MessageRow& row) {
  if (!row.offset || !row.partition || row.place == nullptr) return std::nullopt;
  Topic topic{row.way, row.server, name_of(row.place->stream), name_of(row.place->topic)};
  auto known_topic = topics_.find(topic);
  if (known_topic == topics_.end()) {
    if (topics_.size() >= topic_limit) {
      ++not_remembered_;
      return std::nullopt;
    }
    const auto number = static_cast<std::uint32_t>(topics_.size());
    known_topic = topics_.emplace(std::move(topic), number).first;
  }
  const Place place{known_topic->second, *row.partition, *row.offset};
  if (const auto known = places_.find(place); known != places_.end())
    return Duplicate{"offset", known->second};
  if (places_.size() < message_limit_)
    places_.emplace(place, row.packet);
  else
    ++not_remembered_;
  return std::nullopt;
}

}  // namespace analyzer::report
