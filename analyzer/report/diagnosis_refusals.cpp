// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What is said of requests that a server refused, or did and should not have: the texts. Which
// finding an answer shows is decided by the core.
#include <fmt/format.h>

#include <algorithm>

#include "capture/address.hpp"
#include "conversation/commands.hpp"
#include "conversation/dialect.hpp"
#include "conversation/target.hpp"
#include "iggy/errors.hpp"
#include "iggy/exchanges.hpp"
#include "iggy/options.hpp"
#include "iggy/trains.hpp"
#include "report/diagnosis.hpp"
#include "report/words.hpp"

namespace analyzer::report {

using connection::AnswerPlace;
using connection::Connection;
using connection::LoginRecord;
using connection::OutcomeKind;
using connection::Request;
using connection::Side;
using iggy::error_code;
using iggy::conversation::Commands;
using iggy::conversation::only;

namespace {

// `why` goes on behind a colon, `advice` is an order. Empty texts are left out.
struct Words {
  FindingId shown;
  std::uint32_t code;  // 0: it was done
  std::string_view why;
  std::string_view advice;
  Commands commands{};
};

constexpr std::uint32_t any = 0xffffffff;
constexpr std::uint32_t done = 0;

constexpr std::string_view unknown_key = "the server knows no such option here";
constexpr std::string_view ask_for_keys =
    "ask the server for the keys that it knows (options.describe), and leave out the others";

// The first row that fits decides.
constexpr Words words[] = {
    {FindingId::not_authorized, any, "",
     "give the user the permission (user.permissions), or log in as another user; a follower may "
     "not know yet what was changed a moment ago"},
    {FindingId::options_rejected, error_code("UnsupportedOptionKey"), unknown_key, ask_for_keys,
     only("stream.create")},
    {FindingId::options_rejected, error_code("UnsupportedOptionKey"), unknown_key, ask_for_keys,
     only("topic.create")},
    {FindingId::options_rejected, error_code("UnsupportedOptionKey"), unknown_key, ask_for_keys,
     only("user.create")},
    {FindingId::options_rejected, error_code("UnsupportedOptionKey"),
     "the server knows no such option here, or it can only be set at creation", ask_for_keys},
    {FindingId::options_rejected, error_code("InvalidTopicSize"),
     "max_topic_size is smaller than a segment of the topic",
     "raise max_topic_size, or lower segment_size"},
    {FindingId::options_rejected, error_code("OptionNotUpdatable"),
     "an option can only be set at creation", "leave it out, or create the thing anew with it"},
    {FindingId::options_rejected, error_code("OptionNotResettable"),
     "an option has no default to go back to", "set it to a value instead"},
    {FindingId::options_rejected, error_code("ReadOnlyOption"),
     "an option is one that only the server sets", "leave it out"},
    {FindingId::options_rejected, error_code("StreamEncryptionUnavailable"),
     "the server offers no encryption of streams",
     "leave out the key of the stream, or set up encryption in the server"},
    {FindingId::options_rejected, error_code("UnsupportedCriticalOption"),
     "the server does not support an option that must not be ignored",
     "ask the server for the keys that it knows (options.describe), and upgrade it if need be"},
    {FindingId::options_rejected, error_code("OptionsBlockTooLarge"),
     "the options are more than 1024 or longer than 100,000 bytes",
     "send fewer or shorter options"},
    {FindingId::options_rejected, any, "an option has a value of the wrong kind, form or range",
     "correct the value; options.describe tells the kinds"},
    {FindingId::limit_reached, error_code("TooManyPartitions"),
     "a request names more partitions than the 1000 that it may, or none to add or delete",
     "ask for fewer partitions"},
    {FindingId::limit_reached, error_code("InvalidPartitionsCount"),
     "the topic does not have so many partitions", "delete no more partitions than there are",
     only("partition.delete")},
    {FindingId::limit_reached, error_code("InvalidPartitionsCount"),
     "the server cannot apply this count of partitions",
     "ask for another count, and look at how many partitions the topic has (topic.get)"},
    {FindingId::limit_reached, error_code("TooManyConsumerOffsets"),
     "the partition keeps no offset of a further consumer",
     "delete offsets of consumers that are gone, or raise partition.consumer_offsets_max"},
    {FindingId::limit_reached, error_code("PersonalAccessTokensLimitReached"),
     "the user has as many tokens as the server allows",
     "delete tokens that are not used, or raise the limit in the server's configuration"},
    {FindingId::limit_reached, error_code("DeferredPollCapacityExceeded"),
     "as many polls as the server allows wait for messages already",
     "let fewer polls wait at a time"},
    {FindingId::limit_reached, any, "", "delete what is not used, or raise the limit"},
    {FindingId::produce_to_missing_target, any,
     "the stream, the topic or the partition does not exist",
     "create it, or correct the name; ids change when something is created anew, so let the client "
     "ask for them again; a node may not know yet what was created a moment ago"},
    {FindingId::group_membership_missing, error_code("ConsumerGroupMemberNotFound"),
     "the client is no member of the group",
     "join the group after every login: membership ends with the session"},
    {FindingId::group_membership_missing, done, "the client is no member of the group",
     "join the group after every login: membership ends with the session"},
    {FindingId::group_membership_missing, any, "the consumer group does not exist",
     "create the group or correct its name, and join it after every login"},
    {FindingId::offset_commit_rejected, any,
     "the node that answered holds no such offset: it is beyond the end of the partition, or the "
     "partition is empty",
     "check that the right partition is committed; after a purge or a new creation of the topic "
     "reset the position that the consumer keeps; a backup that lags behind answers from what it "
     "has, so compare with the partition's primary"},
    {FindingId::session_conflict, any, "the client id belongs to another user or session",
     "use a new random client id for each login"},
    {FindingId::parent_session_ended, any,
     "the session that the connection is attached to has ended, or belongs to another user",
     "look at the coordinator connection of that client: a logout, an eviction, or a new login"},
    {FindingId::poll_primary_without_attach, any, "the connection is attached to no session",
     "attach the connection first (consumer_session.attach), or upgrade the client"},
    {FindingId::timestamp_delta_too_large, any,
     "the times of its messages are more than 71 minutes apart", "split the batch"},
    {FindingId::legacy_message_header_mismatch, any,
     "the server reads messages with a header of another size",
     "use client and server of one release: messages of Rust SDK 0.7 and 0.8 fit server 0.5 and "
     "0.6, those of 0.9 and 0.10 fit server 0.7 and 0.8"},
    {FindingId::legacy_stale_client, any, "it sent no request for longer than the server allows",
     "enable the heartbeat of the SDK, or raise the interval of the server"},
    {FindingId::legacy_client_not_found, any, "the server has removed its session", "log in again"},
    {FindingId::batch_inconsistent, any, "what stands in front of its batch cannot be read",
     "fix or upgrade the library of the producer"},
    {FindingId::internal_operation_from_client, any, "only servers may use this operation",
     "treat it as abuse, unless it is a client of your own: then repair it, it sends an operation "
     "byte that is not its own to use"},
    {FindingId::invalid_metadata_body, any, "the body is not as the server reads it",
     "compare the releases of client and server; a client of your own has to write this body anew"},
    {FindingId::request_number_misuse, done,
     "a send with this number and other messages was done before, so that the server took this one "
     "for its repetition and stored nothing",
     "give each send a number of its own: upgrade the SDK, or repair a client of your own"},
    {FindingId::request_number_misuse, any,
     "a request with this number was done before, and its answer is no longer kept",
     "let each client have an id of its own, and count its requests upwards from 1 after a login"},
    {FindingId::snapshot_too_large, any,
     "the archive could not be made, is larger than a frame may be, or another one is being made",
     "ask for fewer kinds of information, or collect them on the node"},
    {FindingId::offset_commit_not_owner, error_code("ResourceNotFound"),
     "the member does not have this partition now, or there is no such stream, topic or partition",
     "nothing, right after a rebalance; else look whether polls of the same partition succeed, and "
     "check its names"},
    {FindingId::offset_commit_not_owner, any, "the member does not have this partition now",
     "nothing after a rebalance; if it goes on, let the client ask for its partitions again "
     "(consumer_group.sync)"},
    {FindingId::resource_exists, error_code("PersonalAccessTokenAlreadyExists"),
     "the user has a token of that name, or this is the repetition of a request that was done",
     "a token is told once, in the first answer to its creation: where that answer is lost, delete "
     "the token and create it anew"},
    {FindingId::resource_exists, any, "", "nothing, where the program creates what may exist"},
    {FindingId::not_found_read_shows_as_empty, any, "there is no such thing",
     "check the name or the id; ids change when something is created anew, and a follower may not "
     "know yet what was created a moment ago"},
    {FindingId::offset_missing, done,
     "nothing is stored for this consumer, its group does not exist or the server could not read "
     "it; builds before server 0.9.0 say so of a stream and a topic that do not exist, too",
     "nothing, for a new consumer; else look for the group, the stream and the topic"},
    {FindingId::offset_missing, any, "the node that answered has stored nothing for this consumer",
     "nothing, where nothing was stored or a deletion is repeated; a backup that lags behind "
     "answers from what it has, so compare with the partition's primary"},
    {FindingId::segment_delete_deferred, any, "the partition is not ready",
     "nothing: the SDK tries again"},
    {FindingId::cluster_feature_unavailable_legacy, any, "the server knows no clusters",
     "nothing: the client works on without"},
};

// Servers answer what they cannot read as they do what is not there.
constexpr Words unread = {
    FindingId::not_found_read_shows_as_empty, done,
    "the body of the request cannot be read, so that nobody knows what it asks for",
    "compare the releases of client and server; a client of your own has to write this body anew"};

bool is_answered_with_nothing(FindingId shown, const Outcome& outcome) {
  return outcome.kind == OutcomeKind::ok &&
         (shown == FindingId::not_found_read_shows_as_empty || shown == FindingId::offset_missing ||
          shown == FindingId::group_membership_missing);
}

const Words* words_of(FindingId shown, std::uint32_t code, std::uint32_t command) {
  for (const Words& row : words)
    if (row.shown == shown && (row.code == any || row.code == code) && row.commands.hold(command))
      return &row;
  return nullptr;
}

std::string text_of(const Outcome& outcome) {
  switch (outcome.kind) {
    case OutcomeKind::evicted:
      return "an eviction with reason " + reason_text(static_cast<std::uint8_t>(outcome.number));
    case OutcomeKind::ok:
      return "an empty body";
    case OutcomeKind::result:
      return "result " + error_text(outcome.number);
    default:
      return "status " + error_text(outcome.number);
  }
}

// By which the client is logged in, or the last one that it tried; null where there is none.
const LoginRecord* login_of(const Connection& connection) {
  const auto& logins = connection.logins();
  const auto found = std::find_if(logins.rbegin(), logins.rend(), [](const LoginRecord& login) {
    return login.outcome.kind == OutcomeKind::ok;
  });
  if (found != logins.rend()) return &*found;
  return logins.empty() ? nullptr : &logins.back();
}

// The keys that the server's build lacks, quoted.
std::string keys_text(std::uint32_t options) {
  std::string text;
  for (std::size_t i = 0; i < std::size(iggy::option_list::options); ++i)
    if ((options & (1U << i)) != 0)
      text += fmt::format("{}\"{}\"", text.empty() ? "" : ", ", iggy::option_list::options[i].key);
  return text;
}

// Which option a server may have meant that names none.
std::string option_text(const Connection& connection, const Request& request) {
  std::string text;
  std::uint32_t missing = 0;
  if (const auto server = connection.session().server_train)
    missing = iggy::conversation::options_lacked(request, *server);
  if (missing != 0) text = fmt::format("The build of this server lacks {}.", keys_text(missing));
  if (request.unknown_option.empty()) return text;
  return fmt::format("{}{}No build knows {}.", text, text.empty() ? "" : " ",
                     quoted(request.unknown_option));
}

// Which side to move: the client to the server's train, or both to the release.
std::string train_advice(const LoginRecord& login,
                         const iggy::conversation::SessionState& session) {
  const auto client = session.client_train;
  const auto server = session.server_train;
  std::string advice = "use client and server of one release";
  if (!client) return advice;
  if (!server)
    return fmt::format("{}: a server of the build of {} {}, or an older {}", advice,
                       printable(login.sdk), printable(login.sdk_version), printable(login.sdk));
  const std::string_view sdk = iggy::version_in(*server, login.sdk);
  const std::string_view release = iggy::version_in(*client, "server");
  if (sdk.empty() && release.empty()) return advice;
  advice.clear();
  if (!sdk.empty()) advice = fmt::format("use {} {} with this server", printable(login.sdk), sdk);
  if (!release.empty())
    advice += fmt::format("{}{} the server to {}", advice.empty() ? "" : ", or ",
                          *client > *server ? "upgrade" : "downgrade", release);
  return advice;
}

// What one of two builds lacks.
std::string lack_text(const iggy::conversation::Difference& difference, const Request& request) {
  if (difference.options != 0) return "the options " + keys_text(difference.options);
  if (!difference.is_command) return std::string(difference.what);
  return fmt::format("the command {} (code {})", request.display_name(),
                     iggy::number_of_code(request.code));
}

// How it shows, where the server's version does not tell its build.
std::string_view shown_text(const iggy::conversation::Difference& difference) {
  return difference.is_inferred ? ", as its answer shows" : "";
}

}  // namespace

// Nothing speaks against a body that was not captured.
bool Diagnosis::can_be_read(const Connection& connection, const Request& request) {
  if (request.sent != nullptr)
    return iggy::conversation::can_be_read(request.sent->facts, request.sent->sender, request.code,
                                           request.sent->window());
  connection::Facts facts;
  facts.command = static_cast<std::uint8_t>(iggy::Command::Request);
  facts.operation = request.operation;
  return request.is_legacy || request.size > iggy::header_size ||
         iggy::conversation::can_be_read(facts, connection.generation(Side::client), request.code,
                                         {});
}

void Diagnosis::refused(FindingId shown, const Connection& connection, const Request& request,
                        const Outcome& whole, const AnswerPlace& answer) {
  // A fetch is done as a whole, and refused for a partition.
  const auto& section = answer.told.section;
  const Outcome outcome = section ? Outcome{OutcomeKind::status, section->status} : whole;
  const std::string part =
      section ? fmt::format(" for partition {}", section->partition) : std::string();
  const LoginRecord* login = login_of(connection);
  const std::string user = login == nullptr || login->user.empty()
                               ? std::string()
                               : fmt::format(" by user {}", quoted(login->user));
  const std::string name = request.display_name();
  const std::string option = outcome.number == error_code("UnsupportedOptionKey")
                                 ? option_text(connection, request)
                                 : std::string();
  const std::string target = option.empty() ? std::to_string(request.target) : option;
  const bool is_unread =
      is_answered_with_nothing(shown, outcome) && !can_be_read(connection, request);
  const Words* said = is_unread ? &unread : words_of(shown, outcome.number, request.code);
  const std::string why =
      said == nullptr || said->why.empty() ? "" : fmt::format(": {}", said->why);
  list_.add(shown,
            fmt::format("{} {} {} {}{}", name, target, text_of(outcome),
                        alike_text(connection, login), user),
            {fmt::format("{}{} from {} {} {} with {}{}{}.", asked_text(request), user,
                         client_text(connection, login),
                         outcome.kind == OutcomeKind::ok ? "was answered by" : "was refused by",
                         to_string(connection.server()), text_of(outcome), part, why),
             option,
             {request.packet, answer.packet},
             said == nullptr ? std::string() : std::string(said->advice)});
}

void Diagnosis::left_out(const Connection& connection, const Request& request,
                         const AnswerPlace& answer) {
  const LoginRecord* login = login_of(connection);
  const auto& member = connection.session().left_out;
  const bool is_own = answer.told.assigned.has_value() && member;
  const std::string how =
      is_own ? fmt::format(
                   "{} gave the member no partition, for {} now", to_string(connection.server()),
                   duration_text(static_cast<std::uint64_t>(answer.time - member->since) / 1000))
             : fmt::format("by {} the group has {} for {}", to_string(connection.server()),
                           counted(answer.told.members, "member"),
                           counted(answer.told.partitions, "partition"));
  list_.add(
      FindingId::member_without_partitions,
      fmt::format("{} {} {} {}", request.display_name(), request.target, is_own,
                  alike_text(connection, login)),
      {fmt::format("{} from {}: {}.", asked_text(request), client_text(connection, login), how),
       "",
       {request.packet, answer.packet},
       "add partitions to the topic, or take members out of the group"});
}

void Diagnosis::dialects_differ(const iggy::conversation::Difference& difference,
                                const Connection& connection, const Request& request,
                                const Outcome& outcome, const AnswerPlace& answer) {
  const LoginRecord* login = login_of(connection);
  if (login == nullptr) return;
  const std::string lack = lack_text(difference, request);
  list_.add(FindingId::body_dialect_mismatch,
            fmt::format("{} {} {} {} {}", lack, login->server_version, request.display_name(),
                        text_of(outcome), alike_text(connection, login)),
            {fmt::format(
                 "{} and {} (server {}) are of different builds of protocol {}: the {} "
                 "lacks {}{}. {} {}.",
                 client_text(connection, login), to_string(connection.server()),
                 printable(login->server_version), to_text(login->version),
                 difference.lacking == iggy::conversation::Side::client ? "client" : "server", lack,
                 shown_text(difference), request.display_name(),
                 outcome.kind == OutcomeKind::unanswered ? std::string("was never answered")
                                                         : "was answered with " + text_of(outcome)),
             "",
             {request.packet, answer.packet},
             train_advice(*login, connection.session())});
}

// A TruncatePartition that was done.
void Diagnosis::truncated(FindingId shown, const Connection& connection, const Request& request,
                          const AnswerPlace& answer) {
  const LoginRecord* login = login_of(connection);
  const auto& to = request.truncated_to;
  const std::string what =
      !to        ? "messages may be gone"
      : *to == 0 ? "up to offset 0 there was nothing to delete"
                 : fmt::format("whatever the partition held below offset {} is gone", *to);
  list_.add(shown, fmt::format("{} {}", request.target, alike_text(connection, login)),
            {fmt::format("{} sent TruncatePartition{}{}, an operation of the servers' own, and {} "
                         "ran it: {}.",
                         client_text(connection, login), request.subject.empty() ? "" : " ",
                         request.subject, to_string(connection.server()), what),
             "",
             {request.packet, answer.packet},
             "treat it as abuse: find out who runs this client, and keep strangers from the port"});
}

}  // namespace analyzer::report
