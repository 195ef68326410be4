// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Requests that a client sends again and again because the server answers that it cannot take them
// now. A few of these answers are the ordinary way through an election, so that only many count.
#include <fmt/format.h>

#include "capture/address.hpp"
#include "iggy/errors.hpp"
#include "report/diagnosis.hpp"
#include "report/words.hpp"

namespace analyzer::report {

using connection::Connection;
using connection::OutcomeKind;
using connection::Request;
using connection::word_of;
using iggy::error_code;

namespace {

// SDKs send such a request again after 50 ms at first and after a second at last. What comes later
// is a request of its own.
constexpr std::int64_t longest_pause = std::int64_t{2} * 1'000'000'000;
constexpr std::uint64_t many = 10;
constexpr std::uint64_t several = 3;
constexpr std::int64_t long_time = std::int64_t{1} * 1'000'000'000;

// Requests of one connection that are followed at a time.
constexpr std::size_t retries_limit = 16;

constexpr std::uint32_t not_committed = error_code("TransientNotCommitted");
constexpr std::uint32_t not_accepted = error_code("TransientNotAccepted");

bool is_transient(const Outcome& outcome) {
  return (outcome.kind == OutcomeKind::status || outcome.kind == OutcomeKind::result) &&
         (outcome.number == not_committed || outcome.number == not_accepted);
}

}  // namespace

void Diagnosis::follow_retries(const Connection& connection, const Request& request,
                               const Outcome& outcome, const connection::AnswerPlace& answer) {
  const bool is_again = is_transient(outcome);
  const auto known_connection = memories_.find(connection.id());
  const bool has_any =
      known_connection != memories_.end() && !known_connection->second.retries.empty();
  if (!is_again && !has_any) return;
  auto& retries = memories_[connection.id()].retries;
  auto known = retries.find({request.display_name(), request.number});
  if (known != retries.end() && request.time - known->second.last_time > longest_pause) {
    tell_retries(connection, known->second, {});
    retries.erase(known);
    known = retries.end();
  }
  if (!is_again) {
    if (known == retries.end()) return;
    tell_retries(connection, known->second, outcome);
    retries.erase(known);
    return;
  }
  if (known == retries.end()) {
    if (retries.size() >= retries_limit) return;
    known = retries.emplace(std::pair(request.display_name(), request.number), Retry{}).first;
    known->second.what = asked_text(request);
    known->second.first_time = request.time;
  }
  Retry& retry = known->second;
  ++retry.count;
  retry.last_time = answer.time;
  retry.code = outcome.number;
  if (retry.packets.size() < retry_packets) {
    retry.packets.push_back(request.packet);
    retry.packets.push_back(answer.packet);
  }
}

// `end` is how the request ended at last; nothing where the client gave up.
void Diagnosis::tell_retries(const Connection& connection, const Retry& retry,
                             const std::optional<Outcome>& end) {
  const std::int64_t duration = retry.last_time - retry.first_time;
  if (retry.count < many && (retry.count < several || duration < long_time)) return;
  const bool is_done = end && end->is_served();
  const std::string last = is_done ? "then it was done"
                           : end   ? "at last " + word_of(*end)
                                   : "and it was not sent again";
  const connection::LoginRecord* login = last_login(connection);
  const bool is_unknown = retry.code == not_committed;
  list_.add(FindingId::transient_retry_storm,
            fmt::format("{} {} {}", retry.what, retry.code, alike_text(connection, login)),
            {fmt::format("{} sent {} to {} and got {} {} in {}, {}.",
                         client_text(connection, login), retry.what, to_string(connection.server()),
                         error_text(retry.code), counted(retry.count, "time"),
                         duration_text(static_cast<std::uint64_t>(duration) / 1000), last),
             is_unknown ? "The server took it and gave its commit up: whether it is done is not "
                          "known."
                        : "The server is not the primary, is in a change of view, or its partition "
                          "is not ready.",
             retry.packets,
             "nothing, for a few seconds around an election; if it goes on, ask which node leads "
             "(cluster.metadata) and whether a majority of the nodes is up"});
}

void Diagnosis::end_retries(const Connection& connection, const Memory& memory) {
  for (const auto& [request, retry] : memory.retries) tell_retries(connection, retry, {});
}

}  // namespace analyzer::report
