// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// From what was named on the command line to the files that are read: folders become their files.
//
// It must not open a file: opening a pipe waits for its writer.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace analyzer::capture {

struct InputFile {
  std::string name;
  bool is_regular = false;            // can be closed, and opened again later
  std::optional<std::size_t> folder;  // the place in InputFiles::folders of the one it was found in
};

// A file that is passed over, and why: a phrase.
struct SkippedFile {
  std::string name;
  std::string reason;
};

struct Folder {
  std::string name;
  std::string error;           // why it cannot be listed; empty: it was
  bool is_empty = false;       // hidden files apart
  bool has_read_file = false;  // one that was named before, so it is not read again
};

struct InputFiles {
  std::vector<InputFile> files;
  std::vector<Folder> folders;
  std::vector<SkippedFile> skipped;
};

// Lists folders, in the natural order of their names and not what is below them; leaves out hidden
// files, skips what is no regular file in a folder, and files that were named before.
InputFiles list_input_files(const std::vector<std::string>& names);

// Whether numbers in the names stand in order: "x.pcap9" before "x.pcap10".
bool is_naturally_before(std::string_view a, std::string_view b);

}  // namespace analyzer::capture
