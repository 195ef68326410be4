// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// How much memory each part of a run may take. Every bound that depends on --memory-limit follows
// from here; what each part does at its bound is said in ARCHITECTURE.md.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace analyzer::capture {

struct MemoryPlan {
  static constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;
  static constexpr std::uint64_t usual = 512 * mebibyte;
  static constexpr std::uint64_t least = 64 * mebibyte;

  explicit constexpr MemoryPlan(std::uint64_t limit = usual)
      : shared(std::max(limit, least) - before_the_first_packet) {}

  // Segments above holes.
  constexpr std::uint64_t reordering() const { return shared / 64 * 4; }
  // Connections with all that is kept of them, bodies under way apart.
  constexpr std::uint64_t connections() const { return shared / 64 * 30; }
  // Bodies of frames under way; at the usual limit one of the largest that there are.
  constexpr std::uint64_t bodies() const { return shared / 64 * 9; }
  // Buffers and decompressors of what reads files, and secrets that files carry.
  constexpr std::uint64_t files() const { return shared / 64 * 8; }
  // What files may take of connections() where their windows are large; with that a file has the
  // largest window there is, at the usual limit.
  constexpr std::uint64_t lent_to_files() const { return shared / 64 * 12; }
  // Fragments of IP packets.
  constexpr std::uint64_t fragments() const { return shared / 64; }
  // Lines that wait to be written, and one line of JSON, each.
  constexpr std::uint64_t lines() const { return shared / 64 * 3; }
  // Rows of messages that wait to be written, and one more that is as large as a body.
  constexpr std::uint64_t rows() const { return bodies(); }
  // Logins and evictions of the connections in a report.
  constexpr std::uint64_t logins() const { return shared / 64 * 2; }
  // Entries of a table that has `at_usual` at the usual limit, and never more.
  constexpr std::size_t entries(std::size_t at_usual) const {
    constexpr std::uint64_t usual_share = usual - before_the_first_packet;
    return std::min(at_usual,
                    static_cast<std::size_t>(at_usual * (shared >> 10) / (usual_share >> 10)));
  }

 private:
  // The program and its libraries.
  static constexpr std::uint64_t before_the_first_packet = 16 * mebibyte;
  std::uint64_t shared;
};

// A bound that several owners share.
class MemoryPool {
 public:
  explicit MemoryPool(std::uint64_t limit) : limit_(limit) {}
  // False: there is no room, and nothing was taken.
  bool take(std::uint64_t bytes) {
    if (bytes > left()) return false;
    used_ += bytes;
    return true;
  }
  void give_back(std::uint64_t bytes) { used_ -= bytes; }
  // Never below what is taken.
  void limit_to(std::uint64_t limit) { limit_ = std::max(limit, used_); }
  // Whoever keeps memory only to need none later gives it back.
  bool is_tight() const { return used_ > limit_ / 4; }
  std::uint64_t used() const { return used_; }
  std::uint64_t left() const { return limit_ - used_; }

 private:
  std::uint64_t limit_;
  std::uint64_t used_ = 0;
};

}  // namespace analyzer::capture
