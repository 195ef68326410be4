// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The histories of names.hpp. Every look-up is a search in an ordered table.
#include "conversation/names.hpp"

#include <algorithm>
#include <limits>

namespace iggy::conversation {
namespace {

// The latest of the entries that stand there as of `when`; null where there is none.
template <class Entry>
const Entry* as_of(const std::vector<Entry>& entries, std::uint64_t when) {
  const auto later =
      std::upper_bound(entries.begin(), entries.end(), when,
                       [](std::uint64_t time, const Entry& entry) { return time < entry.since; });
  return later == entries.begin() ? nullptr : &*(later - 1);
}

NameKey stream_of(const NameKey& key) {
  return {key.server, Thing::stream, 0, 0, key.stream};
}
NameKey topic_of(const NameKey& key) {
  return {key.server, Thing::topic, key.stream, 0, key.topic};
}

}  // namespace

std::uint32_t NameCatalogue::server(std::string_view endpoint) {
  const auto known = servers_.find(endpoint);
  if (known != servers_.end()) return known->second;
  if (servers_.size() >= server_limit) return 0;
  const auto number = static_cast<std::uint32_t>(servers_.size() + 1);
  servers_.emplace(endpoint, number);
  return number;
}

// Whether one more change can be kept.
bool NameCatalogue::take_room(bool changes_known) {
  ++version_;
  if (changes_ < change_limit_) {
    ++changes_;
    return true;
  }
  ++dropped_;
  if (changes_known && !lost_at_) lost_at_ = version_;
  return false;
}

void NameCatalogue::learn(const NameKey& key, std::string_view name) {
  if (key.server == 0 || name.empty() || name_of(key, version_) == name) return;
  if (!take_room(things_.contains(key))) return;
  things_[key].names.push_back({version_, std::string(name)});
  NameKey scope = key;
  scope.number = 0;
  numbers_[{scope, std::string(name)}].push_back({version_, key.number});
}

void NameCatalogue::forget(const NameKey& key) {
  if (key.server == 0) return;
  const auto known = things_.find(key);
  if (known != things_.end() && !known->second.ends.empty() &&
      known->second.ends.back() == version_)
    return;
  if (!take_room(true)) return;
  things_[key].ends.push_back(version_);
}

bool NameCatalogue::has_ended(const NameKey& key, Version since, Version when) const {
  const auto known = things_.find(key);
  if (known == things_.end()) return false;
  const std::vector<Version>& ends = known->second.ends;
  const auto next = std::upper_bound(ends.begin(), ends.end(), since);
  return next != ends.end() && *next <= when;
}

std::string_view NameCatalogue::name_of(const NameKey& key, Version when) const {
  if (lost_at_ && when >= *lost_at_) return {};
  const auto known = things_.find(key);
  if (known == things_.end()) return {};
  const Change* const change = as_of(known->second.names, when);
  if (change == nullptr || has_ended(key, change->since, when)) return {};
  const bool is_in_stream = key.thing != Thing::stream;
  if (is_in_stream && has_ended(stream_of(key), change->since, when)) return {};
  const bool is_in_topic = key.thing == Thing::consumer_group;
  if (is_in_topic && has_ended(topic_of(key), change->since, when)) return {};
  return change->name;
}

std::optional<std::uint32_t> NameCatalogue::number_of(NameKey key, std::string_view name,
                                                      Version when) const {
  key.number = 0;
  const auto known = numbers_.find(NameView{key, name});
  if (known == numbers_.end()) return std::nullopt;
  const Numbered* const latest = as_of(known->second, when);
  if (latest == nullptr) return std::nullopt;
  key.number = latest->number;
  if (name_of(key, when) != name) return std::nullopt;
  return latest->number;
}

std::optional<NameKey> NameScope::key_of(Thing thing, std::uint64_t number) const {
  if (number > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  NameKey key;
  key.thing = thing;
  key.number = static_cast<std::uint32_t>(number);
  const bool is_in_stream = thing == Thing::topic || thing == Thing::consumer_group;
  const bool is_in_topic = thing == Thing::consumer_group;
  if ((is_in_stream && !stream) || (is_in_topic && !topic)) return std::nullopt;
  if (is_in_stream) key.stream = *stream;
  if (is_in_topic) key.topic = *topic;
  return key;
}

void NameScope::enter(Thing thing, std::optional<std::uint32_t> number) {
  if (thing == Thing::stream) {
    stream = number;
    topic.reset();
  } else if (thing == Thing::topic) {
    topic = number;
  }
}

}  // namespace iggy::conversation
