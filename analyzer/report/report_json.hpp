// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The report for machines. Its form is schemas/analyze.schema.json; members are only ever added.
#pragma once

#include <string>

#include "report/model.hpp"

namespace analyzer::report {

// One object on one line, with its newline.
std::string to_json(const Model& model);

}  // namespace analyzer::report
