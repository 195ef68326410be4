// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The one line that tells what a frame is, the same in the analyzer's list and in Wireshark's Info
// column. Text from the wire is escaped; secrets never stand in it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "decode/facts.hpp"
#include "decode/login.hpp"
#include "iggy/version.hpp"

namespace iggy::conversation {

// A line of bounded length in a fixed buffer; what does not fit is cut and ends in "...".
class Line {
 public:
  std::string_view text() const { return {buffer_.data(), size_}; }
  Line& add(std::string_view text);  // of ours
  Line& add_number(std::uint64_t value);
  Line& add_from_wire(std::string_view text);  // escaped
  Line& add_version(Version version);
  // What a server with this window accepts: "0.11.x", "exactly 0.12.2", "0.10.2 to 0.11.0".
  Line& add_window(VersionWindow window);

 private:
  static constexpr std::size_t capacity = 400;
  std::array<char, capacity> buffer_{};
  std::size_t size_ = 0;
  bool is_full_ = false;
};

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
