// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Makes a connection for each stream that TCP reassembly opens.
#include "connection/follower.hpp"

namespace analyzer::connection {

std::unique_ptr<stream::ByteSink> Follower::open(const stream::TcpFacts& facts) {
  return std::make_unique<Connection>(facts, shared_);
}

void Follower::ended(const stream::TcpFacts& facts, stream::Ending ending, stream::ByteSink* sink) {
  // Every sink is one that `open` made.
  if (sink != nullptr)
    static_cast<Connection*>(sink)->end(facts, ending);
  else
    shared_.observer.without_bytes(facts);
}

}  // namespace analyzer::connection
