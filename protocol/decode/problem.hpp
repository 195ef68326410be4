// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What can be wrong with bytes, as a value in the stream of events. Decoding never fails, it
// reports.
#pragma once

#include <cstdint>
#include <string_view>

#include "describe/field.hpp"

namespace iggy::decode {

enum class ProblemKind : std::uint8_t {
  cut_by_capture,  // the sender wrote it, the capture does not hold it
  too_short,       // the region as sent ends before the row does
  not_zero,        // reserved bytes that senders leave zero
  out_of_range,    // a count below the least that the row allows
  trailing,        // bytes behind the last row of the region
  ignored,         // the same where who receives them does not look at them
  malformed,       // no layout that may stand here fits
};

struct Problem {
  ProblemKind kind{};
  const describe::Field* field = nullptr;  // null where it concerns the region as a whole
  std::uint32_t offset = 0;                // from the start of the walked window
  // Bytes that the row takes and bytes that are there for it. out_of_range: the least value and the
  // one found. trailing and ignored: 0 and the bytes behind the last row. not_zero: 0 and 0, since
  // `offset` is that of the first byte that should be zero. malformed: 0, since a length may be a
  // byte of a secret, and the bytes from the row on that does not fit.
  std::uint64_t needed = 0;
  std::uint64_t available = 0;
};

// The stable word for a kind, as JSON prints it.
constexpr std::string_view word_of(ProblemKind kind) {
  switch (kind) {
    case ProblemKind::cut_by_capture:
      return "cut_by_capture";
    case ProblemKind::too_short:
      return "too_short";
    case ProblemKind::not_zero:
      return "not_zero";
    case ProblemKind::out_of_range:
      return "out_of_range";
    case ProblemKind::trailing:
      return "trailing";
    case ProblemKind::ignored:
      return "ignored";
    case ProblemKind::malformed:
      return "malformed";
  }
  return "unknown";
}

}  // namespace iggy::decode
