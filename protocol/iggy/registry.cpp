// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Which tables a generation uses: its commands, its headers, and the list of all layouts.
//
// This is the only file that chooses headers by generation. It holds no row of its own.
#include "iggy/registry.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>

#include "describe/field.hpp"
#include "iggy/enums.hpp"
#include "iggy/exchanges.hpp"
#include "iggy/generation.hpp"
#include "iggy/layouts.hpp"

namespace iggy {

namespace {

using Layouts = std::span<const describe::Layout* const>;

const describe::Layout* layout_at(Layouts table, std::size_t place) {
  return place < table.size() ? table[place] : nullptr;
}

// For tables of Request, Reply and Eviction.
const describe::Layout* layout_of_client_plane(Layouts table, std::uint8_t command) {
  switch (Command{command}) {
    case Command::Request:
      return table[0];
    case Command::Reply:
      return table[1];
    case Command::Eviction:
      return table[2];
    default:
      return nullptr;
  }
}

// The row of a number in a table that is in order of it; null where there is none.
template <class Row, class Number>
const Row* row_of(std::span<const Row> table, Number Row::*number, Number wanted) {
  const auto is_before = [number](const Row& row, Number other) { return row.*number < other; };
  const auto found = std::lower_bound(table.begin(), table.end(), wanted, is_before);
  return found != table.end() && *found.*number == wanted ? &*found : nullptr;
}

// Generations without tables have empty ones.
const BodyTables& tables_of(Generation generation) {
  static constexpr BodyTables none;
  for (const BodyTables& tables : body_tables)
    if (tables.generation == generation) return tables;
  return none;
}

// Whether the layout holds bytes that may be a layout which tells names.
constexpr bool may_tell_names(const describe::Layout& layout) {
  for (const describe::Field& field : layout.fields)
    if (field.kind == describe::Kind::group
            ? may_tell_names(*field.layout)
            : is_opaque(field) && field.thing != describe::Thing::none)
      return true;
  return false;
}

// Of each row of the tables of commands whether its bodies tell names.
constexpr std::size_t most_commands = 128;
constexpr auto naming_commands = [] {
  std::array<std::array<bool, most_commands>, std::size(body_tables)> tells{};
  for (std::size_t table = 0; table < tells.size(); ++table) {
    const std::span<const CommandBodies> commands = body_tables[table].commands;
    for (std::size_t row = 0; row < commands.size(); ++row)
      tells[table][row] =
          describe::tells_names(*commands[row].request.layout) ||
          describe::tells_names(*commands[row].reply.layout) ||
          may_tell_names(*commands[row].reply.layout) ||
          describe::answers_names(*commands[row].request.layout, *commands[row].reply.layout);
  }
  return tells;
}();

}  // namespace

std::string_view command_name(std::uint8_t command) {
  return command < std::size(command_names) ? command_names[command].text : std::string_view{};
}

std::string_view eviction_reason_name(std::uint8_t reason) {
  return describe::name_of(eviction_reasons, reason);
}

std::span<const Exchange> exchanges(Generation generation) {
  switch (generation) {
    case Generation::unknown:
      return {};
    case Generation::legacy:
      return legacy_exchanges;
    case Generation::v0:
    case Generation::va:
    case Generation::v0_11:
      return v0_11_exchanges;
    case Generation::v0_12:
      return v0_12_exchanges;
  }
  return {};
}

const Exchange* find_code(Generation generation, std::uint32_t code) {
  return row_of(exchanges(generation), &Exchange::code, code);
}

const Exchange* find_operation(Generation generation, std::uint8_t operation) {
  // Register is sent by two commands, and NonReplicated by all that name a code instead.
  if (operation <= operation::non_replicated) return nullptr;
  for (const Exchange& row : exchanges(generation))
    if (row.operation == operation) return &row;
  return nullptr;
}

namespace {

// The row of the first train before which bodies were others and the sender's build is; null where
// there is none.
template <class Row, class Number>
const Row* older_row(Dialect sender, std::span<const Row> OlderBodies::*table, Number Row::*number,
                     Number wanted) {
  if (!sender.train) return nullptr;
  for (const OlderBodies& older : tables_of(sender.generation).older)
    if (*sender.train < older.before)
      if (const Row* const row = row_of(older.*table, number, wanted)) return row;
  return nullptr;
}

}  // namespace

const CommandBodies* find_bodies(Dialect sender, std::uint32_t code) {
  constexpr auto number = &CommandBodies::code;
  if (const auto* const row = older_row(sender, &OlderBodies::commands, number, code)) return row;
  return row_of(tables_of(sender.generation).commands, number, code);
}

std::span<const CommandBodies> every_bodies(Generation generation, std::uint32_t code) {
  const CommandBodies* const first = find_bodies(generation, code);
  if (first == nullptr) return {};
  const auto commands = tables_of(generation).commands;
  const auto rest = commands.subspan(static_cast<std::size_t>(first - commands.data()));
  const auto is_other = [code](const CommandBodies& row) { return row.code != code; };
  const auto end = std::find_if(rest.begin(), rest.end(), is_other);
  return rest.first(static_cast<std::size_t>(end - rest.begin()));
}

Body replicated_body(Dialect sender, std::uint8_t operation) {
  constexpr auto number = &ReplicatedBody::operation;
  if (const auto* const row = older_row(sender, &OlderBodies::replicated, number, operation))
    return row->body;
  if (const auto* const row = row_of(tables_of(sender.generation).replicated, number, operation))
    return row->body.layout == &bodies::unpublished ? Body{} : row->body;
  const Exchange* const exchange = find_operation(sender.generation, operation);
  const CommandBodies* const bodies =
      exchange == nullptr ? nullptr : find_bodies(sender, exchange->code);
  return bodies == nullptr ? Body{} : bodies->request;
}

Body control_body(Generation generation, Command command, std::uint8_t operation) {
  for (const ControlBody& row : tables_of(generation).control)
    if (row.command == command && (row.operation == any_operation || row.operation == operation))
      return row.body;
  return {};
}

bool tells_names(Generation generation, std::uint32_t code) {
  for (std::size_t table = 0; table < std::size(body_tables); ++table) {
    const std::span<const CommandBodies> commands = body_tables[table].commands;
    if (body_tables[table].generation != generation) continue;
    const CommandBodies* const row = row_of(commands, &CommandBodies::code, code);
    return row != nullptr &&
           naming_commands[table][static_cast<std::size_t>(row - commands.data())];
  }
  return false;
}

const describe::Layout* header_layout(Generation generation, std::uint8_t command) {
  switch (generation) {
    case Generation::unknown:
    case Generation::legacy:
      return nullptr;
    case Generation::v0:
      return layout_of_client_plane(layouts_by_command::v0, command);
    case Generation::va:
      return layout_of_client_plane(layouts_by_command::va, command);
    case Generation::v0_11:
      return layout_at(layouts_by_command::v0_11, command);
    case Generation::v0_12:
      return layout_at(layouts_by_command::v0_12, command);
  }
  return nullptr;
}

std::span<const describe::Layout* const> all_layouts() {
  return every_layout;
}

}  // namespace iggy
