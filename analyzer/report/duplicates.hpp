// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Which messages were seen before: with the same id, or at the same place of a partition.
//
// A message that is sent and then polled is no duplicate, so ways are looked at apart; nor is one
// that two consumers read, or that replicas hand on from one to the next. Ids of zero
// are none, and of one topic: producers may count them. Two messages are only alike where all that
// is known of both is the same: a place is used again after a purge, or when what it lies in is
// created anew. A topic that one message names and another numbers is one where the capture told
// so. Memory is bounded: what comes behind the bound is not looked for.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "capture/memory.hpp"
#include "report/message_row.hpp"

namespace analyzer::report {

// The first message that is like this one.
struct Duplicate {
  std::string_view by;  // "id" or "offset"
  std::uint64_t packet = 0;
};

class Duplicates {
 public:
  explicit Duplicates(const capture::MemoryPlan& memory = capture::MemoryPlan())
      : message_limit_(memory.entries(300'000)) {}
  std::optional<Duplicate> look(const MessageRow& row);
  // Messages that the bound kept from being remembered.
  std::uint64_t not_remembered() const { return not_remembered_; }

 private:
  // What has to be the same of one message.
  struct Known {
    std::uint64_t packet = 0;
    iggy::decode::U128 id;
    std::uint64_t origin_time = 0;  // 0: not known
    std::uint64_t append_time = 0;
    std::uint32_t payload_size = 0;
  };
  struct Id {
    iggy::decode::U128 id;
    std::uint32_t topic = 0;  // by its number in topics_, whatever the server
    friend auto operator<=>(const Id&, const Id&) = default;
  };
  struct Place {
    std::uint32_t topic = 0;  // by its number in topics_
    std::uint64_t partition = 0;
    std::uint64_t offset = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  // A number and its digits are another name than a text of these digits.
  using Name = std::pair<bool, std::string>;
  using Turns = std::array<std::uint64_t, 2>;
  // Way, receiver, server, stream and topic. Of ids the server is none: a client may send to the
  // next one. The turns tell a name or a number that means something else by now from what it
  // meant.
  using Topic = std::tuple<MessageWay, std::string, capture::Endpoint, Name, Name, Turns>;
  // Numbers in topics_: where the numbers of the topic are known, and by the names of the request.
  // They are one unless messages came by both before it was known that they are the same.
  struct Topics {
    std::uint32_t first = 0;
    std::uint32_t second = 0;
  };

  static Known known_of(const MessageRow& row);
  static bool are_alike(const Known& a, const Known& b);
  std::optional<Topics> topics_of(const MessageRow& row, const std::string& receiver,
                                  const capture::Endpoint& server);
  template <class Key, class Make>
  Known* find(std::map<Key, Known>& messages, const Topics& topics, Make make, const Known& seen);
  std::optional<Duplicate> look_for_id(const MessageRow& row, const std::string& receiver);
  std::optional<Duplicate> look_for_place(const MessageRow& row, const std::string& receiver);

  // The first of its kind. Whoever writes a capture chooses the keys, so nothing is hashed.
  std::map<Id, Known> ids_;
  std::map<Place, Known> places_;
  std::map<Topic, std::uint32_t> topics_;
  std::size_t message_limit_;
  std::uint64_t not_remembered_ = 0;
};

}  // namespace analyzer::report
