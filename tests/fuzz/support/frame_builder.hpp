// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Builds whole frames of the client plane, for targets and benchmarks that must get past the
// recognition of frames to be of use.
//
// Places come from the tables, so this is no proof of them; tests of the tables stand elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "decode/window.hpp"
#include "describe/proofs.hpp"
#include "iggy/registry.hpp"
#include "iggy/v0_11/client_headers.hpp"

namespace support {

using Frame = std::vector<std::byte>;

template <class Number>
void store(std::span<std::byte> at, Number value) {
  for (std::size_t i = 0; i < sizeof(Number); ++i)
    at[i] = static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i));
}

// A frame of `size` bytes in all, header included; the body is zero.
inline Frame frame(iggy::Command command, std::uint32_t size) {
  Frame made(size);
  const std::span<std::byte> bytes(made);
  store(bytes.subspan(48), size);
  bytes[60] = static_cast<std::byte>(command);
  return made;
}

struct RequestFields {
  std::uint8_t operation = 0;
  std::uint32_t code = 0;  // of operation 2
  std::uint64_t client = 1;
  std::uint64_t number = 0;
  std::uint64_t session = 1;
  std::uint32_t size = iggy::header_size;
};

inline Frame request(const RequestFields& fields) {
  using iggy::describe::offset_of;
  constexpr const auto& layout = iggy::v0_11::request;
  Frame made = frame(iggy::Command::Request, fields.size);
  const std::span<std::byte> bytes(made);
  store(bytes.subspan(offset_of<iggy::decode::U128>(layout, "client")), fields.client);
  store(bytes.subspan(offset_of<std::uint64_t>(layout, "request")), fields.number);
  store(bytes.subspan(offset_of<std::uint8_t>(layout, "operation")), fields.operation);
  store(bytes.subspan(offset_of<std::uint64_t>(layout, "session")), fields.session);
  store(bytes.subspan(offset_of<std::uint32_t>(layout, "code")), fields.code);
  return made;
}

struct ReplyFields {
  std::uint8_t operation = 0;
  std::uint32_t status = 0;
  std::uint64_t client = 1;
  std::uint64_t number = 0;
  std::uint32_t size = iggy::header_size;
};

inline Frame reply(const ReplyFields& fields) {
  using iggy::describe::offset_of;
  constexpr const auto& layout = iggy::v0_11::reply;
  Frame made = frame(iggy::Command::Reply, fields.size);
  const std::span<std::byte> bytes(made);
  store(bytes.subspan(offset_of<iggy::decode::U128>(layout, "client")), fields.client);
  store(bytes.subspan(offset_of<std::uint64_t>(layout, "request")), fields.number);
  store(bytes.subspan(offset_of<std::uint8_t>(layout, "operation")), fields.operation);
  store(bytes.subspan(offset_of<std::uint32_t>(layout, "status")), fields.status);
  return made;
}

inline Frame eviction(std::uint64_t client, std::uint8_t reason) {
  using iggy::describe::offset_of;
  constexpr const auto& layout = iggy::v0_11::eviction;
  Frame made = frame(iggy::Command::Eviction, iggy::header_size);
  const std::span<std::byte> bytes(made);
  store(bytes.subspan(offset_of<iggy::decode::U128>(layout, "client")), client);
  store(bytes.subspan(offset_of<std::uint8_t>(layout, "reason")), reason);
  return made;
}

}  // namespace support
