// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Makes findings out of what happens on connections, in the order of the capture.
//
// Each rule stands beside the catalogue's entry of the same id and says when it must not fire.
// Rules that need the whole capture (another connection to the same endpoint) wait for `finish`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "capture/time_order.hpp"
#include "connection/connection.hpp"
#include "connection/frame.hpp"
#include "conversation/dialect.hpp"
#include "conversation/finding.hpp"
#include "conversation/rules.hpp"
#include "decode/body.hpp"
#include "report/endpoints.hpp"
#include "report/finding_list.hpp"
#include "report/model.hpp"

namespace analyzer::report {

class Diagnosis {
 public:
  explicit Diagnosis(std::set<std::uint16_t> named_ports) : endpoints_(std::move(named_ports)) {}

  void frame(const connection::Connection& connection, const connection::Frame& frame);
  void resolved(const connection::Connection& connection, const connection::Request& request,
                const Outcome& outcome, const std::optional<connection::AnswerPlace>& answer);
  void ended(const connection::Connection& connection);
  void without_bytes(const stream::TcpFacts& facts);
  // A frame with batches that a server wrote, whose body was captured whole.
  void stored_batches(const connection::Connection& connection, const connection::Frame& frame,
                      const iggy::decode::BodyPlan& plan);
  // A request that was answered, whose batch may break rules beside its checksums.
  void answered_batch(const connection::Connection& connection, const connection::Request& request,
                      const Outcome& outcome, const connection::AnswerPlace& answer);

  // Where the time of the capture cannot be believed.
  void clock(const capture::TimeOrder& order);

  // The findings, worst first. `last_time` is that of the last packet.
  std::vector<Finding> finish(std::int64_t last_time);
  std::uint64_t dropped_candidates() const { return dropped_candidates_; }

 private:
  // A request that was answered with "not now" several times in a row.
  struct Retry {
    std::string what;  // the command and what it is about
    std::uint64_t count = 0;
    std::uint32_t code = 0;  // of the last answer
    std::int64_t first_time = 0;
    std::int64_t last_time = 0;
    std::vector<std::uint64_t> packets;  // of the first ones
  };
  static constexpr std::size_t retry_packets = 12;

  // What has to be remembered of a connection while it lives.
  struct Memory {
    std::vector<std::uint64_t> unanswered;  // packets of the first ones
    std::map<std::string, std::uint64_t> unanswered_names;
    std::uint64_t unanswered_count = 0;
    bool has_producer = false;  // one of them is a send whose batch has a producer
    std::uint64_t served = 0;   // packet of the first answer that needs a login
    std::uint64_t first_request = 0;
    std::int64_t first_request_time = 0;
    std::uint64_t first_answer = 0;
    std::int64_t last_answer = 0;           // to any request
    std::vector<std::size_t> silent_stops;  // in stops_, of requests without an answer
    bool answered = false;                  // some request was done
    // By command and request number: what is sent again has the number it had.
    std::map<std::pair<std::string, std::uint64_t>, Retry> retries;
  };
  // A connection whose finding depends on what else its endpoint speaks.
  struct Candidate {
    FindingId id{};
    capture::Endpoint client;
    capture::Endpoint server;
    std::string client_text;
    std::string alike;
    std::vector<std::uint64_t> packets;
    connection::WebSocketFacts websocket;
    iggy::conversation::Foreign client_foreign{};
    iggy::conversation::Foreign server_foreign{};
    bool speaks_frames = false;
    bool closed_at_once = false;     // by the server, before the client and within a second
    bool closed_by_server = false;   // before the client
    bool server_was_silent = false;  // heard, but without a byte of payload
    bool is_acknowledged = false;    // the server had the whole request
    bool answers_as_legacy = false;  // with status 3 of the 8-byte framing
    bool is_over = false;            // one of the sides ended it
    std::int64_t asked_at = 0;       // time of the first request, or of the first byte
    std::int64_t waited = 0;         // until a side ended the connection; 0 where none did
    Memory memory;
  };

  // A request that may have stopped its server, which what this does later decides.
  struct Stop {
    capture::Endpoint server;
    std::int64_t time = 0;
    bool is_disproven = false;
    std::string kind;
    std::string text;
    std::vector<std::uint64_t> packets;
  };

  void report_pair(FindingId shown, const connection::Connection& connection,
                   const connection::Request& request, const Outcome& outcome,
                   const connection::AnswerPlace& answer);
  void login_malformed(const connection::Connection& connection,
                       const connection::LoginRecord& login, const std::string& why);
  void session_lost(const connection::Connection& connection, const std::string& request,
                    const Outcome& outcome, const std::vector<std::uint64_t>& packets);
  void remember_unanswered(const connection::Connection& connection,
                           const connection::Request& request);
  void version_rejected(const connection::Connection& connection,
                        const connection::LoginRecord& login, const Outcome& outcome);
  void credentials_refused(FindingId shown, const connection::Connection& connection,
                           const connection::LoginRecord& login, const Outcome& outcome);
  void login_missing(const connection::Connection& connection, const connection::Request& request,
                     const Outcome& outcome, const connection::AnswerPlace& answer);
  void unknown_command(const connection::Connection& connection, const connection::Request& request,
                       const Outcome& outcome, const connection::AnswerPlace& answer);
  void judge_body(const connection::Connection& connection, const iggy::conversation::Ended& ended,
                  const connection::Request& request, const connection::AnswerPlace& answer);
  void answered_wrong(FindingId shown, const connection::Connection& connection,
                      const connection::Request& request, const Outcome& outcome,
                      const connection::AnswerPlace& answer, std::string_view advice);
  void stored_wrong(FindingId shown, const connection::Connection& connection,
                    const connection::Frame& frame, const iggy::decode::BatchVerdict& wrong);
  // Whether the batch of a request that was never answered is what explains it.
  bool is_batch_dropped(const connection::Connection& connection,
                        const connection::Request& request);
  static bool can_be_read(const connection::Connection& connection,
                          const connection::Request& request);
  void refused(FindingId shown, const connection::Connection& connection,
               const connection::Request& request, const Outcome& whole,
               const connection::AnswerPlace& answer);
  void truncated(FindingId shown, const connection::Connection& connection,
                 const connection::Request& request, const connection::AnswerPlace& answer);
  void follow_metadata(const connection::Connection& connection, const connection::Request& request,
                       const Outcome& outcome, const connection::AnswerPlace& answer);
  void disprove_stops(const Memory& memory);
  void decide_stops();
  void group_stopped(const connection::Connection& connection, const connection::Frame& frame);
  void left_out(const connection::Connection& connection, const connection::Request& request,
                const connection::AnswerPlace& answer);
  void dialects_differ(const iggy::conversation::Difference& difference,
                       const connection::Connection& connection, const connection::Request& request,
                       const Outcome& outcome, const connection::AnswerPlace& answer);
  void follow_retries(const connection::Connection& connection, const connection::Request& request,
                      const Outcome& outcome, const connection::AnswerPlace& answer);
  void tell_retries(const connection::Connection& connection, const Retry& retry,
                    const std::optional<Outcome>& end);
  void end_retries(const connection::Connection& connection, const Memory& memory);
  void replica_frame(const connection::Connection& connection, const connection::Frame& frame);
  void judge_unasked(const connection::Connection& connection);
  void eviction(const connection::Connection& connection, const connection::Frame& frame);
  void judge_framings(const connection::Connection& connection, const Memory& memory);
  void judge_unanswered(const connection::Connection& connection, const Memory& memory);
  void add_unanswered(const capture::Endpoint& server, const std::string& client,
                      const std::string& alike, const Memory& memory);
  void judge_missing_login(const connection::Connection& connection, const Memory& memory);
  void judge_secret(const connection::Connection& connection, const connection::Frame& frame);
  void judge_tls(const connection::Connection& connection);
  void judge_loss(const connection::Connection& connection);
  void judge_foreign(const connection::Connection& connection, const Memory& memory);
  Candidate candidate_of(const connection::Connection& connection, const Memory& memory) const;
  void add_candidate(Candidate candidate);
  void decide(const Candidate& candidate, std::int64_t last_time);
  void decide_legacy_client(const Candidate& candidate, const EndpointFacts& endpoint,
                            std::int64_t waited);
  void decide_closed_at_once(const Candidate& candidate, const EndpointFacts& endpoint);
  void decide_wrong_protocol(const Candidate& candidate, const EndpointFacts& endpoint,
                             std::int64_t waited);
  void decide_refused();

  FindingList list_;
  Endpoints endpoints_;
  std::unordered_map<std::uint64_t, Memory> memories_;  // by connection id
  // Views that replicas asked for, by group; once one began it is no longer waited for.
  struct Election {
    std::uint64_t packet = 0;
    std::int64_t time = 0;
    bool is_over = false;
  };
  std::map<std::pair<std::uint64_t, std::uint32_t>, Election> elections_;
  std::vector<Candidate> candidates_;
  std::vector<Stop> stops_;
  std::uint64_t dropped_candidates_ = 0;
};

}  // namespace analyzer::report
