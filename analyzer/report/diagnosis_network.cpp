// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The rules about what lies below Iggy: the path of the packets, and the clock of the capture.
#include <fmt/format.h>

#include <algorithm>

#include "capture/address.hpp"
#include "report/diagnosis.hpp"
#include "report/words.hpp"

namespace analyzer::report {

using connection::Connection;
using connection::Side;

namespace {

// Fewer are what every network loses.
constexpr std::uint64_t least_segments = 5;
constexpr std::uint64_t least_per_mille = 1;

constexpr std::size_t packets_of_steps = 12;

bool is_iggy(const Connection& connection) {
  return connection.frames_from(Side::client) + connection.frames_from(Side::server) != 0 ||
         connection.transport() == connection::Transport::tls;
}

}  // namespace

void Diagnosis::judge_loss(const Connection& connection) {
  if (!is_iggy(connection)) return;
  for (const Side side : {Side::client, Side::server}) {
    const stream::SegmentCounts& sent =
        connection.tcp().segments[index(connection.direction_of(side))];
    const std::uint64_t again = sent.sent_again;
    if (again < least_segments || again * 1'000 < sent.data * least_per_mille) continue;
    const std::string client = to_string(connection.client());
    const std::string server = to_string(connection.server());
    const bool by_client = side == Side::client;
    const double percent = 100.0 * static_cast<double>(again) / static_cast<double>(sent.data);
    list_.add(FindingId::packet_loss, fmt::format("{} {} {}", client, server, by_client),
              {fmt::format("{} sent {} of its {} segments with bytes to {} again ({:.1f} %).",
                           by_client ? client : server, again, sent.data,
                           by_client ? server : client, percent),
               "",
               {sent.first_sent_again},
               "look for lost packets on the path, or for a host that is too busy to take them; "
               "slow answers have this cause first"});
  }
}

void Diagnosis::clock(const capture::TimeOrder& order) {
  const std::vector<std::uint64_t>& packets = order.step_packets();
  if (packets.empty()) return;
  const auto shown = packets.begin() + static_cast<std::ptrdiff_t>(
                                           std::min<std::size_t>(packets.size(), packets_of_steps));
  list_.add(FindingId::clock_went_back, "",
            {fmt::format("Packets are older than the one before them, by up to {}.",
                         duration_text(static_cast<std::uint64_t>(order.largest_step()) / 1000)),
             "",
             {packets.begin(), shown},
             "sort the capture with reordercap if its packets are out of order; else synchronise "
             "the clock of the capturing host and capture again where times matter",
             order.steps()});
}

}  // namespace analyzer::report
