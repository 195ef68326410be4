// SPDX-License-Identifier: GPL-2.0-or-later
//
// Temporary: a dissector of single frames without the state of their connection, on port 8090.
#pragma once

namespace plugin {

void register_dissectors();

}  // namespace plugin
