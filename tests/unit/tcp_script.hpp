// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Writes TCP conversations for tests and records what the tracker makes of them.
//
// The recorder checks the promises that hold for any input: bytes and holes are contiguous, nothing
// follows an end, and each connection ends once. It knows nothing of any single case.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "stream/tcp.hpp"

namespace script {

using analyzer::capture::Bytes;
using analyzer::capture::Endpoint;
using analyzer::capture::TcpFlags;
using analyzer::capture::TcpSegment;
using analyzer::stream::Direction;
using analyzer::stream::Ending;
using analyzer::stream::Hole;
using analyzer::stream::HoleKind;
using analyzer::stream::Origin;
using analyzer::stream::TcpFacts;

constexpr std::int64_t millisecond = 1'000'000;
constexpr std::int64_t second = 1'000 * millisecond;

inline Bytes bytes_of(std::string_view text) {
  return std::as_bytes(std::span{text.data(), text.size()});
}

inline std::string text_of(Bytes bytes) {
  std::string text(bytes.size(), '\0');
  if (!bytes.empty()) std::memcpy(text.data(), bytes.data(), bytes.size());
  return text;
}

inline Endpoint endpoint(std::uint8_t host, std::uint16_t port) {
  Endpoint made;
  made.address.octets = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, host};
  made.address.is_v4 = true;
  made.port = port;
  return made;
}

// What one direction gave. Missing bytes are '-' in `text`, so that offsets stay true.
struct Heard {
  std::string text;
  std::uint64_t begin = 0;  // the offset of text[0]
  std::vector<Hole> holes;
  std::vector<Hole> late;
  std::vector<Origin> origins;  // of each piece of data
  bool finished = false;
  bool reset = false;
};

struct Record {
  Heard heard[2];
  std::vector<std::uint64_t> told;  // the packets of data, holes and ends, in order of the calls
  TcpFacts facts;                   // at the end
  TcpFacts opened_facts;            // when the sink was asked for
  Ending ending{};
  bool opened = false;
  bool ended = false;

  const Heard& client() const { return heard[0]; }
  const Heard& server() const { return heard[1]; }
};

class Recorder : public analyzer::stream::Observer {
 public:
  // In the order in which they ended.
  std::vector<Record> ended_connections;
  std::size_t told = 0;  // data, holes and ends, of all connections so far

  std::unique_ptr<analyzer::stream::ByteSink> open(const TcpFacts& facts) override {
    auto sink = std::make_unique<Sink>(told);
    sink->record.opened = true;
    sink->record.opened_facts = facts;
    return sink;
  }

  void ended(const TcpFacts& facts, Ending ending, analyzer::stream::ByteSink* sink) override {
    Record record;
    if (sink != nullptr) record = std::move(dynamic_cast<Sink&>(*sink).record);
    record.facts = facts;
    record.ending = ending;
    record.ended = true;
    check(record);
    ended_connections.push_back(std::move(record));
  }

 private:
  struct Sink : analyzer::stream::ByteSink {
    Record record;
    std::size_t& told;

    explicit Sink(std::size_t& all_told) : told(all_told) {}
    std::uint64_t memory() const override {
      return record.heard[0].text.size() + record.heard[1].text.size();
    }
    Heard& heard(Direction from) { return record.heard[static_cast<std::size_t>(from)]; }
    void expect_place(Heard& side, std::uint64_t offset, const Origin& origin) {
      EXPECT_FALSE(side.finished);
      if (side.text.empty()) side.begin = offset;
      EXPECT_EQ(offset, side.begin + side.text.size());
      note(origin);
    }
    void note(const Origin& origin) {
      record.told.push_back(origin.packet);
      ++told;
    }
    void data(Direction from, std::uint64_t offset, Bytes bytes, const Origin& origin) override {
      Heard& side = heard(from);
      EXPECT_FALSE(bytes.empty());
      expect_place(side, offset, origin);
      side.text += text_of(bytes);
      side.origins.push_back(origin);
    }
    void hole(Direction from, const Hole& hole) override {
      Heard& side = heard(from);
      EXPECT_GT(hole.bytes, 0U);
      expect_place(side, hole.offset, hole.found);
      side.text.append(hole.bytes, '-');
      side.holes.push_back(hole);
    }
    void late(Direction from, const Hole& hole) override {
      Heard& side = heard(from);
      EXPECT_LE(hole.offset + hole.bytes, side.begin);
      side.late.push_back(hole);
    }
    void finished(Direction from, bool reset, const Origin& origin) override {
      Heard& side = heard(from);
      EXPECT_FALSE(side.finished);
      note(origin);
      side.finished = true;
      side.reset = reset;
    }
  };

  static void check(const Record& record) {
    for (std::size_t i = 0; i < 2; ++i) {
      const Heard& side = record.heard[i];
      std::uint64_t missing = 0;
      for (const Hole& hole : side.holes) missing += hole.bytes;
      EXPECT_EQ(record.facts.missing_bytes[i], missing);
      EXPECT_EQ(record.facts.holes[i], side.holes.size());
      EXPECT_EQ(record.facts.bytes[i] + missing, side.text.size());
    }
  }
};

// One end of a scripted connection: its next sequence number, and what it has acknowledged.
struct Speaker {
  Endpoint endpoint;
  std::uint32_t sequence = 0;
  std::uint32_t acknowledgement = 0;
};

// Sends segments into a tracker. Packets are numbered from 1 and lie a millisecond apart.
class Script {
 public:
  explicit Script(analyzer::stream::Limits limits = {}) : tracker_(recorder_, limits) {}

  Speaker client{endpoint(1, 50'000), 1'000, 0};
  Speaker server{endpoint(2, 8'090), 900'000, 0};

  TcpSegment make(const Speaker& from, const Speaker& to, std::string_view payload,
                  TcpFlags flags) {
    TcpSegment made;
    made.from = from.endpoint;
    made.to = to.endpoint;
    made.sequence = from.sequence;
    made.acknowledgement = from.acknowledgement;
    made.flags = flags;
    // Segments may be sent much later than they are made.
    payloads_.emplace_back(payload);
    made.payload = bytes_of(payloads_.back());
    made.payload_length = static_cast<std::uint32_t>(payload.size());
    return made;
  }

  // The next segment of a side, which moves its numbers on.
  TcpSegment next(Speaker& from, const Speaker& to, std::string_view payload, TcpFlags flags) {
    const TcpSegment made = make(from, to, payload, flags);
    from.sequence += made.payload_length + (flags.syn ? 1 : 0) + (flags.fin ? 1 : 0);
    return made;
  }

  // Segments of either side; the receiver acknowledges with what it sends next.
  TcpSegment from_client(std::string_view payload, TcpFlags flags = {.ack = true}) {
    const TcpSegment made = next(client, server, payload, flags);
    server.acknowledgement = client.sequence;
    return made;
  }
  TcpSegment from_server(std::string_view payload, TcpFlags flags = {.ack = true}) {
    const TcpSegment made = next(server, client, payload, flags);
    client.acknowledgement = server.sequence;
    return made;
  }

  void send(TcpSegment segment) {
    segment.packet = ++packet_;
    segment.time = now_ += millisecond;
    tracker_.segment(segment);
  }

  void handshake() {
    send(from_client("", {.syn = true}));
    send(from_server("", {.syn = true, .ack = true}));
    send(from_client(""));
  }
  void fins() {
    send(from_client("", {.fin = true, .ack = true}));
    send(from_server("", {.fin = true, .ack = true}));
    send(from_client(""));
  }

  void wait(std::int64_t nanoseconds) { now_ += nanoseconds; }
  // A packet of another connection, so that the clock moves.
  void tick() {
    Speaker one{endpoint(7, 7), 1, 0};
    const Speaker two{endpoint(8, 8), 1, 0};
    send(make(one, two, "", {}));
  }
  std::uint64_t packet() const { return packet_; }

  const std::vector<Record>& ended() const { return recorder_.ended_connections; }
  std::size_t told() const { return recorder_.told; }
  std::uint64_t evicted() const { return tracker_.evicted_connections(); }

  // Ends the capture. The connections between client and server, in the order of their ends.
  std::vector<Record> finish() {
    tracker_.finish();
    std::vector<Record> records;
    for (const Record& record : recorder_.ended_connections)
      if (record.facts.first.port != 7) records.push_back(record);
    return records;
  }
  Record only() {
    const std::vector<Record> records = finish();
    EXPECT_EQ(records.size(), 1U);
    return records.empty() ? Record{} : records.front();
  }

 private:
  Recorder recorder_;
  analyzer::stream::Tracker tracker_;
  std::deque<std::string> payloads_;
  std::uint64_t packet_ = 0;
  std::int64_t now_ = 1'700'000'000 * second;
};

// Equal texts; where they differ, only the first difference is shown.
inline testing::AssertionResult same(std::string_view a, std::string_view b) {
  if (a == b) return testing::AssertionSuccess();
  const auto at = static_cast<std::size_t>(
      std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  return testing::AssertionFailure()
         << a.size() << " and " << b.size() << " bytes, from " << at << " on \"" << a.substr(at, 20)
         << "\" and \"" << b.substr(std::min(at, b.size()), 20) << '"';
}

// `size` bytes that differ by place and by `seed`, and never look like a hole.
inline std::string letters(std::size_t size, unsigned seed = 0) {
  std::string made(size, 'a');
  for (std::size_t i = 0; i < size; ++i)
    made[i] = static_cast<char>('a' + (i * 7 + i / 26 + seed) % 26);
  return made;
}

// A gap of 100 bytes, then `bytes` in segments of 1,000.
inline void open_gap(Script& script, std::size_t bytes) {
  script.handshake();
  script.from_client(letters(100));
  for (std::size_t sent = 0; sent < bytes; sent += 1'000) {
    script.send(script.next(script.client, script.server, letters(1'000), {.ack = true}));
  }
}

}  // namespace script
