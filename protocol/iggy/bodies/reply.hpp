// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Whole bodies of replies, keyed as JSON keys them.
//
// Committed replies begin with a result section; where it reports an error nothing follows it
// (login::rejection).
#pragma once

#include <array>

#include "describe/field.hpp"
#include "iggy/frame.hpp"
#include "iggy/login.hpp"

namespace iggy::bodies {

using describe::Field;
using describe::Layout;

// clang-format off

consteval std::array<Field, 1> with_payload(const Layout& payload) {
  return {describe::group("payload", payload, "What was asked for")};
}
consteval std::array<Field, 2> with_result(const Layout& payload) {
  return joined(login::result_row, with_payload(payload));
}

// What there is to say where something was done and nothing is told of it.
inline constexpr Layout nothing{"nothing", "Nothing", {}};
inline constexpr auto done_rows = with_result(nothing);
inline constexpr Layout done{"reply_body", "Reply Without Payload", done_rows};

// clang-format on

}  // namespace iggy::bodies
