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
  if (source_.error()) return source_failed(problem, offset);
  return fail(
      problem, Status::truncated, offset,
      fmt::format("{} is cut off: {} of at least {} bytes are there", what, present, needed));
}

Status FormatReader::no_more(Problem& problem) const {
  if (source_.error()) return source_failed(problem, source_.offset());
  return fail(problem, Status::end, source_.offset(), {});
}

Status FormatReader::end_before_another(Problem& problem) {
  another_begins_ = true;
  return fail(problem, Status::end, source_.offset(), {});
}

void FormatReader::continue_after(FormatReader& before) {
  secrets_room_ = std::move(before.secrets_room_);
  secrets_ = std::move(before.secrets_);
  dropped_secrets_ = before.dropped_secrets_;
}

void FormatReader::keep(std::uint32_t type, Bytes data) {
  const std::uint64_t wanted = secrets_room_->bytes() + sizeof(Secrets) + data.size();
  if (wanted > maximum_secrets_bytes || !secrets_room_->resize(wanted)) {
    ++dropped_secrets_;
    return;
  }
  secrets_.push_back({type, {reinterpret_cast<const char*>(data.data()), data.size()}});
}

Status FormatReader::source_failed(Problem& problem, std::uint64_t offset) const {
  const ReadError& error = source_.error();
  if (error.kind == ReadError::Kind::system)
    return fail(problem, Status::damaged, offset, "reading failed: " + error.reason);
  problem.lacks_memory = error.kind == ReadError::Kind::memory;
  return fail(problem, error.kind == ReadError::Kind::cut ? Status::truncated : Status::damaged,
              error.offset, error.reason);
}

}  // namespace analyzer::capture
