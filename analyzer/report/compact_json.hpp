// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// JSON that somebody else wrote, on one line.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace analyzer::report {

// The same JSON value without the blanks between its parts. Nothing where the text is not one valid
// value, is nested too deeply, or has characters that do not belong into a terminal.
std::optional<std::string> compact_json(std::string_view text);

}  // namespace analyzer::report
