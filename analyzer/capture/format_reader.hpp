// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What the readers of the single file formats have in common: how they are called, the limits that
// lengths from a file are held against, and how they say that a file ends or is wrong.
//
// Internal to capture/: everything else uses Reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capture/block_source.hpp"
#include "capture/packet.hpp"
#include "capture/reader.hpp"
#include "capture/reservation.hpp"

namespace analyzer::capture {

// No link layer has packets near this size; a larger length is damage, not a packet.
constexpr std::uint32_t maximum_packet_bytes = std::uint32_t{16} << 20;
// Blocks without packets (names, secrets, comments) may be larger, but not without end.
constexpr std::uint32_t maximum_block_bytes = std::uint32_t{64} << 20;

// Secrets are text, some hundred bytes for each connection.
constexpr std::uint64_t maximum_secrets_bytes = std::uint64_t{16} << 20;

class FormatReader {
 public:
  FormatReader(BlockSource& source, std::uint64_t first_number)
      : source_(source), next_number_(first_number) {}
  virtual ~FormatReader() = default;
  FormatReader(const FormatReader&) = delete;
  FormatReader& operator=(const FormatReader&) = delete;

  // Reads what stands before the first packet; called once. Anything but `more` is final and is
  // explained in `problem` (all but the name of the file).
  virtual Status start(Problem& problem) = 0;
  // Fills in the next packet, as Reader::next does.
  virtual Status next(Packet& packet, Problem& problem) = 0;
  virtual std::string_view name() const = 0;

  std::uint64_t next_number() const { return next_number_; }
  // With the status `end`: what follows is another file, as `cat` joins them.
  bool another_begins() const { return another_begins_; }
  // What is kept of the file before this one.
  void continue_after(FormatReader& before);

  // Secrets are taken from this budget; null: they are kept up to a limit all the same.
  void keep_secrets(std::shared_ptr<MemoryPool> budget) {
    secrets_room_ = std::make_unique<Reservation>(std::move(budget));
  }
  std::span<const Secrets> secrets() const { return secrets_; }
  std::uint64_t dropped_secrets() const { return dropped_secrets_; }

 protected:
  void keep(std::uint32_t type, Bytes data);
  static Status fail(Problem& problem, Status status, std::uint64_t offset, std::string reason);
  // The input holds only `present` of the `needed` bytes of what starts at `offset`: truncated, or
  // what the source says where it failed.
  Status cut_short(Problem& problem, std::uint64_t offset, std::string_view what,
                   std::uint64_t needed, std::uint64_t present) const;
  // No byte follows: the end, unless the source failed.
  Status no_more(Problem& problem) const;

  Status source_failed(Problem& problem, std::uint64_t offset) const;
  Status end_before_another(Problem& problem);

  BlockSource& source_;
  std::uint64_t next_number_;

 private:
  std::unique_ptr<Reservation> secrets_room_;
  std::vector<Secrets> secrets_;
  std::uint64_t dropped_secrets_ = 0;
  bool another_begins_ = false;
};

// The first word of a pcapng file, the same in both byte orders.
inline constexpr std::uint32_t pcapng_magic = 0x0a0d0d0a;

// Whether a whole file stands behind what was consumed. What could as well be a packet or a block
// is none: the header must make sense in all its parts, and so must the packet behind it.
bool pcap_begins(BlockSource& source);
bool pcapng_begins(BlockSource& source);

// The formats. Each function gives null when the first bytes are not those of its format.
std::unique_ptr<FormatReader> make_pcap_reader(BlockSource& source, std::uint64_t first_number);
std::unique_ptr<FormatReader> make_pcapng_reader(BlockSource& source, std::uint64_t first_number);

}  // namespace analyzer::capture
