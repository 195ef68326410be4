// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The tests of shapes.hpp: a walk by each generation's tables, and what speaks against it.
#include "conversation/shapes.hpp"

#include <algorithm>
#include <array>

#include "conversation/subject.hpp"
#include "decode/batch_check.hpp"
#include "decode/body.hpp"
#include "decode/walk.hpp"
#include "describe/field.hpp"
#include "describe/proofs.hpp"
#include "iggy/bodies/batches.hpp"
#include "iggy/exchanges.hpp"
#include "iggy/registry.hpp"
#include "iggy/v0_12/bodies/batches.hpp"

namespace iggy::conversation {
namespace {

using decode::BodyPlan;
using decode::BodyState;
using decode::Facts;
using decode::ProblemKind;
using decode::Window;
using describe::Field;
using describe::Layout;

// Of a body whose end is not there so many bytes have to read well: those of a batch's header.
constexpr std::size_t convincing_bytes = bodies::batch_header_bytes;

// Where a batch says that it has a producer; reserved in 0.11.
constexpr std::size_t flags_in_batch =
    describe::offset_of<std::uint8_t>(v0_12::batch, "producer_flags");

// The reply whose new end came with 0.11.1, so that it does not tell 0.12.
constexpr std::uint32_t stats = command_code("stats");

// How a body reads by a table.
enum class Fit : std::uint8_t {
  no,     // it cannot be this
  loose,  // bytes follow that its receivers do not look at
  odd,    // a text in it holds a zero, which servers take and hardly anybody sends
  open,   // so far as it is there
  exact,  // from its first byte to the last
};

struct FitSink : decode::Check {
  explicit FitSink(Window read) : body(read) {}
  Window body;
  bool is_cut = false;
  bool has_more = false;
  bool has_zero_in_text = false;
  void run(const Field& field, Bytes bytes, decode::Range) {
    if (field.kind == describe::Kind::text && decode::has_zero(bytes)) has_zero_in_text = true;
  }
  void problem(const decode::Problem& problem) {
    is_cut = is_cut || problem.kind == ProblemKind::cut_by_capture;
    has_more = has_more || problem.kind == ProblemKind::ignored;
    // Of reserved bytes also those count that are there.
    if (problem.kind == ProblemKind::cut_by_capture && problem.field != nullptr &&
        problem.field->kind == describe::Kind::zero && problem.offset < body.captured.size() &&
        !decode::all_zero(body.captured.subspan(problem.offset)))
      clean = false;
    if (problem.kind != ProblemKind::cut_by_capture && problem.kind != ProblemKind::ignored)
      clean = false;
  }
};

// The bytes that the layout takes at least.
std::uint32_t least_size(const Layout& layout) {
  std::uint32_t size = 0;
  for (const Field& field : layout.fields) {
    if (is_list(field) || field.when != describe::When::always ||
        field.room != describe::Room::open)
      continue;
    size += field.kind == describe::Kind::group ? least_size(*field.layout)
                                                : std::uint32_t{field.width};
  }
  return size;
}

// The list that takes all that is left behind the other rows; null where there is none.
const Field* list_to_end(const Layout& layout) {
  if (layout.fields.empty()) return nullptr;
  const Field& last = layout.fields.back();
  if (last.times == describe::Times::to_end && last.layout != nullptr) return &last;
  return last.kind == describe::Kind::group ? list_to_end(*last.layout) : nullptr;
}

// What the length alone tells of a reply that ends with a list: it is empty, or has at least one
// element.
Fit fit_of_length(const Layout& layout, std::uint32_t bytes) {
  const std::uint32_t least = least_size(layout);
  if (bytes < least) return Fit::no;
  const Field* const list = list_to_end(layout);
  if (list == nullptr) return Fit::open;
  if (bytes == least) return Fit::exact;
  return bytes - least < least_size(*list->layout) ? Fit::no : Fit::open;
}

Fit fit_of(const BodyPlan& plan, Window body) {
  if (plan.state != BodyState::decoded || plan.layout == nullptr) return Fit::no;
  const Fit length = fit_of_length(*plan.layout, body.on_wire);
  if (length == Fit::no) return Fit::no;
  FitSink sink(body);
  decode::read_body(plan, body, false, sink);
  if (!sink.clean) return Fit::no;
  if (sink.has_zero_in_text) return Fit::odd;
  if (sink.is_cut) return length;
  return sink.has_more ? Fit::loose : Fit::exact;
}

// Whether one of two readings is right and the other is not. An odd one neither wins nor loses.
bool beats(Fit fit, Fit other, Window body) {
  if (fit == Fit::exact) return other == Fit::no || other == Fit::loose;
  return fit == Fit::open && other == Fit::no && body.captured.size() >= convincing_bytes;
}

Evidence shape_of(const Facts& facts, std::uint32_t code, Window body) {
  const Window front = subject_front(body);
  const BodyPlan older = decode::plan_body(facts, Generation::v0_11, code, front);
  const BodyPlan newer = decode::plan_body(facts, Generation::v0_12, code, front);
  if (older.layout == newer.layout) return {};
  const Fit by_older = fit_of(older, front);
  const Fit by_newer = fit_of(newer, front);
  if (beats(by_older, by_newer, front)) return {Generation::v0_11, Strength::shape};
  if (beats(by_newer, by_older, front)) return {Generation::v0_12, Strength::shape};
  return {};
}

// Whose checksum a batch has whose body is there as a whole: that of 0.12 counts its producer, that
// of 0.11 none of the bytes that are reserved there. Nothing where it is that of both or neither.
Evidence checksum_of(Window body, std::uint32_t batch_at) {
  constexpr std::size_t stored_at =
      describe::offset_of<std::uint64_t>(v0_12::batch, "batch_checksum");
  std::array<std::byte, subject_bytes> copy{};
  std::copy(body.captured.begin(), body.captured.end(), copy.begin());
  std::fill(copy.begin() + batch_at + flags_in_batch,
            copy.begin() + batch_at + bodies::batch_header_bytes, std::byte{});
  const Window older{decode::Bytes{copy}.first(body.captured.size()), body.on_wire};
  const auto stored = decode::load<std::uint64_t>(body.captured.data() + batch_at + stored_at);
  const bool is_older = decode::batch_checksum_of(older, batch_at, false) == stored;
  const bool is_newer = decode::batch_checksum_of(body, batch_at, true) == stored;
  if (is_older == is_newer) return {};
  return {is_older ? Generation::v0_11 : Generation::v0_12, Strength::shape};
}

}  // namespace

Evidence shape_of_reply(const Facts& reply, std::uint32_t code, Window body) {
  const bool is_told = reply.is(Command::Reply) && reply.status == 0 && body.on_wire != 0;
  if (!is_told || code == stats || reply.operation == operation::register_session) return {};
  return shape_of(reply, code, body);
}

Evidence shape_of_send(const Facts& request, Window body) {
  constexpr std::size_t length_bytes = 4;
  if (!request.is(Command::Request) || request.operation != operation::send_messages ||
      body.captured.size() < length_bytes)
    return {};
  // A look at one byte of most sends.
  const std::uint64_t batch_at =
      std::uint64_t{length_bytes} + decode::load<std::uint32_t>(body.captured.data());
  const std::uint64_t flags_at = batch_at + flags_in_batch;
  if (flags_at >= body.captured.size() ||
      body.captured[static_cast<std::size_t>(flags_at)] != std::byte{1})
    return {};
  // Within the front, so that both tools say the same.
  const bool is_whole = body.captured.size() == body.on_wire && body.on_wire <= subject_bytes &&
                        body.on_wire - batch_at >= bodies::batch_header_bytes;
  if (is_whole) {
    const Evidence evidence = checksum_of(body, static_cast<std::uint32_t>(batch_at));
    if (evidence.is_certain()) return evidence;
  }
  return shape_of(request, command_code("message.send"), body);
}

}  // namespace iggy::conversation
