// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// How a request ended, as one word or two.
#pragma once

#include <string>

#include "conversation/outcome.hpp"

namespace analyzer::connection {

using iggy::conversation::Outcome;
using iggy::conversation::OutcomeKind;

// "ok", "status 40", "result 1012", "evicted 14", "unanswered", "pending", "unknown".
std::string word_of(const Outcome& outcome);

}  // namespace analyzer::connection
