// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The rules of pairing.hpp.
#include "conversation/pairing.hpp"

#include <algorithm>

#include "iggy/conduct.hpp"
#include "iggy/exchanges.hpp"
#include "iggy/registry.hpp"

namespace iggy::conversation {
namespace {

// Commands that a server of 0.11 hands to the partition and answers when that is done; all others
// are taken off the connection one by one, each answered before the next.
bool is_in_order(std::uint8_t operation) {
  return operation < operation::first_partition && operation != operation::delete_segments;
}

bool is_login(const Outstanding& request) {
  if (request.operation == operation::register_session) return true;
  return request.operation == operation::non_replicated &&
         (request.code == code::login || request.code == code::login_with_token ||
          request.code == code::session_bind);
}

bool is_metadata(std::uint8_t operation) {
  return operation >= operation::first_internal && operation < operation::first_partition;
}

// Whether an eviction with this reason can be the answer to the request.
// Source: the constructors of evictions in core/server and core/consensus.
bool reason_answers(std::uint8_t reason, const Outstanding& request) {
  const bool replicated =
      request.operation == operation::logout || request.operation >= operation::first_internal;
  switch (reason) {
    case reason::no_session:
      return replicated;
    case reason::session_too_low:
    case reason::session_release_mismatch:  // without a producer up to 0.12
      return replicated || request.operation == operation::register_session;
    case reason::invalid_request_operation:
    case reason::invalid_request_body:
    case reason::invalid_request_body_size:  // without a producer
      return is_metadata(request.operation);
    case reason::stale_client:  // comes unasked
      return false;
    case reason::client_release_too_low:   // without a producer
    case reason::client_release_too_high:  // likewise
    case reason::invalid_credentials:
    case reason::invalid_token:
    case reason::user_inactive:
    case reason::session_error:
    case reason::incompatible_protocol:
    case reason::malformed_login:
      return is_login(request);
    default:
      return true;  // of a reason that nobody knows nothing can be said
  }
}

bool answers(const Outstanding& request, const Answer& answer) {
  if (answer.is_eviction) return reason_answers(answer.reason, request);
  if (request.operation != requested_operation(answer.operation) &&
      request.operation != answer.operation)
    return false;
  if (request.request == answer.request) return true;
  // Partitions answer with at least 1 where the request said 0.
  return request.operation >= operation::first_partition && request.request == 0 &&
         answer.request == 1;
}

// The server had the whole request when it answered, and says so in the same segment.
bool was_received(const Outstanding& request, const Answer& answer) {
  return answer.acknowledged == no_acknowledgement || request.end <= answer.acknowledged;
}

bool has_answer(const Outstanding& request, Generation server) {
  return is_answerable(server, request.operation, request.client_is_zero) &&
         !is_one_way(server, request);
}

// The last one that asks for the same as the request at `first`, which was given up before.
std::size_t last_asked(std::span<const Outstanding> waiting, std::size_t first,
                       const Answer& answer) {
  std::size_t last = first;
  for (std::size_t i = first + 1; i < waiting.size(); ++i)
    if (is_asked_again(waiting[last], waiting[i]) && was_received(waiting[i], answer)) last = i;
  return last;
}

}  // namespace

Outstanding outstanding_of(const decode::Facts& request) {
  Outstanding key;
  key.request = request.request;
  key.code = request.code;
  key.operation = request.operation;
  key.is_legacy = request.form == decode::Form::legacy_request;
  key.client_is_zero = !key.is_legacy && request.client.is_zero();
  return key;
}

Answer answer_of(const decode::Facts& answer) {
  Answer key;
  key.is_eviction = answer.is(Command::Eviction);
  key.operation = answer.operation;
  key.reason = answer.reason;
  key.request = answer.request;
  return key;
}

std::size_t answered_by(std::span<const Outstanding> waiting, const Answer& answer,
                        Generation server) {
  const bool by_order = server == Generation::legacy;
  const bool by_number = conduct_of(server).answers_by_number && !answer.is_eviction;
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    const Outstanding& request = waiting[i];
    if (!has_answer(request, server) || !was_received(request, answer)) continue;
    if (by_order) return i;
    // The requests of a connection without a session all have number 0.
    const bool is_numbered = by_number && answer.request != 0;
    if (is_numbered ? request.request == answer.request : answers(request, answer))
      return last_asked(waiting, i, answer);
  }
  return no_request;
}

bool is_asked_again(const Outstanding& request, const Outstanding& later) {
  // Reads have the number of the write that comes next.
  const bool has_own_number =
      !request.is_legacy && request.request != 0 && request.operation != operation::non_replicated;
  return has_own_number && !later.is_legacy && request.request == later.request &&
         request.operation == later.operation && later.time >= request.given_up;
}

bool ends_unanswered(const Outstanding& older, const Outstanding& answered, Generation server) {
  if (conduct_of(server).answers_by_number) return false;
  if (server == Generation::legacy) return true;
  return is_in_order(answered.operation) && is_in_order(older.operation);
}

bool is_passed_over(const Answer& older, const Outstanding& answered, Generation server) {
  if (conduct_of(server).answers_by_number) return false;
  if (server == Generation::legacy || older.is_eviction) return true;
  return is_in_order(answered.operation) && is_in_order(requested_operation(older.operation));
}

bool eviction_ends_all(Generation server) {
  return conduct_of(server).evicts_all_at_once;
}

bool may_be_hidden(const Outstanding& request, std::uint64_t hole_end) {
  return request.acknowledged == no_acknowledgement || request.acknowledged < hole_end;
}

bool is_found_by_number(const Outstanding& request, Generation server) {
  return conduct_of(server).answers_by_number && !request.is_legacy && request.request != 0;
}

bool is_one_way(Generation server, std::uint32_t code) {
  const Exchange* const exchange = find_code(server, code);
  return exchange != nullptr && exchange->is_one_way;
}

bool is_one_way(Generation server, const Outstanding& request) {
  return request.operation == operation::non_replicated && !request.is_legacy &&
         is_one_way(server, request.code);
}

bool is_cancellation(std::uint32_t code) {
  return code == command_code("message.cancel_deferred");
}

bool may_be_cancelled(const Outstanding& request) {
  return request.operation == operation::non_replicated && !request.is_legacy &&
         may_wait(request.code);
}

bool is_answerable(Generation server, std::uint8_t operation, bool client_is_zero) {
  if (server == Generation::legacy) return true;
  if (client_is_zero || operation == operation::reserved) return false;
  return conduct_of(server).answers_unknown_operations ||
         is_known_operation(Generation::v0_11, operation);
}

}  // namespace iggy::conversation
