// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The HTTP head that turns a connection into WebSocket: read as text, kept within a bound.
#include <algorithm>

#include "stream/websocket.hpp"

namespace analyzer::stream::websocket {
namespace {

constexpr std::string_view request_prefix = "GET ";
constexpr std::string_view response_prefix = "HTTP/1.";

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + ('a' - 'A')) : letter;
}

bool same_text(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

bool is_blank(char letter) {
  return letter == ' ' || letter == '\t';
}

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char letter) {
    return is_blank(letter) || letter == '\r' || letter == '\n';
  };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// Takes the part up to `end` off the front of `text`, and `end` with it.
std::string_view take_until(std::string_view& text, char end) {
  const std::size_t length = std::min(text.find(end), text.size());
  const std::string_view part = text.substr(0, length);
  text.remove_prefix(std::min(length + 1, text.size()));
  return part;
}

bool list_has(std::string_view list, std::string_view token) {
  while (!list.empty())
    if (same_text(trimmed(take_until(list, ',')), token)) return true;
  return false;
}

// A line of the header with those that continue it, which begin with a blank.
std::string_view take_folded_line(std::string_view& text) {
  std::size_t end = std::min(text.find('\n'), text.size());
  while (end + 1 < text.size() && is_blank(text[end + 1]))
    end = std::min(text.find('\n', end + 1), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// Three digits behind the version; 0 where there are none.
std::uint16_t status_of(std::string_view line) {
  take_until(line, ' ');
  if (line.size() < 3) return 0;
  unsigned status = 0;
  for (const char digit : line.substr(0, 3)) {
    if (digit < '0' || digit > '9') return 0;
    status = status * 10 + static_cast<unsigned>(digit - '0');
  }
  return static_cast<std::uint16_t>(status);
}

}  // namespace

std::size_t UpgradeHead::feed(Bytes bytes) {
  std::size_t taken = 0;
  while (taken < bytes.size() && state_ == State::reading) {
    const char letter = static_cast<char>(bytes[taken]);
    if (text_.size() < response_prefix.size()) {
      text_.push_back(letter);
      if (!begins_as_http()) {
        // The byte that told is not taken: it belongs to whoever reads this instead.
        text_.pop_back();
        state_ = State::not_http;
        return taken;
      }
    } else {
      text_.push_back(letter);
    }
    ++taken;
    if (letter == '\n') {
      const std::string_view line = std::string_view{text_}.substr(line_start_);
      line_start_ = text_.size();
      if (line == "\n" || line == "\r\n") complete();
    }
    if (state_ == State::reading && text_.size() >= longest) state_ = State::too_long;
  }
  return taken;
}

void UpgradeHead::hole() {
  if (state_ == State::reading) state_ = State::lost;
}

bool UpgradeHead::begins_as_http() const {
  const auto agrees = [this](std::string_view prefix) {
    const std::size_t size = std::min(prefix.size(), text_.size());
    return std::string_view{text_}.substr(0, size) == prefix.substr(0, size);
  };
  return agrees(request_prefix) || agrees(response_prefix);
}

void UpgradeHead::complete() {
  std::string_view rest = text_;
  const std::string_view first_line = take_until(rest, '\n');
  while (!rest.empty()) {
    std::string_view line = take_folded_line(rest);
    const std::string_view name = trimmed(take_until(line, ':'));
    take_header(name, line);
  }
  if (first_line.starts_with(request_prefix)) {
    state_ = has_upgrade_ ? State::upgrade_request : State::other_request;
  } else {
    status_ = status_of(first_line);
    state_ = status_ == 101 && has_upgrade_ ? State::switching : State::other_response;
  }
}

void UpgradeHead::take_header(std::string_view name, std::string_view value) {
  // A fold within the list is white space like any other.
  if (same_text(name, "upgrade") && list_has(value, "websocket")) has_upgrade_ = true;
  if (same_text(name, "sec-websocket-extensions") && !trimmed(value).empty())
    has_extensions_ = true;
}

}  // namespace analyzer::stream::websocket
