// SPDX-License-Identifier: GPL-2.0-or-later
//
// Registration of rows.hpp. It runs once, when Wireshark starts; what it makes lives as long as the
// program, as Wireshark demands.
#include "plugin/rows.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <string_view>
#include <utility>

#include "decode/text.hpp"
#include "iggy/frame.hpp"
#include "iggy/layouts.hpp"
#include "plugin/epan.hpp"

namespace plugin {

using iggy::describe::Field;
using iggy::describe::is_number;
using iggy::describe::Kind;
using iggy::describe::Layout;
using iggy::describe::Shape;

namespace {

constexpr std::size_t row_count = [] {
  std::size_t count = 0;
  for (const Layout* const layout : iggy::every_layout) count += layout->fields.size();
  return count;
}();

// Two rows of one field are the same but for their place, their meaning and the names of numbers.
// What is secret in one case and open in another has two fields.
constexpr bool fit_one_field(const Field& a, const Field& b) {
  const auto is_bytes = [](const Field& row) {
    return !is_number(row) && row.kind != Kind::f32 && row.kind != Kind::text &&
           !iggy::describe::nests_layout(row);
  };
  if (is_secret(a) != is_secret(b)) return true;
  const bool both_bytes = is_bytes(a) && is_bytes(b);
  return (a.kind == b.kind || both_bytes) && a.shape == b.shape && a.privacy == b.privacy;
}

constexpr bool share_fields(const Layout& a, const Layout& b) {
  for (const Field& one : a.fields)
    for (const Field& other : b.fields)
      if (one.name == other.name && !fit_one_field(one, other)) return false;
  return true;
}

// Layouts that share a name agree on every row that they share, so that a filter means one thing.
// A few at a time, since the compiler's patience is bounded.
constexpr std::size_t at_once = 64;
template <std::size_t begin>
constexpr bool agree_with_earlier = [] {
  const Layout* const* const all = iggy::every_layout.data();
  const std::size_t end = std::min(begin + at_once, iggy::every_layout.size());
  for (std::size_t i = begin; i < end; ++i) {
    const std::string_view name = all[i]->name;
    const std::size_t length = name.size();
    for (std::size_t j = 0; j < i; ++j) {
      // Few have names of one length.
      if (all[j]->name.size() != length || all[j]->name != name) continue;
      if (!share_fields(*all[i], *all[j])) return false;
    }
  }
  return true;
}();
static_assert([]<std::size_t... part>(std::index_sequence<part...>) {
  return (agree_with_earlier<part * at_once> && ...);
}(std::make_index_sequence<(iggy::every_layout.size() + at_once - 1) / at_once>{}));

// What the registration below relies on: epan names no number of 64 bits by a table of 32, formats
// versions as 32 bits, and a secret is told by its length.
static_assert([] {
  for (const Layout* const layout : iggy::every_layout)
    for (const Field& row : layout->fields) {
      if (!row.names.empty() && row.kind == Kind::u64) return false;
      if (row.shape == Shape::version && row.kind != Kind::u32) return false;
      const bool is_time = row.shape == Shape::microseconds || row.shape == Shape::duration;
      if (is_time && row.kind != Kind::u64) return false;
      if (row.shape == Shape::uuid && row.kind != Kind::u128) return false;
      if (is_secret(row) && is_number(row)) return false;
    }
  return true;
}());

// Of each such row a second field is registered: what is secret in clear, or what is typed as text.
constexpr bool has_second_field(const Layout& layout, const Field& row) {
  return is_secret(row) || is_typed(layout, row);
}

constexpr std::size_t second_count = [] {
  std::size_t count = 0;
  for (const Layout* const layout : iggy::every_layout)
    for (const Field& row : layout->fields)
      if (has_second_field(*layout, row)) ++count;
  return count;
}();

// One field, by the row that named it.
struct Slot {
  int id = -1;
  int second_id = -1;  // of a secret: its value; of a typed value: its text
  const Layout* layout = nullptr;
  const Field* row = nullptr;
  const char* label = nullptr;
  bool is_common = false;
};

// The rows of one layout, which stand side by side.
struct Block {
  const Field* begin = nullptr;
  std::size_t first = 0;  // what its first row is in `slot_of_row`
};

std::array<Slot, row_count> slots;
std::size_t slot_count = 0;
std::array<std::uint16_t, row_count> slot_of_row;
std::array<Block, iggy::every_layout.size()> blocks;  // by address
std::array<hf_register_info, row_count + second_count> infos;
std::size_t info_count = 0;

// Rows that any header may have and that mean the same in each: those that headers begin with, and
// three more. What has one of the names and another width (the status of a handshake) is none.
bool is_common_row(const Field& row) {
  if (row.offset == iggy::describe::next) return false;
  const auto same_name = [&row](const Field& other) { return other.name == row.name; };
  if (std::any_of(iggy::frame_rows.begin(), iggy::frame_rows.end(), same_name)) return true;
  return (row.name == "operation" && row.kind == Kind::u8) ||
         ((row.name == "code" || row.name == "status") && row.kind == Kind::u32);
}

bool is_abbreviation(std::string_view word) {
  static constexpr std::string_view words[] = {"id", "mac", "sdk",  "os",
                                               "ip", "tcp", "quic", "http"};
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

// "client_id" is "Client ID".
const char* make_label(std::string_view name) {
  char* const label = pooled(wmem_epan_scope(), name);
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t end = std::min(name.find('_', begin), name.size());
    const std::size_t capitals = is_abbreviation(name.substr(begin, end - begin)) ? end : begin + 1;
    for (std::size_t i = begin; i < capitals; ++i) label[i] = g_ascii_toupper(label[i]);
    if (end < name.size()) label[end] = ' ';
    begin = end + 1;
  }
  return label;
}

// A secret whose row is open in other cases must not give its field away.
bool is_secret_case(const Slot& slot) {
  if (!is_secret(*slot.row)) return false;
  const auto is_open = [&slot](const Field& row) {
    return row.name == slot.row->name && !is_secret(row);
  };
  const auto& rows = slot.layout->fields;
  return std::any_of(rows.begin(), rows.end(), is_open);
}

const char* make_filter(const Slot& slot) {
  const auto name = slot.row->name;
  if (slot.is_common)
    return wmem_strdup_printf(wmem_epan_scope(), "iggy.%.*s", static_cast<int>(name.size()),
                              name.data());
  const auto layout = slot.layout->name;
  return wmem_strdup_printf(wmem_epan_scope(), "iggy.%.*s.%s%.*s", static_cast<int>(layout.size()),
                            layout.data(), is_secret_case(slot) ? "secret." : "",
                            static_cast<int>(name.size()), name.data());
}

Slot& slot_for(const Layout& layout, const Field& row) {
  const bool is_common = is_common_row(row);
  const auto is_same = [&](const Slot& slot) {
    return slot.row->name == row.name && slot.is_common == is_common &&
           (is_common ||
            (slot.layout->name == layout.name && is_secret(*slot.row) == is_secret(row)));
  };
  const auto end = slots.begin() + static_cast<long>(slot_count);
  const auto found = std::find_if(slots.begin(), end, is_same);
  if (found != end) return *found;
  ++slot_count;
  found->layout = &layout;
  found->row = &row;
  found->is_common = is_common;
  return *found;
}

void place_rows() {
  std::size_t at = 0;
  std::size_t block = 0;
  for (const Layout* const layout : iggy::every_layout) {
    blocks[block++] = {layout->fields.data(), at};
    for (const Field& row : layout->fields)
      slot_of_row[at++] = static_cast<std::uint16_t>(&slot_for(*layout, row) - slots.data());
  }
  std::sort(blocks.begin(), blocks.end(),
            [](const Block& a, const Block& b) { return std::less<>{}(a.begin, b.begin); });
}

Slot& slot_of(const Field& row) {
  const auto after = std::upper_bound(
      blocks.begin(), blocks.end(), &row,
      [](const Field* wanted, const Block& block) { return std::less<>{}(wanted, block.begin); });
  const Block& block = *(after - 1);
  return slots[slot_of_row[block.first + static_cast<std::size_t>(&row - block.begin)]];
}

// The names of all rows that share the field, in order of value, and a terminator. Where two
// generations name a number differently, the older name stays.
wmem_array_t* names_of(const Slot& slot) {
  wmem_array_t* const names = wmem_array_new(wmem_epan_scope(), sizeof(value_string));
  std::size_t at = 0;
  for (const Layout* const layout : iggy::every_layout)
    for (const Field& row : layout->fields) {
      if (&slots[slot_of_row[at++]] != &slot) continue;
      for (const iggy::describe::Name& name : row.names) {
        auto* const begin = static_cast<value_string*>(wmem_array_get_raw(names));
        auto* const end = begin + wmem_array_get_count(names);
        const bool is_there = std::any_of(
            begin, end, [&name](const value_string& known) { return known.value == name.value; });
        if (is_there) continue;
        const value_string added{name.value, pooled(wmem_epan_scope(), name.text)};
        wmem_array_append(names, &added, 1);
      }
    }
  auto* const begin = static_cast<value_string*>(wmem_array_get_raw(names));
  std::sort(begin, begin + wmem_array_get_count(names),
            [](const value_string& a, const value_string& b) { return a.value < b.value; });
  const value_string terminator{0, nullptr};
  wmem_array_append(names, &terminator, 1);
  return names;
}

void format_version(gchar* text, guint32 value) {
  g_strlcpy(text, iggy::decode::version_text({value}).c_str(), ITEM_LABEL_LENGTH);
}

ftenum_t type_of(const Field& row) {
  if (is_secret(row)) return FT_UINT32;
  switch (row.kind) {
    case Kind::u8:
      return FT_UINT8;
    case Kind::u16:
      return FT_UINT16;
    case Kind::u32:
      return FT_UINT32;
    case Kind::u64:
      return FT_UINT64;
    case Kind::f32:
      return FT_FLOAT;
    case Kind::text:
      return FT_STRING;
    case Kind::u128:
    case Kind::zero:
    case Kind::bytes:
    case Kind::rest:
      return FT_BYTES;
    case Kind::group:
      return is_counted_text(row) ? FT_STRING : FT_NONE;
  }
  return FT_NONE;
}

int base_of(const Field& row) {
  if (is_secret(row)) return BASE_DEC;
  // Else Wireshark calls bytes that are none "missing".
  if (type_of(row) == FT_BYTES) return BASE_NONE | BASE_ALLOW_ZERO;
  if (!is_number(row)) return BASE_NONE;
  if (row.shape == Shape::version) return BASE_CUSTOM;
  return row.shape == Shape::hex ? BASE_HEX : BASE_DEC;
}

// A field whose numbers have names shows others as numbers: a newer peer is not an error.
void add_names(header_field_info& info, const Slot& slot) {
  constexpr unsigned few = 16;  // are found by trying each
  wmem_array_t* const names = names_of(slot);
  const unsigned count = wmem_array_get_count(names);
  if (count == 1) return;
  info.display |= BASE_SPECIAL_VALS;
  const auto* const table = static_cast<const value_string*>(wmem_array_get_raw(names));
  if (count <= few) {
    info.strings = table;
    return;
  }
  info.display |= BASE_EXT_STRING;
  info.strings = make_value_string_ext(table, count, info.abbrev);
}

void add_info(int& id, const char* label, const char* filter, ftenum_t type, int display,
              const void* strings, const char* blurb) {
  infos[info_count++] = {&id, {label, filter, type, display, strings, 0, blurb, HFILL}};
}

void add_row(Slot& slot) {
  const Field& row = *slot.row;
  const char* const filter = make_filter(slot);
  slot.label = make_label(row.name);
  const char* const blurb =
      row.meaning == slot.label ? nullptr : pooled(wmem_epan_scope(), row.meaning);
  add_info(slot.id, slot.label, filter, type_of(row), base_of(row), nullptr, blurb);
  header_field_info& info = infos[info_count - 1].hfinfo;
  if (row.shape == Shape::version)
    info.strings = CF_FUNC(format_version);
  else if (is_number(row))
    add_names(info, slot);
  if (is_secret(row)) {
    const ftenum_t type = row.kind == Kind::text ? FT_STRING : FT_BYTES;
    info.blurb = wmem_strdup_printf(wmem_epan_scope(), "%s, by its length in bytes", blurb);
    add_info(slot.second_id, wmem_strdup_printf(wmem_epan_scope(), "%s in Clear", slot.label),
             wmem_strdup_printf(wmem_epan_scope(), "%s_clear", filter), type, BASE_NONE, nullptr,
             blurb);
  } else if (is_typed(*slot.layout, row)) {
    add_info(slot.second_id, wmem_strdup_printf(wmem_epan_scope(), "%s Text", slot.label),
             wmem_strdup_printf(wmem_epan_scope(), "%s.text", filter), FT_STRING, BASE_NONE,
             nullptr, wmem_strdup_printf(wmem_epan_scope(), "%s, as people read it", slot.label));
  }
}

}  // namespace

void register_rows(int protocol) {
  place_rows();
  for (Slot& slot : slots) {
    if (slot.row == nullptr) break;
    add_row(slot);
  }
  proto_register_field_array(protocol, infos.data(), static_cast<int>(info_count));
}

int id_of(const Field& row) {
  return slot_of(row).id;
}

int clear_id_of(const Field& row) {
  return slot_of(row).second_id;
}

int text_id_of(const Field& row) {
  return slot_of(row).second_id;
}

bool is_counted_text(const Field& row) {
  if (row.kind != Kind::group || is_list(row) || row.layout->fields.size() != 2) return false;
  const Field& text = row.layout->fields[1];
  return text.kind == Kind::text && !is_secret(text);
}

const char* label_of(const Field& row) {
  return slot_of(row).label;
}

}  // namespace plugin
