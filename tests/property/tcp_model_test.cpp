// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Random captures of known streams against a model that says what must come out.
//
// Each round takes a stream for both directions, cuts it into segments, then loses, repeats,
// re-cuts, cuts short and shuffles them. The model keeps one entry for each byte of the stream and
// knows nothing of how the tracker works. Rounds are seeded by their number, so that a failure
// names the round to repeat.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "../unit/tcp_script.hpp"
#include "stream/tcp.hpp"

namespace script {
namespace {

using Random = std::minstd_rand;

std::uint32_t below(Random& random, std::uint32_t limit) {
  return static_cast<std::uint32_t>(random() % limit);
}
bool chance(Random& random, std::uint32_t percent) {
  return below(random, 100) < percent;
}

// What happens to the segments of a round.
struct Trouble {
  std::uint32_t lost = 0;         // percent of the segments
  std::uint32_t repeated = 0;     // percent, each cut anew
  std::uint32_t snapped = 0;      // percent
  std::uint32_t other_bytes = 0;  // percent of the repeated ones
  std::size_t disorder = 0;       // how many places a segment may move
  bool handshake = true;
  bool fins = true;
};

// A segment of the plan, in places of its stream.
struct Planned {
  std::size_t side = 0;
  std::size_t at = 0;
  std::string bytes;             // as captured
  std::size_t length = 0;        // as sent
  std::size_t acknowledged = 0;  // of the other stream
  bool fin = false;
};

// One byte of the stream, as a capture can show it.
enum class Fate : std::uint8_t { never_seen, snapped, captured };

struct Model {
  std::string bytes;
  std::vector<Fate> fates;
  std::size_t acknowledged = 0;
  std::size_t end = 0;  // how far anything shows the stream to reach

  explicit Model(std::size_t size) : bytes(size, '-'), fates(size, Fate::never_seen) {}

  void take(const Planned& segment) {
    for (std::size_t i = 0; i < segment.length; ++i) {
      const std::size_t place = segment.at + i;
      if (fates[place] != Fate::never_seen) continue;  // the first copy wins
      fates[place] = i < segment.bytes.size() ? Fate::captured : Fate::snapped;
      if (i < segment.bytes.size()) bytes[place] = segment.bytes[i];
    }
    end = std::max(end, segment.at + segment.length);
  }
  HoleKind kind(std::size_t place) const {
    if (fates[place] == Fate::snapped) return HoleKind::snapped;
    return place < acknowledged ? HoleKind::not_captured : HoleKind::lost;
  }
};

class Round {
 public:
  Round(std::uint32_t seed, const Trouble& trouble)
      : random_(seed), trouble_(trouble), models_{Model{1}, Model{1}} {
    for (std::size_t side = 0; side < 2; ++side) {
      streams_[side] = letters(1 + below(random_, 6'000), seed + static_cast<unsigned>(side));
      models_[side] = Model{streams_[side].size()};
      // Half of the rounds wrap.
      starts_[side] = static_cast<std::uint32_t>(random_() * 5U);
      if (chance(random_, 50)) starts_[side] = 0U - below(random_, 6'000);
    }
  }

  void run() {
    plan();
    disorder();
    analyzer::stream::Limits limits;
    limits.acknowledged_hole_bytes = ~std::uint64_t{0};
    Script script(limits);
    script.client.sequence = starts_[0];
    script.server.sequence = starts_[1];
    if (trouble_.handshake) script.handshake();
    for (const Planned& segment : plan_) send(script, segment);
    const Record record = script.only();
    for (std::size_t side = 0; side < 2; ++side) compare(record, side);
  }

 private:
  void plan() {
    std::array<std::size_t, 2> sent{};
    while (sent[0] < streams_[0].size() || sent[1] < streams_[1].size()) {
      std::size_t side = below(random_, 2);
      if (sent[side] == streams_[side].size()) side = 1 - side;
      const std::size_t size =
          std::min<std::size_t>(1 + below(random_, 400), streams_[side].size() - sent[side]);
      add(side, sent[side], size, sent[1 - side]);
      sent[side] += size;
      if (chance(random_, trouble_.repeated)) repeat(side, sent[side], sent[1 - side]);
    }
    if (!trouble_.fins) return;
    for (std::size_t side = 0; side < 2; ++side) {
      plan_.push_back({side, sent[side], "", 0, sent[1 - side], true});
    }
  }

  void add(std::size_t side, std::size_t at, std::size_t size, std::size_t acknowledged) {
    if (chance(random_, trouble_.lost)) return;
    Planned segment{side, at, streams_[side].substr(at, size), size, acknowledged, false};
    if (chance(random_, trouble_.snapped))
      segment.bytes.resize(below(random_, static_cast<std::uint32_t>(size) + 1));
    plan_.push_back(segment);
  }

  // Any part of what was sent so far, cut anew.
  void repeat(std::size_t side, std::size_t sent, std::size_t acknowledged) {
    const std::size_t at = below(random_, static_cast<std::uint32_t>(sent));
    const std::size_t size = std::min<std::size_t>(1 + below(random_, 900), sent - at);
    // A byte alone right below the stream's place would be a keep-alive probe.
    if (size == 1) return;
    Planned segment{side, at, streams_[side].substr(at, size), size, acknowledged, false};
    if (chance(random_, trouble_.other_bytes))
      std::reverse(segment.bytes.begin(), segment.bytes.end());
    plan_.push_back(segment);
  }

  void disorder() {
    if (trouble_.disorder == 0) return;
    // Without a handshake the first segment of each side tells where its stream begins.
    const std::size_t first = trouble_.handshake ? 0 : plan_.size();
    for (std::size_t i = first; i + 1 < plan_.size(); ++i) {
      const std::size_t reach = std::min(trouble_.disorder, plan_.size() - 1 - i);
      std::swap(plan_[i], plan_[i + below(random_, static_cast<std::uint32_t>(reach) + 1)]);
    }
  }

  void send(Script& script, const Planned& planned) {
    const bool from_client = planned.side == 0;
    const Speaker& from = from_client ? script.client : script.server;
    const Speaker& to = from_client ? script.server : script.client;
    TcpSegment segment = script.make(from, to, planned.bytes, {.fin = planned.fin, .ack = true});
    const std::uint32_t syn = 1;
    segment.sequence = starts_[planned.side] + syn + static_cast<std::uint32_t>(planned.at);
    segment.acknowledgement =
        starts_[1 - planned.side] + syn + static_cast<std::uint32_t>(planned.acknowledged);
    segment.payload_length = static_cast<std::uint32_t>(planned.length);
    models_[planned.side].take(planned);
    Model& other = models_[1 - planned.side];
    other.acknowledged = std::max(other.acknowledged, planned.acknowledged);
    if (planned.fin) models_[planned.side].end = std::max(models_[planned.side].end, planned.at);
    script.send(segment);
  }

  void compare(const Record& record, std::size_t side) {
    const Model& model = models_[side];
    // Without a handshake the side that is captured first counts as the dialer.
    const bool swapped = record.facts.first != endpoint(1, 50'000);
    const Heard& heard = record.heard[swapped ? 1 - side : side];
    std::size_t end = model.end;
    // A tail that only the peer's word shows; a single number may be a FIN.
    if (!trouble_.fins && model.acknowledged > end + 1) end = model.acknowledged;
    ASSERT_TRUE(same(heard.text, std::string_view{model.bytes}.substr(0, end)));
    for (const Hole& hole : heard.holes) {
      const std::uint64_t first = hole.offset - heard.begin;
      for (std::uint64_t place = first; place < first + hole.bytes; ++place)
        ASSERT_EQ(hole.kind, model.kind(place)) << "at " << place;
    }
    const bool opened = record.opened;
    EXPECT_EQ(heard.finished, trouble_.fins && opened);
  }

  Random random_;
  Trouble trouble_;
  std::array<std::string, 2> streams_;
  std::array<std::uint32_t, 2> starts_{};
  std::array<Model, 2> models_;
  std::vector<Planned> plan_;
};

void run_rounds(const Trouble& trouble, std::uint32_t rounds = 400) {
  for (std::uint32_t seed = 1; seed <= rounds; ++seed) {
    SCOPED_TRACE("round " + std::to_string(seed));
    Round(seed, trouble).run();
    if (testing::Test::HasFailure()) return;
  }
}

TEST(TcpModel, InOrder) {
  run_rounds({});
}
TEST(TcpModel, Disorder) {
  run_rounds({.disorder = 12});
}
TEST(TcpModel, CompleteDisorder) {
  run_rounds({.disorder = 1'000});
}
TEST(TcpModel, Loss) {
  run_rounds({.lost = 20});
}
TEST(TcpModel, LossWithoutFins) {
  run_rounds({.lost = 20, .fins = false});
}
TEST(TcpModel, LossAndDisorder) {
  run_rounds({.lost = 20, .disorder = 30});
}
TEST(TcpModel, RepeatedAndCutAnew) {
  run_rounds({.repeated = 60, .disorder = 20});
}
TEST(TcpModel, OtherBytes) {
  run_rounds({.repeated = 60, .other_bytes = 50, .disorder = 50});
}
TEST(TcpModel, LossAndOtherBytes) {
  run_rounds({.lost = 30, .repeated = 60, .other_bytes = 50, .disorder = 50});
}
TEST(TcpModel, SnapLength) {
  run_rounds({.snapped = 70, .disorder = 20});
}
TEST(TcpModel, SnapLengthAndLoss) {
  run_rounds({.lost = 20, .snapped = 50, .disorder = 20});
}
TEST(TcpModel, NoHandshake) {
  run_rounds({.repeated = 40, .handshake = false});
}

}  // namespace
}  // namespace script
