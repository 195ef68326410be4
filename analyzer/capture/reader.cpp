// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Chooses the format by the first bytes and says what a file is that is no capture. It must not
// know anything of records: the format readers do.
#include "capture/reader.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

#include "capture/block_source.hpp"
#include "capture/format_reader.hpp"
#include "capture/load.hpp"

namespace analyzer::capture {
namespace {

using namespace std::string_view_literals;

struct KnownFile {
  std::string_view magic;
  std::string_view reason;
};

constexpr std::array known_files{
    KnownFile{"\x1f\x8b"sv, "compressed with gzip; decompress it first (gunzip)"},
    KnownFile{"\x28\xb5\x2f\xfd"sv, "compressed with zstd; decompress it first (zstd -d)"},
    KnownFile{"\x04\x22\x4d\x18"sv, "compressed with lz4; decompress it first (lz4 -d)"},
    KnownFile{"\xfd\x37zXZ\0"sv, "compressed with xz; decompress it first (xz -d)"},
    KnownFile{"BZh"sv, "compressed with bzip2; decompress it first (bzip2 -d)"},
    KnownFile{"PK\x03\x04"sv, "a zip archive; unpack it first (unzip)"},
    KnownFile{"snoop\0\0\0"sv, "a snoop capture; convert it first (editcap -F pcapng)"},
};

bool starts_with(Bytes bytes, std::string_view magic) {
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

// Why the bytes are no capture, from the first of them.
std::string explain(Bytes start) {
  if (start.empty()) return "the file is empty";
  for (const KnownFile& known : known_files) {
    if (starts_with(start, known.magic)) return std::string(known.reason);
  }
  if (start.size() < 4) {
    return fmt::format("not a pcap or pcapng file: it has only {} bytes", start.size());
  }
  return fmt::format("not a pcap or pcapng file: it starts with {:02x} {:02x} {:02x} {:02x}",
                     load_u8(start, 0), load_u8(start, 1), load_u8(start, 2), load_u8(start, 3));
}

}  // namespace

class Reader::Implementation {
 public:
  Implementation(std::string name, std::optional<Bytes> memory, std::uint64_t first_number)
      : memory_(memory), next_number_(first_number) {
    problem_.file = std::move(name);
  }

  Status next(Packet& packet) {
    if (!format_ && status_ == Status::more) status_ = start();
    if (status_ == Status::more) status_ = format_->next(packet, problem_);
    return status_;
  }

  const Problem& problem() const { return problem_; }
  std::string_view format() const { return format_ ? format_->name() : std::string_view(); }
  std::uint64_t next_number() const { return format_ ? format_->next_number() : next_number_; }

 private:
  Status start() {
    if (memory_) {
      source_.emplace(*memory_);
    } else {
      std::string error;
      std::unique_ptr<ByteSource> file = open_byte_source(problem_.file, error);
      if (!file) return unreadable("cannot be opened: " + error);
      source_.emplace(std::move(file));
    }
    format_ = make_pcap_reader(*source_, next_number_);
    if (!format_) format_ = make_pcapng_reader(*source_, next_number_);
    if (format_) return format_->start(problem_);
    const Bytes beginning = source_->peek(8);
    if (!source_->error().empty()) return unreadable("cannot be read: " + source_->error());
    return unreadable(explain(beginning));
  }

  Status unreadable(std::string reason) {
    problem_.status = Status::unreadable;
    problem_.reason = std::move(reason);
    return Status::unreadable;
  }

  std::optional<Bytes> memory_;
  std::uint64_t next_number_;  // until there is a format
  std::optional<BlockSource> source_;
  std::unique_ptr<FormatReader> format_;  // looks at source_
  Status status_ = Status::more;
  Problem problem_;
};

Reader::Reader(std::string path, std::uint64_t first_number)
    : implementation_(
          std::make_unique<Implementation>(std::move(path), std::nullopt, first_number)) {}

Reader::Reader(std::string name, Bytes bytes, std::uint64_t first_number)
    : implementation_(std::make_unique<Implementation>(std::move(name), bytes, first_number)) {}

Reader::~Reader() = default;
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;

Status Reader::next(Packet& packet) {
  return implementation_->next(packet);
}

const Problem& Reader::problem() const {
  return implementation_->problem();
}

std::string_view Reader::format() const {
  return implementation_->format();
}

std::uint64_t Reader::next_number() const {
  return implementation_->next_number();
}

}  // namespace analyzer::capture
