// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What a request is about, and whether a server can read it: what refusals are counted and told by.
//
// Read at the rows of a body by small sinks. What follows from it is decided in rules.hpp, and what
// is said of it belongs to the tools.
#pragma once

#include <cstdint>
#include <optional>

#include "decode/facts.hpp"
#include "decode/window.hpp"
#include "iggy/dialect.hpp"

namespace iggy::conversation {

// Tells what the requests of one command are about: a hash of the streams, topics, groups,
// consumers and users that a body names. What it counts and measures is left out, and so is the
// partition. 0 where it names nothing. `code` is that of plan_body.
std::uint64_t target_of(const decode::Facts& request, Dialect sender, std::uint32_t code,
                        decode::Window body);

// Whether a server can read the body, as far as it was captured: all rows of its command are there,
// and what it names is named in a way that is known. What stands behind them is not looked at.
bool can_be_read(const decode::Facts& request, Dialect sender, std::uint32_t code,
                 decode::Window body);

// Whether a request, a Prepare or a RepairPrepare is of the changes of metadata that servers commit
// before they read their body. Source: core/metadata/src/stm, core/server/src/dispatch.rs.
bool is_committed_unread(const decode::Facts& facts);

// Whether it is one of them whose body cannot be read, as far as it was captured: who applies it
// stops.
bool stops_servers(const decode::Facts& facts, Dialect sender, decode::Window body);

// The same of what replicas send each other, as far as a receiver takes it: it drops a Prepare
// whose body has another checksum than `header` tells.
bool stops_replicas(const decode::Facts& facts, Dialect sender, decode::Bytes header,
                    decode::Window body);

// The offset at which a partition begins once a TruncatePartition was done, 0 where it deletes
// nothing. Nothing of other requests, and where the capture cut it off.
std::optional<std::uint64_t> truncated_to(const decode::Facts& request, Dialect sender,
                                          decode::Window body);

// Whether the offset that a request stores or deletes is that of a consumer group; false of others.
bool is_offset_of_group(const decode::Facts& request, Dialect sender, std::uint32_t code,
                        decode::Window body);

// Whether a poll asks for its offset to be stored; nothing where that was not captured.
std::optional<bool> is_committing(const decode::Facts& request, Dialect sender, std::uint32_t code,
                                  decode::Window body);

}  // namespace iggy::conversation
