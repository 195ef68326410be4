// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Fuzzes the readers of capture files, compressed ones too, and the decoder of packets: any bytes
// as a file, each packet decoded. Beyond memory safety it checks what the headers promise. It must
// not reach further than the segments: streams have a target of their own.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <variant>

#include "capture/layers.hpp"
#include "capture/reader.hpp"

namespace {

using namespace analyzer::capture;

constexpr std::uint64_t budget_bytes = std::uint64_t{64} << 20;

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

void check(const Packet&, Held) {
  std::abort();  // nothing waits for a packet that is decoded alone
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes file = std::as_bytes(std::span(data, size));
  Resources resources;
  resources.block_bytes = 4'096;
  resources.unpacked_limit = std::uint64_t{1} << 20;
  resources.budget = std::make_shared<MemoryPool>(budget_bytes);
  Reader reader("fuzz", file, 1, resources);
  Packet packet;
  std::uint64_t last_number = 0;
  Status status = Status::more;
  while ((status = reader.next(packet)) == Status::more) {
    require(packet.number > last_number);
    last_number = packet.number;
    require(!reader.compression().empty() || is_inside(packet.bytes, file));
    require(resources.budget->left() <= budget_bytes);
    require(packet.bytes.size() <= packet.wire_length);
    std::visit([&](const auto& result) { check(packet, result); }, decode(packet));
  }
  const Problem& problem = reader.problem();
  require(problem.status == status);
  require(problem.offset <=
          (reader.compression().empty() ? size : resources.unpacked_limit + size));
  require(problem.reason.empty() == (status == Status::end));
  require(status != Status::unreadable || last_number == 0);
  return 0;
}
