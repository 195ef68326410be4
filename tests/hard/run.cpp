// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The run and the comparison of run.hpp. It listens twice: to the ordered bytes of the stream
// layer and to what observers of connections are told.
#include "hard/run.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <variant>

#include "capture/layers.hpp"
#include "connection/follower.hpp"
#include "report/report_json.hpp"
#include "report/report_text.hpp"
#include "report/statistics.hpp"
#include "support/iggy_frames.hpp"

namespace support::hard {
namespace {

namespace capture = analyzer::capture;
namespace connection = analyzer::connection;
namespace stream = analyzer::stream;

Fate fate_of(stream::HoleKind kind) {
  switch (kind) {
    case stream::HoleKind::snapped:
      return Fate::snapped;
    case stream::HoleKind::not_captured:
      return Fate::not_captured;
    case stream::HoleKind::lost:
    case stream::HoleKind::given_up:
    case stream::HoleKind::late:
      break;
  }
  return Fate::lost;
}

// What was found out so far, by the id of the connection.
using Notes = std::map<std::uint64_t, SeenConnection>;

// Passes everything on to the follower's sink and keeps the bytes.
class Tap final : public stream::ByteSink {
 public:
  Tap(std::unique_ptr<stream::ByteSink> inner, Notes& notes)
      : inner_(std::move(inner)),
        seen_(notes[dynamic_cast<connection::Connection&>(*inner_).id()]) {}

  void data(stream::Direction from, std::uint64_t offset, stream::Bytes bytes,
            const stream::Origin& origin) override {
    append(at(from, offset).bytes, bytes);
    inner_->data(from, offset, bytes, origin);
  }
  void hole(stream::Direction from, const stream::Hole& hole) override {
    SeenSide& side = at(from, hole.offset);
    side.bytes.resize(side.bytes.size() + hole.bytes);
    side.holes.push_back({hole.offset, hole.bytes, fate_of(hole.kind)});
    inner_->hole(from, hole);
  }
  void late(stream::Direction from, const stream::Hole& hole) override {
    seen_.sides[stream::index(from)].late += hole.bytes;
    inner_->late(from, hole);
  }
  void finished(stream::Direction from, bool reset, const stream::Origin& origin) override {
    inner_->finished(from, reset, origin);
  }
  stream::ByteSink* inner() { return inner_.get(); }
  SeenConnection& seen() { return seen_; }

 private:
  SeenSide& at(stream::Direction from, std::uint64_t offset) {
    SeenSide& side = seen_.sides[stream::index(from)];
    if (side.bytes.empty()) side.begin = offset;
    EXPECT_EQ(offset, side.begin + side.bytes.size());
    return side;
  }

  std::unique_ptr<stream::ByteSink> inner_;
  SeenConnection& seen_;
};

class Tapped final : public stream::Observer {
 public:
  Tapped(stream::Observer& inner, Notes& notes) : inner_(inner), notes_(notes) {}
  std::unique_ptr<stream::ByteSink> open(const stream::TcpFacts& facts) override {
    return std::make_unique<Tap>(inner_.open(facts), notes_);
  }
  void ended(const stream::TcpFacts& facts, stream::Ending ending,
             stream::ByteSink* sink) override {
    Tap* const tap = dynamic_cast<Tap*>(sink);
    if (tap != nullptr) {
      tap->seen().facts = facts;
      tap->seen().ending = ending;
    }
    inner_.ended(facts, ending, tap == nullptr ? nullptr : tap->inner());
  }

 private:
  stream::Observer& inner_;
  Notes& notes_;
};

// Notes frames and holes, and lets the statistics have everything.
class Listener final : public connection::FrameObserver {
 public:
  Listener(connection::FrameObserver& inner, Notes& notes, Seen& seen)
      : inner_(inner), notes_(notes), seen_(seen) {}

  std::uint32_t wanted_body(const connection::Facts& facts) const override {
    return inner_.wanted_body(facts);
  }
  bool checks_bodies() const override { return inner_.checks_bodies(); }
  void frame(const connection::Connection& from, const connection::Frame& frame) override {
    side(from, frame.from)
        .frames.push_back({frame.raw.place.begin, frame.raw.size, frame.raw.captured});
    inner_.frame(from, frame);
  }
  void resolved(const connection::Connection& on, const connection::Request& request,
                const connection::Outcome& outcome,
                const std::optional<connection::AnswerPlace>& answer) override {
    ++seen_.outcomes[connection::word_of(outcome)];
    inner_.resolved(on, request, outcome, answer);
  }
  void hole(const connection::Connection& on, stream::Direction from, const stream::Hole& hole,
            bool hides) override {
    notes_[on.id()].sides[stream::index(from)].named.push_back(
        {hole.offset, hole.bytes, fate_of(hole.kind)});
    inner_.hole(on, from, hole, hides);
  }
  void skipped(const connection::Connection& on, stream::Direction from,
               const connection::Skipped& skipped) override {
    notes_[on.id()].sides[stream::index(from)].skipped += skipped.bytes;
    inner_.skipped(on, from, skipped);
  }
  void contradiction(const connection::Connection& on, connection::Side from,
                     connection::Contradiction why, std::uint64_t packet) override {
    inner_.contradiction(on, from, why, packet);
  }
  void ended(const connection::Connection& on, stream::Ending ending) override {
    inner_.ended(on, ending);
  }
  void without_bytes(const stream::TcpFacts& facts) override { inner_.without_bytes(facts); }

 private:
  SeenSide& side(const connection::Connection& on, connection::Side from) {
    return notes_[on.id()].sides[stream::index(on.direction_of(from))];
  }

  connection::FrameObserver& inner_;
  Notes& notes_;
  Seen& seen_;
};

// One of several files, with its next packet.
struct Source {
  capture::Reader reader;
  capture::Packet packet;
  bool has_packet;

  explicit Source(Bytes bytes) : reader("hard.pcap", bytes), has_packet(next()) {}
  bool next() { return reader.next(packet) == capture::Status::more; }
};

void give(std::vector<Source>& sources, connection::Follower& follower, stream::Tracker& tracker,
          analyzer::report::Model& model) {
  capture::Decoder decoder;
  while (true) {
    Source* first = nullptr;
    for (Source& source : sources)
      if (source.has_packet && (first == nullptr || source.packet.time < first->packet.time))
        first = &source;
    if (first == nullptr) break;
    capture::Packet& packet = first->packet;
    packet.number = ++model.packets;
    if (model.packets == 1) model.first_time = packet.time;
    model.last_time = std::max(model.last_time, packet.time);
    follower.packet(packet);
    const capture::Decoded decoded = decoder.decode(packet);
    if (const auto* segment = std::get_if<capture::TcpSegment>(&decoded)) tracker.segment(*segment);
    first->has_packet = first->next();
  }
  tracker.finish();
  model.undecoded.packets = decoder.finish().by_reason;
  for (Source& source : sources) {
    analyzer::report::FileSummary file;
    file.name = "hard.pcap";
    file.format = source.reader.format();
    file.problem = source.reader.problem();
    model.files.push_back(file);
  }
}

// Offsets to places of the stream.
std::vector<Hole> shifted(std::vector<Hole> holes, std::uint64_t by) {
  std::vector<Hole> joined;
  for (Hole& hole : holes) {
    hole.begin -= by;
    const bool goes_on = !joined.empty() && joined.back().fate == hole.fate &&
                         joined.back().begin + joined.back().bytes == hole.begin;
    if (goes_on)
      joined.back().bytes += hole.bytes;
    else
      joined.push_back(hole);
  }
  return joined;
}

std::string text_of(const std::vector<Hole>& holes) {
  std::string text;
  for (const Hole& hole : holes) text += hard::text_of(hole) + "\n";
  return text;
}

std::string text_of(const std::vector<FrameTruth>& frames) {
  std::string text;
  for (const FrameTruth& frame : frames)
    text += std::to_string(frame.begin) + ": " + std::to_string(frame.captured) + " of " +
            std::to_string(frame.size) + "\n";
  return text;
}

void expect_side(const SeenSide& seen, const SideTruth& truth) {
  const std::uint64_t shift = seen.begin - truth.begin;
  EXPECT_EQ(seen.bytes.size(), truth.end - truth.begin);
  EXPECT_EQ(text_of(shifted(seen.holes, shift)), text_of(truth.holes));
  EXPECT_EQ(text_of(shifted(seen.named, shift)), text_of(truth.holes));
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < seen.bytes.size() && truth.begin + i < truth.end; ++i) {
    const std::size_t place = truth.begin + i;
    if (truth.fates[place] == Fate::captured && seen.bytes[i] != truth.bytes[place]) ++wrong;
  }
  EXPECT_EQ(wrong, 0U);
  std::vector<FrameTruth> frames = seen.frames;
  for (FrameTruth& frame : frames) frame.begin -= shift;
  EXPECT_EQ(text_of(frames), text_of(truth.shown));
}

// For other tools to look at: the first captures of each test, where a folder is asked for.
void keep(const Buffer& file) {
  static std::map<std::string, int> kept;
  const char* const folder = std::getenv("IGGY_HARD_FOLDER");
  if (folder == nullptr) return;
  const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
  if (++kept[test] > 2) return;
  const std::string name = std::string(folder) + "/" + test + std::to_string(kept[test]) + ".pcap";
  std::ofstream(name, std::ios::binary)
      .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
}

}  // namespace

std::uint64_t Seen::findings(std::string_view word) const {
  for (const analyzer::report::Finding& finding : model.findings)
    if (iggy::conversation::kind_of(finding.id).word == word) return finding.count;
  return 0;
}

Seen run(const std::vector<Buffer>& files) {
  if (files.size() == 1) keep(files.front());
  Seen seen;
  Notes notes;
  analyzer::report::Statistics statistics({});
  Listener listener(statistics, notes, seen);
  connection::Follower follower(listener);
  Tapped tapped(follower, notes);
  stream::Tracker tracker(tapped, {});
  std::vector<Source> sources;
  sources.reserve(files.size());
  for (const Buffer& file : files) sources.emplace_back(Bytes{file});
  give(sources, follower, tracker, statistics.model());
  seen.model = statistics.finish();
  seen.text = to_text(seen.model, {100, false});
  seen.json = to_json(seen.model);
  for (auto& [id, one] : notes) seen.connections.push_back(std::move(one));
  return seen;
}

void expect_truth(const SeenConnection& seen, const Plan& plan) {
  const Truth truth = truth_of(plan);
  for (const std::size_t side : {client, server}) {
    SCOPED_TRACE(side == client ? "from the client" : "from the server");
    expect_side(seen.sides[seen.direction_of(*plan.conversation, side)], truth[side]);
  }
}

Seen expect_truth(const Plan& plan) {
  Seen seen = run(to_pcap(plan));
  EXPECT_EQ(seen.connections.size(), 1U);
  if (!seen.connections.empty()) expect_truth(seen.connections.front(), plan);
  return seen;
}

}  // namespace support::hard
