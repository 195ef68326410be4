// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Which finding a pair or an eviction shows, and what holds each back.
#include "conversation/rules.hpp"

#include <gtest/gtest.h>

#include "iggy/errors.hpp"
#include "iggy/exchanges.hpp"
#include "iggy/registry.hpp"
#include "support/iggy_frames.hpp"

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

TEST(PairRules, APollOfThePrimaryNeedsAnAttachment) {
  Ended ended = read(code::poll_primary, refused(status::unauthenticated));
  ended.session.is_logged_in = true;
  EXPECT_EQ(finding_of_pair(ended), Found(FindingId::poll_primary_without_attach));
  ended.session.is_attached = true;
  EXPECT_EQ(finding_of_pair(ended), Found());
  ended.session.is_attached = false;
  ended.session.is_uncertain = true;
  EXPECT_EQ(finding_of_pair(ended), Found());
}

// What a refusal shows of a command, and that it shows nothing of another one.
struct Refused {
  std::uint32_t code;
  std::uint32_t error;
  Found shown;
};

TEST(PairRules, ARefusalIsNamedByItsCodeAndItsCommand) {
  const Refused cases[] = {
      {201, 41, FindingId::not_authorized},
      {302, 4041, FindingId::options_rejected},
      {304, 4042, FindingId::options_rejected},
      {302, 4043, FindingId::options_rejected},
      {302, 1019, FindingId::options_rejected},
      {16, 4103, FindingId::options_rejected},
      {16, 4104, FindingId::options_rejected},
      {16, 4105, FindingId::options_rejected},
      {202, 4106, FindingId::options_rejected},
      {202, 4107, FindingId::options_rejected},
      {402, 2022, FindingId::limit_reached},
      {602, 5010, FindingId::limit_reached},
      {106, 90, FindingId::limit_reached},
      {202, 1012, FindingId::resource_exists},
      {302, 2013, FindingId::resource_exists},
      {602, 5004, FindingId::resource_exists},
      {33, 46, FindingId::resource_exists},
      {42, 51, FindingId::resource_exists},
      {42, 52, FindingId::limit_reached},
      {33, 55, FindingId::limit_reached},
      {202, 1020, FindingId::limit_reached},
      {302, 2015, FindingId::limit_reached},
      {403, 2019, FindingId::limit_reached},
      {302, 2021, FindingId::limit_reached},
      {402, 3013, FindingId::limit_reached},
      {121, 3024, FindingId::limit_reached},
      {101, 20, FindingId::produce_to_missing_target},
      {43, 20, {}},
      {121, 20, {}},
      {121, 4100, FindingId::offset_commit_rejected},
      {122, 3021, FindingId::offset_missing},
      {604, 5000, FindingId::group_membership_missing},
      {605, 5006, FindingId::group_membership_missing},
      {603, 5000, {}},
      {121, 5003, FindingId::group_membership_missing},
      {121, 5009, FindingId::offset_commit_not_owner},
      {14, 30, FindingId::parent_session_ended},
      {121, 30, FindingId::parent_session_ended},
      {201, 30, {}},
      {101, 4038, FindingId::timestamp_delta_too_large},
      {101, 4009, {}},
      {503, 58, FindingId::segment_delete_deferred},
      {101, 58, {}},
      {11, 9000, FindingId::snapshot_too_large},
      {302, 59, FindingId::request_number_misuse},
      {203, 1009, {}},
      {100, 2010, {}},
  };
  for (const Refused& each : cases)
    for (const OutcomeKind kind : {OutcomeKind::status, OutcomeKind::result})
      EXPECT_EQ(finding_of_pair(read(each.code, {kind, each.error})), each.shown)
          << each.code << " " << each.error;
  // An eviction with such a number as its reason is something else.
  EXPECT_EQ(finding_of_pair(read(201, evicted(41))), Found());
}

TEST(PairRules, BuildsBeforeTheReleaseNameNoOwner) {
  Ended store = read(121, refused(error_code("ResourceNotFound")));
  store.asked.operation = 161;
  EXPECT_EQ(finding_of_pair(store), Found());
  store.asked.is_offset_of_group = true;
  EXPECT_EQ(finding_of_pair(store), Found());  // of a server that may be of any build
  store.session.server_train = Train::v0_11_0;
  EXPECT_EQ(finding_of_pair(store), Found());
  store.session.server_train = Train::v0_11_0_edge_4;
  EXPECT_EQ(finding_of_pair(store), Found(FindingId::offset_commit_not_owner));
  store.session.client_train = Train::v0_11_0_edge_2;  // explains it
  store.session.server_train = Train::v0_11_0_edge_4;
  EXPECT_EQ(finding_of_pair(store), Found());
}

TEST(PairRules, SomeRefusalsHaveAnotherMeaningInLegacyFraming) {
  const auto legacy = [](std::uint32_t code, std::uint32_t error) {
    Ended ended = read(code, refused(error));
    ended.asked.is_legacy = true;
    ended.client = ended.server = Generation::legacy;
    return finding_of_pair(ended);
  };
  for (const std::uint32_t error : {4009U, 4027U, 4036U, 4037U}) {
    EXPECT_EQ(legacy(101, error), Found(FindingId::legacy_message_header_mismatch));
    EXPECT_EQ(legacy(100, error), Found());
  }
  // Without messages there is nothing whose header could be another.
  Ended nothing = read(101, refused(4009));
  nothing.asked.is_legacy = nothing.asked.sends_nothing = true;
  nothing.client = nothing.server = Generation::legacy;
  EXPECT_EQ(finding_of_pair(nothing), Found());
  EXPECT_EQ(legacy(100, 30), Found(FindingId::legacy_stale_client));
  EXPECT_EQ(legacy(100, 100), Found(FindingId::legacy_client_not_found));
  EXPECT_EQ(legacy(12, 5), Found(FindingId::cluster_feature_unavailable_legacy));
  EXPECT_EQ(legacy(10, 5), Found());
  EXPECT_EQ(legacy(201, 41), Found(FindingId::not_authorized));
}

TEST(PairRules, AnEmptyAnswerIsNamedByTheCommand) {
  const auto empty = [](std::uint32_t code) {
    Ended ended = read(code, {OutcomeKind::ok, 0});
    ended.answer.is_empty = true;
    return finding_of_pair(ended);
  };
  for (const std::uint32_t code : {200U, 300U, 31U, 21U, 600U})
    EXPECT_EQ(empty(code), Found(FindingId::not_found_read_shows_as_empty)) << code;
  EXPECT_EQ(empty(120), Found(FindingId::offset_missing));
  EXPECT_EQ(empty(606), Found(FindingId::group_membership_missing));
  // Lists, pings and changes have none.
  for (const std::uint32_t code : {1U, 201U, 203U, 601U, 101U}) EXPECT_EQ(empty(code), Found());
  EXPECT_EQ(finding_of_pair(read(200, {OutcomeKind::ok, 0})), Found());
}

TEST(PairRules, ASwallowedSendIsNamedOnceByWhatExplainsIt) {
  Ended send = read(101, {OutcomeKind::ok, 0});
  send.answer.is_empty = true;
  send.session.is_swallowed = true;
  EXPECT_EQ(finding_of_pair(send), Found(FindingId::request_number_misuse));
  send.session.client_train = Train::v0_11_0_edge_6;
  send.session.server_train = Train::v0_11_0;
  EXPECT_EQ(finding_of_pair(send), Found());  // a difference of the builds
  send.session.client_train = Train::v0_11_0_edge_7;
  EXPECT_EQ(finding_of_pair(send), Found(FindingId::request_number_misuse));
}

TEST(PairRules, AMemberIsLeftOutWhenItHasNothingForLongerThanAHandOver) {
  Ended ended = read(606, {OutcomeKind::ok, 0});
  ended.asked.group = 7;
  ended.answer.assigned = 0;
  ended.session.left_out = LeftOut{7, 5};
  ended.time = 5;
  EXPECT_EQ(finding_of_pair(ended), Found());
  ended.time = 5 + hand_over;
  EXPECT_EQ(finding_of_pair(ended), Found(FindingId::member_without_partitions));
  // What is known of another group, or of this one before it had some, is no evidence.
  ended.asked.group = 8;
  EXPECT_EQ(finding_of_pair(ended), Found());
  ended.asked.group.reset();
  EXPECT_EQ(finding_of_pair(ended), Found());
  ended.asked.group = 7;
  ended.answer.assigned = 1;
  EXPECT_EQ(finding_of_pair(ended), Found());
  ended.answer.assigned = 0;
  ended.session.left_out.reset();
  EXPECT_EQ(finding_of_pair(ended), Found());
}

TEST(PairRules, AGroupWithMoreMembersThanPartitionsLeavesSomeOut) {
  Ended ended = read(600, {OutcomeKind::ok, 0});
  ended.answer.members = ended.answer.partitions = 2;
  EXPECT_EQ(finding_of_pair(ended), Found());
  ended.answer.members = 3;
  EXPECT_EQ(finding_of_pair(ended), Found(FindingId::member_without_partitions));
}

TEST(PairRules, OperationsOfServersAreNotForClients) {
  Ended ended = read(0, evicted(reason::invalid_request_operation));
  EXPECT_EQ(finding_of_pair(ended), Found());
  for (const unsigned internal : {64U, 66U, 67U, 68U}) {
    ended.asked.operation = static_cast<std::uint8_t>(internal);
    ended.outcome = evicted(reason::invalid_request_operation);
    EXPECT_EQ(finding_of_pair(ended), Found(FindingId::internal_operation_from_client));
    ended.outcome = {OutcomeKind::ok, 0};
    EXPECT_EQ(finding_of_pair(ended),
              internal == 68 ? Found(FindingId::truncate_from_client) : Found());
    ended.outcome = evicted(reason::no_session);
    EXPECT_EQ(finding_of_pair(ended), Found(FindingId::request_before_login));
  }
}

// Servers take it from clients, and who was refused sent it all the same.
TEST(PairRules, ATruncationIsCriticalWhereItDeletes) {
  Ended ended = read(0, {OutcomeKind::ok, 0});
  ended.asked.operation = operation::truncate_partition;
  EXPECT_EQ(finding_of_pair(ended), Found(FindingId::truncate_from_client));
  ended.asked.truncated_to = 41;
  EXPECT_EQ(finding_of_pair(ended), Found(FindingId::truncate_from_client));
  ended.asked.truncated_to = 0;
  EXPECT_EQ(finding_of_pair(ended), Found(FindingId::internal_operation_from_client));
  ended.asked.truncated_to = 41;
  for (const std::uint32_t told : {3U, 41U, 3007U}) {
    ended.outcome = {OutcomeKind::result, told};
    EXPECT_EQ(finding_of_pair(ended), Found(FindingId::internal_operation_from_client)) << told;
  }
  ended.outcome = refused(status::unauthenticated);
  EXPECT_EQ(finding_of_pair(ended), Found(FindingId::request_before_login));
  ended.outcome = {OutcomeKind::unanswered, 0};
  EXPECT_EQ(finding_of_pair(ended), Found());
}

TEST(PairRules, AStaleClientIsAttachedOnlyWhereThereIsSuchAThing) {
  Ended ended = read(121, refused(30));
  EXPECT_EQ(finding_of_pair(ended), Found(FindingId::parent_session_ended));
  ended.client = ended.server = Generation::v0_12;
  EXPECT_EQ(finding_of_pair(ended), Found(FindingId::session_lost));
}

TEST(PairRules, AChangeThatCannotBeReadIsNamed) {
  Ended ended = read(302, refused(status::invalid_command));
  ended.asked.operation = 132;
  EXPECT_EQ(finding_of_pair(ended), Found(FindingId::invalid_metadata_body));
  ended.session.client_train = Train::v0_11_0_edge_2;  // explains it
  ended.session.server_train = Train::v0_11_0;
  EXPECT_EQ(finding_of_pair(ended), Found());
  ended.session = {};
  ended.outcome = evicted(reason::invalid_request_body);
  EXPECT_EQ(finding_of_pair(ended), Found(FindingId::invalid_metadata_body));
  ended.asked.operation = 160;
  EXPECT_EQ(finding_of_pair(ended), Found());
}

TEST(PairRules, ALoginWhoseSessionIsAnothersIsNamed) {
  EXPECT_EQ(finding_of_pair(login(evicted(reason::session_error))),
            Found(FindingId::session_conflict));
}

TEST(PairRules, AnUnservedCommandIsNamed) {
  EXPECT_EQ(finding_of_pair(read(9999, refused(status::invalid_command))),
            Found(FindingId::unknown_or_unsupported_command));
  EXPECT_EQ(finding_of_pair(read(200, refused(status::invalid_command))), Found());
}

TEST(Unserved, TellsWhy) {
  SessionState session;
  const auto why = [&session](std::uint32_t code, Outcome outcome,
                              Generation server = Generation::v0_11) {
    return unserved_by(server, session, read(code, outcome).asked, outcome);
  };
  EXPECT_EQ(why(9999, refused(status::invalid_command)), Unserved::unknown);
  EXPECT_EQ(why(command_code("message.poll_routing"), refused(status::invalid_command)),
            Unserved::build);
  EXPECT_EQ(why(command_code("message.poll_routing"), refused(status::invalid_command),
                Generation::v0_12),
            Unserved::retired);
  EXPECT_EQ(why(9999, refused(status::invalid_command), Generation::v0_12), Unserved::unknown);
  EXPECT_EQ(why(200, refused(status::invalid_command)), Unserved::no);
  EXPECT_EQ(why(40, refused(status::invalid_command)), Unserved::other_operation);
  EXPECT_EQ(why(302, refused(status::feature_unavailable)), Unserved::other_operation);
  for (const std::uint32_t code : {14U, 123U, 124U})
    EXPECT_EQ(why(code, refused(status::invalid_command), Generation::v0_12), Unserved::retired);
  EXPECT_EQ(why(code::login, refused(status::feature_unavailable)), Unserved::never);
  for (const std::uint32_t code :
       {code::logout, code::login_register, code::login_register_with_token})
    EXPECT_EQ(why(code, refused(status::invalid_command)), Unserved::other_operation);
  EXPECT_EQ(why(9999, evicted(reason::no_session)), Unserved::no);
  session.server_train = Train::v0_11_0;
  session.server_number = version_0_11_0;
  EXPECT_EQ(why(command_code("message.poll_routing"), refused(status::invalid_command)),
            Unserved::unread);
  session.server_train = Train::v0_11_0_edge_4;
  EXPECT_EQ(why(command_code("message.poll_routing"), refused(status::invalid_command)),
            Unserved::build);
}

TEST(Unserved, MayBeOfAnotherBuildOfTheSameNumber) {
  SessionState session;
  const auto why = [&session](std::uint32_t code) {
    const Outcome outcome = refused(status::invalid_command);
    return unserved_by(Generation::v0_12, session, read(code, outcome).asked, outcome);
  };
  EXPECT_EQ(why(17), Unserved::build);  // without a login in the capture
  session.server_number = version_0_12_0;
  for (const std::uint32_t code : {17U, 106U, 107U, 109U}) EXPECT_EQ(why(code), Unserved::build);
  EXPECT_EQ(why(105), Unserved::no);
  session.server_number = make_version(0, 12, 2);
  for (const std::uint32_t code : {17U, 106U, 109U}) EXPECT_EQ(why(code), Unserved::no);
  EXPECT_EQ(why(107), Unserved::retired);
}

TEST(Unserved, ACommandMayBeRetiredWithinAGeneration) {
  SessionState session;
  const auto why = [&session] {
    const Outcome outcome = refused(status::invalid_command);
    return unserved_by(Generation::v0_11, session, read(102, outcome).asked, outcome);
  };
  session.server_number = version_0_11_0;
  EXPECT_EQ(why(), Unserved::no);
  session.server_number = version_0_11_1;
  EXPECT_EQ(why(), Unserved::retired);
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
