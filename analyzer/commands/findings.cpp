// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// iggy-pcap findings: the list of what can be found, straight from the table.
#include <fmt/format.h>

#include "commands/commands.hpp"
#include "conversation/finding.hpp"
#include "report/json_writer.hpp"

namespace analyzer::commands {

Exit findings(const FindingsOptions& options) {
  for (const iggy::conversation::FindingKind& kind : iggy::conversation::finding_kinds()) {
    if (options.json) {
      report::JsonWriter json;
      json.begin_object();
      json.key("id").text(kind.word).key("severity").text(word_of(kind.severity));
      json.key("evident").text(word_of(kind.evident));
      json.key("unit").text(kind.unit).key("summary").text(kind.summary).end_object();
      put(json.take() + "\n");
    } else {
      put(fmt::format("{:<9} {:<32} {}\n", word_of(kind.severity), kind.word, kind.summary));
    }
  }
  return Exit::done;
}

}  // namespace analyzer::commands
