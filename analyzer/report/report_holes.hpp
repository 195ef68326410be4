// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What the report for people says of bytes that are not in the capture. Decides nothing.
#pragma once

#include <string>
#include <vector>

#include "report/model.hpp"

namespace analyzer::report {

// Sentences: how much is missing and why, then the first places, then how many more there are.
std::vector<std::string> hole_sentences(const Model& model);

}  // namespace analyzer::report
