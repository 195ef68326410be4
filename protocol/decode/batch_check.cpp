// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The checks of batch_check.hpp, in the order of the bytes.
#include "decode/batch_check.hpp"

#include <algorithm>
#include <utility>

#include "decode/batch_header.hpp"
#include "decode/message_rows.hpp"
#include "decode/walk.hpp"
#include "describe/proofs.hpp"
#include "iggy/bodies/messages.hpp"
#include "iggy/exchanges.hpp"
#include "iggy/registry.hpp"
#include "iggy/v0_12/bodies/batches.hpp"

namespace iggy::decode {

namespace {

using bodies::message_frame;
using describe::offset_of;
using describe::Place;
using describe::place_of;
// Where generations agree the table of 0.12 has the same rows at the same places.
using v0_12::batch;

constexpr std::size_t message_header_bytes = place_of(message_frame, "payload").begin;
constexpr std::size_t batch_checksum_at = BatchHeader::checksum_place.begin;
constexpr std::size_t message_count_at = BatchHeader::count_place.begin;

std::uint32_t as_u32(const std::byte* from) {
  return load<std::uint32_t>(from);
}
std::uint64_t as_u64(const std::byte* from) {
  return load<std::uint64_t>(from);
}

}  // namespace

void BatchChecker::begin(const Task& task) {
  task_ = task;
  phase_ = Phase::header;
  fault_ = {};
  wrong_message_ = {};
  oddity_ = {};
  right_checksum_.reset();
  gathered_.clear();
  at_ = task.at;
  end_ = task.at;
  partition_id_ = 0;
  message_count_ = 0;
  index_ = 0;
  next_delta_ = 0;
  if (task.is_older)
    give_up_header({}, {BatchFault::older_layout, 0, at_, 0, 0});
  else if (task.room < header_bytes)
    give_up_header({}, {BatchFault::batch_length, 0, at_, header_bytes, task.room});
}

void BatchChecker::add(Bytes piece) {
  while (!piece.empty()) {
    switch (phase_) {
      case Phase::header:
        read_header(piece);
        break;
      case Phase::message_header:
        read_message_header(piece);
        break;
      case Phase::message_body: {
        const std::size_t taken = std::min<std::size_t>(piece.size(), message_left_);
        message_hash_.add(piece.first(taken));
        piece = piece.subspan(taken);
        message_left_ -= static_cast<std::uint32_t>(taken);
        at_ += static_cast<std::uint32_t>(taken);
        if (message_left_ == 0) end_message(message_hash_.value());
        break;
      }
      case Phase::over:
        if (task_.is_sent) older_.add(piece);
        return;
    }
  }
}

BatchVerdict BatchChecker::verdict() const {
  if (wrong_message_.fault != BatchFault::none) return wrong_message_;
  if (fault_.fault == BatchFault::none) return oddity_;
  BatchVerdict verdict = fault_;
  const bool is_older = task_.is_sent && older_.fit();
  if (task_.is_older && !is_older) return {};
  if (is_older) verdict.fault = BatchFault::older_layout;
  return verdict;
}

void BatchChecker::fail(const BatchVerdict& why) {
  fault_ = why;
  phase_ = Phase::over;
}

// The messages behind it are read all the same, since each has a checksum of its own.
void BatchChecker::note_message(const BatchVerdict& why) {
  if (wrong_message_.fault == BatchFault::none) wrong_message_ = why;
}

// What is no header may be the begin of messages that have none.
void BatchChecker::give_up_header(Bytes header, const BatchVerdict& why) {
  fail(why);
  if (!task_.is_sent) return;
  older_.begin(task_.messages_count, task_.room);
  older_.add(header);
}

void BatchChecker::read_header(Bytes& piece) {
  const std::byte* const header = gathered_.take(piece, header_bytes);
  if (header == nullptr) return;
  if (!check_header(header)) return;
  at_ = task_.at + header_bytes;
  next_message();
}

bool BatchChecker::check_header(const std::byte* bytes) {
  const BatchHeader header(bytes, task_.may_have_producer);
  const BatchVerdict wrong = header.wrong(task_.at, task_.room);
  if (wrong.fault != BatchFault::none) {
    give_up_header({bytes, header_bytes}, wrong);
    return false;
  }
  end_ = task_.at + static_cast<std::uint32_t>(header.length());
  older_ = {};
  partition_id_ = header.partition_id();
  batch_checksum_ = header.checksum();
  message_count_ = header.message_count();
  if (task_.is_sent) oddity_ = header.stamped(task_.at);
  batch_hash_.begin();
  header.add_to(batch_hash_);
  return true;
}

void BatchChecker::next_message() {
  if (at_ == end_)
    end_batch();
  else if (end_ - at_ < message_header_bytes)
    fail({BatchFault::message_length, index_, at_, message_header_bytes, end_ - at_});
  else
    phase_ = Phase::message_header;
}

void BatchChecker::read_message_header(Bytes& piece) {
  constexpr std::size_t payload_length_at =
      offset_of<std::uint32_t>(message_frame, "payload_length");
  constexpr std::size_t headers_length_at =
      offset_of<std::uint32_t>(message_frame, "user_headers_length");
  constexpr std::size_t reserved_at = offset_of<std::uint64_t>(message_frame, "reserved");
  constexpr Place checksum = place_of(message_frame, "checksum");
  static_assert(checksum.begin == 0);

  const std::byte* const header = gathered_.take(piece, message_header_bytes);
  if (header == nullptr) return;
  message_at_ = at_;
  at_ += message_header_bytes;
  const std::uint64_t behind =
      std::uint64_t{as_u32(header + payload_length_at)} + as_u32(header + headers_length_at);
  if (const std::uint64_t value = as_u64(header + reserved_at); value != 0) {
    const auto place = static_cast<std::uint32_t>(message_at_ + reserved_at);
    note_message({BatchFault::message_reserved, index_, place, 0, value});
  }
  if (behind > end_ - at_)
    return fail({BatchFault::message_length, index_, message_at_, end_ - at_, behind});
  checksum_ = as_u64(header);
  check_message_order(header);
  batch_hash_.add({header, checksum.end});

  message_left_ = static_cast<std::uint32_t>(behind);
  const Bytes hashed{header + checksum.end, message_header_bytes - checksum.end};
  const bool lies_in_one_piece = header + message_header_bytes == piece.data();
  if (lies_in_one_piece && behind <= piece.size()) {
    at_ += message_left_;
    piece = piece.subspan(message_left_);
    return end_message(xxh3({hashed.data(), hashed.size() + message_left_}));
  }
  message_hash_.begin();
  message_hash_.add(hashed);
  phase_ = Phase::message_body;
  if (message_left_ == 0) end_message(message_hash_.value());
}

// What a server hands out may be the middle of a batch, so that it begins anywhere.
void BatchChecker::check_message_order(const std::byte* header) {
  constexpr std::size_t delta_at = offset_of<std::uint32_t>(message_frame, "offset_delta");
  const std::uint32_t delta = as_u32(header + delta_at);
  const bool may_be_any = index_ == 0 && !task_.is_sent;
  const std::uint64_t expected = std::exchange(next_delta_, std::uint64_t{delta} + 1);
  if (may_be_any || delta == expected || oddity_.fault != BatchFault::none) return;
  const auto place = static_cast<std::uint32_t>(message_at_ + delta_at);
  oddity_ = {BatchFault::message_order, index_, place, expected, delta};
}

void BatchChecker::end_message(std::uint64_t hash) {
  if (hash != checksum_) {
    const BatchVerdict wrong{BatchFault::message_checksum, index_, message_at_, hash, checksum_};
    note_message(wrong);
    if (task_.wrong != nullptr) task_.wrong->add(wrong);
  }
  ++index_;
  next_message();
}

void BatchChecker::end_batch() {
  phase_ = Phase::over;
  const auto count_at = static_cast<std::uint32_t>(task_.at + message_count_at);
  const auto checksum_at = static_cast<std::uint32_t>(task_.at + batch_checksum_at);
  const std::uint64_t hash = batch_hash_.value();
  const std::uint32_t body_end = task_.at + task_.room;
  const BatchVerdict wrong{BatchFault::batch_checksum, 0, checksum_at, hash, batch_checksum_};
  const bool is_wrong = hash != batch_checksum_;
  right_checksum_ = hash;
  if (is_wrong && task_.wrong != nullptr) task_.wrong->add(wrong);
  if (message_count_ != index_)
    fault_ = {BatchFault::message_count, 0, count_at, index_, message_count_};
  else if (is_wrong)
    fault_ = wrong;
  else if (message_count_ == 0)
    fault_ = {BatchFault::no_messages, 0, count_at, 1, 0};
  else if (task_.is_sent && task_.messages_count != message_count_)
    fault_ = {BatchFault::messages_count, 0, count_at, message_count_, task_.messages_count};
  else if (task_.is_sent && end_ != body_end)
    fault_ = {BatchFault::trailing, 0, end_, 0, body_end - end_};
}

namespace {

// The count of messages in the metadata of a send. Servers take no kind that is not known.
struct MetadataSink : Check {
  void integer(const describe::Field& field, std::uint64_t value, Range) {
    if (field.when == describe::When::otherwise) clean = false;
    if (&field == row) messages_count = static_cast<std::uint32_t>(value);
  }
  static constexpr const describe::Field* row = &row_of(bodies::send_metadata, "messages_count");
  std::uint32_t messages_count = 0;
};

constexpr std::size_t length_bytes = place_of(bodies::message_send, "metadata").begin;

}  // namespace

MessageForm message_form_of(Dialect sender, bool is_certain) {
  MessageForm form;
  form.may_have_producer = may_name_producer(sender.generation, is_certain);
  if (!sender.train) return form;
  const CommandBodies* const send = find_bodies(sender, command_code("message.send"));
  form.is_older = send != nullptr && !holds_headed_batches(*send->request.layout);
  return form;
}

void SendChecker::begin(std::uint32_t body_size, MessageForm form, WrongChecksums* wrong) {
  phase_ = Phase::length;
  is_unreadable_ = false;
  form_ = form;
  wrong_ = wrong;
  body_size_ = body_size;
  gathered_.clear();
  if (body_size < length_bytes) fail();
}

void SendChecker::add(Bytes piece) {
  if (phase_ == Phase::length) read_length(piece);
  if (phase_ == Phase::metadata) read_metadata(piece);
  if (phase_ == Phase::batch) batch_.add(piece);
}

void SendChecker::fail() {
  is_unreadable_ = true;
  phase_ = Phase::over;
}

void SendChecker::read_length(Bytes& piece) {
  const std::byte* const length = gathered_.take(piece, length_bytes);
  if (length == nullptr) return;
  metadata_length_ = as_u32(length);
  if (metadata_length_ > longest_metadata || metadata_length_ > body_size_ - length_bytes)
    return fail();
  phase_ = Phase::metadata;
}

void SendChecker::read_metadata(Bytes& piece) {
  const std::byte* const bytes = gathered_.take(piece, metadata_length_);
  if (bytes == nullptr) return;
  MetadataSink sink;
  Walk walk(whole({bytes, metadata_length_}), sink);
  if (!walk.read(bodies::send_metadata) || !walk.at_end() || !sink.clean) return fail();
  phase_ = Phase::batch;
  BatchChecker::Task task;
  task.at = static_cast<std::uint32_t>(length_bytes) + metadata_length_;
  task.room = body_size_ - task.at;
  task.is_sent = true;
  task.may_have_producer = form_.may_have_producer;
  task.is_older = form_.is_older;
  task.messages_count = sink.messages_count;
  task.wrong = wrong_;
  batch_.begin(task);
}

BatchVerdict SendChecker::verdict() const {
  if (is_unreadable_)
    return {BatchFault::metadata, 0, static_cast<std::uint32_t>(length_bytes), 0, 0};
  return phase_ == Phase::batch ? batch_.verdict() : BatchVerdict{};
}

namespace {

// Meets the batches of a body. The numbers around them are those of a poll's reply.
class BatchesSink : public Check {
 public:
  BatchesSink(Window body, bool may_have_producer, WrongChecksums* wrong)
      : body_(body), may_have_producer_(may_have_producer), wrong_(wrong) {}

  // A fetch tells of several partitions, one after the other, and then of all batches.
  void integer(const describe::Field& field, std::uint64_t value, Range range) {
    if (field.name == "messages_count") {
      if (counts_++ == 0) count_at_ = range.offset;
      count_ += value;
    } else if (field.name == "partition_id") {
      ++partitions_;
      partition_ = value;
    } else if (field.name == "records_length") {
      if (!lengths_at_) lengths_at_ = range.offset;
      lengths_ += value;
      sections_end_ = range.offset + range.length;
    }
  }

  // The walk steps over what is checked here.
  bool enter(const describe::Field&, const describe::Layout& layout, std::uint32_t at) {
    if (!is_batch(layout)) return true;
    const bool is_first = verdict_.fault == BatchFault::none;
    if (!is_first && wrong_ == nullptr) return false;
    BatchChecker::Task task;
    task.at = at;
    task.room = body_.on_wire - at;
    task.may_have_producer = may_have_producer_;
    task.wrong = wrong_;
    checker_.begin(task);
    checker_.add(body_.captured.subspan(at));
    if (!is_first) return false;
    verdict_ = checker_.verdict();
    sum_ += checker_.message_count();
    if (verdict_.fault == BatchFault::none && counts_ == 1 && partitions_ == 1 &&
        checker_.partition_id() != partition_)
      verdict_ = {BatchFault::partition, 0, at, partition_, checker_.partition_id()};
    return false;
  }

  BatchVerdict verdict() const {
    if (verdict_.fault != BatchFault::none) return verdict_;
    if (counts_ != 0 && sum_ != count_)
      return {BatchFault::messages_count, 0, count_at_, sum_, count_};
    const std::uint32_t records = body_.on_wire - sections_end_;
    if (lengths_at_ && lengths_ != records)
      return {BatchFault::records_length, 0, *lengths_at_, records, lengths_};
    return {};
  }

 private:
  Window body_;
  bool may_have_producer_;
  WrongChecksums* wrong_;
  BatchChecker checker_;
  BatchVerdict verdict_;
  std::uint32_t counts_ = 0;  // how many rows told a count
  std::uint32_t partitions_ = 0;
  std::uint32_t count_at_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t partition_ = 0;
  std::uint64_t sum_ = 0;
  std::optional<std::uint32_t> lengths_at_;  // of the first section that tells one
  std::uint64_t lengths_ = 0;
  std::uint32_t sections_end_ = 0;
};

}  // namespace

bool is_message_checksum(const describe::Field& row) {
  constexpr const describe::Field* wanted = &row_of(message_frame, "checksum");
  return &row == wanted;
}

bool is_batch_checksum(const describe::Field& row) {
  constexpr std::string_view wanted = row_of(batch, "batch_checksum").name;
  return row.name == wanted;
}

std::uint64_t message_checksum_of(Bytes message) {
  constexpr Place checksum = place_of(message_frame, "checksum");
  return xxh3(message.subspan(checksum.end));
}

std::optional<std::uint64_t> batch_checksum_of(Window body, std::uint32_t at,
                                               bool may_have_producer) {
  if (body.captured.size() < body.on_wire) return std::nullopt;
  BatchChecker::Task task;
  task.at = at;
  task.room = body.on_wire - at;
  task.may_have_producer = may_have_producer;
  BatchChecker checker;
  checker.begin(task);
  checker.add(body.captured.subspan(at));
  return checker.checksum();
}

BatchVerdict check_send(Window body, bool may_have_producer, WrongChecksums* wrong) {
  if (body.captured.size() < body.on_wire) return {};
  SendChecker checker;
  checker.begin(body.on_wire, {may_have_producer, false}, wrong);
  checker.add(body.captured);
  return checker.verdict();
}

BatchVerdict check_batches(const BodyPlan& plan, Window body, bool may_have_producer,
                           WrongChecksums* wrong) {
  if (plan.layout == nullptr || plan.state != BodyState::decoded) return {};
  if (body.captured.size() < body.on_wire || !holds_headed_batches(*plan.layout)) return {};
  BatchesSink sink(body, may_have_producer, wrong);
  Walk walk(body, sink);
  walk.read(*plan.layout);
  const BatchVerdict verdict = sink.verdict();
  if (verdict.fault == BatchFault::none || older_messages(*plan.layout, body) == nullptr)
    return verdict;
  if (wrong != nullptr) *wrong = {};
  return {};
}

}  // namespace iggy::decode
