// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Random mixes of everything that happens to packets: bytes out are bytes in, what is missing is
// named byte for byte, and nobody is accused of what the capture missed.
//
// Rounds are seeded by their number, so that a failure names the round to repeat. IGGY_HARD_ROUNDS
// sets how many rounds each mix takes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>

#include "hard/capture.hpp"
#include "hard/run.hpp"
#include "support/effort.hpp"

namespace support::hard {
namespace {

using Random = std::minstd_rand;

std::size_t rounds() {
  const char* const asked = std::getenv("IGGY_HARD_ROUNDS");
  return asked == nullptr ? rounds_of(400UL) : std::strtoul(asked, nullptr, 10);
}

// How often things happen, in percent of the packets where it is not said otherwise.
struct Mix {
  std::uint32_t lost = 0;
  std::uint32_t late = 0;
  std::uint32_t furthest = 12;  // how many packets late
  std::uint32_t repeated = 0;   // by the network or by the capture
  std::uint32_t cut_anew = 0;
  std::uint32_t other_bytes = 0;
  std::uint32_t snapped = 0;
  std::uint32_t stray = 0;
  std::uint32_t begun_before = 0;  // percent of the rounds
  std::uint32_t one_sided = 0;     // percent of the rounds
};

class Round {
 public:
  Round(std::uint32_t seed, const Mix& mix)
      : random_(seed),
        mix_(mix),
        talk_(usual_conversation(2 + below(6), below(2'500), seed)),
        plan_(plan(talk_, {.segment = 2 + below(seed % 3 == 0 ? 60 : 1'400),
                           .fins = chance(70),
                           .acknowledgements = chance(70)})) {
    if (chance(30)) plan_.isn = {0U - below(6'000), 0U - below(6'000)};
  }

  void run() {
    const bool is_one_sided = chance(mix_.one_sided);
    const bool is_begun_before = chance(mix_.begun_before);
    if (is_begun_before) keep_from(plan_, 3 + below(plan_.packets.size() / 2));
    lose();
    disturb();
    if (is_one_sided) keep_side(plan_, below(2));
    if (plan_.with_payload(client).empty() && plan_.with_payload(server).empty()) return;
    const Seen seen = expect_truth(plan_);
    const auto unanswered = seen.outcomes.find("unanswered");
    EXPECT_TRUE(unanswered == seen.outcomes.end());
    for (const analyzer::report::Finding& finding : seen.model.findings) {
      const std::string word(kind_of(finding.id).word);
      if (word == "packet-loss" && mix_.repeated + mix_.cut_anew != 0) continue;
      EXPECT_EQ(finding.severity, iggy::conversation::Severity::info)
          << word << ": " << finding.evidence.at(0).text;
    }
  }

 private:
  std::uint32_t below(std::size_t limit) {
    return static_cast<std::uint32_t>(random_() % std::max<std::size_t>(limit, 1));
  }
  bool chance(std::uint32_t percent) { return below(100) < percent; }

  void lose() {
    for (std::size_t i = 0; i < plan_.packets.size();) {
      if (chance(mix_.lost) && plan_.packets.size() > 2)
        drop(plan_, i);
      else
        ++i;
    }
  }

  void disturb() {
    for (std::size_t i = 0; i < plan_.packets.size(); ++i) {
      Planned& packet = plan_.packets[i];
      if (packet.stray != 0) continue;
      packet.has_bad_checksum = chance(20);
      packet.has_tag = chance(20);
      if (chance(mix_.snapped)) packet.snap = 58 + below(800);
      if (chance(mix_.late)) delay(plan_, i, 1 + below(mix_.furthest));
      if (chance(mix_.repeated)) repeat(plan_, i, below(mix_.furthest));
      if (chance(mix_.cut_anew)) cut_anew(i);
      if (chance(mix_.stray)) add_stray(i);
    }
  }

  // Any part of what the turn said before, in one piece: what came before the turn was answered, so
  // that nobody sends it again. With other bytes only what was captured so far.
  void cut_anew(std::size_t at) {
    const Planned sent = plan_.packets[at];
    if (sent.payload.empty()) return;
    if (chance(mix_.other_bytes)) {
      send_again(plan_, sent.side, sent.begin(), sent.end(), at, true);
      return;
    }
    const std::int64_t end = sent.end() - below(sent.payload.size());
    const std::int64_t begin =
        std::max(talk_.turn_begin(sent.side, end), std::min(sent.begin(), end) - below(900));
    send_again(plan_, sent.side, begin, end, at);
  }

  // A segment of nobody, at a place from where both sides go on. No two of them agree.
  void add_stray(std::size_t at) {
    if (strays_ == 20) return;
    const std::size_t side = below(2);
    Planned stray = plan_.packets[at];
    stray.side = side;
    stray.stray = (chance(50) ? 40'000'000 : -40'000'000) * static_cast<std::int32_t>(strays_ + 1);
    stray.has_tag = false;
    stray.snap.reset();
    const bool is_ahead = chance(30);
    if (is_ahead) stray.stray = static_cast<std::int32_t>(900'000 + below(100'000));
    if (is_ahead || chance(40)) {
      stray.flags = {.rst = true};
      stray.payload.clear();
    } else if (chance(50)) {
      stray.flags = {.syn = true, .ack = chance(50)};
      stray.payload.clear();
    } else {
      stray.flags = {.fin = chance(30), .ack = chance(50)};
    }
    if ((!stray.flags.rst && !has_begun(at)) || !goes_on(at, side)) return;
    ++strays_;
    plan_.packets.insert(plan_.packets.begin() + static_cast<std::ptrdiff_t>(at) + 1, stray);
  }
  // The SYNs of both sides were captured by then.
  bool has_begun(std::size_t at) const {
    const auto has_syn_of = [&](std::size_t side) {
      return std::any_of(plan_.packets.begin(), at_(at + 1), [side](const Planned& packet) {
        return packet.side == side && packet.flags.syn && packet.stray == 0;
      });
    };
    return has_syn_of(0) && has_syn_of(1);
  }
  // Both sides send bytes, and so does the one in question.
  bool goes_on(std::size_t at, std::size_t side) const {
    return std::any_of(at_(at + 1), plan_.packets.end(), [side](const Planned& packet) {
      return packet.side == side && !packet.payload.empty();
    });
  }
  std::vector<Planned>::const_iterator at_(std::size_t place) const {
    return plan_.packets.begin() + static_cast<std::ptrdiff_t>(place);
  }

  Random random_;
  Mix mix_;
  Conversation talk_;
  Plan plan_;
  std::uint32_t strays_ = 0;
};

void run_rounds(const Mix& mix) {
  for (std::uint32_t seed = 1; seed <= rounds(); ++seed) {
    SCOPED_TRACE("round " + std::to_string(seed));
    Round(seed, mix).run();
    if (testing::Test::HasFailure()) return;
  }
}

TEST(HardMix, Disorder) {
  run_rounds({.late = 40});
}
TEST(HardMix, FarDisorder) {
  run_rounds({.late = 10, .furthest = 200});
}
TEST(HardMix, Loss) {
  run_rounds({.lost = 10});
}
TEST(HardMix, FewLosses) {
  run_rounds({.lost = 2});
}
TEST(HardMix, HeavyLoss) {
  run_rounds({.lost = 60});
}
TEST(HardMix, Retransmissions) {
  run_rounds({.late = 10, .repeated = 20, .cut_anew = 20});
}
TEST(HardMix, LossAndRetransmissions) {
  run_rounds({.lost = 15, .late = 10, .repeated = 20, .cut_anew = 20});
}
TEST(HardMix, OtherBytes) {
  run_rounds({.lost = 5, .repeated = 20, .cut_anew = 20, .other_bytes = 50});
}
TEST(HardMix, SnapLengths) {
  run_rounds({.lost = 3, .late = 10, .repeated = 10, .snapped = 50});
}
TEST(HardMix, StrayPackets) {
  run_rounds({.lost = 3, .stray = 3});
}
TEST(HardMix, BegunBefore) {
  run_rounds({.lost = 3, .begun_before = 100});
}
TEST(HardMix, BegunBeforeInDisorder) {
  run_rounds({.late = 30, .furthest = 40, .begun_before = 100});
}
TEST(HardMix, BegunBeforeWithLossInDisorder) {
  run_rounds({.lost = 10, .late = 30, .furthest = 20, .repeated = 10, .begun_before = 100});
}
TEST(HardMix, OneSidedBegunBeforeInDisorder) {
  run_rounds({.late = 40, .furthest = 30, .begun_before = 100, .one_sided = 100});
}
TEST(HardMix, OneSided) {
  run_rounds({.lost = 5, .late = 10, .one_sided = 100});
}
TEST(HardMix, Everything) {
  run_rounds({.lost = 5,
              .late = 10,
              .repeated = 10,
              .cut_anew = 10,
              .other_bytes = 20,
              .stray = 1,
              .one_sided = 10});
}

}  // namespace
}  // namespace support::hard
