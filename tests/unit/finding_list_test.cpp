// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Findings add up: alike evidence is counted, lists are bounded, the worst comes first.
#include "report/finding_list.hpp"

#include <gtest/gtest.h>

namespace analyzer::report {
namespace {

FindingList::Case shown(std::string text, std::vector<std::uint64_t> packets,
                        std::string advice = "do it", std::uint64_t count = 1) {
  return {std::move(text), "", std::move(packets), std::move(advice), count};
}

TEST(FindingList, AlikeEvidenceIsCounted) {
  FindingList list;
  list.add(FindingId::session_lost, "a", shown("first", {1, 2}));
  list.add(FindingId::session_lost, "a", shown("second", {3, 4}, "do it", 5));
  list.add(FindingId::session_lost, "b", shown("other", {5}));
  const std::vector<Finding> findings = list.take();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].count, 7U);
  EXPECT_EQ(findings[0].packets, (std::vector<std::uint64_t>{1, 2, 3, 4, 5}));
  ASSERT_EQ(findings[0].evidence.size(), 2U);
  EXPECT_EQ(findings[0].evidence[0].text, "first");
  EXPECT_EQ(findings[0].evidence[0].count, 6U);
  EXPECT_TRUE(findings[0].evidence[0].is_first_of_many);
  EXPECT_FALSE(findings[0].evidence[1].is_first_of_many);
  EXPECT_EQ(findings[0].evidence[1].packets, std::vector<std::uint64_t>{5});
  EXPECT_EQ(findings[0].advice, std::vector<std::string>{"do it"});
}

TEST(FindingList, WhatIsSaidTheSameEachTimeIsTrueOfAll) {
  FindingList list;
  for (std::uint64_t packet = 1; packet <= 3; ++packet)
    list.add(FindingId::session_lost, "a", shown("the same", {packet}));
  EXPECT_FALSE(list.take()[0].evidence[0].is_first_of_many);
}

TEST(FindingList, WhatHasToRepeatIsInfoUntilItDoesForOneClient) {
  FindingList list;
  for (const char* client : {"a", "b", "a", "c"})
    list.add(FindingId::limit_reached, client, shown("x", {1}));
  EXPECT_EQ(list.take()[0].severity, Severity::info);
  list.add(FindingId::limit_reached, "a", shown("x", {2}));
  EXPECT_EQ(list.take()[0].severity, Severity::error);
}

TEST(FindingList, PacketZeroIsNoPacket) {
  FindingList list;
  list.add(FindingId::session_lost, "a", shown("x", {0, 7, 0}));
  EXPECT_EQ(list.take()[0].packets, std::vector<std::uint64_t>{7});
}

TEST(FindingList, WorstFirstThenByTheTable) {
  FindingList list;
  list.add(FindingId::login_not_captured, "", shown("x", {}));
  list.add(FindingId::request_never_answered, "", shown("x", {}));
  list.add(FindingId::malformed_login, "", shown("x", {}));
  list.add(FindingId::connection_refused, "", shown("x", {}));
  list.add(FindingId::version_window_inconsistent, "", shown("x", {}));
  std::vector<FindingId> ids;
  for (const Finding& finding : list.take()) ids.push_back(finding.id);
  EXPECT_EQ(ids, (std::vector<FindingId>{FindingId::connection_refused, FindingId::malformed_login,
                                         FindingId::request_never_answered,
                                         FindingId::version_window_inconsistent,
                                         FindingId::login_not_captured}));
}

TEST(FindingList, ListsAreBoundedAndSaySo) {
  FindingList list;
  for (std::uint64_t i = 1; i <= 300; ++i)
    list.add(FindingId::session_lost, std::to_string(i),
             shown("x", {i}, "advice " + std::to_string(i)));
  const Finding finding = list.take()[0];
  EXPECT_EQ(finding.count, 300U);
  EXPECT_LE(finding.packets.size(), 100U);
  EXPECT_LE(finding.advice.size(), 8U);
  EXPECT_LT(finding.evidence.size(), 300U);
  EXPECT_EQ(finding.evidence.size() + finding.dropped_evidence, 300U);
}

std::string numbered(std::string_view what, std::size_t number) {
  return std::string(what) + std::to_string(number);
}

// More distinct cases than have a place.
void add_many(FindingList& list, std::size_t count, std::string_view what) {
  for (std::size_t i = 0; i < count; ++i)
    list.add(FindingId::limit_reached, numbered(what, i), shown(numbered(what, i), {i + 1}));
}

TEST(FindingList, WhatRepeatsBehindTheExamplesIsFoundAndShown) {
  FindingList list;
  add_many(list, 60, "once ");
  EXPECT_EQ(list.take()[0].severity, Severity::info);
  for (std::uint64_t packet = 1001; packet <= 1100; ++packet)
    list.add(FindingId::limit_reached, "hot", shown("hot", {packet}));
  const Finding finding = list.take()[0];
  EXPECT_EQ(finding.severity, Severity::error);
  EXPECT_EQ(finding.count, 160U);
  EXPECT_EQ(finding.evidence[0].text, "hot");
  EXPECT_EQ(finding.evidence[0].count, 100U);
  EXPECT_EQ(finding.evidence[0].packets.front(), 1001U);
  EXPECT_EQ(finding.evidence.size(), 50U);
  EXPECT_EQ(finding.dropped_evidence, 11U);
}

// What lost its place has not lost its count.
TEST(FindingList, WhatMadePlaceMayComeBack) {
  FindingList list;
  add_many(list, 50, "once ");
  for (const char* key : {"hot", "hot", "hot", "once 49", "once 49"})
    list.add(FindingId::limit_reached, key, shown(key, {7}));
  const Finding finding = list.take()[0];
  EXPECT_EQ(finding.evidence[0].text, "once 49");
  EXPECT_EQ(finding.evidence[0].count, 3U);
  EXPECT_EQ(finding.evidence[0].packets, (std::vector<std::uint64_t>{50, 7, 7}));
  EXPECT_EQ(finding.evidence[1].text, "hot");
}

TEST(FindingList, RepetitionsAreFoundAcrossManyOtherCases) {
  FindingList list;
  add_many(list, 50, "first ");
  for (const char* round : {"a ", "b ", "c "}) {
    list.add(FindingId::limit_reached, "slow", shown("slow", {1}));
    add_many(list, FindingList::counted_limit - 1, round);
  }
  EXPECT_EQ(list.take()[0].severity, Severity::error);
  EXPECT_EQ(list.take()[0].evidence[0].text, "slow");
  EXPECT_EQ(list.take()[0].evidence[0].count, 3U);
}

TEST(FindingList, EvidenceThatRepeatsComesFirst) {
  FindingList list;
  for (const char* key : {"a", "b", "c", "c", "c"})
    list.add(FindingId::limit_reached, key, shown(key, {1}));
  const Finding finding = list.take()[0];
  EXPECT_EQ(finding.evidence[0].text, "c");
  EXPECT_EQ(finding.evidence[1].text, "a");
}

}  // namespace
}  // namespace analyzer::report
