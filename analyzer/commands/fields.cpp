// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// iggy-pcap fields: the reference of every field, straight from the tables.
#include <fmt/format.h>

#include "commands/commands.hpp"
#include "iggy/registry.hpp"
#include "report/json_writer.hpp"

namespace analyzer::commands {

using iggy::describe::Field;
using iggy::describe::Kind;
using iggy::describe::Layout;
using iggy::describe::Privacy;
using iggy::describe::Role;
using iggy::describe::Times;
using iggy::describe::When;

namespace {

std::string width_of(const Field& field) {
  return field.width == 0 ? std::string() : fmt::format("[{}]", field.width);
}

std::string type_of_one(const Field& field) {
  switch (field.kind) {
    case Kind::u8:
      return "u8";
    case Kind::u16:
      return "u16";
    case Kind::u32:
      return "u32";
    case Kind::u64:
      return "u64";
    case Kind::u128:
      return "u128";
    case Kind::f32:
      return "f32";
    case Kind::zero:
      return "zero" + width_of(field);
    case Kind::bytes:
      return "bytes" + width_of(field);
    case Kind::text:
      return "text" + width_of(field);
    case Kind::rest:
      return "bytes to the end";
    case Kind::group:
      return std::string(field.layout->name);
  }
  return {};
}

std::string type_of(const Field& field) {
  switch (field.times) {
    case Times::once:
      return type_of_one(field);
    case Times::counted:
      return "list of " + type_of_one(field);
    case Times::to_end:
      return fmt::format("list of {} to the end", type_of_one(field));
    case Times::optional:
      return fmt::format("list of one {} at most", type_of_one(field));
    case Times::chained:
      return fmt::format("chain of {}", type_of_one(field));
  }
  return {};
}

// When the row stands there, by the value of the nearest selector above it.
std::string condition_of(const Layout& layout, const Field& field) {
  if (field.when == When::always) return {};
  const Field* selector = nullptr;
  for (const Field& above : layout.fields) {
    if (&above == &field) break;
    if (is_selector(above) || above.when == When::exact) selector = &above;
  }
  if (field.when == When::exact) return "their number fits the bytes that are left";
  if (selector == nullptr) return {};
  if (selector->when == When::exact) return "it does not";
  if (field.when == When::having) return fmt::format("{} has {}", selector->name, field.wanted);
  std::string wanted =
      field.when == When::unequal ? fmt::format("not {}", field.wanted) : "another";
  if (field.when == When::equal)
    wanted = is_number(*selector) ? std::to_string(field.wanted)
                                  : std::string(name_of(selector->names, field.wanted));
  return fmt::format("{} is {}", selector->name, wanted);
}

// The least and the most that a number may be.
std::string limits_of(const Field& field) {
  if (!iggy::describe::is_number(field)) return {};
  const bool has_most = field.maximum != ~std::uint64_t{0};
  if (field.minimum == 0 && !has_most) return {};
  if (!has_most) return fmt::format("at least {}", field.minimum);
  if (field.minimum == field.maximum) return fmt::format("{}", field.minimum);
  return fmt::format("{} to {}", field.minimum, field.maximum);
}

// All that is said of a row besides its place and its type.
std::string remarks_of(const Layout& layout, const Field& field) {
  std::string text(field.meaning);
  const std::string limits = limits_of(field);
  const std::string condition = condition_of(layout, field);
  if (!limits.empty()) text += fmt::format(" ({})", limits);
  if (!condition.empty()) text += fmt::format("; where {}", condition);
  if (field.room == iggy::describe::Room::each)
    text += "; each fills the bytes that a length tells";
  else if (field.room != iggy::describe::Room::open)
    text += "; fills the bytes that a length tells";
  if (is_typed(layout, field)) text += "; lies as the kind above it says";
  if (field.kind != Kind::group && field.layout != nullptr)
    text += fmt::format("; may be {}", field.layout->name);
  return text;
}

std::string_view word_of(Privacy privacy) {
  switch (privacy) {
    case Privacy::open:
      return "";
    case Privacy::identity:
      return "identity";
    case Privacy::payload:
      return "payload";
    case Privacy::secret:
      return "secret";
    case Privacy::secret_payload:
      return "secret_payload";
  }
  return "";
}

std::string offset_of(const Field& field) {
  return field.offset == iggy::describe::next ? std::string("+") : std::to_string(field.offset);
}

// The layout in the notation of upstream's comments: [name:width].
std::string notation(const Layout& layout) {
  std::string text;
  for (const Field& field : layout.fields)
    text += fmt::format("[{}:{}]", field.name,
                        field.width != 0 ? std::to_string(field.width) : type_of(field));
  return text;
}

std::string as_text(const Layout& layout) {
  std::string text = fmt::format("{} - {}\n", layout.name, layout.title);
  for (const Field& field : layout.fields)
    text += fmt::format("  {:>4}  {:<20} {:<28} {:<9} {}\n", offset_of(field), type_of(field),
                        field.name, word_of(field.privacy), remarks_of(layout, field));
  return text + "\n";
}

std::string as_markdown(const Layout& layout) {
  std::string text =
      fmt::format("## {}\n\n`{}`: `{}`\n\n", layout.title, layout.name, notation(layout));
  text += "| Offset | Type | Name | Privacy | Meaning |\n| ---: | --- | --- | --- | --- |\n";
  for (const Field& field : layout.fields)
    text += fmt::format("| {} | {} | `{}` | {} | {} |\n", offset_of(field), type_of(field),
                        field.name, word_of(field.privacy), remarks_of(layout, field));
  return text;
}

std::string as_json(const Layout& layout) {
  report::JsonWriter json;
  json.begin_object();
  json.key("layout").text(layout.name).key("title").text(layout.title);
  json.key("fields").begin_array();
  for (const Field& field : layout.fields) {
    json.begin_object();
    json.key("name").text(field.name).key("type").text(type_of(field));
    json.key("offset");
    if (field.offset == iggy::describe::next)
      json.null();
    else
      json.number(field.offset);
    json.key("width").number(field.width);
    json.key("privacy").text(field.privacy == Privacy::open ? "open" : word_of(field.privacy));
    json.key("typed").boolean(is_typed(layout, field));
    json.key("meaning").text(field.meaning);
    json.key("limits").text_or_null(limits_of(field));
    json.key("when").text_or_null(condition_of(layout, field));
    json.end_object();
  }
  json.end_array().end_object();
  return json.take() + "\n";
}

constexpr std::string_view markdown_head =
    "<!-- SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later -->\n"
    "<!-- Written by `iggy-pcap fields --markdown`; `make golden-update` brings it up to date. "
    "-->\n"
    "\n# Fields\n\n"
    "Every row of every layout, in wire order. All numbers are little-endian. An offset counts "
    "from\n"
    "the start of the frame; `+` stands where the row above ends. In JSON the names are the keys. "
    "In\n"
    "Wireshark a field is `iggy.<layout>.<name>`; but the rows of the first 128 bytes, which all\n"
    "headers share, and the `operation`, `code` and `status` of headers are `iggy.<name>`. Values "
    "of\n"
    "`secret` rows are masked in every output unless a flag asks for them, those of `payload` "
    "rows\n"
    "are left out, and those of `secret_payload` rows are masked unless both flags ask.\n";

}  // namespace

Exit fields(const FieldsOptions& options) {
  if (options.markdown) put(markdown_head);
  for (const Layout* layout : iggy::all_layouts()) {
    const std::string text = options.json       ? as_json(*layout)
                             : options.markdown ? as_markdown(*layout)
                                                : as_text(*layout);
    if (!put(text)) break;
  }
  return Exit::done;
}

}  // namespace analyzer::commands
