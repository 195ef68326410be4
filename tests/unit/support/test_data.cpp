// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The path of test_data.hpp, as the build defines it.
#include "support/test_data.hpp"

namespace support {

std::string test_data(std::string_view name) {
  return std::string(PROJECT_ROOT "/tests/data/") + std::string(name);
}

std::string samples() {
  return PROJECT_ROOT "/samples";
}

}  // namespace support
