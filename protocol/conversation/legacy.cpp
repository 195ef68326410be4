// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Recognises the 8-byte framing of servers up to 0.8, which has no magic and no checksum: what
// vouches for it is a body that fits its code exactly, and a frame that ends where the next one
// begins.
#include <algorithm>

#include "conversation/recognise.hpp"
#include "decode/window.hpp"

namespace iggy::conversation {
namespace {

using decode::load;

constexpr std::size_t name_limit = 100;  // of user names and passwords in a legacy login

std::uint8_t byte_at(Bytes bytes, std::size_t at) {
  return std::to_integer<std::uint8_t>(bytes[at]);
}

// The length of a u8-prefixed text at `at`, the prefix included; 0 when it does not fit.
std::size_t short_text(Bytes body, std::size_t at) {
  if (at >= body.size()) return 0;
  const std::size_t length = byte_at(body, at);
  if (length == 0 || length > name_limit || body.size() - at - 1 < length) return 0;
  return 1 + length;
}

// The same for a u32-prefixed text, which may be empty.
std::size_t long_text(Bytes body, std::size_t at) {
  if (body.size() < at + 4) return 0;
  const auto length = load<std::uint32_t>(body.data() + at);
  return body.size() - at - 4 < length ? 0 : 4 + std::size_t{length};
}

// User name and password, then the end or two long texts that end exactly.
bool is_login(Bytes body) {
  const std::size_t user = short_text(body, 0);
  const std::size_t password = user == 0 ? 0 : short_text(body, user);
  if (password == 0) return false;
  const std::size_t version_at = user + password;
  if (version_at == body.size()) return true;
  const std::size_t version = long_text(body, version_at);
  if (version == 0) return false;
  const std::size_t context = long_text(body, version_at + version);
  return context != 0 && version_at + version + context == body.size();
}

bool is_token_login(Bytes body) {
  return body.size() >= 2 && byte_at(body, 0) == body.size() - 1;
}

// An identifier: kind 1 with four bytes, or kind 2 with text.
bool begins_with_identifier(Bytes body) {
  if (body.size() < 3) return false;
  const std::uint8_t kind = byte_at(body, 0);
  const std::uint8_t length = byte_at(body, 1);
  if (kind == 1) return length == 4 && body.size() >= 6;
  return kind == 2 && length >= 1 && body.size() >= 2 + std::size_t{length};
}

// Whether the body can belong to the code.
bool body_fits(std::uint32_t code, Bytes body) {
  const Exchange* exchange = find_code(Generation::legacy, code);
  if (exchange == nullptr) return false;
  if (exchange->empty_request) return body.empty();
  if (code == code::login) return is_login(body);
  if (code == code::login_with_token) return is_token_login(body);
  if (code == 21) return body.size() == 4;
  // A consumer stands in front of the identifiers, its kind first.
  const bool by_consumer = code == 100 || (code >= 120 && code <= 122);
  if (by_consumer && !body.empty() && byte_at(body, 0) >= 1 && byte_at(body, 0) <= 2 &&
      begins_with_identifier(body.subspan(1)))
    return true;
  const bool by_identifier =
      by_consumer || (code >= 200 && code <= 205 && code != 202) || (code >= 300 && code <= 605);
  return by_identifier ? begins_with_identifier(body) : !body.empty();
}

struct Candidate {
  Legacy verdict = Legacy::no;
  std::uint32_t code = 0;
  std::size_t size = 0;    // whole frame, in bytes
  std::size_t needed = 0;  // of need_more
};

// A long body is judged by its head; only logins and empty commands must end exactly.
constexpr std::size_t enough = 1024;
// A first frame that is longer has to do without a second one behind it.
constexpr std::size_t longest_wait = std::size_t{64} << 10;

Candidate test_frame(Bytes bytes) {
  if (bytes.size() < legacy_header_bytes) return {Legacy::need_more, 0, 0, legacy_header_bytes};
  const auto length = load<std::uint32_t>(bytes.data());
  const auto code = load<std::uint32_t>(bytes.data() + 4);
  if (length < 4 || length > max_frame_bytes + 4 || find_code(Generation::legacy, code) == nullptr)
    return {};
  const std::size_t size = 4 + std::size_t{length};
  const std::size_t needed = std::min(size, enough);
  if (bytes.size() < needed) return {Legacy::need_more, code, size, needed};
  const Bytes body =
      bytes.subspan(legacy_header_bytes)
          .first(std::min(size - legacy_header_bytes, bytes.size() - legacy_header_bytes));
  return {body_fits(code, body) ? Legacy::yes : Legacy::no, code, size, 0};
}

}  // namespace

LegacyTest test_legacy_request(Bytes bytes, bool known_start, bool at_end) {
  const Candidate first = test_frame(bytes);
  const auto wait = [at_end](std::size_t needed) {
    return at_end ? LegacyTest{} : LegacyTest{Legacy::need_more, needed};
  };
  if (first.verdict == Legacy::need_more) return wait(first.needed);
  if (first.verdict == Legacy::no) return {};
  const bool names_itself =
      first.code == code::login || first.code == code::login_with_token || first.code == code::ping;
  const bool is_enough = known_start && names_itself;
  if (bytes.size() <= first.size) {
    if (is_enough) return {Legacy::yes, 0};
    if (first.size > longest_wait) return {known_start ? Legacy::yes : Legacy::no, 0};
    return wait(first.size + legacy_header_bytes);
  }
  // What follows has to be another frame: the first one alone resembles other protocols.
  const Candidate second = test_frame(bytes.subspan(first.size));
  if (second.verdict == Legacy::need_more) return wait(first.size + second.needed);
  return {second.verdict, 0};
}

Legacy test_legacy_reply(Bytes bytes, bool client_is_legacy, bool at_end) {
  if (bytes.size() < legacy_header_bytes) return at_end ? Legacy::no : Legacy::need_more;
  const auto status = load<std::uint32_t>(bytes.data());
  const auto length = load<std::uint32_t>(bytes.data() + 4);
  if (!client_is_legacy)
    return status == status::invalid_command && length == 0 ? Legacy::yes : Legacy::no;
  if (status == 0) return length <= max_frame_bytes ? Legacy::yes : Legacy::no;
  if (error_name(status).empty()) return Legacy::no;
  // Servers 0.2.2 to 0.4.61 append a text with a length of its own.
  return length == 0 || (length > 4 && length <= 4096) ? Legacy::yes : Legacy::no;
}

}  // namespace iggy::conversation
