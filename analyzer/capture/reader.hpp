// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Reads pcap and pcapng files, and standard input, packet by packet.
//
// pcap in every variant that tcpdump and Wireshark read; pcapng with several sections, interfaces,
// link types, snap lengths and time resolutions; either compressed with gzip, zstd or lz4. Unknown
// blocks are skipped; a whole capture behind another is read as its continuation. No length from a
// file is believed before it is checked against a limit. Memory is bounded, whatever the file. It
// must not look into packets, nor recover behind a damaged record by guessing.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "capture/decompress.hpp"
#include "capture/packet.hpp"

namespace analyzer::capture {

// How reading a file ended.
enum class Status : std::uint8_t {
  more,        // `next` filled in a packet
  end,         // the file ended where it should
  truncated,   // the last record is cut off; everything before it was good
  damaged,     // a record makes no sense; everything before it was good
  unreadable,  // not a capture, or not to be opened; no packet at all
};

struct Problem {
  Status status = Status::end;
  std::string file;
  std::uint64_t offset = 0;  // of the record that is wrong, in bytes from the start of the file
  std::string reason;        // a sentence without a full stop
  // With `unreadable`: the first bytes show that there are no packets in the file, of whatever
  // form.
  bool is_no_capture = false;
  // Nothing is wrong with the file, but reading it took more memory than was left.
  bool lacks_memory = false;
};

// Secrets that a pcapng file carries, to decrypt what it holds.
struct Secrets {
  static constexpr std::uint32_t tls_key_log = 0x544c534b;
  std::uint32_t type = 0;  // as in the Decryption Secrets Block
  std::string data;
};

class Reader {
 public:
  // `path` is a file name, or "-" for standard input. Never throws for what a file holds: `next`
  // says `unreadable` then. `first_number` is the number that the first packet gets.
  explicit Reader(std::string path, std::uint64_t first_number = 1, Resources resources = {});
  // Reads from memory; `bytes` must outlive the reader. For tests and fuzzing.
  Reader(std::string name, Bytes bytes, std::uint64_t first_number = 1, Resources resources = {});
  ~Reader();
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // Fills in the next packet, a view that is valid until the next call. Anything but `more` is
  // final.
  Status next(Packet& packet);

  // What ended the reading; status `end` when nothing was wrong.
  const Problem& problem() const;
  // "pcap", "pcap (nanoseconds)" or "pcapng"; empty before the first call of `next`.
  std::string_view format() const;
  // "gzip", "zstd" or "lz4"; empty where the file is not compressed, or was not looked at yet.
  std::string_view compression() const;
  // How many whole captures followed so far behind the first one, as `cat` joins them.
  std::uint64_t joined_files() const;
  // What reading may take from the budget by what the file said when it was opened.
  std::uint64_t most_memory() const;
  // Those that stood before the packets read so far, in the order of the file. They are bounded,
  // and `dropped_secrets` counts the blocks that were not kept.
  std::span<const Secrets> secrets() const;
  std::uint64_t dropped_secrets() const;
  // The number that the first packet of the next file gets. After the end this may be above the
  // last packet's number plus one: Wireshark also numbers some blocks that hold no packet.
  std::uint64_t next_number() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace analyzer::capture
