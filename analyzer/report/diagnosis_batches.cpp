// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The rules about what the bytes of a body show: batches that a server drops, and checksums.
#include <fmt/format.h>

#include "capture/address.hpp"
#include "decode/batch_text.hpp"
#include "report/diagnosis.hpp"
#include "report/words.hpp"

namespace analyzer::report {

using connection::Connection;
using connection::Request;
using connection::Side;
using connection::word_of;
using iggy::decode::BatchFault;
using iggy::decode::BatchVerdict;
using iggy::decode::fault_text;
using iggy::decode::WrongChecksums;

namespace {

// "message.send orders/invoices 2 messages", as far as it is known.
std::string name_of(const Request& request) {
  return request.display_name() + (request.subject.empty() ? "" : " ") + request.subject;
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

// Servers store what a producer says.
constexpr std::string_view order_advice =
    "fix or upgrade the library of the producer: servers store and hand on the offset deltas that "
    "it writes, and offsets collide or are skipped; where it writes them right, a range was lost "
    "in "
    "storage";

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
                         to_string(connection.server()), fault_text(wrong).text()),
             "The client waits for an answer until its own deadline.",
             {request.packet},
             dropped_advice(wrong.fault)});
  return true;
}

void Diagnosis::judge_body(const Connection& connection, const iggy::conversation::Ended& ended,
                           const Request& request, const connection::AnswerPlace& answer) {
  const std::optional<FindingId> shown = iggy::conversation::finding_of_body(ended);
  if (!shown) return;
  if (*shown == FindingId::batch_checksum_wrong)
    return answered_wrong(*shown, connection, request, ended.outcome, answer, damage_advice);
  const connection::LoginRecord* login = last_login(connection);
  list_.add(
      *shown, fmt::format("{} {}", alike_text(connection, login), request.display_name()),
      {fmt::format("{} sent {}, which {} refused with status {}: the checksum of the request "
                   "is {:#018x}, and that of its body is {:#018x}.",
                   client_text(connection, login), name_of(request), to_string(connection.server()),
                   error_text(ended.outcome.number), request.body.stamp, request.body.checksum),
       "",
       {request.packet, answer.packet},
       "compare with a capture taken at the client: the body was damaged on the way, or the "
       "client computes the checksum of other bytes"});
}

void Diagnosis::answered_batch(const Connection& connection, const Request& request,
                               const Outcome& outcome, const connection::AnswerPlace& answer) {
  if (is_inconsistent(request.body.batch.fault))
    answered_wrong(FindingId::batch_inconsistent, connection, request, outcome, answer,
                   "fix or upgrade the library of the producer");
}

void Diagnosis::answered_wrong(FindingId shown, const Connection& connection,
                               const Request& request, const Outcome& outcome,
                               const connection::AnswerPlace& answer, std::string_view advice) {
  const BatchVerdict& wrong = request.body.batch;
  const connection::LoginRecord* login = last_login(connection);
  list_.add(
      shown, fmt::format("{} {}", alike_text(connection, login), word_of(wrong.fault)),
      {fmt::format("{} sent {}, which {} answered with {}: {}.", client_text(connection, login),
                   name_of(request), to_string(connection.server()), word_of(outcome),
                   fault_text(wrong).text()),
       "",
       {request.packet, answer.packet},
       std::string(advice)});
}

void Diagnosis::stored_batches(const Connection& connection, const connection::Frame& frame,
                               const iggy::decode::BodyPlan& plan) {
  const bool may_have_producer = iggy::decode::may_name_producer(
      frame.generation, connection.generation_is_certain(frame.from));
  WrongChecksums all;
  const BatchVerdict first =
      iggy::decode::check_batches(plan, frame.raw.body, may_have_producer, &all);
  if (all.count != 0)
    stored_wrong(FindingId::batch_checksum_wrong, connection, frame, all.known.front());
  if (is_inconsistent(first.fault))
    stored_wrong(FindingId::batch_inconsistent, connection, frame, first);
}

void Diagnosis::stored_wrong(FindingId shown, const Connection& connection,
                             const connection::Frame& frame, const BatchVerdict& wrong) {
  const bool by_server = frame.from == Side::server;
  const std::string from = to_string(by_server ? connection.server() : connection.client());
  const std::string to = to_string(by_server ? connection.client() : connection.server());
  const std::string_view name = iggy::decode::command_name_of(frame.facts);
  const bool is_damage = shown == FindingId::batch_checksum_wrong;
  list_.add(shown, fmt::format("{} {} {}", from, name, is_damage ? "" : word_of(wrong.fault)),
            {fmt::format("{} sent {} a {} with {} messages: {}.", from, to, name,
                         is_damage ? "damaged" : "inconsistent", fault_text(wrong).text()),
             "",
             {frame.raw.place.packet},
             std::string(wrong.fault == BatchFault::message_order ? order_advice : damage_advice)});
}

}  // namespace analyzer::report
