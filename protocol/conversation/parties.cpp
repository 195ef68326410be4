// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The verdicts of parties.hpp.
#include "conversation/parties.hpp"

#include "conversation/shapes.hpp"
#include "iggy/registry.hpp"

namespace iggy::conversation {

using decode::Facts;
using decode::facts_of;

// Client ids may be chosen again by another client, so the headers of a connection count more than
// what is borrowed, and of two signs that are alike its own.
const Verdict& Parties::verdict(Side side) const {
  const bool is_borrowed = side == Side::client && own(side).strength < Strength::header &&
                           borrowed_.strength > own(side).strength;
  return is_borrowed ? borrowed_ : own(side);
}

// The bodies of a connection speak against what its client id showed elsewhere.
bool Parties::is_doubted(Side side) const {
  return side == Side::client && own(side).strength == Strength::shape && borrowed_.is_certain() &&
         borrowed_.generation != own(side).generation;
}

Generation Parties::generation(Side side) const {
  const Verdict& said = verdict(side);
  const Side peer = side == Side::server ? Side::client : Side::server;
  const Verdict& other = verdict(peer);
  // A hint at 0.12 that the other side speaks against is an unknown number, not a generation.
  const bool is_hint = said.generation == Generation::v0_12 && !said.is_certain();
  const bool is_shared =
      other.generation == Generation::v0_12 || other.generation == Generation::unknown;
  if (said.generation != Generation::unknown && (!is_hint || is_shared)) return said.generation;
  if (!was_heard_[index(side)]) return Generation::unknown;
  // A server that works with a client of another generation speaks it too, unless its own bytes say
  // otherwise; both sides of a replica link agree.
  const bool follows = side == Side::server || plane_ == Plane::replica;
  const bool is_followed = (other.generation == Generation::v0_12 && other.is_certain()) ||
                           has_older_layout(other.generation);
  return follows && is_followed ? other.generation : Generation::v0_11;
}

// Pairing goes by the server's generation; while it sent nothing, by the client's.
PairingRules Parties::pairing_rules() const {
  const Generation server = generation(Side::server);
  const Generation client = generation(Side::client);
  Generation chosen = server;
  if (server == Generation::legacy && client != Generation::legacy)
    chosen = Generation::v0_11;
  else if (server == Generation::unknown)
    // What only hints at 0.12 must not loosen the rules.
    chosen = client == Generation::v0_12 && !is_certain(Side::client) ? Generation::v0_11 : client;
  return {chosen,
          is_certain(Side::server) || is_certain(Side::client) || chosen == Generation::legacy};
}

Facts Parties::take_frame(Side side, const FrameBytes& frame, ClientFacts* client) {
  was_heard_[index(side)] = true;
  if (frame.framing == Framing::legacy) {
    own(side).learn({Generation::legacy, Strength::told});
    plane_ = Plane::client;
    return decode::legacy_facts_of(frame.header, side == Side::client);
  }
  const Facts facts = facts_of(frame.header, Generation::v0_11);
  if (plane_ == Plane::unknown) plane_ = plane_of(static_cast<Command>(facts.command));
  if (side == Side::server) contradict_older_layout(frame.header);
  learn_generation(side, frame, facts, client);
  const Generation spoken = generation(side);
  return has_older_layout(spoken) ? facts_of(frame.header, spoken) : facts;
}

// A server of 0.11 refuses the login of a 0.12 client with status 4, before it looks at the
// version. What it serves shows by its shape where nothing stronger speaks against that.
bool Parties::take_answer(const Facts& answer, const Asked* request, decode::Window body) {
  if (!answer.is(Command::Reply)) return false;
  const Generation before = pairing_rules().generation;
  const bool refused_login =
      answer.status == status::invalid_format && request != nullptr && request->is_login;
  if (generation(Side::client) == Generation::v0_12 && refused_login)
    own(Side::server).learn({Generation::v0_11, Strength::header});
  if (!is_certain(Side::server) && !has_older_layout(verdict(Side::client).generation))
    learn_of_reply(shape_of_reply(answer, request == nullptr ? 0 : request->code, body));
  return pairing_rules().generation != before;
}

void Parties::take_build(const Asked& request) {
  if (request.is_login) trains_[index(Side::client)] = request.train;
}

void Parties::take_build(const AnswerFacts& answer) {
  if (answer.number.packed != 0) trains_[index(Side::server)] = answer.train;
}

// Who is served speaks what the server speaks.
void Parties::learn_of_reply(const Evidence& evidence) {
  const Verdict& client = verdict(Side::client);
  const bool is_overruled =
      client.strength > evidence.strength && client.generation != evidence.generation;
  if (evidence.strength == Strength::shape && is_overruled) {
    // What the connection itself showed stays; what was borrowed is in doubt.
    own(Side::client).learn(evidence);
    return;
  }
  own(Side::server).learn(evidence);
  if (evidence.is_certain() && !has_older_layout(evidence.generation))
    own(Side::client).learn(evidence);
}

// A server of 0.11 refuses reads of the older layouts with a status where those have their
// namespace, which is zero in reads and metadata.
void Parties::contradict_older_layout(decode::Bytes header) {
  if (!has_older_layout(verdict(Side::client).generation)) return;
  const Facts facts = facts_of(header, Generation::v0_11);
  if (!facts.is(Command::Reply) || facts.operation >= operation::first_partition) return;
  const Facts older = facts_of(header, Generation::va);
  if (older.status == 0 && !error_name(facts.status).empty())
    own(Side::server).learn({Generation::v0_11, Strength::header});
}

void Parties::learn_generation(Side side, const FrameBytes& frame, const Facts& facts,
                               ClientFacts* client) {
  Verdict& shown = own(side);
  if (shown.strength < Strength::told) {
    Evidence evidence = evidence_of(frame.header, frame.body);
    const Generation peer = verdict(Side::client).generation;
    // The replies of v0 and va are told apart by their clients.
    if (side == Side::server && evidence.generation == Generation::va && peer == Generation::v0)
      evidence.generation = Generation::v0;
    if (side == Side::server && facts.is(Command::Reply))
      learn_of_reply(evidence);
    else
      shown.learn(evidence);
    if (frame.behind_preamble) shown.learn({Generation::v0_12, Strength::header});
    if (side == Side::client && !verdict(side).is_certain())
      shown.learn(shape_of_send(facts, {frame.body, facts.size - header_bytes}));
  }
  // All connections of a client id speak one generation.
  if (side != Side::client || client == nullptr) return;
  borrowed_.learn(client->spoken);
  const Verdict& said = verdict(side);
  if (is_certain(side) && said.strength >= client->spoken.strength) client->spoken = said;
}

Side sender_of(const Facts& facts, Acceptors acceptors) {
  const auto command = static_cast<Command>(facts.command);
  const bool is_greeting = command == Command::ReplicaHello || command == Command::ReplicaFinish;
  bool by_client = command == Command::Request || is_greeting;
  if (plane_of(command) == Plane::replica && !is_greeting && command != Command::ReplicaChallenge)
    by_client = acceptors.receiver || (!acceptors.sender && facts.replica == 0);
  return by_client ? Side::client : Side::server;
}

}  // namespace iggy::conversation
