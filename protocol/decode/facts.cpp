// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Reads the fields of facts.hpp.
#include "decode/facts.hpp"

#include "describe/proofs.hpp"
#include "iggy/legacy.hpp"
#include "iggy/older/headers.hpp"
#include "iggy/v0_11/client_headers.hpp"
#include "iggy/v0_11/replica_headers.hpp"
#include "iggy/v0_12/client_headers.hpp"
#include "iggy/v0_12/new_headers.hpp"
#include "iggy/v0_12/replica_headers.hpp"

namespace iggy::decode {
namespace {

using describe::Layout;
using describe::offset_of;

// Whether other generations have these rows where 0.11 has them.
template <class... Names>
consteval bool lie_alike(const Layout& here, const Layout& there, Names... names) {
  const auto alike = [&here, &there](std::string_view name) {
    const describe::Field& row = row_of(here, name);
    return row.offset == row_of(there, name).offset && row.width == row_of(there, name).width;
  };
  return (alike(names) && ...);
}
// What is read below at the places of 0.11 whatever the generation. The eviction and PrepareOk of
// 0.12 are those of 0.11, and the common half is the same array of rows in every layout.
static_assert(lie_alike(v0_11::request, v0_12::request, "client", "request_checksum", "request",
                        "operation", "session", "code"));
static_assert(lie_alike(v0_11::request, older::va_request, "client", "request_checksum", "request",
                        "operation"));
static_assert(lie_alike(v0_11::request, older::v0_request, "client", "request_checksum", "request",
                        "operation"));
static_assert(lie_alike(v0_11::reply, v0_12::reply, "client", "request_checksum", "op", "request",
                        "operation", "status"));
static_assert(lie_alike(v0_11::reply, older::va_reply, "client", "request_checksum", "op",
                        "request", "operation"));
static_assert(lie_alike(v0_11::reply, older::v0_reply, "client", "request_checksum", "op",
                        "request", "operation"));
static_assert(lie_alike(v0_11::eviction, older::v0_eviction, "client", "reason"));
static_assert(lie_alike(v0_11::prepare, v0_12::prepare, "client", "op", "group", "request",
                        "operation"));
static_assert(lie_alike(v0_11::commit, v0_12::commit, "group"));
static_assert(lie_alike(v0_11::start_view_change, v0_12::start_view_change, "group"));
static_assert(lie_alike(v0_11::do_view_change, v0_12::do_view_change, "group"));
static_assert(lie_alike(v0_11::start_view, v0_12::start_view, "group"));
static_assert(lie_alike(v0_11::request_start_view, v0_12::request_start_view, "group"));
static_assert(lie_alike(v0_11::request_prepares, v0_12::request_prepares, "group"));
static_assert(lie_alike(v0_11::repair_range_reply, v0_12::repair_range_reply, "group"));
static_assert(lie_alike(v0_11::request_state_transfer, v0_12::request_state_transfer, "group"));
static_assert(lie_alike(v0_11::state_transfer_target, v0_12::state_transfer_target, "group"));
static_assert(lie_alike(v0_11::request_state_chunk, v0_12::request_state_chunk, "group"));
static_assert(lie_alike(v0_11::state_chunk, v0_12::state_chunk, "group"));

// Places in the half that differs by command. The common half is the same in every layout.
struct RequestPlaces {
  std::uint16_t session;
  std::uint16_t code;
};
consteval RequestPlaces places_of_request(const Layout& layout) {
  return {offset_of<std::uint64_t>(layout, "session"), offset_of<std::uint32_t>(layout, "code")};
}

RequestPlaces request_places(Generation generation) {
  if (generation == Generation::v0) return places_of_request(older::v0_request);
  if (generation == Generation::va) return places_of_request(older::va_request);
  return places_of_request(v0_11::request);
}

void read_request(const std::byte* header, Generation generation, Facts& facts) {
  constexpr const Layout& layout = v0_11::request;
  const RequestPlaces places = request_places(generation);
  facts.client = load_u128(header + offset_of<U128>(layout, "client"));
  facts.request_checksum = load_u128(header + offset_of<U128>(layout, "request_checksum"));
  facts.request = load<std::uint64_t>(header + offset_of<std::uint64_t>(layout, "request"));
  facts.operation = load<std::uint8_t>(header + offset_of<std::uint8_t>(layout, "operation"));
  facts.session = load<std::uint64_t>(header + places.session);
  if (facts.operation == operation::non_replicated)
    facts.code = load<std::uint32_t>(header + places.code);
}

std::uint16_t status_place(Generation generation) {
  constexpr auto in_va = offset_of<std::uint32_t>(older::va_reply, "status");
  constexpr auto in_0_11 = offset_of<std::uint32_t>(v0_11::reply, "status");
  return generation == Generation::va ? in_va : in_0_11;
}

void read_reply(const std::byte* header, Generation generation, Facts& facts) {
  constexpr const Layout& layout = v0_11::reply;
  facts.client = load_u128(header + offset_of<U128>(layout, "client"));
  facts.request_checksum = load_u128(header + offset_of<U128>(layout, "request_checksum"));
  facts.op = load<std::uint64_t>(header + offset_of<std::uint64_t>(layout, "op"));
  facts.request = load<std::uint64_t>(header + offset_of<std::uint64_t>(layout, "request"));
  facts.operation = load<std::uint8_t>(header + offset_of<std::uint8_t>(layout, "operation"));
  // Replies of v0 have no status: what was refused has no reply there.
  if (generation != Generation::v0)
    facts.status = load<std::uint32_t>(header + status_place(generation));
}

void read_eviction(const std::byte* header, Facts& facts) {
  constexpr const Layout& layout = v0_11::eviction;
  facts.client = load_u128(header + offset_of<U128>(layout, "client"));
  facts.reason = load<std::uint8_t>(header + offset_of<std::uint8_t>(layout, "reason"));
  facts.window.highest.packed =
      load<std::uint32_t>(header + offset_of<std::uint32_t>(layout, "server_protocol_version"));
  facts.window.lowest.packed =
      load<std::uint32_t>(header + offset_of<std::uint32_t>(layout, "server_protocol_version_min"));
}

struct LogPlaces {
  std::uint16_t op;
  std::uint16_t group;
  std::uint16_t request;
  std::uint16_t operation;
};
consteval LogPlaces places_of_entry(const Layout& layout) {
  return {offset_of<std::uint64_t>(layout, "op"), offset_of<std::uint64_t>(layout, "group"),
          offset_of<std::uint64_t>(layout, "request"),
          offset_of<std::uint8_t>(layout, "operation")};
}

void read_log_entry(const std::byte* header, LogPlaces places, Facts& facts) {
  facts.op = load<std::uint64_t>(header + places.op);
  facts.group = load<std::uint64_t>(header + places.group);
  facts.request = load<std::uint64_t>(header + places.request);
  facts.operation = load<std::uint8_t>(header + places.operation);
}

consteval std::uint16_t place_of_group(const Layout& layout) {
  return offset_of<std::uint64_t>(layout, "group");
}

// Where other frames between replicas name one; 0: they do not.
std::uint16_t group_place(Command command) {
  switch (command) {
    case Command::Commit:
      return place_of_group(v0_11::commit);
    case Command::StartViewChange:
      return place_of_group(v0_11::start_view_change);
    case Command::DoViewChange:
      return place_of_group(v0_11::do_view_change);
    case Command::StartView:
      return place_of_group(v0_11::start_view);
    case Command::RequestStartView:
      return place_of_group(v0_11::request_start_view);
    case Command::RequestPrepares:
      return place_of_group(v0_11::request_prepares);
    case Command::RepairDone:
    case Command::RangeEvicted:
      return place_of_group(v0_11::repair_range_reply);
    case Command::RequestStateTransfer:
      return place_of_group(v0_11::request_state_transfer);
    case Command::StateTransferTarget:
      return place_of_group(v0_11::state_transfer_target);
    case Command::RequestStateChunk:
      return place_of_group(v0_11::request_state_chunk);
    case Command::StateChunk:
      return place_of_group(v0_11::state_chunk);
    case Command::CommitReply:
      return place_of_group(v0_12::commit_reply);
    case Command::PrepareProgress:
      return place_of_group(v0_12::prepare_progress);
    default:
      return 0;
  }
}

}  // namespace

Facts facts_of(Bytes header, Generation generation) {
  constexpr const Layout& layout = v0_11::request;
  const std::byte* start = header.data();
  Facts facts;
  facts.size = load<std::uint32_t>(start + offset_of<std::uint32_t>(layout, "size"));
  facts.view = load<std::uint32_t>(start + offset_of<std::uint32_t>(layout, "view"));
  facts.command = load<std::uint8_t>(start + offset_of<std::uint8_t>(layout, "command"));
  facts.replica = load<std::uint8_t>(start + offset_of<std::uint8_t>(layout, "replica"));
  switch (static_cast<Command>(facts.command)) {
    case Command::Request:
      read_request(start, generation, facts);
      break;
    case Command::Reply:
      read_reply(start, generation, facts);
      break;
    case Command::Eviction:
      read_eviction(start, facts);
      break;
    case Command::Prepare:
    case Command::RepairPrepare:
      read_log_entry(start, places_of_entry(v0_11::prepare), facts);
      facts.client = load_u128(start + offset_of<U128>(v0_11::prepare, "client"));
      break;
    case Command::PrepareOk:
      read_log_entry(start, places_of_entry(v0_11::prepare_ok), facts);
      break;
    case Command::ForwardCompletion:
      facts.operation = load<std::uint8_t>(
          start + offset_of<std::uint8_t>(v0_12::forward_completion, "operation"));
      break;
    default:
      if (const std::uint16_t place = group_place(Command{facts.command}); place != 0)
        facts.group = load<std::uint64_t>(start + place);
      break;
  }
  return facts;
}

U128 client_of_request(Bytes header) {
  constexpr const Layout& layout = v0_11::request;
  const auto command =
      load<std::uint8_t>(header.data() + offset_of<std::uint8_t>(layout, "command"));
  if (static_cast<Command>(command) != Command::Request) return {};
  return load_u128(header.data() + offset_of<U128>(layout, "client"));
}

Facts legacy_facts_of(Bytes header, bool from_client) {
  const std::byte* start = header.data();
  Facts facts;
  if (from_client) {
    facts.form = Form::legacy_request;
    facts.operation = operation::non_replicated;
    facts.size =
        4 + load<std::uint32_t>(start + offset_of<std::uint32_t>(legacy::request, "length"));
    facts.code = load<std::uint32_t>(start + offset_of<std::uint32_t>(legacy::request, "code"));
  } else {
    facts.form = Form::legacy_reply;
    facts.size = legacy_header_size +
                 load<std::uint32_t>(start + offset_of<std::uint32_t>(legacy::reply, "length"));
    facts.status = load<std::uint32_t>(start + offset_of<std::uint32_t>(legacy::reply, "status"));
  }
  return facts;
}

const Layout& header_layout_of(const Facts& facts, Generation generation) {
  if (facts.form == Form::legacy_request) return legacy::request;
  if (facts.form == Form::legacy_reply) return legacy::reply;
  if (const Layout* own = header_layout(generation, facts.command)) return *own;
  if (const Layout* newer = header_layout(newest_generation, facts.command)) return *newer;
  return *header_layout(newest_generation, static_cast<std::uint8_t>(Command::Reserved));
}

std::string_view command_name_of(const Facts& facts) {
  switch (facts.form) {
    case Form::legacy_request:
      return "LegacyRequest";
    case Form::legacy_reply:
      return "LegacyReply";
    case Form::frame:
      return command_name(facts.command);
  }
  return {};
}

}  // namespace iggy::decode
