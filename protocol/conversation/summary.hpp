// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The one line that tells what a frame is, the same in the analyzer's list and in Wireshark's Info
// column. Text from the wire is escaped; secrets never stand in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "conversation/line.hpp"
#include "conversation/names.hpp"
#include "decode/facts.hpp"
#include "decode/window.hpp"
#include "iggy/generation.hpp"
#include "iggy/trains.hpp"

namespace iggy::conversation {

// What a summary is made of. Views are only read during the call.
struct SummaryInput {
  decode::Facts facts;
  Generation generation = Generation::unknown;
  std::optional<Train> train;  // of the sender's build, where a login told it
  std::string_view name;       // of the command; empty when unknown
  std::uint32_t code = 0;
  decode::Bytes header;             // of frames between replicas, which have more to tell
  std::string_view subject;         // what the body is about (subject.hpp)
  bool is_answer_to_known = false;  // its request is known
  bool may_miss_request = false;    // if not, it may be among bytes that nobody looked at
  bool is_inferred = false;         // nothing has shown the generation
  bool is_first = false;            // of its connection, whose line says so
  bool is_cut = false;              // the front of the body, which the subject is read from
  std::uint32_t result = 0;         // first code of a reply's result section
  bool is_result_known = true;      // false: it is not in the capture, or is too short
  std::uint64_t latency_us = 0;     // microseconds, of an answer whose request is known
  bool has_latency = false;
};

void summarise(const SummaryInput& input, Line& line);

// What the body behind the facts, generation, train and code of `input` adds: its result and, in
// `subject`, which the input then points to, what it is about.
void add_body(SummaryInput& input, decode::Window body, const KnownNames& names, Line& subject);

}  // namespace iggy::conversation
