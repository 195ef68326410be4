// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Which number of a server's streams, topics and consumer groups has which name, as its replies
// told, and since when.
//
// Numbers are used again and names change, so whoever asks says as of when: of a frame the version
// that the catalogue had when it came. Bounded: beyond its limit new things are not remembered,
// which is counted, and where a change of a known one cannot be kept nothing is told from there on.
// Users are left out on purpose.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "describe/field.hpp"

namespace iggy::conversation {

using describe::Thing;

// A thing by its numbers. What it does not lie in is 0.
struct NameKey {
  std::uint32_t server = 0;  // NameCatalogue::server; 0: none
  Thing thing = Thing::none;
  std::uint32_t stream = 0;  // that a topic or a group lies in
  std::uint32_t topic = 0;   // that a group lies in
  std::uint32_t number = 0;

  friend auto operator<=>(const NameKey&, const NameKey&) = default;
};

class NameCatalogue {
 public:
  explicit NameCatalogue(std::size_t changes = usual_changes) : change_limit_(changes) {}

  // Grows with every change.
  using Version = std::uint64_t;

  // The number of the server with that endpoint, however it is written; 0 beyond the limit.
  std::uint32_t server(std::string_view endpoint);
  void learn(const NameKey& key, std::string_view name);
  // The thing is gone, and with it what lies in it.
  void forget(const NameKey& key);

  Version version() const { return version_; }
  // Empty where it is not known.
  std::string_view name_of(const NameKey& key, Version when) const;
  // Of a thing whose key has no number.
  std::optional<std::uint32_t> number_of(NameKey key, std::string_view name, Version when) const;
  // Changes that were not kept.
  std::uint64_t dropped() const { return dropped_; }

  static constexpr std::size_t usual_changes = 50'000;
  static constexpr std::size_t server_limit = 10'000;

 private:
  struct Change {
    Version since = 0;
    std::string name;
  };
  struct History {
    std::vector<Change> names;
    std::vector<Version> ends;  // when the thing, or one that had its number before, was gone
  };
  // Which numbers had a name, oldest first.
  struct Numbered {
    Version since = 0;
    std::uint32_t number = 0;
  };
  struct ByName {
    NameKey scope;
    std::string name;
  };
  struct Earlier {
    using is_transparent = void;
    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
      const auto by_scope = a.scope <=> b.scope;
      return by_scope != 0 ? by_scope < 0 : std::string_view(a.name) < std::string_view(b.name);
    }
  };
  struct NameView {
    NameKey scope;
    std::string_view name;
  };

  bool take_room(bool changes_known);
  // Whether the thing of that key was gone at some time in (since, when].
  bool has_ended(const NameKey& key, Version since, Version when) const;

  // Ordered, since a hostile capture chooses the keys and could make any hash of them slow.
  std::map<std::string, std::uint32_t, std::less<>> servers_;
  std::map<NameKey, History> things_;
  std::map<ByName, std::vector<Numbered>, Earlier> numbers_;
  Version version_ = 0;
  std::optional<Version> lost_at_;  // the first change of a known thing that was not kept
  std::size_t change_limit_;
  std::size_t changes_ = 0;
  std::uint64_t dropped_ = 0;
};

// What a server's numbers are called, as of some time. Nothing where there is no catalogue.
struct KnownNames {
  const NameCatalogue* catalogue = nullptr;
  std::uint32_t server = 0;
  NameCatalogue::Version version = 0;

  std::string_view name_of(NameKey key) const {
    if (catalogue == nullptr) return {};
    key.server = server;
    return catalogue->name_of(key, version);
  }
  std::optional<std::uint32_t> number_of(NameKey key, std::string_view name) const {
    if (catalogue == nullptr) return std::nullopt;
    key.server = server;
    return catalogue->number_of(key, name, version);
  }
};

// The numbers that the rows of a body have named so far, from the outermost thing on.
struct NameScope {
  std::optional<std::uint32_t> stream{};
  std::optional<std::uint32_t> topic{};

  // The key of a thing that stands next; nothing where it is not known what it lies in.
  std::optional<NameKey> key_of(Thing thing, std::uint64_t number) const;
  void enter(Thing thing, std::optional<std::uint32_t> number);
};

}  // namespace iggy::conversation
