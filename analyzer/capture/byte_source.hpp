// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Where the bytes of a capture come from: a file, a pipe or standard input.
//
// A source hands out bytes as they arrive and knows nothing of what they mean. It is an interface
// so that a decompressor, or a test that hands out one byte at a time, can stand in its place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace analyzer::capture {

// Why a source gives nothing more although its input does not end as it should.
struct ReadError {
  enum class Kind : std::uint8_t {
    none,
    system,   // the system could not read
    cut,      // what the file holds ends too early
    damaged,  // what the file holds makes no sense
    memory,   // reading on takes more memory than there is for files
  };
  Kind kind = Kind::none;
  std::string reason;
  std::uint64_t offset = 0;  // in the file, where the kind is not `system`

  explicit operator bool() const { return kind != Kind::none; }
};

struct ReadResult {
  std::size_t bytes = 0;  // 0 without an error: the end
  ReadError error;        // only where there are no bytes
};

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills the start of `into` (which is not empty) with what is there, and waits only when nothing
  // is: a reader of a live pipe must see each packet when it arrives.
  virtual ReadResult read(std::span<std::byte> into) = 0;
};

// Opens a file, or standard input for "-". Gives null and the system's reason when it cannot.
std::unique_ptr<ByteSource> open_byte_source(const std::string& path, std::string& error);

}  // namespace analyzer::capture
