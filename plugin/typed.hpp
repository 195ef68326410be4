// SPDX-License-Identifier: GPL-2.0-or-later
//
// The text of keys and values whose kind stands in front of them: a field of their own, and the
// line of the pair. Secrets have neither unless the preference asks.
#pragma once

#include <cstdint>
#include <type_traits>

#include "decode/typed_value.hpp"
#include "iggy/options.hpp"
#include "plugin/epan.hpp"
#include "plugin/tape.hpp"

namespace plugin {

// What a layout that is open has told of kinds and keys.
struct Typing {
  bool is_pair = false;  // a key and a value; else what is typed stands alone
  bool has_key = false;
  iggy::decode::NextKind kinds;
  const iggy::Option* option = nullptr;  // null: the key is not that of a known option
};
static_assert(std::is_trivially_destructible_v<Typing>);

// Where the text goes.
struct TypedPlace {
  tvbuff_t* tvb = nullptr;
  packet_info* pinfo = nullptr;
  proto_tree* tree = nullptr;
  proto_item* item = nullptr;  // whose subtree it is
  int offset = 0;              // of the value in the tvb
  bool is_visible = false;     // labels are read by somebody
};

// Takes note of a kind, and shows what it is about. To be told of every value in turn, when its own
// item has been added.
void show_typed(const TypedPlace& place, Typing& typing, const Event& event);

}  // namespace plugin
