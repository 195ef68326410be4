// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Builds Iggy frames in memory, for tests: requests, replies, evictions, replica frames with right
// checksums, login bodies, and the 8-byte frames of legacy servers.
//
// Offsets are written out here, apart from the tables under test; only the hash is shared, which
// checksum_test.cpp holds against known vectors. Every byte can be made wrong afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decode/checksum.hpp"
#include "decode/window.hpp"
#include "iggy/version.hpp"
#include "support/packet_builder.hpp"

namespace support {

using iggy::decode::U128;

// The client ids of tests: never zero.
inline constexpr U128 first_client{0x1122334455667788, 0x99aabbccddeeff00};
inline constexpr U128 second_client{0x0102030405060708, 0x1112131415161718};
// The server's own id of a connection, which partition replies carry.
inline constexpr U128 transport_client{42, 0};

// GCC 12 sees writes behind the end of vectors that grow in inlined code (its bug 105329), so what
// grows them here is kept out of line.
#define SUPPORT_OUT_OF_LINE [[gnu::noinline]] inline

SUPPORT_OUT_OF_LINE void put_number(Buffer& bytes, std::size_t at, std::uint64_t value,
                                    std::size_t width) {
  if (bytes.size() < at + width) bytes.resize(at + width);
  for (std::size_t i = 0; i < width; ++i) bytes[at + i] = static_cast<std::byte>(value >> (8 * i));
}
SUPPORT_OUT_OF_LINE void append(Buffer& to, Bytes more) {
  to.insert(to.end(), more.begin(), more.end());
}
inline std::uint64_t number_at(Bytes bytes, std::size_t at, std::size_t width) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < width; ++i)
    value |= std::uint64_t{std::to_integer<std::uint8_t>(bytes[at + i])} << (8 * i);
  return value;
}

// Bytes behind each other.
SUPPORT_OUT_OF_LINE Buffer joined(std::initializer_list<Buffer> parts) {
  Buffer all;
  for (const Buffer& part : parts) append(all, part);
  return all;
}

// Writes little-endian numbers, as the wire has them.
class LittleWriter {
 public:
  LittleWriter& u8(std::uint64_t value) { return number(value, 1); }
  LittleWriter& u32(std::uint64_t value) { return number(value, 4); }
  LittleWriter& u64(std::uint64_t value) { return number(value, 8); }
  LittleWriter& bytes(Bytes more) {
    append(bytes_, more);
    return *this;
  }
  const Buffer& buffer() const { return bytes_; }

 private:
  LittleWriter& number(std::uint64_t value, std::size_t width) {
    put_number(bytes_, bytes_.size(), value, width);
    return *this;
  }
  Buffer bytes_;
};
inline LittleWriter little() {
  return {};
}

// A 256-byte header and its body. The size is right unless it is given.
class FrameBuilder {
 public:
  explicit FrameBuilder(unsigned command, Buffer body = {}) : header_(256), body_(std::move(body)) {
    u32(48, 256 + body_.size()).u8(60, command);
  }
  FrameBuilder& u8(std::size_t at, std::uint64_t value) { return put(at, value, 1); }
  FrameBuilder& u32(std::size_t at, std::uint64_t value) { return put(at, value, 4); }
  FrameBuilder& u64(std::size_t at, std::uint64_t value) { return put(at, value, 8); }
  FrameBuilder& u128(std::size_t at, U128 value) {
    return u64(at, value.low).u64(at + 8, value.high);
  }
  FrameBuilder& size(std::uint64_t value) { return u32(48, value); }
  // The checksum of control frames between replicas: over everything behind itself.
  FrameBuilder& seal() { return u128(0, {iggy::decode::xxh3(Bytes{header_}.subspan(16)), 0}); }
  // The identity of a Prepare, which a copy keeps: view and command do not count.
  FrameBuilder& identify() {
    Buffer image = header_;
    put_number(image, 0, 0, 8);
    put_number(image, 8, 0, 8);
    put_number(image, 52, 0, 4);
    put_number(image, 60, 6, 1);
    return u128(0, {iggy::decode::xxh3(image), 0});
  }
  Buffer frame() const { return joined({header_, body_}); }

 private:
  FrameBuilder& put(std::size_t at, std::uint64_t value, std::size_t width) {
    put_number(header_, at, value, width);
    return *this;
  }
  Buffer header_;
  Buffer body_;
};

// --- Client plane

struct Request {
  unsigned operation = 2;
  std::uint32_t code = 0;  // of operation 2
  std::uint64_t number = 1;
  std::uint64_t session = 5;
  U128 client = first_client;
  U128 checksum{};  // a random id in 0.12
  Buffer body{};
};

inline FrameBuilder request_builder(const Request& request) {
  return FrameBuilder(5, request.body)
      .u128(128, request.client)
      .u128(144, request.checksum)
      .u64(168, request.number)
      .u8(176, request.operation)
      .u64(184, request.session)
      .u32(196, request.code);
}
inline Buffer request(const Request& request) {
  return request_builder(request).frame();
}
inline Buffer ping(std::uint64_t number = 0) {
  return request({.code = 1, .number = number, .session = 0});
}
inline Buffer read(std::uint32_t code, std::uint64_t number = 1) {
  return request({.code = code, .number = number});
}
inline Buffer login(Buffer body, U128 client = first_client) {
  return request(
      {.operation = 1, .number = 0, .session = 0, .client = client, .body = std::move(body)});
}

struct Reply {
  unsigned operation = 2;
  std::uint64_t number = 1;
  std::uint32_t status = 0;
  U128 client = first_client;
  Buffer body{};
};

inline FrameBuilder reply_builder(const Reply& reply) {
  return FrameBuilder(8, reply.body)
      .u128(160, reply.client)
      .u64(200, reply.number)
      .u8(208, reply.operation)
      .u32(216, reply.status);
}
inline Buffer reply(const Reply& reply) {
  return reply_builder(reply).frame();
}
inline Buffer pong(std::uint64_t number = 0) {
  return reply({.number = number});
}

struct Eviction {
  unsigned reason = 1;
  iggy::Version highest{};
  iggy::Version lowest{};
  U128 client = transport_client;
};

inline FrameBuilder eviction_builder(const Eviction& eviction) {
  return FrameBuilder(13)
      .u128(128, eviction.client)
      .u32(144, eviction.highest.packed)
      .u32(148, eviction.lowest.packed)
      .u8(255, eviction.reason);
}
inline Buffer eviction(const Eviction& eviction) {
  return eviction_builder(eviction).frame();
}

// --- Replica plane

inline constexpr std::uint64_t metadata_group = std::uint64_t{1} << 63;

struct Prepare {
  std::uint64_t op = 7;
  unsigned operation = 128;
  std::uint32_t view = 1;
  unsigned replica = 1;
  unsigned command = 6;  // 19: RepairPrepare
  Buffer body{};
};

inline FrameBuilder prepare_builder(const Prepare& prepare) {
  return FrameBuilder(prepare.command, prepare.body)
      .u32(52, prepare.view)
      .u8(61, prepare.replica)
      .u128(128, first_client)
      .u64(176, prepare.op)
      .u64(184, prepare.op - 1)
      .u64(192, 1'700'000'000'000'000)
      .u64(200, 1)
      .u8(208, prepare.operation)
      .u64(216, metadata_group);
}
inline Buffer prepare(const Prepare& prepare = {}) {
  return prepare_builder(prepare).identify().frame();
}

// A frame of any sealed command, such as Commit (9) or DoViewChange (11).
inline Buffer sealed(unsigned command, Buffer body = {}, unsigned replica = 1) {
  return FrameBuilder(command, std::move(body)).u32(52, 3).u8(61, replica).seal().frame();
}
inline Buffer replica_hello(unsigned replica = 0) {
  return FrameBuilder(14).u8(61, replica).frame();
}

// --- Login bodies

// A text behind its length, of one byte or of four.
SUPPORT_OUT_OF_LINE Buffer counted_text(std::string_view text, std::size_t width) {
  Buffer made;
  put_number(made, 0, text.size(), width);
  append(made, std::as_bytes(std::span(text)));
  return made;
}
inline Buffer short_text(std::string_view text) {
  return counted_text(text, 1);
}
inline Buffer long_text(std::string_view text) {
  return counted_text(text, 4);
}

struct Login {
  iggy::Version version = iggy::version_0_11_0;
  std::string sdk = "rust-sdk";
  std::string sdk_version = "0.11.0";
  std::string user = "iggy";
  std::string password = "a-password";
  std::string token = "a-token";
  std::string context{};
  bool secret = false;  // the 32 bytes of 0.12
};

inline Buffer bind_secret() {
  return counting_bytes(32, 0xc0);
}

inline Buffer login_prefix(const Login& login) {
  return little()
      .u32(login.version.packed)
      .bytes(short_text(login.sdk))
      .bytes(short_text(login.sdk_version))
      .bytes(login.secret ? bind_secret() : Buffer{})
      .buffer();
}
inline Buffer password_body(const Login& login = {}) {
  return joined({login_prefix(login), short_text(login.user), short_text(login.password),
                 long_text(login.context)});
}
inline Buffer token_body(const Login& login = {}) {
  return joined({login_prefix(login), short_text(login.token), long_text(login.context)});
}
// Legacy code 38 from iggy 0.5 on, and the Register of v0.
inline Buffer legacy_login_body(std::string_view user = "iggy",
                                std::string_view version = "0.6.0") {
  return joined({short_text(user), short_text("a-password"), long_text(version), long_text("")});
}

// The body of a reply that opens a session.
inline Buffer login_reply_body(iggy::Version server = iggy::version_0_11_0,
                               std::string_view name = "0.9.0") {
  return little().u32(0).u32(1).u64(5).u32(server.packed).bytes(short_text(name)).buffer();
}
inline Buffer login_reply(iggy::Version server = iggy::version_0_11_0, U128 client = first_client) {
  return reply({.operation = 1, .number = 0, .client = client, .body = login_reply_body(server)});
}
// A result section with one entry.
inline Buffer rejection(std::uint32_t code) {
  return little().u32(1).u32(0).u32(code).buffer();
}
inline Buffer success() {
  return little().u32(0).buffer();
}

// --- Legacy framing

inline Buffer legacy_request(std::uint32_t code, Buffer body = {}) {
  return little().u32(4 + body.size()).u32(code).bytes(body).buffer();
}
inline Buffer legacy_reply(std::uint32_t status = 0, Buffer body = {}) {
  return little().u32(status).u32(body.size()).bytes(body).buffer();
}

}  // namespace support

#undef SUPPORT_OUT_OF_LINE
