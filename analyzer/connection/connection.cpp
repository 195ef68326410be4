// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Bytes to frames, roles and generations. What frames mean for requests is in dialogue.cpp.
#include "connection/connection.hpp"

#include <algorithm>

#include "capture/address.hpp"
#include "conversation/naming.hpp"
#include "conversation/subject.hpp"
#include "conversation/target.hpp"
#include "decode/body.hpp"
#include "iggy/registry.hpp"

namespace analyzer::connection {

using iggy::Command;
using iggy::conversation::ClientFacts;
using stream::Direction;

namespace {

// A login is read whole; no SDK sends more than some hundred bytes.
constexpr std::uint32_t login_limit = 1U << 16;
// Endpoints that are remembered as servers.
constexpr std::size_t acceptor_limit = 20'000;
// Enough for a result section, the reply to a login, and the error text of a legacy server.
constexpr std::uint32_t reply_head = 8192;
// Enough to tell what a request is about.
constexpr std::uint32_t request_head = iggy::conversation::subject_bytes;

bool is_login_code(std::uint32_t code) {
  return code == iggy::code::login || code == iggy::code::login_with_token ||
         code == iggy::code::session_bind;
}

}  // namespace

Connection::Connection(const stream::TcpFacts& facts, Shared& shared)
    : shared_(shared),
      id_(shared.next_connection++),
      facts_(facts),
      transport_(*this),
      readers_{{{*this, shared.bodies}, {*this, shared.bodies}}} {
  for (FrameReader& reader : readers_) reader.state().known_start = facts.roles_known;
  if (facts.roles_known) {
    set_client(Direction::first_to_second);
    if (shared.acceptors.size() < acceptor_limit) shared.acceptors.insert(facts.second);
  }
  session_.is_uncertain = !facts.roles_known;  // what came before the capture is not known
}

Connection::~Connection() = default;

std::uint64_t Connection::memory() const {
  // What observers remember of a connection that lives, about.
  constexpr std::uint64_t of_observers = 512;
  return sizeof(Connection) + of_observers + readers_[0].memory() + readers_[1].memory() +
         waiting_bytes_ + exchanges_.early() * sizeof(AnswerRecord) + login_bytes_ +
         evictions_.capacity() * sizeof(EvictionRecord) + (check_ ? sizeof(BodyCheck) : 0);
}

void Connection::data(Direction from, std::uint64_t offset, Bytes bytes,
                      const stream::Origin& origin) {
  transport_.data(
      from, bytes,
      {origin.packet, origin.time, offset, origin.acknowledged.value_or(no_acknowledgement), true});
}

void Connection::hole(Direction from, const stream::Hole& hole) {
  const bool hides = transport_.hole(from, hole);
  hiding_holes_ += hides ? 1 : 0;
  shared_.observer.hole(*this, from, hole, hides);
}

// What came before the first byte that was told is not known, as in any connection that was begun
// before the capture; but of these bytes it is known that there were some.
void Connection::late(Direction from, const stream::Hole& hole) {
  hide(from, hole.offset, hole.offset + hole.bytes);
  ++hiding_holes_;
  shared_.observer.hole(*this, from, hole, true);
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

bool Connection::payload_hole(Direction from, std::uint64_t bytes, const Source& found,
                              const stream::Hole& hole) {
  payload_bytes_[index(from)] += bytes;
  const bool hides = reader(from).hole(bytes, found);
  if (hides) hide(from, hole.offset, hole.offset + hole.bytes);
  return hides;
}

void Connection::payload_lost(Direction from, const stream::Hole& hole) {
  reader(from).lose();
  server_is_lost_ = server_is_lost_ || side_of(from) != Side::client;
  hide(from, hole.offset, hole.offset + hole.bytes);
}

// Answers may have been lost among the bytes [begin, end).
void Connection::hide(Direction from, std::uint64_t begin, std::uint64_t end) {
  take_loss(session_, nullptr);
  for (const LoginRecord& login : logins_)
    take_loss(session_, shared_.clients.remember(login.client));
  if (side_of(from) == Side::client) return;
  std::vector<Resolution> ended;
  exchanges_.hide(begin, end, parties_.pairing_rules(), ended);
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
  std::uint32_t asked = 0;
  std::uint32_t needed = 0;
  if (from.state().framing == Framing::legacy) {
    const bool request = from.state().side == Side::client;
    const Facts facts = iggy::decode::legacy_facts_of(header, request);
    needed = !request ? reply_head : is_login_code(facts.code) ? login_limit : request_head;
    asked = shared_.observer.wanted_body(facts);
  } else {
    header_ = iggy::decode::facts_of(header, Generation::v0_11);
    const Facts& facts = header_;
    const bool is_login =
        facts.is_request() &&
        (facts.operation == iggy::operation::register_session || is_login_code(facts.code));
    needed = is_login                                         ? login_limit
             : facts.is_reply()                               ? wanted_reply(facts, header)
             : facts.is_request()                             ? request_head
             : iggy::conversation::is_committed_unread(facts) ? request_head
                                                              : 0;
    asked = shared_.observer.wanted_body(facts);
  }
  return std::max(asked, needed);
}

// Of a long reply more is only read where it may tell names, as a list of topics does, or is that
// to a fetch.
std::uint32_t Connection::wanted_reply(const Facts& facts, Bytes header) const {
  const Generation server = generation(Side::server);
  if (facts.size <= reply_head || server == Generation::unknown) return reply_head;
  const iggy::conversation::Answer key =
      iggy::conversation::answer_of(iggy::decode::facts_of(header, server));
  const Request* request = exchanges_.find(key, parties_.pairing_rules());
  if (request == nullptr) return reply_head;
  if (iggy::conversation::has_sections(request->code))
    return iggy::conversation::fetch_sections_bytes;
  return iggy::tells_names(server, request->code) ? iggy::conversation::naming_bytes : reply_head;
}

bool Connection::begin_body(FrameReader& from, Bytes, std::uint32_t size) {
  if (checked_ == &from) checked_ = nullptr;
  if (!shared_.observer.checks_bodies() || side_of(direction_of(from)) == Side::server ||
      from.state().framing == Framing::legacy)
    return false;
  if (!header_.is_request() || !BodyCheck::has_work(header_)) return false;
  if (check_ == nullptr) check_ = std::make_unique<BodyCheck>();
  check_->begin(header_, size,
                iggy::decode::message_form_of(parties_.dialect(Side::client),
                                              generation_is_certain(Side::client)));
  checked_ = &from;
  return true;
}

// As long as nobody knows who is client, both directions may have begun a frame; then the later one
// is checked.
void Connection::body(FrameReader& from, Bytes piece) {
  if (checked_ == &from) check_->add(piece);
}

// Nothing of a body with a hole, nor of a header that is older than those that were looked for.
BodyFacts Connection::checked_body(const FrameReader& from, const Frame& frame) const {
  const bool is_whole = frame.raw.captured == frame.raw.size;
  if (checked_ != &from || !is_whole || iggy::has_older_layout(frame.generation)) return {};
  return check_->end(frame.facts);
}

void Connection::found_place(FrameReader& from, std::uint64_t begin, std::uint64_t end) {
  hide(direction_of(from), begin, end);
}

void Connection::skipped(FrameReader& from, const Skipped& skipped) {
  shared_.observer.skipped(*this, direction_of(from), skipped);
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
  if (names_server_ == 0) names_server_ = shared_.names.server(to_string(server()));
  if (side == Side::server) server_is_lost_ = false;
  FrameReader& peer = reader(stream::other(direction));
  inform_peer(peer.state(), raw.framing, side, peer.frames() != 0);

  Frame frame;
  frame.id = shared_.next_frame++;
  frame.from = side;
  frame.raw = raw;
  if (raw.is_body_dropped) ++shared_.dropped_bodies;
  const bool is_legacy = raw.framing == Framing::legacy;
  const U128 id = is_legacy ? U128{} : iggy::decode::client_of_request(raw.header);
  ClientFacts* client = id.is_zero() ? nullptr : shared_.clients.remember(id);
  frame.facts = parties_.take_frame(
      side, {raw.framing, raw.header, raw.body.captured, from.has_preamble()}, client);
  set_generation(frame);

  if (frame.facts.is_request() && side == Side::client) {
    frame.body = checked_body(from, frame);
    on_request(frame);
  } else if ((frame.facts.is_reply() || frame.facts.is(Command::Eviction)) &&
             side == Side::server) {
    on_answer(frame);
  } else {
    shared_.observer.frame(*this, frame);
  }
}

void Connection::set_generation(Frame& frame) const {
  frame.generation = generation(frame.from);
  frame.is_generation_inferred = !generation_is_certain(frame.from);
  frame.train = parties_.dialect(frame.from).train;
  if (parties_.plane() != Plane::replica || shared_.builds.is_empty()) return;
  const stream::Endpoint& sender = frame.from == Side::server ? server() : client();
  frame.train = shared_.builds.at(capture::to_string(sender.address));
}

// Without a handshake the first frame tells who is client.
void Connection::learn_roles(Direction from, const RawFrame& raw) {
  if (raw.framing == Framing::legacy) {
    const bool by_client = reader(from).state().side != Side::server;
    set_client(by_client ? from : stream::other(from));
    return;
  }
  const Facts facts = iggy::decode::facts_of(raw.header, Generation::v0_11);
  const bool is_first = from == Direction::first_to_second;
  const stream::Endpoint& sender = is_first ? facts_.first : facts_.second;
  const stream::Endpoint& receiver = is_first ? facts_.second : facts_.first;
  const bool by_client =
      iggy::conversation::sender_of(facts, {shared_.acceptors.contains(sender),
                                            shared_.acceptors.contains(receiver)}) == Side::client;
  set_client(by_client ? from : stream::other(from));
}

void Connection::set_client(Direction direction) {
  client_direction_ = direction;
  reader(direction).state().side = Side::client;
  reader(stream::other(direction)).state().side = Side::server;
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

Content Connection::content() const {
  if (readers_[0].frames() + readers_[1].frames() != 0) return Content::frames;
  if (transport() == Transport::tls) return Content::encrypted;
  for (const Direction from : {Direction::first_to_second, Direction::second_to_first})
    if (transport_.is_other(from) || reader(from).began_otherwise()) return Content::other;
  return hiding_holes_ == 0 ? Content::other : Content::untold;
}

iggy::conversation::Foreign Connection::foreign(Side side) const {
  return transport_.foreign(direction_of(side));
}

std::uint64_t Connection::foreign_packet(Side side) const {
  return transport_.foreign_packet(direction_of(side));
}

}  // namespace analyzer::connection
