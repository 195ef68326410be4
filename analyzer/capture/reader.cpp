// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Chooses the decompressor and the format by the first bytes. It must not know anything of records:
// the format readers do.
#include "capture/reader.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "capture/block_source.hpp"
#include "capture/file_kind.hpp"
#include "capture/format_reader.hpp"

namespace analyzer::capture {

class Reader::Implementation {
 public:
  Implementation(std::string name, std::optional<Bytes> memory, std::uint64_t first_number,
                 Resources resources)
      : memory_(memory), next_number_(first_number), resources_(std::move(resources)) {
    problem_.file = std::move(name);
  }

  Status next(Packet& packet) {
    if (!format_ && status_ == Status::more) status_ = start();
    if (status_ == Status::more) {
      status_ = format_->next(packet, problem_);
      while (status_ == Status::end && format_->another_begins()) status_ = start_another(packet);
      if (status_ != Status::more) say_where();
    }
    return status_;
  }

  const Problem& problem() const { return problem_; }
  std::string_view format() const { return format_ ? format_->name() : std::string_view(); }
  std::string_view compression() const { return compression_; }
  std::uint64_t most_memory() const { return most_memory_; }
  std::uint64_t joined_files() const { return joined_files_; }
  const FormatReader* format_reader() const { return format_.get(); }
  std::uint64_t next_number() const { return format_ ? format_->next_number() : next_number_; }

 private:
  Status start() {
    if (!open()) return Status::unreadable;
    format_ = make_format(next_number_);
    if (format_) {
      format_->keep_secrets(resources_.budget);
      const Status status = format_->start(problem_);
      if (status != Status::more) say_where();
      return status;
    }
    const Bytes beginning = source_->peek(8);
    const ReadError& error = source_->error();
    if (error.kind == ReadError::Kind::system) return unreadable("cannot be read: " + error.reason);
    problem_.lacks_memory = error.kind == ReadError::Kind::memory;
    if (error) {
      unreadable(error.reason, error.offset);
      // What is cut was a capture, as far as anybody can tell.
      if (error.kind == ReadError::Kind::cut) problem_.status = Status::truncated;
      return problem_.status;
    }
    const FileKind kind = file_kind(beginning);
    problem_.is_no_capture = !kind.may_hold_packets;
    const std::string unpacked =
        compression_.empty() ? "" : fmt::format("unpacked from {}: ", compression_);
    return unreadable(unpacked + (beginning.empty() ? "the file is empty"
                                                    : "not a pcap or pcapng file: " + kind.reason));
  }

  std::unique_ptr<FormatReader> make_format(std::uint64_t first_number) {
    auto format = make_pcap_reader(*source_, first_number);
    return format ? std::move(format) : make_pcapng_reader(*source_, first_number);
  }

  // Fills in its first packet.
  Status start_another(Packet& packet) {
    ++joined_files_;
    std::unique_ptr<FormatReader> another = make_format(format_->next_number());
    another->continue_after(*format_);
    format_ = std::move(another);
    const Status status = format_->start(problem_);
    return status == Status::more ? format_->next(packet, problem_) : status;
  }

  // Opens the file, and unpacks what is compressed.
  bool open() {
    if (memory_) {
      source_ = std::make_unique<BlockSource>(*memory_);
    } else {
      std::string error;
      std::unique_ptr<ByteSource> file = open_byte_source(problem_.file, error);
      if (!file) {
        unreadable("cannot be opened: " + error);
        return false;
      }
      source_ =
          std::make_unique<BlockSource>(std::move(file), resources_.block_bytes, resources_.budget);
      most_memory_ = resources_.block_bytes;
    }
    if (!Decompressor::begins(source_->peek(4))) return true;
    auto unpacked = std::make_unique<Decompressor>(std::move(source_), resources_);
    compression_ = unpacked->name();
    most_memory_ += resources_.block_bytes + unpacked->most_memory();
    source_ = std::make_unique<BlockSource>(std::move(unpacked), resources_.block_bytes,
                                            resources_.budget);
    return true;
  }

  // Places of records are counted in what was unpacked; those of damaged compressed data are not.
  void say_where() {
    if (compression_.empty() || source_->error() || problem_.reason.empty()) return;
    problem_.reason += " (bytes are counted as unpacked)";
  }

  Status unreadable(std::string reason, std::uint64_t offset = 0) {
    problem_.status = Status::unreadable;
    problem_.offset = offset;
    problem_.reason = std::move(reason);
    return Status::unreadable;
  }

  std::optional<Bytes> memory_;
  std::uint64_t next_number_;  // until there is a format
  Resources resources_;
  std::unique_ptr<BlockSource> source_;
  std::string_view compression_;
  std::uint64_t most_memory_ = 0;
  std::uint64_t joined_files_ = 0;
  std::unique_ptr<FormatReader> format_;  // looks at source_
  Status status_ = Status::more;
  Problem problem_;
};

Reader::Reader(std::string path, std::uint64_t first_number, Resources resources)
    : implementation_(std::make_unique<Implementation>(std::move(path), std::nullopt, first_number,
                                                       std::move(resources))) {}

Reader::Reader(std::string name, Bytes bytes, std::uint64_t first_number, Resources resources)
    : implementation_(std::make_unique<Implementation>(std::move(name), bytes, first_number,
                                                       std::move(resources))) {}

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

std::string_view Reader::compression() const {
  return implementation_->compression();
}

std::uint64_t Reader::joined_files() const {
  return implementation_->joined_files();
}

std::uint64_t Reader::most_memory() const {
  return implementation_->most_memory();
}

std::span<const Secrets> Reader::secrets() const {
  const FormatReader* format = implementation_->format_reader();
  return format == nullptr ? std::span<const Secrets>() : format->secrets();
}

std::uint64_t Reader::dropped_secrets() const {
  const FormatReader* format = implementation_->format_reader();
  return format == nullptr ? 0 : format->dropped_secrets();
}

std::uint64_t Reader::next_number() const {
  return implementation_->next_number();
}

}  // namespace analyzer::capture
