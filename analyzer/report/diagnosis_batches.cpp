// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The rules about what the bytes of a body show: batches that a server drops, and checksums.
#include <fmt/format.h>

#include "capture/address.hpp"
#include "decode/batch_check.hpp"
#include "report/diagnosis.hpp"
#include "report/words.hpp"

namespace analyzer::report {

using connection::Connection;
using connection::Request;
using connection::Side;
using connection::word_of;
using iggy::decode::BatchFault;
using iggy::decode::BatchVerdict;
using iggy::decode::WrongChecksums;

namespace {

// "message.send orders/invoices 2 messages", as far as it is known.
std::string name_of(const Request& request) {
  return request.display_name() + (request.subject.empty() ? "" : " ") + request.subject;
}

// What is wrong with a batch, as the end of a sentence.
std::string fault_text(const BatchVerdict& wrong) {
  switch (wrong.fault) {
    case BatchFault::none:
      break;
    case BatchFault::metadata:
      return "the metadata in front of the batch cannot be read, or is not as long as it says";
    case BatchFault::batch_length:
      return fmt::format("the batch says that it has {} bytes, where {} fit", wrong.found,
                         wrong.expected);
    case BatchFault::reserved:
      return fmt::format("byte {} of the body, which every sender leaves zero, is {}", wrong.offset,
                         wrong.found);
    case BatchFault::message_length:
      return fmt::format("message {} (the first is 0) goes beyond the end of the batch",
                         wrong.message);
    case BatchFault::message_reserved:
      return fmt::format("the reserved bytes of message {} (the first is 0) are not zero",
                         wrong.message);
    case BatchFault::message_checksum:
      return fmt::format(
          "the checksum of message {} (the first is 0) is {:#018x}, and that of its bytes is "
          "{:#018x}",
          wrong.message, wrong.found, wrong.expected);
    case BatchFault::message_count:
      return fmt::format("the batch says that it holds {}, and it holds {}",
                         counted(wrong.found, "message"), wrong.expected);
    case BatchFault::batch_checksum:
      return fmt::format("the checksum of the batch is {:#018x}, and that of its bytes is {:#018x}",
                         wrong.found, wrong.expected);
    case BatchFault::no_messages:
      return "the batch holds no message";
    case BatchFault::messages_count:
      return fmt::format("the metadata counts {}, and the batch holds {}",
                         counted(wrong.found, "message"), wrong.expected);
    case BatchFault::trailing:
      return fmt::format("{} behind the batch belong to nothing", counted(wrong.found, "byte"));
    case BatchFault::older_layout:
      return "its messages have the layout of releases before 0.11.0-edge.4, without the header of "
             "a batch";
    case BatchFault::stamped:
    case BatchFault::message_order:
    case BatchFault::partition:
      break;  // no server refuses them
  }
  return {};
}

std::string dropped_advice(BatchFault fault) {
  if (fault == BatchFault::older_layout)
    return "upgrade the client to the release train of the server, whose batches have a header";
  if (is_checksum(fault))
    return "fix or upgrade the library of the producer; where other sends of it are right, compare "
           "with a capture taken at the client: the bytes may be damaged on the way";
  return "fix or upgrade the library of the producer: it writes batches that no server takes";
}

constexpr std::string_view damage_advice =
    "compare captures of both ends; in what a server sends, look for damaged storage or memory and "
    "keep system.partition.validate_checksum on, which is the default; in what a client sends, fix "
    "or upgrade the library of the producer";

}  // namespace

// Where the two sides do not speak the same protocol, that explains the silence.
bool Diagnosis::is_batch_dropped(const Connection& connection, const Request& request) {
  const BatchVerdict& wrong = request.body.batch;
  const FindingId shown = iggy::conversation::finding_of_silence(wrong.fault);
  if (shown != FindingId::invalid_batch_silently_dropped ||
      iggy::conversation::explain_silence(connection.generation(Side::client),
                                          connection.generation(Side::server)))
    return false;
  const connection::LoginRecord* login = last_login(connection);
  list_.add(shown, fmt::format("{} {}", alike_text(connection, login), word_of(wrong.fault)),
            {fmt::format("{} sent {}, which {} dropped without an answer: {}.",
                         client_text(connection, login), name_of(request),
                         to_string(connection.server()), fault_text(wrong)),
             "The client waits for an answer until its own deadline.",
             {request.packet},
             dropped_advice(wrong.fault)});
  return true;
}

void Diagnosis::judge_body(const Connection& connection, const iggy::conversation::Ended& ended,
                           const Request& request, const connection::AnswerPlace& answer) {
  const std::optional<FindingId> shown = iggy::conversation::finding_of_body(ended);
  if (!shown) return;
  const connection::LoginRecord* login = last_login(connection);
  const std::string client = client_text(connection, login);
  const std::string server = to_string(connection.server());
  const std::string name = name_of(request);
  if (*shown == FindingId::batch_checksum_wrong) {
    list_.add(
        *shown,
        fmt::format("{} {}", alike_text(connection, login), word_of(request.body.batch.fault)),
        {fmt::format("{} sent {}, which {} answered with {}: {}.", client, name, server,
                     word_of(ended.outcome), fault_text(request.body.batch)),
         "",
         {request.packet, answer.packet},
         std::string(damage_advice)});
    return;
  }
  list_.add(*shown, fmt::format("{} {}", alike_text(connection, login), request.display_name()),
            {fmt::format("{} sent {}, which {} refused with status {}: the checksum of the request "
                         "is {:#018x}, and that of its body is {:#018x}.",
                         client, name, server, error_text(ended.outcome.number), request.body.stamp,
                         request.body.checksum),
             "",
             {request.packet, answer.packet},
             "compare with a capture taken at the client: the body was damaged on the way, or the "
             "client computes the checksum of other bytes"});
}

void Diagnosis::stored_batches(const Connection& connection, const connection::Frame& frame,
                               const iggy::decode::BodyPlan& plan) {
  const bool may_have_producer = iggy::decode::may_name_producer(
      frame.generation, connection.generation_is_certain(frame.from));
  WrongChecksums all;
  iggy::decode::check_batches(plan, frame.raw.body, may_have_producer, &all);
  if (all.count == 0) return;
  const BatchVerdict& wrong = all.known.front();
  const bool by_server = frame.from == Side::server;
  const std::string from = to_string(by_server ? connection.server() : connection.client());
  const std::string to = to_string(by_server ? connection.client() : connection.server());
  list_.add(FindingId::batch_checksum_wrong,
            fmt::format("{} {}", from, iggy::decode::command_name_of(frame.facts)),
            {fmt::format("{} sent {} a {} with damaged messages: {}.", from, to,
                         iggy::decode::command_name_of(frame.facts), fault_text(wrong)),
             "",
             {frame.raw.place.packet},
             std::string(damage_advice)});
}

}  // namespace analyzer::report
