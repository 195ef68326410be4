// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Segments that contradict what their connection is known to be: they are kept aside until
// something agrees with them, or they turn out to be strays. What agrees is said in tcp_rules.hpp.
#include <algorithm>
#include <span>

#include "stream/tcp_rules.hpp"
#include "stream/tracker.hpp"

namespace analyzer::stream {

// Keeps the segment until something agrees with it. Each side has a place for one, and for one RST:
// what nothing agreed with until the next one came is a stray.
void Tracker::Implementation::doubt(FlowTable::Found found, const TcpSegment& segment) {
  const auto [id, from] = found;
  Connection& connection = table_[id];
  connection.make_streams();
  std::unique_ptr<Doubt>& place =
      connection.streams->doubts[(segment.flags.rst ? 2 : 0) + index(from)];
  if (place && place->segment.sequence == segment.sequence &&
      place->segment.flags == segment.flags &&
      place->segment.payload_length == segment.payload_length) {
    ++place->copies;
    return;
  }
  if (place) connection.out_of_window += place->copies;
  place = std::make_unique<Doubt>();
  place->from = from;
  place->segment = segment;
  place->bytes.assign(segment.payload.begin(), segment.payload.end());
  place->segment.payload = place->bytes;
  charge(connection);
  if (memory() > limits_.memory) make_room(id);
}

// Takes the doubtful segments that `segment` shows to be true.
void Tracker::Implementation::believe_agreed(FlowTable::Found found, const TcpSegment& segment) {
  Connection& connection = table_[found.id];
  for (std::unique_ptr<Doubt>& place : std::span(connection.streams->doubts).first<2>()) {
    if (!place || !agrees(connection, *place, found.from, segment)) continue;
    const std::unique_ptr<Doubt> doubt = std::move(place);
    if (doubt->segment.flags.syn) {
      end(found.id, Ending::replaced);
      open_with(*doubt);
      return;
    }
    connection.packets[index(doubt->from)] += doubt->copies - 1;
    follow({found.id, doubt->from}, doubt->segment);
  }
}

FlowTable::Found Tracker::Implementation::open_with(const Doubt& syn) {
  const FlowTable::Found fresh = open(syn.segment);
  for (std::uint32_t i = 0; i < syn.copies; ++i) follow(fresh, syn.segment);
  return fresh;
}

// Nothing more comes. A RST may be true all the same. So may a SYN that nobody answered: it is
// given back where it may be an attempt of its own. Nothing here makes room: that ends connections,
// and this one is about to end.
std::unique_ptr<Doubt> Tracker::Implementation::conclude_doubts(ConnectionId id, Ending ending) {
  Connection& connection = table_[id];
  std::unique_ptr<Doubt> attempt;
  for (std::unique_ptr<Doubt>& place : connection.streams->doubts) {
    std::unique_ptr<Doubt> doubt = std::move(place);
    if (!doubt) continue;
    const capture::TcpFlags flags = doubt->segment.flags;
    if (flags.rst && is_last_word(connection, *doubt)) {
      connection.packets[index(doubt->from)] += doubt->copies;
      connection.last_packet = std::max(connection.last_packet, doubt->segment.packet);
      connection.last_time = std::max(connection.last_time, doubt->segment.time);
      reset(connection, doubt->from, doubt->segment);
    } else if (flags.syn && !doubt->went_on && !attempt && ending == Ending::capture_ended) {
      attempt = std::move(doubt);
    } else {
      connection.out_of_window += doubt->copies;
    }
  }
  return attempt;
}

}  // namespace analyzer::stream
