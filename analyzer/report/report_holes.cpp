// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The sentences of report_holes.hpp. Bodies cut by the snap length are summed up only: somebody
// chose to capture headers.
#include "report/report_holes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "capture/address.hpp"
#include "report/words.hpp"

namespace analyzer::report {
namespace {

constexpr std::size_t holes_shown = 5;

std::string_view reason_of(stream::HoleKind kind) {
  switch (kind) {
    case stream::HoleKind::snapped:
      return "cut by the snap length";
    case stream::HoleKind::not_captured:
      return "on the wire but not in the capture";
    case stream::HoleKind::lost:
      return "lost";
    case stream::HoleKind::late:
      return "captured behind later ones, too late to be put in front";
    case stream::HoleKind::given_up:
      break;
  }
  return "given up at a limit";
}

std::string sum_of(const Undecoded& undecoded) {
  std::string text;
  for (const auto& [kind, bytes] : undecoded.hole_bytes)
    text += fmt::format("{}{} bytes {}", text.empty() ? "" : ", ", bytes, reason_of(kind));
  return fmt::format("{} in TCP streams: {}.", counted(undecoded.holes, "hole"), text);
}

bool is_cut_body(const HoleSummary& hole) {
  return hole.kind == stream::HoleKind::snapped && !hole.hides_frames;
}

// "10.0.0.1:50000 > 10.0.0.2:8090"; empty where the connection is not listed.
std::string ends_of(const Model& model, const HoleSummary& hole) {
  const auto found =
      std::find_if(model.connections.begin(), model.connections.end(),
                   [&hole](const ConnectionSummary& each) { return each.id == hole.connection; });
  if (found == model.connections.end()) return {};
  const std::string client = to_string(found->client);
  const std::string server = to_string(found->server);
  return hole.from == connection::Side::server ? fmt::format("{} > {}, ", server, client)
                                               : fmt::format("{} > {}, ", client, server);
}

std::string sentence_of(const Model& model, const HoleSummary& hole) {
  const std::string place =
      fmt::format("{}sequence number {}", ends_of(model, hole), hole.sequence);
  if (!hole.kind)
    return fmt::format("{}: {} skipped, no frame begins there (packet {}).", place,
                       counted(hole.bytes, "byte"), hole.packet);
  return fmt::format("{}: {} {}{} (packet {}).", place, counted(hole.bytes, "byte"),
                     reason_of(*hole.kind),
                     hole.hides_frames ? "; frames may have begun there" : "", hole.packet);
}

}  // namespace

std::vector<std::string> hole_sentences(const Model& model) {
  std::vector<std::string> sentences;
  if (model.undecoded.holes != 0) sentences.push_back(sum_of(model.undecoded));
  std::size_t places = 0;
  for (const HoleSummary& hole : model.holes) {
    if (is_cut_body(hole)) continue;
    if (++places <= holes_shown) sentences.push_back(sentence_of(model, hole));
  }
  if (places > holes_shown)
    sentences.push_back(
        fmt::format("... and {} more places (--json lists them).", places - holes_shown));
  return sentences;
}

}  // namespace analyzer::report
