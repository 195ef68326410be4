// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The commands of the client plane: every code with its name and the operation its requests travel
// as.
//
// A command is listed once for all generations that give it the same meaning. What bodies look
// like stands with the bodies.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "describe/field.hpp"
#include "iggy/operations.hpp"
#include "iggy/registry.hpp"
#include "iggy/trains.hpp"

namespace iggy {

// What is known of the bodies of a command without tables for them.
enum class Bodies : std::uint8_t { plain, empty_request, secret_request, secret_reply };

// Two commands had codes that mean another one today, or none. They travelled as operations of
// their own, so that no header holds these codes. Here they are marked, and so one number is one
// command; outputs tell them without the mark.
inline constexpr std::uint32_t older_meaning = std::uint32_t{1} << 31;

// One command as it is listed; `Exchange` is what a generation makes of it.
struct ExchangeRow {
  Generations generations;
  std::uint32_t code;
  std::string_view name;
  std::uint8_t operation;
  Bodies bodies = Bodies::plain;
  bool is_one_way = false;  // servers never answer it
};

namespace exchange_sets {
using enum Bodies;
inline constexpr bool one_way = true;
inline constexpr Generations in_legacy = set_of(Generation::legacy);
inline constexpr Generations everywhere = in_legacy | in_0_11 | in_0_12;
inline constexpr Generations until_0_12 = in_legacy | in_0_11;
inline constexpr Generations framed = in_0_11 | in_0_12;  // needs a 256-byte header
inline constexpr Generations only_0_11 = in_0_11;
inline constexpr Generations only_0_12 = in_0_12;

// clang-format off

// Source: core/binary_protocol/src/codes.rs and dispatch.rs of each crate. Operation 2 means that
// the header carries the code; a legacy frame always carries it. Which requests are empty is the
// same wherever a command exists.
inline constexpr ExchangeRow rows[] = {
    {everywhere,   1, "ping",                             2, empty_request},
    {everywhere,  10, "stats",                            2, empty_request},
    {everywhere,  11, "snapshot",                         2},
    {everywhere,  12, "cluster.metadata",                 2, empty_request},
    {framed,      13, "options.describe",                 2},
    {only_0_11,   14, "consumer_session.attach",          2},
    {only_0_12,   15, "session.bind",                     2, secret_request},
    {only_0_12,   16, "resource.update",                150},
    {only_0_12,   17, "metadata.changes",                 2},
    {everywhere,  20, "me",                               2, empty_request},
    {everywhere,  21, "client.get",                       2},
    {everywhere,  22, "client.list",                      2, empty_request},
    {everywhere,  31, "user.get",                         2},
    {everywhere,  32, "user.list",                        2, empty_request},
    {everywhere,  33, "user.create",                    141, secret_request},
    {everywhere,  34, "user.delete",                    143},
    {until_0_12,  35, "user.update",                    142},
    {everywhere,  36, "user.permissions",               145},
    {everywhere,  37, "user.password",                  144, secret_request},
    {everywhere,  38, "user.login",                       2, secret_request},  // refused since 0.9
    {everywhere,  39, "user.logout",                      3, empty_request},
    {framed,      40, "user.login_register",              1, secret_request},
    {everywhere,  41, "personal_access_token.list",       2, empty_request},
    {everywhere,  42, "personal_access_token.create",   146, secret_reply},
    {everywhere,  43, "personal_access_token.delete",   147},
    {everywhere,  44, "personal_access_token.login",      2, secret_request},  // refused since 0.9
    {framed,      45, "user.login_register_with_pat",     1, secret_request},
    {everywhere, 100, "message.poll",                     2},
    {everywhere, 101, "message.send",                   160},
    {until_0_12, 102, "message.flush_unsaved_buffer",     2},
    {only_0_11,  103, "message.poll_routing",             2},
    {only_0_11,  104, "message.poll_primary",             2},
    {only_0_12,  105, "partition.route",                  2},
    {only_0_12,  106, "message.poll_deferred",            2},
    {only_0_12,  107, "message.wait",                     2},
    {only_0_12,  108, "message.cancel_deferred",          2, plain, one_way},
    {only_0_12,  109, "message.fetch",                    2},
    {everywhere, 120, "consumer_offset.get",              2},
    {everywhere, 121, "consumer_offset.store",          161},
    {everywhere, 122, "consumer_offset.delete",         162},
    {only_0_11,  123, "consumer_offset.routing",          2},
    {everywhere, 200, "stream.get",                       2},
    {everywhere, 201, "stream.list",                      2, empty_request},
    {until_0_12, 202, "stream.create",                  128},
    {only_0_12,  202, "stream.create",                  128, secret_request},  // may hold a key
    {everywhere, 203, "stream.delete",                  130},
    {until_0_12, 204, "stream.update",                  129},
    {until_0_12, 205, "stream.purge",                   131},
    {everywhere, 300, "topic.get",                        2},
    {everywhere, 301, "topic.list",                       2},
    {everywhere, 302, "topic.create",                   132},
    {everywhere, 303, "topic.delete",                   134},
    {until_0_12, 304, "topic.update",                   133},
    {until_0_12, 305, "topic.purge",                    135},
    {everywhere, 402, "partition.create",               136},
    {everywhere, 403, "partition.delete",               137},
    {everywhere, 503, "segment.delete",                 138},
    {everywhere, 600, "consumer_group.get",               2},
    {everywhere, 601, "consumer_group.list",              2},
    {everywhere, 602, "consumer_group.create",          139},
    {everywhere, 603, "consumer_group.delete",          140},
    {everywhere, 604, "consumer_group.join",            148},
    {everywhere, 605, "consumer_group.leave",           149},
    {framed,     606, "consumer_group.sync",              2},
    {only_0_11, older_meaning | 123, "consumer_offset.store.v2",  164},  // before 0.11.0-edge.4
    {only_0_11, older_meaning | 124, "consumer_offset.delete.v2", 165},  // likewise
};

// clang-format on

}  // namespace exchange_sets

// The row of a command by its name; a name that is not listed does not compile.
consteval const ExchangeRow& row_named(std::string_view name) {
  std::size_t at = 0;
  while (exchange_sets::rows[at].name != name) ++at;
  return exchange_sets::rows[at];
}
consteval std::uint32_t command_code(std::string_view name) {
  return row_named(name).code;
}
consteval std::uint8_t operation_of(std::string_view name) {
  return row_named(name).operation;
}

// The command of today that does what one with an older meaning did; others are themselves.
constexpr std::uint32_t command_of_today(std::uint32_t code) {
  constexpr std::uint32_t store = command_code("consumer_offset.store.v2");
  constexpr std::uint32_t remove = command_code("consumer_offset.delete.v2");
  if (code == store) return command_code("consumer_offset.store");
  return code == remove ? command_code("consumer_offset.delete") : code;
}
// A code as outputs tell it. What a header says with that bit, and is none of the two, stays so.
constexpr std::uint32_t number_of_code(std::uint32_t code) {
  return command_of_today(code) == code ? code : code & ~older_meaning;
}

// Whether a server may keep the answer back until there is something to tell, as long as the
// request allows.
constexpr bool may_wait(std::uint32_t code) {
  return code == command_code("message.poll_deferred") || code == command_code("message.wait") ||
         code == command_code("message.fetch");
}

// A command that not all builds of a generation know.
struct Introduced {
  std::uint32_t code = 0;
  Train since{};
  Train until = Train::newest;  // or to the end of the generation
};

namespace introduced_list {
using enum Train;
// Source: codes.rs of each published crate.
inline constexpr Introduced rows[] = {
    {command_code("consumer_session.attach"), v0_11_0},
    {command_code("metadata.changes"), v0_12_0_second},
    {command_code("message.flush_unsaved_buffer"), v0_11_0_edge_1, v0_11_0},
    {command_code("message.poll_routing"), v0_11_0},
    {command_code("message.poll_primary"), v0_11_0},
    {command_code("message.poll_deferred"), v0_12_0_third},
    {command_code("message.wait"), v0_12_0_third, v0_12_0_third},
    {command_code("message.cancel_deferred"), v0_12_0_third},
    {command_code("message.fetch"), v0_12_1},
    {command_code("consumer_offset.routing"), v0_11_0},
    {command_code("consumer_offset.store.v2"), v0_11_0_edge_1, v0_11_0_edge_3},
    {command_code("consumer_offset.delete.v2"), v0_11_0_edge_1, v0_11_0_edge_3},
};
}  // namespace introduced_list

// Null where every build of the generations that have the command knows it.
constexpr const Introduced* introduction_of(std::uint32_t code) {
  for (const Introduced& row : introduced_list::rows)
    if (row.code == code) return &row;
  return nullptr;
}

// Whether all builds of a train, of a generation that has the command, know it.
constexpr bool is_known_to(Train train, std::uint32_t code) {
  const Introduced* const row = introduction_of(code);
  return row == nullptr || (row->since <= train && train <= row->until);
}

// Whether builds before those that announce this number were the last to know the command.
constexpr bool is_retired_before(Version number, std::uint32_t code) {
  const Introduced* const row = introduction_of(code);
  return row != nullptr && row->until != Train::newest && number_of(row->until) < number;
}

// Whether some builds that announce this number do not know the command; of any where it is 0.
constexpr bool is_lacked_by_some(Version number, std::uint32_t code) {
  if (number.packed == 0) return introduction_of(code) != nullptr;
  for (unsigned at = 0; at <= static_cast<unsigned>(Train::newest); ++at) {
    const Train train{static_cast<std::uint8_t>(at)};
    if (number_of(train) == number && !is_known_to(train, code)) return true;
  }
  return false;
}

// What a reply of no bytes says where the reply of its command has some. A list without a count has
// none where it is empty.
enum class EmptyReply : std::uint8_t {
  impossible,
  not_found,  // there is no such thing
  no_offset,  // nothing is stored
  no_member,  // who asks is not in the group
  repeated,   // the request was taken for one that was done before
};

namespace empty_reply_list {
struct Row {
  std::uint32_t code;
  EmptyReply meaning;
};
// Source: core/server/src/responses.rs and dispatch.rs, core/partitions/src/iggy_partition.rs.
inline constexpr Row rows[] = {
    {command_code("client.get"), EmptyReply::not_found},
    {command_code("user.get"), EmptyReply::not_found},
    {command_code("message.send"), EmptyReply::repeated},
    {command_code("consumer_offset.get"), EmptyReply::no_offset},
    {command_code("stream.get"), EmptyReply::not_found},
    {command_code("topic.get"), EmptyReply::not_found},
    {command_code("consumer_group.get"), EmptyReply::not_found},
    {command_code("consumer_group.sync"), EmptyReply::no_member},
};
}  // namespace empty_reply_list

constexpr EmptyReply empty_reply_of(std::uint32_t code) {
  for (const empty_reply_list::Row& row : empty_reply_list::rows)
    if (row.code == code) return row.meaning;
  return EmptyReply::impossible;
}

// Logins and logouts have operations of their own. Builds before the release answer one that comes
// as a read with no bytes, and do nothing.
constexpr bool is_session_command(std::uint32_t code) {
  return code == code::logout || code == code::login_register ||
         code == code::login_register_with_token;
}

// Whether a reply of no bytes without an error says that nothing was done: to a session command
// that came as a read, and to a deletion of segments that could not be read, which is answered
// under the operation of its request by builds before the release alone.
constexpr bool tells_nothing_done(std::uint8_t replied, std::uint32_t code) {
  return replied == operation::delete_segments ||
         (replied == operation::non_replicated && is_session_command(code));
}

// The commands of one generation, in order of code.
template <Generation generation>
consteval auto exchanges_of() {
  constexpr auto member = [](const ExchangeRow& row) {
    return (row.generations & set_of(generation)) != 0;
  };
  constexpr std::size_t count = [member] {
    std::size_t members = 0;
    for (const ExchangeRow& row : exchange_sets::rows)
      if (member(row)) ++members;
    return members;
  }();
  std::array<Exchange, count> exchanges{};
  std::size_t at = 0;
  for (const ExchangeRow& row : exchange_sets::rows) {
    if (!member(row)) continue;
    const bool has_operation = generation != Generation::legacy;
    exchanges[at++] = {row.code,
                       row.name,
                       has_operation ? row.operation : std::uint8_t{0},
                       row.bodies == Bodies::secret_request,
                       row.bodies == Bodies::secret_reply,
                       row.bodies == Bodies::empty_request,
                       row.is_one_way};
  }
  return exchanges;
}

inline constexpr auto legacy_exchanges = exchanges_of<Generation::legacy>();
inline constexpr auto v0_11_exchanges = exchanges_of<Generation::v0_11>();
inline constexpr auto v0_12_exchanges = exchanges_of<Generation::v0_12>();

// What rows with a command code are named with.
template <Generation generation>
consteval auto code_names_of() {
  constexpr auto exchanges = exchanges_of<generation>();
  constexpr auto has_code = [](const Exchange& exchange) { return exchange.code < older_meaning; };
  constexpr auto count = std::count_if(exchanges.begin(), exchanges.end(), has_code);
  std::array<describe::Name, static_cast<std::size_t>(count)> names{};
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = {exchanges[i].code, exchanges[i].name};
  return names;
}
inline constexpr auto legacy_code_names = code_names_of<Generation::legacy>();
inline constexpr auto v0_11_code_names = code_names_of<Generation::v0_11>();
inline constexpr auto v0_12_code_names = code_names_of<Generation::v0_12>();

}  // namespace iggy
