// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Rows that stand there in one case of several, where the facts about bodies have one field for
// all.
#pragma once

#include <algorithm>
#include <string_view>

#include "describe/field.hpp"

namespace support {

// A value that is secret where a key says so: the schema has it once.
inline bool is_secret_case(const iggy::describe::Field& row) {
  return row.privacy == iggy::describe::Privacy::secret &&
         (row.when == iggy::describe::When::equal || row.when == iggy::describe::When::having);
}

// The same of what identifies a thing in some cases only.
inline bool is_identified_case(const iggy::describe::Layout& layout,
                               const iggy::describe::Field& row) {
  const auto is_other = [&row](const iggy::describe::Field& other) {
    return other.name == row.name && other.when == iggy::describe::When::otherwise;
  };
  return row.when == iggy::describe::When::equal && row.thing != iggy::describe::Thing::none &&
         std::any_of(layout.fields.begin(), layout.fields.end(), is_other);
}

// The same of bytes that are another layout where a kind says so, and of what older builds list.
inline bool is_case(const iggy::describe::Layout& layout, const iggy::describe::Field& row) {
  const bool is_known_kind = row.when == iggy::describe::When::equal &&
                             row.kind == iggy::describe::Kind::bytes && row.layout != nullptr;
  return is_secret_case(row) || is_identified_case(layout, row) || is_known_kind ||
         row.when == iggy::describe::When::exact;
}

inline bool has_case(const iggy::describe::Layout& layout, std::string_view name) {
  return std::any_of(layout.fields.begin(), layout.fields.end(),
                     [&layout, name](const iggy::describe::Field& row) {
                       return row.name == name && is_case(layout, row);
                     });
}

}  // namespace support
