// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Builds that announce the same version and differ in their bodies: what one of them lacks.
//
// A difference is no finding before a request fails by it; rules.hpp asks for that. Decides by the
// strings of both sides' builds, and a build that is not listed is no evidence. Servers of 0.12 do
// not tell their build: there the number that both announce decides, with what the client's build
// has and how the request ended.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "conversation/framing.hpp"
#include "conversation/outcome.hpp"
#include "conversation/session.hpp"

namespace iggy::conversation {

// What two builds do not have in common, as a request showed that failed by it.
struct Difference {
  Side lacking = Side::unknown;  // whose build is without it
  std::string_view what;         // what that build lacks; empty where it is options or a command
  std::uint32_t options = 0;     // bit n: option n of the catalogue, which the server's build lacks
  bool is_command = false;       // the server's build lacks the command of the request
  bool is_inferred = false;      // from how it ended: the server's version does not tell its build
};

// Options that a request names and the server's build lacks, as bits of the catalogue. Only of
// topics that are created: what builds that tell their train have not in common is of topics, and
// can be given to no other command.
std::uint32_t options_lacked(const Asked& asked, Train server);

// Nothing where the builds are of one train, where too little is known of them, or where the
// request did not end as the difference would have it.
std::optional<Difference> difference_shown(const Asked& asked, const Outcome& outcome,
                                           const SessionState& session);

}  // namespace iggy::conversation
