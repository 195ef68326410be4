// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Several files read as one capture: rotated ones, or one for each direction, in order of time.
//
// Each file is opened once to learn when it begins. Where there are many, or where it is
// compressed, it is closed again until its time has come, and for good when it is used up; so
// thousands of rotated files are a few open ones. A file that finds no memory beside the others
// waits until one of them has ended: its packets come late, but they come. It must not hold packets
// back: the next one is the earliest of those at hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "capture/input_files.hpp"
#include "capture/memory.hpp"
#include "capture/reader.hpp"

namespace analyzer::capture {

// What came of one file.
struct FileSummary {
  std::string name;
  std::string format;
  std::string compression;  // empty: none
  std::uint64_t packets = 0;
  std::uint64_t joined_files = 0;   // that stand behind the first in the same file
  std::uint64_t secrets = 0;        // blocks that hold secrets
  std::uint64_t secrets_bytes = 0;  // in them, as far as they were kept
  Problem problem;                  // status `end` when the file was read whole
};

class Merge {
 public:
  struct Limits {
    std::size_t kept_open = 16;    // so many files are not closed in between
    std::size_t open_files = 128;  // at the same time; further ones wait although they are due
    std::uint64_t memory = MemoryPlan().files();
    std::uint64_t lent_memory = MemoryPlan().lent_to_files();  // where files say that they need it
  };

  // Opens every file and reads up to its first packet. Files in folders that are no captures are
  // skipped.
  explicit Merge(InputFiles input) : Merge(std::move(input), Limits()) {}
  Merge(InputFiles input, const Limits& limits);
  ~Merge();
  Merge(const Merge&) = delete;
  Merge& operator=(const Merge&) = delete;

  // Fills in the next packet, a view that is valid until the next call. False at the end. Packets
  // of several files are numbered as they come.
  bool next(Packet& packet);

  // Those that the file of the last packet carried before it.
  std::span<const Secrets> secrets() const;

  // Once, at the end; not yet used up files say what was read so far. In the order of the command
  // line; files of a folder in order of their first packets.
  std::vector<FileSummary> take_files();
  const std::vector<SkippedFile>& skipped() const { return skipped_; }
  // Files that were opened after packets later than their first: too many others were open or took
  // the memory, or the clock of another stepped back.
  std::uint64_t late_files() const { return late_files_; }
  // Of `lent_memory`, what the files of this run may take.
  std::uint64_t borrowed() const { return borrowed_; }

 private:
  class Source;

  void sort_folders();
  void judge_folders(const std::vector<Folder>& folders);
  void borrow();
  void advance_current();
  bool has_room_for(const Source& source) const;
  void admit();
  static bool is_before(const Source* a, const Source* b);
  static bool is_later(const Source* a, const Source* b) { return is_before(b, a); }

  Limits limits_;
  std::vector<std::unique_ptr<Source>> sources_;
  std::vector<SkippedFile> skipped_;
  std::vector<FileSummary> bad_folders_;
  std::vector<Source*> waiting_;  // closed, in order of their first packets, the next one last
  std::vector<Source*> open_;     // with a packet at hand; a heap, the earliest first
  Source* current_ = nullptr;     // of the last packet; not in open_
  std::uint64_t number_ = 0;      // of the last packet, where there are several files
  std::int64_t latest_ = 0;       // of the packets so far
  std::uint64_t late_files_ = 0;
  std::shared_ptr<MemoryPool> memory_;
  std::uint64_t borrowed_ = 0;
};

}  // namespace analyzer::capture
