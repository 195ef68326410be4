// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The commands of iggy-pcap, one file each. Each gets what was typed and returns the exit code.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "commands/run.hpp"

namespace analyzer::commands {

// Documented in the README; never changed.
enum class Exit : int {
  done = 0,
  findings = 1,      // at or above --fail-on
  usage = 2,         // or standard output cannot be written
  unreadable = 3,    // an input gave no packet
  read_in_part = 4,  // the good part was reported all the same; wins over `findings`
};

struct AnalyzeOptions {
  Input input;
  bool json = false;
  bool all = false;     // explain findings of severity info too
  std::string fail_on;  // a severity; empty: none
  bool verify_checksums = false;
  std::vector<std::uint16_t> ports;
};

struct FramesOptions {
  Input input;
  bool json = false;
  std::vector<std::string> fields;
  std::uint64_t limit = 0;
  bool show_secrets = false;
  bool show_payload = false;
  std::optional<std::uint32_t> max_payload{};
  bool verify_checksums = false;
};

struct MessagesOptions {
  Input input;
  bool json = false;
  std::uint64_t limit = 0;
  std::string payload = "auto";  // how it is shown
  std::uint32_t max_payload = 256;
  std::optional<std::string> out;  // a folder for payloads
  std::optional<std::string> stream;
  std::optional<std::string> topic;
  std::optional<std::uint64_t> partition;
  std::optional<std::string> offsets;  // a number or a range
  std::vector<std::string> directions;
};

struct FieldsOptions {
  bool markdown = false;
  bool json = false;
};

struct FindingsOptions {
  bool json = false;
};

Exit analyze(const AnalyzeOptions& options);
Exit frames(const FramesOptions& options);
Exit messages(const MessagesOptions& options);
Exit fields(const FieldsOptions& options);
Exit findings(const FindingsOptions& options);

// Shared by them.

// Standard output as it is: how wide, whether it may have colour.
struct Terminal {
  std::size_t width = 100;
  bool colour = false;
};
Terminal standard_output();

// Standard output cannot be written, and not because its reader went away. `with_output` catches
// it.
struct OutputError {
  int error = 0;  // as in errno
};
// Writes to standard output; false when nobody reads any more, which is no error. Throws
// OutputError.
bool put(std::string_view text);
// Writes what is buffered; false and throws as `put` does.
bool flush();
// Runs the command and writes what is left in the buffer; usage where that or a `put` failed.
Exit with_output(const std::function<Exit()>& command);
// Writes a line to standard error, with the program's name.
void complain(std::string_view message);

// The filter of an input; where it is wrong, that is told and there is none.
std::optional<capture::Filter> compile_filter(const Input& input);
// Names the link types for which the filter has no meaning, and returns how many there were: their
// packets were left out, so the input was read in part.
std::size_t complain_about(const capture::Filter& filter);

// Says what was given up to stay below the limit of memory.
void complain_about_memory(const RunSummary& summary);

// Says what commands that show frames alone leave out: packets and connections that may hold some.
void complain_about_undecoded(const RunSummary& summary);

// Says what is wrong with the files and gives the exit code that follows from it; `otherwise` when
// nothing is.
Exit judge_files(const RunSummary& summary, Exit otherwise);

}  // namespace analyzer::commands
