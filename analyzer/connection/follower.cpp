// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Makes a connection for each stream that TCP reassembly opens.
#include "connection/follower.hpp"

namespace analyzer::connection {

std::unique_ptr<stream::ByteSink> Follower::open(const stream::TcpFacts& facts) {
  return std::make_unique<Connection>(facts, shared_);
}

void Follower::ended(const stream::TcpFacts& facts, stream::Ending ending, stream::ByteSink* sink) {
  if (sink == nullptr) {
    ++contents_.empty;
    shared_.observer.without_bytes(facts);
    return;
  }
  // Every sink is one that `open` made.
  auto& connection = *static_cast<Connection*>(sink);
  connection.end(facts, ending);
  count(connection);
}

void Follower::count(const Connection& connection) {
  switch (connection.content()) {
    case Content::frames:
      contents_.hiding_holes += connection.hiding_holes();
      break;
    case Content::encrypted:
      ++contents_.encrypted;
      break;
    case Content::other:
      ++contents_.other;
      break;
    case Content::untold:
      ++contents_.untold;
      break;
  }
}

}  // namespace analyzer::connection
