// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The commands of the client plane: every code with its name and the operation its requests travel
// as.
//
// A command is listed once for all generations that give it the same meaning. What bodies look
// like stands with the bodies.
#pragma once

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
};

// clang-format on

}  // namespace exchange_sets

// The code of a command by its name; a name that is not listed does not compile.
consteval std::uint32_t command_code(std::string_view name) {
  std::size_t at = 0;
  while (exchange_sets::rows[at].name != name) ++at;
  return exchange_sets::rows[at].code;
}

// Its operation, likewise.
consteval std::uint8_t operation_of(std::string_view name) {
  std::size_t at = 0;
  while (exchange_sets::rows[at].name != name) ++at;
  return exchange_sets::rows[at].operation;
}

// Whether a server may keep the answer back until there is something to tell, as long as the
// request allows.
constexpr bool may_wait(std::uint32_t code) {
  return code == command_code("message.poll_deferred") || code == command_code("message.wait") ||
         code == command_code("message.fetch");
}

// A command that not all builds of a generation know.
struct Introduced {
  std::uint32_t code;
  Train since;
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
template <std::size_t count>
consteval auto names_of(const std::array<Exchange, count>& exchanges) {
  std::array<describe::Name, count> names{};
  for (std::size_t i = 0; i < count; ++i) names[i] = {exchanges[i].code, exchanges[i].name};
  return names;
}
inline constexpr auto legacy_code_names = names_of(legacy_exchanges);
inline constexpr auto v0_11_code_names = names_of(v0_11_exchanges);
inline constexpr auto v0_12_code_names = names_of(v0_12_exchanges);

}  // namespace iggy
