// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// How peers of a generation behave where no table of bytes can say it.
//
// One row for each generation, so that a new one is read off in one place; nothing else asks which
// generation it is to learn how a peer behaves. Sources: core/server/src/dispatch.rs, responses.rs,
// core/consensus/src/plane_helpers.rs and core/binary_protocol of the releases.
#pragma once

#include "iggy/generation.hpp"

namespace iggy {

struct Conduct {
  // A reply names its request by its number alone and may come out of turn; up to 0.11 by operation
  // and number, and all but commands of partitions are answered in turn.
  bool answers_by_number = false;
  bool answers_unknown_operations = false;  // with a status; others drop the frame
  bool evicts_all_at_once = false;          // an eviction ends every outstanding request
  bool sessions_outlive_connections = false;
  bool binds_sessions = false;  // by a command of operation 2
  // `request_checksum` is that of the body; otherwise it identifies the request.
  bool checks_requests = true;
  bool names_producers = false;  // in batches
  // Some operations are replicated before anybody reads their body.
  bool commits_unread = false;
  bool marks_secret_options = false;
};

constexpr Conduct conduct_of(Generation generation) {
  Conduct conduct;
  if (generation == Generation::v0_11) conduct.commits_unread = true;
  if (generation == Generation::v0_12)
    conduct = {.answers_by_number = true,
               .answers_unknown_operations = true,
               .evicts_all_at_once = true,
               .sessions_outlive_connections = true,
               .binds_sessions = true,
               .checks_requests = false,
               .names_producers = true,
               .marks_secret_options = true};
  return conduct;
}

}  // namespace iggy
