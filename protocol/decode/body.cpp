// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The decisions of body.hpp.
#include "decode/body.hpp"

#include <algorithm>

#include "describe/proofs.hpp"
#include "iggy/bodies/reply.hpp"
#include "iggy/conduct.hpp"
#include "iggy/exchanges.hpp"
#include "iggy/legacy.hpp"
#include "iggy/login.hpp"
#include "iggy/options.hpp"
#include "iggy/registry.hpp"

namespace iggy::decode {
namespace {

constexpr std::uint32_t options_describe = command_code("options.describe");
constexpr std::uint32_t stats = command_code("stats");

BodyPlan plan(BodyState state, const describe::Layout* layout) {
  BodyPlan made;
  made.state = state;
  made.layout = layout;
  return made;
}

// Whether requests of the command have no body. It holds for all generations alike, so it is asked
// of one that is known even where the frame's is not.
bool has_empty_request(std::uint32_t code) {
  const Exchange* exchange = find_code(Generation::v0_11, code);
  return exchange != nullptr && exchange->empty_request;
}

BodyPlan plan_of_login(const Login& login, const describe::Layout& closest) {
  if (login.is_cut) {
    BodyPlan cut = login.has_version ? plan(BodyState::partly, &login::login_prefix)
                                     : plan(BodyState::undecoded, nullptr);
    cut.is_secret = true;
    return cut;
  }
  BodyPlan made = login.layout == nullptr ? plan(BodyState::malformed, &closest)
                                          : plan(BodyState::decoded, login.layout);
  made.is_secret = true;
  made.behind = Behind::ignored;
  return made;
}

// The layout that a login of this command comes closest to when it fits none.
const describe::Layout& closest_login(const Facts& facts) {
  if (facts.code == code::login) return legacy::login;
  if (facts.code == code::login_with_token) return legacy::login_with_token;
  return facts.code == code::session_bind ? login::session_bind : login::login_register;
}

// Whether a body fits its layout, and whether any bytes of it were told that may be shown.
struct FitSink : Check {
  void run(const describe::Field& field, Bytes, Range) {
    has_told = has_told || !describe::is_secret(field);
  }
  bool has_told = false;
};

// A body that holds a secret and does not fit may show it as something else, and so is as secret as
// a login that cannot be read.
BodyPlan plan_of_table(const Body& table, Window body, bool is_secret) {
  BodyPlan made = plan(BodyState::decoded, table.layout);
  made.is_secret = is_secret;
  made.behind = table.behind;
  if (!is_secret || body.captured.size() < body.on_wire) return made;
  FitSink sink;
  Walk walk(body, sink);
  if (walk.read(*table.layout)) walk.finish();
  if (!sink.clean && sink.has_told) made.state = BodyState::malformed;
  return made;
}

// Whether a default would be shown whose option has a secret value.
struct DefaultSink : Check {
  void run(const describe::Field& field, Bytes bytes, Range) {
    if (field.kind == describe::Kind::text) {
      const Option* const option = find_option(text_of(bytes));
      is_of_secret = option != nullptr && option->is_secret;
    } else if (is_of_secret && !bytes.empty() && !describe::is_secret(field)) {
      shows_secret = true;
    }
  }
  bool is_of_secret = false;
  bool shows_secret = false;
};

// Servers of 0.12 mark the defaults that are secret, where those of 0.11 have neither marks nor
// secrets. A cut body that seems to be of 0.11 may be one of 0.12, whose marks are read as lengths.
BodyPlan plan_of_options(const Body& table, Generation generation, Window body) {
  BodyPlan made = plan_of_table(table, body, true);
  DefaultSink sink;
  Walk(body, sink).read(*table.layout);
  const bool is_cut = body.captured.size() < body.on_wire;
  const bool may_hide_marks = is_cut && !conduct_of(generation).marks_secret_options;
  if (!may_hide_marks && !sink.shows_secret) return made;
  made.state = BodyState::undecoded;
  made.layout = nullptr;
  return made;
}

// Servers that announce 0.11.1 tell of open files as those of 0.12 do, which nothing but the length
// shows.
const Body& table_of_stats(const Body& table, Generation generation, Window body) {
  if (generation == newest_generation) return table;
  Check check;
  Walk walk(body, check);
  const bool is_longer = walk.read(*table.layout) && check.clean && !walk.at_end();
  if (!is_longer) return table;
  const Body& newer = find_bodies(newest_generation, stats)->reply;
  return is_layout(*newer.layout, body.captured) ? newer : table;
}

// Whether a body of a legacy release may be this layout. Other releases have other bodies and none
// says which it is, so nothing may speak against it: no row, no byte behind the last one, no kind
// that is not known, and no zeros in a text, where an older release had a number.
struct LegacyFit : Check {
  void integer(const describe::Field& field, std::uint64_t, Range) { note(field); }
  void run(const describe::Field& field, Bytes bytes, Range) {
    note(field);
    if (field.kind == describe::Kind::text && has_zero(bytes)) clean = false;
  }
  void problem(const Problem& problem) {
    if (problem.kind != ProblemKind::cut_by_capture) clean = false;
  }

 private:
  void note(const describe::Field& field) {
    if (field.when == describe::When::otherwise) clean = false;
  }
};

bool fits_legacy(const describe::Layout& layout, Window body) {
  LegacyFit sink;
  Walk walk(body, sink);
  if (walk.read(layout)) walk.finish();
  return sink.clean;
}

// A cut body that holds a secret may be another one in the whole.
BodyPlan plan_legacy(std::uint32_t code, Body CommandBodies::*part, Window body, bool is_secret) {
  BodyPlan made = plan(BodyState::undecoded, nullptr);
  made.is_secret = is_secret;
  if (is_secret && body.captured.size() < body.on_wire) return made;
  for (const CommandBodies& row : every_bodies(Generation::legacy, code)) {
    const describe::Layout& layout = *(row.*part).layout;
    if (!fits_legacy(layout, body)) continue;
    made.state = BodyState::decoded;
    made.layout = &layout;
    break;
  }
  return made;
}

// A body of no bytes, which may be what there is to say, or lacks all its rows.
BodyPlan plan_of_nothing(const Body& table, BodyState empty) {
  Check check;
  if (table.layout != nullptr) Walk(Window{}, check).read(*table.layout);
  return check.clean ? plan(empty, nullptr) : plan(BodyState::missing, table.layout);
}

// Whether a command has other bodies in the sender's build than in its generation.
bool is_older(Dialect sender, std::uint32_t code) {
  return sender.train && find_bodies(sender, code) != find_bodies(sender.generation, code);
}

// Of the servers' own operations they take one from clients; its body is what they replicate.
bool is_internal(const Facts& facts) {
  return facts.form == Form::frame && facts.operation == operation::truncate_partition;
}

Body table_of_request(const Facts& facts, Dialect sender, std::uint32_t code) {
  if (is_internal(facts)) return replicated_body(sender.generation, facts.operation);
  if (has_empty_request(code)) return &bodies::nothing;
  const CommandBodies* const bodies = find_bodies(sender, code);
  return bodies == nullptr ? Body{} : bodies->request;
}

BodyPlan plan_request(const Facts& facts, Dialect sender, std::uint32_t code, Window body) {
  if (const std::optional<Login> login = login_of(facts, sender.generation, body))
    return plan_of_login(*login, closest_login(facts));
  const Exchange* const exchange = find_code(sender.generation, code);
  const Body table = table_of_request(facts, sender, code);
  const bool is_secret = is_internal(facts) ? table.layout == nullptr
                                            : exchange == nullptr || exchange->secret_request;
  if (facts.form == Form::legacy_request && !has_empty_request(code))
    return body.on_wire == 0 ? plan(BodyState::empty, nullptr)
                             : plan_legacy(code, &CommandBodies::request, body, is_secret);
  if (body.on_wire == 0) return plan_of_nothing(table, BodyState::empty);
  BodyPlan made = table.layout == nullptr ? plan(BodyState::undecoded, nullptr)
                                          : plan_of_table(table, body, is_secret);
  made.is_secret = is_secret;
  made.is_older = table.layout != nullptr && is_older(sender, code);
  return made;
}

// Whether a body begins with a result section.
bool is_framed_body(const describe::Layout& layout) {
  return !layout.fields.empty() && layout.fields.front().layout == &login::result_section;
}

// A reply to a command that nobody knows may hold anything.
bool may_hold_secret_reply(Generation generation, std::uint32_t code) {
  const Exchange* exchange = find_code(generation, code);
  return exchange == nullptr || exchange->secret_reply;
}

BodyPlan plan_legacy_reply(const Facts& facts, std::uint32_t code, Window body) {
  if (body.on_wire == 0) return plan(BodyState::empty, nullptr);
  if (facts.status != 0) return plan(BodyState::decoded, &legacy::error_text);
  return plan_legacy(code, &CommandBodies::reply, body,
                     may_hold_secret_reply(Generation::legacy, code));
}

// A rejection has exactly one entry, of which the last four bytes are the code.
constexpr std::uint32_t rejection_bytes = 12;

constexpr std::uint32_t result_count_bytes = 4;

// Whether a result section tells of an error. Where the capture cut it off only its length tells:
// what is longer or shorter is a success.
bool is_rejection(Window body) {
  if (body.captured.size() < result_count_bytes) return body.on_wire == rejection_bytes;
  return load<std::uint32_t>(body.captured.data()) != 0;
}

// Whether a body of this layout has bytes, whatever they say: only lists may be without one. Of
// what is as long as the body, as an archive, there is something.
bool has_bytes(const describe::Layout& layout) {
  const auto is_run = [](const describe::Field& field) {
    return field.kind == describe::Kind::rest ||
           (describe::nests_layout(field) && !describe::is_list(field) && has_bytes(*field.layout));
  };
  return describe::takes_a_byte(layout) ||
         std::any_of(layout.fields.begin(), layout.fields.end(), is_run);
}

// What has to stand in a reply that has no bytes; null where these say something, or where it is
// not known.
const describe::Layout* missing_body(const Facts& reply, Dialect sender, std::uint32_t code) {
  const Generation generation = sender.generation;
  if (!reply.is(Command::Reply) || reply.status != 0) return nullptr;
  if (reply.operation == operation::register_session)
    return generation == Generation::v0 ? &login::v0_login_reply : &login::register_reply;
  if (code == 0) code = command_of_answer(reply, generation).code;
  const CommandBodies* const bodies = find_bodies(sender, code);
  if (bodies == nullptr || empty_reply_of(code) != EmptyReply::impossible) return nullptr;
  const describe::Layout& layout = *bodies->reply.layout;
  const bool framed = is_result_framed(generation, reply.operation, false);
  return framed == is_framed_body(layout) && has_bytes(layout) ? &layout : nullptr;
}

BodyPlan plan_reply(const Facts& facts, Dialect sender, std::uint32_t code, Window body) {
  const Generation generation = sender.generation;
  if (body.on_wire == 0) {
    const describe::Layout* const missing = missing_body(facts, sender, code);
    return plan(missing == nullptr ? BodyState::empty : BodyState::missing, missing);
  }
  if (code == 0) code = command_of_answer(facts, generation).code;
  const bool is_secret = may_hold_secret_reply(generation, code);
  const bool framed = is_result_framed(generation, facts.operation, true) && facts.status == 0;
  if (facts.operation == operation::register_session) {
    if (generation == Generation::v0) return plan(BodyState::decoded, &login::v0_login_reply);
    const Result result = result_of(facts, sender, code, body);
    if (result.code != 0) return plan(BodyState::decoded, &login::rejection);
    return plan_of_table(&login::register_reply, body, false);
  }
  // Receivers look at the status alone.
  if (facts.status != 0 && generation != Generation::v0)
    return plan_of_table(&bodies::nothing, body, false);
  if (framed && is_rejection(body))
    return plan_of_table({&login::rejection, Behind::rejected}, body, is_secret);
  const CommandBodies* bodies = find_bodies(sender, code);
  if (bodies != nullptr && facts.status == 0 && framed == is_framed_body(*bodies->reply.layout)) {
    if (code == options_describe) return plan_of_options(bodies->reply, generation, body);
    const Body& table =
        code == stats ? table_of_stats(bodies->reply, generation, body) : bodies->reply;
    BodyPlan made = plan_of_table(table, body, is_secret);
    made.is_older = is_older(sender, code);
    return made;
  }
  BodyPlan made = plan(BodyState::undecoded, nullptr);
  made.is_secret = is_secret;
  if (!framed) return made;
  made.layout = &login::rejection;
  made.state = body.on_wire == 4 ? BodyState::decoded : BodyState::partly;
  return made;
}

}  // namespace

BodyPlan plan_body(const Facts& facts, Dialect sender, std::uint32_t code, Window body) {
  if (facts.is_request()) return plan_request(facts, sender, code, body);
  if (facts.form == Form::legacy_reply) return plan_legacy_reply(facts, code, body);
  if (facts.is(Command::Reply)) return plan_reply(facts, sender, code, body);
  const bool is_prepare = facts.is(Command::Prepare) || facts.is(Command::RepairPrepare);
  if (body.on_wire == 0 && !is_prepare) return plan(BodyState::none, nullptr);
  const Body table = is_prepare
                         ? replicated_body(sender, facts.operation)
                         : control_body(sender.generation, Command{facts.command}, facts.operation);
  if (body.on_wire == 0) return plan_of_nothing(table, BodyState::none);
  if (table.layout != nullptr) return plan_of_table(table, body, holds_secret(*table.layout));
  BodyPlan made = plan(BodyState::undecoded, nullptr);
  // Prepares carry the hashes of passwords and tokens.
  made.is_secret = true;
  return made;
}

Problem problem_of_malformed(const BodyPlan& plan, Window body) {
  struct First : Check {
    void problem(const Problem& problem) {
      if (clean) first = problem;
      clean = false;
    }
    Problem first;
  };
  First sink;
  if (plan.layout != nullptr) Walk(body, sink).read(*plan.layout);
  const Problem& first = sink.first;
  return {ProblemKind::malformed, first.field, first.offset, 0, body.on_wire - first.offset};
}

Problem problem_of_missing(const BodyPlan& plan) {
  const describe::Field* first = &plan.layout->fields.front();
  while (describe::nests_layout(*first)) first = &first->layout->fields.front();
  return {ProblemKind::too_short, first, 0, std::max<std::uint64_t>(first->width, 1), 0};
}

bool fits(const BodyPlan& plan, Window body) {
  struct Sink : Check {
    void problem(const Problem& problem) {
      is_cut = is_cut || problem.kind == ProblemKind::cut_by_capture;
      has_more = has_more || problem.kind == ProblemKind::trailing;
    }
    bool is_cut = false;
    bool has_more = false;
  };
  if (plan.state == BodyState::malformed || plan.state == BodyState::missing) return false;
  if (plan.layout == nullptr) return true;
  Sink sink;
  Walk walk(body, sink);
  if (!walk.read(*plan.layout)) return sink.is_cut;
  if (plan.state == BodyState::decoded && plan.behind == Behind::rejected) walk.finish();
  return !sink.has_more;
}

std::uint32_t code_of_request(const Facts& facts, Generation generation, Window body) {
  if (facts.form == Form::legacy_request) return facts.code;
  // The mark of an older meaning is ours: a header that has it names no command.
  if (facts.operation == operation::non_replicated) {
    const Exchange* const exchange = find_code(generation, facts.code);
    const bool is_marked = facts.code >= older_meaning && exchange != nullptr;
    return is_marked ? 0 : facts.code;
  }
  if (facts.operation == operation::register_session) {
    const Login login = read_register(body);
    if (login.is_cut) return 0;
    return login.kind == LoginKind::token ? code::login_register_with_token : code::login_register;
  }
  const Exchange* exchange = find_operation(generation, facts.operation);
  return exchange == nullptr ? 0 : exchange->code;
}

CommandOf command_of_request(const Facts& facts, Generation generation, Window body) {
  const std::uint32_t code = code_of_request(facts, generation, body);
  const Exchange* exchange = find_code(generation, code);
  return {code, exchange == nullptr ? std::string_view() : exchange->name};
}

CommandOf command_of_answer(const Facts& facts, Generation generation) {
  if (!facts.is_reply()) return {};
  const Exchange* exchange = find_operation(generation, requested_operation(facts.operation));
  return exchange == nullptr ? CommandOf{} : CommandOf{exchange->code, exchange->name};
}

std::optional<Login> login_of(const Facts& request, Generation generation, Window body) {
  if (!request.is_request()) return std::nullopt;
  if (request.form == Form::frame && request.operation == operation::register_session)
    return read_register(body);
  if (request.code == code::login || request.code == code::login_with_token)
    return read_legacy_login(body, request.code);
  if (request.code == code::session_bind && conduct_of(generation).binds_sessions)
    return read_bind(body);
  return std::nullopt;
}

Result result_of(const Facts& reply, Dialect sender, std::uint32_t code, Window body) {
  if (reply.form == Form::legacy_reply || reply.status != 0) return {true, reply.status};
  if (body.on_wire == 0 && missing_body(reply, sender, code) != nullptr) return {false, 0};
  if (!is_result_framed(sender.generation, reply.operation, body.on_wire > 0)) return {};
  // What is too short for what it says is no success.
  if (body.on_wire < result_count_bytes) return {false, 0};
  if (!is_rejection(body)) return {};
  if (body.captured.size() < rejection_bytes) return {false, 0};
  constexpr std::uint64_t entry_bytes = rejection_bytes - result_count_bytes;
  const std::uint64_t entries = load<std::uint32_t>(body.captured.data());
  if (result_count_bytes + entries * entry_bytes > body.on_wire) return {false, 0};
  return {true, load<std::uint32_t>(body.captured.data() + 8)};
}

}  // namespace iggy::decode
