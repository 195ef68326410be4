// SPDX-License-Identifier: GPL-2.0-or-later
//
// The words of batches.hpp. Any function of epan may leave by longjmp, so nothing here has a
// destructor.
#include "plugin/batches.hpp"

#include <cinttypes>

#include "plugin/expert.hpp"

namespace plugin {

using iggy::conversation::FindingId;
using iggy::conversation::FindingKind;
using iggy::decode::BatchFault;
using iggy::decode::BatchVerdict;

namespace {

const char* plural_of(std::uint64_t count) {
  return count == 1 ? "" : "s";
}

// What is left has no room for a header, or the header says that more follows than is left.
const char* text_of_length(wmem_allocator_t* pool, const BatchVerdict& wrong) {
  const char* const who =
      wrong.fault == BatchFault::batch_length
          ? "the batch"
          : wmem_strdup_printf(pool, "message %u (the first is 0)", wrong.message);
  const char* const plural = plural_of(wrong.found);
  if (wrong.found < wrong.expected)
    return wmem_strdup_printf(pool,
                              "%s has %" PRIu64 " byte%s, where at least %" PRIu64 " are expected",
                              who, wrong.found, plural, wrong.expected);
  return wmem_strdup_printf(
      pool, "%s says that it has %" PRIu64 " byte%s%s, and %" PRIu64 " are left", who, wrong.found,
      plural, wrong.fault == BatchFault::batch_length ? "" : " behind its header", wrong.expected);
}

const char* text_of_checksum(wmem_allocator_t* pool, const BatchVerdict& wrong) {
  if (wrong.fault == BatchFault::batch_checksum)
    return wmem_strdup_printf(
        pool, "the checksum of the batch is 0x%016" PRIx64 ", and that of its bytes 0x%016" PRIx64,
        wrong.found, wrong.expected);
  return wmem_strdup_printf(pool,
                            "the checksum of message %u (the first is 0) is 0x%016" PRIx64
                            ", and that of its bytes 0x%016" PRIx64,
                            wrong.message, wrong.found, wrong.expected);
}

const char* text_of_count(wmem_allocator_t* pool, const BatchVerdict& wrong) {
  const char* const who = wrong.fault == BatchFault::message_count ? "the batch says that it holds"
                                                                   : "what is around it counts";
  return wmem_strdup_printf(pool, "%s %" PRIu64 " message%s, and there %s %" PRIu64, who,
                            wrong.found, plural_of(wrong.found), wrong.expected == 1 ? "is" : "are",
                            wrong.expected);
}

// As the end of a sentence; empty for no fault.
const char* text_of_fault(wmem_allocator_t* pool, const BatchVerdict& wrong) {
  switch (wrong.fault) {
    case BatchFault::none:
      break;
    case BatchFault::metadata:
      return "the metadata in front of the batch cannot be read, or is not as long as it says";
    case BatchFault::batch_length:
    case BatchFault::message_length:
      return text_of_length(pool, wrong);
    case BatchFault::reserved:
      return wmem_strdup_printf(pool,
                                "byte %u of the body is %" PRIu64 ", where every sender leaves 0",
                                wrong.offset, wrong.found);
    case BatchFault::message_reserved:
      return wmem_strdup_printf(pool,
                                "the reserved bytes of message %u (the first is 0) are %" PRIu64
                                ", where every sender leaves 0",
                                wrong.message, wrong.found);
    case BatchFault::message_checksum:
    case BatchFault::batch_checksum:
      return text_of_checksum(pool, wrong);
    case BatchFault::message_count:
    case BatchFault::messages_count:
      return text_of_count(pool, wrong);
    case BatchFault::no_messages:
      return "the batch holds 0 messages, where 1 is expected at least";
    case BatchFault::trailing:
      return wmem_strdup_printf(pool, "%" PRIu64 " byte%s behind the batch, where 0 are expected",
                                wrong.found, plural_of(wrong.found));
    case BatchFault::older_layout:
      return "its messages have the layout of releases before 0.11.0-edge.4, without the header "
             "of a batch";
    case BatchFault::stamped:
      return wmem_strdup_printf(
          pool, "byte %u of the body, which only servers set, is %" PRIu64 ", where 0 is expected",
          wrong.offset, wrong.found);
    case BatchFault::message_order:
      return wmem_strdup_printf(pool,
                                "the offset delta of message %u (the first is 0) is %" PRIu64
                                ", where %" PRIu64 " is expected",
                                wrong.message, wrong.found, wrong.expected);
    case BatchFault::partition:
      return wmem_strdup_printf(
          pool, "the batch is of partition %" PRIu64 ", where %" PRIu64 " is expected", wrong.found,
          wrong.expected);
  }
  return "";
}

}  // namespace

void show_fault(packet_info* pinfo, const Blame& blame, proto_item* body) {
  const BatchFault fault = blame.wrong.fault;
  if (fault == BatchFault::none || is_checksum(fault)) return;
  const bool is_wrong = is_dropped(fault);
  expert_add_info_format(pinfo, blame.item != nullptr ? blame.item : body,
                         is_wrong ? expert_of_wrong_batch() : expert_of_odd_batch(), "%s batch: %s",
                         is_wrong ? "Wrong" : "Odd", text_of_fault(pinfo->pool, blame.wrong));
}

void show_finding(packet_info* pinfo, proto_item* item, const FindingKind& kind,
                  const BatchVerdict& wrong) {
  const bool is_about_batch = kind.id == FindingId::invalid_batch_silently_dropped ||
                              kind.id == FindingId::batch_checksum_wrong;
  if (!is_about_batch || wrong.fault == BatchFault::none) {
    expert_add_info(pinfo, item, expert_of(kind.id));
    return;
  }
  expert_add_info_format(pinfo, item, expert_of(kind.id), "%.*s: %s",
                         static_cast<int>(kind.summary.size()), kind.summary.data(),
                         text_of_fault(pinfo->pool, wrong));
}

}  // namespace plugin
