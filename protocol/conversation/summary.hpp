// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The one line that tells what a frame is, the same in the analyzer's list and in Wireshark's Info
// column. Text from the wire is escaped; secrets never stand in it.
#pragma once

#include <cstdint>
#include <string_view>

#include "conversation/line.hpp"
#include "decode/facts.hpp"
#include "decode/login.hpp"

namespace iggy::conversation {

// What a summary is made of. Views are only read during the call.
struct SummaryInput {
  decode::Facts facts;
  Generation generation = Generation::unknown;
  std::string_view name;  // of the command; empty when unknown
  std::uint32_t code = 0;
  const decode::Login* login = nullptr;             // of a login request
  const decode::LoginReply* login_reply = nullptr;  // of a reply that opened a session
  bool is_answer_to_known = false;                  // its request is known
  std::uint32_t result = 0;                         // first code of a reply's result section
  std::uint64_t latency_us = 0;  // microseconds, of an answer whose request is known
  bool has_latency = false;
};

void summarise(const SummaryInput& input, Line& line);

// What the body of a frame adds to its line. The storage that the input then points to.
struct SummaryDetails {
  decode::Login login;
  decode::LoginReply reply;
};
// Reads the body behind the facts, generation and code of `input`. `answers_login`: the frame is
// the answer to a request that was a login.
void add_details(SummaryInput& input, decode::Window body, bool answers_login,
                 SummaryDetails& details);

}  // namespace iggy::conversation
