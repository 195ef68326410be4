// SPDX-License-Identifier: GPL-2.0-or-later
//
// The items of batches.hpp. Any function of epan may leave by longjmp, so nothing here has a
// destructor.
#include "plugin/batches.hpp"

#include "decode/batch_text.hpp"
#include "plugin/expert.hpp"

namespace plugin {

using iggy::conversation::FindingId;
using iggy::conversation::FindingKind;
using iggy::decode::BatchFault;
using iggy::decode::BatchVerdict;
using iggy::decode::fault_text;

void show_fault(packet_info* pinfo, const Blame& blame, proto_item* body) {
  const BatchFault fault = blame.wrong.fault;
  if (fault == BatchFault::none || is_checksum(fault)) return;
  const bool is_wrong = is_dropped(fault);
  expert_add_info_format(pinfo, blame.item != nullptr ? blame.item : body,
                         is_wrong ? expert_of_wrong_batch() : expert_of_odd_batch(), "%s batch: %s",
                         is_wrong ? "Wrong" : "Odd", fault_text(blame.wrong).c_str());
}

void show_finding(packet_info* pinfo, proto_item* item, const FindingKind& kind,
                  const BatchVerdict& wrong) {
  const bool is_about_batch = kind.id == FindingId::invalid_batch_silently_dropped ||
                              kind.id == FindingId::batch_checksum_wrong ||
                              kind.id == FindingId::batch_inconsistent;
  if (!is_about_batch || wrong.fault == BatchFault::none) {
    expert_add_info(pinfo, item, expert_of(kind.id));
    return;
  }
  expert_add_info_format(pinfo, item, expert_of(kind.id), "%.*s: %s",
                         static_cast<int>(kind.summary.size()), kind.summary.data(),
                         fault_text(wrong).c_str());
}

}  // namespace plugin
