// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// How a format reader says that a file ends or is wrong. It must not read anything itself.
#include "capture/format_reader.hpp"

#include <fmt/format.h>

#include <utility>

namespace analyzer::capture {

Status FormatReader::fail(Problem& problem, Status status, std::uint64_t offset,
                          std::string reason) {
  problem.status = status;
  problem.offset = offset;
  problem.reason = std::move(reason);
  return status;
}

Status FormatReader::cut_short(Problem& problem, std::uint64_t offset, std::string_view what,
                               std::uint64_t needed, std::uint64_t present) const {
  if (!source_.error().empty()) {
    return fail(problem, Status::damaged, offset, "reading failed: " + source_.error());
  }
  return fail(
      problem, Status::truncated, offset,
      fmt::format("{} is cut off: {} of at least {} bytes are there", what, present, needed));
}

Status FormatReader::no_more(Problem& problem) const {
  if (!source_.error().empty()) {
    return fail(problem, Status::damaged, source_.offset(), "reading failed: " + source_.error());
  }
  return fail(problem, Status::end, source_.offset(), {});
}

}  // namespace analyzer::capture
