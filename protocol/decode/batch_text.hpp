// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What is wrong with a batch of messages, as people read it: what was found, and what was expected.
//
// Nothing here looks for faults: batch_check.hpp does.
#pragma once

#include "decode/batch_check.hpp"
#include "decode/text.hpp"

namespace iggy::decode {

using FaultText = BoundedText<192>;

// As the end of a sentence; empty for no fault.
FaultText fault_text(const BatchVerdict& wrong);

}  // namespace iggy::decode
