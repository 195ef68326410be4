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

#include "decode/problem.hpp"
#include "decode/window.hpp"
#include "describe/field.hpp"

namespace iggy::decode {

// What a sink is. `run` gets text, bytes, reserved bytes and rests. `enter` may decline a nested
// layout: the walk then validates it and steps over it without telling of its values, only of its
// problems.
template <class S>
concept Sink = requires(S& sink, const describe::Field& field, const describe::Layout& layout,
                        std::uint64_t number, U128 wide, Bytes bytes, Range range,
                        const Problem& problem) {
  sink.integer(field, number, range);
  sink.wide(field, wide, range);
  sink.run(field, bytes, range);
  { sink.enter(field, layout, range.offset) } -> std::same_as<bool>;
  sink.leave(field, layout, range);
  sink.problem(problem);
};

// A sink that keeps nothing but whether a problem came.
struct Check {
  bool clean = true;
  void integer(const describe::Field&, std::uint64_t, Range) {}
  void wide(const describe::Field&, U128, Range) {}
  void run(const describe::Field&, Bytes, Range) {}
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

  // Reads every row. False when the bytes ended early; the sink has been told why.
  bool read(const describe::Layout& layout) {
    std::uint64_t count = 0;  // of the nearest count row above; layouts never share one
    for (const describe::Field& field : layout.fields)
      if (!read(field, count)) return false;
    return true;
  }

  // Tells of bytes behind the last row, if there are any.
  void finish() {
    if (at_ < end_) report(ProblemKind::trailing, nullptr, 0, end_ - at_);
  }

  std::uint32_t position() const { return at_; }
  bool at_end() const { return at_ >= end_; }

 private:
  using Field = describe::Field;
  using Kind = describe::Kind;

  bool read(const Field& field, std::uint64_t& count) {
    if (field.offset != describe::next) at_ = field.offset;
    switch (field.kind) {
      case Kind::u8:
        return integer<std::uint8_t>(field, count);
      case Kind::u16:
        return integer<std::uint16_t>(field, count);
      case Kind::u32:
        return integer<std::uint32_t>(field, count);
      case Kind::u64:
        return integer<std::uint64_t>(field, count);
      case Kind::u128:
        return wide(field);
      case Kind::zero:
        return reserved(field);
      case Kind::bytes:
        return run(field, field.width);
      case Kind::text:
        return run(field, count);
      case Kind::rest:
        return run(field, at_ < end_ ? end_ - at_ : 0);
      case Kind::group:
        return nested(field);
      case Kind::repeat:
        return repeat(field, count);
    }
    return false;
  }

  // Whether `bytes` more can be read here; reports which of the two lengths is too short.
  bool need(const Field& field, std::uint64_t bytes) {
    if (at_ <= captured_ && bytes <= captured_ - at_) return true;
    const bool sent = at_ <= end_ && bytes <= end_ - at_;
    const std::uint32_t limit = sent ? captured_ : end_;
    report(sent ? ProblemKind::cut_by_capture : ProblemKind::too_short, &field, clamp(bytes),
           at_ < limit ? limit - at_ : 0);
    return false;
  }

  template <class Number>
  bool integer(const Field& field, std::uint64_t& count) {
    if (!need(field, sizeof(Number))) return false;
    const std::uint64_t value{load<Number>(bytes_ + at_)};
    if (!silent_) sink_.integer(field, value, {at_, sizeof(Number)});
    if (field.role == describe::Role::count) count = value;
    if (value < field.minimum) {
      report(ProblemKind::out_of_range, &field, field.minimum, clamp(value));
      return false;
    }
    at_ += sizeof(Number);
    return true;
  }

  bool wide(const Field& field) {
    if (!need(field, 16)) return false;
    if (!silent_) sink_.wide(field, load_u128(bytes_ + at_), {at_, 16});
    at_ += 16;
    return true;
  }

  bool run(const Field& field, std::uint64_t length) {
    if (!need(field, length)) return false;
    const auto size = static_cast<std::uint32_t>(length);
    if (!silent_) sink_.run(field, Bytes{bytes_ + at_, size}, {at_, size});
    at_ += size;
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

  bool nested(const Field& field) {
    const std::uint32_t start = at_;
    const bool outer = silent_;
    const bool told = !outer && sink_.enter(field, *field.layout, start);
    silent_ = !told;
    const bool complete = read(*field.layout);
    silent_ = outer;
    if (told) sink_.leave(field, *field.layout, {start, at_ - start});
    return complete;
  }

  bool repeat(const Field& field, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint32_t start = at_;
      // The element's first row reports what is missing, so a lying count costs one report. An
      // element without bytes cannot be in a layout that is_body holds for; others end here.
      if (!nested(field) || at_ == start) return false;
    }
    return true;
  }

  void report(ProblemKind kind, const Field* field, std::uint32_t needed, std::uint32_t available) {
    sink_.problem({kind, field, at_, needed, available});
  }
  static std::uint32_t clamp(std::uint64_t value) {
    return value > 0xffffffffU ? 0xffffffffU : static_cast<std::uint32_t>(value);
  }

  const std::byte* bytes_;
  std::uint32_t captured_;
  std::uint32_t end_;
  std::uint32_t at_;
  S& sink_;
  bool silent_ = false;
};

}  // namespace iggy::decode
