// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Real conversations sent again over a bad network: with loss and retransmissions they give the
// frames that they gave without, and packets that the capture missed are named byte for byte and
// cost no frame but their own.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "hard/capture.hpp"
#include "hard/run.hpp"
#include "property/real_captures.hpp"
#include "support/iggy_frames.hpp"

namespace support::hard {
namespace {

namespace stream = analyzer::stream;

// Who said what, one turn after the other, on the connection of a capture that said most.
class Turns final : public stream::Observer {
 public:
  Conversation longest;

  std::unique_ptr<stream::ByteSink> open(const stream::TcpFacts&) override {
    return std::make_unique<Sink>();
  }
  void ended(const stream::TcpFacts&, stream::Ending, stream::ByteSink* sink) override {
    if (sink == nullptr) return;
    Conversation& heard = dynamic_cast<Sink&>(*sink).heard;
    if (heard.turns.size() > longest.turns.size()) longest = std::move(heard);
  }

 private:
  struct Sink final : stream::ByteSink {
    Conversation heard;
    void data(stream::Direction from, std::uint64_t, stream::Bytes bytes,
              const stream::Origin&) override {
      const std::size_t side = stream::index(from);
      if (heard.turns.empty() || heard.turns.back().side != side) heard.turns.push_back({side, {}});
      append(heard.turns.back().bytes, bytes);
    }
    void hole(stream::Direction, const stream::Hole&) override {}
    void late(stream::Direction, const stream::Hole&) override {}
    void finished(stream::Direction, bool, const stream::Origin&) override {}
  };
};

Conversation real_conversation(const std::string& name) {
  Turns turns;
  stream::Tracker tracker(turns, {});
  for (const property::Capture& capture : property::all_captures()) {
    if (capture.name != name) continue;
    for (const property::KeptPacket& kept : capture.packets) {
      analyzer::capture::Packet packet = kept.packet;
      packet.bytes = kept.bytes;
      const analyzer::capture::Decoded decoded = analyzer::capture::decode(packet);
      if (const auto* segment = std::get_if<analyzer::capture::TcpSegment>(&decoded))
        tracker.segment(*segment);
    }
  }
  tracker.finish();
  return std::move(turns.longest);
}

class HardProof : public testing::TestWithParam<const char*> {
 protected:
  const Conversation talk_ = real_conversation(GetParam());
};

// Each third packet was lost on the wire behind where the capture was taken, or before it, and is
// sent again with what follows it.
TEST_P(HardProof, RetransmissionsChangeNothing) {
  Plan made = plan(talk_, {.segment = 500});
  for (const std::size_t side : {client, server}) {
    for (std::size_t n = 0; n < made.with_payload(side).size(); n += 3) {
      const std::size_t at = made.with_payload(side)[n];
      const Planned sent = made.packets[at];
      send_again(made, side, sent.begin(), sent.end(), at + n % 2);
      if (n % 6 == 0) drop(made, at);
    }
  }
  const Seen seen = expect_truth(made);
  const Truth truth = truth_of(made);
  for (const std::size_t side : {client, server}) {
    EXPECT_TRUE(truth[side].holes.empty());
    EXPECT_EQ(truth[side].shown.size(), truth[side].sent.size());
  }
  EXPECT_EQ(seen.outcomes, run(to_pcap(plan(talk_))).outcomes);
}

TEST_P(HardProof, MissingPacketsAreNamedAndCostNoOtherFrame) {
  for (std::size_t first = 0; first < 20; ++first) {
    SCOPED_TRACE(first);
    Plan made = plan(talk_, {.segment = 900});
    for (const std::size_t side : {client, server})
      for (std::size_t n = first; n < made.with_payload(side).size(); n += 19)
        drop(made, made.with_payload(side)[n]);
    expect_truth(made);
  }
}

INSTANTIATE_TEST_SUITE_P(Samples, HardProof,
                         testing::Values("rust-session.pcap", "session-0.12.pcap",
                                         "bench-small.pcap"),
                         [](const auto& param) { return property::test_name(param.param); });

}  // namespace
}  // namespace support::hard
