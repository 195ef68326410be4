// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Puts the fragments of IP packets together, in whatever order they come.
//
// Two copies of the same bytes are one. Where two differ, nothing is made of both: the fragments so
// far are dropped, and the one that shows it begins another packet, as where a sender gives all
// packets the same number. Such a packet is doubtful, and so is one whose fragments came far apart:
// its fragments may be of two packets, and who can see its checksum may take it back. A packet that
// is complete is remembered for a while, so that copies of its fragments do not begin another one.
// Bytes that a snap length cut stay missing: what is put together then has its length, and its
// bytes up to the first missing one.
//
// Bounds: `FragmentLimits`. The oldest packet goes first. Work: each fragment costs its own bytes
// and a logarithm of those that wait; the tables are ordered, so nobody can make them collide.
// It must not know what is inside the packets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <variant>
#include <vector>

#include "capture/layers.hpp"
#include "capture/memory.hpp"
#include "capture/packet.hpp"

namespace analyzer::capture {

// The two ends of an IP packet.
struct Hosts {
  Address from;
  Address to;
  friend bool operator==(const Hosts&, const Hosts&) = default;
  friend auto operator<=>(const Hosts&, const Hosts&) = default;
};

struct FragmentLimits {
  std::size_t packets = 4'096;                     // that wait or are remembered
  std::uint64_t bytes = MemoryPlan().fragments();  // of them, with what keeping one costs
  std::size_t pieces = 256;                        // of one packet; 120 at an MTU of 576
  std::int64_t nanoseconds = 30'000'000'000;       // of capture time since the first fragment
  std::int64_t apart = 1'000'000'000;  // since then a packet is doubtful; they are sent at once
};

// The fragments of one packet have the same. In a tunnel, addresses and numbers are those of
// whoever uses it, so the tunnel belongs to it; fragments go one way, on which a tunnel has one
// number.
struct FragmentKey {
  Hosts hosts;
  std::uint32_t identification = 0;
  std::uint8_t protocol = 0;  // of IPv4; 0 for IPv6, where each fragment may say another
  Hosts tunnel;               // zeros: none
  std::uint32_t tunnel_id = 0;
  friend bool operator==(const FragmentKey&, const FragmentKey&) = default;
  friend auto operator<=>(const FragmentKey&, const FragmentKey&) = default;
};

struct Fragment {
  std::uint8_t protocol = 0;  // of what is inside, as this fragment has it
  std::uint32_t offset = 0;
  bool more = false;  // follow
  Bytes captured;
  std::uint32_t length = 0;  // as sent
};

// A packet behind its IP header.
struct WholePacket {
  Bytes captured;
  std::uint32_t length = 0;
  std::uint8_t protocol = 0;  // as the first fragment has it
  bool is_doubtful = false;
};

// Of packets in the capture, each of which brought a fragment.
struct FragmentCounts {
  std::uint64_t incomplete = 0;   // of IP packets that never became whole
  std::uint64_t overlapping = 0;  // of IP packets dropped for one that contradicts them
  std::uint64_t given_up = 0;     // IP packets, to stay within the limits
};

class Fragments {
 public:
  explicit Fragments(const FragmentLimits& limits = {}) : limits_(limits) {}

  // The whole packet, if this is the last fragment that it needs; its bytes live until
  // `release_whole`.
  using Result = std::variant<Skipped, Held, WholePacket>;
  Result add(const FragmentKey& key, const Fragment& fragment, const Packet& packet);
  // The whole packet that `fragment` completed is none; the fragment begins another one.
  void take_back(const FragmentKey& key, const Fragment& fragment);
  void release_whole() {
    if (!wholes_.empty()) wholes_.clear();
  }
  // Counts what still waits as incomplete.
  void finish();

  const FragmentCounts& counts() const { return counts_; }
  std::size_t bytes() const { return bytes_; }
  std::size_t packets() const { return waiting_.size(); }

 private:
  struct Piece {
    std::vector<std::byte> captured;
    std::uint32_t length = 0;
  };
  struct Waiting {
    std::map<std::uint32_t, Piece> pieces;  // by offset; none overlap
    std::uint32_t gathered = 0;             // bytes as sent
    std::uint32_t end = 0;                  // of the furthest piece
    std::uint32_t total = 0;                // known when the last piece came; else 0
    std::uint64_t fragments = 0;
    std::int64_t began = 0;
    bool is_complete = false;
    bool is_doubtful = false;
    std::uint8_t protocol = 0;
    std::list<const FragmentKey*>::iterator age;
  };
  using Table = std::map<FragmentKey, Waiting>;

  Waiting& waiting_for(const FragmentKey& key);
  static bool contradicts(const Waiting& waiting, const Fragment& fragment);
  void keep(Waiting& waiting, const Fragment& fragment);
  void keep_piece(Waiting& waiting, const Fragment& fragment, std::uint32_t begin,
                  std::uint32_t end);
  WholePacket join(const Waiting& waiting);
  void restart(Waiting& waiting);
  void free_pieces(Waiting& waiting);
  void forget(Table::iterator entry);
  void give_up(Table::iterator entry);
  void forget_old();
  void stay_within_limits();

  FragmentLimits limits_;
  Table waiting_;
  std::list<const FragmentKey*> ages_;  // the oldest first
  std::vector<std::vector<std::byte>> wholes_;
  FragmentCounts counts_;
  std::size_t bytes_ = 0;
  std::int64_t now_ = 0;  // never goes back, whatever the clock of the capture does
};

}  // namespace analyzer::capture
