// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Which layout a body has, what is secret as a whole, and how a reply says that nothing was done.
#include "decode/body.hpp"

#include <gtest/gtest.h>

#include "iggy/bodies/reply.hpp"
#include "iggy/bodies/system.hpp"
#include "iggy/legacy.hpp"
#include "iggy/login.hpp"
#include "iggy/v0_12/bodies/system.hpp"
#include "support/body_facts.hpp"
#include "support/body_recorder.hpp"
#include "support/iggy_frames.hpp"

namespace iggy::decode {
namespace {

using support::Buffer;

struct Split {
  explicit Split(const Buffer& frame, Generation generation = Generation::v0_11)
      : bytes(frame),
        facts(facts_of(Bytes{bytes}.first(256), generation)),
        body(whole(Bytes{bytes}.subspan(256))) {}
  Buffer bytes;
  Facts facts;
  Window body;
};

BodyPlan plan_of(const Buffer& frame, std::uint32_t code = 0,
                 Generation generation = Generation::v0_11) {
  const Split split(frame, generation);
  return plan_body(split.facts, generation, code, split.body);
}
std::uint32_t code_of(const Buffer& frame, Generation generation = Generation::v0_11) {
  const Split split(frame, generation);
  return code_of_request(split.facts, generation, split.body);
}
Result result_of(const Buffer& frame, Generation generation = Generation::v0_11,
                 std::uint32_t code = 0) {
  const Split split(frame, generation);
  return decode::result_of(split.facts, generation, code, split.body);
}

TEST(Body, OfLogins) {
  EXPECT_EQ(plan_of(support::login(support::password_body()), 40).layout, &login::login_register);
  EXPECT_EQ(plan_of(support::login(support::token_body()), 45).layout,
            &login::login_register_with_pat);
  EXPECT_EQ(plan_of(support::login(support::password_body()), 40).state, BodyState::decoded);
  EXPECT_TRUE(plan_of(support::login(support::password_body()), 40).is_secret);
  const BodyPlan old =
      plan_of(support::request({.code = 38, .body = support::legacy_login_body()}), 38);
  EXPECT_EQ(old.layout, &legacy::login);
}

TEST(Body, OfMalformedLogins) {
  const BodyPlan plan = plan_of(support::login(support::bytes_of("nonsense")), 40);
  EXPECT_EQ(plan.state, BodyState::malformed);
  EXPECT_TRUE(plan.is_secret);
}

// The place, and nothing that was read there: it may be a byte of the password.
TEST(Body, MalformedLoginsSayWhereTheyStopToFit) {
  const Buffer login =
      support::login(support::joined({support::bytes_of_hex("002c0000"),
                                      support::bytes_of_hex("036162"), Buffer(4, std::byte{'c'})}));
  const Window body{Bytes{login}.subspan(256), static_cast<std::uint32_t>(login.size() - 256)};
  const Problem problem = problem_of_malformed(plan_of(login, 40), body);
  EXPECT_EQ(problem.kind, ProblemKind::malformed);
  ASSERT_NE(problem.field, nullptr);
  EXPECT_EQ(problem.offset, 9U);
  EXPECT_EQ(problem.needed, 0U);
  EXPECT_EQ(problem.available, 2U);
}

TEST(Body, TrailingBytesOfALoginAreLegal) {
  const Buffer body = support::joined({support::password_body(), support::bytes_of("more")});
  EXPECT_EQ(plan_of(support::login(body), 40).state, BodyState::decoded);
  EXPECT_EQ(plan_of(support::login(body), 40).behind, Behind::ignored);
}

// Where the capture ends inside a login its shape is not known, and with it where secrets lie.
TEST(Body, OfCutLoginsShowsNoMoreThanThePrefix) {
  for (const Buffer& body : {support::password_body(), support::token_body()}) {
    const Buffer frame = support::login(body);
    for (std::size_t size = 0; size < body.size(); ++size) {
      const Split split(frame);
      const Buffer piece(support::cut(body, size));
      const Window window{piece, static_cast<std::uint32_t>(body.size())};
      const BodyPlan plan = plan_body(split.facts, Generation::v0_11, 40, window);
      EXPECT_TRUE(plan.is_secret);
      EXPECT_TRUE(plan.state == BodyState::undecoded || plan.layout == &login::login_prefix)
          << size;
    }
  }
}

TEST(Body, OfOtherRequests) {
  EXPECT_EQ(plan_of(support::ping(), 1).state, BodyState::empty);
  const Buffer create = support::request({.operation = 128, .body = Buffer(9)});
  EXPECT_EQ(plan_of(create, 202).state, BodyState::decoded);
  EXPECT_EQ(plan_of(create, 202).layout->name, "stream_create");
  EXPECT_FALSE(plan_of(create, 202).is_secret);
  EXPECT_EQ(plan_of(create, 202, Generation::v0_12).state, BodyState::decoded);
  EXPECT_TRUE(plan_of(create, 202, Generation::v0_12).is_secret);  // it may hold a key
  EXPECT_EQ(plan_of(create, 202, Generation::va).state, BodyState::undecoded);
  const Buffer user = support::request({.operation = 141, .body = Buffer(9)});
  EXPECT_TRUE(plan_of(user, 33).is_secret);
  // Nobody knows what an unknown command holds.
  EXPECT_TRUE(plan_of(support::request({.code = 999, .body = Buffer(9)}), 999).is_secret);
  for (const Generation generation : {Generation::va, Generation::v0_11, Generation::v0_12}) {
    const Buffer ping = support::request({.code = 1, .body = Buffer(9)});
    EXPECT_EQ(plan_of(ping, 1, generation).state, BodyState::decoded);
    EXPECT_EQ(plan_of(ping, 1, generation).behind, Behind::ignored);
  }
}

TEST(Body, OfNothingIsShortOfWhatOughtToBeThere) {
  for (const Exchange& command : exchanges(Generation::v0_11)) {
    if (command.operation == operation::register_session || command.code == code::login ||
        command.code == code::login_with_token)
      continue;
    const Buffer request = support::request({.operation = command.operation, .code = command.code});
    const BodyPlan made = plan_of(request, command.code);
    const CommandBodies* const bodies = find_bodies(Generation::v0_11, command.code);
    const bool may_be_empty = command.empty_request || bodies == nullptr;
    EXPECT_EQ(made.state, may_be_empty ? BodyState::empty : BodyState::missing) << command.name;
  }
  EXPECT_EQ(plan_of(support::request({.operation = 68}), 0).layout->name, "truncate_partition");
  EXPECT_EQ(plan_of(support::prepare({.operation = 130}), 0).state, BodyState::missing);
  EXPECT_EQ(plan_of(support::prepare({.operation = 3}), 0).state, BodyState::none);
}

TEST(Body, OfReplies) {
  EXPECT_EQ(plan_of(support::pong(), 1).state, BodyState::empty);
  EXPECT_EQ(plan_of(support::login_reply(), 40).layout, &login::register_reply);
  const Buffer transient = support::reply({.operation = 1, .body = support::rejection(57)});
  EXPECT_EQ(plan_of(transient, 40).layout, &login::rejection);
  EXPECT_EQ(plan_of(transient, 40).state, BodyState::decoded);
  const Buffer created = support::reply({.operation = 128, .body = support::success()});
  EXPECT_EQ(plan_of(created, 202).layout->title, "Reply to stream.create");
  EXPECT_EQ(plan_of(created, 202).state, BodyState::decoded);
  EXPECT_EQ(plan_of(created, 202, Generation::v0_12).layout->title,
            "Reply to stream.create of 0.12");
  const Buffer refused = support::reply({.operation = 128, .body = support::rejection(1012)});
  EXPECT_EQ(plan_of(refused, 202).layout, &login::rejection);
  const Buffer deleted = support::reply({.operation = 130, .body = support::success()});
  EXPECT_EQ(plan_of(deleted, 203).layout->title, "Reply Without Payload");
  // Its own operation tells of a reply whose request is not in the capture; 65 answers 136.
  EXPECT_EQ(plan_of(created).layout->title, "Reply to stream.create");
  const Buffer grown = support::reply({.operation = 65, .body = support::success()});
  EXPECT_EQ(plan_of(grown).layout->title, "Reply Without Payload");
  const Buffer token =
      support::reply({.operation = 146, .body = support::joined({support::success(), Buffer(30)})});
  EXPECT_EQ(plan_of(token, 42).layout->title, "Reply to personal_access_token.create");
  EXPECT_TRUE(plan_of(token, 42).is_secret);
  EXPECT_EQ(plan_of(token, 42, Generation::va).state, BodyState::partly);
  EXPECT_EQ(plan_of(support::reply({.body = Buffer(50)}), 100).layout->title,
            "Reply to message.poll");
  EXPECT_EQ(plan_of(support::reply({.body = Buffer(50)}), 0).state, BodyState::undecoded);
  EXPECT_FALSE(plan_of(support::reply({.body = Buffer(50)}), 100).is_secret);
  EXPECT_TRUE(plan_of(support::reply({.body = Buffer(50)}), 0).is_secret);
}

// Servers take it from clients, though it is not theirs to send.
TEST(Body, OfAClientsTruncationIsThatOfServers) {
  const Buffer truncate = support::request({.operation = 68, .body = Buffer(24)});
  EXPECT_EQ(plan_of(truncate).layout->name, "truncate_partition");
  EXPECT_EQ(plan_of(truncate).state, BodyState::decoded);
  const BodyPlan unpublished = plan_of(truncate, 0, Generation::v0_12);
  EXPECT_EQ(unpublished.state, BodyState::undecoded);
  EXPECT_TRUE(unpublished.is_secret);
  const Buffer other = support::request({.operation = 67, .body = Buffer(24)});
  EXPECT_EQ(plan_of(other).state, BodyState::undecoded);
}

TEST(Body, OfReplicaFrames) {
  EXPECT_EQ(plan_of(support::sealed(9)).state, BodyState::none);
  const Buffer create = support::prepare({.operation = 128, .body = support::short_text("s")});
  EXPECT_EQ(plan_of(create).layout->name, "stream_create");
  const Buffer truncate = support::prepare({.operation = 68, .body = Buffer(24)});
  EXPECT_EQ(plan_of(truncate).layout->name, "truncate_partition");
  const Buffer join = support::prepare({.operation = 148, .body = Buffer(38)});
  EXPECT_EQ(plan_of(join).layout->name, "join_consumer_group");
  const BodyPlan unknown = plan_of(join, 0, Generation::v0_12);  // upstream has not published it
  EXPECT_EQ(unknown.state, BodyState::undecoded);
  EXPECT_TRUE(unknown.is_secret);  // hashes of passwords and tokens
}

TEST(Body, OfControlFrames) {
  const auto title = [](unsigned command, std::size_t bytes) {
    const BodyPlan plan = plan_of(support::sealed(command, Buffer(bytes)), 0, Generation::v0_12);
    return plan.layout == nullptr ? std::string_view() : plan.layout->title;
  };
  EXPECT_EQ(title(26, 40), "Register Session");
  EXPECT_EQ(title(30, 48), "Heartbeat Sessions");
  EXPECT_EQ(title(31, 48), "Heartbeat Sessions");
  EXPECT_EQ(title(33, 120), "Partition Statuses");
  EXPECT_EQ(title(32, 80), "");  // its header names no operation
  EXPECT_EQ(title(25, 80), "Piece of an Artifact");
  EXPECT_EQ(title(34, 80), "");  // it has no body
  const auto completion = [](unsigned operation) {
    const Buffer frame = support::FrameBuilder(32, Buffer(80)).u8(130, operation).seal().frame();
    return plan_of(frame, 0, Generation::v0_12).layout;
  };
  EXPECT_EQ(completion(67)->name, "complete_consumer_group_revocation");
  EXPECT_EQ(completion(71)->name, "complete_lifecycle");
  EXPECT_EQ(plan_of(support::sealed(30, Buffer(48))).layout->title, "Heartbeat Sessions");
}

TEST(Body, OfABoundSession) {
  const Buffer granted = support::reply({.body = Buffer(30)});
  EXPECT_EQ(plan_of(granted, 15, Generation::v0_12).layout, &login::session_bind_reply);
  EXPECT_EQ(plan_of(granted, 15).state, BodyState::undecoded);
}

// What is read with the wrong lengths may show a password as a name.
TEST(Body, OfSecretsThatDoNotFitIsSecretAsAWhole) {
  const auto state = [](const Buffer& body) {
    return plan_of(support::request({.operation = 141, .body = body}), 33).state;
  };
  const Buffer good = support::joined(
      {support::short_text("bob"), support::short_text("secret"), support::bytes_of({1, 0})});
  EXPECT_EQ(state(good), BodyState::decoded);
  Buffer swallowed = good;
  swallowed[0] = std::byte{10};
  EXPECT_EQ(state(swallowed), BodyState::malformed);
  // Nothing is told of a body whose first name has no length.
  Buffer nameless = good;
  nameless[0] = std::byte{0};
  EXPECT_EQ(state(nameless), BodyState::decoded);
  // Where the capture ends the shape is not in doubt.
  const Split split(support::request({.operation = 141, .body = good}));
  const Window cut{split.body.captured.first(8), split.body.on_wire};
  EXPECT_EQ(plan_body(split.facts, Generation::v0_11, 33, cut).state, BodyState::decoded);
}

// A reply to options.describe with so many options behind one that has a default to hide.
Buffer described(std::string_view key, bool has_flags, unsigned flags, std::uint32_t others) {
  const auto option = [has_flags](std::string_view name, unsigned bits, std::string_view value) {
    const Buffer mark(has_flags ? 1 : 0, static_cast<std::byte>(bits));
    return support::joined({support::short_text(name), support::bytes_of({2}), mark,
                            support::long_text(value), support::long_text("what it does")});
  };
  Buffer body = support::joined({support::little().u32(1 + others).buffer(),
                                 option(key, flags, "0123456789abcdef0123456789abcdef")});
  const Buffer other = option("other", 0, "1");
  for (std::uint32_t i = 0; i < others; ++i) body.insert(body.end(), other.begin(), other.end());
  return body;
}

TEST(Body, DefaultsOfSecretOptionsAreNotShown) {
  const auto state = [](const Buffer& body, std::size_t captured, Generation generation) {
    const Split split(support::reply({.body = body}), generation);
    const Window window{split.body.captured.first(captured), split.body.on_wire};
    const BodyPlan plan = plan_body(split.facts, generation, 13, window);
    EXPECT_TRUE(plan.is_secret);
    return plan.state;
  };
  constexpr Generation older = Generation::v0_11;
  constexpr Generation newer = Generation::v0_12;
  const Buffer plain = described("first", false, 0, 2);
  EXPECT_EQ(state(plain, plain.size(), older), BodyState::decoded);
  EXPECT_EQ(state(plain, 60, older), BodyState::undecoded);  // may be one of 0.12
  const Buffer marked = described("first", true, 4, 2);
  EXPECT_EQ(state(marked, marked.size(), newer), BodyState::decoded);
  EXPECT_EQ(state(marked, 60, newer), BodyState::decoded);
  // Its mark is read as the lowest byte of a length.
  const Buffer large = described("first", true, 4, 1000);
  EXPECT_EQ(state(large, large.size(), older), BodyState::malformed);
  EXPECT_EQ(state(large, 9000, older), BodyState::undecoded);
  for (const Generation generation : {older, newer}) {
    const Buffer key = described("encryption_key", generation == newer, 0, 2);
    EXPECT_EQ(state(key, key.size(), generation), BodyState::undecoded);
    EXPECT_EQ(state(key, 60, generation), BodyState::undecoded);
  }
}

TEST(Body, FitsWhereNothingThatWasCapturedSpeaksAgainstIt) {
  const Buffer name = support::joined({Buffer{std::byte{6}}, support::bytes_of("orders")});
  const auto fits_cut_to = [](const Buffer& body, std::size_t captured, std::size_t sent) {
    const Split split(support::request({.operation = 128, .body = body}));
    const Window window{split.body.captured.first(captured), static_cast<std::uint32_t>(sent)};
    return fits(plan_body(split.facts, Generation::v0_11, 202, window), window);
  };
  EXPECT_TRUE(fits_cut_to(name, 7, 7));
  EXPECT_TRUE(fits_cut_to(name, 3, 7));   // the rest was not captured
  EXPECT_FALSE(fits_cut_to(name, 6, 6));  // the name is longer than the body
}

TEST(Body, OfLegacyReplies) {
  const auto plan = [](const Buffer& frame, std::uint32_t code) {
    return plan_body(legacy_facts_of(Bytes{frame}.first(8), false), Generation::legacy, code,
                     whole(Bytes{frame}.subspan(8)));
  };
  EXPECT_EQ(plan(support::legacy_reply(), 1).state, BodyState::empty);
  const Buffer welcome = support::legacy_reply(0, Buffer(4));
  EXPECT_EQ(plan(welcome, 38).layout, &legacy::login_reply);
  EXPECT_EQ(plan(welcome, 44).layout, &legacy::login_reply);
  EXPECT_EQ(plan(welcome, 201).state, BodyState::undecoded);
  EXPECT_TRUE(plan(welcome, 42).is_secret);
  EXPECT_EQ(plan(support::legacy_reply(4, support::long_text("bad")), 201).layout,
            &legacy::error_text);
}

TEST(Body, CodesOfRequests) {
  EXPECT_EQ(code_of(support::login(support::password_body())), 40U);
  EXPECT_EQ(code_of(support::login(support::token_body())), 45U);
  EXPECT_EQ(code_of(support::login({})), 40U);
  EXPECT_EQ(code_of(support::read(100)), 100U);
  EXPECT_EQ(code_of(support::request({.operation = 132})), 302U);
  EXPECT_EQ(code_of(support::request({.operation = 160})), 101U);
  EXPECT_EQ(code_of(support::request({.operation = 200})), 0U);
  EXPECT_EQ(code_of(support::request({.operation = 150})), 0U);
  EXPECT_EQ(code_of(support::request({.operation = 150}), Generation::v0_12), 16U);
  EXPECT_EQ(code_of(support::request({.operation = 164})), older_meaning | 123U);
  EXPECT_EQ(code_of(support::read(older_meaning | 123U)), 0U);  // no header has that mark
  EXPECT_EQ(code_of(support::read(older_meaning | 999U)), older_meaning | 999U);
}

TEST(Body, ResultsOfReplies) {
  EXPECT_EQ(result_of(support::pong()).code, 0U);
  EXPECT_EQ(result_of(support::reply({.operation = 128, .body = support::success()})).code, 0U);
  EXPECT_EQ(result_of(support::reply({.operation = 128, .body = support::rejection(1012)})).code,
            1012U);
  EXPECT_EQ(result_of(support::reply({.status = 40})).code, 40U);
  // Reads have no result section, whatever their bytes look like.
  EXPECT_EQ(result_of(support::reply({.body = support::rejection(1012)})).code, 0U);
  EXPECT_EQ(result_of(support::reply({.operation = 160, .body = support::rejection(7)})).code, 0U);
  EXPECT_EQ(result_of(support::reply({.operation = 161, .body = support::rejection(7)})).code, 7U);
}

TEST(Body, ResultsThatTheCaptureCuts) {
  const Split split(support::reply({.operation = 128, .body = support::rejection(1012)}));
  for (std::size_t size = 0; size < 12; ++size) {
    const Buffer piece(support::cut(support::rejection(1012), size));
    EXPECT_FALSE(decode::result_of(split.facts, Generation::v0_11, 0, {piece, 12}).is_known)
        << size;
  }
  // A success is longer or shorter than one entry.
  EXPECT_TRUE(decode::result_of(split.facts, Generation::v0_11, 0, {{}, 40}).is_known);
  EXPECT_TRUE(decode::result_of(split.facts, Generation::v0_11, 0, {{}, 4}).is_known);
}

TEST(Body, ResultsThatAreTooShortAreNoSuccess) {
  const auto is_known = [](const Buffer& body) {
    return result_of(support::reply({.operation = 128, .body = body})).is_known;
  };
  const Buffer rejected = support::rejection(1012);
  for (const std::size_t size : {0U, 1U, 3U, 4U, 11U})
    EXPECT_FALSE(is_known(support::cut(rejected, size))) << size;
  // Neither is one that counts more entries than it has.
  for (const std::uint64_t count : {2U, 0x7fffffffU, 0xffffffffU}) {
    Buffer counting = support::rejection(0);
    support::put_number(counting, 0, count, 4);
    EXPECT_FALSE(is_known(counting)) << count;
  }
}

// Nothing but the length tells servers of 0.11.1 from those of 0.11.0.
TEST(Body, StatsMayTellOfOpenFiles) {
  const auto layout_of = [](const Buffer& body) {
    return plan_of(support::reply({.body = body}), 10).layout;
  };
  for (const support::BodyVector& vector : support::body_vectors()) {
    if (vector.generation != Generation::v0_11 || vector.plan.layout != &bodies::stats_reply_body)
      continue;
    EXPECT_EQ(layout_of(vector.bytes), &bodies::stats_reply_body);
    Buffer longer = vector.bytes;
    longer.resize(longer.size() + 15);
    EXPECT_EQ(layout_of(longer), &bodies::stats_reply_body);
    longer.resize(longer.size() + 1);
    EXPECT_EQ(layout_of(longer), &v0_12::stats_reply_body);
    return;
  }
  FAIL() << "no body of stats among the vectors";
}

TEST(Body, OfRefusalsIsNotLookedAt) {
  const Buffer frame = support::reply({.status = 41, .body = support::counting_bytes(8)});
  const BodyPlan plan = plan_of(frame, 200);
  EXPECT_EQ(plan.layout, &bodies::nothing);
  EXPECT_EQ(plan.behind, Behind::ignored);
}

TEST(Body, LoginsAreFoundByCommand) {
  const auto is_login = [](const Buffer& frame, Generation generation) {
    const Split split(frame, generation);
    return login_of(split.facts, generation, split.body).has_value();
  };
  EXPECT_TRUE(is_login(support::login({}), Generation::v0_11));
  EXPECT_TRUE(is_login(support::read(38), Generation::v0_11));
  EXPECT_TRUE(is_login(support::read(44), Generation::v0_11));
  EXPECT_TRUE(is_login(support::read(15), Generation::v0_12));
  EXPECT_FALSE(is_login(support::read(15), Generation::v0_11));
  EXPECT_FALSE(is_login(support::read(39), Generation::v0_11));
  EXPECT_FALSE(is_login(support::login_reply(), Generation::v0_11));
}

}  // namespace
}  // namespace iggy::decode
