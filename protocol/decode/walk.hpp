// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Reads a layout from bytes and tells a sink of every value, in wire order.
//
// The walk owns nothing, allocates nothing, throws nothing and writes nothing. Its work is linear
// in the bytes: every list element takes at least one byte (proofs.hpp), and nesting is bounded by
// the tables.
// It knows no command and no meaning; which layout applies is decided elsewhere.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

#include "decode/problem.hpp"
#include "decode/window.hpp"
#include "describe/field.hpp"

namespace iggy::decode {

// What a sink is. `run` gets text, bytes, reserved bytes and rests; `integer` gets a float by its
// bits. `list` begins a list, also one without elements; its elements come as values, or entered
// one by one. `enter` may decline a nested layout: the walk then validates it and steps over it
// without telling of its values, only of its problems.
template <class S>
concept Sink = requires(S& sink, const describe::Field& field, const describe::Layout& layout,
                        std::uint64_t number, U128 wide, Bytes bytes, Range range,
                        const Problem& problem) {
  sink.integer(field, number, range);
  sink.wide(field, wide, range);
  sink.run(field, bytes, range);
  sink.list(field, range.offset);
  { sink.enter(field, layout, range.offset) } -> std::same_as<bool>;
  sink.leave(field, layout, range);
  sink.problem(problem);
};

// A sink that keeps nothing but whether a problem came. Sinks that look at a few events only begin
// with it.
struct Check {
  bool clean = true;
  void integer(const describe::Field&, std::uint64_t, Range) {}
  void wide(const describe::Field&, U128, Range) {}
  void run(const describe::Field&, Bytes, Range) {}
  void list(const describe::Field&, std::uint32_t) {}
  bool enter(const describe::Field&, const describe::Layout&, std::uint32_t) { return true; }
  void leave(const describe::Field&, const describe::Layout&, Range) {}
  void problem(const Problem&) { clean = false; }
};

template <Sink S>
class Walk {
 public:
  // `start` is where the first row without an offset of its own begins.
  Walk(Window window, S& sink, std::uint32_t start = 0)
      : bytes_(window.captured.data()),
        captured_(static_cast<std::uint32_t>(window.captured.size())),
        end_(window.on_wire),
        at_(start),
        sink_(sink) {}

  // Reads every row. False when the bytes ended early; the sink has been told why. What breaks off
  // in a record is told too, and read on behind that record.
  bool read(const describe::Layout& layout) {
    Memory memory;
    has_stopped_ = !read(layout, memory);
    return !has_stopped_ && !has_broken_record_;
  }

  // Whether it did not come to the last row: then nothing is known of what is left.
  bool has_stopped() const { return has_stopped_; }

  // Tells of bytes behind the last row, if there are any, and of which kind they are.
  void finish(ProblemKind kind = ProblemKind::trailing) {
    if (at_ < end_) report(kind, nullptr, 0, end_ - at_);
  }

  std::uint32_t position() const { return at_; }
  bool at_end() const { return at_ >= end_; }

 private:
  using Field = describe::Field;
  using Kind = describe::Kind;

  // What rows of a layout may need to know of those above them; layouts never share one.
  struct Memory {
    std::uint64_t count = 0;    // of the nearest count row that no row has taken
    std::uint64_t earlier = 0;  // of the one above it
    std::uint64_t selector = 0;
    bool is_selected = false;  // a row has asked for the selector's value

    void tell(std::uint64_t value) {
      earlier = count;
      count = value;
    }
    void select(std::uint64_t value) {
      selector = value;
      is_selected = false;
    }
    std::uint64_t take() {
      const std::uint64_t taken = count;
      count = earlier;
      return taken;
    }
  };

  bool read(const describe::Layout& layout, Memory& memory) {
    for (const Field& field : layout.fields) {
      if (!stands(field, memory)) continue;
      if (field.offset != describe::next) at_ = field.offset;
      const bool is_value =
          field.times == describe::Times::once && field.room == describe::Room::open;
      if (!(is_value ? value(field, memory) : bounded(field, memory))) return false;
    }
    return true;
  }

  bool stands(const Field& field, Memory& memory) const {
    switch (field.when) {
      case describe::When::always:
        return true;
      case describe::When::equal:
        if (memory.selector != field.wanted) return false;
        memory.is_selected = true;
        return true;
      case describe::When::unequal:
        return memory.selector != field.wanted;
      case describe::When::having:
        if ((memory.selector & field.wanted) == 0) return false;
        memory.is_selected = true;
        return true;
      case describe::When::exact:
        return memory.is_selected = is_exact(field, memory.count);
      case describe::When::otherwise:
        return !memory.is_selected;
    }
    return false;
  }

  // Whether so many elements are as long as what is left of the region.
  bool is_exact(const Field& field, std::uint64_t count) const {
    const std::uint32_t size = describe::fixed_size(*field.layout);
    return left() % size == 0 && left() / size == count;
  }

  // One value, or one element of a list.
  bool value(const Field& field, Memory& memory) {
    switch (field.kind) {
      case Kind::u8:
        return integer<std::uint8_t>(field, memory);
      case Kind::u16:
        return integer<std::uint16_t>(field, memory);
      case Kind::u32:
      case Kind::f32:
        return integer<std::uint32_t>(field, memory);
      case Kind::u64:
        return integer<std::uint64_t>(field, memory);
      case Kind::u128:
        return wide(field, memory);
      case Kind::zero:
        return reserved(field);
      case Kind::bytes:
      case Kind::text:
        return sized_run(field, memory);
      case Kind::rest:
        return run(field, left());
      case Kind::group:
        return nested(field, memory);
    }
    return false;
  }

  // Bytes of the region that are not read.
  std::uint32_t left() const { return at_ < end_ ? end_ - at_ : 0; }

  // Whether `bytes` more can be read here; reports which of the two lengths is too short.
  bool need(const Field& field, std::uint64_t bytes) {
    const bool is_sent = at_ <= end_ && bytes <= end_ - at_;
    if (is_sent && at_ <= captured_ && bytes <= captured_ - at_) return true;
    const std::uint32_t limit = is_sent ? captured_ : end_;
    report(is_sent ? ProblemKind::cut_by_capture : ProblemKind::too_short, &field, bytes,
           at_ < limit ? limit - at_ : 0);
    return false;
  }

  template <class Number>
  bool integer(const Field& field, Memory& memory) {
    if (!need(field, sizeof(Number))) return false;
    const std::uint64_t value{load<Number>(bytes_ + at_)};
    if (!silent_) sink_.integer(field, value, {at_, sizeof(Number)});
    if (is_count(field)) memory.tell(value);
    if (is_selector(field)) memory.select(value);
    // What it counts cannot be found; any other number is only wrong.
    if (!is_legal(field, value) && is_count(field)) return false;
    at_ += sizeof(Number);
    return true;
  }

  // Limits and selectors take every number above 64 bits for the highest one.
  bool wide(const Field& field, Memory& memory) {
    if (!need(field, 16)) return false;
    const U128 value = load_u128(bytes_ + at_);
    if (!silent_) sink_.wide(field, value, {at_, 16});
    const std::uint64_t number = value.high == 0 ? value.low : ~std::uint64_t{0};
    if (is_selector(field)) memory.select(number);
    is_legal(field, number);
    at_ += 16;
    return true;
  }

  // Whether the number is within the limits of its row; reports where it is not.
  bool is_legal(const Field& field, std::uint64_t value) {
    if (value >= field.minimum && value <= field.maximum) return true;
    const std::uint64_t legal = value < field.minimum ? field.minimum : field.maximum;
    report(ProblemKind::out_of_range, &field, legal, value);
    return false;
  }

  bool run(const Field& field, std::uint64_t length) {
    if (!need(field, length)) return false;
    const auto size = static_cast<std::uint32_t>(length);
    if (!silent_) sink_.run(field, Bytes{bytes_ + at_, size}, {at_, size});
    at_ += size;
    return true;
  }

  // A run of its own width, or of as many bytes as a count row says.
  bool sized_run(const Field& field, Memory& memory) {
    const std::uint32_t start = at_;
    if (!run(field, field.width != 0 ? field.width : memory.take())) return false;
    if (is_selector(field)) {
      const std::string_view word{reinterpret_cast<const char*>(bytes_ + start), at_ - start};
      memory.select(value_of(field.names, word));
    }
    return true;
  }

  bool reserved(const Field& field) {
    const std::uint32_t start = at_;
    if (!run(field, field.width)) return false;
    if (all_zero(Bytes{bytes_ + start, field.width})) return true;
    std::uint32_t wrong = start;
    while (bytes_[wrong] == std::byte{0}) ++wrong;
    sink_.problem({ProblemKind::not_zero, &field, wrong, 0, 0});
    return true;
  }

  bool nested(const Field& field, Memory& around) {
    const std::uint32_t start = at_;
    const bool outer = silent_;
    const bool told = !outer && sink_.enter(field, *field.layout, start);
    silent_ = !told;
    Memory memory;
    const bool complete = read(*field.layout, memory);
    silent_ = outer;
    if (told) sink_.leave(field, *field.layout, {start, at_ - start});
    if (is_count(field)) around.tell(memory.count);
    return complete;
  }

  // What is a list, has a room of its own, or both. The number of elements stands nearer than the
  // size of a room for all of them, and farther than that of a room for each.
  bool bounded(const Field& field, Memory& memory) {
    if (field.room == describe::Room::each) return each(field, memory);
    const std::uint64_t count = field.times == describe::Times::counted ? memory.take() : 0;
    if (field.room == describe::Room::open) return all(field, memory, count);
    const std::uint64_t told = memory.take();
    const std::uint64_t room = told < field.before_room ? 0 : told - field.before_room;
    return in_room(field, room, [&] { return all(field, memory, count); });
  }

  bool each(const Field& field, Memory& memory) {
    const std::uint64_t room = memory.take();
    const std::uint64_t count = memory.take();
    if (!silent_) sink_.list(field, at_);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint32_t start = at_;
      const bool complete = in_room(field, room, [&] { return value(field, memory); });
      if (!complete || at_ == start) return false;
    }
    return true;
  }

  // Reads what lies in the next `room` bytes.
  template <class Read>
  bool in_room(const Field& field, std::uint64_t room, Read read_all) {
    if (room > left()) {
      report(ProblemKind::too_short, &field, room, left());
      return false;
    }
    const std::uint32_t outer = end_;
    end_ = at_ + static_cast<std::uint32_t>(room);
    const bool complete = read_all() ? leave_room(field) : leave_broken(field);
    end_ = outer;
    return complete;
  }

  // Steps over the bytes of a room that its row has left.
  bool leave_room(const Field& field) {
    const std::uint32_t unread = left();
    if (unread == 0) return true;
    const bool is_filled =
        field.room == describe::Room::filled || field.room == describe::Room::record;
    if (is_filled) report(ProblemKind::trailing, &field, 0, unread);
    if (!need(field, unread)) return false;
    at_ += unread;
    return true;
  }

  // What breaks off in a record does not hide what stands behind it.
  bool leave_broken(const Field& field) {
    if (field.room != describe::Room::record || end_ > captured_) return false;
    at_ = end_;
    has_broken_record_ = true;
    return true;
  }

  // All elements of the row. The first row of an element reports what is missing, so a lying count
  // costs one report. An element without bytes cannot be in a layout that is_body holds for; others
  // end here.
  bool all(const Field& field, Memory& memory, std::uint64_t count) {
    if (field.times == describe::Times::once) return value(field, memory);
    if (!silent_) sink_.list(field, at_);
    const auto element = [&] {
      const std::uint32_t start = at_;
      return value(field, memory) && at_ != start;
    };
    switch (field.times) {
      case describe::Times::once:
        break;
      case describe::Times::counted:
        for (std::uint64_t i = 0; i < count; ++i)
          if (!element()) return false;
        break;
      case describe::Times::to_end:
        while (!at_end())
          if (!element()) return false;
        break;
      case describe::Times::chained:
        do {
          if (!element()) return false;
        } while (bytes_[at_ - 1] != std::byte{0});
        break;
      case describe::Times::optional:
        return at_end() || element();
    }
    return true;
  }

  void report(ProblemKind kind, const Field* field, std::uint64_t needed, std::uint64_t available) {
    sink_.problem({kind, field, at_, needed, available});
  }

  const std::byte* bytes_;
  std::uint32_t captured_;
  std::uint32_t end_;
  std::uint32_t at_;
  S& sink_;
  bool silent_ = false;
  bool has_stopped_ = false;
  bool has_broken_record_ = false;
};

// Whether the bytes, all of them, read as the layout.
inline bool is_layout(const describe::Layout& layout, Bytes bytes) {
  Check check;
  Walk walk(whole(bytes), check);
  return !bytes.empty() && walk.read(layout) && walk.at_end() && check.clean;
}

// Tells a sink of what an opaque row holds, where it is what the row may be; false where it is not.
// The places are those of the walk that told of the row.
template <Sink S>
bool read_inside(const describe::Field& field, Bytes bytes, Range range, S& sink) {
  if (field.layout == nullptr || !is_layout(*field.layout, bytes)) return false;
  const std::byte* const begin = bytes.data() - range.offset;
  Walk walk(whole({begin, range.offset + range.length}), sink, range.offset);
  return walk.read(*field.layout);
}

}  // namespace iggy::decode
