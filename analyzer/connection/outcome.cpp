// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// How a request ended, as one word or two.
#include "connection/outcome.hpp"

namespace analyzer::connection {

std::string word_of(const Outcome& outcome) {
  switch (outcome.kind) {
    case OutcomeKind::ok:
      return "ok";
    case OutcomeKind::status:
      return "status " + std::to_string(outcome.number);
    case OutcomeKind::result:
      return "result " + std::to_string(outcome.number);
    case OutcomeKind::evicted:
      return "evicted " + std::to_string(outcome.number);
    case OutcomeKind::unanswered:
      return "unanswered";
    case OutcomeKind::pending:
      return "pending";
    case OutcomeKind::unknown:
      return "unknown";
  }
  return {};
}

}  // namespace analyzer::connection
