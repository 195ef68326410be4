// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Which finding a frame, or a request with its answer, shows.
//
// The one place that decides it, for both tools; what needs a whole connection or capture is
// decided where those are known (the analyzer's report/diagnosis_connections). Texts and advice
// belong to the tools.
#pragma once

#include <cstdint>
#include <optional>

#include "conversation/finding.hpp"
#include "conversation/outcome.hpp"
#include "conversation/session.hpp"
#include "decode/batch_check.hpp"
#include "decode/facts.hpp"
#include "decode/window.hpp"
#include "iggy/dialect.hpp"
#include "iggy/generation.hpp"
#include "iggy/version.hpp"

namespace iggy::conversation {

// How long is long enough, in nanoseconds of the capture. After the first a request without an
// answer counts as unanswered; after the second a server that was asked and has said nothing at all
// will say nothing; a client that closes sooner than the third did not wait for its answer.
inline constexpr std::int64_t answer_limit = std::int64_t{30} * 1'000'000'000;
inline constexpr std::int64_t silence = std::int64_t{5} * 1'000'000'000;
inline constexpr std::int64_t least_patience = std::int64_t{500} * 1'000'000;
// The first of these for a request with this patience (patience_of).
constexpr std::int64_t answer_limit_of(std::int64_t patience) {
  return patience > answer_limit ? patience : answer_limit;
}

// How long a consumer group may take to hand partitions from one member to another: the default of
// consumer_group.rebalancing_timeout.
inline constexpr std::int64_t hand_over = std::int64_t{30} * 1'000'000'000;

// A request that ended with an answer, and what was known then.
struct Ended {
  Asked asked;
  Outcome outcome;
  SessionState session;
  ClientFacts client_id;  // what the connections of its client id showed
  Generation client = Generation::unknown;
  Generation server = Generation::unknown;
  AnswerFacts answer;
  std::int64_t time = 0;  // of the answer
  // What the bytes of its body show; nothing where they were not all there.
  decode::BatchFault batch = decode::BatchFault::none;  // of a send
  bool is_stamp_wrong = false;  // its request checksum is there and not that of the body
};
std::optional<FindingId> finding_of_pair(const Ended& ended);

// What a status shows of a part of the answer to the command with this code, in frames.
std::optional<FindingId> finding_of_part(std::uint32_t code, std::uint32_t status);

// What the body of a request that was answered shows besides.
std::optional<FindingId> finding_of_body(const Ended& ended);

// Whether a login carries a password or a token, which anybody on the way reads where no TLS wraps
// it.
bool tells_credentials(decode::LoginKind login);

// Whether the body of another frame than a login carries a secret: a password, a token, the secret
// of a session, a key. `code` is that of the request that it is or answers.
bool tells_secret(const decode::Facts& facts, Dialect sender, std::uint32_t code,
                  decode::Window body);

// An eviction that answers no request of the capture: a request that was not captured was refused
// all the same.
std::optional<FindingId> finding_of_unasked(std::uint8_t reason);

// What the bytes of an eviction show by themselves. `server` is what its sender speaks.
bool is_window_inconsistent(std::uint8_t reason, VersionWindow window, Generation server);

// The two sides do not speak the same framing: a reply of the server shows it.
bool is_vsr_client_on_legacy_server(Generation client, Generation server);
// The client writes an older header layout than the server reads.
bool writes_older_layout(Generation client, Generation server);

// Whether what the two sides speak explains that a request got no answer; a server that never said
// a word may speak anything.
bool explain_silence(Generation client, Generation server);

// What a request is that was never answered and that nothing else explains.
FindingId finding_of_silence(decode::BatchFault batch);

// Why a server does not serve a command, as its status tells.
enum class Unserved : std::uint8_t {
  no,               // another status, or no reason to blame the command
  unknown,          // the server does not know it
  retired,          // its protocol has it no more
  build,            // not all builds of its number know it; or its body could not be read
  unread,           // the server's build knows it, so that its body could not be read
  other_operation,  // it was sent as a read and has an operation of its own
  never,            // the server knows it and does not serve it
};
Unserved unserved_by(Generation server, const SessionState& session, const Asked& asked,
                     const Outcome& outcome);

}  // namespace iggy::conversation
