// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Requests that wait, and answers that came before their request was seen. Bounded both.
#include "connection/exchanges.hpp"

#include <algorithm>

namespace analyzer::connection {

using iggy::conversation::answered_by;
using iggy::conversation::no_request;

namespace {

// Requests that may wait on one connection; no client has so many outstanding (256 in 0.12).
constexpr std::size_t waiting_limit = 1024;
// While the server was not heard at all, as in a capture of one direction.
constexpr std::size_t waiting_limit_unheard = 128;
// Answers that may wait for a request whose direction is stalled by a hole.
constexpr std::size_t early_limit = 256;
// How far a request looks among them; servers answer nearly in order.
constexpr std::size_t early_search = 64;
// Hidden ranges of the server's stream that are told apart.
constexpr std::size_t hidden_limit = 64;

}  // namespace

void Exchanges::ask(const Request& request, const Outstanding& key, const PairingRules& rules,
                    std::vector<Resolution>& ended) {
  if (requests_.size() >= (server_was_heard_ ? waiting_limit : waiting_limit_unheard))
    give_up_oldest(ended);
  keys_.push_back(key);
  requests_.push_back(request);
  // Among the answers that were forgotten may have been its own; any other would be a wrong pair.
  const bool is_forgotten = key.end <= forgotten_acknowledged_;
  if (!is_forgotten && end_with_early(key, rules, ended)) return;
  // A request that was delivered late, its own direction being stalled, may have had its answer in
  // what was hidden before.
  if (!is_forgotten && first_that_may_hide(key) == nullptr) return;
  ended.push_back({request, {OutcomeKind::unknown, 0}, std::nullopt, std::nullopt});
  remove(keys_.size() - 1);
}

// Makes room by a quarter at once, so that a crowd that nobody answers costs little each.
void Exchanges::give_up_oldest(std::vector<Resolution>& ended) {
  const auto count = static_cast<std::ptrdiff_t>(requests_.size() / 4);
  for (auto request = requests_.begin(); request != requests_.begin() + count; ++request)
    ended.push_back({*request, {OutcomeKind::unknown, 0}, std::nullopt, std::nullopt});
  requests_.erase(requests_.begin(), requests_.begin() + count);
  keys_.erase(keys_.begin(), keys_.begin() + count);
  dropped_ += static_cast<std::uint64_t>(count);
}

// Looks for the answer among those that were delivered before their request.
bool Exchanges::end_with_early(const Outstanding& key, const PairingRules& rules,
                               std::vector<Resolution>& ended) {
  // An answer acknowledges what it answers. Those that do not reach this request can never belong
  // to it or to a later one.
  while (!early_.empty() && early_.front().key.acknowledged < key.end) early_.pop_front();
  const Hidden* hidden = first_that_may_hide(key);
  const std::size_t bound = std::min(early_.size(), early_search);
  for (std::size_t i = 0; i < bound; ++i) {
    // Nothing pairs across what was hidden.
    if (hidden != nullptr && early_[i].begin >= hidden->begin) return false;
    const std::size_t index = answered_by(keys_, early_[i].key, rules.generation);
    if (index == no_request) continue;
    const AnswerRecord answer = early_[i];
    early_.erase(early_.begin(), early_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    end_with(index, answer, rules, ended);
    return true;
  }
  return false;
}

const Exchanges::Hidden* Exchanges::first_that_may_hide(const Outstanding& key) const {
  const auto found = std::find_if(hidden_.begin(), hidden_.end(), [&key](const Hidden& hidden) {
    return iggy::conversation::may_be_hidden(key, hidden.end);
  });
  return found == hidden_.end() ? nullptr : &*found;
}

const Request* Exchanges::find(const Answer& answer, const PairingRules& rules) const {
  const std::size_t index = answered_by(keys_, answer, rules.generation);
  return index == no_request ? nullptr : &requests_[index];
}

void Exchanges::answer(const AnswerRecord& answer, const PairingRules& rules,
                       std::vector<Resolution>& ended) {
  server_was_heard_ = true;
  const std::size_t index = answered_by(keys_, answer.key, rules.generation);
  if (index != no_request) {
    end_with(index, answer, rules, ended);
    return;
  }
  if (answer.key.is_eviction && iggy::conversation::eviction_ends_all(rules.generation)) {
    end_all([&answer](const Request&) { return answer.outcome; }, ended);
    return;
  }
  // An eviction that nobody waits for came unasked.
  if (answer.key.is_eviction && answer.key.reason == iggy::reason::stale_client) return;
  // Without an acknowledgement nothing tells whether it came before its request.
  if (answer.key.acknowledged == iggy::conversation::no_acknowledgement) return;
  early_.push_back(answer);
  if (early_.size() <= early_limit) return;
  forgotten_acknowledged_ = std::max(forgotten_acknowledged_, early_.front().key.acknowledged);
  early_.pop_front();
}

void Exchanges::end_with(std::size_t index, const AnswerRecord& answer, const PairingRules& rules,
                         std::vector<Resolution>& ended) {
  const Outstanding answered = keys_[index];
  const bool ends_all =
      answer.key.is_eviction && iggy::conversation::eviction_ends_all(rules.generation);
  ended.push_back({requests_[index], answer.outcome, answer.place, answer.login});
  remove(index);
  if (ends_all) {
    end_all([&answer](const Request&) { return answer.outcome; }, ended);
    return;
  }
  for (std::size_t i = 0; i < index;) {
    if (!iggy::conversation::ends_unanswered(keys_[i], answered, rules.generation)) {
      ++i;
      continue;
    }
    const OutcomeKind kind = rules.is_certain ? OutcomeKind::unanswered : OutcomeKind::unknown;
    ended.push_back({requests_[i], {kind, 0}, std::nullopt, std::nullopt});
    remove(i);
    --index;
  }
}

void Exchanges::hide(std::uint64_t begin, std::uint64_t end, std::vector<Resolution>& ended) {
  if (hidden_.size() < hidden_limit)
    hidden_.push_back({begin, end});
  else
    hidden_.back().end = end;  // what lies between counts as hidden too
  for (std::size_t i = 0; i < keys_.size();) {
    if (!iggy::conversation::may_be_hidden(keys_[i], end)) {
      ++i;
      continue;
    }
    ended.push_back({requests_[i], {OutcomeKind::unknown, 0}, std::nullopt, std::nullopt});
    remove(i);
  }
}

void Exchanges::remove(std::size_t index) {
  keys_.erase(keys_.begin() + static_cast<std::ptrdiff_t>(index));
  requests_.erase(requests_.begin() + static_cast<std::ptrdiff_t>(index));
}

}  // namespace analyzer::connection
