// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// A capture that is written as a conversation, and the findings that a report makes of it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "conversation/finding.hpp"
#include "report/statistics.hpp"
#include "support/iggy_frames.hpp"
#include "support/iggy_scene.hpp"

namespace support {

using iggy::conversation::FindingId;

class Report {
 public:
  // `ports` are those that the user names as Iggy's; `checks_stored` as --verify-checksums.
  explicit Report(std::set<std::uint16_t> ports = {}, bool checks_stored = false)
      : statistics_(
            std::make_unique<analyzer::report::Statistics>(std::move(ports), checks_stored)),
        scene_(std::make_unique<Scene>(*statistics_)) {}

  Scene& scene() { return *scene_; }
  // Lets the capture go on for so long, and end.
  const analyzer::report::Model& finish(std::int64_t after = 0) {
    if (is_finished_) return model_;
    is_finished_ = true;
    scene_->wait(after);
    if (after != 0) scene_->tick();
    scene_->finish();
    statistics_->model().last_time = scene_->now();
    model_ = statistics_->finish();
    credentials_ = split_off(model_.findings);
    return model_;
  }
  // The ids of all findings, worst first.
  std::vector<std::string> findings() {
    std::vector<std::string> ids;
    for (const analyzer::report::Finding& finding : finish().findings)
      ids.emplace_back(iggy::conversation::kind_of(finding.id).word);
    return ids;
  }
  const analyzer::report::Finding& only() {
    EXPECT_EQ(finish().findings.size(), 1U);
    return model_.findings.at(0);
  }
  std::string advice() {
    std::string all;
    for (const std::string& each : only().advice) all += each + "\n";
    return all;
  }
  std::string text() { return only().evidence.at(0).text; }
  // Every login of these conversations is in clear; that is asked for apart.
  const std::vector<analyzer::report::Finding>& credentials() {
    finish();
    return credentials_;
  }

 private:
  static std::vector<analyzer::report::Finding> split_off(
      std::vector<analyzer::report::Finding>& findings) {
    const auto split = std::stable_partition(findings.begin(), findings.end(),
                                             [](const analyzer::report::Finding& finding) {
                                               return finding.id != FindingId::credentials_in_clear;
                                             });
    std::vector<analyzer::report::Finding> credentials(split, findings.end());
    findings.erase(split, findings.end());
    return credentials;
  }

  std::unique_ptr<analyzer::report::Statistics> statistics_;
  std::unique_ptr<Scene> scene_;
  analyzer::report::Model model_;
  std::vector<analyzer::report::Finding> credentials_;
  bool is_finished_ = false;
};

using Ids = std::vector<std::string>;

// A client that is logged in, on a connection of its own.
inline Talk logged_in(Report& report, unsigned port = 50'000, U128 client = first_client) {
  Talk talk(report.scene(), port);
  talk.client(login(password_body(), client));
  talk.server(login_reply(iggy::version_0_11_0, client));
  return talk;
}

}  // namespace support
