// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The one list of what exists: commands, operations, layouts and error codes of every generation.
//
// Outputs are loops over these lists. Which layout a header has is decided in `header_layout` and
// nowhere else; which layout a body has is decided in decode/body.hpp from what stands here.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "describe/field.hpp"
#include "iggy/dialect.hpp"
#include "iggy/generation.hpp"
#include "iggy/operations.hpp"
#include "iggy/reasons.hpp"

namespace iggy {

// The `command` byte at offset 60. Source: core/binary_protocol/src/consensus/command.rs.
enum class Command : std::uint8_t {
  Reserved = 0,
  Ping = 1,
  Pong = 2,
  PingClient = 3,
  PongClient = 4,
  Request = 5,
  Prepare = 6,
  PrepareOk = 7,
  Reply = 8,
  Commit = 9,
  StartViewChange = 10,
  DoViewChange = 11,
  StartView = 12,
  Eviction = 13,
  ReplicaHello = 14,
  ReplicaChallenge = 15,
  ReplicaFinish = 16,
  RequestStartView = 17,
  RequestPrepares = 18,
  RepairPrepare = 19,
  RepairDone = 20,
  RangeEvicted = 21,
  RequestStateTransfer = 22,
  StateTransferTarget = 23,
  RequestStateChunk = 24,
  StateChunk = 25,
  ForwardRegister = 26,
  ForwardRegisterResult = 27,
  ForwardLogout = 28,
  ForwardLogoutResult = 29,
  ConsumerSessionHeartbeat = 30,   // from 0.11.1 on
  SessionRetirementProgress = 31,  // from here on 0.12
  ForwardCompletion = 32,
  PrimaryRebalance = 33,
  SegmentDelete = 34,
  CommitReply = 35,
  PrepareProgress = 36,
};
inline constexpr std::uint8_t highest_command = 36;

// Upstream's name of a command byte; empty for bytes that no generation knows.
std::string_view command_name(std::uint8_t command);

constexpr Plane plane_of(Command command) {
  if (command <= Command::PongClient) return Plane::unknown;
  const bool client =
      command == Command::Request || command == Command::Reply || command == Command::Eviction;
  return client ? Plane::client : Plane::replica;
}

// Commands whose `checksum` is the XXH3-64 of header bytes 16..256.
constexpr bool is_sealed(Command command) {
  switch (command) {
    case Command::PrepareOk:
    case Command::Commit:
    case Command::StartViewChange:
    case Command::DoViewChange:
    case Command::StartView:
      return true;
    case Command::RepairPrepare:
      return false;
    default:
      return command >= Command::RequestStartView;
  }
}

// The `operation` byte; only the values that code asks for, the rest have names in operation_name.
// Source: core/binary_protocol/src/consensus/operation.rs.
namespace operation {
inline constexpr std::uint8_t reserved = 0;
inline constexpr std::uint8_t register_session = 1;  // upstream: Register
inline constexpr std::uint8_t non_replicated = 2;
inline constexpr std::uint8_t logout = 3;
inline constexpr std::uint8_t first_internal = 64;
inline constexpr std::uint8_t create_topic_with_assignments = 64;
inline constexpr std::uint8_t create_partitions_with_assignments = 65;
inline constexpr std::uint8_t truncate_partition = 68;
inline constexpr std::uint8_t delete_segments = 138;
inline constexpr std::uint8_t first_partition = 160;
inline constexpr std::uint8_t send_messages = 160;  // upstream: SendMessages
}  // namespace operation

// Command codes that code asks for. Source: core/binary_protocol/src/codes.rs.
namespace code {
inline constexpr std::uint32_t ping = 1;
inline constexpr std::uint32_t consumer_session_attach = 14;
inline constexpr std::uint32_t session_bind = 15;
inline constexpr std::uint32_t login = 38;
inline constexpr std::uint32_t logout = 39;
inline constexpr std::uint32_t login_register = 40;
inline constexpr std::uint32_t login_with_token = 44;
inline constexpr std::uint32_t login_register_with_token = 45;
inline constexpr std::uint32_t poll_routing = 103;
inline constexpr std::uint32_t poll_primary = 104;
inline constexpr std::uint32_t consumer_group_leave = 605;
}  // namespace code

// Error codes that code asks for, as `status` and the result section carry them; all have names in
// errors.hpp. Source: core/common/src/error/iggy_error.rs.
namespace status {
inline constexpr std::uint32_t invalid_command = 3;
inline constexpr std::uint32_t invalid_format = 4;
inline constexpr std::uint32_t feature_unavailable = 5;
inline constexpr std::uint32_t stale_client = 30;
inline constexpr std::uint32_t unauthenticated = 40;
inline constexpr std::uint32_t invalid_credentials = 42;
inline constexpr std::uint32_t invalid_username = 43;
inline constexpr std::uint32_t invalid_password = 44;
inline constexpr std::uint32_t user_inactive = 47;
inline constexpr std::uint32_t invalid_token = 53;
inline constexpr std::uint32_t token_expired = 54;
inline constexpr std::uint32_t transient_not_committed = 57;
inline constexpr std::uint32_t transient_not_accepted = 58;
}  // namespace status

// One command of the client plane.
struct Exchange {
  std::uint32_t code = 0;
  std::string_view name;        // as in upstream's dispatch table: "topic.create"
  std::uint8_t operation = 0;   // of the request; 2 means that the header carries the code
  bool secret_request = false;  // the request body holds a password or a token
  bool secret_reply = false;    // the reply body holds one
  bool empty_request = false;   // requests have no body; servers do not look at one
  bool is_one_way = false;      // no answer is due
};

// What becomes of bytes behind the last row of a body: who receives them does not look at them, or
// refuses them. A body whose last row takes all that is left has none.
enum class Behind : std::uint8_t { ignored, rejected };

struct Body {
  const describe::Layout* layout = nullptr;
  Behind behind = Behind::ignored;

  constexpr Body() = default;
  // Most bodies are a layout and no more. NOLINTNEXTLINE(google-explicit-constructor)
  constexpr Body(const describe::Layout* which, Behind what_follows = Behind::ignored)
      : layout(which), behind(what_follows) {}
};

// The bodies of a command; those that have no bytes have a layout without rows.
struct CommandBodies {
  std::uint32_t code = 0;
  Body request;
  Body reply;  // when it was done
};

// The body of a Prepare and a RepairPrepare.
struct ReplicatedBody {
  std::uint8_t operation = 0;
  Body body;
};

// The body of another frame between replicas, of one operation where it names one.
struct ControlBody {
  Command command{};
  std::uint8_t operation = 0;
  Body body;
};
inline constexpr std::uint8_t any_operation = 0;

// Bodies as builds of a generation had them before a train, where it changed them.
struct OlderBodies {
  Train before{};
  std::span<const CommandBodies> commands;
  std::span<const ReplicatedBody> replicated;
};

// All bodies of a generation; commands and operations are in order of their number, older bodies
// in that of their train.
struct BodyTables {
  Generation generation = Generation::unknown;
  std::span<const CommandBodies> commands;
  std::span<const ReplicatedBody> replicated;
  std::span<const ControlBody> control;
  std::span<const OlderBodies> older;
};

// All commands of a generation, by code. Legacy has a list of its own; v0 and va share that of
// 0.11.
std::span<const Exchange> exchanges(Generation generation);
// The command of a code; null when the generation does not know it.
const Exchange* find_code(Generation generation, std::uint32_t code);
// The command whose requests travel as this operation; null for 1 and 2 and for unknown ones.
const Exchange* find_operation(Generation generation, std::uint8_t operation);

// The bodies of a command; null when the generation has no tables for it. They are those of an
// older build only where the sender's train is known.
const CommandBodies* find_bodies(Dialect sender, std::uint32_t code);
// All that they may be, the most likely first: legacy releases do not tell which they are.
std::span<const CommandBodies> every_bodies(Generation generation, std::uint32_t code);
// What replicas send of an operation; without a layout when the generation has no table for it.
// Operations that are not rewritten are sent as the client sent them.
Body replicated_body(Dialect sender, std::uint8_t operation);
// Whether a command that was done tells numbers of things with their names, or that one is gone.
bool tells_names(Generation generation, std::uint32_t code);
// What else they send; without a layout when the generation has no table for it.
Body control_body(Generation generation, Command command, std::uint8_t operation);

// operation_name, is_known_operation, requested_operation, is_result_framed and the classes of
// operations stand in operations.hpp, which is included here.

// The layout of the 256-byte header. This is the one place where a generation chooses its headers.
// Null when the generation has no such command (or no such header at all: legacy).
const describe::Layout* header_layout(Generation generation, std::uint8_t command);

// Every layout of every generation, once, for the field reference, registration and tests.
std::span<const describe::Layout* const> all_layouts();

// Upstream's name of an error code; empty when unknown. 0 is "ok" on the wire and has no name here.
std::string_view error_name(std::uint32_t code);
// Upstream's name of an eviction reason; empty when unknown.
std::string_view eviction_reason_name(std::uint8_t reason);

}  // namespace iggy
