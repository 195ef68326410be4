// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// A capture in memory and the rows of its messages.
#pragma once

#include <vector>

#include "report/message_lines.hpp"
#include "support/iggy_scene.hpp"

namespace support {

using analyzer::report::MessageLines;
using analyzer::report::MessageOptions;
using analyzer::report::MessageRow;

class Messages {
 public:
  explicit Messages(MessageOptions options = {})
      : lines_(options, [this](const MessageRow& row) {
          rows.push_back(row);
          return true;
        }) {}
  Scene& scene() { return scene_; }
  const std::vector<MessageRow>& finish() {
    scene_.finish();
    return rows;
  }
  const analyzer::report::MessageLosses& losses() const { return lines_.losses(); }

  std::vector<MessageRow> rows;

 private:
  MessageLines lines_;
  Scene scene_{lines_};
};

}  // namespace support
