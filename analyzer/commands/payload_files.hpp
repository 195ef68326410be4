// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Writes payloads of messages into files of one folder.
//
// Names are of our own making, nothing of the capture is in them, and no file that is there already
// is touched. The number of files is bounded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "report/message_row.hpp"

namespace analyzer::commands {

class PayloadFiles {
 public:
  PayloadFiles() = default;
  ~PayloadFiles();
  PayloadFiles(const PayloadFiles&) = delete;
  PayloadFiles& operator=(const PayloadFiles&) = delete;

  // Makes the folder where there is none. False where that fails; `problem` says why.
  bool open(const std::string& folder);
  bool is_open() const { return folder_ >= 0; }
  // The name of the file that now holds the payload, or nothing: the bound is reached, or the file
  // could not be written.
  std::string write(const report::MessageRow& row);

  const std::string& problem() const { return problem_; }  // the first one; empty: none
  std::uint64_t not_written() const { return not_written_; }

 private:
  int folder_ = -1;
  std::uint64_t count_ = 0;
  std::uint64_t not_written_ = 0;  // behind the bound
  std::string problem_;
};

}  // namespace analyzer::commands
