// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// iggy-pcap: what was typed becomes options, and one command runs.
#include <fmt/format.h>
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <iostream>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "report/words.hpp"

namespace {

using analyzer::commands::AnalyzeOptions;
using analyzer::commands::Exit;
using analyzer::commands::FieldsOptions;
using analyzer::commands::FindingsOptions;
using analyzer::commands::FramesOptions;
using analyzer::commands::MessagesOptions;

// The size is a plain number of bytes by then.
CLI::Validator enough_memory() {
  return {[](std::string& text) {
            constexpr std::uint64_t least = analyzer::capture::MemoryPlan::least;
            std::uint64_t bytes = 0;
            std::from_chars(text.data(), text.data() + text.size(), bytes);
            return bytes >= least ? std::string() : std::string("must be at least 64M");
          },
          ""};
}

void add_input(CLI::App& command, analyzer::commands::Input& input) {
  command
      .add_option("FILE", input.files,
                  "Captures (pcap or pcapng, also compressed with gzip, zstd or lz4), folders of "
                  "them, or - for standard input; several are merged by time")
      ->required();
  command.add_option("-f,--filter", input.filter, "Only packets that match this BPF expression");
  command
      .add_option("--memory-limit", input.memory_limit,
                  "Bytes of memory to stay below, as 64M or 1G; 512M if not said")
      ->transform(CLI::AsSizeValue(false))
      ->check(enough_memory());
}

// Of the parts of a list, which people write with blanks behind its commas.
CLI::Validator without_blanks() {
  return {[](std::string& text) {
            text = CLI::detail::trim_copy(text);
            return std::string();
          },
          ""};
}

CLI::App* add_analyze(CLI::App& program, AnalyzeOptions& options) {
  CLI::App* command = program.add_subcommand("analyze", "Explain captures: verdicts, then tables");
  add_input(*command, options.input);
  command->add_flag("--json", options.json, "Print the report for machines");
  command->add_flag("--all", options.all, "Explain findings of severity info too");
  command->add_option("--fail-on", options.fail_on,
                      "Exit with 1 when a finding is at least that severe: info, warning, error, "
                      "critical, none");
  command->add_flag(
      "--verify-checksums", options.verify_checksums,
      "Check the messages in replies and between replicas too, not only in sends, and "
      "the other rules of batches");
  command
      ->add_option("--port", options.ports,
                   "A port that belongs to Iggy; a hint only, frames are recognised anywhere")
      ->transform(without_blanks())
      ->delimiter(',');
  return command;
}

CLI::Validator at_least_one() {
  return {[](std::string& text) {
            return text.starts_with('-') || text.find_first_not_of('0') == std::string::npos
                       ? std::string("must be at least 1")
                       : std::string();
          },
          ""};
}

// Of an option without a sign: the library would take a negative one for a very large one.
CLI::Validator not_negative() {
  return {[](std::string& text) {
            return text.starts_with('-') ? std::string("must not be negative") : std::string();
          },
          ""};
}

CLI::App* add_frames(CLI::App& program, FramesOptions& options) {
  CLI::App* command = program.add_subcommand("frames", "Print one line for each frame");
  add_input(*command, options.input);
  command->add_flag("--json", options.json, "Print one JSON object a line");
  command
      ->add_option("--fields", options.fields,
                   "Only these, separated by commas: keys of the JSON form such as "
                   "packet,command,header.request")
      ->transform(without_blanks())
      ->delimiter(',');
  command->add_option("-n", options.limit, "Stop after so many lines")->check(at_least_one());
  command->add_flag("--show-secrets", options.show_secrets,
                    "Print passwords, tokens and secrets in clear");
  command->add_flag("--show-payload", options.show_payload,
                    "Print payloads of messages, and bytes of bodies that are not decoded");
  command->add_option("--max-payload", options.max_payload,
                      "Bytes of each payload that --show-payload prints; all if not said");
  command->add_flag("--verify-checksums", options.verify_checksums,
                    "Add wrong checksums and counts of messages to the problems of the JSON form");
  return command;
}

CLI::App* add_messages(CLI::App& program, MessagesOptions& options) {
  CLI::App* command = program.add_subcommand("messages", "Print one line for each message");
  add_input(*command, options.input);
  command->add_flag("--json", options.json, "Print one JSON object a line");
  command->add_option("-n", options.limit, "Stop after so many lines")->check(at_least_one());
  command->add_option("--payload", options.payload, "How to show payloads: auto, text, json, hex");
  command->add_option("--max-payload", options.max_payload,
                      "Bytes of each payload that are shown; 256 if not said, 0 for none");
  command->add_option("--out", options.out, "Write each payload into a file of this folder");
  command->add_option("--stream", options.stream,
                      "Only this stream: its number or name, or as lines show it: its name in "
                      "quotes, 7(orders)");
  command->add_option("--topic", options.topic, "Only this topic, likewise");
  command->add_option("--partition", options.partition, "Only this partition")
      ->check(not_negative());
  command->add_option("--offset", options.offsets, "Only these offsets: 5, 5..9, 5.. or ..9");
  command
      ->add_option("--direction", options.directions,
                   "Only these, separated by commas: sent, polled, replicated; sent and polled if "
                   "not said")
      ->transform(without_blanks())
      ->delimiter(',');
  return command;
}

CLI::App* add_fields(CLI::App& program, FieldsOptions& options) {
  CLI::App* command = program.add_subcommand("fields", "Print the reference of every field");
  CLI::Option* markdown = command->add_flag("--markdown", options.markdown, "As Markdown");
  command->add_flag("--json", options.json, "As JSON, one layout a line")->excludes(markdown);
  return command;
}

CLI::App* add_findings(CLI::App& program, FindingsOptions& options) {
  CLI::App* command = program.add_subcommand("findings", "List what can be found");
  command->add_flag("--json", options.json, "As JSON, one finding a line");
  return command;
}

int code_of(Exit exit) {
  return static_cast<int>(exit);
}

}  // namespace

int main(int argc, char** argv) {
  // A reader that goes away ends the output, not the program by a signal.
  std::signal(SIGPIPE, SIG_IGN);
#ifdef __GLIBC__
  // Else the bound moves with what is freed, and buffers that are given back stay in the process.
  constexpr int apart_from_the_heap = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, apart_from_the_heap);
#endif

  CLI::App program("Explains captures of the Apache Iggy binary protocol.", "iggy-pcap");
  program.set_version_flag("--version", "iggy-pcap " IGGY_PCAP_VERSION);
  program.require_subcommand(0, 1);
  AnalyzeOptions analyze_options;
  FramesOptions frames_options;
  MessagesOptions messages_options;
  FieldsOptions fields_options;
  FindingsOptions findings_options;
  const CLI::App* analyze = add_analyze(program, analyze_options);
  const CLI::App* frames = add_frames(program, frames_options);
  const CLI::App* messages = add_messages(program, messages_options);
  const CLI::App* fields = add_fields(program, fields_options);
  add_findings(program, findings_options);
  // A word that is no command is named; commands look at what follows them themselves.
  program.allow_extras();
  program.callback([&program] {
    const std::vector<std::string> words = program.remaining();
    if (words.empty() && program.get_subcommands().empty()) throw CLI::RequiredError::Subcommand(1);
    if (words.empty()) return;
    const char* const kind = words.front().starts_with('-') ? "option" : "command";
    throw CLI::ParseError(
        fmt::format("{}: no such {}", analyzer::report::printable(words[0]), kind),
        CLI::ExitCodes::ExtrasError);
  });

  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const Exit exit = program.exit(error) == 0 ? Exit::done : Exit::usage;
    return code_of(analyzer::commands::with_output([exit] {
      if (!std::cout && errno != EPIPE) throw analyzer::commands::OutputError{errno};
      return exit;
    }));
  }
  const auto run_command = [&] {
    return analyze->parsed()    ? analyzer::commands::analyze(analyze_options)
           : frames->parsed()   ? analyzer::commands::frames(frames_options)
           : messages->parsed() ? analyzer::commands::messages(messages_options)
           : fields->parsed()   ? analyzer::commands::fields(fields_options)
                                : analyzer::commands::findings(findings_options);
  };
  return code_of(analyzer::commands::with_output(run_command));
}
