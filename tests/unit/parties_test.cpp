// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What frames of both sides leave of generations, planes and roles.
#include "conversation/parties.hpp"

#include <gtest/gtest.h>

#include <array>

#include "iggy/registry.hpp"

namespace iggy::conversation {
namespace {

TEST(Verdict, CertainEvidenceIsFinal) {
  Verdict verdict;
  verdict.learn({});
  EXPECT_EQ(verdict.generation, Generation::unknown);
  verdict.learn({Generation::v0_12, false});
  verdict.learn({Generation::v0_11, false});
  EXPECT_EQ(verdict.generation, Generation::v0_12);
  verdict.learn({Generation::v0_11, true});
  EXPECT_EQ(verdict.generation, Generation::v0_11);
  verdict.learn({Generation::v0_12, true});
  EXPECT_EQ(verdict.generation, Generation::v0_11);
}

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

TEST(Parties, AClientIdSpeaksOneGenerationOnAllItsConnections) {
  ClientFacts client;
  client.generation = Generation::v0_12;
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
  client.generation = Generation::v0_12;
  Parties parties;
  parties.take_frame(Side::client, made(Command::Request, 1).frame(), &client);
  const Made reply = made(Command::Reply, 1);
  decode::Facts facts = parties.take_frame(Side::server, reply.frame(), nullptr);
  facts.status = status::invalid_format;
  parties.take_refusal(facts, false);
  EXPECT_EQ(parties.generation(Side::server), Generation::v0_12);
  parties.take_refusal(facts, true);
  EXPECT_EQ(parties.generation(Side::server), Generation::v0_11);
  EXPECT_EQ(parties.pairing_rules().generation, Generation::v0_11);
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
