// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Reads pcap: one file header, then records of a header and the captured bytes.
//
// The numbers have the byte order of the machine that wrote them, which the magic number shows. It
// must not refuse what Wireshark reads: a packet above the snap length of the file header, or one
// with more captured bytes than its length on the wire, is a packet.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "capture/format_reader.hpp"
#include "capture/load.hpp"

namespace analyzer::capture {
namespace {

constexpr std::size_t file_header_bytes = 24;
constexpr std::uint16_t supported_major_version = 2;

struct Variant {
  std::uint32_t magic;
  std::int64_t fraction_nanoseconds;  // the unit of the fraction of a second
  std::size_t record_header_bytes;
  std::string_view name;
};

constexpr std::array variants{
    Variant{0xa1b2c3d4, 1'000, 16, "pcap"},
    Variant{0xa1b23c4d, 1, 16, "pcap (nanoseconds)"},
    // Written by a patched libpcap of old Linux distributions: eight more bytes in each record.
    Variant{0xa1b2cd34, 1'000, 24, "pcap"},
};

class PcapReader final : public FormatReader {
 public:
  PcapReader(BlockSource& source, std::uint64_t first_number, std::endian order,
             const Variant& variant)
      : FormatReader(source, first_number), order_(order), variant_(variant) {}

  Status start(Problem& problem) override;
  Status next(Packet& packet, Problem& problem) override;
  std::string_view name() const override { return variant_.name; }

 private:
  std::endian order_;
  Variant variant_;
  std::uint16_t link_type_ = 0;
};

Status PcapReader::start(Problem& problem) {
  const Bytes header = source_.peek(file_header_bytes);
  if (header.size() < file_header_bytes) {
    return cut_short(problem, 0, "the file header", file_header_bytes, header.size());
  }
  const std::uint16_t major = load_u16(header, 4, order_);
  const std::uint16_t minor = load_u16(header, 6, order_);
  if (major != supported_major_version) {
    return fail(problem, Status::unreadable, 0,
                fmt::format("pcap version {}.{} is not supported", major, minor));
  }
  // The upper bits say whether frames end with a checksum; lengths of the IP header cut it off.
  link_type_ = static_cast<std::uint16_t>(load_u32(header, 20, order_) & 0xffff);
  source_.consume(file_header_bytes);
  return Status::more;
}

Status PcapReader::next(Packet& packet, Problem& problem) {
  const std::size_t header_bytes = variant_.record_header_bytes;
  Bytes record = source_.peek(header_bytes);
  if (record.empty()) return no_more(problem);
  if (record.size() < header_bytes) {
    return cut_short(problem, source_.offset(), "the header of a packet", header_bytes,
                     record.size());
  }
  const std::uint32_t captured = load_u32(record, 8, order_);
  if (captured > maximum_packet_bytes) {
    return fail(problem, Status::damaged, source_.offset(),
                fmt::format("a packet of {} captured bytes is above the limit of {}", captured,
                            maximum_packet_bytes));
  }
  const std::size_t total = header_bytes + captured;
  record = source_.peek(total);
  if (record.size() < total) {
    return cut_short(problem, source_.offset(), "a packet", total, record.size());
  }
  packet.number = next_number_++;
  packet.time = std::int64_t{load_u32(record, 0, order_)} * 1'000'000'000 +
                std::int64_t{load_u32(record, 4, order_)} * variant_.fraction_nanoseconds;
  packet.has_time = true;
  packet.link_type = link_type_;
  packet.interface = 0;
  packet.bytes = record.subspan(header_bytes, captured);
  packet.wire_length = std::max(load_u32(record, 12, order_), captured);
  source_.consume(total);
  return Status::more;
}

}  // namespace

std::unique_ptr<FormatReader> make_pcap_reader(BlockSource& source, std::uint64_t first_number) {
  const Bytes magic = source.peek(4);
  if (magic.size() < 4) return nullptr;
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    for (const Variant& variant : variants) {
      if (load_u32(magic, 0, order) == variant.magic) {
        return std::make_unique<PcapReader>(source, first_number, order, variant);
      }
    }
  }
  return nullptr;
}

}  // namespace analyzer::capture
