// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// A message as a line of text or as a JSON object.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "report/duplicates.hpp"
#include "report/message_row.hpp"

namespace analyzer::report {

// What is known of a message besides its row.
struct MessageNotes {
  std::optional<Duplicate> duplicate;
  std::string file;  // that holds its payload; empty: none
};

// With a newline at the end. `start` is the time that lines count from.
std::string to_json(const MessageRow& row, const MessageNotes& notes,
                    const MessageOptions& options);
std::string to_text(const MessageRow& row, const MessageNotes& notes, const MessageOptions& options,
                    std::int64_t start);

}  // namespace analyzer::report
