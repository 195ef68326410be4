// SPDX-License-Identifier: GPL-2.0-or-later
//
// Wireshark's expert infos: one for each kind of problem that decoding reports, iggy.problem.*, and
// one for each finding, iggy.finding.*.
#pragma once

#include "conversation/finding.hpp"
#include "decode/problem.hpp"
#include "plugin/epan.hpp"

namespace plugin {

void register_experts(int protocol);

expert_field* expert_of(iggy::decode::ProblemKind kind);
// A frame has more problems than are shown one by one.
expert_field* expert_of_more_problems();
// A checksum is not that of the bytes.
expert_field* expert_of_wrong_checksum();
// A batch of messages breaks a rule: one for which servers drop it, or one that they take.
expert_field* expert_of_wrong_batch();
expert_field* expert_of_odd_batch();
// Frames followed each other, and here they stop doing so.
expert_field* expert_of_contradiction();
expert_field* expert_of(iggy::conversation::FindingId id);

}  // namespace plugin
