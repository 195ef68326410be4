// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Findings of one kind and subject become one entry with a count and its first examples.
#include "report/finding_list.hpp"

#include <algorithm>
#include <functional>
#include <utility>

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
bool is_repeated(FindingId id, const Evidence& evidence) {
  return evidence.count >= iggy::conversation::kind_of(id).repeats;
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
  Evidence evidence;
  evidence.text = std::move(shown.text);
  evidence.detail = std::move(shown.detail);
  evidence.count = shown.count;
  evidence.advice = std::move(shown.advice);
  append(evidence.packets, shown.packets, packets_of_evidence);
  if (finding.evidence.size() < evidence_limit) {
    entry.by_key.emplace(key, finding.evidence.size());
    finding.evidence.push_back(std::move(evidence));
    return;
  }
  ++finding.dropped_evidence;
  insist(entry, key, std::move(evidence));
}

// Counts what has no place among the evidence, and gives it that of what has not repeated once it
// has.
void FindingList::insist(Entry& entry, std::string_view key, Evidence evidence) {
  Finding& finding = entry.finding;
  const auto once =
      std::find_if(finding.evidence.rbegin(), finding.evidence.rend(),
                   [&](const Evidence& kept) { return !is_repeated(finding.id, kept); });
  if (once == finding.evidence.rend()) return;
  const std::size_t hash = std::hash<std::string_view>{}(key);
  Counted& counted = count(entry, hash, {evidence.count, evidence.packets});
  evidence.count = counted.count;
  if (!is_repeated(finding.id, evidence)) return;
  evidence.packets = std::move(counted.packets);
  entry.counted.erase(hash);

  const auto place = static_cast<std::size_t>(finding.evidence.rend() - once) - 1;
  const auto old = std::find_if(entry.by_key.begin(), entry.by_key.end(),
                                [place](const auto& row) { return row.second == place; });
  finding.dropped_evidence += once->count;
  finding.dropped_evidence -= evidence.count;
  count(entry, std::hash<std::string_view>{}(old->first), {once->count, std::move(once->packets)});
  *once = std::move(evidence);
  entry.by_key.erase(old);
  entry.by_key.emplace(key, place);
}

FindingList::Counted& FindingList::count(Entry& entry, std::size_t hash, const Counted& more) {
  if (entry.counted.size() >= counted_limit && !entry.counted.contains(hash))
    entry.earlier = std::exchange(entry.counted, {});
  Counted& counted = entry.counted[hash];
  if (auto before = entry.earlier.extract(hash)) counted = std::move(before.mapped());
  counted.count += more.count;
  append(counted.packets, more.packets, packets_of_evidence);
  return counted;
}

std::vector<Finding> FindingList::take() const {
  std::vector<Finding> findings;
  for (const auto& [id, entry] : entries_) {
    Finding& finding = findings.emplace_back(entry.finding);
    const auto repeated = std::stable_partition(
        finding.evidence.begin(), finding.evidence.end(),
        [&](const Evidence& shown) { return is_repeated(finding.id, shown); });
    if (repeated == finding.evidence.begin()) finding.severity = iggy::conversation::Severity::info;
  }
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
  return findings;
}

}  // namespace analyzer::report
