// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The layouts of headers by command, for each generation, and the list of all layouts.
//
// Included by registry.cpp, by tests of these lists, and where a table is computed from them at
// compile time (conversation/evidence.cpp); everybody else asks the registry.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>

#include "describe/field.hpp"
#include "describe/proofs.hpp"
#include "iggy/legacy.hpp"
#include "iggy/legacy/bodies.hpp"
#include "iggy/login.hpp"
#include "iggy/older/headers.hpp"
#include "iggy/registry.hpp"
#include "iggy/v0_11/bodies.hpp"
#include "iggy/v0_11/client_headers.hpp"
#include "iggy/v0_11/older_bodies.hpp"
#include "iggy/v0_11/replica_headers.hpp"
#include "iggy/v0_12/bodies.hpp"
#include "iggy/v0_12/client_headers.hpp"
#include "iggy/v0_12/new_headers.hpp"
#include "iggy/v0_12/replica_headers.hpp"

namespace iggy {

namespace layouts_by_command {

// Request, Reply and Eviction: all that is known of the generations before 0.11.
inline constexpr std::array v0 = {&older::v0_request, &older::v0_reply, &older::v0_eviction};
inline constexpr std::array va = {&older::va_request, &older::va_reply, &iggy::v0_11::eviction};

// In order of command, as enums.hpp lists them.
inline constexpr std::array v0_11 = {
    &iggy::v0_11::generic,
    &iggy::v0_11::generic,
    &iggy::v0_11::generic,
    &iggy::v0_11::generic,
    &iggy::v0_11::generic,
    &iggy::v0_11::request,
    &iggy::v0_11::prepare,
    &iggy::v0_11::prepare_ok,
    &iggy::v0_11::reply,
    &iggy::v0_11::commit,
    &iggy::v0_11::start_view_change,
    &iggy::v0_11::do_view_change,
    &iggy::v0_11::start_view,
    &iggy::v0_11::eviction,
    &iggy::v0_11::replica_hello,
    &iggy::v0_11::replica_challenge,
    &iggy::v0_11::replica_finish,
    &iggy::v0_11::request_start_view,
    &iggy::v0_11::request_prepares,
    &iggy::v0_11::prepare,  // RepairPrepare
    &iggy::v0_11::repair_range_reply,
    &iggy::v0_11::repair_range_reply,
    &iggy::v0_11::request_state_transfer,
    &iggy::v0_11::state_transfer_target,
    &iggy::v0_11::request_state_chunk,
    &iggy::v0_11::state_chunk,
    &iggy::v0_11::forward_register,
    &iggy::v0_11::forward_register_result,
    &iggy::v0_11::forward_logout,
    &iggy::v0_11::forward_logout_result,
    &iggy::v0_11::consumer_session_heartbeat,
};

inline constexpr std::array v0_12 = {
    &iggy::v0_11::generic,
    &iggy::v0_11::generic,
    &iggy::v0_11::generic,
    &iggy::v0_11::generic,
    &iggy::v0_11::generic,
    &iggy::v0_12::request,
    &iggy::v0_12::prepare,
    &iggy::v0_11::prepare_ok,
    &iggy::v0_12::reply,
    &iggy::v0_12::commit,
    &iggy::v0_12::start_view_change,
    &iggy::v0_12::do_view_change,
    &iggy::v0_12::start_view,
    &iggy::v0_11::eviction,
    &iggy::v0_12::replica_hello,
    &iggy::v0_12::replica_challenge,
    &iggy::v0_12::replica_finish,
    &iggy::v0_12::request_start_view,
    &iggy::v0_12::request_prepares,
    &iggy::v0_12::prepare,  // RepairPrepare
    &iggy::v0_12::repair_range_reply,
    &iggy::v0_12::repair_range_reply,
    &iggy::v0_12::request_state_transfer,
    &iggy::v0_12::state_transfer_target,
    &iggy::v0_12::request_state_chunk,
    &iggy::v0_12::state_chunk,
    &iggy::v0_11::forward_register,
    &iggy::v0_11::forward_register_result,
    &iggy::v0_11::forward_logout,
    &iggy::v0_11::forward_logout_result,
    &iggy::v0_12::consumer_session_heartbeat,
    &iggy::v0_12::session_retirement_progress,
    &iggy::v0_12::forward_completion,
    &iggy::v0_12::primary_rebalance,
    &iggy::v0_12::segment_delete,
    &iggy::v0_12::commit_reply,
    &iggy::v0_12::prepare_progress,
};
static_assert(v0_12.size() == highest_command + 1);

}  // namespace layouts_by_command

// The bodies of each generation. This is the one place where a generation chooses them.
inline constexpr BodyTables body_tables[] = {
    {Generation::v0_11, v0_11::bodies, v0_11::replicated_bodies, v0_11::control_bodies,
     v0_11::older_bodies},
    {Generation::v0_12, v0_12::command_bodies, v0_12::replicated_bodies, v0_12::control_bodies, {}},
    {Generation::legacy, legacy::command_bodies, {}, {}, {}},
};

// Rows stand where they are looked for.
static_assert(
    std::all_of(std::begin(body_tables), std::end(body_tables), [](const BodyTables& tables) {
      const auto in_order = [](const auto& table, auto number) {
        return std::is_sorted(table.begin(), table.end(), [number](const auto& a, const auto& b) {
          return a.*number < b.*number;
        });
      };
      const auto older_in_order = [in_order](const OlderBodies& older) {
        return in_order(older.commands, &CommandBodies::code) &&
               in_order(older.replicated, &ReplicatedBody::operation);
      };
      return in_order(tables.commands, &CommandBodies::code) &&
             in_order(tables.replicated, &ReplicatedBody::operation) &&
             in_order(tables.older, &OlderBodies::before) &&
             std::all_of(tables.older.begin(), tables.older.end(), older_in_order);
    }));

// Bodies that no table above leads to.
inline constexpr std::array body_layouts = {
    &legacy::request,
    &legacy::reply,
    &legacy::short_login,
    &legacy::login,
    &legacy::token_text,
    &legacy::login_with_token,
    &legacy::login_reply,
    &legacy::error_text,
    &login::name,
    &login::account_name,
    &login::client_version_info,
    &login::login_prefix,
    &login::login_register,
    &login::login_register_with_pat,
    &login::login_register_with_secret,
    &login::login_register_with_pat_with_secret,
    &login::session_identity,
    &login::session_bind,
    &login::result_entry,
    &login::result_section,
    &login::login_reply,
    &login::login_payload,
    &login::register_reply,
    &login::rejection,
    &login::session_bind_reply,
    &login::v0_login_reply,
    &bodies::options_block,
    &bodies::user_headers,
    &older::text_headers,
};

namespace layout_list {

struct List {
  std::array<const describe::Layout*, 480> items{};
  std::size_t count = 0;
  // Places in `items`, less one, of the last layout of each sort, and of the one before it.
  std::array<std::size_t, 256> last{};
  std::array<std::size_t, 480> before{};

  // Layouts are told apart by their titles: GCC refuses to compare addresses in constant
  // expressions when sanitizers are on. They are sorted by a few letters, since the compiler's
  // patience is bounded.
  constexpr void add(const describe::Layout& layout) {
    const std::string_view title = layout.title;
    const auto letter = [title](std::size_t at) {
      return std::size_t{static_cast<unsigned char>(title[at])};
    };
    const std::size_t sort = (title.size() * 37 + letter(0) * 5 + letter(title.size() / 2) * 11 +
                              letter(title.size() / 3) * 3) %
                             last.size();
    for (std::size_t i = last[sort]; i != 0; i = before[i - 1])
      if (items[i - 1]->title == title) return;
    items[count] = &layout;
    before[count] = last[sort];
    last[sort] = ++count;
    for (const describe::Field& field : layout.fields)
      if (nests_layout(field)) add(*field.layout);
  }
  template <class Table>
  constexpr void add_all(const Table& table) {
    for (const describe::Layout* const layout : table) add(*layout);
  }
};

inline constexpr List list = [] {
  List found;
  found.add_all(layouts_by_command::v0_11);
  found.add_all(layouts_by_command::v0_12);
  found.add_all(layouts_by_command::va);
  found.add_all(layouts_by_command::v0);
  found.add_all(body_layouts);
  const auto add_commands = [&found](std::span<const CommandBodies> commands) {
    for (const CommandBodies& row : commands) {
      found.add(*row.request.layout);
      found.add(*row.reply.layout);
    }
  };
  for (const BodyTables& tables : body_tables) {
    add_commands(tables.commands);
    for (const OlderBodies& older : tables.older) {
      add_commands(older.commands);
      for (const ReplicatedBody& row : older.replicated) found.add(*row.body.layout);
    }
    for (const ReplicatedBody& row : tables.replicated) found.add(*row.body.layout);
    for (const ControlBody& row : tables.control) found.add(*row.body.layout);
  }
  for (const auto& row : iggy::v0_12::change_bodies) found.add(*row.layout);
  for (const auto& row : iggy::v0_12::item_bodies) found.add(*row.layout);
  return found;
}();

}  // namespace layout_list

// Every layout once: headers, those of 0.11 first, then bodies.
inline constexpr std::span<const describe::Layout* const> every_layout{
    layout_list::list.items.data(), layout_list::list.count};

namespace layout_list {

// All of them keep what bodies have to keep. A few at a time, since the compiler's patience is
// bounded.
inline constexpr std::size_t few = 8;
template <std::size_t begin>
inline constexpr bool are_bodies = [] {
  for (std::size_t i = begin; i < begin + few && i < list.count; ++i)
    if (!is_body(*list.items[i])) return false;
  return true;
}();
static_assert([]<std::size_t... part>(std::index_sequence<part...>) {
  return (are_bodies<part * few> && ...);
}(std::make_index_sequence<(list.count + few - 1) / few>{}));

}  // namespace layout_list

}  // namespace iggy
