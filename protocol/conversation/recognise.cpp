// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The tests of recognise.hpp that find frames. What a frame says of its generation is evidence.cpp.
#include "conversation/recognise.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "decode/checksum.hpp"
#include "describe/proofs.hpp"
#include "iggy/v0_11/client_headers.hpp"

namespace iggy::conversation {
namespace {

using decode::all_zero;
using decode::load;

using describe::offset_of;
using describe::Place;
using describe::place_of;

// Rows that every header has, and of requests, replies and evictions those whose place is the same
// in every generation.
constexpr Place checksum = place_of(v0_11::request, "checksum");
constexpr Place checksum_body = place_of(v0_11::request, "checksum_body");
constexpr Place cluster = place_of(v0_11::request, "cluster");
constexpr std::size_t size_at = offset_of<std::uint32_t>(v0_11::request, "size");
constexpr Place view = place_of(v0_11::request, "view");
constexpr Place release = place_of(v0_11::request, "release");
constexpr std::size_t command_at = offset_of<std::uint8_t>(v0_11::request, "command");
constexpr Place replica = place_of(v0_11::request, "replica");
constexpr Place zero_run = place_of(v0_11::request, "reserved_frame");  // in every frame ever seen
constexpr Place client = place_of(v0_11::request, "client");
constexpr std::size_t request_operation_at = offset_of<std::uint8_t>(v0_11::request, "operation");
constexpr std::size_t reply_operation_at = offset_of<std::uint8_t>(v0_11::reply, "operation");
constexpr Place eviction_reserved = place_of(v0_11::eviction, "reserved");
constexpr std::size_t reason_at = offset_of<std::uint8_t>(v0_11::eviction, "reason");

std::uint8_t byte_at(Bytes bytes, std::size_t at) {
  return std::to_integer<std::uint8_t>(bytes[at]);
}

bool zero_between(Bytes bytes, std::size_t from, std::size_t to) {
  return all_zero(bytes.subspan(from, to - from));
}

bool is_zero(Bytes bytes, Place place) {
  return zero_between(bytes, place.begin, place.end);
}

// What SDKs and servers leave out on the client plane: both checksums of the frame.
bool has_no_checksums(Bytes header) {
  return is_zero(header, checksum) && is_zero(header, checksum_body);
}

bool size_is_legal(Bytes header) {
  const auto size = load<std::uint32_t>(header.data() + size_at);
  return size >= header_bytes && size <= max_frame_bytes;
}

// Operations that some generation with 256-byte headers lets a client send.
constexpr bool is_sent_by_clients(std::uint8_t operation) {
  if (operation == operation::reserved) return false;
  constexpr std::array generations{Generation::v0, Generation::va, Generation::v0_11,
                                   Generation::v0_12};
  return std::any_of(generations.begin(), generations.end(), [operation](Generation generation) {
    return is_known_operation(generation, operation) &&
           !is_internal_operation(generation, operation);
  });
}

// Operations that a reply may carry: those, what servers make of them before they commit, and any
// other that servers up to 0.11 wrote into their logs, where a reply takes its operation from.
constexpr bool is_sent_by_servers(std::uint8_t operation) {
  return is_sent_by_clients(operation) || requested_operation(operation) != operation ||
         is_internal_operation(Generation::v0_11, operation);
}

// The answers for each byte, since a search asks at every candidate.
struct OperationSets {
  std::array<bool, 256> of_clients{};
  std::array<bool, 256> of_servers{};
};
constexpr OperationSets operation_sets = [] {
  OperationSets sets;
  for (std::size_t i = 0; i < sets.of_clients.size(); ++i) {
    sets.of_clients[i] = is_sent_by_clients(static_cast<std::uint8_t>(i));
    sets.of_servers[i] = is_sent_by_servers(static_cast<std::uint8_t>(i));
  }
  return sets;
}();

constexpr std::string_view preamble_magic = "IGRL";

// The magic and the version, as far as they are there.
bool begins_preamble(Bytes first) {
  const std::string_view text = decode::text_of(first);
  return text.substr(0, preamble_magic.size()) == preamble_magic.substr(0, text.size()) &&
         (first.size() <= preamble_magic.size() || byte_at(first, preamble_magic.size()) == 1);
}

bool is_strong_request(Bytes header) {
  return has_no_checksums(header) && is_zero(header, cluster) && is_zero(header, view) &&
         is_zero(header, release) && is_zero(header, replica) && !is_zero(header, client) &&
         operation_sets.of_clients[byte_at(header, request_operation_at)];
}

bool is_strong_reply(Bytes header) {
  return has_no_checksums(header) && operation_sets.of_servers[byte_at(header, reply_operation_at)];
}

bool is_strong_eviction(Bytes header) {
  const std::uint8_t reason = byte_at(header, reason_at);
  return has_no_checksums(header) && load<std::uint32_t>(header.data() + size_at) == header_bytes &&
         is_zero(header, eviction_reserved) && reason != 0 && !eviction_reason_name(reason).empty();
}

bool header_vouches(Bytes first) {
  if (first.size() < header_bytes) return false;
  const Bytes header = first.first(header_bytes);
  if (strong_test(header) != Strong::none) return true;
  return static_cast<Command>(byte_at(header, command_at)) == Command::ReplicaHello &&
         load<std::uint32_t>(header.data() + size_at) == header_bytes && has_no_checksums(header) &&
         is_zero(header, release) && is_zero(header, zero_run);
}

}  // namespace

Strong strong_test(Bytes header) {
  if (header.size() < header_bytes || !size_is_legal(header)) return Strong::none;
  if (!is_zero(header, release) || !is_zero(header, zero_run)) return Strong::none;
  const std::uint8_t value = byte_at(header, command_at);
  if (value > highest_command) return Strong::none;
  const auto command = static_cast<Command>(value);
  switch (command) {
    case Command::Request:
      return is_strong_request(header) ? Strong::request : Strong::none;
    case Command::Reply:
      return is_strong_reply(header) ? Strong::reply : Strong::none;
    case Command::Eviction:
      return is_strong_eviction(header) ? Strong::eviction : Strong::none;
    case Command::Prepare:
    case Command::RepairPrepare:
      return decode::identity_is_right(header) ? Strong::prepare : Strong::none;
    default:
      return is_sealed(command) && decode::seal_is_right(header) ? Strong::replica : Strong::none;
  }
}

bool vouches_for_itself(Bytes first) {
  if (first.size() < preamble_magic.size() || !begins_preamble(first)) return header_vouches(first);
  if (first.size() <= preamble_bytes) return true;
  // A link is opened by a Hello, or by TLS.
  const Bytes rest = first.subspan(preamble_bytes);
  if (recognise_foreign(rest) == Foreign::tls) return true;
  return rest.size() < header_bytes ? may_begin_header(rest) : header_vouches(rest);
}

bool is_possible_header(Bytes header) {
  return header.size() >= header_bytes && size_is_legal(header) &&
         byte_at(header, command_at) <= highest_command;
}

bool is_first_header(Bytes header) {
  if (!is_possible_header(header) || !is_zero(header, zero_run)) return false;
  const auto command = static_cast<Command>(byte_at(header, command_at));
  if (command <= Command::PongClient) return false;
  const bool has_checksum =
      is_sealed(command) || command == Command::Prepare || command == Command::RepairPrepare;
  // A checksum has 64 bits, so the upper half of its row is zero.
  return has_checksum ? zero_between(header, checksum.begin + 8, checksum.end)
                      : has_no_checksums(header);
}

bool may_begin_header(Bytes first) {
  const auto is_zero_so_far = [first](std::size_t from, std::size_t to) {
    const std::size_t end = std::min(to, first.size());
    return from >= end || zero_between(first, from, end);
  };
  if (begins_preamble(first)) return true;
  // A checksum has 64 bits, so the upper half of each of its rows is zero.
  if (!is_zero_so_far(checksum.begin + 8, checksum.end) ||
      !is_zero_so_far(checksum_body.begin + 8, checksum_body.end) ||
      !is_zero_so_far(zero_run.begin, zero_run.end))
    return false;
  if (first.size() >= size_at + 4 && !size_is_legal(first)) return false;
  return first.size() <= command_at || byte_at(first, command_at) <= highest_command;
}

std::size_t next_candidate(Bytes bytes, std::size_t from) {
  // Where the zero run has another byte, no header can start here or anywhere up to one run further
  // on, so text and ciphertext are passed in long steps. What is known to be zero is not read
  // again: the search is linear in zeros as well.
  std::size_t at = from;
  std::size_t known_zero_to = 0;
  while (at + header_bytes <= bytes.size()) {
    const std::size_t run_begin = std::max(at + zero_run.begin, known_zero_to);
    const std::size_t run_end = at + zero_run.end;
    std::size_t last = run_end;
    while (last > run_begin && bytes[last - 1] == std::byte{0}) --last;
    known_zero_to = run_end;
    if (last > run_begin) {
      at = last - zero_run.begin;
      continue;
    }
    const std::uint8_t command = byte_at(bytes, at + command_at);
    if (command > static_cast<std::uint8_t>(Command::PongClient) && command <= highest_command)
      return at;
    ++at;
  }
  return bytes.size();
}

Foreign recognise_foreign(Bytes first) {
  static constexpr std::string_view proxy_v2("\r\n\r\n\0\r\nQUIT\n", 12);
  static constexpr struct {
    std::string_view prefix;
    Foreign protocol;
  } prefixes[] = {
      {"GET ", Foreign::http},    {"POST ", Foreign::http},   {"PUT ", Foreign::http},
      {"HEAD ", Foreign::http},   {"DELETE ", Foreign::http}, {"OPTIONS ", Foreign::http},
      {"PATCH ", Foreign::http},  {"HTTP/1.", Foreign::http}, {"PRI * HTTP/2", Foreign::http},
      {"PROXY ", Foreign::proxy}, {proxy_v2, Foreign::proxy},
  };
  const std::string_view text = decode::text_of(first);
  bool undecided = false;
  for (const auto& known : prefixes) {
    if (text.starts_with(known.prefix)) return known.protocol;
    undecided = undecided || known.prefix.starts_with(text);
  }
  // A TLS record: type, version 3.x, and a length that a record may have.
  if (!first.empty() && byte_at(first, 0) >= 0x14 && byte_at(first, 0) <= 0x17) {
    if (first.size() < 5)
      return first.size() < 2 || byte_at(first, 1) == 3 ? Foreign::undecided : Foreign::none;
    const unsigned length = unsigned{byte_at(first, 3)} << 8 | byte_at(first, 4);
    if (byte_at(first, 1) == 3 && byte_at(first, 2) <= 4 && length > 0 && length <= 16640)
      return Foreign::tls;
  }
  return undecided ? Foreign::undecided : Foreign::none;
}

bool is_replica_preamble(Bytes first) {
  return first.size() >= preamble_bytes && begins_preamble(first);
}

}  // namespace iggy::conversation
