// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is wrong with a batch of messages, with what was expected and what was found. Nothing here
// looks for faults: decode/batch_check does.
#pragma once

#include "conversation/finding.hpp"
#include "decode/batch_check.hpp"
#include "plugin/epan.hpp"
#include "plugin/tape.hpp"

namespace plugin {

// Finds the item of the bytes that a fault is about, while items are added.
struct Blame {
  iggy::decode::BatchVerdict wrong;
  proto_item* item = nullptr;  // null: none so far

  // To be told of every value of the body.
  void meet(const Event& value, proto_item* shown) {
    if (item == nullptr && wrong.fault != iggy::decode::BatchFault::none &&
        wrong.offset >= value.offset && wrong.offset - value.offset < value.length)
      item = shown;
  }
};

// At that item, or else at `body`. Of checksums nothing: they tell it themselves.
void show_fault(packet_info* pinfo, const Blame& blame, proto_item* body);

// What a finding says, and if it is about a batch what is wrong with that.
void show_finding(packet_info* pinfo, proto_item* item, const iggy::conversation::FindingKind& kind,
                  const iggy::decode::BatchVerdict& wrong);

}  // namespace plugin
