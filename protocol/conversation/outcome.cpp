// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The words for outcomes, and how an answer tells of them.
#include "conversation/outcome.hpp"

#include "decode/body.hpp"
#include "iggy/registry.hpp"

namespace iggy::conversation {

std::string_view word_of(OutcomeKind kind) {
  switch (kind) {
    case OutcomeKind::ok:
      return "ok";
    case OutcomeKind::status:
      return "status";
    case OutcomeKind::result:
      return "result";
    case OutcomeKind::evicted:
      return "evicted";
    case OutcomeKind::unanswered:
      return "unanswered";
    case OutcomeKind::pending:
      return "pending";
    case OutcomeKind::unknown:
      return "unknown";
    case OutcomeKind::one_way:
      return "one-way";
  }
  return {};
}

Outcome outcome_of(const decode::Facts& answer, Dialect sender, std::uint32_t code,
                   decode::Window body) {
  if (answer.is(Command::Eviction)) return {OutcomeKind::evicted, answer.reason};
  if (answer.status != 0) return {OutcomeKind::status, answer.status};
  const decode::Result result = decode::result_of(answer, sender, code, body);
  if (!result.is_known) return {OutcomeKind::unknown, 0};
  return {result.code == 0 ? OutcomeKind::ok : OutcomeKind::result, result.code};
}

}  // namespace iggy::conversation
