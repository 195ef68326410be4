// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What the report says of refusals and empty answers is true of each command, and guesses nothing.
#include <gtest/gtest.h>

#include "report/diagnosis.hpp"
#include "support/batches.hpp"
#include "support/report_scene.hpp"

namespace support {
namespace {

using iggy::conversation::Severity;

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Buffer named(std::string_view text) {
  return little().u8(2).u8(text.size()).bytes(bytes_of(text)).buffer();
}
Buffer truncation(std::uint64_t to) {
  return joined({named("o"), named("t"), little().u32(0).u64(to).buffer()});
}

// One request and its answer.
Report after(const Request& asked, const Reply& answered) {
  Report report;
  Talk talk = logged_in(report);
  talk.client(request(asked));
  talk.server(reply(answered));
  return report;
}

TEST(Truncations, AreGoneOnlyWhereSomethingIs) {
  Report done =
      after({.operation = 68, .body = truncation(41)}, {.operation = 68, .body = success()});
  EXPECT_EQ(done.findings(), Ids{"truncate-from-client"});
  EXPECT_TRUE(says(done.text(), "TruncatePartition o/t[0] to 41")) << done.text();
  EXPECT_TRUE(says(done.text(), "whatever the partition held below offset 41 is gone"));
  Report nothing =
      after({.operation = 68, .body = truncation(0)}, {.operation = 68, .body = success()});
  EXPECT_EQ(nothing.findings(), Ids{"internal-operation-from-client"});
  EXPECT_TRUE(says(nothing.text(), "up to offset 0 there was nothing to delete")) << nothing.text();
  Report unread = after({.operation = 68}, {.operation = 68, .body = success()});
  EXPECT_EQ(unread.findings(), Ids{"truncate-from-client"});
  EXPECT_TRUE(says(unread.text(), "messages may be gone")) << unread.text();
}

TEST(Truncations, ThatAreRefusedAreAbuse) {
  for (const std::uint32_t code : {41U, 1009U, 2010U, 3007U}) {
    Report report = after({.operation = 68, .body = truncation(41)},
                          {.operation = 68, .body = rejection(code)});
    EXPECT_EQ(report.findings(), Ids{"internal-operation-from-client"}) << code;
    EXPECT_TRUE(says(report.text(), "TruncatePartition o/t[0] to 41 by user")) << report.text();
    EXPECT_TRUE(says(report.text(), "only servers may use this operation"));
    EXPECT_TRUE(says(report.advice(), "treat it as abuse"));
  }
}

TEST(Insistence, IsOnOneThing) {
  const auto severity_of = [](unsigned operation, std::uint32_t error,
                              const std::vector<Buffer>& bodies) {
    Report report;
    Talk talk = logged_in(report);
    std::uint64_t number = 1;
    for (const Buffer& body : bodies) {
      talk.client(request({.operation = operation, .number = number, .body = body}));
      talk.server(reply({.operation = operation, .number = number, .body = rejection(error)}));
      ++number;
    }
    EXPECT_EQ(report.only().count, bodies.size());
    return report.only().severity;
  };
  const auto group = [](std::string_view name) {
    return joined({named("o"), named("t"), named(name)});
  };
  EXPECT_EQ(severity_of(148, 5000, {group("a"), group("b"), group("c")}), Severity::info);
  EXPECT_EQ(severity_of(148, 5000, {group("a"), group("a"), group("a")}), Severity::error);
  const auto stream = [](std::string_view name) { return short_text(name); };
  EXPECT_EQ(severity_of(128, 1020, {stream("my a"), stream("my b"), stream("my c")}),
            Severity::info);
  EXPECT_EQ(severity_of(128, 1020, {stream("my a"), stream("my a"), stream("my a")}),
            Severity::error);
}

TEST(Words, FitTheCommand) {
  const auto said = [](unsigned operation, std::uint32_t code) {
    Report report = after({.operation = operation}, {.operation = operation, .status = code});
    return report.text();
  };
  EXPECT_TRUE(says(said(137, 2019), "the topic does not have so many partitions"));
  for (const unsigned creating : {132U, 136U})
    EXPECT_TRUE(says(said(creating, 2019), "the server cannot apply this count of partitions"));
  for (const unsigned creating : {128U, 132U, 141U})
    EXPECT_FALSE(says(said(creating, 4041), "creation")) << creating;
  EXPECT_TRUE(says(said(133, 4041), "or it can only be set at creation"));
  EXPECT_TRUE(says(said(161, 4100), "the node that answered holds no such offset"));
  EXPECT_TRUE(says(said(162, 3021), "the node that answered has stored nothing"));
}

TEST(Words, OfATokenThatExistsTellThatItsTextMayBeLost) {
  Report report = after({.operation = 146}, {.operation = 146, .body = rejection(51)});
  EXPECT_EQ(report.findings(), Ids{"resource-exists"});
  EXPECT_TRUE(says(report.text(), "or this is the repetition of a request that was done"));
  EXPECT_TRUE(says(report.advice(), "delete the token and create it anew")) << report.advice();
  EXPECT_FALSE(says(report.advice(), "nothing, where"));
}

TEST(Words, OfAnEmptyAnswerDoNotTellWhy) {
  const Buffer offset = joined({little().u8(2).buffer(), named("g"), named("o"), named("t"),
                                little().u8(1).u32(0).buffer()});
  Report stored = after({.code = 120, .body = offset}, {});
  EXPECT_EQ(stored.findings(), Ids{"offset-missing"});
  EXPECT_TRUE(says(stored.text(), "its group does not exist")) << stored.text();
  EXPECT_TRUE(says(stored.advice(), "else look for the group")) << stored.advice();
}

// Servers answer it as they do what is not there.
TEST(Words, OfABodyThatCannotBeReadAreOfTheBody) {
  const auto said = [](std::uint32_t code, const Buffer& body) {
    Report report = after({.code = code, .body = body}, {});
    return report.text();
  };
  const std::string unread = "the body of the request cannot be read";
  EXPECT_TRUE(says(said(21, little().u8(1).u8(0).buffer()), unread));
  EXPECT_TRUE(says(said(21, {}), unread));
  EXPECT_FALSE(says(said(21, little().u32(1).buffer()), unread));
  EXPECT_TRUE(says(said(606, named("o")), unread));
  EXPECT_FALSE(says(said(606, joined({named("o"), named("t"), named("g")})), unread));
  EXPECT_TRUE(says(said(120, named("o")), unread));
}

TEST(Words, OfAWayThatIsRefusedNameTheRule) {
  const auto said = [](unsigned auto_commit, std::size_t bytes_less = 0) {
    Buffer body = joined({little().u8(1).buffer(), named("c"), named("o"), named("t"),
                          little().u8(1).u32(0).u8(5).u64(0).u32(10).u8(auto_commit).buffer()});
    body.resize(body.size() - bytes_less);
    Report report = after({.code = 103, .body = body}, {.status = 3});
    EXPECT_EQ(report.findings(), Ids{"unknown-or-unsupported-command"});
    return report.text();
  };
  EXPECT_TRUE(says(said(0), "serves it only for polls with auto_commit 1")) << said(0);
  EXPECT_TRUE(says(said(1), "refused what the body says")) << said(1);
  EXPECT_TRUE(says(said(1, 1), "could not read the body")) << said(1, 1);
}

// Sessions of 0.12 are attached to nothing.
TEST(Words, OfAStaleSessionOf0_12AreOfTheSession) {
  Report report;
  Talk talk(report.scene());
  const iggy::Version number = iggy::make_version(0, 12, 2);
  talk.client(login(password_body({.version = number, .secret = true})));
  talk.server(reply({.operation = 1, .number = 0, .body = login_reply_body(number, "0.10.0")}));
  talk.client(request({.operation = 161, .number = 1}));
  talk.server(reply({.operation = 161, .number = 1, .status = 30}));
  EXPECT_EQ(report.findings(), Ids{"session-lost"});
  EXPECT_FALSE(says(report.text() + report.advice(), "attach")) << report.text();
  EXPECT_TRUE(says(report.advice(), "heartbeat"));
}

TEST(Secrets, OfOtherBodiesThanLoginsAreInClearToo) {
  const Buffer user = joined({short_text("bob"), short_text("pw"), little().u8(1).u8(0).buffer()});
  Report report;
  Talk talk(report.scene());
  talk.client(request({.operation = 141, .number = 1, .body = user}));
  talk.server(reply({.operation = 141, .number = 1, .body = rejection(46)}));
  talk.client(request({.operation = 146,
                       .number = 2,
                       .body = joined({short_text("t"), little().u64(0).buffer()})}));
  talk.server(
      reply({.operation = 146, .number = 2, .body = joined({success(), short_text("token")})}));
  talk.client(request({.operation = 128, .number = 3, .body = short_text("s")}));
  talk.server(reply({.operation = 128, .number = 3, .body = rejection(1012)}));
  ASSERT_EQ(report.credentials().size(), 1U);
  const auto& evidence = report.credentials()[0].evidence;
  ASSERT_EQ(evidence.size(), 2U);
  EXPECT_TRUE(says(evidence[0].text, "Requests user.create at ")) << evidence[0].text;
  EXPECT_TRUE(says(evidence[0].text, " carry passwords in clear."));
  EXPECT_TRUE(says(evidence[1].text, "Replies to personal_access_token.create at "))
      << evidence[1].text;
}

}  // namespace
}  // namespace support
