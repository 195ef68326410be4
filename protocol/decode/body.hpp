// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Which layout the body of a frame has. This is the one place that decides it.
//
// From what the sender speaks, command, operation, code and status, and for replies from the
// request that they answer. Bodies without tables yet are named as such, never guessed.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "decode/facts.hpp"
#include "decode/login.hpp"
#include "decode/walk.hpp"
#include "decode/window.hpp"
#include "describe/field.hpp"
#include "iggy/dialect.hpp"
#include "iggy/generation.hpp"
#include "iggy/registry.hpp"

namespace iggy::decode {

enum class BodyState : std::uint8_t {
  none,       // the frame has no body by design
  empty,      // a body could stand here and has no bytes
  decoded,    // `layout` describes all of it
  partly,     // `layout` describes the front; tables for the rest are missing
  undecoded,  // no table for it
  malformed,  // holds a secret and fits no shape; `layout` is the one it comes closest to
  missing,    // no bytes where `layout` has to stand
};

struct BodyPlan {
  BodyState state = BodyState::none;
  const describe::Layout* layout = nullptr;
  bool is_secret = false;  // the body as a whole may hold a password or a token
  bool is_older = false;   // `layout` is that of the sender's build, not of its generation
  Behind behind = Behind::rejected;
};

// `code` is the command: of the frame itself or, for replies, of the request that it answers; 0
// when it is not known. `body` is what follows the header.
BodyPlan plan_body(const Facts& facts, Dialect sender, std::uint32_t code, Window body);

// Whether nothing of the body may be told: a login that cannot be read may hold its password
// anywhere.
constexpr bool is_hidden(const BodyPlan& plan, bool show_secrets) {
  return plan.state == BodyState::malformed && !show_secrets;
}

// Where a malformed body stops to fit the layout that it comes closest to.
Problem problem_of_malformed(const BodyPlan& plan, Window body);
// What the first row of a missing body needs.
Problem problem_of_missing(const BodyPlan& plan);

// Tells a sink of a body as its plan says: that it is malformed or missing, its rows, and that
// there are bytes behind the last one.
template <Sink S>
void read_body(const BodyPlan& plan, Window body, bool show_secrets, S& sink) {
  if (plan.state == BodyState::malformed) sink.problem(problem_of_malformed(plan, body));
  if (plan.state == BodyState::missing) {
    sink.problem(problem_of_missing(plan));
    return;
  }
  if (plan.layout == nullptr || is_hidden(plan, show_secrets)) return;
  Walk walk(body, sink);
  walk.read(*plan.layout);
  if (walk.has_stopped() || plan.state != BodyState::decoded) return;
  walk.finish(plan.behind == Behind::ignored ? ProblemKind::ignored : ProblemKind::trailing);
}

// Whether nothing that was captured of a body speaks against its plan: it does not break off, and
// nothing stands behind its last row that receivers would refuse. Values are not judged.
bool fits(const BodyPlan& plan, Window body);

// The command of a request as the registry counts it: of operation 2 its code, of Register 40 or 45
// by the shape of its body, else that of its operation. 0 when the number is outside the
// registry, or the capture cut the body before its shape shows.
std::uint32_t code_of_request(const Facts& facts, Generation generation, Window body);

// The command that a frame is about; code 0 and no name where it is not known.
struct CommandOf {
  std::uint32_t code = 0;
  std::string_view name;
};
CommandOf command_of_request(const Facts& facts, Generation generation, Window body);
// Of an answer whose request is not known: an operation of its own tells.
CommandOf command_of_answer(const Facts& facts, Generation generation);

// What a login says; nothing when the request is none.
std::optional<Login> login_of(const Facts& request, Generation generation, Window body);

// How a reply with status 0 says that nothing was done: the first code of its result section.
// `code` is that of the request, as for plan_body.
struct Result {
  bool is_known = true;    // false: what would tell is not in the capture, or not in the body
  std::uint32_t code = 0;  // 0: success
};
Result result_of(const Facts& reply, Dialect sender, std::uint32_t code, Window body);

}  // namespace iggy::decode
