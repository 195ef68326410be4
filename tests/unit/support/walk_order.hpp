// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// A sink that holds the walk to its promises, for unit tests and for the fuzzer alike.
//
// Ranges lie in the window and are in order, nothing is told after the bytes have ended, and what
// is entered is left. It must not know any layout.
#pragma once

#include <cstdint>
#include <vector>

#include "decode/walk.hpp"

namespace support {

class WalkOrder {
 public:
  WalkOrder(iggy::decode::Window window, std::uint32_t start) : window_(window), at_(start) {}

  void integer(const iggy::describe::Field& field, std::uint64_t, iggy::decode::Range range) {
    value(field, range);
  }
  void wide(const iggy::describe::Field& field, iggy::decode::U128, iggy::decode::Range range) {
    value(field, range);
  }
  void run(const iggy::describe::Field& field, iggy::decode::Bytes bytes,
           iggy::decode::Range range) {
    value(field, range);
    if (bytes.size() != range.length) broken("a run is as long as its range");
    if (!bytes.empty() && bytes.data() != window_.captured.data() + range.offset)
      broken("a run lies at its range");
  }
  void list(const iggy::describe::Field& field, std::uint32_t at) {
    go_on(at);
    if (ended_) broken("nothing begins after the end");
    if (!is_list(field)) broken("a list is a list");
    list_is_of_record_ = is_in_record(field);
    reach(at, "a list starts where the row above ended");
  }
  bool enter(const iggy::describe::Field& field, const iggy::describe::Layout& layout,
             std::uint32_t at) {
    go_on(at);
    if (ended_) broken("nothing is entered after the end");
    if (field.layout != &layout) broken("the layout is that of the row");
    reach(at, "a layout starts where the row above ended");
    open_.push_back(at);
    records_ += is_in_record(field) ? 1 : 0;
    return true;
  }
  void leave(const iggy::describe::Field& field, const iggy::describe::Layout&,
             iggy::decode::Range range) {
    if (open_.empty() || open_.back() != range.offset)
      broken("what is left was entered");
    else
      open_.pop_back();
    records_ -= is_in_record(field) ? 1 : 0;
    // A count that is out of range is told and still not counted as read.
    const std::uint32_t end = range.offset + range.length;
    if (ended_ && end > at_) go_on(end);
    if (ended_ && end > at_) broken("a layout ends where its last row does");
    if (!ended_) reach(end, "a layout ends where its last row does");
    may_skip_ =
        field.room == iggy::describe::Room::slack || field.room == iggy::describe::Room::each;
  }
  void problem(const iggy::decode::Problem& problem) {
    using Kind = iggy::decode::ProblemKind;
    ++problems;
    last = problem;
    if (ended_) broken("there is one end");
    if (problem.kind == Kind::not_zero) {
      if (problem.offset >= window_.captured.size()) broken("a stray byte lies in the window");
      return;
    }
    // A number that counts nothing may be wrong without an end.
    if (problem.kind == Kind::out_of_range && !is_count(*problem.field)) return;
    // Bytes that a room leaves over are stepped over.
    if (problem.kind == Kind::trailing && problem.field != nullptr) {
      if (problem.offset != at_) broken("bytes are left over behind the last row");
      if (problem.available > window_.on_wire - at_) broken("what is left over was sent");
      at_ += static_cast<std::uint32_t>(problem.available);
      return;
    }
    ended_ = true;
    may_go_on_ = records_ > 0 || list_is_of_record_ ||
                 (problem.field != nullptr && is_in_record(*problem.field));
    if (problem.kind == Kind::cut_by_capture && window_.captured.size() >= window_.on_wire)
      broken("what was captured whole is not cut");
    const bool short_of = problem.kind == Kind::cut_by_capture || problem.kind == Kind::too_short;
    if (short_of && problem.available >= problem.needed) broken("too few bytes are too few");
  }

  // To be called when the walk is over.
  void done(bool complete) {
    if (!open_.empty()) broken("all that is entered is left");
    if (complete == (ended_ || has_gone_on_)) broken("a walk is complete unless it ended early");
  }

  int problems = 0;
  iggy::decode::Problem last;
  const char* broken_promise = nullptr;  // the first one

 private:
  static bool is_in_record(const iggy::describe::Field& field) {
    return field.room == iggy::describe::Room::record;
  }
  // What broke off in a record is read on behind it.
  void go_on(std::uint32_t at) {
    if (!ended_ || !may_go_on_ || at < at_) return;
    ended_ = false;
    has_gone_on_ = true;
    at_ = at;
  }

  // The walk is at that place: it has told of every byte before it, unless a room has slack.
  void reach(std::uint32_t at, const char* promise) {
    if (may_skip_ ? at < at_ : at != at_) broken(promise);
    at_ = at;
    may_skip_ = false;
  }
  void value(const iggy::describe::Field& field, iggy::decode::Range range) {
    go_on(range.offset);
    if (ended_) broken("nothing is read after the end");
    if (range.offset < at_) broken("ranges are in order");
    if (range.offset > window_.captured.size() ||
        range.length > window_.captured.size() - range.offset)
      broken("ranges lie in the window");
    if (field.width != 0 && field.width != range.length) broken("a row has its width");
    at_ = range.offset + range.length;
    may_skip_ = false;
  }
  void broken(const char* promise) {
    if (broken_promise == nullptr) broken_promise = promise;
  }

  iggy::decode::Window window_;
  std::uint32_t at_;
  bool ended_ = false;
  bool may_skip_ = false;
  bool may_go_on_ = false;
  bool has_gone_on_ = false;
  bool list_is_of_record_ = false;
  int records_ = 0;  // that are open
  std::vector<std::uint32_t> open_;
};

}  // namespace support
