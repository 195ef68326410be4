// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// One TCP connection that may speak Iggy: bytes in, frames, exchanges and logins out.
//
// Holds what a connection knows: who is client, which generation each side speaks, what waits for
// an answer. It judges nothing; findings are made from what observers see (report/diagnosis).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "capture/memory.hpp"
#include "capture/time_order.hpp"
#include "connection/frame.hpp"
#include "connection/frame_reader.hpp"
#include "connection/transport.hpp"
#include "conversation/client_table.hpp"
#include "conversation/names.hpp"
#include "conversation/parties.hpp"
#include "conversation/recognise.hpp"
#include "conversation/server_builds.hpp"
#include "conversation/session.hpp"
#include "stream/tcp.hpp"

namespace analyzer::connection {

using iggy::conversation::ClientTable;
using iggy::conversation::KnownNames;
using iggy::conversation::NameCatalogue;
using iggy::decode::BodyCheck;

// What all connections of a run share.
struct Shared {
  Shared(FrameObserver& told, const capture::MemoryPlan& plan)
      : observer(told),
        bodies(plan.bodies()),
        clients(plan.entries(ClientTable::usual_limit)),
        names(plan.entries(NameCatalogue::usual_changes)) {}

  FrameObserver& observer;
  capture::MemoryPool bodies;  // of frames under way
  ClientTable clients;
  std::set<stream::Endpoint> acceptors;  // endpoints that accepted a connection so far
  NameCatalogue names;
  iggy::conversation::ServerBuilds builds;
  std::uint64_t dropped_bodies = 0;
  std::uint64_t next_frame = 0;
  std::uint64_t next_connection = 0;
  std::int64_t latest_time = 0;  // of the last packet, for what waits at the end
  capture::TimeOrder time_order;
};

// The end of a direction, by FIN or RST.
struct Finish {
  std::uint64_t packet = 0;
  std::int64_t time = 0;
  bool is_reset = false;
};

// What a connection carries, as far as it was captured.
enum class Content : std::uint8_t {
  frames,     // of Iggy, at least one
  encrypted,  // by TLS
  other,      // no frame was found
  untold,     // no frame was found, but bytes are missing where one may have begun
};

class Connection final : public stream::ByteSink, private FrameConsumer, private TransportConsumer {
 public:
  Connection(const stream::TcpFacts& facts, Shared& shared);
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void data(stream::Direction from, std::uint64_t offset, Bytes bytes,
            const stream::Origin& origin) override;
  void hole(stream::Direction from, const stream::Hole& hole) override;
  void late(stream::Direction from, const stream::Hole& hole) override;
  void finished(stream::Direction from, bool reset, const stream::Origin& origin) override;
  std::uint64_t memory() const override;
  // The last call; `facts` are the final ones.
  void end(const stream::TcpFacts& facts, stream::Ending ending);

  std::uint64_t id() const { return id_; }
  const stream::Endpoint& client() const;
  const stream::Endpoint& server() const;
  const stream::TcpFacts& tcp() const { return facts_; }
  stream::Direction direction_of(Side side) const;
  Transport transport() const { return transport_.transport(); }
  Plane plane() const { return parties_.plane(); }
  // What a side speaks; unknown while it sent no frame. A side without evidence counts as 0.11.
  Generation generation(Side side) const { return parties_.generation(side); }
  bool generation_is_certain(Side side) const { return parties_.is_certain(side); }
  std::uint64_t frames_from(Side side) const;
  std::uint64_t left_over_bytes() const;
  Content content() const;
  // Holes in which frames may have begun.
  std::uint64_t hiding_holes() const { return hiding_holes_; }
  // Bytes that the side sent in another protocol, and which one.
  iggy::conversation::Foreign foreign(Side side) const;
  const std::vector<LoginRecord>& logins() const { return logins_; }
  std::uint64_t dropped_logins() const { return dropped_logins_; }
  const std::vector<EvictionRecord>& evictions() const { return evictions_; }
  std::uint64_t dropped_requests() const { return exchanges_.dropped(); }
  const iggy::conversation::SessionState& session() const { return session_; }
  std::uint64_t foreign_packet(Side side) const;
  // The TLS records that the side sent; null where it did not begin with TLS.
  const stream::TlsRecords* tls(Side side) const { return transport_.tls(direction_of(side)); }
  // Bytes that the side sent behind whatever wraps them, of any protocol.
  std::uint64_t payload_bytes(Side side) const { return payload_bytes_[index(direction_of(side))]; }
  // How the side ended its direction; nothing while it did not.
  const std::optional<Finish>& finish(Side side) const {
    return finishes_[index(direction_of(side))];
  }
  // The server acknowledged this offset of the client's stream.
  bool is_acknowledged(std::uint64_t offset) const {
    return facts_.acknowledged[index(direction_of(Side::client))] >= offset;
  }
  bool is_over() const { return is_over_; }  // `end` was called
  bool has_preamble(Side side) const { return reader(direction_of(side)).has_preamble(); }
  const WebSocketFacts& websocket() const { return transport_.websocket(); }
  // The time from a request to a packet of its answer can be told.
  bool has_time_between(const Request& request, std::uint64_t packet, std::int64_t time) const {
    return time >= request.time && shared_.time_order.can_compare(request.packet, packet);
  }
  const ClientTable& clients() const { return shared_.clients; }
  // What numbers of the server's things are called, as far as its replies told it by now.
  KnownNames names(std::uint64_t packet) const {
    return names_as_of(shared_.names.version(packet));
  }

 private:
  // FrameConsumer
  std::uint32_t wanted_body(const FrameReader& from, Bytes header) override;
  bool begin_body(FrameReader& from, Bytes header, std::uint32_t size) override;
  void body(FrameReader& from, Bytes piece) override;
  void frame(FrameReader& from, const RawFrame& raw) override;
  void found_place(FrameReader& from, std::uint64_t begin, std::uint64_t end) override;
  void skipped(FrameReader& from, const Skipped& skipped) override;
  void contradiction(FrameReader& from, Contradiction why, const Source& source) override;
  void foreign(FrameReader& from, Bytes bytes, const Source& source) override;
  // TransportConsumer
  bool is_in_step(stream::Direction from) const override {
    const Framing framing = reader(from).state().framing;
    return framing == Framing::frames || framing == Framing::legacy;
  }
  void payload(stream::Direction from, Bytes bytes, const Source& source) override;
  bool payload_hole(stream::Direction from, std::uint64_t bytes, const Source& found,
                    const stream::Hole& hole) override;
  void payload_lost(stream::Direction from, const stream::Hole& hole) override;
  void restart(stream::Direction from, Side side) override;

  void hide(stream::Direction from, std::uint64_t begin, std::uint64_t end);
  KnownNames names_as_of(NameCatalogue::Version version) const {
    return {&shared_.names, names_server_, version};
  }
  void learn_names(const Frame& answer, const Outcome& outcome);
  std::uint32_t wanted_reply(const Facts& facts, Bytes header) const;
  void tell(Request& request) const;
  FrameReader& reader(stream::Direction direction);
  const FrameReader& reader(stream::Direction direction) const;
  stream::Direction direction_of(const FrameReader& reader) const;
  Side side_of(stream::Direction direction) const;
  void learn_roles(stream::Direction from, const RawFrame& raw);
  void set_client(stream::Direction direction);
  BodyFacts checked_body(const FrameReader& from, const Frame& frame) const;
  void set_generation(Frame& frame) const;
  void on_request(Frame& frame);
  void on_answer(Frame& frame);
  static AnswerRecord record_of(const Frame& frame, const iggy::conversation::Answer& key,
                                const Request* request);
  std::optional<std::size_t> record_login(const Frame& frame, const iggy::decode::Login& login);
  void settle(std::vector<Resolution>& ended);
  void mark_eviction_as_answer(const AnswerPlace& answer);
  void apply_login(const Resolution& resolution);
  Outcome judge_at_end(const Request& request, stream::Ending ending) const;

  Shared& shared_;
  std::uint64_t id_;
  stream::TcpFacts facts_;
  TransportReader transport_;
  std::array<FrameReader, 2> readers_;  // by stream::Direction
  Facts header_;                        // of the frame that begins; begin_body follows wanted_body
  std::unique_ptr<BodyCheck> check_;    // of the client's direction, once there is something to it
  const FrameReader* checked_ = nullptr;  // whose frame is under way in it
  std::optional<stream::Direction> client_direction_;
  std::uint32_t names_server_ = 0;  // number of the server in the catalogue of names
  iggy::conversation::Parties parties_;
  iggy::conversation::SessionState session_;
  Exchanges exchanges_;
  std::vector<LoginRecord> logins_;
  std::uint64_t dropped_logins_ = 0;
  std::uint64_t login_bytes_ = 0;
  std::uint64_t waiting_bytes_ = 0;  // of requests that wait
  std::vector<EvictionRecord> evictions_;
  std::array<std::optional<Finish>, 2> finishes_;  // by stream::Direction
  std::array<std::uint64_t, 2> payload_bytes_{};   // likewise
  std::uint64_t hiding_holes_ = 0;
  bool is_over_ = false;
  bool server_is_lost_ = false;  // its frames cannot be told apart any more
};

}  // namespace analyzer::connection
