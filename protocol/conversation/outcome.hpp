// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// How a request ended, as every output names it.
#pragma once

#include <cstdint>
#include <string_view>

#include "decode/facts.hpp"
#include "decode/window.hpp"
#include "iggy/dialect.hpp"

namespace iggy::conversation {

enum class OutcomeKind : std::uint8_t {
  ok,          // answered, done
  status,      // refused before any commit: the reply's status
  result,      // refused by its result section
  evicted,     // answered with an eviction: its reason
  unanswered,  // the server went on, the connection ended, or 30 s or what a poll may wait passed
  pending,     // the capture ended first, or the client of a poll that may still wait left
  unknown,     // a hole hides the answer, or what it says cannot be read
  one_way,     // no answer is due, as to a poll that was cancelled
};

struct Outcome {
  OutcomeKind kind = OutcomeKind::pending;
  std::uint32_t number = 0;  // of status, result and evicted

  bool is_answered() const { return kind <= OutcomeKind::evicted; }
  // Whether the server ran the request, whatever came of it.
  bool is_served() const { return kind == OutcomeKind::ok || kind == OutcomeKind::result; }
  // Whether a number belongs to the word.
  bool has_number() const {
    return kind == OutcomeKind::status || kind == OutcomeKind::result ||
           kind == OutcomeKind::evicted;
  }
  // Whether the server refused the request, or let it drop.
  bool is_failure() const { return has_number() || kind == OutcomeKind::unanswered; }
  friend bool operator==(const Outcome&, const Outcome&) = default;
  friend auto operator<=>(const Outcome&, const Outcome&) = default;
};

// "ok", "status", "result", "evicted", "unanswered", "pending", "unknown", "one-way". Outputs add
// the number.
std::string_view word_of(OutcomeKind kind);

// How the request ends that a reply or an eviction answers. `body` is that of the answer.
Outcome outcome_of(const decode::Facts& answer, Dialect sender, std::uint32_t code,
                   decode::Window body);

}  // namespace iggy::conversation
