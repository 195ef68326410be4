// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// A packet that the capture missed must not become somebody's fault.
//
// From every real capture each packet with payload is taken out, one at a time, and the report of
// what is left is compared with that of the whole: it may say less, but it accuses nobody anew.
// Long captures are sampled, unless IGGY_LONG_TESTS is set.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>

#include "conversation/finding.hpp"
#include "property/real_captures.hpp"
#include "report/statistics.hpp"

namespace property {
namespace {

using iggy::conversation::FindingId;
using iggy::conversation::Severity;

// Packets of one capture that are taken out in an ordinary run.
constexpr std::size_t sampled = 500;

using Findings = std::map<FindingId, std::uint64_t>;  // and how often

struct Report {
  Findings findings;         // those that accuse somebody
  std::uint64_t frames = 0;  // all of them
  std::uint64_t unread = 0;  // those whose body was not read
};

Report report_of(const Capture& capture, const Order& order) {
  analyzer::report::Statistics statistics({});
  follow(capture, order, statistics);
  statistics.model().last_time = capture.packets.back().packet.time;
  const analyzer::report::Model model = statistics.finish();
  Report report;
  for (const analyzer::report::Finding& finding : model.findings)
    if (finding.severity != Severity::info) report.findings[finding.id] = finding.count;
  report.frames = model.frames;
  report.unread = model.undecoded.bodies_without_tables;
  return report;
}

bool has_payload(const KeptPacket& kept) {
  Packet packet = kept.packet;
  packet.bytes = kept.bytes;
  const analyzer::capture::Decoded decoded = analyzer::capture::decode(packet);
  const auto* segment = std::get_if<analyzer::capture::TcpSegment>(&decoded);
  return segment != nullptr && segment->payload_length != 0;
}

class SingleDrop : public testing::TestWithParam<std::size_t> {};

// Each frame that is missing leaves at most one body without what tells its layout.
TEST_P(SingleDrop, AccusesNobodyAnewAndReadsWhatIsLeft) {
  const Capture& capture = all_captures()[GetParam()];
  const Report whole = report_of(capture, whole_order(capture));
  Order with_payload;
  for (std::size_t i = 0; i < capture.packets.size(); ++i)
    if (has_payload(capture.packets[i])) with_payload.push_back(i);
  const bool is_long = std::getenv("IGGY_LONG_TESTS") != nullptr;
  const std::size_t step = is_long ? 1 : std::max<std::size_t>(1, with_payload.size() / sampled);
  for (std::size_t i = 0; i < with_payload.size(); i += step) {
    Order order = whole_order(capture);
    order.erase(order.begin() + static_cast<std::ptrdiff_t>(with_payload[i]));
    const std::uint64_t packet = capture.packets[with_payload[i]].packet.number;
    const Report report = report_of(capture, order);
    for (const auto& [id, count] : report.findings) {
      const auto known = whole.findings.find(id);
      // Without its login a build is not known; that its messages are those of older ones is.
      const bool is_said_otherwise = id == FindingId::invalid_batch_silently_dropped &&
                                     whole.findings.contains(FindingId::body_dialect_mismatch);
      EXPECT_TRUE(is_said_otherwise || (known != whole.findings.end() && count <= known->second))
          << kind_of(id).word << " x " << count << " without packet " << packet;
    }
    // Behind a hole legacy framing has nothing to be recognised by before a second frame comes.
    const std::uint64_t late = capture.name.starts_with("legacy") ? 1 : 0;
    EXPECT_LE(report.unread, whole.unread + (whole.frames - report.frames) + late)
        << "without packet " << packet;
  }
}

INSTANTIATE_TEST_SUITE_P(RealCaptures, SingleDrop,
                         testing::Range<std::size_t>(0, all_captures().size()),
                         [](const auto& param) {
                           return test_name(all_captures()[param.param].name);
                         });

}  // namespace
}  // namespace property
