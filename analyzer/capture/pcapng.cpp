// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Reads pcapng: sections of typed blocks, each between two copies of its length.
//
// Each section has its own byte order and interfaces, each interface its own link type, snap length
// and clock. A block that contradicts itself ends the reading: nothing behind it can be trusted. It
// must not keep blocks that hold no packet, except secrets: their bytes are skipped.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "capture/clock.hpp"
#include "capture/format_reader.hpp"
#include "capture/load.hpp"

namespace analyzer::capture {
namespace {

enum BlockType : std::uint32_t {
  interface_description = 0x00000001,
  obsolete_packet = 0x00000002,
  simple_packet = 0x00000003,
  enhanced_packet = 0x00000006,
  systemd_journal = 0x00000009,
  decryption_secrets = 0x0000000a,
  sysdig_event = 0x00000204,
  sysdig_event_v2 = 0x00000216,
  sysdig_event_v2_large = 0x00000221,
  custom = 0x00000bad,
  custom_not_to_copy = 0x40000bad,
  section_header = pcapng_magic,
};

enum OptionCode : std::uint16_t { end_of_options = 0, if_tsresol = 9, if_tsoffset = 14 };

constexpr std::uint32_t byte_order_magic = 0x1a2b3c4d;
constexpr std::size_t block_head_bytes = 8;    // type, length
constexpr std::size_t block_frame_bytes = 12;  // and the length again at the end
constexpr std::size_t section_block_bytes = 28;
constexpr std::size_t maximum_interfaces = 65'536;  // an Enhanced Packet Block could name more

struct Interface {
  std::uint16_t link_type = 0;
  std::uint32_t snap_length = 0;  // 0: none
  Clock clock;
};

struct Block {
  std::uint64_t offset = 0;
  std::uint32_t type = 0;
  std::uint32_t told = 0;    // the length as it stands there
  std::uint32_t length = 0;  // of all of it
  Bytes body;                // between the two lengths; empty until it is read
};

// Blocks that hold no packet but that Wireshark gives a number, so that ours stay the same.
bool is_numbered_event(std::uint32_t type) {
  return type == custom || type == custom_not_to_copy || type == systemd_journal ||
         type == sysdig_event || type == sysdig_event_v2 || type == sysdig_event_v2_large;
}

class PcapngReader final : public FormatReader {
 public:
  using FormatReader::FormatReader;

  // The first section header is read like every other block.
  Status start(Problem&) override { return Status::more; }
  Status next(Packet& packet, Problem& problem) override;
  std::string_view name() const override { return "pcapng"; }

 private:
  // What a packet block says of its packet, before it is checked.
  struct PacketFields {
    std::uint32_t interface = 0;
    std::optional<std::uint64_t> ticks;
    std::uint32_t captured = 0;
    std::uint32_t wire_length = 0;
    Bytes room;  // where the captured bytes stand, padding and options behind them
  };

  Status read_head(Block& block, Problem& problem);
  Status read_byte_order(Problem& problem);
  Status read_body(Block& block, Problem& problem);
  Status skip_body(const Block& block, Problem& problem);
  Status check_end(const Block& block, std::uint32_t second_length, Problem& problem) const;

  Status begin_section(Block& block, Problem& problem);
  Status add_interface(Block& block, Problem& problem);
  Status keep_secrets_of(Block& block, Problem& problem);
  Status read_packet(Block& block, Packet& packet, Problem& problem);
  Status fill_in(const Block& block, const PacketFields& fields, Packet& packet, Problem& problem);
  PacketFields enhanced_fields(Bytes body) const;
  PacketFields obsolete_fields(Bytes body) const;
  PacketFields simple_fields(Bytes body) const;
  std::optional<Clock> clock_of(Bytes options) const;

  static Status damaged(Problem& problem, const Block& block, std::string reason) {
    return fail(problem, Status::damaged, block.offset, std::move(reason));
  }
  std::uint16_t u16(Bytes bytes, std::size_t at) const { return load_u16(bytes, at, order_); }
  std::uint32_t u32(Bytes bytes, std::size_t at) const { return load_u32(bytes, at, order_); }

  std::endian order_ = std::endian::native;
  std::vector<Interface> interfaces_;  // of this section
};

Status PcapngReader::next(Packet& packet, Problem& problem) {
  for (;;) {
    Block block;
    if (pcap_begins(source_)) return end_before_another(problem);
    Status status = read_head(block, problem);
    if (status != Status::more) return status;
    switch (block.type) {
      case enhanced_packet:
      case simple_packet:
      case obsolete_packet:
        return read_packet(block, packet, problem);
      case section_header:
        status = begin_section(block, problem);
        break;
      case interface_description:
        status = add_interface(block, problem);
        break;
      case decryption_secrets:
        status = keep_secrets_of(block, problem);
        break;
      default:
        status = skip_body(block, problem);
        if (status == Status::more && is_numbered_event(block.type)) ++next_number_;
    }
    if (status != Status::more) return status;
  }
}

// --- Blocks

Status PcapngReader::read_head(Block& block, Problem& problem) {
  block.offset = source_.offset();
  const Bytes head = source_.peek(block_head_bytes);
  if (head.empty()) return no_more(problem);
  if (head.size() < block_head_bytes) {
    return cut_short(problem, block.offset, "a block", block_frame_bytes, head.size());
  }
  block.type = u32(head, 0);
  if (block.type == section_header) {
    // Only its body tells in which byte order its length is written.
    const Status status = read_byte_order(problem);
    if (status != Status::more) return status;
  }
  block.told = u32(source_.peek(block_head_bytes), 4);
  if (block.told < block_frame_bytes || block.told > maximum_block_bytes) {
    return damaged(problem, block, fmt::format("a block cannot be {} bytes long", block.told));
  }
  // Some writers leave out the padding when they count.
  block.length = (block.told + 3) / 4 * 4;
  return Status::more;
}

Status PcapngReader::read_byte_order(Problem& problem) {
  const std::uint64_t offset = source_.offset();
  const Bytes head = source_.peek(block_head_bytes + 4);
  if (head.size() < block_head_bytes + 4) {
    return cut_short(problem, offset, "a section header", section_block_bytes, head.size());
  }
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    if (load_u32(head, block_head_bytes, order) == byte_order_magic) {
      order_ = order;
      return Status::more;
    }
  }
  // Four line ends in a text look like a section header.
  return fail(problem, offset == 0 ? Status::unreadable : Status::damaged, offset,
              "a section header has no byte-order magic");
}

// The whole block is looked at in place; it was checked against the limit.
Status PcapngReader::read_body(Block& block, Problem& problem) {
  const Bytes all = source_.peek(block.length);
  if (all.size() < block.length) {
    return cut_short(problem, block.offset, "a block", block.length, all.size());
  }
  block.body = all.subspan(block_head_bytes, block.length - block_frame_bytes);
  source_.consume(block.length);
  return check_end(block, u32(all, block.length - 4), problem);
}

Status PcapngReader::skip_body(const Block& block, Problem& problem) {
  const bool complete = source_.skip(block.length - 4);
  const Bytes end = complete ? source_.peek(4) : Bytes();
  if (end.size() < 4) {
    return cut_short(problem, block.offset, "a block", block.length,
                     source_.offset() + end.size() - block.offset);
  }
  const std::uint32_t second_length = u32(end, 0);
  source_.consume(4);
  return check_end(block, second_length, problem);
}

Status PcapngReader::check_end(const Block& block, std::uint32_t second_length,
                               Problem& problem) const {
  if (second_length == block.told) return Status::more;
  return damaged(problem, block,
                 fmt::format("the two lengths of a block differ: {} at its start, {} at its end",
                             block.told, second_length));
}

// --- Sections and interfaces

Status PcapngReader::begin_section(Block& block, Problem& problem) {
  if (block.length < section_block_bytes) {
    return damaged(problem, block, "a section header is too short");
  }
  const Status status = read_body(block, problem);
  if (status != Status::more) return status;
  const std::uint16_t major = u16(block.body, 4);
  const std::uint16_t minor = u16(block.body, 6);
  if (major != 1) {
    return fail(problem, block.offset == 0 ? Status::unreadable : Status::damaged, block.offset,
                fmt::format("pcapng version {}.{} is not supported", major, minor));
  }
  interfaces_.clear();
  return Status::more;
}

Status PcapngReader::add_interface(Block& block, Problem& problem) {
  const Status status = read_body(block, problem);
  if (status != Status::more) return status;
  if (block.body.size() < 8) {
    return damaged(problem, block, "an interface description is too short");
  }
  if (interfaces_.size() == maximum_interfaces) {
    return damaged(problem, block,
                   fmt::format("a section has more than {} interfaces", maximum_interfaces));
  }
  const std::optional<Clock> clock = clock_of(block.body.subspan(8));
  if (!clock) return damaged(problem, block, "an option reaches past the end of its block");
  interfaces_.push_back({u16(block.body, 0), u32(block.body, 4), *clock});
  return Status::more;
}

// Nothing when an option reaches past the end: a clock that may be wrong must not be used.
std::optional<Clock> PcapngReader::clock_of(Bytes options) const {
  std::uint8_t resolution = 6;
  std::int64_t offset_seconds = 0;
  while (options.size() >= 4) {
    const std::uint16_t code = u16(options, 0);
    const std::size_t length = u16(options, 2);
    if (code == end_of_options) break;
    options = options.subspan(4);
    if (length > options.size()) return std::nullopt;
    if (code == if_tsresol && length == 1) resolution = load_u8(options, 0);
    if (code == if_tsoffset && length == 8) {
      offset_seconds = static_cast<std::int64_t>(load_u64(options, 0, order_));
    }
    options = options.subspan(std::min((length + 3) / 4 * 4, options.size()));
  }
  return Clock(resolution, offset_seconds);
}

// --- Secrets

Status PcapngReader::keep_secrets_of(Block& block, Problem& problem) {
  const Status status = read_body(block, problem);
  if (status != Status::more) return status;
  if (block.body.size() < 8) return damaged(problem, block, "a block of secrets is too short");
  const std::uint32_t length = u32(block.body, 4);
  if (length > block.body.size() - 8) {
    return damaged(problem, block,
                   fmt::format("{} bytes of secrets are in a block with room for {}", length,
                               block.body.size() - 8));
  }
  keep(u32(block.body, 0), block.body.subspan(8, length));
  return Status::more;
}

// --- Packets

Status PcapngReader::read_packet(Block& block, Packet& packet, Problem& problem) {
  const std::size_t fixed_bytes = block.type == simple_packet ? 4 : 20;
  if (block.length < block_frame_bytes + fixed_bytes) {
    return damaged(problem, block, "a packet block is too short");
  }
  const Status status = read_body(block, problem);
  if (status != Status::more) return status;
  switch (block.type) {
    case enhanced_packet:
      return fill_in(block, enhanced_fields(block.body), packet, problem);
    case obsolete_packet:
      return fill_in(block, obsolete_fields(block.body), packet, problem);
    default:
      return fill_in(block, simple_fields(block.body), packet, problem);
  }
}

PcapngReader::PacketFields PcapngReader::enhanced_fields(Bytes body) const {
  return {u32(body, 0), std::uint64_t{u32(body, 4)} << 32 | u32(body, 8), u32(body, 12),
          u32(body, 16), body.subspan(20)};
}

PcapngReader::PacketFields PcapngReader::obsolete_fields(Bytes body) const {
  // Bytes 2 and 3 count packets dropped before this one.
  return {u16(body, 0), std::uint64_t{u32(body, 4)} << 32 | u32(body, 8), u32(body, 12),
          u32(body, 16), body.subspan(20)};
}

PcapngReader::PacketFields PcapngReader::simple_fields(Bytes body) const {
  const std::uint32_t wire_length = u32(body, 0);
  // The block does not say how much was captured: the first interface's snap length does.
  const std::uint32_t snap_length = interfaces_.empty() ? 0 : interfaces_.front().snap_length;
  const std::uint32_t captured =
      snap_length == 0 ? wire_length : std::min(wire_length, snap_length);
  return {0, std::nullopt, captured, wire_length, body.subspan(4)};
}

Status PcapngReader::fill_in(const Block& block, const PacketFields& fields, Packet& packet,
                             Problem& problem) {
  if (fields.interface >= interfaces_.size()) {
    return damaged(problem, block,
                   fmt::format("a packet names interface {}, its section describes {}",
                               fields.interface, interfaces_.size()));
  }
  if (fields.captured > fields.room.size()) {
    return damaged(problem, block,
                   fmt::format("a packet of {} captured bytes is in a block with room for {}",
                               fields.captured, fields.room.size()));
  }
  if (fields.captured > maximum_packet_bytes) {
    return damaged(problem, block,
                   fmt::format("a packet of {} captured bytes is above the limit of {}",
                               fields.captured, maximum_packet_bytes));
  }
  const Interface& from = interfaces_[fields.interface];
  packet.number = next_number_++;
  packet.has_time = fields.ticks.has_value();
  packet.time = fields.ticks ? from.clock.nanoseconds(*fields.ticks) : 0;
  packet.link_type = from.link_type;
  packet.interface = fields.interface;
  packet.bytes = fields.room.first(fields.captured);
  packet.wire_length = std::max(fields.wire_length, fields.captured);
  return Status::more;
}

bool has_magic(BlockSource& source) {
  const Bytes word = source.peek(4);
  return word.size() >= 4 && load_u32(word, 0, std::endian::little) == pcapng_magic;
}

}  // namespace

bool pcapng_begins(BlockSource& source) {
  if (!has_magic(source)) return false;
  const Bytes head = source.peek(block_head_bytes + 4);
  if (head.size() < block_head_bytes + 4) return false;
  return load_u32(head, block_head_bytes, std::endian::little) == byte_order_magic ||
         load_u32(head, block_head_bytes, std::endian::big) == byte_order_magic;
}

std::unique_ptr<FormatReader> make_pcapng_reader(BlockSource& source, std::uint64_t first_number) {
  if (!has_magic(source)) return nullptr;
  return std::make_unique<PcapngReader>(source, first_number);
}

}  // namespace analyzer::capture
