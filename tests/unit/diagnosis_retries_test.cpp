// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Requests that are sent again because the server cannot take them now: from when on that counts,
// and how it ended.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "report/diagnosis.hpp"
#include "support/report_scene.hpp"

namespace support {
namespace {

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The same send, `times` times, a pause before each.
void insist(Report& report, Talk& talk, unsigned times, std::int64_t pause,
            std::uint32_t code = 58) {
  for (unsigned i = 0; i < times; ++i) {
    report.scene().wait(pause);
    talk.client(request({.operation = 160, .number = 7}));
    talk.server(reply({.operation = 160, .number = 7, .status = code}));
  }
}

TEST(Retries, TenTimesOrASecondCount) {
  constexpr std::int64_t pause = 50 * Scene::millisecond;
  const auto found = [](unsigned times, std::int64_t between) {
    Report report;
    Talk talk = logged_in(report);
    insist(report, talk, times, between);
    return report.findings();
  };
  EXPECT_EQ(found(9, pause), Ids{});
  EXPECT_EQ(found(10, pause), Ids{"transient-retry-storm"});
  EXPECT_EQ(found(3, 600 * Scene::millisecond), Ids{"transient-retry-storm"});
  EXPECT_EQ(found(2, 1'500 * Scene::millisecond), Ids{});
  EXPECT_EQ(found(20, 3 * Scene::second), Ids{});  // each a request of its own
}

TEST(Retries, TellHowItEnded) {
  constexpr std::int64_t pause = 50 * Scene::millisecond;
  const auto text_with_end = [](std::optional<std::uint32_t> status) {
    Report report;
    Talk talk = logged_in(report);
    insist(report, talk, 12, pause);
    if (status) {
      talk.client(request({.operation = 160, .number = 7}));
      talk.server(reply({.operation = 160, .number = 7, .status = *status}));
    }
    for (const auto& finding : report.finish().findings)
      if (finding.id == iggy::conversation::FindingId::transient_retry_storm)
        return finding.evidence.at(0).text;
    return std::string();
  };
  EXPECT_TRUE(says(text_with_end(0), "58 TransientNotAccepted 12 times")) << text_with_end(0);
  EXPECT_TRUE(says(text_with_end(0), "then it was done"));
  EXPECT_TRUE(says(text_with_end(20), "at last status 20"));
  EXPECT_TRUE(says(text_with_end({}), "and it was not sent again"));
}

TEST(Retries, OtherRequestsBetweenThemChangeNothing) {
  Report report;
  Talk talk = logged_in(report);
  for (unsigned i = 0; i < 5; ++i) {
    insist(report, talk, 2, 50 * Scene::millisecond);
    talk.client(read(100, 8 + i));
    talk.server(reply({.number = 8 + i}));
  }
  EXPECT_EQ(report.findings(), Ids{"transient-retry-storm"});
}

TEST(Retries, ACommitThatWasGivenUpIsToldAsSuch) {
  Report report;
  Talk talk = logged_in(report);
  insist(report, talk, 12, 50 * Scene::millisecond, 57);
  EXPECT_EQ(report.findings(), Ids{"transient-retry-storm"});
  EXPECT_TRUE(says(report.only().evidence.at(0).detail, "whether it is done is not known"));
}

}  // namespace
}  // namespace support
