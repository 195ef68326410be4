// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// How a request ended, as every output names it.
#pragma once

#include <cstdint>
#include <string>

namespace analyzer::connection {

enum class OutcomeKind : std::uint8_t {
  ok,          // answered, done
  status,      // refused before any commit: the reply's status
  result,      // refused by its result section
  evicted,     // answered with an eviction: its reason
  unanswered,  // the server went on, the connection ended, or 30 s passed
  pending,     // the capture ended first
  unknown,     // a hole hides the answer
};

struct Outcome {
  OutcomeKind kind = OutcomeKind::pending;
  std::uint32_t number = 0;  // of status, result and evicted

  bool is_answered() const { return kind <= OutcomeKind::evicted; }
  // Whether the server refused the request, or let it drop.
  bool is_failure() const {
    return kind == OutcomeKind::status || kind == OutcomeKind::result ||
           kind == OutcomeKind::evicted || kind == OutcomeKind::unanswered;
  }
  friend bool operator==(const Outcome&, const Outcome&) = default;
  friend auto operator<=>(const Outcome&, const Outcome&) = default;
};

// "ok", "status 40", "result 1012", "evicted 14", "unanswered", "pending", "unknown".
std::string word_of(const Outcome& outcome);

}  // namespace analyzer::connection
