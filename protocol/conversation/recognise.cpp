// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The tests of recognise.hpp that find frames. What a frame says of its generation is evidence.cpp.
#include "conversation/recognise.hpp"

#include <algorithm>
#include <string_view>

#include "decode/checksum.hpp"

namespace iggy::conversation {
namespace {

using decode::all_zero;
using decode::load;

constexpr std::size_t size_at = 48;
constexpr std::size_t release_at = 56;
constexpr std::size_t command_at = 60;
constexpr std::size_t zero_run_at = 62;  // reserved_frame: zero in every frame ever seen
constexpr std::size_t zero_run_end = 128;

std::uint8_t byte_at(Bytes bytes, std::size_t at) {
  return std::to_integer<std::uint8_t>(bytes[at]);
}

bool zero_between(Bytes bytes, std::size_t from, std::size_t to) {
  return all_zero(bytes.subspan(from, to - from));
}

bool size_is_legal(Bytes header) {
  const auto size = load<std::uint32_t>(header.data() + size_at);
  return size >= header_bytes && size <= max_frame_bytes;
}

// Operations that some generation with 256-byte headers lets a client send.
bool is_client_operation(std::uint8_t operation) {
  return (operation >= 1 && operation <= 3) || (operation >= 128 && operation <= 150) ||
         (operation >= 160 && operation <= 162) || operation == 164 || operation == 165;
}

bool is_replied_operation(std::uint8_t operation) {
  return is_client_operation(operation) || (operation >= 64 && operation <= 68) ||
         (operation >= 72 && operation <= 74);
}

bool is_strong_request(Bytes header) {
  return zero_between(header, 0, 48) && zero_between(header, 52, 60) &&
         zero_between(header, 61, zero_run_end) && !zero_between(header, 128, 144) &&
         is_client_operation(byte_at(header, 176));
}

bool is_strong_reply(Bytes header) {
  return zero_between(header, 0, 32) && is_replied_operation(byte_at(header, 208));
}

bool is_strong_eviction(Bytes header) {
  const std::uint8_t reason = byte_at(header, 255);
  return zero_between(header, 0, 32) && load<std::uint32_t>(header.data() + size_at) == 256 &&
         zero_between(header, 152, 255) && reason >= 1 && reason <= 15;
}

}  // namespace

Strong strong_test(Bytes header) {
  if (header.size() < header_bytes || !size_is_legal(header)) return Strong::none;
  if (!zero_between(header, release_at, release_at + 4) ||
      !zero_between(header, zero_run_at, zero_run_end))
    return Strong::none;
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

bool is_possible_header(Bytes header) {
  return header.size() >= header_bytes && size_is_legal(header) &&
         byte_at(header, command_at) <= highest_command;
}

bool is_first_header(Bytes header) {
  if (!is_possible_header(header) || !zero_between(header, zero_run_at, zero_run_end)) return false;
  const auto command = static_cast<Command>(byte_at(header, command_at));
  if (command <= Command::PongClient) return false;
  const bool has_checksum =
      is_sealed(command) || command == Command::Prepare || command == Command::RepairPrepare;
  return has_checksum ? zero_between(header, 8, 16) : zero_between(header, 0, 32);
}

std::size_t next_candidate(Bytes bytes, std::size_t from) {
  // Where the zero run has another byte, no header can start here or anywhere up to one run further
  // on, so text and ciphertext are passed in long steps. What is known to be zero is not read
  // again: the search is linear in zeros as well.
  std::size_t at = from;
  std::size_t known_zero_to = 0;
  while (at + header_bytes <= bytes.size()) {
    const std::size_t run_begin = std::max(at + zero_run_at, known_zero_to);
    const std::size_t run_end = at + zero_run_end;
    std::size_t last = run_end;
    while (last > run_begin && bytes[last - 1] == std::byte{0}) --last;
    known_zero_to = run_end;
    if (last > run_begin) {
      at = last - zero_run_at;
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
  const std::string_view text(reinterpret_cast<const char*>(first.data()), first.size());
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
  return first.size() >= preamble_bytes && byte_at(first, 0) == 'I' && byte_at(first, 1) == 'G' &&
         byte_at(first, 2) == 'R' && byte_at(first, 3) == 'L' && byte_at(first, 4) == 1;
}

}  // namespace iggy::conversation
