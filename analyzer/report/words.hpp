// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// How versions, durations, error codes and clients are written for people, in one place.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "capture/layers.hpp"
#include "connection/connection.hpp"
#include "connection/frame.hpp"
#include "iggy/version.hpp"

namespace analyzer::report {

// "0.11.0"; "0.11.0+bits" where bits 30 or 31 are set, which no version has.
std::string to_text(iggy::Version version);
// "0.11.x" where the window's rule ignores patches, "exactly 0.12.2", else "0.11.0 to 0.12.2".
std::string to_text(iggy::VersionWindow window);
// "0.5 ms", "26.2 ms", "3.3 s", "2 min 5 s"; microseconds in.
std::string duration_text(std::uint64_t microseconds);
// "4 InvalidFormat", or the number alone.
std::string error_text(std::uint32_t code);
// "14 IncompatibleProtocol".
std::string reason_text(std::uint8_t reason);
// The stable word for a reason to skip a packet, and a sentence of it without a full stop.
std::string_view word_of(capture::Skipped reason);
std::string_view sentence_of(capture::Skipped reason);
// " (LINKTYPE 105, 127, ...)", by their numbers.
std::string link_types_text(const std::map<std::uint16_t, std::uint64_t>& link_types);
// "1 connection", "3 connections".
std::string counted(std::uint64_t count, std::string_view singular);
// Text from the wire, safe for a terminal: control bytes and invalid UTF-8 become \xNN.
std::string printable(std::string_view text);
// The same in quotes, as lines have it (conversation/line.hpp).
std::string quoted(std::string_view text);
// The text that a line shows in quotes (conversation/line.hpp); nothing where it is not whole.
std::optional<std::string> from_quotes(std::string_view quoted);
// "rust-sdk 0.11.0, protocol 0.11.0", as far as the login tells; empty when it tells nothing.
std::string client_text(const connection::LoginRecord& login);
// The latest one of the connection; null where there is none.
const connection::LoginRecord* last_login(const connection::Connection& connection);
// "127.0.0.1:47694 (rust-sdk 0.11.0, protocol 0.11.0)"; `login` may be null.
std::string client_text(const connection::Connection& connection,
                        const connection::LoginRecord* login);
// "topic.create orders/invoices partitions=3": a request that was told of with its subject.
std::string asked_text(const connection::Request& request);
// What makes clients alike: host, SDK and server; not the port, which changes with each connection.
std::string alike_text(const connection::Connection& connection,
                       const connection::LoginRecord* login);

}  // namespace analyzer::report
