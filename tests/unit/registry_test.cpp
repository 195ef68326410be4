// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The registry as data: names, meanings, commands, operations and errors, against tests/data.
#include "iggy/registry.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <cstdint>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "iggy/errors.hpp"
#include "iggy/exchanges.hpp"
#include "iggy/layouts.hpp"
#include "support/test_data.hpp"

namespace iggy {
namespace {

using describe::Field;
using describe::Kind;
using describe::Layout;

std::vector<std::vector<std::string>> lines(const std::string& file) {
  std::ifstream in(support::test_data(file));
  EXPECT_TRUE(in) << file;
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> columns;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, '\t');) columns.push_back(cell);
    rows.push_back(columns);
  }
  return rows;
}

bool is_snake_case(std::string_view name) {
  if (name.empty() || std::islower(static_cast<unsigned char>(name.front())) == 0) return false;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::islower(byte) == 0 && std::isdigit(byte) == 0 && c != '_') return false;
  }
  return name.find("__") == std::string_view::npos && name.back() != '_';
}

TEST(Registry, ListsEachLayoutOnce) {
  std::set<const Layout*> seen;
  for (const Layout* const layout : all_layouts()) {
    ASSERT_NE(layout, nullptr);
    EXPECT_TRUE(seen.insert(layout).second) << layout->name;
  }
  for (int command = 0; command < 256; ++command)
    for (const Generation generation :
         {Generation::v0, Generation::va, Generation::v0_11, Generation::v0_12}) {
      const Layout* const layout = header_layout(generation, static_cast<std::uint8_t>(command));
      EXPECT_TRUE(layout == nullptr || seen.contains(layout));
    }
}

// Whatever a layout nests is listed too, since the reference and Wireshark loop over the list.
TEST(Registry, ListsNestedLayouts) {
  std::set<const Layout*> listed(all_layouts().begin(), all_layouts().end());
  for (const Layout* const layout : all_layouts())
    for (const Field& field : layout->fields) {
      const bool nests = field.kind == Kind::group || field.kind == Kind::bytes;
      if (field.kind == Kind::bytes && field.layout == nullptr) continue;
      EXPECT_EQ(nests, field.layout != nullptr) << layout->name << '.' << field.name;
      EXPECT_TRUE(!nests || listed.contains(field.layout)) << layout->name << '.' << field.name;
    }
}

TEST(Registry, NamesAndMeanings) {
  std::set<std::string_view> titles;
  for (const Layout* const layout : all_layouts()) {
    EXPECT_TRUE(is_snake_case(layout->name)) << layout->name;
    EXPECT_TRUE(titles.insert(layout->title).second) << layout->title;
    std::set<std::string_view> names;
    for (const Field& field : layout->fields) {
      SCOPED_TRACE(std::string(layout->name) + '.' + std::string(field.name));
      EXPECT_TRUE(is_snake_case(field.name));
      // The cases of a kind may each have a row of that name.
      EXPECT_TRUE(names.insert(field.name).second || field.when != describe::When::always);
      EXPECT_FALSE(field.meaning.empty());
      EXPECT_LE(field.meaning.size(), 100U);
      EXPECT_TRUE(field.meaning.empty() || field.meaning.back() != '.');
      EXPECT_EQ(field.meaning.find('\n'), std::string_view::npos);
    }
  }
}

// A header or body that several generations have keeps its name in all of them, so that one filter
// finds it everywhere. Then what the name stands for must be the same sort of thing.
TEST(Registry, OneFullNameIsOneThing) {
  using Sort = std::tuple<Kind, describe::Privacy, describe::Shape>;
  std::map<std::string, Sort> known;
  for (const Layout* const layout : all_layouts())
    for (const Field& field : layout->fields) {
      std::string name = "iggy." + std::string(layout->name) + '.' + std::string(field.name);
      // What is secret in one case alone has a field of its own there.
      const bool is_case =
          field.when == describe::When::equal || field.when == describe::When::having;
      if (is_case && field.privacy == describe::Privacy::secret) name += ", secret";
      const Kind kind = field.kind == Kind::zero ? Kind::bytes : field.kind;
      const Sort sort{kind, field.privacy, field.shape};
      const auto [place, is_new] = known.emplace(name, sort);
      EXPECT_TRUE(is_new || place->second == sort) << name;
    }
}

// Whether a row below takes what the count row says, or a layout around this one does.
bool is_taken(const Layout& layout, std::size_t at) {
  int left = 1;
  for (std::size_t i = at + 1; i < layout.fields.size(); ++i) {
    const Field& field = layout.fields[i];
    if (!describe::stands_with(layout.fields[at], field)) continue;
    left -= describe::counts_taken(field);
    if (left <= 0) return true;
    if (is_count(field)) ++left;
  }
  for (const Layout* const outer : all_layouts())
    for (const Field& field : outer->fields)
      if (field.layout == &layout && is_count(field)) return true;
  return false;
}

TEST(Registry, EveryCountIsTaken) {
  for (const Layout* const layout : all_layouts())
    for (std::size_t i = 0; i < layout->fields.size(); ++i) {
      const Field& field = layout->fields[i];
      if (!is_count(field)) continue;
      // Of the cases of a kind one may have no value, and so no bytes.
      if (field.when != describe::When::always && field.maximum == field.minimum) continue;
      EXPECT_TRUE(is_taken(*layout, i)) << layout->name << '.' << field.name;
    }
}

TEST(Registry, EnumerationsAreInOrder) {
  for (const Layout* const layout : all_layouts())
    for (const Field& field : layout->fields)
      for (std::size_t i = 1; i < field.names.size(); ++i)
        EXPECT_LT(field.names[i - 1].value, field.names[i].value)
            << layout->name << '.' << field.name;
}

void compare_commands(Generation generation, const std::string& file, std::size_t count,
                      std::size_t of_older_builds) {
  const auto rows = lines(file);
  ASSERT_EQ(rows.size(), count + 1);
  ASSERT_EQ(exchanges(generation).size(), count + of_older_builds);
  for (std::size_t i = 0; i < count; ++i) {
    const auto& row = rows[i + 1];
    const Exchange& exchange = exchanges(generation)[i];
    SCOPED_TRACE(row[1]);
    EXPECT_EQ(exchange.code, std::stoul(row[0]));
    EXPECT_EQ(exchange.name, row[1]);
    EXPECT_EQ(find_code(generation, exchange.code), &exchange);
    const std::string& operation = row[2];
    const std::size_t equals = operation.find('=');
    if (equals == std::string::npos) {
      EXPECT_EQ(operation, "non-replicated");
      EXPECT_EQ(exchange.operation, 2);
      continue;
    }
    EXPECT_EQ(exchange.operation, std::stoul(operation.substr(equals + 1)));
    EXPECT_EQ(operation_name(generation, exchange.operation), operation.substr(0, equals));
    if (exchange.operation == 1) continue;
    EXPECT_EQ(find_operation(generation, exchange.operation), &exchange);
  }
}

TEST(Registry, CommandsOf011) {
  compare_commands(Generation::v0_11, "commands.tsv", 55, 2);
  EXPECT_EQ(exchanges(Generation::v0).data(), exchanges(Generation::v0_11).data());
  EXPECT_EQ(exchanges(Generation::va).data(), exchanges(Generation::v0_11).data());
}

TEST(Registry, CommandsOf012) {
  compare_commands(Generation::v0_12, "commands-0.12.tsv", 53, 0);
}

// What builds before 0.11.0-edge.4 sent under operations of their own has codes that mean something
// else today, or nothing.
TEST(Registry, CodesWithAnOlderMeaning) {
  struct Row {
    std::uint8_t operation;
    std::uint32_t code;
    std::string_view name;
    std::string_view today;
  };
  constexpr Row rows[] = {
      {164, 123, "consumer_offset.store.v2", "consumer_offset.store"},
      {165, 124, "consumer_offset.delete.v2", "consumer_offset.delete"},
  };
  for (const Row& row : rows) {
    const Exchange* const exchange = find_operation(Generation::v0_11, row.operation);
    ASSERT_NE(exchange, nullptr);
    EXPECT_EQ(exchange->name, row.name);
    EXPECT_EQ(number_of_code(exchange->code), row.code);
    EXPECT_EQ(find_code(Generation::v0_11, exchange->code), exchange);
    EXPECT_EQ(find_code(Generation::v0_12, exchange->code), nullptr);
    EXPECT_EQ(find_operation(Generation::v0_12, row.operation), nullptr);
    EXPECT_EQ(find_code(Generation::v0_11, command_of_today(exchange->code))->name, row.today);
    EXPECT_TRUE(is_result_framed(Generation::v0_11, row.operation, true));
    for (const Train train : {Train::v0_11_0_edge_1, Train::v0_11_0_edge_3})
      EXPECT_TRUE(is_known_to(train, exchange->code));
    EXPECT_FALSE(is_known_to(Train::v0_11_0_edge_4, exchange->code));
    EXPECT_EQ(replicated_body(Generation::v0_11, row.operation).layout,
              find_bodies(Generation::v0_11, command_of_today(exchange->code))->request.layout);
  }
  EXPECT_EQ(find_code(Generation::v0_11, 123)->name, "consumer_offset.routing");
  for (const describe::Name& name : v0_11_code_names) EXPECT_LT(name.value, older_meaning);
}

TEST(Registry, LegacyCommands) {
  const std::set<std::uint32_t> codes = {1,   10,  11,  12,  20,  21,  22,  31,  32,  33,  34,  35,
                                         36,  37,  38,  39,  41,  42,  43,  44,  100, 101, 102, 120,
                                         121, 122, 200, 201, 202, 203, 204, 205, 300, 301, 302, 303,
                                         304, 305, 402, 403, 503, 600, 601, 602, 603, 604, 605};
  EXPECT_EQ(exchanges(Generation::legacy).size(), codes.size());
  for (const Exchange& exchange : exchanges(Generation::legacy)) {
    EXPECT_TRUE(codes.contains(exchange.code)) << exchange.code;
    EXPECT_EQ(exchange.operation, 0);
    ASSERT_NE(find_code(Generation::v0_11, exchange.code), nullptr);
    EXPECT_EQ(find_code(Generation::v0_11, exchange.code)->name, exchange.name);
  }
}

TEST(Registry, UnknownCommandsAreNull) {
  EXPECT_TRUE(exchanges(Generation::unknown).empty());
  EXPECT_EQ(find_code(Generation::unknown, 1), nullptr);
  EXPECT_EQ(find_code(Generation::v0_11, 0), nullptr);
  EXPECT_EQ(find_code(Generation::v0_11, 15), nullptr);
  EXPECT_EQ(find_code(Generation::v0_12, 14), nullptr);
  EXPECT_EQ(find_code(Generation::v0_12, 0xffffffff), nullptr);
  for (const std::uint8_t operation : std::initializer_list<std::uint8_t>{0, 1, 2, 64, 163, 255})
    EXPECT_EQ(find_operation(Generation::v0_11, operation), nullptr) << int{operation};
}

TEST(Registry, SecretBodies) {
  const std::set<std::uint32_t> requests = {15, 33, 37, 38, 40, 44, 45};
  for (const Generation generation :
       {Generation::legacy, Generation::v0, Generation::va, Generation::v0_11, Generation::v0_12})
    for (const Exchange& exchange : exchanges(generation)) {
      // An option of stream.create may be an encryption key since 0.12.
      const bool key = generation == Generation::v0_12 && exchange.code == 202;
      EXPECT_EQ(exchange.secret_request, requests.contains(exchange.code) || key) << exchange.name;
      EXPECT_EQ(exchange.secret_reply, exchange.code == 42) << exchange.name;
    }
}

TEST(Registry, OperationsOf011) {
  std::set<int> known = {0, 1, 2, 3, 64, 65, 66, 67, 68, 160, 161, 162};
  for (int operation = 128; operation <= 149; ++operation) known.insert(operation);
  EXPECT_EQ(known.size(), 34U);
  known.insert({164, 165});  // of builds before the release
  for (int operation = 0; operation < 256; ++operation) {
    const auto byte = static_cast<std::uint8_t>(operation);
    EXPECT_EQ(is_known_operation(Generation::v0_11, byte), known.contains(operation)) << operation;
    EXPECT_EQ(is_known_operation(Generation::va, byte), known.contains(operation)) << operation;
    EXPECT_FALSE(is_known_operation(Generation::legacy, byte));
    EXPECT_FALSE(is_known_operation(Generation::unknown, byte));
  }
}

TEST(Registry, OperationsOf012) {
  const std::set<int> known = {0,   1,   2,   3,   64,  65,  66,  67,  68,  70,  71,  72,  73,  74,
                               75,  128, 130, 132, 134, 136, 137, 138, 139, 140, 141, 143, 144, 145,
                               146, 147, 148, 149, 150, 160, 161, 162, 166, 167, 168, 169};
  for (int operation = 0; operation < 256; ++operation)
    EXPECT_EQ(is_known_operation(Generation::v0_12, static_cast<std::uint8_t>(operation)),
              known.contains(operation))
        << operation;
  EXPECT_EQ(operation_name(Generation::v0_12, 150), "UpdateResource");
  EXPECT_EQ(operation_name(Generation::v0_12, 129), "");
  EXPECT_EQ(operation_name(Generation::v0_11, 129), "UpdateStream");
}

TEST(Registry, ClassesOfOperations) {
  for (int operation = 0; operation < 256; ++operation) {
    const auto byte = static_cast<std::uint8_t>(operation);
    for (const Generation generation : {Generation::v0_11, Generation::v0_12}) {
      const bool known = is_known_operation(generation, byte);
      const bool internal = (operation >= 64 && operation <= 127) || operation >= 166;
      const bool metadata = (operation >= 64 && operation <= 150) && operation != 138;
      EXPECT_EQ(is_internal_operation(generation, byte), known && internal) << operation;
      EXPECT_EQ(is_metadata_operation(generation, byte), known && metadata) << operation;
    }
  }
}

// Which requests are empty does not depend on the generation: bodies are judged by it before the
// generation is known.
TEST(Registry, EmptyRequests) {
  const std::set<std::uint32_t> empty = {1, 10, 12, 20, 22, 32, 39, 41, 201};
  for (const Generation generation : {Generation::legacy, Generation::v0_11, Generation::v0_12}) {
    std::set<std::uint32_t> found;
    for (const Exchange& exchange : exchanges(generation))
      if (exchange.empty_request) found.insert(exchange.code);
    EXPECT_EQ(found, empty) << word_of(generation);
  }
}

TEST(Registry, ConstantsAreTheNamedNumbers) {
  EXPECT_EQ(eviction_reason_name(reason::no_session), "NoSession");
  EXPECT_EQ(eviction_reason_name(reason::client_release_too_low), "ClientReleaseTooLow");
  EXPECT_EQ(eviction_reason_name(reason::client_release_too_high), "ClientReleaseTooHigh");
  EXPECT_EQ(eviction_reason_name(reason::invalid_request_operation), "InvalidRequestOperation");
  EXPECT_EQ(eviction_reason_name(reason::invalid_request_body), "InvalidRequestBody");
  EXPECT_EQ(eviction_reason_name(reason::invalid_request_body_size), "InvalidRequestBodySize");
  EXPECT_EQ(eviction_reason_name(reason::session_too_low), "SessionTooLow");
  EXPECT_EQ(eviction_reason_name(reason::session_release_mismatch), "SessionReleaseMismatch");
  EXPECT_EQ(eviction_reason_name(reason::invalid_credentials), "InvalidCredentials");
  EXPECT_EQ(eviction_reason_name(reason::invalid_token), "InvalidToken");
  EXPECT_EQ(eviction_reason_name(reason::user_inactive), "UserInactive");
  EXPECT_EQ(eviction_reason_name(reason::session_error), "SessionError");
  EXPECT_EQ(eviction_reason_name(reason::stale_client), "StaleClient");
  EXPECT_EQ(eviction_reason_name(reason::incompatible_protocol), "IncompatibleProtocol");
  EXPECT_EQ(eviction_reason_name(reason::malformed_login), "MalformedLogin");
  EXPECT_EQ(error_name(status::invalid_command), "InvalidCommand");
  EXPECT_EQ(error_name(status::invalid_format), "InvalidFormat");
  EXPECT_EQ(error_name(status::feature_unavailable), "FeatureUnavailable");
  EXPECT_EQ(error_name(status::unauthenticated), "Unauthenticated");
  EXPECT_EQ(error_name(status::invalid_credentials), "InvalidCredentials");
  EXPECT_EQ(error_name(status::invalid_username), "InvalidUsername");
  EXPECT_EQ(error_name(status::invalid_password), "InvalidPassword");
  EXPECT_EQ(error_name(status::user_inactive), "UserInactive");
  EXPECT_EQ(error_name(status::invalid_token), "InvalidPersonalAccessToken");
  EXPECT_EQ(error_name(status::token_expired), "PersonalAccessTokenExpired");
  EXPECT_EQ(error_name(status::transient_not_committed), "TransientNotCommitted");
  EXPECT_EQ(error_name(status::transient_not_accepted), "TransientNotAccepted");
}

TEST(Registry, WordsOfPlanes) {
  EXPECT_EQ(word_of(Plane::unknown), "");
  EXPECT_EQ(word_of(Plane::client), "client");
  EXPECT_EQ(word_of(Plane::replica), "replica");
}

// A committed reply may carry another operation than its request did.
TEST(Registry, RequestedOperations) {
  const std::map<int, int> committed = {{64, 132}, {65, 136}, {68, 138},
                                        {72, 150}, {73, 150}, {74, 150}};
  for (int operation = 0; operation < 256; ++operation) {
    const auto found = committed.find(operation);
    EXPECT_EQ(requested_operation(static_cast<std::uint8_t>(operation)),
              found == committed.end() ? operation : found->second);
  }
}

void compare_result_framing(Generation generation, const std::string& file) {
  const auto rows = lines(file);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const Exchange* const exchange =
        find_code(generation, static_cast<std::uint32_t>(std::stoul(rows[i][0])));
    ASSERT_NE(exchange, nullptr);
    SCOPED_TRACE(std::string(exchange->name));
    const std::string& framed = rows[i][3];
    // A committed DeleteSegments is answered as 68; by its own number it is not framed.
    const std::uint8_t replied = exchange->operation == 138 ? 68 : exchange->operation;
    EXPECT_EQ(is_result_framed(generation, replied, true), framed != "no");
    EXPECT_EQ(is_result_framed(generation, replied, false), framed == "yes");
  }
}

TEST(Registry, ResultSections) {
  compare_result_framing(Generation::v0_11, "commands.tsv");
  compare_result_framing(Generation::v0_12, "commands-0.12.tsv");
  for (const std::uint8_t replied : std::initializer_list<std::uint8_t>{2, 3, 138, 160})
    EXPECT_FALSE(is_result_framed(Generation::v0_11, replied, true)) << int{replied};
  for (const std::uint8_t replied : std::initializer_list<std::uint8_t>{64, 65, 68}) {
    EXPECT_TRUE(is_result_framed(Generation::v0_11, replied, true)) << int{replied};
    EXPECT_TRUE(is_result_framed(Generation::va, replied, true)) << int{replied};
  }
  for (const std::uint8_t replied : std::initializer_list<std::uint8_t>{72, 73, 74, 150})
    EXPECT_TRUE(is_result_framed(Generation::v0_12, replied, true)) << int{replied};
  EXPECT_FALSE(is_result_framed(Generation::v0, 1, true));
  EXPECT_FALSE(is_result_framed(Generation::v0, 128, true));
}

TEST(Registry, Errors) {
  const auto rows = lines("errors.tsv");
  EXPECT_EQ(rows.size(), 240U);
  for (const auto& row : rows)
    EXPECT_EQ(error_name(static_cast<std::uint32_t>(std::stoul(row[0]))), row[1]);
  EXPECT_EQ(std::size(errors), 240U + 27U);
  EXPECT_EQ(error_name(0), "");
  EXPECT_EQ(error_name(17), "");
  EXPECT_EQ(error_name(87), "HistoryUnavailable");
  EXPECT_EQ(error_name(14010), "FetchProgressUncertain");
  EXPECT_EQ(error_name(14011), "");
  EXPECT_EQ(error_name(0xffffffff), "");
}

TEST(Registry, CommandNamesFollowTheirBytes) {
  for (int command = 0; command < 256; ++command) {
    const auto byte = static_cast<std::uint8_t>(command);
    EXPECT_EQ(command_name(byte).empty(), command > highest_command) << command;
    EXPECT_EQ(command_name(byte), describe::name_of(command_names, byte));
  }
  EXPECT_EQ(command_name(static_cast<std::uint8_t>(Command::Eviction)), "Eviction");
}

TEST(Registry, EvictionReasons) {
  EXPECT_EQ(eviction_reason_name(14), "IncompatibleProtocol");
  EXPECT_EQ(eviction_reason_name(0), "Reserved");
  EXPECT_EQ(eviction_reason_name(16), "");
}

}  // namespace
}  // namespace iggy
