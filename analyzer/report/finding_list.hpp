// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Collects findings: alike evidence is counted, examples and packets are bounded.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
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

  // All of them, worst first, then in the order of the table.
  std::vector<Finding> take() const;

 private:
  struct Entry {
    Finding finding;
    std::map<std::string, std::size_t, std::less<>> by_key;  // index of the evidence
  };
  std::map<FindingId, Entry> entries_;
};

}  // namespace analyzer::report
