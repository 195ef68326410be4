// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Fuzzes one connection: both directions, with frames, raw bytes, holes and acknowledgements in the
// order that the input chooses.
//
// Each record is one byte that says what comes and from whom, some bytes of arguments, and bytes of
// content. Most records make a frame, since raw bytes hardly ever are one. Checked is the book of
// requests: each ends exactly once, and no answer ends two of them.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "connection/connection.hpp"
#include "connection/follower.hpp"
#include "support/frame_builder.hpp"
#include "support/require.hpp"

namespace {

using namespace analyzer;
using connection::Connection;
using connection::Side;
using fuzz::require;
using stream::Direction;

class Book final : public connection::FrameObserver {
 public:
  bool is_over = false;

  std::uint32_t wanted_body(const connection::Facts&) const override { return 64; }
  void frame(const Connection& connection, const connection::Frame& frame) override {
    require(!is_over, "no frame comes behind the end");
    require(frames_.insert(frame.id).second, "a frame is told once");
    require(frame.from != Side::unknown, "the sender of a frame is known");
    require(frame.raw.place.begin < frame.raw.place.end, "a frame has bytes");
    require(connection.frames_from(frame.from) > 0, "the frame was counted");
    if (frame.answers != nullptr)
      require(waiting_.contains(frame.answers->frame), "an answer answers what waits");
    if (frame.facts.is_request() && frame.from == Side::client) waiting_.insert(frame.id);
  }
  void resolved(const Connection& connection, const connection::Request& request,
                const connection::Outcome& outcome,
                const std::optional<connection::AnswerPlace>& answer) override {
    require(!is_over, "no request ends behind the end");
    require(waiting_.erase(request.frame) == 1, "a request ends once, and behind its frame");
    if (request.login_record)
      require(*request.login_record < connection.logins().size(), "a login is listed");
    if (!answer) return;
    // An eviction of 0.12 ends the other requests as well, which then name no answer.
    require(frames_.contains(answer->frame), "the answer is a frame");
    require(answers_.insert(answer->frame).second, "an answer ends one request");
    require(outcome.kind <= connection::OutcomeKind::evicted ||
                outcome.kind == connection::OutcomeKind::unknown,
            "what has an answer is no longer pending");
  }
  void hole(const Connection&, stream::Direction, const stream::Hole& hole, bool) override {
    require(!is_over && hole.bytes > 0, "a hole has bytes");
  }
  void contradiction(const Connection&, Side, connection::Contradiction why,
                     std::uint64_t) override {
    require(why != connection::Contradiction::none, "a contradiction has a reason");
  }
  void ended(const Connection&, stream::Ending) override {
    require(!is_over && waiting_.empty(), "at the end every request has ended");
    is_over = true;
  }

 private:
  std::set<std::uint64_t> frames_;
  std::set<std::uint64_t> waiting_;
  std::set<std::uint64_t> answers_;
};

class Input {
 public:
  explicit Input(std::span<const std::uint8_t> bytes) : rest_(bytes) {}
  bool empty() const { return rest_.empty(); }
  std::uint8_t byte() {
    if (rest_.empty()) return 0;
    const std::uint8_t value = rest_[0];
    rest_ = rest_.subspan(1);
    return value;
  }
  std::span<const std::uint8_t> bytes(std::size_t count) {
    const auto taken = rest_.first(std::min(count, rest_.size()));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }

 private:
  std::span<const std::uint8_t> rest_;
};

// Plays the part of the TCP layer: offsets, packets and acknowledgements.
class Wire {
 public:
  explicit Wire(stream::ByteSink& connection) : connection_(connection) {}

  void send(Direction from, stream::Bytes bytes, std::size_t chunk, std::uint8_t lag) {
    for (std::size_t at = 0; at < bytes.size() && !side(from).finished; at += chunk) {
      const stream::Bytes piece = bytes.subspan(at, std::min(chunk, bytes.size() - at));
      connection_.data(from, side(from).length, piece, origin(from, lag));
      side(from).length += piece.size();
    }
  }
  void hole(Direction from, std::uint64_t bytes, std::uint8_t kind, std::uint8_t lag) {
    if (side(from).finished || bytes == 0) return;
    connection_.hole(from, {side(from).length, bytes, static_cast<stream::HoleKind>(kind & 3U),
                            origin(from, lag)});
    side(from).length += bytes;
  }
  void finish(Direction from, bool reset) {
    if (side(from).finished) return;
    connection_.finished(from, reset, origin(from, 0));
    side(from).finished = true;
  }

 private:
  struct Sender {
    std::uint64_t length = 0;
    bool finished = false;
  };
  Sender& side(Direction from) { return sides_[static_cast<std::size_t>(from)]; }
  // The sender has seen all of the other direction but the last `lag` times 16 bytes; of 255,
  // nothing is known.
  stream::Origin origin(Direction from, std::uint8_t lag) {
    ++packet_;
    stream::Origin made{packet_, static_cast<std::int64_t>(packet_) * 1'000'000, {}};
    const std::uint64_t behind = std::uint64_t{lag} * 16;
    const std::uint64_t seen = side(other(from)).length;
    if (lag != 255) made.acknowledged = seen - std::min(seen, behind);
    return made;
  }

  stream::ByteSink& connection_;
  std::array<Sender, 2> sides_;
  std::uint64_t packet_ = 0;
};

// Operations that matter for pairing, and some that no server knows.
constexpr std::uint8_t operations[] = {1, 2, 3, 64, 128, 130, 138, 160, 161, 164, 200, 0};
constexpr std::uint32_t codes[] = {1, 15, 38, 39, 44, 100, 101, 302, 999};
constexpr iggy::Command other_commands[] = {iggy::Command::Commit, iggy::Command::Prepare,
                                            iggy::Command::ReplicaHello, iggy::Command::Ping};

template <class List>
auto chosen(const List& list, std::uint8_t by) {
  return list[by % std::size(list)];
}

support::Frame frame_of(std::uint8_t kind, Input& input) {
  const std::uint8_t operation = chosen(operations, input.byte());
  const std::uint8_t detail = input.byte();
  const std::uint8_t number = input.byte();
  const std::uint8_t length = input.byte() & 127U;
  const std::uint32_t size = iggy::header_size + length;
  support::Frame made;
  switch (kind) {
    case 0: {
      const std::uint64_t session = number >> 4U;
      const std::uint32_t code = operation == 2 ? chosen(codes, detail) : 0;
      made = support::request({operation, code, detail % 4U, number & 15U, session, size});
      break;
    }
    case 1:
      made = support::reply({operation, detail % 48U, detail % 4U, number & 15U, size});
      break;
    case 2:
      made = support::eviction(detail % 4U, number & 15U);
      break;
    default:
      made = support::frame(chosen(other_commands, detail), size);
      break;
  }
  const auto body = input.bytes(std::min<std::size_t>(length, made.size() - iggy::header_size));
  std::ranges::copy(std::as_bytes(body), made.begin() + iggy::header_size);
  return made;
}

// One of the two sides of the 8-byte framing.
support::Frame legacy_frame(bool is_request, Input& input) {
  const std::uint32_t word = input.byte();
  const auto body = input.bytes(input.byte() & 63U);
  const auto length = static_cast<std::uint32_t>(body.size());
  support::Frame made(8 + body.size());
  const std::span<std::byte> bytes(made);
  support::store(bytes, is_request ? length + 4 : word);
  support::store(bytes.subspan(4), is_request ? chosen(codes, input.byte()) : length);
  std::ranges::copy(std::as_bytes(body), made.begin() + 8);
  return made;
}

void play(Input& input, Wire& wire) {
  while (!input.empty()) {
    const std::uint8_t record = input.byte();
    const Direction from =
        (record & 8U) != 0 ? Direction::second_to_first : Direction::first_to_second;
    const std::uint8_t lag = (record & 16U) != 0 ? input.byte() : 0;
    const std::size_t chunk = (record & 32U) != 0 ? std::size_t{input.byte()} + 1 : 65536;
    const std::uint8_t kind = record & 7U;
    if (kind < 4) {
      wire.send(from, frame_of(kind, input), chunk, lag);
    } else if (kind == 4) {
      wire.send(from, legacy_frame((record & 64U) == 0, input), chunk, lag);
    } else if (kind == 5) {
      wire.send(from, std::as_bytes(input.bytes(input.byte())), chunk, lag);
    } else if (kind == 6) {
      wire.hole(from, (record & 64U) != 0 ? 256 : input.byte(), input.byte(), lag);
    } else {
      wire.finish(from, (record & 64U) != 0);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  Input input(std::span(data, size).subspan(1));
  Book book;
  connection::Follower follower(book);
  stream::TcpFacts facts;
  facts.roles_known = (data[0] & 1U) != 0;
  const std::unique_ptr<stream::ByteSink> connection = follower.open(facts);
  Wire wire(*connection);
  play(input, wire);
  facts.packets[0] = (data[0] & 2U) != 0 ? 1 : 0;
  facts.packets[1] = (data[0] & 4U) != 0 ? 1 : 0;
  analyzer::capture::Packet packet;
  packet.time = std::int64_t{data[0] >> 3U} * 2'000'000'000;
  follower.packet(packet);
  const bool is_replaced = (data[0] & 8U) != 0;
  follower.ended(facts, is_replaced ? stream::Ending::replaced : stream::Ending::closed,
                 connection.get());
  require(book.is_over, "the end is told");
  return 0;
}
