// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The rules about what replicas tell each other.
#include <fmt/format.h>

#include "iggy/frame.hpp"
#include "report/diagnosis.hpp"
#include "report/words.hpp"

namespace analyzer::report {

using connection::Connection;
using iggy::Command;

namespace {

constexpr std::size_t election_limit = 10'000;

}  // namespace

// A StartView alone may answer a node that comes back; after a call for the view it begins one. A
// node that was away calls late, and for a view that runs already.
void Diagnosis::replica_frame(const Connection&, const connection::Frame& frame) {
  const connection::Facts& facts = frame.facts;
  const auto key = std::make_pair(facts.group, facts.view);
  if (facts.is(Command::StartViewChange) || facts.is(Command::DoViewChange)) {
    if (elections_.size() < election_limit)
      elections_.try_emplace(key, Election{frame.raw.place.packet, frame.raw.place.time, false});
    else if (!elections_.contains(key))
      ++dropped_candidates_;
    return;
  }
  if (!facts.is(Command::StartView)) return;
  const auto found = elections_.find(key);
  if (found == elections_.end() || found->second.is_over) return;
  Election& election = found->second;
  election.is_over = true;
  const bool is_metadata = facts.group == iggy::metadata_group;
  const std::int64_t took = frame.raw.place.time - election.time;
  list_.add(FindingId::view_change, fmt::format("{} {} {}", is_metadata, facts.view, facts.replica),
            {fmt::format("Node {} became primary of {} in view {}, {} after the first call for it.",
                         facts.replica, is_metadata ? "the metadata group" : "a partition group",
                         facts.view,
                         duration_text(static_cast<std::uint64_t>(took > 0 ? took : 0) / 1000)),
             "",
             {election.packet, frame.raw.place.packet},
             "look for what began it: the last heartbeat (Commit) of the old primary, or its "
             "restart"});
}

}  // namespace analyzer::report
