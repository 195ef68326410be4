// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What tests of lanes share: streams of frames, and what a lane finds in them.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "plugin/lane.hpp"
#include "support/iggy_frames.hpp"

namespace support {

struct FoundFrame {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint32_t first_packet = 0;
  std::uint32_t packet = 0;
  std::size_t captured = 0;
  bool operator==(const FoundFrame&) const = default;
};

class Recorder final : public plugin::LaneObserver {
 public:
  std::size_t frame(iggy::decode::Bytes header, iggy::decode::Bytes body, std::uint32_t,
                    const plugin::Span& span, const plugin::Chunk& chunk) override {
    found.push_back(
        {span.begin, span.end, span.first_packet, chunk.packet, header.size() + body.size()});
    return found.size() - 1;
  }
  void ended(std::size_t frame, const plugin::Chunk& chunk) override {
    ends.emplace_back(frame, chunk.packet);
  }
  void lost(std::uint64_t begin, std::uint64_t end) override {
    EXPECT_LT(begin, end);
    holes.emplace_back(begin, end);
  }

  std::vector<FoundFrame> found;
  std::vector<std::pair<std::size_t, std::uint32_t>> ends;  // frame, packet
  std::vector<std::pair<std::uint64_t, std::uint64_t>> holes;
};

// A stream, and where its frames are.
struct Stream {
  Buffer bytes;
  std::vector<std::pair<std::size_t, std::size_t>> frames;

  void add(const Buffer& frame) {
    frames.emplace_back(bytes.size(), bytes.size() + frame.size());
    bytes.insert(bytes.end(), frame.begin(), frame.end());
  }
};

inline Buffer request_of(std::size_t body, std::uint64_t number) {
  Request request;
  request.number = number;
  request.body = Buffer(body, std::byte{0x5a});
  return support::request(request);
}

}  // namespace support
