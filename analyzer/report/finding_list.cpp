// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Findings of one kind and subject become one entry with a count and its first examples.
#include "report/finding_list.hpp"

#include <algorithm>

namespace analyzer::report {
namespace {

constexpr std::size_t evidence_limit = 50;
constexpr std::size_t advice_limit = 8;
constexpr std::size_t packets_of_finding = 100;
constexpr std::size_t packets_of_evidence = 12;

void append(std::vector<std::uint64_t>& to, const std::vector<std::uint64_t>& packets,
            std::size_t limit) {
  for (const std::uint64_t packet : packets)
    if (packet != 0 && to.size() < limit) to.push_back(packet);
}

// Whether it happened to one client as often as its kind asks for.
bool is_repeated(const Finding& finding) {
  const std::uint64_t repeats = iggy::conversation::kind_of(finding.id).repeats;
  return std::any_of(finding.evidence.begin(), finding.evidence.end(),
                     [repeats](const Evidence& shown) { return shown.count >= repeats; });
}

}  // namespace

void FindingList::add(FindingId id, std::string_view key, Case shown) {
  Entry& entry = entries_[id];
  Finding& finding = entry.finding;
  finding.id = id;
  finding.severity = iggy::conversation::kind_of(id).severity;
  finding.count += shown.count;
  append(finding.packets, shown.packets, packets_of_finding);
  if (!shown.advice.empty() && finding.advice.size() < advice_limit &&
      std::find(finding.advice.begin(), finding.advice.end(), shown.advice) == finding.advice.end())
    finding.advice.push_back(shown.advice);

  const auto known = entry.by_key.find(key);
  if (known != entry.by_key.end()) {
    Evidence& evidence = finding.evidence[known->second];
    evidence.count += shown.count;
    evidence.is_first_of_many |= evidence.text != shown.text || evidence.detail != shown.detail;
    append(evidence.packets, shown.packets, packets_of_evidence);
    return;
  }
  if (finding.evidence.size() >= evidence_limit) {
    ++finding.dropped_evidence;
    return;
  }
  entry.by_key.emplace(key, finding.evidence.size());
  Evidence evidence;
  evidence.text = std::move(shown.text);
  evidence.detail = std::move(shown.detail);
  evidence.count = shown.count;
  evidence.advice = std::move(shown.advice);
  append(evidence.packets, shown.packets, packets_of_evidence);
  finding.evidence.push_back(std::move(evidence));
}

std::vector<Finding> FindingList::take() const {
  std::vector<Finding> findings;
  for (const auto& [id, entry] : entries_) {
    findings.push_back(entry.finding);
    if (!is_repeated(entry.finding)) findings.back().severity = iggy::conversation::Severity::info;
  }
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
  return findings;
}

}  // namespace analyzer::report
