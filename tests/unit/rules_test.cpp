// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Which finding a pair or an eviction shows, and what holds each back.
#include "conversation/rules.hpp"

#include <gtest/gtest.h>

#include "iggy/registry.hpp"

namespace iggy::conversation {
namespace {

using Found = std::optional<FindingId>;

Outcome evicted(std::uint8_t reason) {
  return {OutcomeKind::evicted, reason};
}
Outcome refused(std::uint32_t status) {
  return {OutcomeKind::status, status};
}

Ended login(Outcome outcome, decode::LoginKind kind = decode::LoginKind::password) {
  Ended ended;
  ended.asked.operation = operation::register_session;
  ended.asked.is_login = true;
  ended.asked.login = kind;
  ended.outcome = outcome;
  ended.client = ended.server = Generation::v0_11;
  return ended;
}

Ended read(std::uint32_t code, Outcome outcome) {
  Ended ended;
  ended.asked.operation = operation::non_replicated;
  ended.asked.code = code;
  ended.outcome = outcome;
  ended.client = ended.server = Generation::v0_11;
  return ended;
}

TEST(PairRules, ALoginIsNamedByWhatTheServerSays) {
  EXPECT_EQ(finding_of_pair(login(evicted(reason::incompatible_protocol))),
            Found(FindingId::protocol_version_rejected));
  EXPECT_EQ(finding_of_pair(login(evicted(reason::malformed_login))),
            Found(FindingId::malformed_login));
  EXPECT_EQ(finding_of_pair(login(evicted(reason::invalid_credentials))),
            Found(FindingId::login_refused_credentials));
  for (const std::uint8_t told : {reason::invalid_token, reason::user_inactive})
    EXPECT_EQ(finding_of_pair(login(evicted(told))), Found(FindingId::token_refused));
  EXPECT_EQ(finding_of_pair(login(evicted(reason::no_session))), Found());
  EXPECT_EQ(finding_of_pair(login({OutcomeKind::ok, 0})), Found());
  EXPECT_EQ(finding_of_pair(login({OutcomeKind::unanswered, 0})), Found());
}

TEST(PairRules, StatusFourOnALoginBlamesTheVersionOnlyBetweenGenerations) {
  Ended ended = login(refused(status::invalid_format));
  EXPECT_EQ(finding_of_pair(ended), Found());
  ended.client = Generation::v0_12;
  EXPECT_EQ(finding_of_pair(ended), Found(FindingId::protocol_version_rejected));
  ended.server = Generation::v0_12;
  EXPECT_EQ(finding_of_pair(ended), Found());
}

TEST(PairRules, OnlyLegacyServersRefuseCredentialsWithAStatus) {
  Ended ended = login(refused(status::invalid_credentials));
  EXPECT_EQ(finding_of_pair(ended), Found());
  ended.asked.is_legacy = true;
  EXPECT_EQ(finding_of_pair(ended), Found(FindingId::login_refused_credentials));
  ended.outcome = refused(status::token_expired);
  EXPECT_EQ(finding_of_pair(ended), Found(FindingId::token_refused));
}

TEST(PairRules, ARefusedBindLostItsSession) {
  for (const std::uint32_t told : {status::unauthenticated, status::transient_not_committed})
    EXPECT_EQ(finding_of_pair(login(refused(told), decode::LoginKind::bind)),
              Found(FindingId::session_lost));
}

TEST(PairRules, WithoutASessionARequestCameTooEarlyOrLostIt) {
  const Outcome outcome = refused(status::unauthenticated);
  Ended ended = read(200, outcome);
  EXPECT_EQ(finding_of_pair(ended), Found(FindingId::request_before_login));
  ended.session.is_logged_in = true;
  EXPECT_EQ(finding_of_pair(ended), Found(FindingId::session_lost));
  ended.session = {};
  ended.session.was_served = true;
  EXPECT_EQ(finding_of_pair(ended), Found(FindingId::session_lost));
  ended.session.saw_logout = true;
  EXPECT_EQ(finding_of_pair(ended), Found(FindingId::request_before_login));
  ended.session.is_uncertain = true;
  EXPECT_EQ(finding_of_pair(ended), Found());
}

TEST(PairRules, TheClientIdRemembersItsSession) {
  Ended ended = read(200, evicted(reason::no_session));
  EXPECT_EQ(finding_of_pair(ended), Found(FindingId::request_before_login));
  ended.client_id.registered = true;
  EXPECT_EQ(finding_of_pair(ended), Found(FindingId::session_lost));
  ended.client_id.logged_out = true;
  EXPECT_EQ(finding_of_pair(ended), Found(FindingId::request_before_login));
  // In 0.12 the session outlives the connection.
  ended.server = Generation::v0_12;
  EXPECT_EQ(finding_of_pair(ended), Found());
}

TEST(PairRules, AFencedRequestLostItsSessionWhateverElseIsKnown) {
  Ended ended = read(200, evicted(reason::session_too_low));
  ended.session.is_uncertain = true;
  EXPECT_EQ(finding_of_pair(ended), Found(FindingId::session_lost));
}

TEST(PairRules, OtherFindingsExplainAMissingSession) {
  Ended ended = read(200, refused(status::unauthenticated));
  ended.session.is_stale = true;
  EXPECT_EQ(finding_of_pair(ended), Found());
  ended.session = {};
  ended.client = Generation::va;
  EXPECT_EQ(finding_of_pair(ended), Found());
  EXPECT_EQ(finding_of_pair(read(code::poll_primary, refused(status::unauthenticated))), Found());
}

TEST(BodyRules, ChecksumsOfWhatWasAnswered) {
  Ended send = read(0, {OutcomeKind::ok, 0});
  send.asked.operation = operation::send_messages;
  EXPECT_EQ(finding_of_body(send), Found{});
  for (const auto fault :
       {decode::BatchFault::batch_checksum, decode::BatchFault::message_checksum}) {
    send.batch = fault;
    EXPECT_EQ(finding_of_body(send), FindingId::batch_checksum_wrong);
    EXPECT_EQ(finding_of_silence(fault), FindingId::invalid_batch_silently_dropped);
  }
  for (const auto fault : {decode::BatchFault::older_layout, decode::BatchFault::trailing}) {
    send.batch = fault;
    EXPECT_EQ(finding_of_body(send), Found{});
    EXPECT_EQ(finding_of_silence(fault), FindingId::invalid_batch_silently_dropped);
  }
  EXPECT_EQ(finding_of_silence(decode::BatchFault::none), FindingId::request_never_answered);
  EXPECT_EQ(finding_of_silence(decode::BatchFault::stamped), FindingId::request_never_answered);
}

TEST(BodyRules, AWrongStampIsAFindingWhereItIsRefused) {
  Ended ended = read(0, refused(status::invalid_format));
  EXPECT_EQ(finding_of_body(ended), Found{});
  ended.is_stamp_wrong = true;
  EXPECT_EQ(finding_of_body(ended), FindingId::request_checksum_mismatch);
  ended.outcome = {OutcomeKind::ok, 0};
  EXPECT_EQ(finding_of_body(ended), Found{});
  ended.outcome = refused(status::invalid_format);
  ended.client = Generation::v0_12;
  EXPECT_EQ(finding_of_body(ended), Found{});
}

TEST(PairRules, AnUnservedCommandIsNamed) {
  EXPECT_EQ(finding_of_pair(read(9999, refused(status::invalid_command))),
            Found(FindingId::unknown_or_unsupported_command));
  EXPECT_EQ(finding_of_pair(read(200, refused(status::invalid_command))), Found());
}

TEST(Unserved, TellsWhy) {
  const auto why = [](std::uint32_t code, Outcome outcome) {
    return unserved_by(Generation::v0_11, read(code, outcome).asked, outcome);
  };
  EXPECT_EQ(why(9999, refused(status::invalid_command)), Unserved::unknown);
  EXPECT_EQ(why(code::poll_routing, refused(status::invalid_command)), Unserved::routing);
  EXPECT_EQ(why(200, refused(status::invalid_command)), Unserved::no);
  EXPECT_EQ(why(302, refused(status::feature_unavailable)), Unserved::other_operation);
  EXPECT_EQ(why(code::login, refused(status::feature_unavailable)), Unserved::never);
  EXPECT_EQ(why(9999, evicted(reason::no_session)), Unserved::no);
}

TEST(UnaskedEvictions, ShowTheSameFindings) {
  EXPECT_EQ(finding_of_unasked(reason::incompatible_protocol),
            Found(FindingId::protocol_version_rejected));
  EXPECT_EQ(finding_of_unasked(reason::session_too_low), Found(FindingId::session_lost));
  EXPECT_EQ(finding_of_unasked(reason::stale_client), Found());
  EXPECT_EQ(finding_of_unasked(reason::no_session), Found());
}

TEST(Windows, BelongToIncompatibleVersionsOnly) {
  const VersionWindow window{version_0_11_0, version_0_11_0};
  EXPECT_FALSE(is_window_inconsistent(reason::incompatible_protocol, window, Generation::v0_11));
  EXPECT_TRUE(is_window_inconsistent(reason::no_session, window, Generation::v0_11));
  EXPECT_FALSE(is_window_inconsistent(reason::no_session, window, Generation::v0));
}

TEST(Framings, AreComparedBetweenTheSides) {
  EXPECT_TRUE(is_vsr_client_on_legacy_server(Generation::v0_11, Generation::legacy));
  EXPECT_FALSE(is_vsr_client_on_legacy_server(Generation::legacy, Generation::legacy));
  EXPECT_TRUE(writes_older_layout(Generation::v0, Generation::v0_11));
  EXPECT_FALSE(writes_older_layout(Generation::va, Generation::va));
}

}  // namespace
}  // namespace iggy::conversation
