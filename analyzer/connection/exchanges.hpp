// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The requests of one connection that wait for their answers, and answers that came first.
//
// The rules are those of conversation/pairing.hpp; this only keeps their state, within a bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "connection/frame.hpp"
#include "conversation/pairing.hpp"

namespace analyzer::connection {

using iggy::conversation::Answer;
using iggy::conversation::Outstanding;

// What the reply to a login said, kept until its request is known.
struct LoginAnswer {
  std::uint32_t user_id = 0;
  std::uint64_t session = 0;
  Version server_version_number;
  std::string server_version;
};

// An answer with all that is needed to end a request with it.
struct AnswerRecord {
  Answer key;
  Outcome outcome;
  AnswerPlace place;
  std::uint64_t begin = 0;  // offset of its first byte in the server's stream
  std::optional<LoginAnswer> login;
};

struct Resolution {
  Request request;
  Outcome outcome;
  std::optional<AnswerPlace> answer;
  std::optional<LoginAnswer> login;
};

// By which rules answers find their requests.
struct PairingRules {
  Generation generation = Generation::unknown;  // of the server
  // Known and not inferred; else requests that an answer passes over end as unknown, since a server
  // of 0.12 may answer them yet.
  bool is_certain = true;
};

class Exchanges {
 public:
  // A request was sent. An answer that was delivered before it (its direction was not stalled by a
  // hole) ends it at once.
  void ask(const Request& request, const Outstanding& key, const PairingRules& rules,
           std::vector<Resolution>& ended);

  // The request that the answer belongs to; null where there is none. Valid until the next call.
  const Request* find(const Answer& answer, const PairingRules& rules) const;
  // An answer came: ends its request and those that it shows to be unanswered, or keeps the answer.
  void answer(const AnswerRecord& answer, const PairingRules& rules,
              std::vector<Resolution>& ended);

  // Bytes [begin, end) of the server's direction may hide answers.
  void hide(std::uint64_t begin, std::uint64_t end, std::vector<Resolution>& ended);
  // Everything that still waits ends by `judge`.
  template <class Judge>
  void end_all(Judge judge, std::vector<Resolution>& ended) {
    for (Request& request : requests_)
      ended.push_back({request, judge(request), std::nullopt, std::nullopt});
    requests_.clear();
    keys_.clear();
  }

  std::size_t waiting() const { return requests_.size(); }
  std::uint64_t dropped() const { return dropped_; }

 private:
  struct Hidden {
    std::uint64_t begin;
    std::uint64_t end;
  };

  bool end_with_early(const Outstanding& key, const PairingRules& rules,
                      std::vector<Resolution>& ended);
  const Hidden* first_that_may_hide(const Outstanding& key) const;
  void end_with(std::size_t index, const AnswerRecord& answer, const PairingRules& rules,
                std::vector<Resolution>& ended);
  void remove(std::size_t index);
  void give_up_oldest(std::vector<Resolution>& ended);

  // Parallel: the keys as the rules want them, and the requests they stand for. Oldest first.
  std::vector<Outstanding> keys_;
  std::vector<Request> requests_;
  std::deque<AnswerRecord> early_;  // answers without a request, oldest first
  std::vector<Hidden> hidden_;      // in the order of the stream
  bool server_was_heard_ = false;
  // What the answers acknowledged that no longer fit into `early_`.
  std::uint64_t forgotten_acknowledged_ = 0;
  std::uint64_t dropped_ = 0;  // requests given up because of the bound
};

}  // namespace analyzer::connection
