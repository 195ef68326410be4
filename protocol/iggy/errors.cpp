// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Looks up error codes. Codes that nobody knows have no name and are no error of ours.
#include "iggy/errors.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "iggy/registry.hpp"

namespace iggy {

std::string_view error_name(std::uint32_t code) {
  const auto* const end = std::end(errors);
  const auto* const found = std::lower_bound(
      std::begin(errors), end, code,
      [](const describe::Name& row, std::uint32_t wanted) { return row.value < wanted; });
  return found != end && found->value == code ? found->text : std::string_view{};
}

}  // namespace iggy
