// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What the bytes of one frame say of the generation that its sender speaks.
//
// Most frames of 0.11 look like 0.12 ones and say nothing; only differences are evidence. The same
// bytes are asked here as rows of several generations, so each place is named after the table that
// it comes from.
#include <array>
#include <cstddef>
#include <cstdint>

#include "conversation/recognise.hpp"
#include "decode/checksum.hpp"
#include "describe/proofs.hpp"
#include "iggy/layouts.hpp"
#include "iggy/version.hpp"

namespace iggy::conversation {
namespace {

using decode::all_zero;
using decode::load;
using describe::offset_of;
using describe::Place;
using describe::place_of;

// Places that all generations share.
constexpr std::size_t size_at = offset_of<std::uint32_t>(v0_11::request, "size");
constexpr std::size_t command_at = offset_of<std::uint8_t>(v0_11::request, "command");
constexpr std::size_t operation_at = offset_of<std::uint8_t>(v0_11::request, "operation");
constexpr std::size_t replied_operation_at = offset_of<std::uint8_t>(v0_11::reply, "operation");

// Requests. A checksum of 0.11 has 64 bits, a random id of 0.12 fills the upper half of the row.
constexpr Place stamp = place_of(v0_12::request, "request_checksum");
constexpr Place upper_stamp{stamp.begin + 8, stamp.end};
constexpr Place older_namespace = place_of(older::va_request, "namespace");
constexpr Place older_session = place_of(older::va_request, "session");
constexpr std::size_t code_at = offset_of<std::uint32_t>(v0_11::request, "code");
constexpr std::size_t va_code_at = offset_of<std::uint32_t>(older::va_request, "code");
constexpr std::size_t v0_code_at = offset_of<std::uint32_t>(older::v0_request, "code");
constexpr Place va_reserved = place_of(older::va_request, "reserved");
// What 0.12 put into the reserved bytes of 0.11.
constexpr Place request_of_0_12{place_of(v0_12::request, "partition_incarnation").begin,
                                place_of(v0_12::request, "minimum_metadata_op").end};

// Replies.
constexpr Place replied_namespace = place_of(older::va_reply, "namespace");
constexpr std::size_t status_at = offset_of<std::uint32_t>(v0_11::reply, "status");
constexpr Place committed = place_of(v0_12::reply, "reserved");  // its first byte says so
constexpr Place after_committed{committed.begin + 1, committed.end};
constexpr Place replied_incarnation = place_of(v0_12::reply, "partition_incarnation");
// In the body of a reply to a login, behind a result section without entries.
constexpr std::size_t server_version_at =
    std::size_t{row_of(login::result_section, "count").width} +
    row_of(login::login_reply, "user_id").width + row_of(login::login_reply, "session").width;

// Evictions.
constexpr std::size_t highest_at =
    offset_of<std::uint32_t>(v0_11::eviction, "server_protocol_version");
constexpr std::size_t reason_at = offset_of<std::uint8_t>(v0_11::eviction, "reason");

// Replicas.
constexpr Place prepare_of_0_12{place_of(v0_12::prepare, "retry_capacity").begin,
                                place_of(v0_12::prepare, "session").end};
constexpr Place revision = place_of(v0_12::consumer_session_heartbeat, "namespace_revision");

constexpr Evidence nothing{};
constexpr Evidence told(Generation generation) {
  return {generation, Strength::told};
}
constexpr Evidence certain(Generation generation) {
  return {generation, Strength::header};
}
constexpr Evidence likely(Generation generation) {
  return {generation, Strength::hint};
}

struct Frame {
  Bytes header;
  Bytes body;

  std::uint8_t byte(std::size_t at) const { return std::to_integer<std::uint8_t>(header[at]); }
  std::uint32_t word(std::size_t at) const { return load<std::uint32_t>(header.data() + at); }
  bool zero(Place place) const {
    return all_zero(header.subspan(place.begin, std::size_t{place.end} - place.begin));
  }
  bool is_metadata(Place name_space) const {
    return load<std::uint64_t>(header.data() + name_space.begin) == metadata_group;
  }
};

// A version that some published crate could announce. Source: version.rs of each crate, 0.10.2 and
// later.
bool is_plausible(Version version) {
  return version.stray_bits() == 0 && version.major() == 0 && version.minor() >= 10 &&
         version.minor() <= 12;
}

Generation generation_of(Version version) {
  if (version >= version_0_12_0) return Generation::v0_12;
  return version >= version_0_11_0 ? Generation::v0_11 : Generation::va;
}

// The version that a body begins with, where that is one; else 0.
Version announced(const Frame& frame) {
  if (frame.body.size() < 4) return {};
  const Version version{load<std::uint32_t>(frame.body.data())};
  return is_plausible(version) ? version : Version{};
}

// Whether the stamp is the checksum of the body, which must be there to its end.
bool has_checksum_of_body(const Frame& frame) {
  const auto stored = load<std::uint64_t>(frame.header.data() + stamp.begin);
  return stored != 0 && frame.body.size() == frame.word(size_at) - header_bytes &&
         decode::xxh3(frame.body) == stored;
}

// Register: V0 and VA write their namespace where later ones have the session, which is zero here.
Evidence evidence_of_register(const Frame& frame) {
  const bool has_version = frame.body.size() >= 5;
  const Version version{has_version ? load<std::uint32_t>(frame.body.data()) : 0};
  if (frame.is_metadata(older_namespace))
    return told(has_version && !is_plausible(version) ? Generation::v0 : Generation::va);
  if (has_version && is_plausible(version))
    return told(version >= version_0_12_0 ? Generation::v0_12 : Generation::v0_11);
  return frame.zero(upper_stamp) ? nothing : likely(Generation::v0_12);
}

// Operation 2: V0 and VA have the command code elsewhere, each at a place of its own.
Evidence evidence_of_read(const Frame& frame) {
  const std::uint32_t code = frame.word(code_at);
  if (code == 0) {
    const std::uint32_t in_va = frame.word(va_code_at);
    const std::uint32_t in_v0 = frame.word(v0_code_at);
    const bool rest_is_zero = frame.zero(va_reserved);
    if (rest_is_zero && in_v0 == 0 && find_code(Generation::va, in_va))
      return certain(Generation::va);
    if (rest_is_zero && in_va == 0 && find_code(Generation::v0, in_v0))
      return certain(Generation::v0);
    return nothing;
  }
  if (code == code::session_bind && announced(frame) >= version_0_12_0)
    return told(Generation::v0_12);
  const bool in_0_11 = find_code(Generation::v0_11, code) != nullptr;
  const bool in_0_12 = find_code(Generation::v0_12, code) != nullptr;
  if (in_0_12 && !frame.zero(request_of_0_12)) return certain(Generation::v0_12);
  if (in_0_11 != in_0_12) return likely(in_0_12 ? Generation::v0_12 : Generation::v0_11);
  return nothing;
}

Evidence evidence_of_request(const Frame& frame) {
  const std::uint8_t operation = frame.byte(operation_at);
  if (operation == operation::register_session) return evidence_of_register(frame);
  if (operation == operation::non_replicated) return evidence_of_read(frame);
  if (frame.is_metadata(older_namespace)) return certain(Generation::va);
  // The session of VA and V0 lies where later clients send zeros, and metadata has no namespace.
  if (!frame.zero(older_session) && frame.zero(older_namespace)) return certain(Generation::va);
  if (!frame.zero(older_session) && operation >= operation::first_partition)
    return likely(Generation::va);
  if (!frame.zero(request_of_0_12)) return certain(Generation::v0_12);
  const bool is_stamped = operation < operation::first_partition;
  if (is_stamped && !frame.zero(upper_stamp)) return certain(Generation::v0_12);
  if (is_stamped && has_checksum_of_body(frame)) return certain(Generation::v0_11);
  const bool in_0_11 = is_known_operation(Generation::v0_11, operation);
  const bool in_0_12 = is_known_operation(Generation::v0_12, operation);
  if (in_0_11 != in_0_12) return likely(in_0_12 ? Generation::v0_12 : Generation::v0_11);
  return nothing;
}

// The reply to a login names the server's version behind the result section, user id and session.
Evidence evidence_of_login_reply(const Frame& frame) {
  if (frame.body.size() < server_version_at + 4 || load<std::uint32_t>(frame.body.data()) != 0)
    return nothing;
  const Version version{load<std::uint32_t>(frame.body.data() + server_version_at)};
  return is_plausible(version) ? told(generation_of(version)) : nothing;
}

Evidence evidence_of_reply(const Frame& frame) {
  const std::uint8_t operation = frame.byte(replied_operation_at);
  if (frame.is_metadata(replied_namespace)) return certain(Generation::va);
  if (operation == operation::register_session) {
    const Evidence login = evidence_of_login_reply(frame);
    if (login.generation != Generation::unknown) return login;
  }
  const bool only_in_0_12 = is_known_operation(Generation::v0_12, operation) &&
                            !is_known_operation(Generation::v0_11, operation);
  const std::uint32_t status = frame.word(status_at);
  if (only_in_0_12 ||
      (status == 0 && frame.byte(committed.begin) == 1 && frame.zero(after_committed)))
    return certain(Generation::v0_12);
  // An echoed partition incarnation. VA has its status there, and then no body.
  if (status == 0 && frame.zero(committed) && !frame.zero(replied_incarnation))
    return frame.word(size_at) > header_bytes ? certain(Generation::v0_12)
                                              : likely(Generation::v0_12);
  return nothing;
}

Evidence evidence_of_eviction(const Frame& frame) {
  const Version highest{frame.word(highest_at)};
  if (frame.byte(reason_at) != reason::incompatible_protocol || !is_plausible(highest))
    return nothing;
  return told(generation_of(highest));
}

// Where the headers of 0.12 have the incarnation of the partition, by command; no bytes where they
// have none. Up to 0.11 those bytes are reserved.
constexpr auto incarnations = [] {
  std::array<Place, layouts_by_command::v0_12.size()> places{};
  for (std::size_t command = 0; command < places.size(); ++command)
    for (const describe::Field& row : layouts_by_command::v0_12[command]->fields)
      if (row.name == "partition_incarnation")
        places[command] = {row.offset, static_cast<std::uint16_t>(row.offset + row.width)};
  return places;
}();

Evidence evidence_of_replica(const Frame& frame, Command command) {
  if (command == Command::Prepare || command == Command::RepairPrepare)
    return frame.zero(prepare_of_0_12) ? nothing : certain(Generation::v0_12);
  if (command == Command::ForwardRegister)
    return certain(frame.word(size_at) == header_bytes ? Generation::v0_11 : Generation::v0_12);
  if (command > Command::ConsumerSessionHeartbeat) return certain(Generation::v0_12);
  if (command == Command::ConsumerSessionHeartbeat)
    return frame.zero(revision) ? nothing : certain(Generation::v0_12);
  const Place incarnation = incarnations[static_cast<std::uint8_t>(command)];
  return !frame.zero(incarnation) ? certain(Generation::v0_12) : nothing;
}

}  // namespace

Evidence evidence_of(Bytes header, Bytes body) {
  if (header.size() < header_bytes) return nothing;
  const Frame frame{header, body};
  const std::uint8_t value = frame.byte(command_at);
  if (value > highest_command) return nothing;
  const auto command = static_cast<Command>(value);
  switch (command) {
    case Command::Request:
      return evidence_of_request(frame);
    case Command::Reply:
      return evidence_of_reply(frame);
    case Command::Eviction:
      return evidence_of_eviction(frame);
    default:
      return plane_of(command) == Plane::replica ? evidence_of_replica(frame, command) : nothing;
  }
}

}  // namespace iggy::conversation
