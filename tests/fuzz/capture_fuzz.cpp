// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Fuzzes the readers of capture files and the decoder of packets: any bytes as a file, each packet
// decoded. Beyond memory safety it checks what the headers promise. It must not reach further than
// the segments: streams have a target of their own.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <variant>

#include "capture/layers.hpp"
#include "capture/reader.hpp"

namespace {

using namespace analyzer::capture;

void require(bool promise) {
  if (!promise) std::abort();
}

bool is_inside(Bytes part, Bytes whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

void check(const Packet& packet, const TcpSegment& segment) {
  require(segment.packet == packet.number && segment.time == packet.time);
  require(is_inside(segment.payload, packet.bytes));
  require(segment.payload.size() <= segment.payload_length);
}

void check(const Packet& packet, const UdpDatagram& datagram) {
  require(datagram.packet == packet.number && datagram.time == packet.time);
  require(is_inside(datagram.payload, packet.bytes));
  require(datagram.payload.size() <= datagram.payload_length);
}

void check(const Packet&, Skipped) {}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes file = std::as_bytes(std::span(data, size));
  Reader reader("fuzz", file);
  Packet packet;
  std::uint64_t last_number = 0;
  Status status = Status::more;
  while ((status = reader.next(packet)) == Status::more) {
    require(packet.number > last_number);
    last_number = packet.number;
    require(is_inside(packet.bytes, file));
    require(packet.bytes.size() <= packet.wire_length);
    std::visit([&](const auto& result) { check(packet, result); }, decode(packet));
  }
  const Problem& problem = reader.problem();
  require(problem.status == status && problem.offset <= size);
  require(problem.reason.empty() == (status == Status::end));
  require(status != Status::unreadable || last_number == 0);
  return 0;
}
