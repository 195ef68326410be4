// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The few things in the bodies of requests and answers that findings depend on.
//
// Read at their rows by small sinks; which layout a body has is decided in decode/body.hpp. What
// they mean is decided in rules.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "decode/facts.hpp"
#include "decode/login.hpp"
#include "decode/window.hpp"
#include "iggy/generation.hpp"
#include "iggy/trains.hpp"

namespace iggy::conversation {

// A partition of a fetch that the server refused to read, and why: the first one whose status shows
// a finding, else the first one.
struct RefusedSection {
  std::uint32_t partition = 0;
  std::uint32_t status = 0;
};

// The front of the reply to a fetch that holds all its sections: 1000 at most, of 56 bytes.
inline constexpr std::uint32_t fetch_sections_bytes = 4 + 1000 * 56;
bool has_sections(std::uint32_t code);

struct AnswerFacts {
  bool is_empty = false;                  // a reply without an error and without a body
  bool is_undone = false;                 // which says that nothing was done
  std::optional<std::uint32_t> assigned;  // partitions of the member that asked
  // Of a group that was asked for; 0 where the answer tells of none.
  std::uint32_t members = 0;
  std::uint32_t partitions = 0;
  std::optional<RefusedSection> section;  // of a fetch: see RefusedSection
  // Of the answer to a login: the number that the server announces, 0 where it tells none, and its
  // build as far as its version tells one.
  Version number;
  std::optional<Train> train;
};
static_assert(std::is_trivially_copyable_v<AnswerFacts>);

// `code` is that of the request that it answers; 0 when not known, and then only the header tells.
AnswerFacts answer_facts_of(const decode::Facts& answer, Dialect sender, std::uint32_t code,
                            decode::Window body);

// The option keys that a request names.
struct OptionKeys {
  std::uint32_t known = 0;   // bit n: option n of the catalogue
  std::string_view unknown;  // the first one that no build knows; a view into the body
};
OptionKeys option_keys_of(const decode::Facts& request, Dialect sender, std::uint32_t code,
                          decode::Window body);

// What tells a send from another one. A retry has all of it as it was.
struct SentBatch {
  std::uint64_t number = 0;    // of the request
  std::uint64_t place = 0;     // a hash of where its messages go
  std::uint64_t checksum = 0;  // of its batch, which covers all messages
  bool has_producer = false;   // its batch has the section of a producer, which came with 0.12.2
  friend bool operator==(const SentBatch&, const SentBatch&) = default;
};
// Nothing of other commands, and where the capture cut the head of the batch.
std::optional<SentBatch> batch_sent(const decode::Facts& request, Dialect sender,
                                    std::uint32_t code, decode::Window body);

// How long a request lets the server wait before it answers, in nanoseconds: the time after which
// its client gives up; the longest there is where the capture cut the body; 0 of other commands.
std::int64_t patience_of(const decode::Facts& request, Dialect sender, std::uint32_t code,
                         decode::Window body);

// Whether a server that knows the command takes the body (is_served), of commands that not all
// builds of a generation know: it refuses what it does not take as it does what it does not know.
// True of other commands.
bool may_be_served(const decode::Facts& request, Dialect sender, std::uint32_t code,
                   decode::Window body);

// Whether it is a send of the 8-byte framing without messages, which servers refuse as they do
// messages that they cannot read.
bool sends_nothing(const decode::Facts& request, Dialect sender, std::uint32_t code,
                   decode::Window body);

// Tells the groups of one connection apart, where a request asks for the partitions of a member or
// ends its membership: a hash of the identifiers of stream, topic and group, which are all of its
// body. Nothing of other commands, and where the capture cut the body.
std::optional<std::uint64_t> group_asked_for(std::uint32_t code, decode::Window body);

}  // namespace iggy::conversation
