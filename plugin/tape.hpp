// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a walk told, kept until it can be shown.
//
// Wireshark leaves functions by longjmp, so nothing of the core may be under way while items are
// added: a walk first writes this tape, and present.cpp reads it afterwards. The tape lies in the
// packet's pool, owns nothing, and stays small however much a frame holds: of each list the first
// elements are told, and behind the last event that fits values are only counted.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "decode/batch_check.hpp"
#include "decode/confirmation.hpp"
#include "decode/message_rows.hpp"
#include "decode/problem.hpp"
#include "decode/walk.hpp"
#include "decode/window.hpp"
#include "describe/field.hpp"
#include "plugin/epan.hpp"

namespace plugin {

// Whether a checksum is that of the bytes.
enum class Checksum : std::uint8_t { unverified, right, wrong };

struct Event {
  enum class What : std::uint8_t {
    value,    // a row with its place
    enter,    // a nested layout begins; of a list's element `value` is which one it is, from 0 on;
              // of bytes that are one the place is theirs
    leave,    // it ends; the place is that of all of it
    more,     // `value` elements of the list are not told
    problem,  // `value` is what is needed; `length` is 0
    // What the rows of a message and of its batch say together; the place is the message's begin.
    message_offset,
    origin_timestamp,  // microseconds since the Unix epoch
    append_timestamp,
    // Behind the value of a checksum, where it was checked; `value` is what it should be.
    checksum,
  };
  const iggy::describe::Field* row = nullptr;  // null: a problem of the region as a whole
  std::uint64_t value = 0;                     // of numbers up to 64 bits: the number
  std::uint32_t offset = 0;                    // from the start of the walked window
  std::uint32_t length = 0;
  What what = What::value;
  iggy::decode::ProblemKind problem{};
  Checksum checksum{};
  bool is_of_message = false;   // a checksum; else of a batch
  std::uint64_t available = 0;  // of a problem
};
static_assert(std::is_trivially_copyable_v<Event> && std::is_trivially_destructible_v<Event>);

// A tape that was written, as a view into the packet's pool.
struct Record {
  const Event* events = nullptr;
  std::uint32_t count = 0;
  std::uint32_t values_dropped = 0;  // for which there was no room, elements of lists apart
  std::uint32_t problems = 0;        // those among the events
  std::uint32_t problems_dropped = 0;
  std::uint32_t wrong_checksums = 0;
};
static_assert(std::is_trivially_copyable_v<Record> && std::is_trivially_destructible_v<Record>);

class Tape {
 public:
  // Problems alone are enough where nobody looks at the tree and no filter asks for a field.
  enum class Keep : std::uint8_t { problems, everything };

  static constexpr std::uint32_t usual_elements = 100;  // of one list
  static constexpr std::uint32_t max_problems = 16;
  static constexpr std::size_t max_depth = 15;
  // Enough for messages with some user headers each; never less than the usual elements have.
  static constexpr std::uint32_t most_events(std::uint32_t most_elements) {
    constexpr std::uint32_t events_of_element = 41;
    return std::max(most_elements, usual_elements) * events_of_element;
  }

  Tape(wmem_allocator_t* pool, Keep keep, std::uint32_t most_elements = usual_elements)
      : pool_(pool),
        most_elements_(most_elements),
        most_events_(most_events(most_elements)),
        keep_(keep) {}

  // Checks the checksums of what is told from now on, of the body that is walked.
  void verify(iggy::decode::Window body, bool may_have_producer) {
    verified_ = body;
    may_have_producer_ = may_have_producer;
    verifies_ = true;
  }

  // Where the messages of the body, a send, are, where its reply has told it.
  void confirm(const std::optional<iggy::decode::Confirmation>& told) { confirmation_ = told; }

  void integer(const iggy::describe::Field& row, std::uint64_t value, iggy::decode::Range range) {
    messages_.integer(row, value);
    add_value(row, value, range);
    if (verifies_ && keep_ == Keep::everything && is_checksum(row)) add_checksum(row, value, range);
  }
  void wide(const iggy::describe::Field& row, iggy::decode::U128, iggy::decode::Range range) {
    add_value(row, 0, range);
  }
  // Bytes that turn out to be a layout are told with what is in them.
  void run(const iggy::describe::Field& row, iggy::decode::Bytes bytes, iggy::decode::Range range) {
    messages_.run(row, bytes);
    if (row.layout == nullptr || !may_enter() || !iggy::decode::is_layout(*row.layout, bytes))
      return add_value(row, 0, range);
    append({&row, 0, range.offset, range.length, Event::What::enter});
    lists_[++depth_] = {};
    iggy::decode::read_inside(row, bytes, range, *this);
    leave(row, *row.layout, range);
  }

  // A list without elements needs no item.
  void list(const iggy::describe::Field& row, std::uint32_t) { lists_[depth_] = {&row, 0, 0}; }

  bool enter(const iggy::describe::Field& row, const iggy::describe::Layout& layout,
             std::uint32_t at) {
    if (keep_ == Keep::problems || depth_ == max_depth) return false;
    std::uint64_t element = 0;
    if (is_list(row) && !next_element(row, at, element)) return false;
    if (!has_room()) {
      ++values_dropped_;
      return false;
    }
    append({&row, element, at, 0, Event::What::enter});
    lists_[++depth_] = {};
    messages_.enter(layout);
    begin_at_ = at;
    return true;
  }

  // Is only told of what was entered, so these events need no room of their own.
  void leave(const iggy::describe::Field& row, const iggy::describe::Layout& layout,
             iggy::decode::Range range) {
    if (messages_.leave(layout) && messages_.message().is_whole) end_message(row, range);
    --depth_;
    append({&row, 0, range.offset, range.length, Event::What::leave});
  }

  void problem(const iggy::decode::Problem& problem) {
    if (problems_ == max_problems) {
      ++problems_dropped_;
      return;
    }
    ++problems_;
    Event event{problem.field,        problem.needed, problem.offset, 0,
                Event::What::problem, problem.kind};
    event.available = problem.available;
    append(event);
  }

  Record record() const {
    return {events_, count_, values_dropped_, problems_, problems_dropped_, wrong_checksums_};
  }

 private:
  // The list of one level that elements were last told of.
  struct List {
    const iggy::describe::Field* row = nullptr;
    std::uint32_t elements = 0;
    std::uint32_t more = 0;  // where its event `more` stands, if there is one
  };

  bool has_room() const { return count_ < most_events_; }
  bool may_enter() const { return keep_ == Keep::everything && depth_ < max_depth && has_room(); }

  void add_value(const iggy::describe::Field& row, std::uint64_t value, iggy::decode::Range range) {
    if (keep_ == Keep::problems) return;
    std::uint64_t element = 0;
    if (is_list(row) && !next_element(row, range.offset, element)) return;
    if (has_room())
      append({&row, value, range.offset, range.length, Event::What::value});
    else
      ++values_dropped_;
  }

  bool is_checksum(const iggy::describe::Field& row) const {
    return messages_.is_in_message()
               ? iggy::decode::is_message_checksum(row)
               : messages_.is_in_batch() && iggy::decode::is_batch_checksum(row);
  }

  // Of a batch it can be told at once; of a message once its end is known.
  void add_checksum(const iggy::describe::Field& row, std::uint64_t value,
                    iggy::decode::Range range) {
    message_status_ = 0;
    if (!has_room()) return;
    Event event{&row, 0, range.offset, 0, Event::What::checksum};
    event.is_of_message = messages_.is_in_message();
    append(event);
    if (!event.is_of_message)
      settle(count_ - 1, value,
             iggy::decode::batch_checksum_of(verified_, begin_at_, may_have_producer_));
    else
      message_status_ = count_ - 1;  // never 0: the value stands before it
    stored_ = value;
  }

  void settle(std::uint32_t event, std::uint64_t stored, std::optional<std::uint64_t> right) {
    if (!right) return;
    events_[event].value = *right;
    events_[event].checksum = *right == stored ? Checksum::right : Checksum::wrong;
    wrong_checksums_ += *right == stored ? 0U : 1U;
  }

  void end_message(const iggy::describe::Field& row, iggy::decode::Range range) {
    if (message_status_ != 0)
      settle(message_status_, stored_,
             iggy::decode::message_checksum_of(
                 verified_.captured.subspan(range.offset, range.length)));
    message_status_ = 0;
    add_derived(row, range.offset);
  }

  void add_derived(const iggy::describe::Field& row, std::uint32_t at) {
    iggy::decode::Derived derived = messages_.derived();
    if (confirmation_) derived.offset = messages_.offset_behind(confirmation_->base_offset);
    if (confirmation_ && confirmation_->append_time != 0)
      derived.append_time = confirmation_->append_time;
    const auto add = [&](Event::What what, std::optional<std::uint64_t> value) {
      if (!value) return;
      if (has_room())
        append({&row, *value, at, 0, what});
      else
        ++values_dropped_;
    };
    add(Event::What::message_offset, derived.offset);
    add(Event::What::origin_timestamp, derived.origin_time);
    add(Event::What::append_timestamp, derived.append_time);
  }

  // Whether the next element of the list is told, and which one it is.
  bool next_element(const iggy::describe::Field& row, std::uint32_t at, std::uint64_t& element) {
    List& list = lists_[depth_];
    if (list.elements >= most_elements_) return decline(row, list, at);
    element = list.elements++;
    return true;
  }

  // One event stands for all elements of a list that are not told.
  bool decline(const iggy::describe::Field& row, List& list, std::uint32_t at) {
    if (list.more == 0) {
      if (!has_room()) {
        ++values_dropped_;
        return false;
      }
      list.more = count_;  // never 0: elements stand before it
      append({&row, 0, at, 0, Event::What::more});
    }
    ++events_[list.more].value;
    return false;
  }

  void append(const Event& event) {
    if (count_ == capacity_) grow();
    events_[count_++] = event;
  }

  void grow() {
    capacity_ = capacity_ == 0 ? 64 : capacity_ * 2;
    events_ = static_cast<Event*>(wmem_realloc(pool_, events_, capacity_ * sizeof(Event)));
  }

  wmem_allocator_t* pool_;
  std::uint32_t most_elements_;
  std::uint32_t most_events_;
  Event* events_ = nullptr;
  std::uint32_t count_ = 0;
  std::uint32_t capacity_ = 0;
  std::uint32_t values_dropped_ = 0;
  std::uint32_t problems_ = 0;
  std::uint32_t problems_dropped_ = 0;
  std::size_t depth_ = 0;
  std::array<List, max_depth + 1> lists_{};
  iggy::decode::MessageReader messages_;  // of what was entered
  std::uint32_t begin_at_ = 0;            // of what was entered last
  // Checksums of what was entered.
  iggy::decode::Window verified_;
  std::uint64_t stored_ = 0;          // that of the message at hand
  std::uint32_t message_status_ = 0;  // the event that tells of it; 0: none
  std::uint32_t wrong_checksums_ = 0;
  std::optional<iggy::decode::Confirmation> confirmation_;
  bool may_have_producer_ = false;
  bool verifies_ = false;
  Keep keep_;
};
static_assert(std::is_trivially_copyable_v<Tape> && std::is_trivially_destructible_v<Tape>);
static_assert(iggy::decode::Sink<Tape>);
static_assert(std::is_trivially_destructible_v<iggy::decode::Walk<Tape>>);

}  // namespace plugin
