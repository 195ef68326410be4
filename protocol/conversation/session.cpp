// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The steps of session.hpp.
#include "conversation/session.hpp"

#include <algorithm>

#include "conversation/target.hpp"
#include "iggy/exchanges.hpp"
#include "iggy/registry.hpp"

namespace iggy::conversation {

Asked asked_of(const decode::Facts& request, std::uint32_t code,
               const std::optional<decode::Login>& login) {
  Asked asked;
  asked.client = request.client;
  asked.code = code;
  asked.operation = request.operation;
  asked.is_legacy = request.form == decode::Form::legacy_request;
  asked.is_login = login.has_value();
  if (login) {
    asked.login = login->kind;
    asked.train = train_of(login->sdk_name, login->sdk_version, login->version);
  }
  return asked;
}

void take_body(Asked& asked, const decode::Facts& request, Dialect sender, decode::Window body) {
  asked.group = group_asked_for(asked.code, body);
  asked.batch = batch_sent(request, sender, asked.code, body);
  asked.patience = patience_of(request, sender, asked.code, body);
  asked.may_be_served = may_be_served(request, sender, asked.code, body);
  asked.sends_nothing = sends_nothing(request, sender, asked.code, body);
  asked.is_offset_of_group = is_offset_of_group(request, sender, asked.code, body);
  asked.stops_servers = stops_servers(request, sender, body);
  asked.truncated_to = truncated_to(request, sender, body);
}

bool DoneSends::contradict(const SentBatch& batch) const {
  bool is_taken = false;
  for (std::size_t i = 0; i < std::min<std::size_t>(count_, last_.size()); ++i) {
    if (last_[i] == batch) return false;
    is_taken |= last_[i].number == batch.number && last_[i].place == batch.place;
  }
  return is_taken;
}

void DoneSends::add(const SentBatch& batch) {
  last_[count_ % last_.size()] = batch;
  ++count_;
}

bool needs_login(const Asked& asked) {
  return asked.operation != operation::register_session && asked.operation != operation::logout &&
         asked.code != code::ping && asked.code != code::logout && !asked.is_login;
}

bool may_have_stopped_server(const Asked& asked, const Outcome& outcome) {
  const Outcome in_doubt{OutcomeKind::result, status::transient_not_committed};
  return asked.stops_servers && (outcome.kind == OutcomeKind::unanswered || outcome == in_doubt);
}

bool shows_metadata_served(const Asked& asked, Generation server, const Outcome& outcome) {
  return outcome.kind == OutcomeKind::ok &&
         (asked.is_login || is_metadata_operation(server, asked.operation));
}

void take_eviction(SessionState& session, std::uint8_t reason) {
  if (reason != reason::stale_client) return;
  session.is_logged_in = false;
  session.is_stale = true;
}

void take_loss(SessionState& session, ClientFacts* client) {
  session.is_uncertain = true;
  if (client != nullptr) client->is_uncertain = true;
}

void take_end(SessionState& session, ClientFacts* client, const Asked& asked,
              const Outcome& outcome) {
  const bool is_done = outcome.kind == OutcomeKind::ok;
  const bool is_sent = is_done && asked.batch.has_value();
  session.is_swallowed = false;
  session.is_number_taken = is_sent && session.sends.contradict(*asked.batch);
  if (is_sent) session.sends.add(*asked.batch);
  if (const Introduced* const command = introduction_of(asked.code); is_done && command != nullptr)
    session.server_shown = std::max(session.server_shown, command->since);
  const bool is_unknown = outcome.kind == OutcomeKind::unknown;
  if (asked.is_login && is_done) {
    session.is_logged_in = true;
    session.is_stale = false;
    session.saw_logout = false;
    session.is_attached = false;
    session.sends = {};
    session.server_shown = {};
    if (client != nullptr) {
      client->registered = true;
      client->logged_out = false;
    }
  }
  const bool is_logout =
      asked.operation == operation::logout || (asked.is_legacy && asked.code == code::logout);
  if (is_logout && (is_done || is_unknown)) {
    session.is_logged_in = false;
    session.saw_logout = true;
    if (client != nullptr) client->logged_out = true;
  }
  if (asked.is_login && is_unknown) session.is_uncertain = true;
  if (asked.code == code::consumer_session_attach && (is_done || is_unknown))
    session.is_attached = true;
  const bool needs_one = needs_login(asked);
  if (needs_one && outcome.is_served()) session.was_served = true;
  if (!is_done || (!asked.is_login && !needs_one)) return;
  session.is_uncertain = false;
  if (client != nullptr) client->is_uncertain = false;
}

void take_answer(SessionState& session, const Asked& asked, const AnswerFacts& answer,
                 std::int64_t time) {
  session.is_swallowed = session.is_number_taken && answer.is_empty;
  if (asked.is_login && answer.number.packed != 0) {
    session.client_train = asked.train;
    session.server_train = answer.train;
    session.server_number = answer.number;
  }
  // A group that is not known may be any.
  const bool is_of_it =
      !asked.group || (session.left_out && session.left_out->group == *asked.group);
  const bool is_over = asked.code == code::consumer_group_leave || answer.assigned.value_or(0) != 0;
  if (asked.is_login || (is_over && is_of_it)) session.left_out.reset();
  if (answer.assigned != 0U || is_of_it) return;
  session.left_out = LeftOut{*asked.group, time};
}

}  // namespace iggy::conversation
