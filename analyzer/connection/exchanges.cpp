// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include "connection/exchanges.hpp"

#include <algorithm>

namespace analyzer::connection {

using iggy::conversation::answered_by;
using iggy::conversation::no_request;

namespace {

// Requests that may wait on one connection; no client has so many outstanding (256 in 0.12).
constexpr std::size_t waiting_limit = 1024;
// Answers that may wait for a request whose direction is stalled by a hole.
constexpr std::size_t early_limit = 4096;
// How far a request looks among them; servers answer nearly in order.
constexpr std::size_t early_search = 64;

}  // namespace

void Exchanges::ask(const Request& request, const Outstanding& key, Generation server,
                    std::vector<Resolution>& ended) {
  if (requests_.size() >= waiting_limit) {
    ended.push_back({requests_.front(), {OutcomeKind::pending, 0}, std::nullopt, std::nullopt});
    remove(0);
    ++dropped_;
  }
  keys_.push_back(key);
  requests_.push_back(request);
  // An answer acknowledges what it answers. Those that do not reach this request can never belong
  // to it or to a later one.
  while (!early_.empty() &&
         (early_.front().key.acknowledged == iggy::conversation::no_acknowledgement ||
          early_.front().key.acknowledged < key.end))
    early_.pop_front();
  const std::size_t bound = std::min(early_.size(), early_search);
  for (std::size_t i = 0; i < bound; ++i) {
    const std::size_t index = answered_by(keys_, early_[i].key, server);
    if (index == no_request) continue;
    const AnswerRecord answer = early_[i];
    early_.erase(early_.begin(), early_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    end_with(index, answer, server, ended);
    return;
  }
}

const Request* Exchanges::find(const Answer& answer, Generation server) const {
  const std::size_t index = answered_by(keys_, answer, server);
  return index == no_request ? nullptr : &requests_[index];
}

void Exchanges::answer(const AnswerRecord& answer, Generation server,
                       std::vector<Resolution>& ended) {
  const std::size_t index = answered_by(keys_, answer.key, server);
  if (index != no_request) {
    end_with(index, answer, server, ended);
    return;
  }
  if (answer.key.is_eviction && iggy::conversation::eviction_ends_all(server)) {
    end_all([&answer](const Request&) { return answer.outcome; }, ended);
    return;
  }
  // An eviction that nobody waits for came unasked.
  if (answer.key.is_eviction && answer.key.reason == 13) return;
  early_.push_back(answer);
  if (early_.size() > early_limit) early_.pop_front();
}

void Exchanges::end_with(std::size_t index, const AnswerRecord& answer, Generation server,
                         std::vector<Resolution>& ended) {
  const Outstanding answered = keys_[index];
  const bool ends_all = answer.key.is_eviction && iggy::conversation::eviction_ends_all(server);
  ended.push_back({requests_[index], answer.outcome, answer.place, answer.login});
  remove(index);
  if (ends_all) {
    end_all([&answer](const Request&) { return answer.outcome; }, ended);
    return;
  }
  for (std::size_t i = index; i-- > 0;) {
    if (!iggy::conversation::ends_unanswered(keys_[i], answered, server)) continue;
    ended.push_back({requests_[i], {OutcomeKind::unanswered, 0}, std::nullopt, std::nullopt});
    remove(i);
  }
}

void Exchanges::hide(std::uint64_t hole_end, std::vector<Resolution>& ended) {
  for (std::size_t i = keys_.size(); i-- > 0;) {
    if (!iggy::conversation::may_be_hidden(keys_[i], hole_end)) continue;
    ended.push_back({requests_[i], {OutcomeKind::unknown, 0}, std::nullopt, std::nullopt});
    remove(i);
  }
}

void Exchanges::remove(std::size_t index) {
  keys_.erase(keys_.begin() + static_cast<std::ptrdiff_t>(index));
  requests_.erase(requests_.begin() + static_cast<std::ptrdiff_t>(index));
}

}  // namespace analyzer::connection
