// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Checks batches of messages: their lengths, their counts and their checksums.
//
// A checker takes the bytes in pieces as they come and keeps a state of fixed size, so that a send
// of 64 MiB is checked in passing; fed with all bytes at once it is as good. Nothing here judges
// what a fault means: a server drops a send with one, and in a reply it is damage.
// Source: core/binary_protocol/src/batch.rs, core/server_common/src/send_messages.rs.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "decode/body.hpp"
#include "decode/checksum.hpp"
#include "decode/older_messages.hpp"
#include "decode/window.hpp"
#include "iggy/bodies/batches.hpp"
#include "iggy/conduct.hpp"

namespace iggy::decode {

enum class BatchFault : std::uint8_t {
  none,
  // Servers drop a send for these, and say nothing.
  metadata,          // it cannot be read, or is not as long as it says
  batch_length,      // less than a header, or more than is left of the body
  reserved,          // bytes of the batch that every sender leaves zero
  producer,          // a number of its producer is larger than servers take
  message_length,    // a message goes beyond the end of its batch
  message_reserved,  // bytes of a message that every sender leaves zero
  message_checksum,
  message_count,  // not as many messages as the batch says
  batch_checksum,
  no_messages,
  messages_count,  // around the batches another number stands than in them
  trailing,        // bytes behind the batch
  older_layout,    // messages as they were sent before batches had headers
  // Servers take these.
  stamped,        // a producer set what only servers set
  message_order,  // offset deltas do not follow each other; those of a producer begin with 0
  partition,      // a batch in a reply is of another partition than the reply
  // Clients refuse a reply for it.
  records_length,  // the records of all partitions are not as long as a fetch says
};

// The first fault in the order of the bytes; one that servers take only where there is no other.
struct BatchVerdict {
  BatchFault fault = BatchFault::none;
  std::uint32_t message = 0;   // which one of its batch, from 0 on, where it is about one
  std::uint32_t offset = 0;    // of what is wrong, from the start of the body
  std::uint64_t expected = 0;  // the checksum of the bytes; the number that fits
  std::uint64_t found = 0;     // what stands there
};

constexpr bool is_checksum(BatchFault fault) {
  return fault == BatchFault::message_checksum || fault == BatchFault::batch_checksum;
}
// Whether a server drops a send for it.
constexpr bool is_dropped(BatchFault fault) {
  return fault != BatchFault::none && fault < BatchFault::stamped;
}
// Whether it breaks a rule beside the checksums. Messages of an older layout are no batch, and what
// cannot be found in a body is told by how the server refused it.
constexpr bool is_inconsistent(BatchFault fault) {
  return fault != BatchFault::none && !is_checksum(fault) && fault != BatchFault::older_layout &&
         fault != BatchFault::metadata;
}
// The stable word for a fault; empty for none.
std::string_view word_of(BatchFault fault);

// Every checksum of a body that does not hold, in the order in which the bytes tell it; beyond the
// bound they are only counted.
struct WrongChecksums {
  static constexpr std::uint32_t most = 100;
  std::array<BatchVerdict, most> known{};
  std::uint32_t count = 0;

  void add(const BatchVerdict& verdict) {
    if (count < most) known[count] = verdict;
    ++count;
  }
  std::span<const BatchVerdict> told() const { return {known.data(), std::min(count, most)}; }
};

// Bytes of a known number that may come in pieces. They are copied only where they do.
template <std::size_t Most>
class Gathered {
 public:
  // The first `count` bytes, at most `Most`, or null when there are not so many yet. Takes what it
  // uses off the front of `piece`; what it gives is valid until the next call.
  const std::byte* take(Bytes& piece, std::size_t count) {
    if (have_ == 0 && piece.size() >= count) {
      const std::byte* const whole = piece.data();
      piece = piece.subspan(count);
      return whole;
    }
    while (have_ < count && !piece.empty()) {
      bytes_[have_++] = piece.front();
      piece = piece.subspan(1);
    }
    if (have_ < count) return nullptr;
    have_ = 0;
    return bytes_.data();
  }
  void clear() { have_ = 0; }

 private:
  std::array<std::byte, Most> bytes_{};
  std::size_t have_ = 0;
};

// One batch.
class BatchChecker {
 public:
  struct Task {
    std::uint32_t at = 0;              // where the batch begins, from the start of the body
    std::uint32_t room = 0;            // bytes from there to the end of the body
    bool is_sent = false;              // by a producer, and ends with the body
    bool may_have_producer = false;    // see may_name_producer
    bool is_older = false;             // it is no batch, see MessageForm
    std::uint32_t messages_count = 0;  // that the metadata of a send tells
    WrongChecksums* wrong = nullptr;   // the caller's, where all of them are asked for
  };
  void begin(const Task& task);
  // The bytes that follow those of earlier calls. What stands behind the batch is not looked at.
  void add(Bytes piece);
  // Once the batch, or where it is sent the body, was added to its end.
  BatchVerdict verdict() const;

  // The checksum of the batch's bytes, whatever stands there; nothing where the batch does not read
  // to its end.
  std::optional<std::uint64_t> checksum() const { return right_checksum_; }
  std::uint32_t message_count() const { return message_count_; }  // as the batch says
  std::uint64_t partition_id() const { return partition_id_; }

 private:
  enum class Phase : std::uint8_t { header, message_header, message_body, over };

  void read_header(Bytes& piece);
  bool check_header(const std::byte* bytes);
  void next_message();
  void read_message_header(Bytes& piece);
  void check_message_order(const std::byte* header);
  void end_message(std::uint64_t hash);
  void end_batch();
  void fail(const BatchVerdict& why);
  void note_message(const BatchVerdict& why);
  void give_up_header(Bytes header, const BatchVerdict& why);

  static constexpr std::size_t header_bytes = bodies::batch_header_bytes;

  Task task_;
  Phase phase_ = Phase::over;
  BatchVerdict fault_;
  BatchVerdict wrong_message_;  // the first one that is wrong in itself
  BatchVerdict oddity_;         // that servers take
  Gathered<header_bytes> gathered_;
  std::uint32_t at_ = 0;   // of the next byte, from the start of the body
  std::uint32_t end_ = 0;  // of the batch
  std::uint64_t partition_id_ = 0;
  std::uint64_t batch_checksum_ = 0;
  std::optional<std::uint64_t> right_checksum_;
  std::uint32_t message_count_ = 0;
  // The message at hand.
  std::uint32_t index_ = 0;
  std::uint64_t next_delta_ = 0;  // behind that of the message before
  std::uint32_t message_at_ = 0;
  std::uint32_t message_left_ = 0;
  std::uint64_t checksum_ = 0;
  Xxh3 message_hash_;
  Xxh3 batch_hash_;
  OlderMessages older_;
};

// Whether batches of a sender may have a producer, which counts as long as its generation is only
// inferred.
constexpr bool may_name_producer(Generation sender, bool is_certain) {
  return conduct_of(sender).names_producers || !is_certain;
}

// How the messages of a sender lie.
struct MessageForm {
  bool may_have_producer = false;  // see may_name_producer
  bool is_older = false;           // as its build sent them before batches had headers
};
MessageForm message_form_of(Dialect sender, bool is_certain);

// The body of a SendMessages request: metadata, and the batch to its end. No rule of batches is for
// messages that the sender's build sends without them.
class SendChecker {
 public:
  void begin(std::uint32_t body_size, MessageForm form, WrongChecksums* wrong = nullptr);
  void add(Bytes piece);
  // Once the whole body was added. Nothing is known of a body that was not.
  BatchVerdict verdict() const;
  bool has_batch() const { return phase_ == Phase::batch; }  // it was long enough for metadata

 private:
  enum class Phase : std::uint8_t { length, metadata, batch, over };

  void read_length(Bytes& piece);
  void read_metadata(Bytes& piece);
  void fail();

  // The longest that fits its table has 775.
  static constexpr std::uint32_t longest_metadata = 1024;

  Phase phase_ = Phase::over;
  MessageForm form_;
  WrongChecksums* wrong_ = nullptr;
  bool is_unreadable_ = false;
  std::uint32_t body_size_ = 0;
  std::uint32_t metadata_length_ = 0;
  Gathered<longest_metadata> gathered_;
  BatchChecker batch_;
};

// The same of a body at once; one that was not captured whole has no fault. `wrong` gets every
// checksum that does not hold.
BatchVerdict check_send(Window body, bool may_have_producer, WrongChecksums* wrong = nullptr);

// The batches of a whole body: of a poll's reply or of a Prepare. One that was not captured whole
// has no fault, and neither have messages of layouts without batches.
BatchVerdict check_batches(const BodyPlan& plan, Window body, bool may_have_producer,
                           WrongChecksums* wrong = nullptr);

// What single checksums of a body ought to be, for sinks that show each where it stands. Of a
// message all bytes have to be there. Of the batch that begins at `at` nothing is said where the
// body is not whole, or where the batch does not read to its end: then its checksum tells nothing.
bool is_message_checksum(const describe::Field& row);
bool is_batch_checksum(const describe::Field& row);
std::uint64_t message_checksum_of(Bytes message);
std::optional<std::uint64_t> batch_checksum_of(Window body, std::uint32_t at,
                                               bool may_have_producer);

}  // namespace iggy::decode
