// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// How many of the rounds of a long test a build takes: all, or a tenth where a sanitizer makes each
// ten times as long. What proves each case of a kind does so in the other builds.
#pragma once

#include <cstddef>

namespace support {

#ifdef __SANITIZE_ADDRESS__
inline constexpr int effort_divisor = 10;
#else
inline constexpr int effort_divisor = 1;
#endif

// Which of many cases are looked at: all, or one in eleven, which comes by every bit of a byte.
inline constexpr std::size_t sampling_step = effort_divisor == 1 ? 1 : 11;

// COUNT, or a tenth of it, but never nothing.
template <typename Count>
constexpr Count rounds_of(Count count) {
  return count / effort_divisor > 0 ? static_cast<Count>(count / effort_divisor) : Count{1};
}

}  // namespace support
