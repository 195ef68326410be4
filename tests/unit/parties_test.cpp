// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What frames of both sides leave of generations, planes and roles.
#include "conversation/parties.hpp"

#include <gtest/gtest.h>

#include <array>
#include <utility>
#include <vector>

#include "iggy/exchanges.hpp"
#include "iggy/registry.hpp"

namespace iggy::conversation {
namespace {

TEST(Verdict, GoesByTheStrongestSignAndTheFirstOfEqualOnes) {
  Verdict verdict;
  verdict.learn({});
  EXPECT_EQ(verdict.generation, Generation::unknown);
  verdict.learn({Generation::v0_12, Strength::hint});
  verdict.learn({Generation::v0_11, Strength::hint});
  EXPECT_EQ(verdict.generation, Generation::v0_12);
  EXPECT_FALSE(verdict.is_certain());
  verdict.learn({Generation::v0_11, Strength::shape});
  EXPECT_EQ(verdict.generation, Generation::v0_11);
  EXPECT_TRUE(verdict.is_certain());
  verdict.learn({Generation::v0_12, Strength::told});
  verdict.learn({Generation::v0_11, Strength::header});
  verdict.learn({Generation::v0_11, Strength::told});
  EXPECT_EQ(verdict.generation, Generation::v0_12);
}

constexpr std::uint32_t code_of_poll = command_code("message.poll");

// A frame of zeros but for what is named.
struct Made {
  std::array<std::byte, 256> bytes{};
  FrameBytes frame() const { return {Framing::frames, bytes, {}, false}; }
};
Made made(Command command, std::uint8_t operation = 0) {
  Made frame;
  frame.bytes[49] = std::byte{1};  // size 256
  frame.bytes[60] = static_cast<std::byte>(command);
  const std::size_t operation_at = command == Command::Request ? 176 : 208;
  frame.bytes[operation_at] = std::byte{operation};
  return frame;
}

TEST(Parties, ASideIsUnknownUntilItIsHeardAndThenCountsAs0_11) {
  Parties parties;
  EXPECT_EQ(parties.generation(Side::client), Generation::unknown);
  EXPECT_EQ(parties.pairing_rules().generation, Generation::unknown);
  parties.take_frame(Side::client, made(Command::Request, 200).frame(), nullptr);
  EXPECT_EQ(parties.generation(Side::client), Generation::v0_11);
  EXPECT_FALSE(parties.is_certain(Side::client));
  EXPECT_EQ(parties.generation(Side::server), Generation::unknown);
  EXPECT_EQ(parties.plane(), Plane::client);
  EXPECT_FALSE(parties.pairing_rules().is_certain);
}

// A code that 0.12 alone has names its command also where the server's frames show no generation;
// one that shows 0.11 does not know it.
TEST(Parties, AHintHoldsUntilTheOtherSideSpeaksAgainstIt) {
  Parties parties;
  Made fetch = made(Command::Request, operation::non_replicated);
  fetch.bytes[196] = std::byte{109};
  parties.take_frame(Side::client, fetch.frame(), nullptr);
  EXPECT_EQ(parties.generation(Side::client), Generation::v0_12);
  const decode::Facts answer = parties.take_frame(
      Side::server, made(Command::Reply, operation::non_replicated).frame(), nullptr);
  EXPECT_TRUE(answer.is(Command::Reply));
  EXPECT_EQ(parties.generation(Side::client), Generation::v0_12);
  EXPECT_FALSE(parties.is_certain(Side::client));
  EXPECT_EQ(parties.pairing_rules().generation, Generation::v0_11);
}

TEST(Parties, AClientIdSpeaksOneGenerationOnAllItsConnections) {
  ClientFacts client;
  client.spoken = {Generation::v0_12, Strength::told};
  Parties parties;
  parties.take_frame(Side::client, made(Command::Request, 200).frame(), &client);
  EXPECT_EQ(parties.generation(Side::client), Generation::v0_12);
  EXPECT_TRUE(parties.is_certain(Side::client));
  // A server that says nothing of its own follows.
  parties.take_frame(Side::server, made(Command::Reply, 200).frame(), nullptr);
  EXPECT_EQ(parties.generation(Side::server), Generation::v0_12);
}

TEST(Parties, APreambleIsOf0_12) {
  Parties parties;
  FrameBytes frame = made(Command::ReplicaHello).frame();
  const Made hello = made(Command::ReplicaHello);
  frame.header = hello.bytes;
  frame.behind_preamble = true;
  parties.take_frame(Side::client, frame, nullptr);
  EXPECT_EQ(parties.generation(Side::client), Generation::v0_12);
  EXPECT_EQ(parties.plane(), Plane::replica);
}

TEST(Parties, ARefusedLoginTellsOfTheServer) {
  ClientFacts client;
  client.spoken = {Generation::v0_12, Strength::told};
  Parties parties;
  parties.take_frame(Side::client, made(Command::Request, 1).frame(), &client);
  const Made reply = made(Command::Reply, 1);
  decode::Facts facts = parties.take_frame(Side::server, reply.frame(), nullptr);
  facts.status = status::invalid_format;
  parties.take_answer(facts, nullptr, {});
  EXPECT_EQ(parties.generation(Side::server), Generation::v0_12);
  Asked login;
  login.is_login = true;
  parties.take_answer(facts, &login, {});
  EXPECT_EQ(parties.generation(Side::server), Generation::v0_11);
  EXPECT_EQ(parties.pairing_rules().generation, Generation::v0_11);
}

// The reply to a poll without messages, of so many bytes.
decode::Facts answer_poll(Parties& parties, std::uint32_t body_bytes,
                          std::uint32_t code = code_of_poll) {
  const std::vector<std::byte> body(body_bytes);
  Made reply = made(Command::Reply, operation::non_replicated);
  const decode::Facts facts = parties.take_frame(Side::server, reply.frame(), nullptr);
  Asked asked;
  asked.code = code;
  parties.take_answer(facts, code == 0 ? nullptr : &asked, decode::whole(body));
  return facts;
}

TEST(Parties, WhatIsServedTellsOfBothSides) {
  for (const auto& [bytes, generation] :
       {std::pair{16U, Generation::v0_11}, {40U, Generation::v0_12}}) {
    Parties parties;
    ClientFacts client;
    parties.take_frame(Side::client, made(Command::Request, 200).frame(), &client);
    answer_poll(parties, bytes, 0);  // whose request is not known
    EXPECT_FALSE(parties.is_certain(Side::server));
    answer_poll(parties, bytes);
    EXPECT_EQ(parties.generation(Side::server), generation);
    EXPECT_EQ(parties.generation(Side::client), generation);
    EXPECT_TRUE(parties.is_certain(Side::server));
    EXPECT_TRUE(parties.is_certain(Side::client));
    // The client id speaks it on all its connections.
    EXPECT_EQ(client.spoken, Evidence{});
    parties.take_frame(Side::client, made(Command::Request, 200).frame(), &client);
    EXPECT_EQ(client.spoken, (Evidence{generation, Strength::shape}));
  }
}

TEST(Parties, AShapeDoesNotOverruleALogin) {
  ClientFacts client;
  client.spoken = {Generation::v0_11, Strength::told};
  Parties parties;
  parties.take_frame(Side::client, made(Command::Request, 200).frame(), &client);
  answer_poll(parties, 40);
  EXPECT_EQ(parties.generation(Side::client), Generation::v0_11);
  EXPECT_EQ(parties.generation(Side::server), Generation::v0_11);
}

TEST(Parties, AVersionOverrulesAShape) {
  Parties parties;
  parties.take_frame(Side::client, made(Command::Request, 200).frame(), nullptr);
  answer_poll(parties, 40);
  ClientFacts client;
  client.spoken = {Generation::v0_11, Strength::told};
  parties.take_frame(Side::client, made(Command::Request, 200).frame(), &client);
  EXPECT_EQ(parties.generation(Side::client), Generation::v0_11);
}

// A client id may be chosen again by another client.
TEST(Parties, OwnHeadersOverruleALoginElsewhere) {
  ClientFacts client;
  client.spoken = {Generation::v0_11, Strength::told};
  Parties parties;
  Made request = made(Command::Request, operation::send_messages);
  request.bytes[200] = std::byte{9};  // minimum_metadata_op of 0.12
  parties.take_frame(Side::client, request.frame(), &client);
  EXPECT_EQ(parties.generation(Side::client), Generation::v0_12);
  EXPECT_TRUE(parties.is_certain(Side::client));
  EXPECT_EQ(client.spoken, (Evidence{Generation::v0_11, Strength::told}));
}

TEST(Parties, WhatIsBorrowedIsInDoubtWhereAnswersSpeakAgainstIt) {
  for (const Strength strength : {Strength::shape, Strength::told}) {
    ClientFacts client;
    client.spoken = {Generation::v0_11, strength};
    Parties parties;
    parties.take_frame(Side::client, made(Command::Request, 200).frame(), &client);
    EXPECT_TRUE(parties.is_certain(Side::client));
    answer_poll(parties, 40);
    const bool is_alike = strength == Strength::shape;
    EXPECT_EQ(parties.generation(Side::client), is_alike ? Generation::v0_12 : Generation::v0_11);
    EXPECT_FALSE(parties.is_certain(Side::client));
    EXPECT_EQ(client.spoken, (Evidence{Generation::v0_11, strength}));
  }
}

TEST(Parties, LegacyFramingIsCertain) {
  const std::array<std::byte, 8> ping{std::byte{4}, {}, {}, {}, std::byte{1}};
  Parties parties;
  parties.take_frame(Side::client, {Framing::legacy, ping, {}, false}, nullptr);
  EXPECT_EQ(parties.generation(Side::client), Generation::legacy);
  EXPECT_TRUE(parties.pairing_rules().is_certain);
}

TEST(SenderOf, GoesByCommandThenByWhoAccepts) {
  const auto facts = [](Command command, std::uint8_t replica) {
    decode::Facts made;
    made.command = static_cast<std::uint8_t>(command);
    made.replica = replica;
    return made;
  };
  EXPECT_EQ(sender_of(facts(Command::Request, 0), {}), Side::client);
  EXPECT_EQ(sender_of(facts(Command::Reply, 0), {}), Side::server);
  EXPECT_EQ(sender_of(facts(Command::ReplicaHello, 2), {}), Side::client);
  EXPECT_EQ(sender_of(facts(Command::ReplicaChallenge, 0), {}), Side::server);
  EXPECT_EQ(sender_of(facts(Command::Commit, 0), {}), Side::client);
  EXPECT_EQ(sender_of(facts(Command::Commit, 1), {}), Side::server);
  EXPECT_EQ(sender_of(facts(Command::Commit, 1), {false, true}), Side::client);
  EXPECT_EQ(sender_of(facts(Command::Commit, 0), {true, false}), Side::server);
}

}  // namespace
}  // namespace iggy::conversation
