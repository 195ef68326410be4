// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Which number of a server's streams, topics and consumer groups has which name, as its replies
// told, and since when.
//
// Numbers are used again and names change, so whoever asks says as of when: of a frame the version
// that the catalogue had when it came. What is learnt late, since its reply waited for bytes that
// came later, stands where its packet does. Two things that lie in one have two names: a name that
// another one has by now is told of no earlier one. Bounded: beyond its limit new things are not
// remembered, which is counted, and where a change of a known one cannot be kept nothing is told
// from there on. Users are left out on purpose.
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

  // All changes up to a packet; those of the packet itself as far as they had been learnt.
  struct Version {
    std::uint64_t packet = 0;
    std::uint64_t change = 0;  // counts all changes
    friend auto operator<=>(const Version&, const Version&) = default;
  };

  // The number of the server with that endpoint, however it is written; 0 beyond the limit.
  std::uint32_t server(std::string_view endpoint);
  // The endpoint is another one of that server's: connections to it that begin later count with it.
  // False where something is known of it already, which stays with its own number.
  bool join(std::string_view endpoint, std::uint32_t server);
  // `packet` is that of the reply which tells it.
  void learn(const NameKey& key, std::string_view name, std::uint64_t packet = 0);
  // The thing is gone, and with it what lies in it.
  void forget(const NameKey& key, std::uint64_t packet = 0);
  // One is gone that was named by a text which no known thing has: its number is not known.
  void forget_unplaced(std::uint32_t server, std::uint64_t packet = 0);
  // One is gone, and nobody knows which: all of the server may be.
  void forget_any(std::uint32_t server, std::uint64_t packet = 0);

  Version version(std::uint64_t packet = 0) const { return {packet, changed_}; }
  // Empty where it is not known.
  std::string_view name_of(const NameKey& key, Version when) const;
  // Of a thing whose key has no number.
  std::optional<std::uint32_t> number_of(NameKey key, std::string_view name, Version when) const;
  // How often the thing, or one that may have been it, was gone. While it is the same the number
  // stands for the same thing, as far as the capture tells; so for the name with its own count.
  std::uint64_t ends_of(const NameKey& key, Version when) const;
  std::uint64_t turns_of(NameKey key, std::string_view name, Version when) const;
  // Changes that were not kept.
  std::uint64_t dropped() const { return dropped_; }

  static constexpr std::size_t usual_changes = 50'000;
  static constexpr std::size_t server_limit = 10'000;

 private:
  struct Change {
    Version since;
    std::string name;
  };
  struct History {
    std::vector<Change> names;
    std::vector<Version> ends;  // when the thing, or one that had its number before, was gone
  };
  // Which numbers had a name, oldest first.
  struct Numbered {
    Version since;
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

  bool take_room(bool changes_known, std::uint64_t packet);
  // The entry of a thing's name that says who has it; null where there is none.
  const Numbered* holder_of(NameKey key, std::string_view name, Version when) const;
  // Whether the thing of that key was gone at some time in (since, when].
  bool has_ended(const NameKey& key, Version since, Version when) const;
  std::uint64_t count_ends(const NameKey& key, Version when) const;

  // Ordered, since a hostile capture chooses the keys and could make any hash of them slow.
  std::map<std::string, std::uint32_t, std::less<>> servers_;
  std::map<NameKey, History> things_;
  std::map<ByName, std::vector<Numbered>, Earlier> numbers_;
  std::uint64_t changed_ = 0;
  std::optional<Version> lost_at_;  // the first change of a known thing that was not kept
  std::size_t change_limit_;
  std::size_t changes_ = 0;
  std::uint64_t dropped_ = 0;
};

// What a server's numbers are called, as of some time. Nothing where there is no catalogue.
struct KnownNames {
  const NameCatalogue* catalogue = nullptr;
  std::uint32_t server = 0;
  NameCatalogue::Version version;

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
  std::uint64_t ends_of(NameKey key) const {
    if (catalogue == nullptr) return 0;
    key.server = server;
    return catalogue->ends_of(key, version);
  }
  std::uint64_t turns_of(NameKey key, std::string_view name) const {
    if (catalogue == nullptr) return 0;
    key.server = server;
    return catalogue->turns_of(key, name, version);
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
