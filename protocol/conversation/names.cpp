// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The histories of names.hpp. Every look-up is a search in an ordered table.
#include "conversation/names.hpp"

#include <algorithm>
#include <limits>

namespace iggy::conversation {
namespace {

using Version = NameCatalogue::Version;

// The first of the entries that came later than `when`.
template <class Entries>
auto later_than(Entries& entries, Version when) {
  return std::upper_bound(entries.begin(), entries.end(), when,
                          [](Version time, const auto& entry) { return time < entry.since; });
}

// The latest of the entries that stand there as of `when`; null where there is none.
template <class Entry>
const Entry* as_of(const std::vector<Entry>& entries, Version when) {
  const auto later = later_than(entries, when);
  return later == entries.begin() ? nullptr : &*(later - 1);
}

NameKey stream_of(const NameKey& key) {
  return {key.server, Thing::stream, 0, 0, key.stream};
}
NameKey topic_of(const NameKey& key) {
  return {key.server, Thing::topic, key.stream, 0, key.topic};
}
// What stands for all things of a server, and for those of whose end nobody knows the number.
NameKey any_of(std::uint32_t server) {
  return {server, Thing::none, 0, 0, 0};
}
NameKey unplaced_of(std::uint32_t server) {
  return {server, Thing::named_last, 0, 0, 0};
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

bool NameCatalogue::join(std::string_view endpoint, std::uint32_t server) {
  const auto known = servers_.find(endpoint);
  if (known == servers_.end()) return false;
  const auto own = things_.lower_bound(any_of(known->second));
  if (own != things_.end() && own->first.server == known->second) return false;
  known->second = server;
  return true;
}

// Whether one more change can be kept.
bool NameCatalogue::take_room(bool changes_known, std::uint64_t packet) {
  ++changed_;
  if (changes_ < change_limit_) {
    ++changes_;
    return true;
  }
  ++dropped_;
  if (changes_known && (!lost_at_ || version(packet) < *lost_at_)) lost_at_ = version(packet);
  return false;
}

void NameCatalogue::learn(const NameKey& key, std::string_view name, std::uint64_t packet) {
  if (key.server == 0 || name.empty() || name_of(key, version(packet)) == name) return;
  if (!take_room(things_.contains(key), packet)) return;
  const Version since = version(packet);
  std::vector<Change>& names = things_[key].names;
  names.insert(later_than(names, since), {since, std::string(name)});
  NameKey scope = key;
  scope.number = 0;
  std::vector<Numbered>& numbers = numbers_[{scope, std::string(name)}];
  numbers.insert(later_than(numbers, since), {since, key.number});
}

void NameCatalogue::forget(const NameKey& key, std::uint64_t packet) {
  if (key.server == 0) return;
  const auto known = things_.find(key);
  if (known != things_.end() && !known->second.ends.empty() &&
      known->second.ends.back().change == changed_)
    return;
  if (!take_room(true, packet)) return;
  std::vector<Version>& ends = things_[key].ends;
  ends.insert(std::upper_bound(ends.begin(), ends.end(), version(packet)), version(packet));
}

void NameCatalogue::forget_unplaced(std::uint32_t server, std::uint64_t packet) {
  forget(unplaced_of(server), packet);
}

void NameCatalogue::forget_any(std::uint32_t server, std::uint64_t packet) {
  forget(any_of(server), packet);
}

std::uint64_t NameCatalogue::count_ends(const NameKey& key, Version when) const {
  const auto known = things_.find(key);
  if (known == things_.end()) return 0;
  const std::vector<Version>& ends = known->second.ends;
  return static_cast<std::uint64_t>(std::upper_bound(ends.begin(), ends.end(), when) -
                                    ends.begin());
}

std::uint64_t NameCatalogue::ends_of(const NameKey& key, Version when) const {
  std::uint64_t ends = count_ends(key, when) + count_ends(any_of(key.server), when) +
                       count_ends(unplaced_of(key.server), when);
  if (key.thing != Thing::stream) ends += count_ends(stream_of(key), when);
  // What was not kept may have been about it.
  return lost_at_ && when >= *lost_at_ ? ends + dropped_ : ends;
}

// Even while the name is known or was never, odd once it no longer is.
std::uint64_t NameCatalogue::turns_of(NameKey key, std::string_view name, Version when) const {
  key.number = 0;
  const std::uint64_t unplaced =
      count_ends(any_of(key.server), when) + count_ends(unplaced_of(key.server), when);
  const auto known = numbers_.find(NameView{key, name});
  if (known == numbers_.end()) return unplaced;
  const auto later = later_than(known->second, when);
  const auto learnt = static_cast<std::uint64_t>(later - known->second.begin());
  if (learnt == 0) return unplaced;
  return unplaced + 2 * learnt - (number_of(key, name, when) ? 2 : 1);
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
  if (change == nullptr || has_ended(key, change->since, when) ||
      has_ended(any_of(key.server), change->since, when))
    return {};
  const bool is_in_stream = key.thing != Thing::stream;
  if (is_in_stream && has_ended(stream_of(key), change->since, when)) return {};
  const bool is_in_topic = key.thing == Thing::consumer_group;
  if (is_in_topic && has_ended(topic_of(key), change->since, when)) return {};
  const Numbered* const holder = holder_of(key, change->name, when);
  return holder != nullptr && holder->number == key.number ? change->name : std::string_view{};
}

const NameCatalogue::Numbered* NameCatalogue::holder_of(NameKey key, std::string_view name,
                                                        Version when) const {
  key.number = 0;
  const auto known = numbers_.find(NameView{key, name});
  return known == numbers_.end() ? nullptr : as_of(known->second, when);
}

std::optional<std::uint32_t> NameCatalogue::number_of(NameKey key, std::string_view name,
                                                      Version when) const {
  const Numbered* const latest = holder_of(key, name, when);
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
