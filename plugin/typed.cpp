// SPDX-License-Identifier: GPL-2.0-or-later
//
// The items of typed.hpp. Any function of epan may leave by longjmp, so nothing here has a
// destructor.
#include "plugin/typed.hpp"

#include <optional>
#include <string_view>

#include "conversation/summary.hpp"
#include "decode/typed_value.hpp"
#include "plugin/preferences.hpp"
#include "plugin/rows.hpp"

namespace plugin {

using iggy::conversation::Line;
using iggy::decode::TypedValue;
using iggy::describe::Field;

namespace {

// Of a key or a value; what is longer stays bytes alone.
constexpr std::uint32_t longest = 255;

// A field's value is the text as it was sent: Wireshark escapes it where it shows it.
class FieldText : public iggy::decode::BoundedText<2 * longest + 1> {
 public:
  void add_from_wire(std::string_view text) { add(text); }
  void add_bytes(iggy::decode::Bytes bytes) {
    for (const std::byte byte : bytes) {
      const auto digits = iggy::decode::hex_pair(byte);
      add({digits.data(), digits.size()});
    }
  }
};

void add_text(const TypedPlace& place, const Field& row, const TypedValue& value,
              std::uint32_t length) {
  FieldText text;
  add_typed(text, value);
  proto_item* const item =
      proto_tree_add_string(place.tree, text_id_of(row), place.tvb, place.offset, to_int(length),
                            pooled(place.pinfo->pool, text.text()));
  proto_item_set_generated(item);
}

void add_value(Line& line, const Typing& typing, const TypedValue& value) {
  add_typed(line, value);
  if (typing.option != nullptr) {
    const std::string_view unit = word_of(typing.option->unit);
    if (!unit.empty() && note_of(*typing.option, value) == unit) line.add(" ").add(unit);
    const iggy::decode::ShortText means = meaning_of(*typing.option, value);
    if (!means.is_empty()) line.add(", ").add(means.text());
  }
  line.add(" (").add(iggy::decode::kind_text(value.kind).text());
  line.add(value.fits ? ")" : ", and it does not fit)");
}

// "segment_size = 1073741824 bytes (uint64)", in two steps.
void append(const TypedPlace& place, const Typing& typing, const TypedValue& value,
            bool is_hidden) {
  Line line;
  line.add(typing.has_key ? " = " : ": ");
  if (is_hidden)
    line.add("***");
  else if (typing.has_key)
    add_value(line, typing, value);
  else
    add_typed(line, value);
  proto_item_append_text(place.item, "%s", pooled(place.pinfo->pool, line.text()));
}

}  // namespace

void show_typed(const TypedPlace& place, Typing& typing, const Event& event) {
  const Field& row = *event.row;
  typing.kinds.note(row, event.value);
  const std::optional<std::uint8_t> kind =
      typing.is_pair ? typing.kinds.take_of_pair(row) : typing.kinds.take(row);
  if (!kind) return;
  if (event.length > longest) {
    typing.has_key = typing.is_pair;  // what follows is the value, whatever the key was
    return;
  }
  const auto* const bytes = reinterpret_cast<const std::byte*>(
      tvb_get_ptr(place.tvb, place.offset, to_int(event.length)));
  const TypedValue value = iggy::decode::read_typed(*kind, {bytes, event.length});
  const bool is_secret = iggy::describe::is_secret(row);
  const bool is_hidden = is_secret && !show_secrets();
  // A text is its own value.
  if (!is_secret && row.kind != iggy::describe::Kind::text)
    add_text(place, row, value, event.length);
  if (!typing.is_pair) return;
  if (!typing.has_key) typing.option = iggy::option_of(row, value.text());
  if (place.is_visible) append(place, typing, value, is_hidden);
  typing.has_key = true;
}

}  // namespace plugin
