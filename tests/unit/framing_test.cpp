// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Cutting a direction into frames: every state, every place where bytes can end, and what is found
// again behind a hole. What a state machine is fed here is fed the way that both tools do.
#include "conversation/framing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "support/iggy_frames.hpp"

namespace iggy::conversation {
namespace {

using support::Buffer;
using support::joined;
using support::legacy_reply;
using support::legacy_request;

DirectionState at_start(Side side = Side::client) {
  DirectionState state;
  state.side = side;
  state.known_start = true;
  return state;
}
DirectionState searching() {
  DirectionState state;
  state.framing = Framing::searching;
  return state;
}

// What a whole stream is cut into, and where.
struct Piece {
  CutKind kind;
  std::size_t at;
  std::size_t bytes;
  friend bool operator==(const Piece&, const Piece&) = default;
};
std::ostream& operator<<(std::ostream& out, const Piece& piece) {
  return out << static_cast<int>(piece.kind) << " at " << piece.at << " of " << piece.bytes;
}

// Skipped bytes next to each other are one piece, whatever steps they were skipped in.
void add(std::vector<Piece>& pieces, const Piece& piece) {
  if (piece.kind == CutKind::skip && !pieces.empty() && pieces.back().kind == CutKind::skip)
    pieces.back().bytes += piece.bytes;
  else
    pieces.push_back(piece);
}

// Feeds `stream` in steps of at most `step` bytes; a step that is not enough gets the next one.
std::vector<Piece> cut_all(const Buffer& stream, DirectionState state, std::size_t step) {
  std::vector<Piece> pieces;
  std::size_t at = 0;
  std::size_t end = 0;
  while (at < stream.size()) {
    const bool at_end = end >= stream.size();
    const Bytes available = Bytes{stream}.subspan(at, std::max(end, at) - at);
    const Cut next = available.empty() ? Cut{CutKind::need, 1} : cut(available, state, at_end);
    if (next.kind == CutKind::need) {
      EXPECT_FALSE(at_end);
      EXPECT_GT(next.bytes, available.size());
      if (at_end) return pieces;
      end = std::min(stream.size(), std::max(end, at) + step);
      continue;
    }
    if (next.kind == CutKind::foreign) {
      add(pieces, {next.kind, at, stream.size() - at});
      return pieces;
    }
    EXPECT_GT(next.bytes, 0U);
    if (next.bytes == 0) return pieces;
    const std::size_t bytes = std::min<std::size_t>(next.bytes, stream.size() - at);
    add(pieces, {next.kind, at, bytes});
    at += bytes;
    end = std::max(end, at);
  }
  return pieces;
}

std::vector<Piece> frames_of(std::initializer_list<Buffer> frames, std::size_t at = 0) {
  std::vector<Piece> pieces;
  for (const Buffer& frame : frames) {
    pieces.push_back({CutKind::frame, at, frame.size()});
    at += frame.size();
  }
  return pieces;
}

void expect_cuts(const Buffer& stream, const DirectionState& state,
                 const std::vector<Piece>& wanted) {
  for (const std::size_t step : {std::size_t{1}, std::size_t{7}, std::size_t{255}, std::size_t{256},
                                 std::size_t{257}, std::size_t{1'000'000}})
    EXPECT_EQ(cut_all(stream, state, step), wanted) << "in steps of " << step;
}

const Buffer first_login = support::login(support::password_body());
const Buffer first_ping = support::ping(3);
const Buffer a_send = support::request({.operation = 160, .body = support::counting_bytes(700)});

TEST(Framing, StreamOfRequests) {
  expect_cuts(joined({first_login, first_ping, a_send}), at_start(),
              frames_of({first_login, first_ping, a_send}));
}

TEST(Framing, StreamOfAnswers) {
  const Buffer reply = support::login_reply();
  const Buffer eviction = support::eviction({.reason = 13});
  expect_cuts(joined({reply, eviction, support::pong()}), at_start(Side::server),
              frames_of({reply, eviction, support::pong()}));
}

TEST(Framing, StreamOfAReplica) {
  const Buffer hello = support::replica_hello();
  const Buffer prepare = support::prepare({.body = support::counting_bytes(40)});
  const Buffer commit = support::sealed(9);
  expect_cuts(joined({hello, prepare, commit}), at_start(), frames_of({hello, prepare, commit}));
}

TEST(Framing, Preamble) {
  const Buffer preamble = support::bytes_of({'I', 'G', 'R', 'L', 1, 0, 0, 0});
  std::vector<Piece> wanted = {{CutKind::preamble, 0, 8}};
  const Buffer hello = support::replica_hello();
  for (const Piece& piece : frames_of({hello}, 8)) wanted.push_back(piece);
  expect_cuts(joined({preamble, hello}), at_start(), wanted);
}

// Each prefix of a stream gives the frames that are whole in it, and never another one.
TEST(Framing, EveryPrefix) {
  const Buffer stream = joined({first_login, first_ping, a_send});
  const std::vector<Piece> all = frames_of({first_login, first_ping, a_send});
  for (std::size_t size = 0; size <= stream.size(); ++size) {
    const Buffer prefix(support::cut(stream, size));
    std::vector<Piece> wanted;
    for (const Piece& piece : all) {
      if (piece.at + 256 <= size)
        wanted.push_back({CutKind::frame, piece.at, std::min(piece.bytes, size - piece.at)});
      else if (piece.at < size)
        wanted.push_back({CutKind::skip, piece.at, size - piece.at});
      if (piece.at + piece.bytes >= size) break;
    }
    EXPECT_EQ(cut_all(prefix, at_start(), 64), wanted) << size;
  }
}

TEST(Framing, ForeignIsNamedAndStays) {
  const Buffer http = support::bytes_of("GET / HTTP/1.1\r\n\r\n");
  expect_cuts(http, at_start(), {{CutKind::foreign, 0, http.size()}});
  DirectionState state = at_start();
  EXPECT_EQ(cut(http, state, false).kind, CutKind::foreign);
  EXPECT_EQ(state.foreign, Foreign::http);
  lose_place(state);
  EXPECT_EQ(state.framing, Framing::foreign);
  EXPECT_EQ(cut(first_ping, state, false).kind, CutKind::foreign);
}

TEST(Framing, ContradictionsAreNamed) {
  const auto why = [](auto change) {
    Buffer header = first_ping;
    change(header);
    DirectionState state = at_start();
    state.framing = Framing::frames;
    const Cut lost = cut(header, state, false);
    EXPECT_EQ(lost.kind, CutKind::skip);
    EXPECT_EQ(state.framing, Framing::searching);
    return lost.contradiction;
  };
  EXPECT_EQ(why([](Buffer& b) { support::put_number(b, 48, 100, 4); }),
            Contradiction::size_too_small);
  EXPECT_EQ(why([](Buffer& b) { support::put_number(b, 48, 255, 4); }),
            Contradiction::size_too_small);
  EXPECT_EQ(why([](Buffer& b) { support::put_number(b, 48, (64U << 20) + 1, 4); }),
            Contradiction::size_too_large);
  EXPECT_EQ(why([](Buffer& b) { support::put_number(b, 60, 77, 1); }),
            Contradiction::unknown_command);
}

TEST(Framing, LargestFrameIsLegal) {
  Buffer header = first_ping;
  support::put_number(header, 48, 64U << 20, 4);
  DirectionState state = at_start();
  const Cut whole = cut(header, state, false);
  EXPECT_EQ(whole.kind, CutKind::frame);
  EXPECT_EQ(whole.bytes, 64U << 20);
}

TEST(Framing, FindsTheNextFrameBehindAContradiction) {
  Buffer broken = first_ping;
  support::put_number(broken, 60, 77, 1);
  expect_cuts(joined({first_login, broken, first_ping}), at_start(),
              {{CutKind::frame, 0, first_login.size()},
               {CutKind::skip, first_login.size(), 256},
               {CutKind::frame, first_login.size() + 256, 256}});
}

TEST(Framing, FindsTheNextFrameBehindAHole) {
  const Buffer rest = support::counting_bytes(301, 1);  // of a frame whose start is lost
  for (const Buffer& next : {first_ping, support::pong(4), support::eviction({.reason = 13}),
                             support::sealed(9), first_login}) {
    std::vector<Piece> wanted = {{CutKind::skip, 0, rest.size()},
                                 {CutKind::frame, rest.size(), next.size()}};
    expect_cuts(joined({rest, next}), searching(), wanted);
    expect_cuts(next, searching(), frames_of({next}));
  }
}

TEST(Framing, SearchFindsNothingInOtherBytes) {
  std::minstd_rand random(1);
  Buffer noise(10'000);
  for (std::byte& byte : noise) byte = static_cast<std::byte>(random() >> 8);
  expect_cuts(noise, searching(), {{CutKind::skip, 0, noise.size()}});
  const Buffer zeros(10'000);
  expect_cuts(zeros, searching(), {{CutKind::skip, 0, zeros.size()}});
  const Buffer ones(10'000, std::byte{0xff});
  expect_cuts(ones, searching(), {{CutKind::skip, 0, ones.size()}});
}

// The body of a view change holds whole Prepare headers that pass every test.
TEST(Framing, PreparesInsideAViewChangeAreNoFrames) {
  Buffer entries;
  for (std::uint64_t op = 3; op < 12; ++op)
    support::append(entries, support::prepare({.op = op, .operation = 128}));
  const Buffer view_change = support::sealed(11, entries);
  const Buffer commit = support::sealed(9);
  // The hole swallowed the frame's own header: the entries alone are left, then a real frame.
  const Buffer tail(view_change.begin() + 256, view_change.end());
  const Buffer garbage = support::counting_bytes(500, 3);
  expect_cuts(joined({tail, garbage, commit}), searching(),
              {{CutKind::skip, 0, tail.size() + garbage.size()},
               {CutKind::frame, tail.size() + garbage.size(), commit.size()}});
  expect_cuts(joined({tail, garbage}), searching(),
              {{CutKind::skip, 0, tail.size() + garbage.size()}});
}

TEST(Framing, ChainOfPreparesIsBelievedOnceItReachesAnotherFrame) {
  const Buffer one = support::prepare({.op = 3, .body = support::counting_bytes(100)});
  const Buffer two = support::prepare({.op = 4, .body = support::counting_bytes(20)});
  const Buffer commit = support::sealed(9);
  expect_cuts(joined({one, two, commit}), searching(), frames_of({one, two, commit}));
  // Nothing vouches for the last ones when the stream ends.
  expect_cuts(joined({one, two}), searching(), {{CutKind::skip, 0, one.size() + two.size()}});
}

TEST(Framing, ChainLongerThanAnyViewChangeIsBelieved) {
  std::vector<Piece> wanted;
  Buffer stream;
  for (std::uint64_t op = 1; op <= 140; ++op) {
    const Buffer prepare = support::prepare({.op = op});
    wanted.push_back({CutKind::frame, stream.size(), prepare.size()});
    support::append(stream, prepare);
  }
  EXPECT_EQ(cut_all(stream, searching(), 4096), wanted);
}

TEST(Framing, LegacyRequests) {
  const Buffer ping = legacy_request(1);
  const Buffer login = legacy_request(38, support::legacy_login_body());
  const Buffer list = legacy_request(201);
  expect_cuts(joined({ping, login, list}), at_start(), frames_of({ping, login, list}));
  expect_cuts(joined({login, list}), at_start(), frames_of({login, list}));
}

TEST(Framing, LegacyRepliesNeedALegacyClient) {
  const Buffer stream =
      joined({legacy_reply(0), legacy_reply(0, support::counting_bytes(9)), legacy_reply(42)});
  DirectionState state = at_start(Side::server);
  state.peer = Framing::legacy;
  expect_cuts(stream, state,
              {{CutKind::frame, 0, 8}, {CutKind::frame, 8, 17}, {CutKind::frame, 25, 8}});
  EXPECT_EQ(cut_all(stream, at_start(Side::server), 64),
            (std::vector<Piece>{{CutKind::skip, 0, stream.size()}}));
}

TEST(Framing, ImpossibleLegacyIsAContradiction) {
  DirectionState state = at_start();
  state.framing = Framing::legacy;
  const Cut lost = cut(legacy_request(999), state, false);
  EXPECT_EQ(lost.kind, CutKind::skip);
  EXPECT_EQ(lost.contradiction, Contradiction::impossible_legacy);
  EXPECT_TRUE(state.was_legacy);
  EXPECT_EQ(state.framing, Framing::searching);
}

TEST(Framing, LegacyIsFoundAgainByTwoFrames) {
  DirectionState state = at_start();
  state.framing = Framing::legacy;
  lose_place(state);
  const Buffer rest = support::bytes_of({0xff, 0xfe, 0xfd});
  const Buffer ping = legacy_request(1);
  const Buffer list = legacy_request(201);
  expect_cuts(joined({rest, ping, list, ping}), state,
              {{CutKind::skip, 0, 3},
               {CutKind::frame, 3, 8},
               {CutKind::frame, 11, 8},
               {CutKind::frame, 19, 8}});
}

TEST(Framing, LosePlaceKeepsWhatIsKnown) {
  DirectionState state = at_start(Side::server);
  state.framing = Framing::frames;
  lose_place(state);
  EXPECT_EQ(state.framing, Framing::searching);
  EXPECT_EQ(state.side, Side::server);
  EXPECT_FALSE(state.known_start);
  EXPECT_FALSE(state.was_legacy);
}

TEST(Framing, HeaderLengths) {
  EXPECT_EQ(header_length(Framing::frames), 256U);
  EXPECT_EQ(header_length(Framing::searching), 256U);
  EXPECT_EQ(header_length(Framing::legacy), 8U);
  EXPECT_EQ(header_length(Framing::foreign), 0U);
  EXPECT_EQ(header_length(Framing::undecided), 0U);
}

// Whatever the bytes and the state: with no more to come, each step takes some.
TEST(Framing, AlwaysMakesProgressAtTheEnd) {
  std::minstd_rand random(9);
  for (int round = 0; round < 2'000; ++round) {
    Buffer stream(random() % 600);
    for (std::byte& byte : stream)
      byte = random() % 4 == 0 ? static_cast<std::byte>(random() >> 8) : std::byte{0};
    if (random() % 2 == 0) support::append(stream, first_ping);
    DirectionState state;
    state.framing = static_cast<Framing>(random() % 5);
    state.side = static_cast<Side>(random() % 3);
    state.peer = static_cast<Framing>(random() % 4);
    state.known_start = random() % 2 == 0;
    state.was_legacy = random() % 4 == 0;
    std::size_t at = 0;
    while (at < stream.size()) {
      const Cut next = cut(Bytes{stream}.subspan(at), state, true);
      ASSERT_NE(next.kind, CutKind::need);
      if (next.kind == CutKind::foreign) break;
      ASSERT_GT(next.bytes, 0U);
      ASSERT_TRUE(next.kind != CutKind::frame || stream.size() - at >= 8);
      at += std::min<std::size_t>(next.bytes, stream.size() - at);
    }
  }
}

}  // namespace
}  // namespace iggy::conversation
