// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The rows of a confirmation, by the names that all generations give them.
#include "decode/confirmation.hpp"

#include "decode/walk.hpp"
#include "describe/proofs.hpp"
#include "iggy/bodies/batches.hpp"
#include "iggy/frame.hpp"
#include "iggy/v0_11/client_headers.hpp"
#include "iggy/v0_12/client_headers.hpp"

namespace iggy::decode {
namespace {

using bodies::send_confirmation;
using describe::row_of;

static_assert(row_of(send_confirmation, "stream_id").width == sizeof(std::uint32_t));
static_assert(row_of(send_confirmation, "topic_id").width == sizeof(std::uint32_t));
static_assert(row_of(send_confirmation, "partition_id").width <= sizeof(Confirmation::partition));
static_assert(row_of(send_confirmation, "base_offset").width == sizeof(Confirmation::base_offset));

bool is_confirmation(const describe::Layout& layout) {
  return layout.name == send_confirmation.name;
}

struct ReplySink : Check {
  void integer(const describe::Field& field, std::uint64_t value, Range) {
    reader.integer(field, value);
  }
  bool enter(const describe::Field&, const describe::Layout& layout, std::uint32_t) {
    reader.enter(layout);
    return true;
  }
  void leave(const describe::Field&, const describe::Layout& layout, Range) {
    reader.leave(layout);
  }
  ConfirmationReader reader;
};

}  // namespace

void ConfirmationReader::integer(const describe::Field& field, std::uint64_t value) {
  if (!is_inside_) return;
  if (&field == &send_confirmation.fields.back()) is_whole_ = true;
  if (field.name == "base_offset")
    last_.base_offset = value;
  else if (field.name == "partition_id")
    last_.partition = value;
  else if (field.name == "stream_id")
    last_.stream = static_cast<std::uint32_t>(value);
  else if (field.name == "topic_id")
    last_.topic = static_cast<std::uint32_t>(value);
}

void ConfirmationReader::enter(const describe::Layout& layout) {
  if (!is_confirmation(layout)) return;
  is_inside_ = true;
  is_whole_ = false;
  ++count_;
}

void ConfirmationReader::leave(const describe::Layout& layout) {
  if (is_confirmation(layout)) is_inside_ = false;
}

std::optional<Confirmation> ConfirmationReader::confirmation() const {
  if (count_ != 1 || !is_whole_) return std::nullopt;
  return last_;
}

std::optional<Confirmation> confirmation_of(const BodyPlan& plan, Bytes header, Window body) {
  if (plan.layout == nullptr || plan.state != BodyState::decoded) return std::nullopt;
  if (header.size() < header_size) return std::nullopt;
  ReplySink sink;
  Walk(body, sink).read(*plan.layout);
  std::optional<Confirmation> told = sink.reader.confirmation();
  constexpr std::size_t at = describe::offset_of<std::uint64_t>(v0_11::reply, "timestamp");
  static_assert(at == describe::offset_of<std::uint64_t>(v0_12::reply, "timestamp"));
  if (told) told->append_time = load<std::uint64_t>(header.data() + at);
  return told;
}

}  // namespace iggy::decode
