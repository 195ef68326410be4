// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The body of DoViewChange and StartView of 0.11: headers of Prepares.
//
// Their rows are those of the header itself (replication_headers.hpp).
// Source: core/consensus/src and core/binary_protocol/src/consensus/header.rs.
#pragma once

#include <array>

#include "describe/field.hpp"
#include "iggy/frame.hpp"
#include "iggy/v0_11/replication_headers.hpp"

namespace iggy::v0_11 {

// clang-format off

inline constexpr std::string_view prepare_header_subject = "op {op} {operation?}";
inline constexpr auto prepare_header_rows = following(prepare_rows);
inline constexpr Layout prepare_header{"prepare_header", "Header of a Prepare", prepare_header_rows,
    prepare_header_subject};

constexpr Field suffix_headers(const Layout& header) {
  return describe::group("headers", header,
                         "Of the log, highest op first; with an op alone: not known").to_end();
}
inline constexpr auto log_suffix_rows = std::to_array<Field>({suffix_headers(prepare_header)});
inline constexpr Layout log_suffix{"log_suffix", "Log Suffix", log_suffix_rows, "{headers}"};

// clang-format on

}  // namespace iggy::v0_11
