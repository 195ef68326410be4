// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Builds pcap and pcapng files in memory, for tests; the packets come from packet_builder.hpp.
//
// Any block can be written with any content and any length, so hostile files are as easy as good
// ones. It must not use the code under test.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "support/packet_builder.hpp"

namespace support {

// --- pcap

struct PcapOptions {
  std::endian order = std::endian::little;
  bool nanoseconds = false;
  bool modified = false;  // magic a1b2cd34, with eight more bytes in each record
  std::uint32_t link_type = link_ethernet;
  std::uint32_t snap_length = 262'144;
  std::uint16_t major_version = 2;
  std::uint16_t minor_version = 4;
  std::uint32_t magic = 0;  // in place of the one that the above call for; 0: that one
  std::size_t more_file_header_bytes = 0;
  std::size_t more_record_header_bytes = 0;  // behind those that the above call for
};

// The header of one record as it is written, right or wrong.
struct PcapRecord {
  std::uint32_t seconds = 0;
  std::uint32_t fraction = 0;
  std::uint32_t captured_length = 0;
  std::uint32_t wire_length = 0;
};

class PcapFile {
 public:
  explicit PcapFile(const PcapOptions& options = {}) : options_(options), writer_(options.order) {
    const std::uint32_t magic = options.modified      ? 0xa1b2cd34
                                : options.nanoseconds ? 0xa1b23c4d
                                                      : 0xa1b2c3d4;
    writer_.u32(options.magic != 0 ? options.magic : magic);
    writer_.u16(options.major_version).u16(options.minor_version).u64(0);
    writer_.u32(options.snap_length).u32(options.link_type);
    writer_.zeros(options.more_file_header_bytes);
  }

  // Records a packet; without a wire length it was captured whole.
  PcapFile& packet(std::int64_t nanoseconds, Bytes bytes,
                   std::optional<std::uint32_t> wire_length = {}) {
    const auto captured = static_cast<std::uint32_t>(bytes.size());
    const std::int64_t unit = options_.nanoseconds ? 1 : 1'000;
    return record({static_cast<std::uint32_t>(nanoseconds / 1'000'000'000),
                   static_cast<std::uint32_t>(nanoseconds % 1'000'000'000 / unit), captured,
                   wire_length.value_or(captured)},
                  bytes);
  }

  PcapFile& record(const PcapRecord& header, Bytes bytes) {
    writer_.u32(header.seconds).u32(header.fraction);
    writer_.u32(header.captured_length).u32(header.wire_length);
    if (options_.modified) writer_.u32(1).u16(0x0800).u8(0).u8(0);
    writer_.zeros(options_.more_record_header_bytes).bytes(bytes);
    return *this;
  }

  const Buffer& bytes() const { return writer_.buffer(); }

 private:
  PcapOptions options_;
  Writer writer_;
};

// --- pcapng

namespace block_type {
constexpr std::uint32_t interface_description = 1;
constexpr std::uint32_t obsolete_packet = 2;
constexpr std::uint32_t simple_packet = 3;
constexpr std::uint32_t name_resolution = 4;
constexpr std::uint32_t enhanced_packet = 6;
constexpr std::uint32_t custom = 0x00000bad;
constexpr std::uint32_t section_header = 0x0a0d0d0a;
}  // namespace block_type

struct Option {
  std::uint16_t code = 0;
  Buffer value;
};

struct InterfaceOptions {
  std::uint16_t link_type = link_ethernet;
  std::uint32_t snap_length = 262'144;
  std::optional<std::uint8_t> resolution{};      // if_tsresol
  std::optional<std::int64_t> offset_seconds{};  // if_tsoffset
};

// Starts without a section: call section() first.
class PcapngFile {
 public:
  PcapngFile& section(std::endian order = std::endian::little) {
    order_ = order;
    return block(block_type::section_header,
                 Writer(order).u32(0x1a2b3c4d).u16(1).u16(0).u64(~std::uint64_t{0}).buffer());
  }

  PcapngFile& interface(const InterfaceOptions& options = {}) {
    std::vector<Option> list;
    if (options.resolution) list.push_back({9, bytes_of({*options.resolution})});
    if (options.offset_seconds) {
      const auto seconds = static_cast<std::uint64_t>(*options.offset_seconds);
      list.push_back({14, Writer(order_).u64(seconds).buffer()});
    }
    Writer body(order_);
    body.u16(options.link_type).u16(0).u32(options.snap_length);
    if (!list.empty()) body.bytes(option_bytes(list));
    return block(block_type::interface_description, body.buffer());
  }

  // `ticks` are in the resolution of the interface.
  PcapngFile& enhanced_packet(std::uint32_t interface, std::uint64_t ticks, Bytes bytes,
                              std::optional<std::uint32_t> wire_length = {},
                              const std::vector<Option>& options = {}) {
    const auto captured = static_cast<std::uint32_t>(bytes.size());
    Writer body(order_);
    body.u32(interface).u32(ticks >> 32).u32(ticks & 0xffffffff).u32(captured);
    body.u32(wire_length.value_or(captured)).bytes(bytes).pad();
    if (!options.empty()) body.bytes(option_bytes(options));
    return block(block_type::enhanced_packet, body.buffer());
  }

  PcapngFile& obsolete_packet(std::uint16_t interface, std::uint64_t ticks, Bytes bytes,
                              std::optional<std::uint32_t> wire_length = {}) {
    const auto captured = static_cast<std::uint32_t>(bytes.size());
    Writer body(order_);
    body.u16(interface).u16(0xffff).u32(ticks >> 32).u32(ticks & 0xffffffff).u32(captured);
    body.u32(wire_length.value_or(captured)).bytes(bytes).pad();
    return block(block_type::obsolete_packet, body.buffer());
  }

  PcapngFile& simple_packet(Bytes bytes, std::optional<std::uint32_t> wire_length = {}) {
    const auto captured = static_cast<std::uint32_t>(bytes.size());
    return block(block_type::simple_packet,
                 Writer(order_).u32(wire_length.value_or(captured)).bytes(bytes).pad().buffer());
  }

  // Any block. The lengths are right unless others are given.
  PcapngFile& block(std::uint32_t type, Bytes body, std::optional<std::uint32_t> length = {},
                    std::optional<std::uint32_t> second_length = {}) {
    const Buffer padded = Writer().bytes(body).pad().buffer();
    const std::uint32_t right = static_cast<std::uint32_t>(padded.size() + 12);
    const Buffer bytes = Writer(order_)
                             .u32(type)
                             .u32(length.value_or(right))
                             .bytes(padded)
                             .u32(second_length.value_or(length.value_or(right)))
                             .buffer();
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }

  // Options as they stand in a block, with their end mark.
  Buffer option_bytes(const std::vector<Option>& options) const {
    Writer writer(order_);
    for (const Option& option : options) {
      writer.u16(option.code).u16(static_cast<unsigned>(option.value.size()));
      writer.bytes(option.value).pad();
    }
    return writer.u32(0).buffer();
  }

  // For numbers in the bodies of own blocks.
  Writer writer() const { return Writer(order_); }
  const Buffer& bytes() const { return bytes_; }

 private:
  std::endian order_ = std::endian::little;
  Buffer bytes_;
};

}  // namespace support
