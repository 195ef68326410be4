// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The real captures of tests/data and samples as packets in memory, which a test may remove, repeat
// or reorder before they go the way that the program gives them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "capture/layers.hpp"
#include "capture/reader.hpp"
#include "connection/follower.hpp"
#include "stream/tcp.hpp"
#include "support/test_data.hpp"

namespace property {

using analyzer::capture::Bytes;
using analyzer::capture::Packet;
using Buffer = std::vector<std::byte>;

// A packet with bytes of its own.
struct KeptPacket {
  Packet packet;  // its view is set when it is used, since copies move the bytes
  Buffer bytes;
};

struct Capture {
  std::string name;
  std::vector<KeptPacket> packets;
};

inline Capture read_capture(const std::filesystem::path& file) {
  Capture capture;
  capture.name = file.filename().string();
  analyzer::capture::Reader reader(file.string());
  Packet packet;
  while (reader.next(packet) == analyzer::capture::Status::more)
    capture.packets.push_back({packet, Buffer(packet.bytes.begin(), packet.bytes.end())});
  EXPECT_EQ(reader.problem().status, analyzer::capture::Status::end) << capture.name;
  return capture;
}

// The captures of a folder, in order of name.
inline std::vector<Capture> read_captures(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".pcap" || entry.path().extension() == ".pcapng")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Capture> read;
  for (const auto& file : files) read.push_back(read_capture(file));
  return read;
}

// All of tests/data; read once.
inline const std::vector<Capture>& real_captures() {
  static const std::vector<Capture> captures = read_captures(support::test_data("captures"));
  return captures;
}

// These, and the samples that are none of them.
inline const std::vector<Capture>& all_captures() {
  static const std::vector<Capture> captures = [] {
    std::vector<Capture> all = real_captures();
    for (Capture& sample : read_captures(support::samples())) {
      const auto is_same = [&sample](const Capture& other) { return other.name == sample.name; };
      if (std::none_of(all.begin(), all.end(), is_same)) all.push_back(std::move(sample));
    }
    return all;
  }();
  return captures;
}

// Packets by their index in the capture, in the order in which they are captured this time.
using Order = std::vector<std::size_t>;

inline Order whole_order(const Capture& capture) {
  Order order(capture.packets.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  return order;
}

// Gives the packets to the observer the way that commands/run.cpp does.
inline void follow(const Capture& capture, const Order& order,
                   analyzer::connection::FrameObserver& observer) {
  analyzer::connection::Follower follower(observer);
  analyzer::stream::Tracker tracker(follower, {});
  analyzer::capture::Decoder decoder;
  for (const std::size_t index : order) {
    Packet packet = capture.packets[index].packet;
    packet.bytes = capture.packets[index].bytes;
    follower.packet(packet);
    const analyzer::capture::Decoded decoded = decoder.decode(packet);
    if (const auto* segment = std::get_if<analyzer::capture::TcpSegment>(&decoded))
      tracker.segment(*segment);
  }
  tracker.finish();
}

// Names a capture in the output of GoogleTest, which takes letters and digits only.
inline std::string test_name(const std::string& file) {
  std::string name;
  for (const char c : file)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
  return name;
}

}  // namespace property
