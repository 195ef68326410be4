// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The text of an outcome.
#include "connection/outcome.hpp"

namespace analyzer::connection {

std::string word_of(const Outcome& outcome) {
  std::string text(word_of(outcome.kind));
  if (outcome.has_number()) text += " " + std::to_string(outcome.number);
  return text;
}

}  // namespace analyzer::connection
