// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What the bytes of one frame say of the generation that its sender speaks.
//
// Most frames of 0.11 look like 0.12 ones and say nothing; only differences are evidence. The
// offsets here are those of bytes that the generations use differently, so no single table can hold
// them.
#include "conversation/recognise.hpp"
#include "iggy/version.hpp"

namespace iggy::conversation {
namespace {

using decode::all_zero;
using decode::load;

constexpr Evidence nothing{};
constexpr Evidence certain(Generation generation) {
  return {generation, true};
}
constexpr Evidence likely(Generation generation) {
  return {generation, false};
}

struct Frame {
  Bytes header;
  Bytes body;

  std::uint8_t byte(std::size_t at) const { return std::to_integer<std::uint8_t>(header[at]); }
  std::uint32_t word(std::size_t at) const { return load<std::uint32_t>(header.data() + at); }
  bool zero(std::size_t from, std::size_t to) const {
    return all_zero(header.subspan(from, to - from));
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

// Register: V0 and VA write their namespace where later ones have the session, which is zero here.
Evidence evidence_of_register(const Frame& frame) {
  const bool has_version = frame.body.size() >= 5;
  const Version version{has_version ? load<std::uint32_t>(frame.body.data()) : 0};
  if (frame.byte(191) == 0x80 && frame.zero(184, 191))
    return certain(has_version && !is_plausible(version) ? Generation::v0 : Generation::va);
  if (has_version && is_plausible(version))
    return certain(version >= version_0_12_0 ? Generation::v0_12 : Generation::v0_11);
  return frame.zero(152, 160) ? nothing : likely(Generation::v0_12);
}

// Operation 2: the command code stands at 196, in VA at 204, in V0 at 200.
Evidence evidence_of_read(const Frame& frame) {
  const std::uint32_t code = frame.word(196);
  if (code == 0) {
    const bool rest_is_zero = frame.zero(208, 256);
    if (rest_is_zero && frame.word(200) == 0 && find_code(Generation::va, frame.word(204)))
      return certain(Generation::va);
    if (rest_is_zero && frame.word(204) == 0 && find_code(Generation::v0, frame.word(200)))
      return certain(Generation::v0);
    return nothing;
  }
  if (code == code::session_bind && announced(frame) >= version_0_12_0)
    return certain(Generation::v0_12);
  const bool in_0_11 = find_code(Generation::v0_11, code) != nullptr;
  const bool in_0_12 = find_code(Generation::v0_12, code) != nullptr;
  if (in_0_12 && !frame.zero(200, 224)) return certain(Generation::v0_12);
  if (in_0_11 != in_0_12) return likely(in_0_12 ? Generation::v0_12 : Generation::v0_11);
  return nothing;
}

Evidence evidence_of_request(const Frame& frame) {
  const std::uint8_t operation = frame.byte(176);
  if (operation == operation::register_session) return evidence_of_register(frame);
  if (operation == operation::non_replicated) return evidence_of_read(frame);
  if (frame.byte(191) == 0x80 && frame.zero(184, 191)) return certain(Generation::va);
  // The session of VA and V0 lies where later clients send zeros, and metadata has no namespace.
  if (!frame.zero(192, 200) && frame.zero(184, 192)) return certain(Generation::va);
  if (!frame.zero(192, 200) && operation >= operation::first_partition)
    return likely(Generation::va);
  if (!frame.zero(200, 224)) return certain(Generation::v0_12);
  const bool is_stamped = operation < operation::first_partition;
  if (is_stamped && !frame.zero(152, 160)) return certain(Generation::v0_12);
  const bool in_0_11 = is_known_operation(Generation::v0_11, operation);
  const bool in_0_12 = is_known_operation(Generation::v0_12, operation);
  if (in_0_11 != in_0_12) return likely(in_0_12 ? Generation::v0_12 : Generation::v0_11);
  return nothing;
}

// The reply to a login names the server's version behind the result section, user id and session.
Evidence evidence_of_login_reply(const Frame& frame) {
  constexpr std::size_t version_at = 4 + 4 + 8;
  if (frame.body.size() < version_at + 4 || load<std::uint32_t>(frame.body.data()) != 0)
    return nothing;
  const Version version{load<std::uint32_t>(frame.body.data() + version_at)};
  return is_plausible(version) ? certain(generation_of(version)) : nothing;
}

Evidence evidence_of_reply(const Frame& frame) {
  const std::uint8_t operation = frame.byte(208);
  if (frame.byte(223) == 0x80 && frame.zero(216, 223)) return certain(Generation::va);
  if (operation == operation::register_session) {
    const Evidence login = evidence_of_login_reply(frame);
    if (login.generation != Generation::unknown) return login;
  }
  const bool only_in_0_12 = is_known_operation(Generation::v0_12, operation) &&
                            !is_known_operation(Generation::v0_11, operation);
  const std::uint32_t status = frame.word(216);
  if (only_in_0_12 || (status == 0 && frame.byte(220) == 1 && frame.zero(221, 224)))
    return certain(Generation::v0_12);
  // An echoed partition incarnation; VA has its status there, behind a namespace that is not zero.
  if (status == 0 && frame.zero(220, 224) && !frame.zero(224, 232))
    return likely(Generation::v0_12);
  return nothing;
}

Evidence evidence_of_eviction(const Frame& frame) {
  const Version highest{frame.word(144)};
  if (frame.byte(255) != 14 || !is_plausible(highest)) return nothing;
  return certain(generation_of(highest));
}

// Where 0.12 put `partition_incarnation` into the reserved bytes of a frame; 0 where it did not.
std::size_t incarnation_at(Command command) {
  switch (command) {
    case Command::StartViewChange:
    case Command::RequestStartView:
      return 136;
    case Command::StartView:
    case Command::RequestStateTransfer:
      return 152;
    case Command::RepairDone:
    case Command::RangeEvicted:
      return 160;
    case Command::RequestPrepares:
    case Command::RequestStateChunk:
      return 168;
    case Command::Commit:
    case Command::StateTransferTarget:
      return 176;
    case Command::DoViewChange:
      return 216;
    case Command::StateChunk:
      return 248;
    default:
      return 0;
  }
}

Evidence evidence_of_replica(const Frame& frame, Command command) {
  if (command == Command::Prepare || command == Command::RepairPrepare)
    return frame.zero(228, 256) ? nothing : certain(Generation::v0_12);
  if (command == Command::ForwardRegister)
    return certain(frame.word(48) == header_bytes ? Generation::v0_11 : Generation::v0_12);
  if (command > Command::ConsumerSessionHeartbeat) return certain(Generation::v0_12);
  if (command == Command::ConsumerSessionHeartbeat)
    return frame.zero(248, 256) ? nothing : certain(Generation::v0_12);
  const std::size_t at = incarnation_at(command);
  return at != 0 && !frame.zero(at, at + 8) ? certain(Generation::v0_12) : nothing;
}

}  // namespace

Evidence evidence_of(Bytes header, Bytes body) {
  if (header.size() < header_bytes) return nothing;
  const Frame frame{header, body};
  const std::uint8_t value = frame.byte(60);
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
