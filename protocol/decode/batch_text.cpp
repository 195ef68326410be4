// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The words of batch_text.hpp.
#include "decode/batch_text.hpp"

#include <string_view>

namespace iggy::decode {
namespace {

FaultText& add_counted(FaultText& text, std::uint64_t count, std::string_view what) {
  return text.add_number(count).add(" ").add(what).add(count == 1 ? "" : "s");
}

FaultText& add_message(FaultText& text, const BatchVerdict& wrong) {
  return text.add("message ").add_number(wrong.message).add(" (the first is 0)");
}

// With all its zeros, as checksums are compared.
FaultText& add_checksum(FaultText& text, std::uint64_t value) {
  text.add("0x");
  for (int shift = 56; shift >= 0; shift -= 8) {
    const auto pair = hex_pair(static_cast<std::byte>(value >> shift & 0xff));
    text.add({pair.data(), pair.size()});
  }
  return text;
}

// What is left has no room for a header, or the header says that more follows than is left.
void add_length(FaultText& text, const BatchVerdict& wrong) {
  const bool is_batch = wrong.fault == BatchFault::batch_length;
  const bool is_short = wrong.found < wrong.expected;
  if (is_batch)
    text.add("the batch");
  else
    add_message(text, wrong);
  add_counted(text.add(is_short ? " has " : " says that it has "), wrong.found, "byte");
  if (is_short)
    text.add(", where at least ").add_number(wrong.expected).add(" are expected");
  else
    text.add(is_batch ? ", and " : " behind its header, and ")
        .add_number(wrong.expected)
        .add(" are left");
}

void add_checksums(FaultText& text, const BatchVerdict& wrong) {
  text.add("the checksum of ");
  if (wrong.fault == BatchFault::batch_checksum)
    text.add("the batch");
  else
    add_message(text, wrong);
  add_checksum(text.add(" is "), wrong.found);
  add_checksum(text.add(", and that of its bytes "), wrong.expected);
}

void add_count(FaultText& text, const BatchVerdict& wrong) {
  text.add(wrong.fault == BatchFault::message_count ? "the batch says that it holds "
                                                    : "what is around it counts ");
  add_counted(text, wrong.found, "message")
      .add(wrong.expected == 1 ? ", and there is " : ", and there are ")
      .add_number(wrong.expected);
}

}  // namespace

std::string_view word_of(BatchFault fault) {
  switch (fault) {
    case BatchFault::none:
      return {};
    case BatchFault::metadata:
      return "metadata";
    case BatchFault::batch_length:
      return "batch_length";
    case BatchFault::reserved:
      return "reserved";
    case BatchFault::producer:
      return "producer";
    case BatchFault::message_length:
      return "message_length";
    case BatchFault::message_reserved:
      return "message_reserved";
    case BatchFault::message_checksum:
      return "message_checksum";
    case BatchFault::message_count:
      return "message_count";
    case BatchFault::batch_checksum:
      return "batch_checksum";
    case BatchFault::no_messages:
      return "no_messages";
    case BatchFault::messages_count:
      return "messages_count";
    case BatchFault::trailing:
      return "trailing";
    case BatchFault::older_layout:
      return "older_layout";
    case BatchFault::stamped:
      return "stamped";
    case BatchFault::message_order:
      return "message_order";
    case BatchFault::partition:
      return "partition";
    case BatchFault::records_length:
      return "records_length";
  }
  return {};
}

FaultText fault_text(const BatchVerdict& wrong) {
  FaultText text;
  switch (wrong.fault) {
    case BatchFault::none:
      break;
    case BatchFault::metadata:
      text.add("the metadata in front of the batch cannot be read, or is not as long as it says");
      break;
    case BatchFault::batch_length:
    case BatchFault::message_length:
      add_length(text, wrong);
      break;
    case BatchFault::reserved:
      text.add("byte ").add_number(wrong.offset).add(" of the body is ");
      text.add_number(wrong.found).add(", where 0 ");
      text.add(wrong.expected == 0 ? "is expected" : "or 1 is expected");
      break;
    case BatchFault::producer:
      text.add("a number of the batch's producer is ").add_number(wrong.found);
      text.add(", and servers take ").add_number(wrong.expected).add(" at most");
      break;
    case BatchFault::message_reserved:
      add_message(text.add("the reserved bytes of "), wrong).add(" are ");
      text.add_number(wrong.found).add(", where 0 is expected");
      break;
    case BatchFault::message_checksum:
    case BatchFault::batch_checksum:
      add_checksums(text, wrong);
      break;
    case BatchFault::message_count:
    case BatchFault::messages_count:
      add_count(text, wrong);
      break;
    case BatchFault::no_messages:
      text.add("the batch holds 0 messages, where 1 is expected at least");
      break;
    case BatchFault::trailing:
      add_counted(text, wrong.found, "byte").add(" behind the batch, where 0 are expected");
      break;
    case BatchFault::older_layout:
      text.add(
          "its messages have the layout of releases before 0.11.0-edge.4, without the header "
          "of a batch");
      break;
    case BatchFault::stamped:
      text.add("byte ").add_number(wrong.offset).add(" of the body, which only servers set, is ");
      text.add_number(wrong.found).add(", where 0 is expected");
      break;
    case BatchFault::message_order:
      add_message(text.add("the offset delta of "), wrong).add(" is ").add_number(wrong.found);
      text.add(", where ").add_number(wrong.expected).add(" is expected");
      break;
    case BatchFault::partition:
      text.add("the batch is of partition ").add_number(wrong.found);
      text.add(", where ").add_number(wrong.expected).add(" is expected");
      break;
    case BatchFault::records_length:
      text.add("the records of its partitions are ").add_number(wrong.expected);
      text.add(" bytes long, and it says ").add_number(wrong.found);
      break;
  }
  return text;
}

}  // namespace iggy::decode
