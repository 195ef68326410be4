// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Messages as rows, ordered by the packet that completes their frame. A send's messages wait for
// the reply that tells their offsets. Bounded, and what a bound or the capture took is counted.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>

#include "connection/connection.hpp"
#include "connection/frame.hpp"
#include "report/message_body.hpp"
#include "report/message_row.hpp"

namespace analyzer::report {

// What is not shown, or not all that could be known of it.
struct MessageLosses {
  std::uint64_t cut_bodies = 0;       // their messages are shown up to the cut
  std::uint64_t without_table = 0;    // sends in a layout that is not decoded
  std::uint64_t without_request = 0;  // replies that may be of polls whose request was not seen
  std::uint64_t unreadable = 0;       // bodies that break off as they were sent
  std::uint64_t written_early = 0;    // messages, before their send ended
  std::uint64_t places_not_kept = 0;  // requests
};

class MessageLines final : public connection::FrameObserver {
 public:
  // `write` gets the messages that are wanted, and says whether more are.
  using Write = std::function<bool(const MessageRow&)>;
  MessageLines(MessageOptions options, Write write)
      : options_(std::move(options)), write_(std::move(write)) {}

  // The limit is reached, or nobody reads any more.
  bool is_done() const { return done_; }
  const MessageLosses& losses() const { return losses_; }

  std::uint32_t wanted_body(const connection::Facts& facts) const override;
  void frame(const connection::Connection& connection, const connection::Frame& frame) override;
  void resolved(const connection::Connection& connection, const connection::Request& request,
                const connection::Outcome& outcome,
                const std::optional<connection::AnswerPlace>& answer) override;
  void capture_ended() override { release(true); }

 private:
  // Packet, id of the frame, and which message of the frame.
  using Key = std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>;
  struct Held {
    MessageRow row;
    bool waits = false;  // for its send to end
  };

  void request(const connection::Connection& connection, const connection::Frame& frame);
  void send(const connection::Connection& connection, const connection::Frame& frame);
  void poll(const connection::Connection& connection, const connection::Frame& frame);
  void reply(const connection::Connection& connection, const connection::Frame& frame);
  void prepare(const connection::Connection& connection, const connection::Frame& frame);
  void read(const connection::Frame& frame, MessageBody& body);
  MessageRow row_of(const connection::Connection& connection, const connection::Frame& frame,
                    MessageWay way, const iggy::decode::MessageReader& reader);
  void make_room(std::uint64_t bytes);
  void hold(MessageRow row, bool waits);
  void release(bool all);
  void release_oldest();
  bool may_release(const Held& oldest) const;

  MessageOptions options_;
  Write write_;
  std::map<Key, Held> held_;
  std::uint64_t held_bytes_ = 0;
  std::uint32_t next_index_ = 0;  // of the frame at hand
  // By the id of the request's frame, until it ends.
  std::unordered_map<std::uint64_t, std::shared_ptr<const MessagePlace>> places_;
  // By the id of the reply's frame, until its request ends.
  std::map<std::uint64_t, Confirmation> confirmations_;
  MessageLosses losses_;
  std::int64_t latest_ = 0;
  std::uint64_t written_ = 0;
  bool done_ = false;
};

}  // namespace analyzer::report
