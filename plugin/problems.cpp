// SPDX-License-Identifier: GPL-2.0-or-later
//
// The sentences of problems.hpp. Numbers have 64 bits, which formats of C spell in many ways, so
// they become texts first.
#include "plugin/problems.hpp"

#include <algorithm>

#include "plugin/rows.hpp"

namespace plugin {

using iggy::decode::ProblemKind;

namespace {

const char* plural_of(std::uint64_t count) {
  return count == 1 ? "" : "s";
}

const char* digits_of(wmem_allocator_t* pool, std::uint64_t number) {
  return wmem_strdup_printf(pool, "%" G_GUINT64_FORMAT, number);
}

}  // namespace

const char* text_of_problem(wmem_allocator_t* pool, const Event& event) {
  const char* const row = event.row == nullptr ? "Body" : label_of(*event.row);
  const char* const needed = digits_of(pool, event.value);
  const char* const found = digits_of(pool, event.available);
  switch (event.problem) {
    case ProblemKind::cut_by_capture:
      return wmem_strdup_printf(pool, "%s is cut by the capture: %s byte%s needed, %s captured",
                                row, needed, plural_of(event.value), found);
    case ProblemKind::too_short:
      return wmem_strdup_printf(pool, "%s is too short as it was sent: %s byte%s needed, %s left",
                                row, needed, plural_of(event.value), found);
    case ProblemKind::not_zero:
      return wmem_strdup_printf(pool, "%s is not zero, from byte %u on", row, event.offset);
    case ProblemKind::out_of_range:
      return wmem_strdup_printf(pool, "%s is %s, and %s at %s is allowed", row, found, needed,
                                event.available < event.value ? "least" : "most");
    case ProblemKind::trailing:
    case ProblemKind::ignored:
      return wmem_strdup_printf(
          pool, "%s byte%s behind the last field%s", found, plural_of(event.available),
          event.problem == ProblemKind::ignored ? ", which nobody reads" : "");
    case ProblemKind::malformed:
      return wmem_strdup_printf(pool, "No body that may stand here fits, from byte %u on",
                                event.offset);
  }
  return "";
}

std::uint32_t bytes_of_problem(const Event& event) {
  if (event.problem == ProblemKind::not_zero) return 1;
  if (event.problem == ProblemKind::out_of_range) return event.row->width;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(event.available, 0xffffffffU));
}

}  // namespace plugin
