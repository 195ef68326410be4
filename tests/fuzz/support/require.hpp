// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Promises that a fuzz target checks: a broken one ends the program, which libFuzzer reports.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace fuzz {

inline void require(bool promise, const char* what) {
  if (promise) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

}  // namespace fuzz
