// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Reads pcap: one file header, then records of a header and the captured bytes.
//
// The numbers have the byte order of the machine that wrote them, which the magic number shows; it
// does not always show how long the headers of records are. It must not refuse what Wireshark
// reads: a packet above the snap length of the file header, or one with more captured bytes than
// its length on the wire, is a packet. Nor must it read the header of another file, as `cat` puts
// it behind the packets of the first, as a packet.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <optional>
#include <utility>

#include "capture/format_reader.hpp"
#include "capture/link_types.hpp"
#include "capture/load.hpp"

namespace analyzer::capture {
namespace {

constexpr std::size_t file_header_bytes = 24;
constexpr std::uint32_t standard_magic = 0xa1b2c3d4;

struct Variant {
  std::uint32_t magic;
  std::uint32_t fraction_nanoseconds;  // the unit of the fraction of a second
  std::size_t more_file_header_bytes;
  // Headers of records: as they are expected, and as they may be with this number; 0: no more.
  std::array<std::size_t, 3> record_header_bytes;
  std::string_view name;
};

constexpr std::array variants{
    // 24 bytes: a patched libpcap of 1999 (Red Hat 6.1). 20 bytes: Nokia's.
    Variant{standard_magic, 1'000, 0, {16, 24, 20}, "pcap"},
    Variant{0xa1b23c4d, 1, 0, {16, 0, 0}, "pcap (nanoseconds)"},
    // Later patches, which did change the number; 28 bytes: that of SuSE 6.3.
    Variant{0xa1b2cd34, 1'000, 0, {24, 28, 0}, "pcap"},
    // Captures by software and by hardware of Ixia; the size of all records stands in front.
    Variant{0x1c0001ab, 1'000, 4, {16, 0, 0}, "pcap"},
    Variant{0x1c0001ac, 1, 4, {16, 0, 0}, "pcap (nanoseconds)"},
};

// In which order a record has its two lengths. They changed places in version 2.3, which not all
// who wrote that version knew.
enum class Lengths : std::uint8_t { captured_first, wire_first, larger_is_wire };

std::optional<Lengths> lengths_of(unsigned major, unsigned minor) {
  if (major == 543 && minor == 0) return Lengths::wire_first;  // DG/UX
  if (major != 2) return std::nullopt;
  return minor < 3    ? Lengths::wire_first
         : minor == 3 ? Lengths::larger_is_wire
                      : Lengths::captured_first;
}

// AIX writes version 2.2, nanoseconds, and numbers of interface types instead of link types.
std::optional<std::uint16_t> link_type_of_aix(std::uint32_t interface_type) {
  switch (interface_type) {
    case 6:
      return link_ethernet;
    case 9:
      return link_token_ring;
    case 15:
      return link_fddi;
    case 24:
      return link_null;
    default:
      return std::nullopt;
  }
}

struct Start {
  std::endian order{};
  const Variant* variant = nullptr;
};

// By the magic number.
std::optional<Start> start_of(Bytes file) {
  if (file.size() < 4) return std::nullopt;
  for (const std::endian order : {std::endian::little, std::endian::big})
    for (const Variant& variant : variants)
      if (load_u32(file, 0, order) == variant.magic) return Start{order, &variant};
  return std::nullopt;
}

// Of any format; what `cat` put behind another file.
bool may_be_file(Bytes bytes) {
  return start_of(bytes) ||
         (bytes.size() >= 4 && load_u32(bytes, 0, std::endian::little) == pcapng_magic);
}

// How many records follow each other in `records`, up to some; none when one makes no sense.
std::size_t plausible_records(Bytes records, std::size_t header_bytes, std::endian order,
                              const Variant& variant) {
  constexpr std::size_t enough = 4;
  constexpr std::uint32_t maximum_wire_bytes = std::uint32_t{128} << 20;
  constexpr std::int64_t year = 366 * 86'400;
  const std::int64_t begin = records.size() < 4 ? 0 : load_u32(records, 0, order);
  std::size_t count = 0;
  for (; count < enough && records.size() >= header_bytes; ++count) {
    if (count != 0 && may_be_file(records)) break;
    const std::uint32_t captured = load_u32(records, 8, order);
    const std::uint32_t wire = load_u32(records, 12, order);
    const bool is_near = std::abs(load_u32(records, 0, order) - begin) < year;
    const bool has_lengths = captured <= wire && captured <= maximum_packet_bytes && wire != 0 &&
                             wire <= maximum_wire_bytes;
    const bool has_fraction =
        load_u32(records, 4, order) < 1'000'000'000 / variant.fraction_nanoseconds;
    if (!is_near || !has_lengths || !has_fraction) return 0;
    records = records.subspan(std::min<std::size_t>(header_bytes + captured, records.size()));
  }
  return count;
}

// What writers put into the fields that nobody reads, and numbers as they are given out.
bool is_plausible_file_header(Bytes header, std::endian order) {
  constexpr std::uint32_t a_day = 86'400;
  constexpr std::uint32_t link_types = 1'024;
  constexpr std::uint32_t least_snap_length = 14;
  const std::uint32_t zone = load_u32(header, 8, order);
  const std::uint32_t accuracy = load_u32(header, 12, order);
  const std::uint32_t snap_length = load_u32(header, 16, order);
  const std::uint32_t link_type = load_u32(header, 20, order) & 0x03ff'ffff;
  return lengths_of(load_u16(header, 4, order), load_u16(header, 6, order)) &&
         (zone <= a_day || zone >= ~a_day) && accuracy == 0 && link_type < link_types &&
         (snap_length == 0 || snap_length >= least_snap_length);
}

class PcapReader final : public FormatReader {
 public:
  PcapReader(BlockSource& source, std::uint64_t first_number, std::endian order,
             const Variant& variant)
      : FormatReader(source, first_number), order_(order), variant_(variant) {}

  Status start(Problem& problem) override;
  Status next(Packet& packet, Problem& problem) override;
  std::string_view name() const override { return variant_.name; }

 private:
  void choose_record_header();

  std::endian order_;
  Variant variant_;
  std::size_t record_header_bytes_ = 0;
  Lengths lengths_{};
  std::uint16_t link_type_ = 0;
};

Status PcapReader::start(Problem& problem) {
  const std::size_t header_bytes = file_header_bytes + variant_.more_file_header_bytes;
  const Bytes header = source_.peek(header_bytes);
  if (header.size() < header_bytes) {
    return cut_short(problem, 0, "the file header", header_bytes, header.size());
  }
  const std::uint16_t major = load_u16(header, 4, order_);
  const std::uint16_t minor = load_u16(header, 6, order_);
  const std::optional<Lengths> lengths = lengths_of(major, minor);
  if (!lengths) {
    return fail(problem, Status::unreadable, 0,
                fmt::format("pcap version {}.{} is not supported", major, minor));
  }
  lengths_ = *lengths;
  // The upper bits say whether frames end with a checksum; lengths of the IP header cut it off.
  link_type_ = static_cast<std::uint16_t>(load_u32(header, 20, order_) & 0xffff);
  if (variant_.magic == standard_magic && major == 2 && minor == 2) {
    if (const auto of_aix = link_type_of_aix(load_u32(header, 20, order_))) {
      link_type_ = *of_aix;
      variant_.fraction_nanoseconds = 1;
      variant_.name = "pcap (nanoseconds)";
    }
  }
  source_.consume(header_bytes);
  choose_record_header();
  return Status::more;
}

// Takes the first kind of header with which what was read so far makes sense. Kinds that are not
// expected must do so twice. It must not wait for a second packet.
void PcapReader::choose_record_header() {
  const auto& kinds = variant_.record_header_bytes;
  record_header_bytes_ = kinds.front();
  if (lengths_ != Lengths::captured_first) return;
  const Bytes records = source_.peek(kinds.front());
  for (const std::size_t kind : kinds) {
    if (kind == 0) return;
    const std::size_t count = plausible_records(records, kind, order_, variant_);
    if (count >= (kind == kinds.front() ? 1U : 2U)) {
      record_header_bytes_ = kind;
      return;
    }
  }
}

Status PcapReader::next(Packet& packet, Problem& problem) {
  const std::size_t header_bytes = record_header_bytes_;
  Bytes record = source_.peek(header_bytes);
  if (record.empty()) return no_more(problem);
  if (may_be_file(record)) {
    if (pcap_begins(source_) || pcapng_begins(source_)) return end_before_another(problem);
    record = source_.peek(header_bytes);
  }
  if (record.size() < header_bytes) {
    return cut_short(problem, source_.offset(), "the header of a packet", header_bytes,
                     record.size());
  }
  std::uint32_t captured = load_u32(record, 8, order_);
  std::uint32_t wire_length = load_u32(record, 12, order_);
  if (lengths_ == Lengths::wire_first ||
      (lengths_ == Lengths::larger_is_wire && captured > wire_length))
    std::swap(captured, wire_length);
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
  packet.wire_length = std::max(wire_length, captured);
  source_.consume(total);
  return Status::more;
}

}  // namespace

bool pcap_begins(BlockSource& source) {
  Bytes file = source.peek(4);
  const std::optional<Start> start = start_of(file);
  if (!start) return false;
  const Variant& variant = *start->variant;
  const std::size_t header_bytes = file_header_bytes + variant.more_file_header_bytes;
  file = source.peek(header_bytes);
  if (file.size() < header_bytes || !is_plausible_file_header(file, start->order)) return false;
  // Such old ones have no other mark.
  if (lengths_of(load_u16(file, 4, start->order), load_u16(file, 6, start->order)) !=
      Lengths::captured_first)
    return true;
  const std::size_t record_bytes = variant.record_header_bytes.front();
  const Bytes records = source.peek(header_bytes + record_bytes).subspan(header_bytes);
  // It ends there, or is followed by one more at once.
  if (records.size() < record_bytes || may_be_file(records)) return true;
  return std::any_of(variant.record_header_bytes.begin(), variant.record_header_bytes.end(),
                     [&](std::size_t kind) {
                       return kind != 0 &&
                              plausible_records(records, kind, start->order, variant) != 0;
                     });
}

std::unique_ptr<FormatReader> make_pcap_reader(BlockSource& source, std::uint64_t first_number) {
  const std::optional<Start> start = start_of(source.peek(4));
  if (!start) return nullptr;
  return std::make_unique<PcapReader>(source, first_number, start->order, *start->variant);
}

}  // namespace analyzer::capture
