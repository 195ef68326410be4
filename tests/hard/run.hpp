// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Gives a capture in memory the whole way of the program, from the file to the report, and holds
// what comes out against the truth of capture.hpp.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "capture/reader.hpp"
#include "hard/capture.hpp"
#include "report/model.hpp"
#include "stream/tcp.hpp"

namespace support::hard {

struct SeenSide {
  std::uint64_t begin = 0;  // the first offset
  Buffer bytes;             // zeros where holes are
  std::vector<Hole> holes;  // by offset; as the stream layer tells them
  std::vector<Hole> named;  // likewise, as observers of the connection are told
  std::vector<FrameTruth> frames;
  std::uint64_t late = 0;     // bytes that came too late to come first
  std::uint64_t skipped = 0;  // bytes that were captured, but belong to no frame
};

struct SeenConnection {
  std::array<SeenSide, 2> sides;  // by stream::Direction
  analyzer::stream::TcpFacts facts;
  analyzer::stream::Ending ending{};

  std::size_t direction_of(const Conversation& talk, std::size_t side) const {
    return (facts.first == talk.client_endpoint) == (side == client) ? 0 : 1;
  }
};

struct Seen {
  std::vector<SeenConnection> connections;  // those with bytes, by their first packet
  analyzer::report::Model model;
  std::map<std::string, std::uint64_t> outcomes;  // of requests
  std::string text;                               // the report for people
  std::string json;

  std::uint64_t findings(std::string_view word) const;
};

// `files` are merged by time, as the commands do.
Seen run(const std::vector<Buffer>& files);
inline Seen run(const Buffer& file) {
  return run(std::vector<Buffer>{file});
}

// Bytes, holes and frames of both sides are those of the truth.
void expect_truth(const SeenConnection& seen, const Plan& plan);
// Of a file with this one connection; gives what was seen.
Seen expect_truth(const Plan& plan);

}  // namespace support::hard
