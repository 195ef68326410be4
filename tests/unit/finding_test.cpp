// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The table of findings: in order, with ids that are stable words and lines that read alike.
#include "conversation/finding.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <set>
#include <string>

namespace iggy::conversation {
namespace {

TEST(Finding, TableIsInTheOrderOfTheIds) {
  for (std::size_t i = 0; i < finding_kinds().size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(finding_kinds()[i].id), i);
    EXPECT_EQ(&kind_of(finding_kinds()[i].id), &finding_kinds()[i]);
  }
  EXPECT_EQ(finding_kinds().back().id, FindingId::login_not_captured);
}

TEST(Finding, WordsAreUniqueAndKebabCase) {
  std::set<std::string_view> words;
  for (const FindingKind& kind : finding_kinds()) {
    EXPECT_TRUE(words.insert(kind.word).second) << kind.word;
    for (const char c : kind.word)
      EXPECT_TRUE(c == '-' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) << kind.word;
    EXPECT_FALSE(kind.word.starts_with('-') || kind.word.ends_with('-'));
  }
}

TEST(Finding, SummariesAreOneLineWithoutAFullStop) {
  for (const FindingKind& kind : finding_kinds()) {
    EXPECT_TRUE(std::isupper(static_cast<unsigned char>(kind.summary.front()))) << kind.word;
    EXPECT_FALSE(kind.summary.ends_with('.')) << kind.word;
    EXPECT_EQ(kind.summary.find('\n'), std::string_view::npos);
    EXPECT_LE(kind.summary.size(), 90U) << kind.word;
  }
}

TEST(Finding, UnitsAreSingular) {
  for (const FindingKind& kind : finding_kinds()) {
    EXPECT_FALSE(kind.unit.empty());
    EXPECT_FALSE(kind.unit.ends_with('s')) << kind.word;
  }
}

TEST(Finding, Severities) {
  EXPECT_EQ(word_of(Severity::info), "info");
  EXPECT_EQ(word_of(Severity::warning), "warning");
  EXPECT_EQ(word_of(Severity::error), "error");
  EXPECT_EQ(word_of(Severity::critical), "critical");
  EXPECT_LT(Severity::error, Severity::critical);
  EXPECT_EQ(kind_of(FindingId::protocol_version_rejected).severity, Severity::critical);
  EXPECT_EQ(kind_of(FindingId::request_never_answered).severity, Severity::error);
  EXPECT_EQ(kind_of(FindingId::version_window_inconsistent).severity, Severity::warning);
  EXPECT_EQ(kind_of(FindingId::login_not_captured).severity, Severity::info);
}

}  // namespace
}  // namespace iggy::conversation
