// SPDX-License-Identifier: GPL-2.0-or-later
//
// Registration of expert.hpp. Words, severities and summaries of findings are those of the table in
// conversation/finding.cpp, so that both tools say the same.
#include "plugin/expert.hpp"

#include <array>
#include <cstddef>
#include <string_view>

namespace plugin {

using iggy::conversation::FindingId;
using iggy::conversation::FindingKind;
using iggy::conversation::Severity;
using iggy::decode::ProblemKind;

namespace {

constexpr std::size_t problem_count = static_cast<std::size_t>(ProblemKind::malformed) + 1;
constexpr std::size_t finding_count = static_cast<std::size_t>(FindingId::login_not_captured) + 1;

std::array<expert_field, problem_count> problems;
std::array<expert_field, finding_count> findings;
expert_field more_problems = EI_INIT;
expert_field contradiction = EI_INIT;
expert_field wrong_checksum = EI_INIT;
expert_field wrong_batch = EI_INIT;
expert_field odd_batch = EI_INIT;
std::array<ei_register_info, problem_count + finding_count + 5> infos;

struct ProblemInfo {
  int group = 0;
  int severity = 0;
  const char* summary = nullptr;
};

ProblemInfo info_of(ProblemKind kind) {
  switch (kind) {
    case ProblemKind::cut_by_capture:
      return {PI_UNDECODED, PI_CHAT, "Cut by the capture"};
    case ProblemKind::too_short:
      return {PI_PROTOCOL, PI_ERROR, "Too short as it was sent"};
    case ProblemKind::not_zero:
      return {PI_PROTOCOL, PI_WARN, "Reserved bytes are not zero"};
    case ProblemKind::out_of_range:
      return {PI_PROTOCOL, PI_WARN, "A count is below the least that is allowed"};
    case ProblemKind::trailing:
      return {PI_PROTOCOL, PI_WARN, "Bytes behind the last field"};
    case ProblemKind::ignored:
      return {PI_PROTOCOL, PI_NOTE, "Bytes behind the last field, which who receives them ignores"};
    case ProblemKind::malformed:
      return {PI_PROTOCOL, PI_ERROR, "No body that may stand here fits"};
  }
  return {PI_PROTOCOL, PI_ERROR, "Malformed"};
}

// What a finding is about, in Wireshark's groups.
int group_of(FindingId id) {
  switch (id) {
    case FindingId::login_refused_credentials:
    case FindingId::token_refused:
    case FindingId::request_before_login:
    case FindingId::not_authorized:
    case FindingId::session_conflict:
    case FindingId::credentials_in_clear:
    case FindingId::internal_operation_from_client:
    case FindingId::truncate_from_client:
      return PI_SECURITY;
    case FindingId::session_lost:
    case FindingId::stale_client_evicted:
    case FindingId::request_never_answered:
    case FindingId::login_not_captured:
      return PI_SEQUENCE;
    case FindingId::protocol_version_rejected:
    case FindingId::legacy_client_on_vsr_server:
    case FindingId::vsr_client_on_legacy_server:
    case FindingId::edge1_layout_client:
    case FindingId::wrong_protocol_on_port:
    case FindingId::connection_refused:
    case FindingId::version_window_inconsistent:
      return PI_PROTOCOL;
    default:
      return PI_RESPONSE_CODE;
  }
}

// What has to come again to be bad is no error at one packet.
int severity_of(const FindingKind& kind) {
  if (kind.repeats > 1) return PI_WARN;
  switch (kind.severity) {
    case Severity::critical:
    case Severity::error:
      return PI_ERROR;
    case Severity::warning:
      return PI_WARN;
    case Severity::info:
      return PI_NOTE;
  }
  return PI_NOTE;
}

const char* kept(std::string_view before, std::string_view text) {
  return wmem_strdup_printf(wmem_epan_scope(), "%.*s%.*s", static_cast<int>(before.size()),
                            before.data(), static_cast<int>(text.size()), text.data());
}

}  // namespace

void register_experts(int protocol) {
  std::size_t count = 0;
  const auto add = [&count](expert_field& field, const char* name, int group, int severity,
                            const char* summary) {
    field = EI_INIT;
    infos[count++] = {&field, {name, group, severity, summary, EXPFILL}};
  };
  for (std::size_t i = 0; i < problem_count; ++i) {
    const auto kind = static_cast<ProblemKind>(i);
    const ProblemInfo info = info_of(kind);
    add(problems[i], kept("iggy.problem.", word_of(kind)), info.group, info.severity, info.summary);
  }
  add(more_problems, "iggy.problem.more", PI_PROTOCOL, PI_WARN, "More problems than are shown");
  add(contradiction, "iggy.problem.contradiction", PI_SEQUENCE, PI_WARN,
      "Frames do not follow each other any more");
  add(wrong_checksum, "iggy.problem.wrong_checksum", PI_CHECKSUM, PI_ERROR,
      "The checksum is not that of the bytes");
  add(wrong_batch, "iggy.problem.wrong_batch", PI_PROTOCOL, PI_WARN,
      "A batch of messages breaks a rule for which servers drop it");
  add(odd_batch, "iggy.problem.odd_batch", PI_PROTOCOL, PI_NOTE,
      "A batch of messages breaks a rule, and servers take it");
  for (const FindingKind& kind : iggy::conversation::finding_kinds())
    add(findings[static_cast<std::size_t>(kind.id)], kept("iggy.finding.", kind.word),
        group_of(kind.id), severity_of(kind), pooled(wmem_epan_scope(), kind.summary));
  expert_register_field_array(expert_register_protocol(protocol), infos.data(),
                              static_cast<int>(count));
}

expert_field* expert_of(ProblemKind kind) {
  return &problems[static_cast<std::size_t>(kind)];
}

expert_field* expert_of_more_problems() {
  return &more_problems;
}

expert_field* expert_of_contradiction() {
  return &contradiction;
}

expert_field* expert_of_wrong_checksum() {
  return &wrong_checksum;
}

expert_field* expert_of_wrong_batch() {
  return &wrong_batch;
}

expert_field* expert_of_odd_batch() {
  return &odd_batch;
}

expert_field* expert_of(FindingId id) {
  return &findings[static_cast<std::size_t>(id)];
}

}  // namespace plugin
