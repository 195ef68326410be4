// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What observers learn of a connection: its frames, its requests and how they ended, its logins.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "connection/frame_reader.hpp"
#include "connection/outcome.hpp"
#include "conversation/answer.hpp"
#include "conversation/exchanges.hpp"
#include "conversation/names.hpp"
#include "conversation/session.hpp"
#include "decode/body_check.hpp"
#include "decode/facts.hpp"
#include "decode/login.hpp"
#include "iggy/dialect.hpp"
#include "iggy/generation.hpp"
#include "iggy/trains.hpp"
#include "iggy/version.hpp"
#include "stream/tcp.hpp"

namespace analyzer::connection {

using iggy::Generation;
using iggy::Plane;
using iggy::Version;
using iggy::conversation::Side;
using iggy::decode::BodyFacts;
using iggy::decode::Facts;
using iggy::decode::U128;

enum class Transport : std::uint8_t { tcp, websocket, tls, quic };
std::string_view word_of(Transport transport);

// A request as it was sent, shared by the copies of what is kept of it.
struct Sent {
  Facts facts;
  iggy::Dialect sender;
  std::uint32_t code = 0;
  std::vector<std::byte> body;                       // the front of it
  std::uint32_t body_size = 0;                       // as sent
  iggy::conversation::NameCatalogue::Version names;  // as of when names are told

  iggy::decode::Window window() const { return {body, body_size}; }
};

// A request that was sent, as long as somebody asks for it.
struct Request : iggy::conversation::Asked {
  std::uint64_t frame = 0;   // id of its frame
  std::uint64_t packet = 0;  // of its last byte
  std::int64_t time = 0;     // of its last byte
  std::uint64_t end = 0;     // TCP offset behind it, or less where it is not known exactly
  std::uint64_t acknowledged = no_acknowledgement;  // see Place::first_acknowledged
  std::uint32_t size = 0;
  std::uint64_t number = 0;
  std::uint64_t session = 0;
  std::string_view name;  // of the command, empty for numbers outside the registry
  // What it is about, as lines of frames say it: of a request that failed, or whose answer findings
  // depend on; may be empty.
  std::string subject;
  std::uint64_t target = 0;          // likewise, as target_of has it
  std::shared_ptr<const Sent> sent;  // what the subject is made of; null where there is nothing
  bool end_is_captured = true;
  BodyFacts body;
  std::optional<std::size_t> login_record;  // index in Connection::logins()
  std::string unknown_option;               // the first key that no build knows

  // "topic.create", or "operation 200" and "code 999" for what the registry does not know.
  std::string display_name() const;
};

// The answer that ended a request.
struct AnswerPlace {
  // The last bytes of request and answer were captured, and time passed forward between them.
  bool has_latency = true;
  std::uint64_t frame = 0;
  std::uint64_t packet = 0;     // of its last byte
  std::int64_t time = 0;        // of its last byte
  std::int64_t first_time = 0;  // of its first byte
  iggy::conversation::AnswerFacts told;
  bool is_suspect = false;  // time went backwards, or a packet has none
};

// What the reply to a login said, kept until its request is known.
struct LoginAnswer {
  std::uint32_t user_id = 0;
  std::uint64_t session = 0;
  Version server_version_number;
  std::string server_version;
};

// An answer with all that is needed to end a request with it.
struct AnswerRecord {
  iggy::conversation::Answer key;
  Outcome outcome;
  AnswerPlace place;
  std::uint64_t begin = 0;  // offset of its first byte in the server's stream
  std::optional<LoginAnswer> login;
};

using Exchanges = iggy::conversation::Exchanges<Request, AnswerRecord>;
using Resolution = iggy::conversation::Resolution<Request, AnswerRecord>;

// A login as it was sent and as it ended.
struct LoginRecord {
  std::uint64_t request_packet = 0;
  std::int64_t request_time = 0;
  std::uint64_t answer_packet = 0;  // 0: no answer
  std::int64_t answer_time = 0;
  iggy::decode::LoginKind kind = iggy::decode::LoginKind::unknown;
  bool malformed = false;
  bool has_version = false;
  Version version;
  std::string sdk;
  std::string sdk_version;
  std::string user;
  U128 client;
  Outcome outcome;         // `ok` is shown as "accepted"
  bool has_reply = false;  // the reply's body was read
  std::uint32_t user_id = 0;
  std::uint64_t session = 0;
  Version server_version_number;  // 0: not told
  std::string server_version;
};

struct EvictionRecord {
  std::uint64_t frame = 0;  // id
  std::uint64_t packet = 0;
  std::uint8_t reason = 0;
  bool is_unasked = false;  // it answers no request of the capture
  iggy::VersionWindow window;
};

// One frame. Its views are valid only during the call that gets it.
struct Frame {
  std::uint64_t id = 0;  // counts the frames of a run in the order in which they were completed
  Side from = Side::unknown;
  Facts facts;
  Generation generation = Generation::unknown;  // of its layout
  bool is_generation_inferred = false;          // nothing has shown it so far
  std::optional<iggy::Train> train;             // of its sender's build, where a login told it
  RawFrame raw;
  std::uint32_t code = 0;            // of the request that it is or answers; 0 when not known
  std::string_view name;             // of that command
  const Request* answers = nullptr;  // of an answer: its request
  BodyFacts body;                    // of a request

  // What the body is read by.
  iggy::Dialect dialect() const { return {generation, train}; }
};

class Connection;

// Observers take what they look at; the rest passes by.
class FrameObserver {
 public:
  virtual ~FrameObserver() = default;
  // How many bytes of the body the observer wants behind a header; the connection asks for what it
  // needs. The facts are those of a header of 0.11, or of the 8-byte framing.
  virtual std::uint32_t wanted_body(const Facts&) const { return 0; }
  // Whether bodies of requests are checked as their bytes pass, so that there are BodyFacts.
  virtual bool checks_bodies() const { return false; }
  virtual void frame(const Connection& connection, const Frame& frame) = 0;
  // A request ended; `answer` is set where it was answered.
  virtual void resolved(const Connection&, const Request&, const Outcome&,
                        const std::optional<AnswerPlace>& /*answer*/) {}
  // Bytes of a TCP stream are missing, whatever it carries. Who is client may not be known yet.
  virtual void hole(const Connection&, stream::Direction /*from*/, const stream::Hole&,
                    bool /*hides_frames*/) {}
  virtual void skipped(const Connection&, stream::Direction /*from*/, const Skipped&) {}
  virtual void contradiction(const Connection&, Side /*from*/, Contradiction /*why*/,
                             std::uint64_t /*packet*/) {}
  // The last call for the connection; what TCP shows of it is in connection.tcp().
  virtual void ended(const Connection&, stream::Ending) {}
  // A connection that never carried a byte.
  virtual void without_bytes(const stream::TcpFacts&) {}
  // The last call of all. What is held back must be told now: the names that connections gave out
  // do not outlive it.
  virtual void capture_ended() {}
};

}  // namespace analyzer::connection
