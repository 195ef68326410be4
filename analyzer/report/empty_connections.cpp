// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The sums and the words of connections without data.
#include "report/empty_connections.hpp"

#include <algorithm>

namespace analyzer::report {

void EmptyConnectionTable::add(const stream::TcpFacts& facts) {
  const std::string_view state = stream::state_of(facts);
  const Key key{facts.roles_known ? std::optional(facts.second) : std::nullopt, state};
  auto row = rows_.find(key);
  if (row == rows_.end()) {
    if (rows_.size() >= limit_) {
      ++dropped_;
      return;
    }
    row = rows_.emplace(key, EmptyConnections{}).first;
    row->second.server = key.first;
    row->second.state = state;
  }
  EmptyConnections& sum = row->second;
  // Connections end in another order than they began.
  if (sum.count == 0 || facts.first_packet < sum.first.first_packet) sum.first = facts;
  ++sum.count;
  sum.syns += facts.syns;
  sum.out_of_window += facts.out_of_window;
  for (const std::size_t side : {0U, 1U}) {
    sum.resets[side] += facts.rst_packet[side] != 0 ? 1 : 0;
    sum.acknowledged_unseen += facts.acknowledged_unseen[side];
  }
}

std::vector<EmptyConnections> EmptyConnectionTable::take() {
  std::vector<EmptyConnections> sums;
  for (auto& [key, sum] : rows_) sums.push_back(sum);
  rows_.clear();
  std::sort(sums.begin(), sums.end(), [](const EmptyConnections& a, const EmptyConnections& b) {
    return std::pair(b.count, a.first.first_packet) < std::pair(a.count, b.first.first_packet);
  });
  return sums;
}

std::string_view words_of_empty(std::string_view state) {
  constexpr std::pair<std::string_view, std::string_view> words[] = {
      {"S0", "the SYN was not answered"},
      {"REJ", "refused: a RST answered the SYN"},
      {"S1", "answered, not ended"},
      {"S2", "answered, ended by the client alone"},
      {"S3", "answered, ended by the server alone"},
      {"SF", "opened and closed"},
      {"RSTO", "answered, reset by the client"},
      {"RSTR", "answered, reset by the server"},
      {"RSTOS0", "the SYN was not answered, and its sender reset"},
      {"SH", "the SYN was not answered, and its sender ended"},
      {"RSTRH", "answered and reset by the server, the SYN is not in the capture"},
      {"SHR", "answered and ended by the server, the SYN is not in the capture"},
  };
  for (const auto& [word, meaning] : words)
    if (word == state) return meaning;
  return "no whole handshake in the capture";
}

}  // namespace analyzer::report
