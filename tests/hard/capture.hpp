// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Makes captures with everything that TCP and capture tools do to a conversation, and tells what is
// true of them.
//
// A Conversation is who said what; `plan` turns it into the packets of a sane connection. A test
// then swaps, drops, repeats or damages packets of that list, `to_pcap` writes what is left of them
// as a file, and `truth_of` reads off the same list what the file holds: the bytes that it shows,
// the holes, and the frames. The model keeps one entry for each byte and knows nothing of how the
// code under test works. The same plan gives the same bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/capture_builder.hpp"
#include "support/packet_builder.hpp"

namespace support::hard {

// Sides: who dialed, and who accepted. A side is also its index.
constexpr std::size_t client = 0;
constexpr std::size_t server = 1;

// What one side says before the other one speaks.
struct Turn {
  std::size_t side = client;
  Buffer bytes;
};

struct Conversation {
  Endpoint client_endpoint = ipv4_endpoint(10, 0, 0, 1, 50'000);
  Endpoint server_endpoint = ipv4_endpoint(10, 0, 0, 2, 8'090);
  std::vector<Turn> turns;

  Buffer stream(std::size_t side) const;
  // Where the turn begins in which the side says the byte before `end`.
  std::int64_t turn_begin(std::size_t side, std::int64_t end) const;
};

// A login, then pings, writes and reads, with bodies of up to `longest` bytes; several requests in
// one turn now and then.
Conversation usual_conversation(std::size_t exchanges = 6, std::size_t longest = 1'500,
                                unsigned seed = 1);

// One packet of the plan. `at` and `acknowledged` are places in the streams of sender and receiver,
// which count from the first byte.
struct Planned {
  std::size_t side = client;
  TcpFlags flags{.ack = true};
  std::int64_t at = 0;
  std::int64_t acknowledged = 0;
  Buffer payload{};
  // What happens to it on its way into the file.
  std::int64_t time = 0;                // nanoseconds behind the first packet
  std::optional<std::uint32_t> snap{};  // bytes of the packet that are kept
  bool without_length = false;          // total length 0, as segmentation offload leaves it
  bool has_tag = false;                 // of a VLAN
  bool has_bad_checksum = false;
  std::int32_t stray = 0;  // added to its numbers, which makes it another's

  // A SYN takes a number before the bytes that it may carry.
  std::int64_t begin() const { return at + (flags.syn ? 1 : 0); }
  std::int64_t end() const { return begin() + static_cast<std::int64_t>(payload.size()); }
};

struct Plan {
  const Conversation* conversation = nullptr;
  std::array<std::uint32_t, 2> isn{1'000, 900'000};  // numbers of the SYNs
  std::vector<Planned> packets;

  // Indices of the packets of a side that carry bytes.
  std::vector<std::size_t> with_payload(std::size_t side) const;
};

struct Shape {
  std::size_t segment = 700;  // bytes of the longest one
  bool handshake = true;
  bool fins = true;
  bool acknowledgements = true;  // one without bytes behind each turn
};

Plan plan(const Conversation& conversation, const Shape& shape = {});

// --- What is done to packets; places are indices of plan.packets.

void drop(Plan& plan, std::size_t packet);
void swap_with_next(Plan& plan, std::size_t packet);
void delay(Plan& plan, std::size_t packet, std::size_t by);  // it is captured `by` packets later
void repeat(Plan& plan, std::size_t packet, std::size_t after);  // a copy `after` packets later
// Sends [begin, end) of the sender's stream again, behind packet `behind`; `other_bytes` inverts
// them.
void send_again(Plan& plan, std::size_t side, std::int64_t begin, std::int64_t end,
                std::size_t behind, bool other_bytes = false);
void keep_side(Plan& plan, std::size_t side);
void keep_from(Plan& plan, std::size_t packet);                       // the capture starts here
void snap(Plan& plan, std::uint32_t length);                          // as with -s
void wait(Plan& plan, std::size_t packet, std::int64_t nanoseconds);  // from this packet on

// --- The file

constexpr std::int64_t millisecond = 1'000'000;
constexpr std::int64_t second = 1'000 * millisecond;
constexpr std::int64_t first_time = 1'700'000'000 * second;

// The packet as Ethernet has it, short ones padded with bytes that are not zero.
Buffer frame_of(const Plan& plan, const Planned& packet);
// Several plans one after the other, `gap` apart, or merged by time.
Buffer to_pcap(const std::vector<const Plan*>& plans, std::int64_t gap = 0);
inline Buffer to_pcap(const Plan& plan) {
  return to_pcap(std::vector<const Plan*>{&plan});
}

// --- What is true of the file

enum class Fate : std::uint8_t { not_captured, lost, snapped, captured };

struct Hole {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  Fate fate{};
  friend bool operator==(const Hole&, const Hole&) = default;
};

struct FrameTruth {
  std::uint64_t begin = 0;
  std::uint32_t size = 0;
  std::uint32_t captured = 0;
  friend bool operator==(const FrameTruth&, const FrameTruth&) = default;
};

struct SideTruth {
  std::uint64_t begin = 0;        // the first byte that the file tells of
  std::uint64_t end = 0;          // behind the last one
  std::vector<Fate> fates;        // of each byte of the stream
  Buffer bytes;                   // as first captured; elsewhere as sent
  std::vector<Hole> holes;        // neighbours of one fate are one
  std::vector<FrameTruth> sent;   // every frame of the stream
  std::vector<FrameTruth> shown;  // those whose header is in the file, and whose end it tells of
};

using Truth = std::array<SideTruth, 2>;

// The packets in the order of the list are those of the file.
Truth truth_of(const Plan& plan);

std::string text_of(const Hole& hole);

}  // namespace support::hard
