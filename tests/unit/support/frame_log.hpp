// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// An observer that keeps what a connection told of its frames and requests, for tests.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "connection/connection.hpp"
#include "connection/frame.hpp"

namespace support {

namespace connection = analyzer::connection;

class FrameLog final : public connection::FrameObserver {
 public:
  struct Seen {
    std::uint64_t packet = 0;
    connection::Side from{};
    iggy::Generation generation{};
    std::string name;
    unsigned command = 0;
    std::uint64_t answers = 0;  // packet of the request that it answers; 0: not known
    std::optional<iggy::Train> train;
  };
  struct Ended {
    std::uint64_t packet = 0;  // of the request
    std::string name;
    std::string outcome;
    std::uint64_t answer = 0;  // packet
    std::string subject;
  };
  // What a connection was when it ended.
  struct Connected {
    analyzer::capture::Endpoint client;
    analyzer::capture::Endpoint server;
    connection::Transport transport{};
    iggy::Plane plane{};
    iggy::Generation client_generation{};
    iggy::Generation server_generation{};
    bool client_is_certain = false;
    std::vector<connection::LoginRecord> logins;
    std::vector<connection::EvictionRecord> evictions;
    std::uint64_t left_over = 0;
    iggy::conversation::Foreign client_foreign{};
    iggy::conversation::Foreign server_foreign{};
    connection::WebSocketFacts websocket;
  };

  void frame(const connection::Connection&, const connection::Frame& frame) override {
    frames.push_back({frame.raw.place.packet, frame.from, frame.generation, std::string(frame.name),
                      frame.facts.command, frame.answers == nullptr ? 0 : frame.answers->packet,
                      frame.train});
  }
  void resolved(const connection::Connection&, const connection::Request& request,
                const connection::Outcome& outcome,
                const std::optional<connection::AnswerPlace>& answer) override {
    ended_requests.push_back({request.packet, request.display_name(),
                              analyzer::connection::word_of(outcome), answer ? answer->packet : 0,
                              request.subject});
  }
  void hole(const connection::Connection&, analyzer::stream::Direction,
            const analyzer::stream::Hole&, bool hides) override {
    ++holes;
    hiding_holes += hides ? 1 : 0;
  }
  void contradiction(const connection::Connection&, connection::Side, connection::Contradiction,
                     std::uint64_t packet) override {
    contradictions.push_back(packet);
  }
  void ended(const connection::Connection& ended, analyzer::stream::Ending) override {
    using connection::Side;
    connections.push_back({ended.client(), ended.server(), ended.transport(), ended.plane(),
                           ended.generation(Side::client), ended.generation(Side::server),
                           ended.generation_is_certain(Side::client), ended.logins(),
                           ended.evictions(), ended.left_over_bytes(), ended.foreign(Side::client),
                           ended.foreign(Side::server), ended.websocket()});
  }
  void without_bytes(const analyzer::stream::TcpFacts&) override { ++without; }

  // How the request of that packet ended; empty when it did not.
  std::string outcome_of(std::uint64_t packet) const {
    for (const Ended& ended : ended_requests)
      if (ended.packet == packet) return ended.outcome;
    return {};
  }
  std::uint64_t answer_to(std::uint64_t packet) const {
    for (const Ended& ended : ended_requests)
      if (ended.packet == packet) return ended.answer;
    return 0;
  }

  std::vector<Seen> frames;
  std::vector<Ended> ended_requests;
  std::vector<Connected> connections;
  std::vector<std::uint64_t> contradictions;
  std::size_t holes = 0;
  std::size_t hiding_holes = 0;
  std::size_t without = 0;
};

}  // namespace support
