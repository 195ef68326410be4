// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The two sides of a connection: which of them is the client, which generation each speaks, how
// sure that is, and of which train its build is.
//
// The one place that decides it, for both tools. Steps over trivially copyable state whose storage
// the caller owns; a verdict goes by all that was seen so far.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "conversation/framing.hpp"
#include "conversation/pairing.hpp"
#include "conversation/recognise.hpp"
#include "conversation/session.hpp"
#include "decode/facts.hpp"
#include "iggy/dialect.hpp"
#include "iggy/generation.hpp"
#include "iggy/trains.hpp"

namespace iggy::conversation {

// A generation and how sure it is: the strongest sign so far.
struct Verdict : Evidence {
  void learn(const Evidence& evidence) {
    if (evidence.strength > strength) static_cast<Evidence&>(*this) = evidence;
  }
};

// One frame as its bytes lie.
struct FrameBytes {
  Framing framing = Framing::frames;
  decode::Bytes header;
  decode::Bytes body;            // the front of it, as far as it is there
  bool behind_preamble = false;  // its direction began with the preamble of a replica link
};

class Parties {
 public:
  Plane plane() const { return plane_; }
  // What a side speaks; unknown while it sent no frame. A side without evidence counts as 0.11.
  Generation generation(Side side) const;
  bool is_certain(Side side) const { return verdict(side).is_certain() && !is_doubted(side); }
  // What the bodies of a side are read by: its generation, and its train as the last login that
  // was seen told it. A refused login tells that of the client as well.
  Dialect dialect(Side side) const { return {generation(side), trains_[index(side)]}; }
  PairingRules pairing_rules() const;

  // Takes in a frame that `side` sent, and returns its facts by the generation that this leaves.
  // `client` is what its client id showed on other connections, and learns from this one; null
  // where there is none.
  decode::Facts take_frame(Side side, const FrameBytes& frame, ClientFacts* client);
  // What an answer shows with the request that it belongs to, null where that is not known: to be
  // called after take_frame, and before the answer is read by the server's generation. True: the
  // rules of pairing are others now, so that the request has to be looked for again.
  bool take_answer(const decode::Facts& answer, const Asked* request, decode::Window body);
  // What requests and answers say of the builds; of all but logins nothing.
  void take_build(const Asked& request);
  void take_build(const AnswerFacts& answer);

 private:
  static constexpr std::size_t index(Side side) { return side == Side::server ? 1 : 0; }
  Verdict& own(Side side) { return own_[index(side)]; }
  const Verdict& own(Side side) const { return own_[index(side)]; }
  const Verdict& verdict(Side side) const;
  bool is_doubted(Side side) const;
  void contradict_older_layout(decode::Bytes header);
  void learn_generation(Side side, const FrameBytes& frame, const decode::Facts& facts,
                        ClientFacts* client);
  void learn_of_reply(const Evidence& evidence);

  std::array<Verdict, 2> own_{};                // what the connection itself shows; client, server
  std::array<bool, 2> was_heard_{};             // likewise
  Verdict borrowed_;                            // what the client id showed on other connections
  std::array<std::optional<Train>, 2> trains_;  // client, server
  Plane plane_ = Plane::unknown;
};
static_assert(std::is_trivially_copyable_v<Parties>);

// Without a handshake the first frame tells who wrote it: requests come from clients. On the
// replica plane an endpoint that accepts elsewhere is the server, else node 0, which dials
// everybody, is not. `facts` are of a 256-byte frame.
struct Acceptors {
  bool sender = false;
  bool receiver = false;
};
Side sender_of(const decode::Facts& facts, Acceptors acceptors);

}  // namespace iggy::conversation
