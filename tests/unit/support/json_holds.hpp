// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Compares what was decoded with what was put in: more may be told than a test has set.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>

namespace support {

// Whether all of `wanted` stands in `told`.
inline bool holds(const nlohmann::ordered_json& told, const nlohmann::ordered_json& wanted) {
  if (wanted.is_object()) {
    for (const auto& [key, value] : wanted.items())
      if (!told.contains(key) || !holds(told[key], value)) return false;
    return true;
  }
  if (!wanted.is_array()) return told == wanted;
  if (told.size() != wanted.size()) return false;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (!holds(told[i], wanted[i])) return false;
  return true;
}

}  // namespace support
