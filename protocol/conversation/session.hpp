// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What the requests of a connection, and how they ended, tell of its session.
//
// Steps over trivially copyable state whose storage the caller owns. Whether what they show is
// wrong is decided in rules.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "conversation/answer.hpp"
#include "conversation/outcome.hpp"
#include "conversation/recognise.hpp"
#include "decode/facts.hpp"
#include "decode/login.hpp"
#include "decode/window.hpp"
#include "iggy/generation.hpp"
#include "iggy/trains.hpp"

namespace iggy::conversation {

// What a request asked, as far as its end has to know.
struct Asked {
  decode::U128 client;
  std::uint32_t code = 0;  // as decode/body.hpp counts it; 0 outside the registry
  std::uint8_t operation = 0;
  bool is_legacy = false;
  bool is_login = false;
  decode::LoginKind login = decode::LoginKind::unknown;
  std::optional<Train> train;          // of the client that logs in
  std::uint32_t options = 0;           // bit n: it names option n of the catalogue
  std::optional<std::uint64_t> group;  // the group that it is about, as group_asked_for has it
  std::optional<SentBatch> batch;      // of a send, as batch_sent has it
  std::int64_t patience = 0;           // as patience_of has it
  bool is_cancelled = false;           // its client no longer wants an answer
  bool may_be_served = true;           // as may_be_served has it
  bool sends_nothing = false;          // as sends_nothing has it
  bool stops_servers = false;          // as stops_servers has it
  bool is_offset_of_group = false;     // as is_offset_of_group has it
  std::optional<std::uint64_t> truncated_to;  // of a TruncatePartition, as truncated_to has it
};

// `code` is that of decode/body.hpp, `login` what it says of the request. The option keys of its
// body are the caller's to add, and so is what take_body reads.
Asked asked_of(const decode::Facts& request, std::uint32_t code,
               const std::optional<decode::Login>& login);
// What a body tells: the group, the batch, the patience, whether a server can serve it, the offset.
void take_body(Asked& asked, const decode::Facts& request, Dialect sender, decode::Window body);

// Whether servers serve the command only on a connection that is logged in.
bool needs_login(const Asked& asked);

// What all connections of one client id showed.
struct ClientFacts {
  Evidence spoken;                 // what they speak; unknown: none was certain
  bool registered = false;         // a Register was accepted
  bool logged_out = false;         // and a Logout followed
  bool is_uncertain = false;       // a Logout may have been lost since the session last showed
  std::uint32_t names_server = 0;  // whose names its first login told; see server_of_names
};

// A member that has no partition by each answer that tells of it.
struct LeftOut {
  std::uint64_t group = 0;  // as in Asked
  std::int64_t since = 0;   // the first of these answers
};

// The last sends that were done, which tell a send that is repeated from one that only has the
// number of another.
class DoneSends {
 public:
  // Whether one of the same number went to the same place with other messages, and none with these.
  bool contradict(const SentBatch& batch) const;
  void add(const SentBatch& batch);

 private:
  std::array<SentBatch, 8> last_{};
  std::uint32_t count_ = 0;  // of all that were added
};

struct SessionState {
  bool is_logged_in = false;  // a login was accepted and no Logout or Eviction 13 followed
  bool is_stale = false;      // ended for want of a heartbeat, and no login followed
  bool saw_logout = false;
  bool is_uncertain = false;  // a login, a logout or an eviction may have been lost since it showed
  bool was_served = false;    // a command that needs a login was done
  bool is_attached = false;   // to the session of another connection, since the login
  std::optional<LeftOut> left_out;  // by the last answer without partitions
  // What the last login and its answer told: builds of both sides, and the number that the server
  // announces; 0 where it tells none.
  std::optional<Train> client_train;
  std::optional<Train> server_train;
  Version server_number;
  DoneSends sends;  // since the login
  // The first train with all the commands that were done since the login, of those that not every
  // build knows.
  Train server_shown{};
  // What ended last is a send that has the number of another one, and whether its answer was empty:
  // then the server took it for that one and stored nothing.
  bool is_number_taken = false;
  bool is_swallowed = false;
};
static_assert(std::is_trivially_copyable_v<SessionState>);

// Whether a request may have stopped the server, as its end shows: it was not answered, or others
// went on and do not know what came of it. A server that serves its metadata later did not stop.
bool may_have_stopped_server(const Asked& asked, const Outcome& outcome);
// Whether its end shows that the server serves its metadata: a login or a change of it was done.
bool shows_metadata_served(const Asked& asked, Generation server, const Outcome& outcome);

// The server sent an eviction with this reason.
void take_eviction(SessionState& session, std::uint8_t reason);
// Frames of the connection may have been lost; `client` is that of its logins, or null.
void take_loss(SessionState& session, ClientFacts* client);
// A request ended. `client` is what its client id showed; null in legacy framing, or not kept.
void take_end(SessionState& session, ClientFacts* client, const Asked& asked,
              const Outcome& outcome);
// The same of what the answer said, in nanoseconds of the capture; after take_end.
void take_answer(SessionState& session, const Asked& asked, const AnswerFacts& answer,
                 std::int64_t time);

}  // namespace iggy::conversation
