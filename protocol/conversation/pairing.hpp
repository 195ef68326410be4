// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Which request an answer belongs to. One place for every rule, so that both tools pair alike.
//
// Pure functions over a list of outstanding requests, oldest first, whose storage the caller owns.
// Never by `client`: replies of partitions carry the server's own id for the connection. A wrong
// pair is worse than none, so whatever a hole may have hidden ends as unknown. Sources:
// core/server/src/dispatch.rs, core/consensus/src/plane_helpers.rs, responses.rs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include "decode/facts.hpp"
#include "iggy/generation.hpp"

namespace iggy::conversation {

inline constexpr std::uint64_t no_acknowledgement = 0xffffffffffffffff;

// A request that waits for its answer.
struct Outstanding {
  std::uint64_t request = 0;  // the request number
  std::uint64_t begin = 0;    // offset of its first byte in the client's stream
  std::uint64_t end = 0;      // an answer acknowledges at least this offset of the client's stream
  // Bytes of the server's stream that its last segment acknowledged.
  std::uint64_t acknowledged = no_acknowledgement;
  // When it was sent, and when it counts as never answered; nanoseconds of the capture.
  std::int64_t time = 0;
  std::int64_t given_up = std::numeric_limits<std::int64_t>::max();
  std::uint32_t code = 0;  // of operation 2 and of legacy framing
  std::uint8_t operation = 0;
  bool is_legacy = false;            // of legacy framing
  bool client_is_zero = false;       // servers drop such a frame
  bool is_perhaps_answered = false;  // a hole may have swallowed its answer
};
static_assert(std::is_trivially_copyable_v<Outstanding>);

// A reply or an eviction.
struct Answer {
  bool is_eviction = false;
  std::uint8_t operation = 0;                       // of a reply
  std::uint8_t reason = 0;                          // of an eviction
  std::uint64_t request = 0;                        // of a reply
  std::uint64_t acknowledged = no_acknowledgement;  // bytes of the client's stream
};

// By which rules answers find their requests.
struct PairingRules {
  Generation generation = Generation::unknown;  // of the server
  // Known and not inferred; else requests that an answer passes over end as unknown, since a server
  // of 0.12 may answer them yet.
  bool is_certain = true;
};

// How a request waits: everything but its place and its times. It is the same for all generations,
// since what the server speaks may show only later.
Outstanding outstanding_of(const decode::Facts& request);
// What tells where an answer belongs, its acknowledgement apart.
Answer answer_of(const decode::Facts& answer);

inline constexpr std::size_t no_request = static_cast<std::size_t>(-1);

// The index of the request that the answer belongs to, by the rules of the server's generation;
// no_request where it answers none of them.
std::size_t answered_by(std::span<const Outstanding> waiting, const Answer& answer,
                        Generation server);

// Once `answered` has its answer: whether `older`, sent before it, will never get one. Up to 0.11 a
// server takes all but partition commands in order.
bool ends_unanswered(const Outstanding& older, const Outstanding& answered, Generation server);

// Once `answered` has its answer: whether the request of an answer that was sent before that one
// can only be an older one than `answered`.
bool is_passed_over(const Answer& older, const Outstanding& answered, Generation server);

// Whether `later` asks for the same again, under the same number, after `request` was given up. An
// answer that comes then is that of the later one; another one is that of the older one.
bool is_asked_again(const Outstanding& request, const Outstanding& later);

// Whether an eviction ends every outstanding request, and not only the one it answers.
bool eviction_ends_all(Generation server);

// Whether a hole of the server's stream that ends at `hole_end`, in which a frame may begin, may
// have swallowed the answer. A request that acknowledges past the hole was sent after what it hid.
bool may_be_hidden(const Outstanding& request, std::uint64_t hole_end);

// Whether its number alone tells its answer from those to all others, also behind a hole.
bool is_found_by_number(const Outstanding& request, Generation server);

// Whether the command has no answer, as the server knows it.
bool is_one_way(Generation server, std::uint32_t code);
bool is_one_way(Generation server, const Outstanding& request);

// Whether the command takes back another request of the same number, which may get no answer then.
bool is_cancellation(std::uint32_t code);
bool may_be_cancelled(const Outstanding& request);

// Whether a server of this generation answers such a request at all.
bool is_answerable(Generation server, std::uint8_t operation, bool client_is_zero);

}  // namespace iggy::conversation
