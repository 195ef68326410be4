// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What rows mean, as JSON. Containers are begun late, so that empty ones never stand there.
#include "report/decoded_sink.hpp"

#include <cmath>
#include <utility>

#include "decode/text.hpp"
#include "decode/walk.hpp"

namespace analyzer::report {

using iggy::bodies::HeaderEncoding;
using iggy::decode::Bytes;
using iggy::decode::Range;
using iggy::decode::TypedValue;
using iggy::decode::U128;
using iggy::describe::Field;
using iggy::describe::Kind;
using iggy::describe::Layout;
using iggy::describe::Shape;

namespace {

// What people call the number; empty where it has no other name.
std::string meaning_of(const Field& field, std::uint64_t value) {
  if (!is_number(field)) return {};
  if (field.shape == Shape::microseconds) return std::string(iggy::decode::iso_time(value).text());
  if (field.shape == Shape::duration) return std::string(iggy::decode::duration_text(value).text());
  if (field.shape == Shape::version && value != 0)
    return std::string(iggy::decode::version_text({static_cast<std::uint32_t>(value)}).text());
  if (field.shape == Shape::or_none && is_all_ones(field, value)) return "none";
  return std::string(name_of(field, value));
}

void write_kind(JsonWriter& json, std::uint8_t kind) {
  const auto* const known = iggy::bodies::find_header_kind(kind);
  if (known == nullptr)
    json.number(kind);
  else
    json.text(known->name);
}

// Numbers of more than 32 bits are text, as in rows.
void write_value(JsonWriter& json, const TypedValue& value) {
  const iggy::decode::ShortText digits = plain_text(value);
  const std::string_view text = digits.text();
  switch (value.encoding) {
    case HeaderEncoding::raw:
      json.hex(value.bytes);
      break;
    case HeaderEncoding::text:
      json.text(value.text());
      break;
    case HeaderEncoding::truth:
      json.raw(text);
      break;
    case HeaderEncoding::signed_number:
    case HeaderEncoding::unsigned_number:
      if (value.width > 4)
        json.text(text);
      else
        json.raw(text);
      break;
    case HeaderEncoding::real:
      if (std::isfinite(value.real))
        json.raw(text);
      else
        json.text(text);
      break;
  }
}

}  // namespace

void DecodedSink::integer(const Field& field, std::uint64_t value, Range) {
  pass(field);
  kinds_.note(field, value);
  if (is_in_pair_ || is_payload(field) || is_secret(field)) return;
  const std::string meaning = meaning_of(field, value);
  if (!meaning.empty()) member(field).text(meaning);
}

void DecodedSink::wide(const Field& field, U128 value, Range) {
  pass(field);
  if (field.shape != Shape::uuid || is_payload(field) || is_secret(field)) return;
  const iggy::decode::ShortText uuid = iggy::decode::uuid_text(value);
  if (!uuid.is_empty()) member(field).text(uuid.text());
}

void DecodedSink::run(const Field& field, Bytes bytes, Range range) {
  pass(field);
  if (is_payload(field) && !shows_.payload) return;
  if (const auto kind = is_in_pair_ ? kinds_.take_of_pair(field) : kinds_.take(field)) {
    const TypedValue value = iggy::decode::read_typed(*kind, bytes);
    if (is_in_pair_) return typed(field, value);
    if (is_secret(field) && !shows_.secrets) return;
    member(field).begin_object();
    json_.key("value");
    write_value(json_, value);
    json_.key("kind");
    write_kind(json_, value.kind);
    json_.end_object();
    return;
  }
  if (field.layout == nullptr) return;
  alias_ = field.name;
  iggy::decode::read_inside(field, bytes, range, *this);
  close_list();
  alias_ = {};
}

void DecodedSink::list(const Field& field, std::uint32_t) {
  close_list();
  Level level;
  level.name = alias_.empty() ? field.name : std::exchange(alias_, {});
  level.is_list = true;
  level.is_array = field.kind == Kind::group && is_pair(*field.layout);
  open_.push_back(level);
}

bool DecodedSink::enter(const Field& field, const Layout& layout, std::uint32_t) {
  pass(field);
  Level level;
  level.name = field.name;
  level.is_element = is_list(field);
  if (level.is_element) level.number = open_.back().elements - 1;
  is_in_pair_ = is_pair(layout);
  kinds_.forget();
  key_.reset();
  open_.push_back(level);
  return true;
}

void DecodedSink::leave(const Field&, const Layout&, Range) {
  close_list();
  close();
  is_in_pair_ = false;
}

void DecodedSink::finish() {
  close_list();
  while (!open_.empty()) close();
}

void DecodedSink::pass(const Field& field) {
  if (is_list(field))
    ++open_.back().elements;
  else
    close_list();
}

JsonWriter& DecodedSink::member(const Field& field) {
  begin_levels();
  const Level& level = open_.back();
  write_key({.name = field.name, .number = level.elements - 1, .is_element = level.is_list});
  return json_;
}

void DecodedSink::write_key(const Level& level) {
  json_.key(level.is_element ? std::to_string(level.number) : std::string(level.name));
}

void DecodedSink::begin_levels() {
  bool is_in_array = false;
  for (Level& level : open_) {
    if (!level.is_begun) {
      if (!is_in_array) write_key(level);
      if (level.is_array)
        json_.begin_array();
      else
        json_.begin_object();
      level.is_begun = true;
    }
    is_in_array = level.is_array;
  }
}

void DecodedSink::close_list() {
  if (!open_.empty() && open_.back().is_list) close();
}

void DecodedSink::close() {
  const Level& level = open_.back();
  if (level.is_begun && level.is_array) json_.end_array();
  if (level.is_begun && !level.is_array) json_.end_object();
  open_.pop_back();
}

// The first is the key, the second its value.
void DecodedSink::typed(const Field& field, const TypedValue& value) {
  if (key_) return write_pair(field, value);
  JsonWriter json;
  Key key;
  write_value(json, value);
  key.json = json.take();
  key.is_text = value.is(HeaderEncoding::text);
  JsonWriter kind;
  write_kind(kind, value.kind);
  key.kind = kind.take();
  key.option = iggy::option_of(field, value.text());
  key_ = std::move(key);
}

void DecodedSink::write_pair(const Field& field, const TypedValue& value) {
  const bool is_masked = is_secret(field) && !shows_.secrets;
  begin_levels();
  json_.key("key").raw(key_->json);
  if (!key_->is_text) json_.key("key_kind").raw(key_->kind);
  json_.key("value");
  if (is_masked)
    json_.text(masked);
  else
    write_value(json_, value);
  json_.key("kind");
  write_kind(json_, value.kind);
  if (!value.fits && !is_masked) json_.key("fits").boolean(false);
  if (key_->option == nullptr || is_masked) return;
  const std::string_view unit = word_of(key_->option->unit);
  if (!unit.empty() && note_of(*key_->option, value) == unit) json_.key("unit").text(unit);
  const iggy::decode::ShortText means = meaning_of(*key_->option, value);
  if (!means.is_empty()) json_.key("means").text(means.text());
}

}  // namespace analyzer::report
