// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Frames of the real captures, cut at every length and with each bit of their headers flipped.
//
// Each piece lies in a heap buffer of exactly its size, so that a sanitizer sees a read behind it.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "conversation/framing.hpp"
#include "conversation/recognise.hpp"
#include "decode/body.hpp"
#include "decode/facts.hpp"
#include "decode/login.hpp"
#include "decode/walk.hpp"
#include "iggy/legacy.hpp"
#include "iggy/registry.hpp"
#include "real_captures.hpp"
#include "support/effort.hpp"

namespace property {
namespace {

namespace conversation = iggy::conversation;
namespace decode = iggy::decode;
using analyzer::connection::AnswerPlace;
using analyzer::connection::Connection;
using analyzer::connection::Contradiction;
using analyzer::connection::Frame;
using analyzer::connection::Outcome;
using analyzer::connection::Request;
using analyzer::connection::Side;
using conversation::CutKind;
using conversation::DirectionState;
using conversation::Framing;
using decode::Window;
using iggy::Generation;

struct KnownFrame {
  bool from_client = false;
  bool is_legacy = false;
  Generation generation{};
  std::optional<iggy::Train> train;
  std::uint32_t code = 0;
  Buffer bytes;  // whole frames only

  std::size_t head() const { return is_legacy ? 8 : 256; }
};

// Keeps one frame of each kind and size, and every login.
class Frames final : public analyzer::connection::FrameObserver {
 public:
  std::uint32_t wanted_body(const analyzer::connection::Facts&) const override { return longest; }
  void frame(const Connection&, const Frame& frame) override {
    if (frame.raw.captured != frame.raw.size || frame.raw.size > longest) return;
    KnownFrame known;
    known.from_client = frame.from == Side::client;
    known.is_legacy = frame.raw.framing == Framing::legacy;
    known.generation = frame.generation;
    known.train = frame.train;
    known.code = frame.code;
    known.bytes.assign(frame.raw.header.begin(), frame.raw.header.end());
    const decode::Bytes body = frame.raw.body.captured;
    known.bytes.insert(known.bytes.end(), body.begin(), body.end());
    const Key key{frame.facts.command,     frame.facts.operation, frame.code,
                  frame.facts.status != 0, known.is_legacy,       frame.raw.size};
    kept_.emplace(key, std::move(known));
  }

  std::vector<KnownFrame> take() const {
    std::vector<KnownFrame> frames;
    for (const auto& [key, frame] : kept_) frames.push_back(frame);
    return frames;
  }

 private:
  static constexpr std::uint32_t longest = 2048;
  using Key = std::tuple<std::uint8_t, std::uint8_t, std::uint32_t, bool, bool, std::uint32_t>;
  std::map<Key, KnownFrame> kept_;
};

const std::vector<KnownFrame>& known_frames() {
  static const std::vector<KnownFrame> frames = [] {
    Frames observer;
    for (const Capture& capture : real_captures()) follow(capture, whole_order(capture), observer);
    return observer.take();
  }();
  return frames;
}

// A sink that writes down all that it is told.
struct Transcript {
  std::string text;
  bool has_problem = false;

  void integer(const iggy::describe::Field& field, std::uint64_t value, decode::Range) {
    add(field) += std::to_string(value);
  }
  void wide(const iggy::describe::Field& field, decode::U128 value, decode::Range) {
    add(field) += std::to_string(value.high) + ":" + std::to_string(value.low);
  }
  void run(const iggy::describe::Field& field, decode::Bytes bytes, decode::Range) {
    add(field).append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  void list(const iggy::describe::Field&, std::uint32_t) {}
  bool enter(const iggy::describe::Field&, const iggy::describe::Layout&, std::uint32_t) {
    return true;
  }
  void leave(const iggy::describe::Field&, const iggy::describe::Layout&, decode::Range) {}
  void problem(const decode::Problem&) { has_problem = true; }

 private:
  std::string& add(const iggy::describe::Field& field) {
    return text.append("\n").append(field.name).append("=");
  }
};

const iggy::describe::Layout& head_layout(const KnownFrame& frame) {
  if (frame.is_legacy) return frame.from_client ? iggy::legacy::request : iggy::legacy::reply;
  return *iggy::header_layout(frame.generation, std::to_integer<std::uint8_t>(frame.bytes[60]));
}

// The first `count` bytes in a buffer of their own.
std::vector<std::byte> prefix_of(std::span<const std::byte> bytes, std::size_t count) {
  std::vector<std::byte> piece(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count));
  piece.shrink_to_fit();
  return piece;
}

// Everything that looks at a header, on a piece of one.
void recognise_everything(decode::Bytes piece) {
  (void)conversation::strong_test(piece);
  (void)conversation::is_possible_header(piece);
  (void)conversation::is_first_header(piece);
  (void)conversation::next_candidate(piece, 0);
  (void)conversation::recognise_foreign(piece);
  (void)conversation::is_replica_preamble(piece);
  for (const bool flag : {false, true}) {
    (void)conversation::test_legacy_request(piece, flag, !flag);
    (void)conversation::test_legacy_request(piece, flag, flag);
    (void)conversation::test_legacy_reply(piece, flag, false);
    (void)conversation::test_legacy_reply(piece, flag, true);
  }
  (void)conversation::evidence_of(piece, {});
  for (const Framing framing : {Framing::undecided, Framing::frames, Framing::legacy,
                                Framing::searching, Framing::foreign}) {
    for (const conversation::Side side : {Side::unknown, Side::client, Side::server}) {
      DirectionState state;
      state.framing = framing;
      state.side = side;
      state.peer = framing;
      (void)conversation::cut(piece, state, false);
      (void)conversation::cut(piece, state, true);
    }
  }
}

TEST(PrefixProperty, CapturesHoldManyKindsOfFrames) {
  std::set<unsigned> commands;
  for (const KnownFrame& frame : known_frames())
    if (!frame.is_legacy) commands.insert(std::to_integer<unsigned>(frame.bytes[60]));
  EXPECT_GE(commands.size(), 15U);
  EXPECT_GE(known_frames().size(), 200U);
}

TEST(PrefixProperty, HeadersCutAnywhere) {
  for (const KnownFrame& frame : known_frames()) {
    const iggy::describe::Layout& layout = head_layout(frame);
    for (std::size_t size = 0; size <= frame.head(); ++size) {
      const std::vector<std::byte> piece = prefix_of(frame.bytes, size);
      recognise_everything(piece);
      Transcript sent_short;
      Transcript cut_short;
      decode::Walk walk_short(decode::whole(piece), sent_short);
      decode::Walk walk_cut(Window{piece, static_cast<std::uint32_t>(frame.head())}, cut_short);
      EXPECT_EQ(walk_short.read(layout), size == frame.head());
      EXPECT_EQ(walk_cut.read(layout), size == frame.head());
      EXPECT_EQ(sent_short.text, cut_short.text);
      if (size == frame.head()) continue;
      EXPECT_TRUE(sent_short.has_problem);
      EXPECT_TRUE(cut_short.has_problem);
    }
  }
}

// Whether the body was read to its end, where it has a layout.
bool expect_body_is_told(const KnownFrame& frame, const decode::Facts& facts, Window body) {
  const decode::BodyPlan plan =
      decode::plan_body(facts, {frame.generation, frame.train}, frame.code, body);
  (void)decode::code_of_request(facts, frame.generation, body);
  (void)decode::login_of(facts, frame.generation, body);
  (void)decode::result_of(facts, frame.generation, 0, body);
  (void)decode::read_register(body);
  (void)decode::read_bind(body);
  (void)decode::read_legacy_login(body, 38);
  (void)decode::read_legacy_login(body, 44);
  if (plan.layout == nullptr) return true;
  (void)decode::read_login_reply(body, *plan.layout);
  Transcript told;
  decode::Walk walk(body, told);
  const bool complete = walk.read(*plan.layout);
  EXPECT_TRUE(complete || told.has_problem);
  return complete || plan.state != decode::BodyState::decoded;
}

TEST(PrefixProperty, BodiesCutAnywhere) {
  std::size_t unread = 0;
  for (const KnownFrame& frame : known_frames()) {
    const std::span<const std::byte> all(frame.bytes);
    const decode::Facts facts = frame.is_legacy
                                    ? decode::legacy_facts_of(all.first(8), frame.from_client)
                                    : decode::facts_of(all.first(256), frame.generation);
    const std::span<const std::byte> body = all.subspan(frame.head());
    const auto on_wire = static_cast<std::uint32_t>(body.size());
    const std::size_t step = body.size() > 700 ? 7 : 1;
    for (std::size_t size = 0; size <= body.size(); size += step) {
      const std::vector<std::byte> piece = prefix_of(body, size);
      if (!frame.is_legacy) (void)conversation::evidence_of(all.first(256), piece);
      (void)expect_body_is_told(frame, facts, decode::whole(piece));
      (void)expect_body_is_told(frame, facts, {piece, on_wire});
    }
    if (!expect_body_is_told(frame, facts, {body, on_wire})) ++unread;
  }
  EXPECT_EQ(unread, 1U);  // a user without a name
}

// A login that is not there as a whole is never taken for a good one.
TEST(PrefixProperty, LoginsCutAnywhere) {
  std::size_t logins = 0;
  for (const KnownFrame& frame : known_frames()) {
    const std::span<const std::byte> all(frame.bytes);
    if (frame.is_legacy || frame.bytes[60] != std::byte{5} || frame.bytes[176] != std::byte{1})
      continue;
    const std::span<const std::byte> body = all.subspan(256);
    const decode::Login whole_login = decode::read_register(decode::whole(body));
    if (whole_login.layout == nullptr || whole_login.has_trailing) continue;
    ++logins;
    for (std::size_t size = 0; size < body.size(); ++size) {
      const std::vector<std::byte> piece = prefix_of(body, size);
      const decode::Login cut =
          decode::read_register({piece, static_cast<std::uint32_t>(body.size())});
      EXPECT_TRUE(cut.is_cut) << size;
      EXPECT_FALSE(cut.is_malformed()) << size;
      EXPECT_TRUE(!cut.has_version || cut.version == whole_login.version) << size;
      EXPECT_TRUE(cut.user.empty() || cut.user == whole_login.user) << size;
    }
  }
  EXPECT_GE(logins, 10U);
}

TEST(PrefixProperty, EachHeaderBitFlipped) {
  for (const KnownFrame& frame : known_frames()) {
    const iggy::describe::Layout& layout = head_layout(frame);
    Transcript before;
    decode::Walk(decode::whole(std::span(frame.bytes).first(frame.head())), before).read(layout);
    for (std::size_t bit = 0; bit < 8 * frame.head(); bit += support::sampling_step) {
      std::vector<std::byte> header = prefix_of(frame.bytes, frame.head());
      header[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
      Transcript after;
      decode::Walk(decode::whole(header), after).read(layout);
      ASSERT_TRUE(after.text != before.text || after.has_problem) << "bit " << bit;
    }
  }
}

// Frames that vouch for themselves with a checksum do not survive any flipped bit but those that
// the checksum leaves out.
TEST(PrefixProperty, FlippedBitsBreakSeals) {
  std::size_t tried = 0;
  for (const KnownFrame& frame : known_frames()) {
    if (frame.is_legacy) continue;
    const std::vector<std::byte> good = prefix_of(frame.bytes, 256);
    const conversation::Strong strong = conversation::strong_test(good);
    const bool is_prepare = strong == conversation::Strong::prepare;
    if (!is_prepare && strong != conversation::Strong::replica) continue;
    ++tried;
    for (std::size_t bit = 0; bit < 8 * 256; ++bit) {
      const std::size_t byte = bit / 8;
      if (is_prepare && ((byte >= 52 && byte < 56) || byte == 60)) continue;
      std::vector<std::byte> header = good;
      header[byte] ^= static_cast<std::byte>(1U << (bit % 8));
      ASSERT_EQ(conversation::strong_test(header), conversation::Strong::none) << "bit " << bit;
    }
  }
  EXPECT_GE(tried, 20U);
}

// The same through the whole program: nothing crashes, and the stream is read to its end.
TEST(PrefixProperty, FlippedBitsInAStream) {
  for (const KnownFrame& frame : known_frames()) {
    if (frame.is_legacy) continue;
    for (std::size_t bit = 0; bit < 8 * 256; bit += 3 * support::sampling_step) {
      std::vector<std::byte> stream(frame.bytes);
      stream.insert(stream.end(), frame.bytes.begin(), frame.bytes.end());
      stream[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
      DirectionState state;
      state.known_start = true;
      std::size_t at = 0;
      std::size_t steps = 0;
      while (at < stream.size()) {
        const conversation::Cut next =
            conversation::cut(std::span(stream).subspan(at), state, true);
        if (next.kind == CutKind::foreign) break;
        ASSERT_NE(next.kind, CutKind::need);
        ASSERT_GT(next.bytes, 0U);
        at += std::min<std::size_t>(next.bytes, stream.size() - at);
        ASSERT_LT(++steps, stream.size());
      }
    }
  }
}

}  // namespace
}  // namespace property
