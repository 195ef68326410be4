// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What a file is that is no pcap and no pcapng, by its first bytes, and what to do about it.
//
// It must not read anything itself, and it names only what the bytes show.
#pragma once

#include <cstddef>
#include <string>

#include "capture/packet.hpp"

namespace analyzer::capture {

// So many first bytes are looked at; fewer do where the file has fewer.
constexpr std::size_t file_kind_bytes = 512;

struct FileKind {
  std::string reason;  // a phrase: "it is compressed with xz; unpack it first (xz -d)"
  // Another form of capture, or something that may hold one. Where it is false there is nothing in
  // the file for this program.
  bool may_hold_packets = false;
};

FileKind file_kind(Bytes start);

}  // namespace analyzer::capture
