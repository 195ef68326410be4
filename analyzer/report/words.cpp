// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Addresses, times, sizes and untrusted text as a reader sees them.
#include "report/words.hpp"

#include <fmt/format.h>

#include <charconv>

#include "capture/address.hpp"
#include "conversation/line.hpp"
#include "conversation/summary.hpp"
#include "decode/utf8.hpp"
#include "iggy/registry.hpp"

namespace analyzer::report {

std::string to_text(iggy::Version version) {
  iggy::conversation::Line line;
  return std::string(line.add_version(version).text());
}

std::string to_text(iggy::VersionWindow window) {
  iggy::conversation::Line line;
  return std::string(line.add_window(window).text());
}

std::string duration_text(std::uint64_t microseconds) {
  const auto value = static_cast<double>(microseconds);
  if (microseconds < 1'000'000) return fmt::format("{:.1f} ms", value / 1e3);
  if (microseconds < 120'000'000) return fmt::format("{:.1f} s", value / 1e6);
  const std::uint64_t seconds = microseconds / 1'000'000;
  if (seconds < 7200) return fmt::format("{} min {} s", seconds / 60, seconds % 60);
  return fmt::format("{} h {} min", seconds / 3600, seconds / 60 % 60);
}

std::string error_text(std::uint32_t code) {
  const std::string_view name = iggy::error_name(code);
  return name.empty() ? std::to_string(code) : fmt::format("{} {}", code, name);
}

std::string reason_text(std::uint8_t reason) {
  const std::string_view name = iggy::eviction_reason_name(reason);
  return name.empty() ? std::to_string(reason) : fmt::format("{} {}", reason, name);
}

std::string_view word_of(capture::Skipped reason) {
  switch (reason) {
    case capture::Skipped::other_protocol:
      return "other_protocol";
    case capture::Skipped::fragment:
      return "fragment";
    case capture::Skipped::fragment_overlap:
      return "fragment_overlap";
    case capture::Skipped::headers_cut:
      return "headers_cut";
    case capture::Skipped::malformed:
      return "malformed";
    case capture::Skipped::too_deep:
      return "too_deep";
    case capture::Skipped::unknown_link_type:
      return "unknown_link_type";
  }
  return {};
}

std::string_view sentence_of(capture::Skipped reason) {
  switch (reason) {
    case capture::Skipped::other_protocol:
      return "neither TCP nor UDP over IP";
    case capture::Skipped::fragment:
      return "fragments of IP packets that never became whole";
    case capture::Skipped::fragment_overlap:
      return "fragments of IP packets whose fragments contradict each other: dropped";
    case capture::Skipped::headers_cut:
      return "cut inside the headers by the snap length";
    case capture::Skipped::malformed:
      return "malformed, their header lengths contradict each other";
    case capture::Skipped::too_deep:
      return "with more layers inside each other than real packets have";
    case capture::Skipped::unknown_link_type:
      return "of a link type without a decoder";
  }
  return {};
}

std::string link_types_text(const std::map<std::uint16_t, std::uint64_t>& link_types) {
  constexpr std::size_t link_types_shown = 5;
  std::string text;
  std::size_t shown = 0;
  for (const auto& [number, count] : link_types) {
    if (++shown > link_types_shown) {
      text += ", ...";
      break;
    }
    text += fmt::format("{}{}", text.empty() ? "" : ", ", number);
  }
  return fmt::format(" (LINKTYPE {})", text);
}

std::string counted(std::uint64_t count, std::string_view singular) {
  return fmt::format("{} {}{}", count, singular, count == 1 ? "" : "s");
}

std::string printable(std::string_view text) {
  std::string safe;
  while (!text.empty()) {
    const std::size_t length = iggy::decode::plain_length(text);
    if (length == 0)
      safe += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(text[0])));
    else
      safe += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return safe;
}

std::string quoted(std::string_view text) {
  iggy::conversation::Line line;
  return std::string(line.add_quoted(text).text());
}

std::optional<std::string> from_quotes(std::string_view quoted) {
  if (quoted.size() < 2 || !quoted.starts_with('"') || !quoted.ends_with('"')) return std::nullopt;
  std::string text;
  for (quoted = quoted.substr(1, quoted.size() - 2); !quoted.empty(); quoted.remove_prefix(1)) {
    if (quoted[0] == '"') return std::nullopt;
    if (quoted[0] != '\\') {
      text += quoted[0];
      continue;
    }
    quoted.remove_prefix(1);
    if (quoted.empty()) return std::nullopt;
    if (quoted[0] == '"' || quoted[0] == '\\') {
      text += quoted[0];
      continue;
    }
    constexpr std::size_t digits = 2;
    unsigned byte = 0;
    if (quoted[0] != 'x' || quoted.size() < 1 + digits) return std::nullopt;
    const char* const end = quoted.data() + 1 + digits;
    const auto read = std::from_chars(quoted.data() + 1, end, byte, 16);
    if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
    text += static_cast<char>(byte);
    quoted.remove_prefix(digits);
  }
  return text;
}

std::string client_text(const connection::LoginRecord& login) {
  std::string text;
  if (!login.sdk.empty()) text = printable(login.sdk);
  if (!login.sdk_version.empty())
    text += (text.empty() ? "SDK version " : " ") + printable(login.sdk_version);
  if (login.has_version)
    text += (text.empty() ? "protocol " : ", protocol ") + to_text(login.version);
  return text;
}

const connection::LoginRecord* last_login(const connection::Connection& connection) {
  return connection.logins().empty() ? nullptr : &connection.logins().back();
}

std::string client_text(const connection::Connection& connection,
                        const connection::LoginRecord* login) {
  const std::string address = to_string(connection.client());
  const std::string client = login == nullptr ? std::string() : client_text(*login);
  return client.empty() ? address : fmt::format("{} ({})", address, client);
}

std::string asked_text(const connection::Request& request) {
  // Commands have names; of what servers do among themselves only the operation has one.
  const std::string_view own =
      request.name.empty() && request.operation >= iggy::operation::first_internal
          ? iggy::describe::name_of(iggy::operation_names, request.operation)
          : std::string_view();
  const std::string name = own.empty() ? request.display_name() : std::string(own);
  return request.subject.empty() ? name : fmt::format("{} {}", name, request.subject);
}

std::string alike_text(const connection::Connection& connection,
                       const connection::LoginRecord* login) {
  return fmt::format("{} {} {}", to_string(connection.client().address),
                     login == nullptr ? std::string() : client_text(*login),
                     to_string(connection.server()));
}

}  // namespace analyzer::report
