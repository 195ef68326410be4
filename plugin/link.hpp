// SPDX-License-Identifier: GPL-2.0-or-later
//
// One connection as far as it was seen: its frames, who its sides are, which answer ends which
// request, and the findings that this shows.
//
// Written on the first pass over a capture alone; later looks read it. The rules are those of
// protocol/conversation. No epan here: nothing can longjmp, and the state owns its memory.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "conversation/answer.hpp"
#include "conversation/client_table.hpp"
#include "conversation/exchanges.hpp"
#include "conversation/finding.hpp"
#include "conversation/names.hpp"
#include "conversation/parties.hpp"
#include "conversation/server_builds.hpp"
#include "conversation/session.hpp"
#include "decode/batch_check.hpp"
#include "decode/confirmation.hpp"
#include "plugin/lane.hpp"
#include "plugin/topics.hpp"

namespace plugin {

using iggy::Generation;
using iggy::conversation::FindingId;
using iggy::conversation::Outcome;
using iggy::conversation::Side;
using iggy::decode::Confirmation;

// A finding in a set of them.
constexpr std::uint64_t bit(FindingId id) {
  return std::uint64_t{1} << static_cast<unsigned>(id);
}

// What carries the frames, named as the analyzer names it.
enum class Carrier : std::uint8_t { tcp, websocket, tls };

// What was found out about a frame, by its place in the link.
struct FrameFacts {
  std::uint32_t header_packet = 0;
  std::uint32_t packet = 0;  // of its last byte, or of the last one that is there
  std::int64_t time = 0;     // of that packet, nanoseconds since the Unix epoch
  std::uint32_t size = 0;
  std::uint32_t end_sequence = 0;  // TCP's number of what follows; of carrier tcp
  Framing framing = Framing::frames;
  Side from = Side::unknown;
  Generation generation = Generation::unknown;  // of its layout
  bool is_generation_inferred = false;          // nothing has shown it so far
  std::optional<iggy::Train> train;             // of its sender's build, where a login told it
  iggy::Plane plane = iggy::Plane::unknown;
  bool is_request = false;
  bool is_answer = false;
  bool is_login = false;  // a login, or the answer to one
  bool is_ended = true;   // `packet` and `time` are those of its last byte
  // Of an answer: bytes of its client were not handed over before, and may be its request.
  bool may_miss_request = false;
  std::uint32_t code = 0;  // of the request that it is or answers; 0 when not known
  std::string_view name;   // of that command
  // What the catalogue of names held when the frame came.
  iggy::conversation::NameCatalogue::Version names;
  std::optional<std::size_t> peer;  // its answer or its request
  Outcome outcome;                  // of a request
  // What the bytes of a request's body show, where all of them were there.
  iggy::decode::BatchFault batch = iggy::decode::BatchFault::none;
  bool is_stamp_wrong = false;
  bool stops_servers = false;                // as conversation/target.hpp has it
  std::uint32_t topic = Topics::none;        // of the messages that it brings or asks for
  std::int64_t patience = 0;                 // of a request: as patience_of has it
  bool is_cancelled = false;                 // of a request: its client no longer wants an answer
  bool may_have_producer = false;            // may_name_producer, of batches in its body
  std::optional<Confirmation> confirmation;  // of a send: where its messages are, by its reply
  std::uint64_t findings = 0;                // as this frame or its pair shows

  // What the body is read by.
  iggy::Dialect dialect() const { return {generation, train}; }
};

// How the connection went on without bytes, as TCP tells once the whole capture was seen.
struct Ending {
  bool has_fin = false;  // of one side at least
  bool has_reset = false;
  bool client_closed_first = false;
  std::int64_t last_time = 0;  // of its last packet
  // What TCP only knows where it analyses sequence numbers.
  bool has_sequences = false;
  bool server_was_heard = false;          // some packet of it was captured
  std::uint32_t server_acknowledged = 0;  // sequence number of the client's stream
  std::uint32_t server_next = 0;  // number behind all that the server sent, its FIN included
};

// What the links of a capture share.
struct Shared {
  iggy::conversation::ClientTable clients;
  Topics topics;
  std::unordered_set<std::string> acceptors;      // endpoints that accepted a connection
  std::unordered_set<std::string> frame_servers;  // endpoints that sent 256-byte headers
  iggy::conversation::NameCatalogue names;
  iggy::conversation::ServerBuilds builds;
  // When a server last did a login or a change of metadata, by its endpoint.
  std::unordered_map<std::string, std::int64_t> metadata_served;
  std::int64_t latest_time = 0;  // of the packets that were looked at
};

class Link final : private LaneObserver {
 public:
  // `first` and `second` name the endpoints, each by its address and the bytes of its port; lane 0
  // carries what the first one sends.
  Link(Shared& shared, std::uint32_t number, Carrier carrier, std::string first,
       std::string second);
  ~Link() override = default;
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  // A handshake told who dialed. Later calls change nothing.
  void begin_with_handshake(std::size_t client_lane);
  std::uint32_t number() const { return number_; }  // counts the links of a capture
  // The lane of what this endpoint sends.
  std::size_t lane_of(std::string_view endpoint) const { return endpoint == endpoints_[0] ? 0 : 1; }
  Carrier carrier() const { return carrier_; }
  // Whether TCP hands over numbers as they are on the wire; told once, by the first one.
  bool has_wire_numbers(std::uint32_t sequence, std::uint32_t base);
  // Legacy framing has nothing to be known by, so only users can say that it is spoken.
  void allow_legacy();

  // The first look at a chunk.
  Taken take(std::size_t lane, const Chunk& chunk);
  const Lane& lane(std::size_t index) const { return lanes_[index]; }

  const FrameFacts& frame(std::size_t index) const { return frames_[index]; }
  const Topic& topic(const FrameFacts& frame) const { return shared_.topics.at(frame.topic); }
  // The packet of its answer or request; 0 where there is none.
  std::uint32_t peer_packet(const FrameFacts& frame) const {
    return frame.peer ? frames_[*frame.peer].packet : 0;
  }
  // What numbers of the server's things were called when the frame came.
  iggy::conversation::KnownNames names(const FrameFacts& frame) const {
    return {&shared_.names, names_server_, frame.names};
  }
  // Nanoseconds from the last byte of its request to that of an answer, where both were captured.
  std::optional<std::int64_t> latency(const FrameFacts& answer) const;
  // What is wrong with the batch of a send, where all of it was captured.
  iggy::decode::BatchVerdict batch(std::size_t frame) const;
  // The rest is only known once the whole capture was seen.
  std::optional<std::size_t> client_lane() const { return client_lane_; }
  // How a request ended, also by the end of its connection or for want of an answer.
  Outcome outcome(std::size_t index, const Ending& ending) const;
  // Findings that an absence shows.
  std::uint64_t absences(std::size_t index, const Ending& ending) const;

 private:
  // What is kept of a request that waits.
  struct Request {
    std::size_t frame = 0;
    iggy::conversation::Asked asked;
    // What names are learned from once it was done; nothing of other commands.
    iggy::decode::Facts facts;
    std::vector<std::byte> body;
    std::uint32_t body_size = 0;  // as sent
  };
  struct AnswerRecord {
    iggy::conversation::Answer key;
    Outcome outcome;
    iggy::conversation::AnswerFacts told;
    std::optional<Confirmation> confirmation;
    std::uint64_t begin = 0;
    std::size_t frame = 0;
  };
  using Exchanges = iggy::conversation::Exchanges<Request, AnswerRecord>;

  std::size_t frame(Bytes header, Bytes body, std::uint32_t size, const Span& span,
                    const Chunk& chunk) override;
  void ended(std::size_t frame, const Chunk& chunk) override;
  void lost(std::uint64_t begin, std::uint64_t end) override;

  void set_client(std::size_t lane);
  Side side_of(std::size_t lane) const;
  void learn_roles(Bytes header, Framing framing);
  void note_secret(FrameFacts& frame, const iggy::decode::Facts& facts, std::uint32_t code,
                   iggy::decode::Window body) const;
  void check_body(FrameFacts& frame, const iggy::decode::Facts& facts, iggy::decode::Window body);
  void set_generation(FrameFacts& frame) const;
  void on_request(FrameFacts& frame, const iggy::decode::Facts& facts, iggy::decode::Window body,
                  const Span& span);
  void on_answer(FrameFacts& frame, const iggy::decode::Facts& facts, Bytes header,
                 iggy::decode::Window body, const Span& span);
  void note_metadata_served(std::int64_t time);
  void on_other(FrameFacts& frame, const iggy::decode::Facts& facts, Bytes header,
                iggy::decode::Window body);
  void keep_for_names(Request& request, const FrameFacts& frame, const iggy::decode::Facts& facts,
                      iggy::decode::Window body) const;
  void learn_names(const Request* request, const FrameFacts& answer,
                   const iggy::decode::Facts& facts, iggy::decode::Window body);
  void add_login_client(iggy::conversation::ClientFacts* client);
  void settle();
  void judge(const Exchanges::Ended::value_type& ended,
             const iggy::conversation::ClientFacts* client);
  bool is_over(const Ending& ending) const;
  bool is_acknowledged(const FrameFacts& request, const Ending& ending) const;
  bool is_silent_by_dialect(const FrameFacts& request, const Outcome& outcome) const;
  bool is_never_answered(const FrameFacts& request, const Outcome& outcome,
                         const Ending& ending) const;
  bool has_stopped_server(const FrameFacts& request, const Outcome& outcome,
                          const Ending& ending) const;
  bool is_legacy_left_waiting(const Ending& ending) const;
  bool is_older_layout_dropped(const Ending& ending) const;

  Shared& shared_;
  std::uint32_t number_;
  Carrier carrier_;
  std::array<std::string, 2> endpoints_;
  std::array<Lane, 2> lanes_;
  std::optional<std::size_t> client_lane_;
  std::uint32_t names_server_ = 0;  // number of the server in the catalogue of names
  std::uint32_t cut_length_ = 0;    // most bytes left of a chunk that the snap length cut
  std::size_t current_ = 0;         // lane whose chunk is being looked at
  iggy::conversation::Parties parties_;
  iggy::conversation::SessionState session_;
  std::vector<iggy::conversation::ClientFacts*> login_clients_;  // each once
  Exchanges exchanges_;
  Exchanges::Ended ended_;
  std::vector<FrameFacts> frames_;
  std::unordered_map<std::size_t, iggy::decode::BatchVerdict> wrong_batches_;  // by frame
  std::optional<std::size_t> first_request_;
  std::optional<bool> has_wire_numbers_;
  bool saw_login_ = false;
  bool is_mismatch_told_ = false;   // the server does not even read what the client sends
  bool was_answered_ = false;       // some request was done, or some login answered
  std::uint32_t last_unasked_ = 0;  // packet of the last eviction that answers no request
};

// What is remembered while a capture is open.
class Memory {
 public:
  Link& add_link(Carrier carrier, std::string first, std::string second);
  Shared& shared() { return shared_; }

 private:
  Shared shared_;
  std::deque<Link> links_;
};

}  // namespace plugin
