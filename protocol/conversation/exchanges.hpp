// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The requests of one connection that wait for their answers, and answers that came first.
//
// The rules are those of pairing.hpp; this only keeps their state, within a bound. It is the one
// part of the core that allocates: a tool keeps one for each connection, and decoding never meets
// it. What a tool remembers of a request and of an answer is its own.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "conversation/outcome.hpp"
#include "conversation/pairing.hpp"
#include "iggy/registry.hpp"

namespace iggy::conversation {

// What a tool keeps of an answer has to tell how it pairs and what it means.
template <class Record>
concept AnswerLike = requires(const Record& record) {
  { record.key } -> std::convertible_to<Answer>;
  { record.outcome } -> std::convertible_to<Outcome>;
  { record.begin } -> std::convertible_to<std::uint64_t>;  // first byte, in the server's stream
};

// A request that ended.
template <class Request, AnswerLike Record>
struct Resolution {
  Request request;
  Outcome outcome;
  std::optional<Record> answer;  // where it was answered
};

template <class Request, AnswerLike Record>
class Exchanges {
 public:
  using Ended = std::vector<Resolution<Request, Record>>;

  // A request was sent. An answer that was delivered before it (its direction was not stalled by a
  // hole) ends it at once.
  void ask(Request request, const Outstanding& key, const PairingRules& rules, Ended& ended) {
    if (is_one_way(rules.generation, key)) {
      ended.push_back({std::move(request), {OutcomeKind::one_way, 0}, std::nullopt});
      return;
    }
    end_older_with_number(key, ended);
    if (requests_.size() >= (server_was_heard_ ? waiting_limit : waiting_limit_unheard))
      give_up_oldest(ended);
    keys_.push_back(key);
    requests_.push_back(std::move(request));
    // Among the answers that were forgotten may have been its own; any other would be a wrong pair.
    const bool is_forgotten = key.end <= forgotten_acknowledged_;
    if (!is_forgotten && end_with_early(key, rules, ended)) return;
    // A request that was delivered late, its own direction being stalled, may have had its answer
    // in what was hidden before.
    if (!is_forgotten && first_that_may_hide(key) == nullptr) return;
    if (is_found_by_number(key, rules.generation)) {
      keys_.back().is_perhaps_answered = true;
      return;
    }
    ended.push_back({std::move(requests_.back()), {OutcomeKind::unknown, 0}, std::nullopt});
    remove(keys_.size() - 1);
  }

  // The request that the answer belongs to; null where there is none. Valid until the next call.
  const Request* find(const Answer& answer, const PairingRules& rules) const {
    const std::size_t index = answered_by(keys_, answer, rules.generation);
    return index == no_request ? nullptr : &requests_[index];
  }

  // The poll of this number that the server may let wait, as long as it does; null where there is
  // none. Valid until the next call.
  Request* waiting_poll(std::uint64_t number) {
    const auto has_it = [number](const Outstanding& key) {
      return key.request == number && may_be_cancelled(key);
    };
    const auto found = std::find_if(keys_.begin(), keys_.end(), has_it);
    return found == keys_.end() ? nullptr
                                : &requests_[static_cast<std::size_t>(found - keys_.begin())];
  }

  // An answer came: ends its request and those that it shows to be unanswered, or is kept.
  void answer(const Record& answer, const PairingRules& rules, Ended& ended) {
    server_was_heard_ = true;
    const std::size_t index = answered_by(keys_, answer.key, rules.generation);
    if (index != no_request) {
      end_with(index, answer, rules, ended);
      return;
    }
    if (answer.key.is_eviction && eviction_ends_all(rules.generation)) {
      end_all([&answer](const Request&) { return answer.outcome; }, ended);
      return;
    }
    // An eviction that nobody waits for came unasked.
    if (answer.key.is_eviction && answer.key.reason == reason::stale_client) return;
    // Without an acknowledgement nothing tells whether it came before its request.
    if (answer.key.acknowledged == no_acknowledgement) return;
    early_.push_back(answer);
    if (early_.size() <= early_limit) return;
    forgotten_acknowledged_ = std::max(forgotten_acknowledged_, early_.front().key.acknowledged);
    early_.pop_front();
  }

  // Bytes [begin, end) of the server's direction may hide answers.
  void hide(std::uint64_t begin, std::uint64_t end, const PairingRules& rules, Ended& ended) {
    if (hidden_.size() < hidden_limit)
      hidden_.push_back({begin, end});
    else
      hidden_.back().end = end;  // what lies between counts as hidden too
    for (std::size_t i = 0; i < keys_.size();) {
      const bool is_hidden = may_be_hidden(keys_[i], end);
      if (!is_hidden || is_found_by_number(keys_[i], rules.generation)) {
        keys_[i].is_perhaps_answered = keys_[i].is_perhaps_answered || is_hidden;
        ++i;
        continue;
      }
      ended.push_back({std::move(requests_[i]), {OutcomeKind::unknown, 0}, std::nullopt});
      remove(i);
    }
  }

  // Everything that still waits ends by `judge`, but for what a hole may have answered.
  template <class Judge>
  void end_all(Judge judge, Ended& ended) {
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      const Outcome outcome = keys_[i].is_perhaps_answered ? Outcome{OutcomeKind::unknown, 0}
                                                           : judge(std::as_const(requests_[i]));
      ended.push_back({std::move(requests_[i]), outcome, std::nullopt});
    }
    requests_.clear();
    keys_.clear();
  }

  std::size_t waiting() const { return requests_.size(); }
  // Answers that wait for their request.
  std::size_t early() const { return early_.size(); }
  // Requests given up because of the bound.
  std::uint64_t dropped() const { return dropped_; }

 private:
  // Requests that may wait on one connection; no client has so many outstanding (256 in 0.12).
  static constexpr std::size_t waiting_limit = 1024;
  // While the server was not heard at all, as in a capture of one direction.
  static constexpr std::size_t waiting_limit_unheard = 128;
  // Answers that may wait for a request whose direction is stalled by a hole.
  static constexpr std::size_t early_limit = 256;
  // How far a request looks among them; servers answer nearly in order.
  static constexpr std::size_t early_search = 64;
  // Hidden ranges of the server's stream that are told apart.
  static constexpr std::size_t hidden_limit = 64;

  struct Hidden {
    std::uint64_t begin;
    std::uint64_t end;
  };

  // One with the same number is asked again: what comes now is no answer to the older one.
  void end_older_with_number(const Outstanding& key, Ended& ended) {
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      if (!keys_[i].is_perhaps_answered || keys_[i].request != key.request) continue;
      ended.push_back({std::move(requests_[i]), {OutcomeKind::unknown, 0}, std::nullopt});
      remove(i);
      return;
    }
  }

  // Makes room by a quarter at once, so that a crowd that nobody answers costs little each.
  void give_up_oldest(Ended& ended) {
    const auto count = static_cast<std::ptrdiff_t>(requests_.size() / 4);
    for (auto request = requests_.begin(); request != requests_.begin() + count; ++request)
      ended.push_back({std::move(*request), {OutcomeKind::unknown, 0}, std::nullopt});
    requests_.erase(requests_.begin(), requests_.begin() + count);
    keys_.erase(keys_.begin(), keys_.begin() + count);
    dropped_ += static_cast<std::uint64_t>(count);
  }

  // Looks for the answer among those that were delivered before their request.
  bool end_with_early(const Outstanding& key, const PairingRules& rules, Ended& ended) {
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
      const Record answer = early_[i];
      const Outstanding answered = keys_[index];
      forget_early_before(i, answered, rules);
      end_with(index, answer, rules, ended);
      return true;
    }
    return false;
  }

  // The early answer at `index` was used. Those before it stay where their requests may still come.
  void forget_early_before(std::size_t index, const Outstanding& answered,
                           const PairingRules& rules) {
    const auto used = early_.begin() + static_cast<std::ptrdiff_t>(index);
    const auto kept = std::remove_if(early_.begin(), used, [&](const Record& older) {
      return is_passed_over(older.key, answered, rules.generation);
    });
    early_.erase(kept, used + 1);
  }

  const Hidden* first_that_may_hide(const Outstanding& key) const {
    const auto found = std::find_if(hidden_.begin(), hidden_.end(), [&key](const Hidden& hidden) {
      return may_be_hidden(key, hidden.end);
    });
    return found == hidden_.end() ? nullptr : &*found;
  }

  void end_with(std::size_t index, const Record& answer, const PairingRules& rules, Ended& ended) {
    const Outstanding answered = keys_[index];
    const bool ends_all = answer.key.is_eviction && eviction_ends_all(rules.generation);
    ended.push_back({std::move(requests_[index]), answer.outcome, answer});
    remove(index);
    if (ends_all) {
      end_all([&answer](const Request&) { return answer.outcome; }, ended);
      return;
    }
    for (std::size_t i = 0; i < index;) {
      if (is_asked_again(keys_[i], answered) ||
          !ends_unanswered(keys_[i], answered, rules.generation)) {
        ++i;
        continue;
      }
      const OutcomeKind kind = rules.is_certain ? OutcomeKind::unanswered : OutcomeKind::unknown;
      ended.push_back({std::move(requests_[i]), {kind, 0}, std::nullopt});
      remove(i);
      --index;
    }
  }

  void remove(std::size_t index) {
    keys_.erase(keys_.begin() + static_cast<std::ptrdiff_t>(index));
    requests_.erase(requests_.begin() + static_cast<std::ptrdiff_t>(index));
  }

  // Parallel: the keys as the rules want them, and the requests they stand for. Oldest first.
  std::vector<Outstanding> keys_;
  std::vector<Request> requests_;
  std::deque<Record> early_;    // answers without a request, oldest first
  std::vector<Hidden> hidden_;  // in the order of the stream
  bool server_was_heard_ = false;
  // What the answers acknowledged that no longer fit into `early_`.
  std::uint64_t forgotten_acknowledged_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace iggy::conversation
