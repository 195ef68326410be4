// SPDX-License-Identifier: GPL-2.0-or-later
//
// The callbacks by which Wireshark reads and writes the table of payload_rules.hpp. Records are
// Wireshark's, as are the texts in them.
#include "plugin/payload_rules.hpp"

#include <array>
#include <cstddef>
#include <span>

#include "plugin/topics.hpp"

namespace plugin {

namespace {

struct Rule {
  char* pattern;
  char* dissector_name;
  dissector_handle_t dissector;
};

Rule* rules = nullptr;
unsigned rule_count = 0;

void* copy_rule(void* to, const void* from, std::size_t) {
  const auto* const source = static_cast<const Rule*>(from);
  auto* const target = static_cast<Rule*>(to);
  target->pattern = g_strdup(source->pattern);
  target->dissector_name = g_strdup(source->dissector_name);
  target->dissector = source->dissector;
  return to;
}

void free_rule(void* record) {
  auto* const rule = static_cast<Rule*>(record);
  g_free(rule->pattern);
  g_free(rule->dissector_name);
}

void set_text(char*& text, const char* given, unsigned length) {
  g_free(text);
  text = g_strstrip(g_strndup(given, length));
}

void tell_text(const char* text, char** told, unsigned* length) {
  *told = g_strdup(text == nullptr ? "" : text);
  *length = static_cast<unsigned>(std::string_view(*told).size());
}

void set_pattern(void* record, const char* text, unsigned length, const void*, const void*) {
  set_text(static_cast<Rule*>(record)->pattern, text, length);
}
void tell_pattern(void* record, char** text, unsigned* length, const void*, const void*) {
  tell_text(static_cast<Rule*>(record)->pattern, text, length);
}
void set_dissector(void* record, const char* text, unsigned length, const void*, const void*) {
  auto* const rule = static_cast<Rule*>(record);
  set_text(rule->dissector_name, text, length);
  rule->dissector = find_dissector(rule->dissector_name);
}
void tell_dissector(void* record, char** text, unsigned* length, const void*, const void*) {
  tell_text(static_cast<Rule*>(record)->dissector_name, text, length);
}

std::array<uat_field_t, 3> fields() {
  std::array<uat_field_t, 3> made{};
  made[0].name = "topic";
  made[0].title = "Topic";
  made[0].mode = PT_TXTMOD_STRING;
  made[0].cb = {uat_fld_chk_str, set_pattern, tell_pattern};
  made[0].desc = "Stream and topic as requests name them, like orders/invoices; * fits anything";
  made[1].name = "dissector";
  made[1].title = "Dissector";
  made[1].mode = dissector_text_mode;
  made[1].cb = {uat_fld_chk_proto, set_dissector, tell_dissector};
  made[1].desc = "What takes the payloads of its messages apart";
  return made;  // the last one, which is empty, ends the list
}

}  // namespace

void register_payload_rules(module_t* module) {
  static std::array<uat_field_t, 3> columns = fields();
  uat_t* const table =
      uat_new("Iggy Payloads", sizeof(Rule), "iggy_payloads", TRUE, static_cast<void*>(&rules),
              &rule_count, UAT_AFFECTS_DISSECTION, nullptr, copy_rule, nullptr, free_rule, nullptr,
              nullptr, columns.data());
  prefs_register_uat_preference(module, "payloads", "Payloads by topic",
                                "Which dissector takes the payloads of which topics", table);
}

dissector_handle_t dissector_by_user(std::string_view topic) {
  for (const Rule& rule : std::span(rules, rule_count))
    if (rule.pattern != nullptr && fits_pattern(rule.pattern, topic)) return rule.dissector;
  return nullptr;
}

}  // namespace plugin
