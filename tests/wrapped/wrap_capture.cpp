// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Writes a capture of Ethernet with IP anew, once for each wrapping of tests/unit/support.
//
//   wrap-capture CAPTURE FOLDER
//
// FOLDER gets WRAPPING.pcap, and fragments-N.pcap in which the packets are cut into fragments of
// N bytes in random order, the same one every time. Lengths are those of whole packets.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "capture/reader.hpp"
#include "support/capture_builder.hpp"
#include "support/wrappings.hpp"

namespace {

namespace capture = analyzer::capture;

struct Kept {
  std::int64_t time = 0;
  support::Buffer ip_packet;
};

std::vector<Kept> read(const std::string& file) {
  constexpr std::size_t ethernet_bytes = 14;
  std::vector<Kept> packets;
  capture::Reader reader(file);
  capture::Packet packet;
  while (reader.next(packet) == capture::Status::more) {
    if (packet.link_type != support::link_ethernet || packet.bytes.size() != packet.wire_length)
      return {};
    const auto bytes = packet.bytes.subspan(ethernet_bytes);
    packets.push_back({packet.time, {bytes.begin(), bytes.end()}});
  }
  return packets;
}

bool write(const std::filesystem::path& file, const support::PcapFile& content) {
  std::ofstream stream(file, std::ios::binary);
  for (const std::byte byte : content.bytes()) stream.put(static_cast<char>(byte));
  stream.close();
  return static_cast<bool>(stream);
}

bool write_wrapped(const std::vector<Kept>& packets, const support::Wrapping& wrapping,
                   const std::filesystem::path& folder) {
  support::PcapFile file({.nanoseconds = true, .link_type = wrapping.link_type});
  for (const Kept& packet : packets) file.packet(packet.time, wrapping.wrap(packet.ip_packet));
  return write(folder / (wrapping.name + ".pcap"), file);
}

bool write_fragments(const std::vector<Kept>& packets, std::size_t piece_bytes,
                     const std::filesystem::path& folder) {
  support::PcapFile file({.nanoseconds = true});
  std::mt19937 random(1);
  unsigned identification = 0;
  for (const Kept& packet : packets) {
    auto pieces = support::fragments_of(packet.ip_packet, piece_bytes, ++identification);
    for (std::size_t i = pieces.size(); i > 1; --i) std::swap(pieces[i - 1], pieces[random() % i]);
    for (const support::Buffer& piece : pieces) file.packet(packet.time, support::ethernet(piece));
  }
  return write(folder / ("fragments-" + std::to_string(piece_bytes) + ".pcap"), file);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: wrap-capture CAPTURE FOLDER\n", stderr);
    return 2;
  }
  const std::vector<Kept> packets = read(argv[1]);
  bool is_written = !packets.empty();
  for (const support::Wrapping& wrapping : support::all_wrappings())
    is_written = is_written && write_wrapped(packets, wrapping, argv[2]);
  for (const std::size_t piece_bytes : {64U, 256U, 1'024U})
    is_written = is_written && write_fragments(packets, piece_bytes, argv[2]);
  if (!is_written) std::fprintf(stderr, "wrap-capture: %s cannot be wrapped\n", argv[1]);
  return is_written ? 0 : 1;
}
