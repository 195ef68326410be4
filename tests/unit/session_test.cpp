// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What requests that end leave of a session.
#include "conversation/session.hpp"

#include <gtest/gtest.h>

#include "iggy/registry.hpp"

namespace iggy::conversation {
namespace {

constexpr Outcome done{OutcomeKind::ok, 0};
constexpr Outcome lost{OutcomeKind::unknown, 0};

Asked login() {
  Asked asked;
  asked.operation = operation::register_session;
  asked.code = code::login_register;
  asked.is_login = true;
  asked.login = decode::LoginKind::password;
  return asked;
}
Asked logout() {
  Asked asked;
  asked.operation = operation::logout;
  asked.code = code::logout;
  return asked;
}
Asked work() {
  Asked asked;
  asked.operation = operation::first_partition;
  asked.code = 101;
  return asked;
}
Asked about_group(std::uint32_t code, std::optional<std::uint64_t> group) {
  Asked asked;
  asked.code = code;
  asked.group = group;
  return asked;
}
AnswerFacts assigned(std::uint32_t partitions) {
  AnswerFacts answer;
  answer.assigned = partitions;
  return answer;
}

Asked send(std::uint64_t number, std::uint64_t place, std::uint64_t checksum) {
  Asked asked = work();
  asked.batch = SentBatch{number, place, checksum};
  return asked;
}

class SessionTest : public testing::Test {
 protected:
  void end(const Asked& asked, Outcome outcome) { take_end(session, &client, asked, outcome); }
  SessionState session;
  ClientFacts client;
};

// The number of another send with other messages; a retry has its own as it was.
TEST_F(SessionTest, AnEmptyAnswerToAReusedNumberSwallowsTheSend) {
  const auto is_swallowed = [this](const Asked& asked, Outcome outcome, bool is_empty) {
    end(asked, outcome);
    AnswerFacts answer;
    answer.is_empty = is_empty;
    take_answer(session, asked, answer, 1);
    return session.is_swallowed;
  };
  EXPECT_FALSE(is_swallowed(send(1, 5, 10), done, true));  // nothing is known of an earlier one
  EXPECT_FALSE(is_swallowed(send(1, 5, 10), done, true));  // a retry
  EXPECT_FALSE(is_swallowed(send(2, 5, 11), done, true));  // another number
  EXPECT_FALSE(is_swallowed(send(1, 6, 12), done, true));  // goes elsewhere
  EXPECT_FALSE(is_swallowed(send(1, 5, 13), done, false));
  EXPECT_FALSE(is_swallowed(send(1, 5, 14), {OutcomeKind::status, 58}, false));
  EXPECT_TRUE(is_swallowed(send(1, 5, 15), done, true));
  EXPECT_FALSE(is_swallowed(work(), done, true));
  EXPECT_FALSE(is_swallowed(send(1, 5, 10), done, true));
  EXPECT_TRUE(is_swallowed(send(1, 5, 16), done, true));
  end(login(), done);
  EXPECT_FALSE(is_swallowed(send(1, 5, 17), done, true));
}

TEST_F(SessionTest, ALoginOpensIt) {
  end(login(), {OutcomeKind::evicted, reason::invalid_credentials});
  EXPECT_FALSE(session.is_logged_in);
  EXPECT_FALSE(client.registered);
  end(login(), done);
  EXPECT_TRUE(session.is_logged_in);
  EXPECT_TRUE(client.registered);
  EXPECT_FALSE(session.was_served);
}

TEST_F(SessionTest, ALogoutClosesItAlsoWhereItsAnswerWasLost) {
  for (const Outcome outcome : {done, lost}) {
    end(login(), done);
    EXPECT_FALSE(session.saw_logout);
    end(logout(), outcome);
    EXPECT_FALSE(session.is_logged_in);
    EXPECT_TRUE(session.saw_logout);
    EXPECT_TRUE(client.logged_out);
  }
  end(login(), done);
  end(logout(), {OutcomeKind::status, status::unauthenticated});
  EXPECT_TRUE(session.is_logged_in);
}

TEST_F(SessionTest, OfTheLegacyFramingTheCodeTellsALogout) {
  Asked asked;
  asked.operation = operation::non_replicated;
  asked.code = code::logout;
  asked.is_legacy = true;
  take_end(session, nullptr, asked, done);
  EXPECT_TRUE(session.saw_logout);
  asked.is_legacy = false;
  session = {};
  take_end(session, nullptr, asked, done);
  EXPECT_FALSE(session.saw_logout);
}

TEST_F(SessionTest, WorkThatIsDoneShowsIt) {
  take_loss(session, &client);
  EXPECT_TRUE(session.is_uncertain);
  EXPECT_TRUE(client.is_uncertain);
  end(work(), {OutcomeKind::status, status::invalid_command});
  EXPECT_TRUE(session.is_uncertain);
  EXPECT_FALSE(session.was_served);
  end(work(), {OutcomeKind::result, 1009});
  EXPECT_TRUE(session.is_uncertain);  // a committed rejection needs a session, but proves no login
  EXPECT_TRUE(session.was_served);
  end(work(), done);
  EXPECT_FALSE(session.is_uncertain);
  EXPECT_FALSE(client.is_uncertain);
}

TEST_F(SessionTest, ALoginWhoseAnswerWasLostLeavesItOpen) {
  end(login(), lost);
  EXPECT_TRUE(session.is_uncertain);
  EXPECT_FALSE(session.is_logged_in);
}

TEST_F(SessionTest, AnAttachmentLastsUntilTheNextLogin) {
  Asked attach;
  attach.operation = operation::non_replicated;
  attach.code = code::consumer_session_attach;
  end(attach, {OutcomeKind::status, status::unauthenticated});
  EXPECT_FALSE(session.is_attached);
  for (const Outcome outcome : {done, lost}) {
    end(attach, outcome);
    EXPECT_TRUE(session.is_attached);
    end(login(), done);
    EXPECT_FALSE(session.is_attached);
  }
}

TEST_F(SessionTest, AMemberHasNothingSinceTheFirstAnswerThatSaysSo) {
  const Asked sync = about_group(606, 1);
  take_answer(session, sync, {}, 10);
  EXPECT_FALSE(session.left_out);
  // Also at the beginning of time.
  take_answer(session, sync, assigned(0), 0);
  take_answer(session, sync, assigned(0), 30);
  ASSERT_TRUE(session.left_out);
  EXPECT_EQ(session.left_out->since, 0);
  take_answer(session, sync, assigned(2), 40);
  EXPECT_FALSE(session.left_out);
  take_answer(session, sync, assigned(0), 50);
  take_answer(session, about_group(code::consumer_group_leave, 1), {}, 60);
  EXPECT_FALSE(session.left_out);
  take_answer(session, sync, assigned(0), 70);
  take_answer(session, login(), {}, 80);
  EXPECT_FALSE(session.left_out);
}

TEST_F(SessionTest, EachGroupOfAMemberIsOfItsOwn) {
  take_answer(session, about_group(606, 1), assigned(0), 10);
  // What another group gives or ends changes nothing.
  take_answer(session, about_group(606, 2), assigned(3), 20);
  take_answer(session, about_group(code::consumer_group_leave, 2), {}, 30);
  take_answer(session, about_group(606, 1), assigned(0), 40);
  ASSERT_TRUE(session.left_out);
  EXPECT_EQ(session.left_out->since, 10);
  // One that gives nothing either has only begun.
  take_answer(session, about_group(606, 2), assigned(0), 50);
  ASSERT_TRUE(session.left_out);
  EXPECT_EQ(session.left_out->group, 2U);
  EXPECT_EQ(session.left_out->since, 50);
  // Where the capture cut the name of the group, it may be this one.
  take_answer(session, about_group(606, std::nullopt), assigned(0), 60);
  EXPECT_EQ(session.left_out->since, 50);
  take_answer(session, about_group(606, std::nullopt), assigned(1), 70);
  EXPECT_FALSE(session.left_out);
  take_answer(session, about_group(606, std::nullopt), assigned(0), 80);
  EXPECT_FALSE(session.left_out);
}

TEST_F(SessionTest, BuildsAreKnownOnceALoginWasAnswered) {
  Asked asked = login();
  asked.train = Train::v0_11_0;
  take_answer(session, asked, {}, 10);
  EXPECT_FALSE(session.client_train);
  AnswerFacts answer;
  answer.number = version_0_11_0;
  answer.train = Train::v0_11_0_edge_4;
  take_answer(session, asked, answer, 20);
  EXPECT_EQ(session.client_train, Train::v0_11_0);
  EXPECT_EQ(session.server_train, Train::v0_11_0_edge_4);
  EXPECT_EQ(session.server_number, version_0_11_0);
  answer.train.reset();  // a server whose build is not listed
  take_answer(session, asked, answer, 30);
  EXPECT_FALSE(session.server_train);
}

TEST_F(SessionTest, OnlyAStaleEvictionEndsIt) {
  end(login(), done);
  take_eviction(session, reason::no_session);
  EXPECT_TRUE(session.is_logged_in);
  take_eviction(session, reason::stale_client);
  EXPECT_FALSE(session.is_logged_in);
  EXPECT_TRUE(session.is_stale);
  end(login(), done);
  EXPECT_FALSE(session.is_stale);
}

TEST(NeedsLogin, NotForLoginsPingsAndLogouts) {
  EXPECT_TRUE(needs_login(work()));
  EXPECT_FALSE(needs_login(login()));
  EXPECT_FALSE(needs_login(logout()));
  Asked ping;
  ping.operation = operation::non_replicated;
  ping.code = code::ping;
  EXPECT_FALSE(needs_login(ping));
  Asked bind = ping;
  bind.code = code::session_bind;
  EXPECT_TRUE(needs_login(bind));
  bind.is_login = true;
  EXPECT_FALSE(needs_login(bind));
}

}  // namespace
}  // namespace iggy::conversation
