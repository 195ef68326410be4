// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// One line for each frame, as text or as JSON, ordered by the packet that completes the frame.
//
// Frames are completed out of order where a hole stalls one direction, and a request's line tells
// how it ended; so lines are held back until they are final, within a bound that is said.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capture/memory.hpp"
#include "connection/connection.hpp"
#include "connection/frame.hpp"
#include "conversation/subject.hpp"
#include "conversation/summary.hpp"

namespace analyzer::report {

struct LineOptions {
  bool json = false;
  std::vector<std::string> fields;  // empty: all; dotted paths of the JSON form
  bool show_secrets = false;
  bool show_payload = false;
  std::uint32_t max_payload = 0xffffffff;  // bytes of each
  bool verify_checksums = false;
  std::uint64_t limit = 0;  // lines; 0: all
  capture::MemoryPlan memory{};
  bool is_stream = false;  // do not hold requests longer than 30 s or 65,536 frames
  // Columns are picked from the JSON form.
  bool wants_json() const { return json || !fields.empty(); }
};

class FrameLines final : public connection::FrameObserver {
 public:
  // `write` gets whole lines with their newline, and says whether more are wanted.
  using Write = std::function<bool(std::string_view)>;
  FrameLines(LineOptions options, Write write)
      : options_(std::move(options)), write_(std::move(write)) {}

  // The time that text lines count from.
  void start_at(std::int64_t time) { start_ = time; }
  // The limit is reached, or nobody reads any more.
  bool is_done() const { return done_; }
  // Lines of requests that were written before their outcome was known.
  std::uint64_t written_pending() const { return written_pending_; }
  // Lines whose body would not have fit into memory as JSON.
  std::uint64_t without_body() const { return without_body_; }

  std::uint32_t wanted_body(const connection::Facts&) const override {
    return options_.wants_json() ? iggy::conversation::max_frame_bytes
                                 : iggy::conversation::subject_bytes;
  }
  void frame(const connection::Connection& connection, const connection::Frame& frame) override;
  void resolved(const connection::Connection& connection, const connection::Request& request,
                const connection::Outcome& outcome,
                const std::optional<connection::AnswerPlace>& answer) override;
  void capture_ended() override { release(true); }

 private:
  using Key = std::pair<std::uint64_t, std::uint64_t>;  // packet, frame id
  // An answer whose request may be delivered later: what its text is made of.
  struct Unpaired {
    iggy::conversation::SummaryInput input;
    std::vector<std::byte> body;  // the front of it
    std::uint32_t body_size = 0;  // as sent
    connection::KnownNames names;
  };
  struct Held {
    std::string front;  // up to what depends on the outcome
    std::string tail;   // what does
    bool waits = false;
    std::int64_t time = 0;
    std::uint64_t charged = 0;         // bytes of memory
    std::optional<Unpaired> unpaired;  // of a text line
  };

  std::string json_front(const connection::Connection& connection, const connection::Frame& frame);
  std::string text_line(const connection::Connection& connection, const connection::Frame& frame,
                        Held& held) const;
  static std::string text_of(const Unpaired& answer);
  void pair_late(Held& held, const connection::Request& request,
                 const connection::AnswerPlace& answer) const;
  static std::uint64_t memory_of(const Held& held);
  void hold(const Key& key, Held held);
  void release(bool all);
  bool may_release(const Held& oldest) const;
  void write(const Held& held);

  LineOptions options_;
  Write write_;
  std::map<Key, Held> held_;
  std::uint64_t held_bytes_ = 0;
  std::int64_t start_ = 0;
  std::int64_t latest_ = 0;
  std::uint64_t written_ = 0;
  std::uint64_t written_pending_ = 0;
  std::uint64_t without_body_ = 0;
  bool done_ = false;
};

}  // namespace analyzer::report
