// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The rules of served.hpp: each by the values of a body, which one walk collects.
// Source: the checks of core/binary_protocol/src/requests/messages and requests/system in 0.12.
#include "conversation/served.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "decode/walk.hpp"
#include "iggy/exchanges.hpp"

namespace iggy::conversation {
namespace {

using describe::Field;
using describe::Layout;

constexpr std::uint64_t second_us = 1'000'000;
constexpr std::uint64_t longest_wait_us = 600 * second_us;
constexpr std::uint64_t longest_timeout_us = 630 * second_us;
constexpr std::uint64_t least_reply_bytes = 344;
constexpr std::uint64_t largest_page = 1000;
constexpr std::size_t most_targets = 1000;
constexpr std::uint64_t external_group = 3;  // a kind of consumer

// A partition that a request names is asked for once, from an offset or from where it stands.
struct Targets {
  std::array<std::uint32_t, most_targets> partitions{};
  std::size_t count = 0;
  std::uint64_t most_bytes = 0;
  std::uint64_t least_bytes = ~std::uint64_t{0};
  bool are_from_offsets = true;

  void add(std::uint64_t partition) {
    if (count < partitions.size()) partitions[count++] = static_cast<std::uint32_t>(partition);
  }
  void add_bytes(std::uint64_t bytes) {
    most_bytes = std::max(most_bytes, bytes);
    least_bytes = std::min(least_bytes, bytes);
  }
  void add_strategy(std::uint64_t kind) {
    constexpr std::uint64_t offset = 1;
    constexpr std::uint64_t next = 5;
    are_from_offsets = are_from_offsets && (kind == offset || kind == next);
  }
  bool are_unique() {
    const auto end = partitions.begin() + static_cast<std::ptrdiff_t>(count);
    std::sort(partitions.begin(), end);
    return std::adjacent_find(partitions.begin(), end) == end;
  }
};

// What a body wants, by the names of its rows.
class Wanted : public decode::Check {
 public:
  void integer(const Field& field, std::uint64_t value, decode::Range) {
    if (depth_ == 0)
      take(field.name, value);
    else if (outer_ == "cursor")
      is_cursor_zero = is_cursor_zero && value == 0;
    else if (outer_ == "consumer" && field.name == "kind" && depth_ == 1)
      consumer = value;
    else if (outer_ == "since" && field.name == "value")
      since = value;
    else if (outer_ == "until" && field.name == "value")
      until = value;
    else if (outer_ == "targets" || outer_ == "partitions")
      take_of_target(field.name, value);
  }
  void wide(const Field&, decode::U128 value, decode::Range) {
    if (outer_ == "cursor") is_cursor_zero = is_cursor_zero && value.is_zero();
  }
  bool enter(const Field& field, const Layout&, std::uint32_t) {
    if (depth_ == 0) outer_ = field.name;
    ++depth_;
    return true;
  }
  void leave(const Field&, const Layout&, decode::Range) {
    --depth_;
    if (depth_ == 0) outer_ = {};
  }

  std::uint64_t wait_us = 0;
  std::uint64_t timeout_us = 0;
  std::uint64_t min_count = 0;
  std::uint64_t count = 0;
  std::uint64_t max_bytes = 0;
  std::uint64_t consumer = 0;
  std::uint64_t start = 0;
  std::uint64_t limit = 0;
  std::uint64_t token_length = 0;
  std::uint32_t groups = 0;  // bit n: group n
  std::optional<std::uint64_t> since;
  std::optional<std::uint64_t> until;
  bool is_cursor_zero = true;
  Targets targets;

 private:
  void take(std::string_view row, std::uint64_t value) {
    struct Number {
      std::string_view row;
      std::uint64_t Wanted::*member;
    };
    constexpr Number numbers[] = {
        {"wait_us", &Wanted::wait_us},     {"request_timeout_us", &Wanted::timeout_us},
        {"min_count", &Wanted::min_count}, {"count", &Wanted::count},
        {"max_bytes", &Wanted::max_bytes}, {"start", &Wanted::start},
        {"limit", &Wanted::limit},         {"token_length", &Wanted::token_length},
    };
    for (const Number& number : numbers)
      if (row == number.row) this->*number.member = value;
    constexpr std::uint64_t bits = 32;
    if (row == "groups" && value < bits) groups |= 1U << value;
  }
  void take_of_target(std::string_view row, std::uint64_t value) {
    if (row == "partition_id") targets.add(value);
    if (row == "max_bytes") targets.add_bytes(value);
    if (row == "kind") targets.add_strategy(value);
  }

  int depth_ = 0;
  std::string_view outer_;  // the row of the body that is being read
};

bool has_fitting_count(const Wanted& wanted) {
  return wanted.min_count >= 1 && wanted.min_count <= wanted.count &&
         wanted.max_bytes >= least_reply_bytes;
}

// A fetch and the answer to it take a second more than they wait; a poll that does not wait need
// not leave it.
bool has_fitting_time(const Wanted& wanted, bool leaves_it_always) {
  const bool leaves_a_second =
      wanted.wait_us <= longest_wait_us && wanted.timeout_us >= wanted.wait_us + second_us;
  return wanted.wait_us <= longest_wait_us && wanted.timeout_us >= 1 &&
         wanted.timeout_us <= longest_timeout_us &&
         (leaves_a_second || (!leaves_it_always && wanted.wait_us == 0));
}

bool is_poll_served(const Wanted& wanted) {
  return has_fitting_count(wanted) && has_fitting_time(wanted, false) &&
         wanted.consumer != external_group;
}

bool is_fetch_served(Wanted& wanted) {
  return has_fitting_count(wanted) && has_fitting_time(wanted, true) &&
         wanted.consumer != external_group && wanted.targets.are_from_offsets &&
         wanted.targets.are_unique() && wanted.targets.least_bytes >= least_reply_bytes &&
         wanted.targets.most_bytes <= wanted.max_bytes;
}

// The limits are those of a poll that waits, which came with it.
bool is_wait_served(Wanted& wanted) {
  return has_fitting_time(wanted, false) && wanted.consumer != external_group &&
         wanted.targets.are_from_offsets && wanted.targets.are_unique();
}

// Topics come with their streams, and so on.
bool have_their_parents(std::uint32_t groups) {
  struct Nested {
    std::uint32_t group;
    std::uint32_t parents;  // as bits
  };
  constexpr std::uint32_t streams = 1U << 1;
  constexpr std::uint32_t topics = 1U << 2;
  constexpr std::uint32_t consumer_groups = 1U << 4;
  constexpr std::uint32_t users = 1U << 6;
  constexpr Nested all[] = {{2, streams},
                            {3, streams | topics},
                            {4, streams | topics},
                            {5, streams | topics | consumer_groups},
                            {7, users}};
  return std::all_of(std::begin(all), std::end(all), [groups](const Nested& nested) {
    return (groups >> nested.group & 1U) == 0 || (groups & nested.parents) == nested.parents;
  });
}

bool are_changes_served(const Wanted& wanted) {
  constexpr std::uint64_t latest = 1;
  constexpr std::uint64_t after = 2;
  constexpr std::uint64_t current = 3;
  const bool has_times = wanted.since || wanted.until;
  const bool is_in_order = !wanted.since || !wanted.until || *wanted.since <= *wanted.until;
  const bool takes_times = wanted.start != latest && wanted.start != current;
  return wanted.limit >= 1 && wanted.limit <= largest_page && is_in_order &&
         (takes_times || !has_times) && (wanted.start == after || wanted.is_cursor_zero) &&
         (wanted.start == current ? have_their_parents(wanted.groups) : wanted.token_length == 0);
}

}  // namespace

bool is_served(const decode::BodyPlan& plan, std::uint32_t code, decode::Window body) {
  Wanted wanted;
  decode::read_body(plan, body, false, wanted);
  if (!wanted.clean) return false;
  switch (code) {
    case command_code("metadata.changes"):
      return are_changes_served(wanted);
    case command_code("message.poll_deferred"):
      return is_poll_served(wanted);
    case command_code("message.wait"):
      return is_wait_served(wanted);
    case command_code("message.fetch"):
      return is_fetch_served(wanted);
    default:
      return true;
  }
}

}  // namespace iggy::conversation
