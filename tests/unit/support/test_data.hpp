// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Where the files are that tests read. One source file alone knows the path of the checkout, so
// that the others compile alike wherever it is.
#pragma once

#include <string>
#include <string_view>

namespace support {

// The path of a file or folder of tests/data.
std::string test_data(std::string_view name);
// The folder of samples.
std::string samples();

}  // namespace support
