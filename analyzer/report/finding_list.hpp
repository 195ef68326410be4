// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Collects findings: alike evidence is counted, examples and packets are bounded.
//
// What has to repeat is counted beyond the examples too, as long as fewer than `counted_limit`
// other cases lie between two of it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "report/model.hpp"

namespace analyzer::report {

class FindingList {
 public:
  // `key` tells which evidence is alike: the first of each kind keeps its text, and is marked as
  // the first where the others say another. Packets of 0 are left out.
  struct Case {
    std::string text;  // see Evidence
    std::string detail;
    std::vector<std::uint64_t> packets;
    std::string advice;
    std::uint64_t count = 1;
  };
  void add(FindingId id, std::string_view key, Case shown);

  // All of them, worst first, then in the order of the table. Evidence of what has repeated often
  // enough comes first.
  std::vector<Finding> take() const;

  static constexpr std::size_t counted_limit = 10'000;

 private:
  // Evidence that is not kept, by a hash of its key.
  struct Counted {
    std::uint64_t count = 0;
    std::vector<std::uint64_t> packets;
  };
  using CountedByKey = std::unordered_map<std::size_t, Counted>;
  struct Entry {
    Finding finding;
    std::map<std::string, std::size_t, std::less<>> by_key;  // index of the evidence
    CountedByKey counted;                                    // since it was full the last time
    CountedByKey earlier;                                    // what was counted then
  };
  static void insist(Entry& entry, std::string_view key, Evidence evidence);
  static Counted& count(Entry& entry, std::size_t hash, const Counted& more);
  std::map<FindingId, Entry> entries_;
};

}  // namespace analyzer::report
