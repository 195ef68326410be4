// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Bytes to frames, roles and generations. What frames mean for requests is in dialogue.cpp.
#include "connection/connection.hpp"

#include <algorithm>

#include "decode/body.hpp"
#include "iggy/registry.hpp"

namespace analyzer::connection {

using iggy::Command;
using iggy::conversation::Evidence;
using stream::Direction;

namespace {

// A login is read whole; no SDK sends more than some hundred bytes.
constexpr std::uint32_t login_limit = 1U << 16;
// Endpoints that are remembered as servers.
constexpr std::size_t acceptor_limit = 20'000;
// Enough for a result section, the reply to a login, and the error text of a legacy server.
constexpr std::uint32_t reply_head = 8192;

bool is_login_code(std::uint32_t code) {
  return code == iggy::code::login || code == iggy::code::login_with_token ||
         code == iggy::code::session_bind;
}

}  // namespace

void Verdict::learn(Evidence evidence) {
  if (evidence.generation == Generation::unknown || certain) return;
  if (!evidence.certain && generation != Generation::unknown) return;
  generation = evidence.generation;
  certain = evidence.certain;
}

Connection::Connection(const stream::TcpFacts& facts, Shared& shared)
    : shared_(shared),
      id_(shared.next_connection++),
      facts_(facts),
      transport_(*this),
      readers_{FrameReader(*this), FrameReader(*this)} {
  for (FrameReader& reader : readers_) reader.state().known_start = facts.roles_known;
  if (facts.roles_known) {
    set_client(Direction::first_to_second);
    if (shared.acceptors.size() < acceptor_limit) shared.acceptors.insert(facts.second);
  }
  session_is_uncertain_ = !facts.roles_known;  // what came before the capture is not known
}

Connection::~Connection() = default;

void Connection::data(Direction from, std::uint64_t offset, Bytes bytes,
                      const stream::Origin& origin) {
  transport_.data(
      from, bytes,
      {origin.packet, origin.time, offset, origin.acknowledged.value_or(no_acknowledgement), true});
}

void Connection::hole(Direction from, const stream::Hole& hole) {
  transport_.hole(from, hole);
}

void Connection::finished(Direction from, bool reset, const stream::Origin& origin) {
  std::optional<Finish>& finish = finishes_[index(from)];
  if (!finish) finish = Finish{origin.packet, origin.time, reset};
  if (transport_.transport() != Transport::tls) reader(from).finish();
}

void Connection::payload(Direction from, Bytes bytes, const Source& source) {
  payload_bytes_[index(from)] += bytes.size();
  reader(from).data(bytes, source);
}

void Connection::payload_hole(Direction from, std::uint64_t bytes, const Source& found,
                              const stream::Hole& hole) {
  payload_bytes_[index(from)] += bytes;
  const bool hides = reader(from).hole(bytes, found);
  if (hides) hide(from, hole.offset, hole.offset + hole.bytes);
  shared_.observer.hole(*this, side_of(from), hole, hides);
}

void Connection::payload_lost(Direction from, const stream::Hole& hole) {
  reader(from).lose();
  server_is_lost_ = server_is_lost_ || side_of(from) != Side::client;
  hide(from, hole.offset, hole.offset + hole.bytes);
  if (hole.bytes != 0) shared_.observer.hole(*this, side_of(from), hole, true);
}

// Answers may have been lost among the bytes [begin, end).
void Connection::hide(Direction from, std::uint64_t begin, std::uint64_t end) {
  session_is_uncertain_ = true;
  for (const LoginRecord& login : logins_)
    if (ClientFacts* client = shared_.clients.remember(login.client)) client->is_uncertain = true;
  if (side_of(from) == Side::client) return;
  std::vector<Resolution> ended;
  exchanges_.hide(begin, end, ended);
  settle(ended);
}

// The direction begins anew behind an upgrade.
void Connection::restart(Direction from, Side side) {
  if (!client_direction_) set_client(side == Side::client ? from : stream::other(from));
  DirectionState fresh;
  fresh.side = reader(from).state().side;
  fresh.known_start = true;
  fresh.peer = reader(from).state().peer;
  reader(from).restart(fresh);
  payload_bytes_[index(from)] = 0;
}

std::uint32_t Connection::wanted_body(const FrameReader& from, Bytes header) {
  const std::uint32_t asked = shared_.observer.wanted_body();
  std::uint32_t needed = 0;
  if (from.state().framing == Framing::legacy) {
    const bool request = from.state().side == Side::client;
    const Facts facts = iggy::decode::legacy_facts_of(header, request);
    needed = !request ? reply_head : is_login_code(facts.code) ? login_limit : 0;
  } else {
    const Facts facts = iggy::decode::facts_of(header, Generation::v0_11);
    const bool is_login =
        facts.is_request() &&
        (facts.operation == iggy::operation::register_session || is_login_code(facts.code));
    needed = is_login ? login_limit : facts.is_reply() ? reply_head : 0;
  }
  return std::max(asked, needed);
}

void Connection::found_place(FrameReader& from, std::uint64_t begin, std::uint64_t end) {
  hide(direction_of(from), begin, end);
}

void Connection::contradiction(FrameReader& from, Contradiction why, const Source& source) {
  shared_.observer.contradiction(*this, side_of(direction_of(from)), why, source.packet);
}

void Connection::foreign(FrameReader& from, Bytes bytes, const Source& source) {
  // A server of the 8-byte framing answers also what it cannot read.
  const Direction direction = direction_of(from);
  reader(stream::other(direction)).state().peer = Framing::frames;
  transport_.foreign(direction, from.state().foreign, bytes, source);
}

void Connection::frame(FrameReader& from, const RawFrame& raw) {
  const Direction direction = direction_of(from);
  if (!client_direction_) learn_roles(direction, raw);
  const Side side = side_of(direction);
  if (side == Side::server) server_is_lost_ = false;
  FrameReader& peer = reader(stream::other(direction));
  peer.state().peer = raw.framing;
  // What the peer sent could not be recognised without knowing this side; look at it anew.
  if (peer.frames() == 0 && peer.state().framing == Framing::searching &&
      from.state().framing == Framing::legacy) {
    peer.state().framing = Framing::undecided;
    peer.state().side = side == Side::client ? Side::server : Side::client;
  }

  Frame frame;
  frame.id = shared_.next_frame++;
  frame.from = side;
  frame.raw = raw;
  if (raw.framing == Framing::legacy) {
    frame.facts = iggy::decode::legacy_facts_of(raw.header, side == Side::client);
    verdict(side).learn({Generation::legacy, true});
    plane_ = Plane::client;
  } else {
    frame.facts = iggy::decode::facts_of(raw.header, Generation::v0_11);
    if (plane_ == Plane::unknown)
      plane_ = iggy::plane_of(static_cast<Command>(frame.facts.command));
    if (side == Side::server) contradict_older_layout(raw);
    learn_generation(side, raw, frame.facts.client);
  }
  frame.generation = generation(side);
  if (iggy::has_older_layout(frame.generation))
    frame.facts = iggy::decode::facts_of(raw.header, frame.generation);

  if (frame.facts.is_request() && side == Side::client) {
    on_request(frame);
  } else if ((frame.facts.is_reply() || frame.facts.is(Command::Eviction)) &&
             side == Side::server) {
    on_answer(frame);
  } else {
    shared_.observer.frame(*this, frame);
  }
}

// Without a handshake the first frame tells who is client: requests come from clients. On the
// replica plane an endpoint that accepted elsewhere is the server, else node 0, which dials
// everybody, is not.
void Connection::learn_roles(Direction from, const RawFrame& raw) {
  if (raw.framing == Framing::legacy) {
    const bool by_client = reader(from).state().side != Side::server;
    set_client(by_client ? from : stream::other(from));
    return;
  }
  const Facts facts = iggy::decode::facts_of(raw.header, Generation::v0_11);
  const auto command = static_cast<Command>(facts.command);
  bool by_client = command == Command::Request || command == Command::ReplicaHello ||
                   command == Command::ReplicaFinish;
  if (iggy::plane_of(command) == Plane::replica && command != Command::ReplicaHello &&
      command != Command::ReplicaChallenge && command != Command::ReplicaFinish) {
    const bool is_first = from == Direction::first_to_second;
    const stream::Endpoint& sender = is_first ? facts_.first : facts_.second;
    const stream::Endpoint& receiver = is_first ? facts_.second : facts_.first;
    if (shared_.acceptors.contains(receiver))
      by_client = true;
    else if (!shared_.acceptors.contains(sender))
      by_client = facts.replica == 0;
  }
  set_client(by_client ? from : stream::other(from));
}

void Connection::set_client(Direction direction) {
  client_direction_ = direction;
  reader(direction).state().side = Side::client;
  reader(stream::other(direction)).state().side = Side::server;
}

// A server of 0.11 refuses reads of the older layouts with a status where those have their
// namespace, which is zero in reads and metadata.
void Connection::contradict_older_layout(const RawFrame& raw) {
  const Generation client = verdict(Side::client).generation;
  if (!iggy::has_older_layout(client)) return;
  const Facts facts = iggy::decode::facts_of(raw.header, Generation::v0_11);
  if (!facts.is(Command::Reply) || facts.operation >= iggy::operation::first_partition) return;
  const Facts older = iggy::decode::facts_of(raw.header, Generation::va);
  if (older.status == 0 && !iggy::error_name(facts.status).empty())
    verdict(Side::server).learn({Generation::v0_11, true});
}

void Connection::learn_generation(Side side, const RawFrame& raw, const U128& client) {
  Verdict& own = verdict(side);
  Evidence evidence = iggy::conversation::evidence_of(raw.header, raw.body.captured);
  // The replies of v0 and va are told apart by their clients.
  if (side == Side::server && evidence.generation == Generation::va &&
      verdict(Side::client).generation == Generation::v0)
    evidence.generation = Generation::v0;
  own.learn(evidence);
  if (reader(direction_of(side)).has_preamble()) own.learn({Generation::v0_12, true});
  // All connections of a client id speak one generation.
  if (side != Side::client || client.is_zero()) return;
  if (own.certain) {
    if (ClientFacts* facts = shared_.clients.remember(client)) facts->generation = own.generation;
  } else if (const ClientFacts* facts = shared_.clients.find(client)) {
    own.learn({facts->generation, true});
  }
}

Verdict& Connection::verdict(Side side) {
  return verdicts_[side == Side::server ? 1 : 0];
}
const Verdict& Connection::verdict(Side side) const {
  return verdicts_[side == Side::server ? 1 : 0];
}

Generation Connection::generation(Side side) const {
  const Verdict& own = verdict(side);
  const Side peer = side == Side::server ? Side::client : Side::server;
  const Verdict& other = verdict(peer);
  // A hint at 0.12 that the other side does not share is an unknown number, not a generation.
  const bool is_hint = own.generation == Generation::v0_12 && !own.certain;
  const bool is_shared = other.generation == Generation::v0_12 || frames_from(peer) == 0;
  if (own.generation != Generation::unknown && (!is_hint || is_shared)) return own.generation;
  if (frames_from(side) == 0) return Generation::unknown;
  // A server that works with a client of another generation speaks it too, unless its own bytes say
  // otherwise; both sides of a replica link agree.
  const bool follows = side == Side::server || plane_ == Plane::replica;
  const bool is_followed = (other.generation == Generation::v0_12 && other.certain) ||
                           iggy::has_older_layout(other.generation);
  return follows && is_followed ? other.generation : Generation::v0_11;
}

// Pairing goes by the server's generation; while it sent nothing, by the client's.
Generation Connection::pairing_generation() const {
  const Generation server = generation(Side::server);
  if (server == Generation::legacy && generation(Side::client) != Generation::legacy)
    return Generation::v0_11;
  if (server != Generation::unknown) return server;
  // What only hints at 0.12 must not loosen the rules.
  const Generation client = generation(Side::client);
  return client == Generation::v0_12 && !verdict(Side::client).certain ? Generation::v0_11 : client;
}

PairingRules Connection::pairing_rules() const {
  const Generation generation = pairing_generation();
  return {generation, verdict(Side::server).certain || verdict(Side::client).certain ||
                          generation == Generation::legacy};
}

FrameReader& Connection::reader(Direction direction) {
  return readers_[index(direction)];
}
const FrameReader& Connection::reader(Direction direction) const {
  return readers_[index(direction)];
}

Direction Connection::direction_of(const FrameReader& reader) const {
  return &reader == readers_.data() ? Direction::first_to_second : Direction::second_to_first;
}

Direction Connection::direction_of(Side side) const {
  const Direction client = client_direction_.value_or(Direction::first_to_second);
  return side == Side::server ? stream::other(client) : client;
}

Side Connection::side_of(Direction direction) const {
  if (!client_direction_) return Side::unknown;
  return direction == *client_direction_ ? Side::client : Side::server;
}

const stream::Endpoint& Connection::client() const {
  return direction_of(Side::client) == Direction::first_to_second ? facts_.first : facts_.second;
}
const stream::Endpoint& Connection::server() const {
  return direction_of(Side::client) == Direction::first_to_second ? facts_.second : facts_.first;
}

std::uint64_t Connection::frames_from(Side side) const {
  return reader(direction_of(side)).frames();
}

std::uint64_t Connection::left_over_bytes() const {
  return readers_[0].left_over_bytes() + readers_[1].left_over_bytes() + transport_.other_bytes();
}

iggy::conversation::Foreign Connection::foreign(Side side) const {
  return transport_.foreign(direction_of(side));
}

std::uint64_t Connection::foreign_packet(Side side) const {
  return transport_.foreign_packet(direction_of(side));
}

}  // namespace analyzer::connection
