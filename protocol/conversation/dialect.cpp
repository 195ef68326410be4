// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The differences between builds of one number, by how requests fail by them.
//
// Source: core/binary_protocol at upstream's tags; the answers are those of core/server.
#include "conversation/dialect.hpp"

#include "conversation/commands.hpp"
#include "iggy/errors.hpp"
#include "iggy/exchanges.hpp"
#include "iggy/options.hpp"

namespace iggy::conversation {
namespace {

enum class Older : std::uint8_t { client, server, either };

// How a request ends by a difference.
struct End {
  OutcomeKind kind;
  std::uint32_t status = 0;
};

struct Row {
  Train since;  // the first build that has it
  Older older;  // the side that may lack it
  Commands commands;
  End end;
  std::string_view what;
};

constexpr std::string_view options = "options at the end of bodies that create and update";
constexpr std::string_view changes =
    "the rules for bodies of changes that came with the options of creations and updates";
constexpr std::string_view level = "a level of acknowledgement in offset writes";
constexpr std::string_view merged =
    "offset writes that hold their level of acknowledgement, in place of commands of their own";
constexpr std::string_view batches = "messages in batches with a header of 256 bytes";
constexpr std::string_view numbers =
    "a number of its own for each send, so that the server took one for the repetition of another "
    "and stored nothing of it";

constexpr End not_read{OutcomeKind::status, error_code("InvalidCommand")};
constexpr End not_found{OutcomeKind::status, error_code("ResourceNotFound")};
constexpr End swallowed{OutcomeKind::ok};  // with an empty answer
constexpr End silent{OutcomeKind::unanswered};

constexpr Commands stream_create = only("stream.create");
constexpr Commands stream_update = only("stream.update");
constexpr Commands topic_create = only("topic.create");
constexpr Commands topic_update = only("topic.update");
constexpr Commands user_create = only("user.create");
constexpr Commands user_update = only("user.update");
constexpr Commands of_streams = between("stream.create", "stream.purge");
constexpr Commands of_topics = between("topic.create", "topic.purge");
constexpr Commands of_partitions = between("partition.create", "partition.delete");
constexpr Commands of_offsets = between("consumer_offset.store", "consumer_offset.delete");
constexpr Commands of_levels = between("consumer_offset.store.v2", "consumer_offset.delete.v2");
constexpr Commands sending = only("message.send");

// clang-format off
// The first row that fits tells what is lacking.
constexpr Row rows[] = {
    {Train::v0_11_0_edge_3, Older::either, stream_create, not_read,  options},
    {Train::v0_11_0_edge_3, Older::either, stream_update, not_read,  options},
    {Train::v0_11_0_edge_3, Older::either, topic_create,  not_read,  options},
    {Train::v0_11_0_edge_3, Older::either, topic_update,  not_read,  options},
    {Train::v0_11_0_edge_3, Older::either, user_create,   not_read,  options},
    {Train::v0_11_0_edge_3, Older::either, user_update,   not_read,  options},
    {Train::v0_11_0_edge_3, Older::either, of_streams,    not_read,  changes},
    {Train::v0_11_0_edge_3, Older::either, of_topics,     not_read,  changes},
    {Train::v0_11_0_edge_3, Older::either, of_partitions, not_read,  changes},
    {Train::v0_11_0_edge_4, Older::client, of_offsets,    not_read,  level},
    {Train::v0_11_0_edge_4, Older::client, of_offsets,    not_found, level},
    {Train::v0_11_0_edge_4, Older::client, of_levels,     silent,    merged},
    {Train::v0_11_0_edge_4, Older::either, sending,       silent,    batches},
    {Train::v0_11_0_edge_7, Older::client, sending,       swallowed, numbers},
};
// clang-format on

bool lies_between(const Row& row, Train client, Train server) {
  const bool is_older_client = client < row.since && row.since <= server;
  const bool is_older_server = server < row.since && row.since <= client;
  return (is_older_client && row.older != Older::server) ||
         (is_older_server && row.older != Older::client);
}

bool ends_so(const Row& row, const Asked& asked, const Outcome& outcome,
             const SessionState& session) {
  return row.commands.hold(asked.code) && outcome.kind == row.end.kind &&
         (row.end.status == 0 || row.end.status == outcome.number) &&
         (row.end.kind != OutcomeKind::ok || session.is_swallowed);
}

// Those that a build has.
std::uint32_t options_of(Train train) {
  std::uint32_t known = 0;
  for (std::size_t i = 0; i < std::size(option_list::options); ++i)
    if (option_list::options[i].is_known_to(train)) known |= 1U << i;
  return known;
}

// Whether the server's build lacks a command that the client's has; `is_inferred` is set where its
// answer alone tells it.
std::optional<Difference> lacked_command(const Asked& asked, const Outcome& outcome,
                                         const SessionState& session) {
  const bool is_unread = outcome == Outcome{OutcomeKind::status, error_code("InvalidCommand")};
  const Introduced* const introduced = introduction_of(asked.code);
  if (!is_unread || introduced == nullptr || !session.client_train ||
      !is_known_to(*session.client_train, asked.code))
    return std::nullopt;
  const Version number =
      session.server_train ? number_of(*session.server_train) : session.server_number;
  if (number_of(*session.client_train) != number) return std::nullopt;
  const bool is_inferred = !session.server_train;
  const bool is_disproven = !asked.may_be_served || introduced->since <= session.server_shown;
  if (is_inferred && is_disproven) return std::nullopt;
  const bool may_lack =
      is_inferred ? !tells_train_of_servers(number) && is_lacked_by_some(number, asked.code)
                  : !is_known_to(*session.server_train, asked.code);
  if (!may_lack) return std::nullopt;
  return Difference{Side::server, {}, 0, true, is_inferred};
}

// The same where both sides' strings tell their builds.
std::optional<Difference> difference_listed(const Asked& asked, const Outcome& outcome,
                                            const SessionState& session) {
  if (!session.client_train || !session.server_train) return std::nullopt;
  const Train client = *session.client_train;
  const Train server = *session.server_train;
  if (client == server || number_of(client) != number_of(server)) return std::nullopt;
  if (outcome == Outcome{OutcomeKind::status, error_code("UnsupportedOptionKey")}) {
    const std::uint32_t missing = options_lacked(asked, server) & options_of(client);
    if (missing != 0) return Difference{Side::server, {}, missing};
  }
  for (const Row& row : rows)
    if (lies_between(row, client, server) && ends_so(row, asked, outcome, session))
      return Difference{client < server ? Side::client : Side::server, row.what, 0};
  return std::nullopt;
}

}  // namespace

std::uint32_t options_lacked(const Asked& asked, Train server) {
  return topic_create.hold(asked.code) ? asked.options & ~options_of(server) : 0;
}

std::optional<Difference> difference_shown(const Asked& asked, const Outcome& outcome,
                                           const SessionState& session) {
  if (asked.is_legacy) return std::nullopt;
  if (const auto listed = difference_listed(asked, outcome, session)) return listed;
  return lacked_command(asked, outcome, session);
}

}  // namespace iggy::conversation
