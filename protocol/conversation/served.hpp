// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What servers refuse of commands that not all builds of a generation know, besides what the rows
// of their bodies say.
//
// They refuse it with the status that they have for commands which they do not know. Nothing here
// is a problem of the bytes, and nothing decides what a refusal shows.
#pragma once

#include <cstdint>

#include "decode/body.hpp"
#include "decode/window.hpp"

namespace iggy::conversation {

// Whether a body reads without a problem and a server that knows the command takes it. `code` is
// that of the command.
bool is_served(const decode::BodyPlan& plan, std::uint32_t code, decode::Window body);

}  // namespace iggy::conversation
