// SPDX-License-Identifier: GPL-2.0-or-later
//
// The user's table of topics and of the dissectors for what is in their messages.
#pragma once

#include <string_view>

#include "plugin/epan.hpp"

namespace plugin {

// Adds the table to the preferences: file iggy_payloads, or -o
// 'uat:iggy_payloads:"orders/*","json"'.
void register_payload_rules(module_t* module);

// Of the first rule that fits "stream/topic"; null where none does.
dissector_handle_t dissector_by_user(std::string_view topic);

}  // namespace plugin
