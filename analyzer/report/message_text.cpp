// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The forms of message_text.hpp. What users put into messages is shown as far as it was asked for,
// and escaped.
#include "report/message_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "capture/address.hpp"
#include "conversation/line.hpp"
#include "decode/text.hpp"
#include "decode/typed_value.hpp"
#include "decode/utf8.hpp"
#include "decode/walk.hpp"
#include "describe/proofs.hpp"
#include "iggy/bodies/batches.hpp"
#include "iggy/older/messages.hpp"
#include "report/compact_json.hpp"
#include "report/decoded_sink.hpp"
#include "report/json_writer.hpp"
#include "report/words.hpp"

namespace analyzer::report {

using connection::word_of;
using iggy::decode::Bytes;
using iggy::decode::is_text;

namespace {

Bytes bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

// The front of a text that ends with a whole character.
std::string_view without_broken_end(std::string_view text) {
  constexpr std::size_t longest = 4;
  for (std::size_t back = 1; back <= std::min(longest, text.size()); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if ((byte & 0xc0) == 0x80) continue;  // inside a character
    const bool is_broken = iggy::decode::utf8_length(text.substr(text.size() - back)) != back;
    return is_broken && byte >= 0x80 ? text.substr(0, text.size() - back) : text;
  }
  return text;
}

std::string hex_of(std::string_view text) {
  std::string digits;
  for (const char c : text) digits += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return digits;
}

// A payload as it is shown. `format` is never automatic.
struct PayloadText {
  PayloadFormat format = PayloadFormat::text;
  std::string value;
  bool is_cut = false;
};

PayloadText payload_of(const MessageRow& row, const MessageOptions& options) {
  const std::string_view front =
      std::string_view(row.payload)
          .substr(0, std::min<std::size_t>(row.payload.size(), options.max_payload));
  const bool is_cut = front.size() < row.payload_size;
  const bool may_be_json =
      options.payload == PayloadFormat::json || options.payload == PayloadFormat::automatic;
  const std::size_t first = front.find_first_not_of(" \t\r\n");
  const bool is_structure =
      first != std::string_view::npos && (front[first] == '{' || front[first] == '[');
  if (may_be_json && !is_cut && (is_structure || options.payload == PayloadFormat::json))
    if (std::optional<std::string> json = compact_json(front))
      return {PayloadFormat::json, std::move(*json), false};
  if (options.payload == PayloadFormat::hex) return {PayloadFormat::hex, hex_of(front), is_cut};
  const std::string_view text = is_cut ? without_broken_end(front) : front;
  if (options.payload == PayloadFormat::text || is_text(text))
    return {PayloadFormat::text, std::string(text), is_cut};
  return {PayloadFormat::hex, hex_of(front), is_cut};
}

std::string_view word_of(PayloadFormat format) {
  switch (format) {
    case PayloadFormat::automatic:
      return "auto";
    case PayloadFormat::text:
      return "text";
    case PayloadFormat::json:
      return "json";
    case PayloadFormat::hex:
      return "hex";
  }
  return {};
}

// The row that tells of a message's user headers. All releases before batches wrote text keys first
// and keys of any kind later; no bytes are both.
iggy::describe::Field headers_row_of(const MessageRow& row) {
  static constexpr const iggy::describe::Field* today =
      &row_of(iggy::bodies::message_frame, "user_headers");
  iggy::describe::Field field = *today;
  const bool is_older = row.headers_row != nullptr && row.headers_row != today;
  if (is_older && !iggy::decode::is_layout(*field.layout, bytes_of(row.user_headers)))
    field.layout = &iggy::older::text_headers;
  return field;
}

// The array of a message's user headers; false where its bytes are none, and then it is empty.
bool write_user_headers(JsonWriter& json, const MessageRow& row) {
  const iggy::describe::Field field = headers_row_of(row);
  const std::size_t before = json.json().size();
  DecodedSink sink(json, {});
  const Bytes bytes = bytes_of(row.user_headers);
  sink.run(field, bytes, {0, static_cast<std::uint32_t>(bytes.size())});
  sink.finish();
  if (json.json().size() != before) return true;
  json.key(field.name).begin_array().end_array();
  return false;
}

// Keys and values for people.
class HeaderLine : public iggy::decode::Check {
 public:
  void integer(const iggy::describe::Field& field, std::uint64_t value, iggy::decode::Range) {
    kinds_.note(field, value);
  }
  void run(const iggy::describe::Field& field, Bytes bytes, iggy::decode::Range) {
    const std::optional<std::uint8_t> kind = kinds_.take_of_pair(field);
    if (!kind) return;
    line_.add(runs_ % 2 != 0 ? "=" : runs_ == 0 ? "" : ", ");
    add_typed(line_, iggy::decode::read_typed(*kind, bytes));
    ++runs_;
  }
  std::string_view text() const { return line_.text(); }

 private:
  iggy::conversation::Line line_;
  iggy::decode::NextKind kinds_;
  std::size_t runs_ = 0;
};

std::string user_headers_text(const MessageRow& row) {
  if (row.user_headers_size == 0) return {};
  const Bytes bytes = bytes_of(row.user_headers);
  const iggy::describe::Layout& layout = *headers_row_of(row).layout;
  if (!iggy::decode::is_layout(layout, bytes))
    return fmt::format("{{{} of user headers}}", counted(row.user_headers_size, "byte"));
  HeaderLine line;
  iggy::decode::Walk walk(iggy::decode::whole(bytes), line);
  walk.read(layout);
  return fmt::format("{{{}}}", line.text());
}

void write_name(JsonWriter& json, const std::optional<Identifier>& name) {
  if (!name)
    json.null();
  else if (name->is_number)
    json.raw(name->text);
  else
    json.text(name->text);
}

void write_place(JsonWriter& json, const MessageRow& row) {
  static const MessagePlace unknown;
  const MessagePlace& place = row.place == nullptr ? unknown : *row.place;
  json.key("stream");
  write_name(json, place.stream);
  json.key("topic");
  write_name(json, place.topic);
  json.key("stream_name").text_or_null(place.stream ? place.stream->name : "");
  json.key("topic_name").text_or_null(place.topic ? place.topic->name : "");
  const auto number = [&json](const char* key, const auto& value) {
    json.key(key);
    if (value)
      json.number(*value);
    else
      json.null();
  };
  number("partition", row.partition);
  const auto wide = [&json](const char* key, const std::optional<std::uint64_t>& value) {
    json.key(key);
    if (value)
      json.wide(*value);
    else
      json.null();
  };
  wide("offset", row.offset);
  wide("origin_timestamp", row.origin_time);
  wide("append_timestamp", row.append_time);
  number("consumer_kind", place.consumer_kind);
  json.key("consumer");
  write_name(json, place.consumer);
  number("partitioning", place.partitioning);
  json.key("key");
  if (place.key.empty())
    json.null();
  else
    json.hex(bytes_of(place.key));
}

void write_payload(JsonWriter& json, const MessageRow& row, const MessageOptions& options) {
  json.key("payload_size").number(row.payload_size);
  const PayloadText payload = payload_of(row, options);
  json.key("payload_format").text(word_of(payload.format));
  json.key("payload");
  if (options.max_payload == 0)
    json.null();
  else if (payload.format == PayloadFormat::json)
    json.raw(payload.value);
  else
    json.text(payload.value);
  json.key("payload_is_cut").boolean(payload.is_cut);
}

std::string name_text(const MessageRow& row) {
  static const MessagePlace unknown;
  const MessagePlace& place = row.place == nullptr ? unknown : *row.place;
  const auto text = [](const std::optional<Identifier>& name) {
    if (!name) return std::string("?");
    iggy::conversation::Line line;
    if (name->is_number)
      line.add(name->text);
    else
      line.add_from_wire(name->text);
    if (!name->name.empty()) line.add("(").add_from_wire(name->name).add(")");
    return std::string(line.text());
  };
  return fmt::format("{}/{}[{}] {}", text(place.stream), text(place.topic),
                     row.partition ? std::to_string(*row.partition) : "?",
                     row.offset ? fmt::format("offset {}", *row.offset) : "offset ?");
}

std::string time_text(std::string_view what, const std::optional<std::uint64_t>& microseconds) {
  const iggy::decode::ShortText time = iggy::decode::iso_time(microseconds.value_or(0));
  return time.is_empty() ? std::string() : fmt::format("{}{}", what, time.text());
}

std::string key_text(const MessageRow& row) {
  if (row.place == nullptr || row.place->key.empty()) return {};
  const std::string& key = row.place->key;
  iggy::conversation::Line line;
  line.add("key ");
  if (is_text(key))
    line.add_from_wire(key);
  else
    line.add_bytes(bytes_of(key));
  return std::string(line.text());
}

std::string payload_text(const MessageRow& row, const MessageOptions& options) {
  if (options.max_payload == 0) return {};
  const PayloadText payload = payload_of(row, options);
  return printable(payload.value) + (payload.is_cut ? "..." : "");
}

}  // namespace

std::string to_json(const MessageRow& row, const MessageNotes& notes,
                    const MessageOptions& options) {
  JsonWriter json;
  json.begin_object();
  json.key("packet").number(row.packet);
  json.key("time").text(seconds_text(row.time));
  json.key("direction").text(word_of(row.way));
  json.key("client").text(to_string(row.client));
  json.key("server").text(to_string(row.server));
  json.key("from").text(row.is_from_client ? "client" : "server");
  write_place(json, row);
  json.key("id").wide(row.id);
  json.key("uuid").text_or_null(iggy::decode::uuid_text(row.id).text());
  const bool is_read = write_user_headers(json, row);
  json.key("user_headers_size").number(row.user_headers_size);
  json.key("user_headers_are_read").boolean(row.user_headers_size == 0 || is_read);
  write_payload(json, row, options);
  json.key("outcome").text_or_null(row.outcome ? word_of(*row.outcome) : "");
  json.key("confirmed");
  if (row.is_confirmed)
    json.boolean(*row.is_confirmed);
  else
    json.null();
  json.key("duplicate_of").number_or_null(notes.duplicate ? notes.duplicate->packet : 0);
  json.key("duplicate_by").text_or_null(notes.duplicate ? notes.duplicate->by : "");
  json.key("file").text_or_null(notes.file);
  json.end_object();
  return json.take() + "\n";
}

std::string to_text(const MessageRow& row, const MessageNotes& notes, const MessageOptions& options,
                    std::int64_t start) {
  const bool same_host = row.client.address == row.server.address;
  const auto name = [same_host](const capture::Endpoint& endpoint) {
    return same_host ? std::to_string(endpoint.port) : to_string(endpoint);
  };
  const char arrow = row.is_from_client ? '>' : '<';
  std::string line = fmt::format("{:5}  {:10.6f}  {:<10}  {} {} {}  {}", row.packet,
                                 static_cast<double>(row.time - start) / 1e9, word_of(row.way),
                                 name(row.client), arrow, name(row.server), name_text(row));
  const auto add = [&line](const std::string& more) {
    if (!more.empty()) line += "  " + more;
  };
  add(time_text("made ", row.origin_time));
  add(time_text("stored ", row.append_time));
  const iggy::decode::ShortText uuid = iggy::decode::uuid_text(row.id);
  add("id " + (uuid.is_empty() ? report::decimal(row.id) : std::string(uuid.text())));
  add(key_text(row));
  add(user_headers_text(row));
  if (row.outcome && row.outcome->kind != connection::OutcomeKind::ok) add(word_of(*row.outcome));
  if (row.is_confirmed == false) add("perhaps not stored, the reply is empty");
  if (notes.duplicate)
    add(fmt::format("again, first in packet {} (same {})", notes.duplicate->packet,
                    notes.duplicate->by));
  add(counted(row.payload_size, "byte"));
  add(payload_text(row, options));
  add(notes.file);
  return line + "\n";
}

}  // namespace analyzer::report
