// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The reasons of evictions that code asks for. Their names are in registry.hpp.
#pragma once

#include <cstdint>

// Why a server ends a session; only the reasons that code asks for, all have names in
// eviction_reasons. Source: EvictionReason in core/binary_protocol/src/consensus.
namespace iggy::reason {

inline constexpr std::uint8_t no_session = 1;
inline constexpr std::uint8_t client_release_too_low = 2;
inline constexpr std::uint8_t client_release_too_high = 3;
inline constexpr std::uint8_t invalid_request_operation = 4;
inline constexpr std::uint8_t invalid_request_body = 5;
inline constexpr std::uint8_t invalid_request_body_size = 6;
inline constexpr std::uint8_t session_too_low = 7;
inline constexpr std::uint8_t session_release_mismatch = 8;
inline constexpr std::uint8_t invalid_credentials = 9;
inline constexpr std::uint8_t invalid_token = 10;
inline constexpr std::uint8_t user_inactive = 11;
inline constexpr std::uint8_t session_error = 12;
inline constexpr std::uint8_t stale_client = 13;
inline constexpr std::uint8_t incompatible_protocol = 14;
inline constexpr std::uint8_t malformed_login = 15;

}  // namespace iggy::reason
