// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The body of a message as JSON, as the decoder visits its fields.
#include "report/json_sink.hpp"

#include <algorithm>
#include <bit>

namespace analyzer::report {

using iggy::decode::Bytes;
using iggy::decode::Range;
using iggy::decode::U128;
using iggy::describe::Field;
using iggy::describe::Kind;
using iggy::describe::Layout;
using iggy::describe::Privacy;

Bytes front_of(Bytes payload, Shown shows) {
  return payload.first(std::min<std::size_t>(payload.size(), shows.max_payload));
}

void JsonSink::integer(const Field& field, std::uint64_t value, Range) {
  if (!begin(field)) return;
  if (field.kind == Kind::u64)
    json_.wide(value);
  else if (field.kind == Kind::f32)
    json_.real(std::bit_cast<float>(static_cast<std::uint32_t>(value)));
  else
    json_.number(value);
}

void JsonSink::wide(const Field& field, U128 value, Range) {
  if (begin(field)) json_.wide(value);
}

void JsonSink::run(const Field& field, Bytes bytes, Range) {
  if (!begin(field)) return;
  if (field.kind == Kind::text)
    json_.text(iggy::decode::text_of(bytes));
  else
    json_.hex(is_payload(field) ? front_of(bytes, shows_) : bytes);
}

void JsonSink::list(const Field& field, std::uint32_t) {
  member(field);
  json_.begin_array();
  has_open_list_.back() = true;
}

bool JsonSink::enter(const Field& field, const Layout&, std::uint32_t) {
  if (!is_list(field)) member(field);
  json_.begin_object();
  has_open_list_.push_back(false);
  return true;
}

void JsonSink::leave(const Field&, const Layout&, Range) {
  finish();
  has_open_list_.pop_back();
  json_.end_object();
}

void JsonSink::finish() {
  if (has_open_list_.back()) json_.end_array();
  has_open_list_.back() = false;
}

bool JsonSink::begin(const Field& field) {
  if (field.privacy == Privacy::payload && !shows_.payload) return false;
  if (!is_list(field)) member(field);
  const bool is_shown = !is_secret(field) || shows_.secrets;
  if (is_shown && (!is_payload(field) || shows_.payload)) return true;
  json_.text(masked);
  return false;
}

void JsonSink::member(const Field& field) {
  finish();
  json_.key(field.name);
}

}  // namespace analyzer::report
